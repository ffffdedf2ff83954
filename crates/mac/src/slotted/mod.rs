//! The slotted radio of the Flexible Radio Network (FRN): yuki2004 §2 and §3.
//!
//! Time is divided into slots of one length that begin at all nodes at once. A frame fills one
//! slot; a node senses the carrier at the slot's start. A hop is acknowledged by hearing the next
//! hop forward the packet (the *relay echo*); the final destination, which forwards nothing, sends
//! a short FRN ACK instead. What is not acknowledged is sent again after a random number of slots,
//! until the packet's lifetime, counted down in every slot, is over. With *combining*, a data and
//! an ACK packet for two neighbours leave in one frame.
//!
//! - [`SlottedMac`] is the machine of one node;
//! - [`Air`] is the slot as all nodes share it: who may transmit, who hears what;
//! - [`acklab_wire::slotted`] are its frames;
//! - [`Watch`] sees all nodes and says why an echo did not come;
//! - [`SlottedConfig`] holds the rules, each of those that the paper leaves open a named one.
//!
//! This is not 802.11: there is no RTS, no CTS, no interframe space and no rate. The combiner is
//! a part of this room and not of `agents`, because it decides by what the MAC alone knows: which
//! item waits for an echo, which one backs off.
//!
//! Invariant: a node sends at most one frame in a slot, and no packet after its lifetime.

mod air;
mod choose;
mod combine;
mod config;
mod counters;
mod items;
mod looks;
mod machine;
mod misses;
mod receive;
mod seen;
#[cfg(test)]
mod tests;
mod watch;

pub use air::{Air, Contender};
pub use config::{
    BackoffFrom, Busy, Coding, Duplicates, QueueRule, RelayAccess, SlottedConfig, Sources,
};
pub use counters::SlottedCounters;
pub use machine::{Arrival, SlottedMac, SlottedOutput, Streams};
pub use misses::SlottedMisses;
pub use watch::{SlotView, Watch};
