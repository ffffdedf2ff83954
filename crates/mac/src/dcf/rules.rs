//! Where ns-2 and the standard differ, rule by rule.
//!
//! No machine asks for a profile: it asks for one of these. What each means for ns-2 was found out from
//! its running objects and traces; the model page has the table.

use acklab_base::Duration;
use acklab_wire::frame::{DATA_OVERHEAD_FOUR_ADDRESSES, DATA_OVERHEAD_STANDARD};

/// How a packet in hand gets at the medium when no backoff is pending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// DIFS and a random backoff, which a busy medium freezes: ns-2 since 2006 (`bugFix_timer_`).
    Backoff,
    /// On a medium that is idle for DIFS at once, else a random backoff (clause 9.2.5.1).
    Immediate,
    /// A deferral, which nothing but an RTS for this station ends before its time. If the medium
    /// is busy at its end, the contention window doubles and a random backoff follows.
    Deferral {
        /// DIFS and a random number of slots: ns-2 from June 2002 on (released as ns-2.26).
        /// Otherwise DIFS alone: ns-2.1b9.
        random: bool,
    },
}

/// Where ns-2 departs from the standard, each a switch of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Backoff is drawn from `0..=CW` as clause 9.2.4 says; ns-2 draws from `0..CW`.
    pub backoff_includes_cw: bool,
    /// How a packet gets at an idle medium.
    pub access: Access,
    /// A CTS resets the contention window, as if the data had arrived (ns-2 before 2.26; the
    /// standard waits for the ACK, clause 9.2.5.2).
    pub cts_resets_window: bool,
    /// Data that follows an own CTS resets the short retry counter and the contention window of
    /// the packet in hand, with which it has nothing to do (ns-2 before 2.26).
    pub data_resets_retries: bool,
    /// The retry counters are those of the packet in hand: they begin with it, and nothing but its own failures
    /// moves them (clause 9.2.5.3). In ns-2 the station has them: a CTS resets the short one, and a packet that
    /// is done resets one of them and leaves the other to the next.
    pub retries_by_packet: bool,
    /// A packet that is dropped at its retry limit is followed by a backoff, as one that was acknowledged
    /// (clause 9.2.5.2). Not in ns-2.
    pub backoff_after_drop: bool,
    /// A busy edge within this time before the backoff's end comes too late to be noticed: the
    /// CCA time of clause 15.4.8.4. ns-2 notices at once.
    pub cca_delay: Duration,
    /// EIFS is an inter-frame space that the next correct frame ends (clause 9.2.3.4); ns-2 makes
    /// it a NAV that nothing shortens.
    pub eifs_is_ifs: bool,
    /// EIFS has room for an ACK with the long preamble, the only one at the lowest mandatory rate of the PHY,
    /// 1 Mbit/s (clause 9.2.10); with the preamble of the network in ns-2.
    pub eifs_preamble_long: bool,
    /// A frame that is only sensed, or that began while the station transmitted, calls for EIFS. So in ns-2; a
    /// real PHY reports no frame then (clause 9.2.3.4 asks for PHY-RXSTART.indication).
    pub eifs_after_sensed: bool,
    /// A frame ignored by capture extends the NAV to its airtime plus EIFS. ns-2 only.
    pub nav_over_captured: bool,
    /// A CTS is withheld while the receiver is busy, not only while the NAV runs (clause
    /// 9.2.5.7 asks for the NAV alone).
    pub cts_needs_idle_receiver: bool,
    /// Data after the CTS is withheld while the medium is busy, and the RTS starts anew. ns-2
    /// only.
    pub data_needs_idle: bool,
    /// A station whose RTS was answered waits for the data and is deaf to RTS meanwhile; data
    /// without a CTS of ours before it is dropped. ns-2 only.
    pub data_needs_own_cts: bool,
    /// A NAV set by an RTS ends early if no data follows (clause 9.2.5.4).
    pub rts_nav_expires: bool,
    /// Slack that is added to the wait for CTS and ACK beyond SIFS and their airtime.
    pub response_slack: Duration,
    /// Bytes that a data frame adds to its packet: header and frame check sequence, and LLC and SNAP
    /// (RFC 1042), which ns-2 leaves out.
    pub data_overhead: u32,
    /// An RTS precedes a frame that is with its PLCP as long as the threshold, or longer: so in ns-2, which counts
    /// 24 B of preamble and header. Otherwise one that is itself longer (dot11RTSThreshold is a length of the
    /// MPDU, header and frame check sequence included).
    pub rts_counts_plcp: bool,
    /// A fraction of a microsecond is rounded up in the duration field, as clause 7.1.3.2 has it; otherwise to
    /// the nearest.
    pub duration_rounds_up: bool,
}

impl Rules {
    /// The rules of ns-2.35.
    #[must_use]
    pub const fn ns2() -> Self {
        Self {
            backoff_includes_cw: false,
            access: Access::Backoff,
            cts_resets_window: false,
            data_resets_retries: false,
            retries_by_packet: false,
            backoff_after_drop: false,
            cca_delay: Duration::ZERO,
            eifs_is_ifs: false,
            eifs_preamble_long: false,
            eifs_after_sensed: true,
            nav_over_captured: true,
            cts_needs_idle_receiver: true,
            data_needs_idle: true,
            data_needs_own_cts: true,
            rts_nav_expires: false,
            response_slack: Duration::from_micros(4),
            data_overhead: DATA_OVERHEAD_FOUR_ADDRESSES,
            rts_counts_plcp: true,
            duration_rounds_up: false,
        }
    }

    /// The rules of ns-2.1b9 (April 2002), as far as they differed.
    #[must_use]
    pub const fn ns2_of_2002() -> Self {
        Self {
            access: Access::Deferral { random: false },
            cts_resets_window: true,
            data_resets_retries: true,
            ..Self::ns2()
        }
    }

    /// The rules of IEEE 802.11-1999 with the timing of 802.11b.
    #[must_use]
    pub const fn standard() -> Self {
        Self {
            backoff_includes_cw: true,
            access: Access::Immediate,
            cts_resets_window: false,
            data_resets_retries: false,
            retries_by_packet: true,
            backoff_after_drop: true,
            cca_delay: Duration::from_micros(15),
            eifs_is_ifs: true,
            eifs_preamble_long: true,
            eifs_after_sensed: false,
            nav_over_captured: false,
            cts_needs_idle_receiver: false,
            data_needs_idle: false,
            data_needs_own_cts: false,
            rts_nav_expires: true,
            response_slack: Duration::from_micros(20),
            data_overhead: DATA_OVERHEAD_STANDARD,
            rts_counts_plcp: false,
            duration_rounds_up: true,
        }
    }
}
