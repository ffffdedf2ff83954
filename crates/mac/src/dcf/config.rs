//! Parameters of the DCF, and the times that follow from them.

use super::foresight::Pace;
use super::rules::Rules;
use acklab_base::{BitRate, Duration};
use acklab_wire::frame::{ACK_BYTES, CTS_BYTES, RTS_BYTES};
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

    /// Bytes before the first bit of the frame proper, whatever their rates.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Long => (144 + 48) / 8,
            Self::Short => (72 + 48) / 8,
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
    /// Unicast frames of more than this many bytes are preceded by RTS/CTS, as [`Rules::rts_counts_plcp`] counts
    /// them; `None`: never.
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

    /// EIFS: SIFS, the airtime of an ACK at the lowest mandatory rate of the PHY, and DIFS (clause
    /// 9.2.10): whatever the basic rate is, since who did not understand a frame knows no rate.
    #[must_use]
    pub fn eifs(&self) -> Duration {
        let preamble = if self.rules.eifs_preamble_long {
            Preamble::Long
        } else {
            self.preamble
        };
        let ack = preamble.airtime() + BitRate::MBPS_1.airtime(u64::from(ACK_BYTES) * 8);
        self.sifs + ack + self.difs()
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
        self.rts_threshold
            .is_some_and(|threshold| match self.rules.rts_counts_plcp {
                true => bytes + self.preamble.bytes() >= threshold,
                false => bytes > threshold,
            })
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

    /// SIFS 10, an ACK of 14 B at 1 Mbit/s (ns-2: 24 B of PLCP and the ACK at `PLCPDataRate_`), DIFS 50.
    ///
    /// ```text
    /// | SIFS 10 | PLCP 192 | ACK 112 | DIFS 50 |   364 µs whatever the basic rate
    /// | SIFS 10 | 96 | ACK 112 | DIFS 50 |         268 µs: a short preamble, in ns-2 only
    /// ```
    #[test]
    fn eifs_does_not_depend_on_the_basic_rate() {
        let eifs = |config: DcfConfig, basic_rate, preamble| {
            let config = DcfConfig {
                data_rate: BitRate::MBPS_11,
                basic_rate,
                preamble,
                ..config
            };
            let timing = config.timing();
            assert_eq!(timing.eifs, config.eifs());
            timing.eifs.round_to_micros()
        };
        for rate in [BitRate::MBPS_1, BitRate::MBPS_2, BitRate::MBPS_11] {
            assert_eq!(eifs(DcfConfig::ns2(), rate, Preamble::Long), 364);
            assert_eq!(eifs(DcfConfig::standard(), rate, Preamble::Long), 364);
            assert_eq!(eifs(DcfConfig::ns2(), rate, Preamble::Short), 268);
            assert_eq!(eifs(DcfConfig::standard(), rate, Preamble::Short), 364);
        }
    }
}
