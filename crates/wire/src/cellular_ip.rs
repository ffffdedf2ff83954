//! Messages of Cellular IP (Valkó 1999; Campbell et al. 2000): what a mobile sends when it has no
//! data to send. All of them travel from the mobile to the gateway, hop by hop.

/// Bytes of a message with its IP header. No document at hand fixes it: an IP header and 20 bytes
/// of type, flags, time stamp and authentication.
pub const MESSAGE_BYTES: u32 = 40;

/// A message of a mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// Refreshes, or makes, the mobile's entry in the route caches on the way.
    RouteUpdate {
        /// Sent through the next station while the mobile still listens to the old one: the new
        /// entry stands beside the old one.
        semisoft: bool,
    },
    /// The same for the paging caches, by a mobile that is idle.
    PagingUpdate,
}
