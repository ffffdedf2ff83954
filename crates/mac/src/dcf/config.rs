//! Parameters of the DCF and the rules that differ between ns-2 and the standard.

use super::foresight::Pace;
use acklab_base::{BitRate, Duration};
use acklab_wire::frame::{
    ACK_BYTES, CTS_BYTES, DATA_OVERHEAD_FOUR_ADDRESSES, DATA_OVERHEAD_STANDARD, RTS_BYTES,
};
use std::sync::Arc;

/// Length of the PLCP preamble and header (IEEE 802.11b-1999 clause 18.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preamble {
    /// 144 + 48 bits at 1 Mbit/s: 192 µs.
    Long,
    /// 72 bits at 1 Mbit/s and 48 bits at 2 Mbit/s: 96 µs.
    Short,
}

impl Preamble {
    /// Time before the first bit of the frame proper.
    #[must_use]
    pub const fn airtime(self) -> Duration {
        match self {
            Self::Long => Duration::from_micros(192),
            Self::Short => Duration::from_micros(96),
        }
    }
}

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
    /// A packet that is dropped at its retry limit is followed by a backoff, as one that was acknowledged
    /// (clause 9.2.5.2). Not in ns-2.
    pub backoff_after_drop: bool,
    /// A busy edge within this time before the backoff's end comes too late to be noticed: the
    /// CCA time of clause 15.4.8.4. ns-2 notices at once.
    pub cca_delay: Duration,
    /// EIFS is an inter-frame space that the next correct frame ends (clause 9.2.3.4); ns-2 makes
    /// it a NAV that nothing shortens.
    pub eifs_is_ifs: bool,
    /// A frame that is only sensed calls for EIFS. So in ns-2; a real PHY reports no frame then.
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
    /// The RTS threshold is held against the whole frame, header and frame check sequence included
    /// (dot11RTSThreshold is a length of the MPDU); otherwise against its packet.
    pub rts_by_frame: bool,
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
            backoff_after_drop: false,
            cca_delay: Duration::ZERO,
            eifs_is_ifs: false,
            eifs_after_sensed: true,
            nav_over_captured: true,
            cts_needs_idle_receiver: true,
            data_needs_idle: true,
            data_needs_own_cts: true,
            rts_nav_expires: false,
            response_slack: Duration::from_micros(4),
            data_overhead: DATA_OVERHEAD_FOUR_ADDRESSES,
            rts_by_frame: false,
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
            backoff_after_drop: true,
            cca_delay: Duration::from_micros(15),
            eifs_is_ifs: true,
            eifs_after_sensed: false,
            nav_over_captured: false,
            cts_needs_idle_receiver: false,
            data_needs_idle: false,
            data_needs_own_cts: false,
            rts_nav_expires: true,
            response_slack: Duration::from_micros(20),
            data_overhead: DATA_OVERHEAD_STANDARD,
            rts_by_frame: true,
            duration_rounds_up: true,
        }
    }
}

/// Parameters of a station, the same for every station of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DcfConfig {
    /// Rate of unicast data frames.
    pub data_rate: BitRate,
    /// Rate of RTS, CTS, ACK and broadcast frames.
    pub basic_rate: BitRate,
    /// PLCP preamble.
    pub preamble: Preamble,
    /// Unicast frames of more than this many bytes, counted by [`Rules::rts_by_frame`], are preceded
    /// by RTS/CTS; `None`: never.
    pub rts_threshold: Option<u32>,
    /// Attempts at an RTS, or at data without RTS, before the packet is dropped; `None`: no limit.
    pub short_retry_limit: Option<u32>,
    /// Attempts at data after RTS/CTS before the packet is dropped; `None`: no limit.
    pub long_retry_limit: Option<u32>,
    /// Least contention window.
    pub cw_min: u32,
    /// Greatest contention window.
    pub cw_max: u32,
    /// Slot time.
    pub slot: Duration,
    /// Short inter-frame space.
    pub sifs: Duration,
    /// ns-2 or the standard, rule by rule.
    pub rules: Rules,
}

impl DcfConfig {
    /// The defaults of ns-2.35 (`Mac/802_11`): 1 Mbit/s, RTS/CTS before everything.
    #[must_use]
    pub const fn ns2() -> Self {
        Self {
            data_rate: BitRate::MBPS_1,
            basic_rate: BitRate::MBPS_1,
            preamble: Preamble::Long,
            rts_threshold: Some(0),
            short_retry_limit: Some(7),
            long_retry_limit: Some(4),
            cw_min: 31,
            cw_max: 1023,
            slot: Duration::from_micros(20),
            sifs: Duration::from_micros(10),
            rules: Rules::ns2(),
        }
    }

    /// The defaults of ns-2.1b9: the fifth missing ACK gives a packet up, not the fourth.
    #[must_use]
    pub const fn ns2_of_2002() -> Self {
        Self {
            long_retry_limit: Some(5),
            rules: Rules::ns2_of_2002(),
            ..Self::ns2()
        }
    }

    /// 802.11b (IEEE 802.11b-1999 clause 18.3.3) at 11 Mbit/s without RTS/CTS.
    #[must_use]
    pub const fn standard() -> Self {
        Self {
            data_rate: BitRate::MBPS_11,
            rts_threshold: None,
            rules: Rules::standard(),
            ..Self::ns2()
        }
    }

    /// DIFS (clause 9.2.10).
    #[must_use]
    pub fn difs(&self) -> Duration {
        self.sifs + self.slot * 2
    }

    /// EIFS: SIFS, the airtime of an ACK at the basic rate, and DIFS (clause 9.2.10).
    #[must_use]
    pub fn eifs(&self) -> Duration {
        self.sifs + self.ack_airtime() + self.difs()
    }

    /// Airtime of an RTS.
    #[must_use]
    pub fn rts_airtime(&self) -> Duration {
        self.control_airtime(RTS_BYTES)
    }

    /// Airtime of a CTS.
    #[must_use]
    pub fn cts_airtime(&self) -> Duration {
        self.control_airtime(CTS_BYTES)
    }

    /// Airtime of an ACK.
    #[must_use]
    pub fn ack_airtime(&self) -> Duration {
        self.control_airtime(ACK_BYTES)
    }

    /// The intervals that every exchange needs, worked out once.
    #[must_use]
    pub fn timing(&self) -> Timing {
        Timing {
            rts: self.rts_airtime(),
            cts: self.cts_airtime(),
            ack: self.ack_airtime(),
            difs: self.difs(),
            eifs: self.eifs(),
            sensed: if self.rules.eifs_after_sensed {
                self.eifs()
            } else {
                Duration::ZERO
            },
        }
    }

    /// Whether all that frames leave behind is a NAV which nothing shortens, and whose end and an
    /// inter-frame space no busy edge before it cuts into: then its end is known beforehand.
    #[must_use]
    pub(super) fn has_plain_nav(&self) -> bool {
        let rules = &self.rules;
        !rules.eifs_is_ifs && !rules.rts_nav_expires && rules.cca_delay <= self.difs()
    }

    /// What a frame needs to put a turn off.
    #[must_use]
    pub fn pace(&self) -> Pace {
        Pace {
            slot: self.slot,
            difs: self.difs(),
            cca_delay: self.rules.cca_delay,
        }
    }

    /// Airtime of a data frame of `bytes` with header and frame check sequence.
    #[must_use]
    pub fn data_airtime(&self, bytes: u32, broadcast: bool) -> Duration {
        let rate = if broadcast {
            self.basic_rate
        } else {
            self.data_rate
        };
        self.preamble.airtime() + rate.airtime(u64::from(bytes) * 8)
    }

    /// Whether a unicast data frame of `bytes` with header and frame check sequence is preceded by
    /// RTS/CTS.
    #[must_use]
    pub fn uses_rts(&self, bytes: u32) -> bool {
        let counted = match self.rules.rts_by_frame {
            true => bytes,
            false => bytes - self.rules.data_overhead,
        };
        self.rts_threshold
            .is_some_and(|threshold| counted > threshold)
    }

    fn control_airtime(&self, bytes: u32) -> Duration {
        self.preamble.airtime() + self.basic_rate.airtime(u64::from(bytes) * 8)
    }
}

/// Intervals that follow from a [`DcfConfig`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Airtime of an RTS.
    pub rts: Duration,
    /// Airtime of a CTS.
    pub cts: Duration,
    /// Airtime of an ACK.
    pub ack: Duration,
    /// DIFS.
    pub difs: Duration,
    /// EIFS.
    pub eifs: Duration,
    /// The silence after a frame that was only sensed: EIFS, or none where it does not count.
    pub sensed: Duration,
}

/// Parameters with what follows from them. All stations of a network share one: what each station has
/// of its own is then small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    pub(super) config: DcfConfig,
    pub(super) timing: Timing,
    /// [`DcfConfig::has_plain_nav`].
    pub(super) plain_nav: bool,
}

impl From<DcfConfig> for Arc<Plan> {
    fn from(config: DcfConfig) -> Self {
        Self::new(Plan {
            config,
            timing: config.timing(),
            plain_nav: config.has_plain_nav(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn airtimes_of_ns2_are_those_of_its_traces() {
        let ns2 = DcfConfig::ns2();
        assert_eq!(ns2.rts_airtime(), Duration::from_micros(352));
        assert_eq!(ns2.cts_airtime(), Duration::from_micros(304));
        assert_eq!(ns2.ack_airtime(), Duration::from_micros(304));
        assert_eq!(ns2.eifs(), Duration::from_micros(364));
        assert_eq!(
            ns2.data_airtime(1040 + 34, false),
            Duration::from_micros(8784)
        );
        let faster = DcfConfig {
            data_rate: BitRate::MBPS_2,
            ..ns2
        };
        assert_eq!(
            faster.data_airtime(1040 + 34, false),
            Duration::from_micros(4488)
        );
        assert_eq!(
            faster.data_airtime(40 + 34, false),
            Duration::from_micros(488)
        );
        assert_eq!(
            faster.data_airtime(48 + 34, true),
            Duration::from_micros(848)
        );
    }
}
