//! Room 3: medium access and what feeds it.
//!
//! [`dcf`] is the 802.11 distributed coordination function, [`queue`] the interface queue above
//! it, [`link`] the link layer with ARP between queue and network layer; [`cell`] is a base station
//! with its mobiles and one DCF each; [`slotted`] is the slotted radio of yuki2004, which needs
//! neither. Nothing here routes, and nothing here knows TCP.

pub mod cell;
pub mod dcf;
pub mod link;
pub mod p2p;
pub mod queue;
mod receiving;
pub mod slotted;

pub use cell::{Cell, CellConfig, CellMobile, CellOutput};
pub use dcf::{Counters, Dcf, DcfConfig, Output, Unanswered};
pub use link::{LinkConfig, LinkLayer, LinkOutput, Neighbours, PackedNeighbours};
pub use queue::{InterfaceQueue, Queued};
pub use receiving::ReceivingTime;
pub use slotted::{SlottedConfig, SlottedMac, SlottedOutput};
