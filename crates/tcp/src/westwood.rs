//! Parameters of TCP Westwood: a loss sets the threshold to what the path was measured to carry.
//! What measures is in `cc::westwood`. The invariant: without an estimate the window is halved.

use acklab_base::Duration;

/// How the bandwidth is estimated from ACKs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BandwidthFilter {
    /// A sample for each ACK through a filter of time constant `tau` (Mascolo et al. 2001).
    Original {
        /// The filter's time constant.
        tau: Duration,
    },
    /// A sample for each round trip, weighted 1/10 (Westwood+: Grieco and Mascolo 2004).
    Plus,
}
