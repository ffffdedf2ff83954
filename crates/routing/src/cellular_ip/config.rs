//! Parameters of Cellular IP, with where each is from.
//!
//! The timers are those of the protocol's papers (Valkó 1999; Campbell et al., *Design,
//! implementation, and evaluation of Cellular IP*, IEEE Personal Communications 7(4), 2000) and of its
//! Internet-Drafts (draft-valko-cellularip-01, 1999; draft-ietf-mobileip-cellularip-00, 2000), whose
//! table of parameters is quoted from memory: the expired texts were not at hand.

use acklab_base::Duration;

/// What the nodes of an access network need to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessConfig {
    /// How long an entry of a route cache lives without being refreshed.
    pub route_timeout: Duration,
    /// The same for the paging cache; longer.
    pub paging_timeout: Duration,
    /// How long packets wait that go to the new branch of a semisoft handoff, until it is
    /// complete; zero: no delay device.
    pub delay_device: Duration,
}

/// What a mobile needs to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MobileConfig {
    /// An active mobile that has sent nothing for so long sends a route update.
    pub route_update: Duration,
    /// An idle one that has sent nothing for so long sends a paging update.
    pub paging_update: Duration,
    /// A mobile is active until it has neither sent nor received data for so long.
    pub active_timeout: Duration,
    /// Whether an active mobile sends a route update as soon as it is at another station. The
    /// protocol's papers say so; cho2005 §4 has a route wait for data or for the periodic message.
    pub updates_at_handoff: bool,
}
