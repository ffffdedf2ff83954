//! Frames and packets as bytes, for captures only: nothing in a run reads them.
//!
//! Layout: radiotap (radiotap.org) · 802.11 MAC header (IEEE 802.11-1999 clause 7) · LLC/SNAP
//! (RFC 1042) · IPv4 (RFC 791) with TCP (RFC 9293), UDP (RFC 768), AODV (RFC 3561 §5) or DSDV,
//! DSR (RFC 4728) before any of these, or ARP
//! (RFC 826) · frame check sequence. Payloads are zeros. All checksums are right.
//!
//! The bytes show the true layout of these standards; the simulation's own sizes decide airtime
//! (`FrameHeader::bytes`, `Packet::bytes`) and may differ as follows.
//!
//! - Data frames carry three addresses (IBSS: receiver, transmitter, BSSID) and LLC/SNAP, 36 bytes
//!   with the FCS, as the standard's rules count. ns-2 counts 34 (four addresses, no LLC/SNAP).
//! - AODV messages are as long as RFC 3561 and UDP make them: ns-2 counts 4 bytes less for a
//!   request or a reply, and 8 less for an error.
//! - DSDV has neither a format nor a port of its own: its entries of 12 bytes travel over UDP, port
//!   255, which is ns-2's number for routers; ns-2 counts no UDP header.
//! - A router that adds bytes to a TCP segment (ns-2's DSDV and DSR: 20) does so in the simulation
//!   only. DSR headers have the lengths of RFC 4728 here, not ns-2's.
//! - A UDP packet is as long as `Packet::bytes`; where the simulation adds fewer than 28 header
//!   bytes (ns-2: 20), its data looks shorter by the difference.
//! - A SYN grows by 8 bytes of options if, and only if, its connection advertises windows above
//!   65535 bytes and shows both SYNs; see [`Encoder`].
//!
//! The one invariant: every length and checksum field agrees with the bytes written.

mod address;
mod aodv;
mod dot11;
mod dsdv;
mod dsr;
mod network;
mod radiotap;
mod scaling;

pub use address::{BSSID, ip_address, mac_address};
pub use dot11::FrameCheck;
pub use network::{AODV_PORT, DSDV_PORT, ports};
pub use radiotap::RadioInfo;
pub use scaling::Encoder;

#[cfg(test)]
mod tests;
