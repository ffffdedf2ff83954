//! Room 1: packets and frames as meaning. Behaviour lives elsewhere; bytes exist only for captures.

pub mod aodv;
pub mod arp;
pub mod bytes;
pub mod cellular_ip;
pub mod dsdv;
pub mod dsr;
pub mod frame;
pub mod options;
pub mod packet;
pub mod slotted;
pub mod tcp;

pub use frame::{Frame, FrameHeader, FrameKind, Pair, Payload};
pub use options::{Options, SackBlocks};
pub use packet::{Body, Class, Packet};
pub use slotted::SlottedFrame;
pub use tcp::{Flags, Segment};
