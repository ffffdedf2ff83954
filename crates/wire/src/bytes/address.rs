//! Addresses: node *k* is 02:00 followed by *k* in four bytes, and 10.0.0.0 + (*k* + 1).

use acklab_base::NodeId;

/// The BSSID of the one ad-hoc network, locally administered like all addresses here.
pub const BSSID: [u8; 6] = [0x02, 0xAC, b'k', b'l', b'a', b'b'];

/// The link-layer address of a node; of the broadcast id, ff:ff:ff:ff:ff:ff.
#[must_use]
pub const fn mac_address(node: NodeId) -> [u8; 6] {
    if node.is_broadcast() {
        return [0xFF; 6];
    }
    let [a, b, c, d] = node.0.to_be_bytes();
    [0x02, 0x00, a, b, c, d]
}

/// The network address of a node; of the broadcast id, 255.255.255.255. Node ids from 2²⁴ − 2 on
/// repeat addresses: no scenario has so many.
#[must_use]
pub const fn ip_address(node: NodeId) -> [u8; 4] {
    if node.is_broadcast() {
        return [0xFF; 4];
    }
    let [_, b, c, d] = (node.0 + 1).to_be_bytes();
    [10, b, c, d]
}
