//! DSDV updates as bytes. No document fixes a format: twelve bytes for each route, as the
//! simulations count them.

use super::address::ip_address;
use crate::dsdv::Update;

/// Destination, hops and sequence number of each route, 32 bits each.
pub(super) fn encode(update: &Update) -> Vec<u8> {
    let mut out = Vec::with_capacity(update.entries.len() * 12);
    for entry in &update.entries {
        out.extend(ip_address(entry.destination));
        out.extend(u32::from(entry.hops).to_be_bytes());
        out.extend(entry.sequence.to_be_bytes());
    }
    out
}
