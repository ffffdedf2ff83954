//! What happens at a mobile among base stations, as events: pilots, handoffs, warnings.

use acklab_base::NodeId;

/// Something that the handoff agent of a mobile heard or did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellEvent {
    /// A beacon was heard.
    Pilot {
        /// The station.
        station: NodeId,
        /// Its level in thousandths of a dBm.
        level_mdbm: i32,
    },
    /// The mobile listens to another station from now on.
    Attached {
        /// The station.
        station: NodeId,
    },
    /// The signal is low (pacing begins), or good again.
    Signal {
        /// Whether it is low.
        is_low: bool,
    },
    /// The crossover node of the last handoff has the new route.
    Rerouted {
        /// The crossover node.
        crossover: NodeId,
    },
}
