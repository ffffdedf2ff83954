//! Parameters of a sender with selective acknowledgements (RFC 6675, RFC 8985). What they do is in
//! `sender::sack` and `loss`. The invariant: they act only with [`crate::Variant::Sack`].

use acklab_base::Duration;

/// How losses are found, and what may be done at the end of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SackConfig {
    /// What makes a segment lost.
    pub detection: Detection,
    /// When nothing else may leave, the last segment is sent again once in a recovery (RFC 6675
    /// §4, NextSeg rule 4).
    pub rescue: bool,
    /// A segment goes on being timed when it is sent again in a recovery, as in ns-2; else its
    /// timing ends (Karn's rule, RFC 6298 §3).
    pub times_resent: bool,
}

/// What makes a segment lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detection {
    /// So many segments above it arrived (RFC 6675 §4, IsLost).
    Rfc6675,
    /// A later one arrived, and a reordering window has passed (RFC 8985).
    Rack(RackConfig),
}

/// Parameters of RACK-TLP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RackConfig {
    /// The reordering window never exceeds this, nor the smoothed round-trip time (RFC 8985 §6.2).
    pub longest_window: Duration,
    /// Send a probe when the tail of a window is not answered (RFC 8985 §7).
    pub tail_probe: bool,
    /// How long a receiver may delay the ACK of a single segment (RFC 8985 §7.2).
    pub max_ack_delay: Duration,
}

impl SackConfig {
    /// RFC 6675.
    #[must_use]
    pub const fn rfc6675() -> Self {
        Self {
            detection: Detection::Rfc6675,
            rescue: true,
            times_resent: false,
        }
    }

    /// RFC 6675 without the rescue retransmission and without Karn's rule in a recovery, neither of
    /// which ns-2 has.
    #[must_use]
    pub const fn ns2() -> Self {
        Self {
            detection: Detection::Rfc6675,
            rescue: false,
            times_resent: true,
        }
    }

    /// RFC 8985 with its recommendations.
    #[must_use]
    pub const fn rack() -> Self {
        Self {
            detection: Detection::Rack(RackConfig {
                longest_window: Duration::from_secs(60),
                tail_probe: true,
                max_ack_delay: Duration::from_millis(200),
            }),
            rescue: false,
            times_resent: false,
        }
    }
}
