//! Radio, MAC, link layer and queue.

use super::{Filling, by, fixed, mac_rules, text};
use crate::document::{self, CaptureRule, Preamble, Propagation, QueueKind};
use crate::error::ScenarioError;
use crate::profile::Profile;
use crate::quantities::{Frequency, Length, Power, Rate, Ratio, Size, SizeOrOff, Time};
use crate::resolved::{Energy, Link, Mac, Queue, Radio};
use acklab_base::{BitRate, Duration};

pub(super) fn radio(
    filling: &mut Filling<'_>,
    given: Option<&document::Radio>,
    profile: Profile,
) -> Result<Radio, ScenarioError> {
    let given = given.cloned().unwrap_or_default();
    let propagation = filling.pick(
        "radio.propagation",
        given.propagation,
        fixed(
            Propagation::TwoRay,
            "Propagation/TwoRayGround, which the papers used",
        ),
    );
    let frequency = filling.pick(
        "radio.frequency",
        given.frequency,
        fixed(
            Frequency(914e6),
            "the 914 MHz WaveLAN radio of ns-2 (freq_)",
        ),
    );
    let tx_power = filling.pick(
        "radio.tx_power",
        given.tx_power,
        fixed(
            Power(0.281_838_15),
            "24.5 dBm, the WaveLAN radio of ns-2 (Pt_)",
        ),
    );
    let (rx_threshold, cs_threshold) = thresholds(filling, &given)?;
    let antenna_height = filling.pick(
        "radio.antenna_height",
        given.antenna_height,
        fixed(Length(1_500), "Antenna/OmniAntenna of ns-2 (Z_)"),
    );
    let (capture, capture_threshold) = capture(filling, &given, profile)?;
    Ok(Radio {
        propagation,
        frequency_hz: frequency.0,
        tx_power_w: tx_power.0,
        rx_threshold_w: rx_threshold.0,
        cs_threshold_w: cs_threshold.0,
        antenna_height_m: antenna_height.0 as f64 / 1e3,
        capture,
        capture_ratio: capture_threshold.0,
    })
}

/// The powers at which a frame is decoded and sensed.
fn thresholds(
    filling: &mut Filling<'_>,
    given: &document::Radio,
) -> Result<(Power, Power), ScenarioError> {
    let rx_threshold = filling.pick(
        "radio.rx_threshold",
        given.rx_threshold,
        fixed(
            Power(3.652e-10),
            "250 m of reception with the default radio (RXThresh_)",
        ),
    );
    let cs_threshold = filling.pick(
        "radio.cs_threshold",
        given.cs_threshold,
        fixed(
            Power(1.559e-11),
            "550 m of carrier sense with the default radio (CSThresh_)",
        ),
    );
    if cs_threshold.0 > rx_threshold.0 {
        return Err(filling.error(
            "radio.cs_threshold",
            Some(&cs_threshold),
            "a frame that can be decoded must be sensed too",
            format!("at most radio.rx_threshold = {}", text(&rx_threshold)),
        ));
    }
    Ok((rx_threshold, cs_threshold))
}

/// What becomes of frames that overlap.
fn capture(
    filling: &mut Filling<'_>,
    given: &document::Radio,
    profile: Profile,
) -> Result<(CaptureRule, Ratio), ScenarioError> {
    let capture = filling.pick(
        "radio.capture",
        given.capture,
        by(
            profile,
            (
                CaptureRule::Ns2,
                "only the frame that came first can survive",
            ),
            (
                CaptureRule::Strongest,
                "IEEE 802.11 leaves it open; receivers follow the stronger frame",
            ),
        ),
    );
    let capture_threshold = filling.pick(
        "radio.capture_threshold",
        given.capture_threshold,
        fixed(Ratio(10.0), "CPThresh_ of ns-2"),
    );
    if capture_threshold.0 < 1.0 {
        return Err(filling.error(
            "radio.capture_threshold",
            Some(&capture_threshold),
            "the weaker frame would survive",
            "0 dB or more",
        ));
    }
    Ok((capture, capture_threshold))
}

/// The rates of IEEE 802.11b.
pub(super) const RATES: [BitRate; 4] = [
    BitRate::MBPS_1,
    BitRate::MBPS_2,
    BitRate::MBPS_5_5,
    BitRate::MBPS_11,
];

/// The same as they are written.
pub(super) const RATE_NAMES: &str = "1 Mbit/s, 2 Mbit/s, 5.5 Mbit/s, 11 Mbit/s";

/// aMPDUMaxLength of IEEE 802.11-1999: no frame is larger, so no larger threshold has a meaning.
const LARGEST_RTS_THRESHOLD: u32 = 2_347;

pub(super) fn mac(
    filling: &mut Filling<'_>,
    given: Option<&document::Mac>,
    profile: Profile,
) -> Result<Mac, ScenarioError> {
    let given = given.cloned().unwrap_or_default();
    let profile = filling.pick(
        "mac.profile",
        given.profile.map(Profile::from),
        fixed(profile, "the profile of the scenario"),
    );
    let (data_rate, basic_rate) = rates(filling, &given, profile)?;
    let preamble = filling.pick(
        "mac.preamble",
        given.preamble,
        by(
            profile,
            (Preamble::Long, "PreambleLength_ 144 bits"),
            (
                Preamble::Long,
                "IEEE 802.11b: the format that every station must know",
            ),
        ),
    );
    let rts_threshold = rts_threshold(filling, &given, profile)?;
    let (short, long) = mac_rules::retry_limits(filling, &given, profile);
    let access = mac_rules::access(filling, &given, profile);
    let (cts_resets_window, data_resets_retries) = mac_rules::resets(filling, &given, profile);
    let (cw_min, cw_max) = windows(filling, &given, profile)?;
    let (slot, sifs) = spaces(filling, &given, profile)?;
    Ok(Mac {
        profile,
        data_rate,
        basic_rate,
        preamble,
        rts_threshold,
        short_retry_limit: short,
        long_retry_limit: long,
        cw_min,
        cw_max,
        access,
        cts_resets_window,
        data_resets_retries,
        slot: slot.0,
        sifs: sifs.0,
    })
}

/// No slot and no SIFS is longer. A frame reserves the medium for three SIFS and what they separate,
/// and stations count that in nanoseconds of 32 bits.
const LONGEST_SPACE: Duration = Duration::from_secs(1);

/// Slot time and SIFS.
fn spaces(
    filling: &mut Filling<'_>,
    given: &document::Mac,
    profile: Profile,
) -> Result<(Time, Time), ScenarioError> {
    let slot = filling.pick(
        "mac.slot",
        given.slot,
        by(
            profile,
            (Time(Duration::from_micros(20)), "SlotTime_"),
            (Time(Duration::from_micros(20)), "IEEE 802.11b: aSlotTime"),
        ),
    );
    let sifs = filling.pick(
        "mac.sifs",
        given.sifs,
        by(
            profile,
            (Time(Duration::from_micros(10)), "SIFS_"),
            (Time(Duration::from_micros(10)), "IEEE 802.11b: aSIFSTime"),
        ),
    );
    for (key, space) in [("mac.slot", slot), ("mac.sifs", sifs)] {
        if space.0 > LONGEST_SPACE {
            let message = "no radio waits so long";
            return Err(filling.error(key, Some(&space), message, "at most \"1 s\""));
        }
    }
    Ok((slot, sifs))
}

fn rates(
    filling: &mut Filling<'_>,
    given: &document::Mac,
    profile: Profile,
) -> Result<(BitRate, BitRate), ScenarioError> {
    let data = filling.pick(
        "mac.data_rate",
        given.data_rate,
        by(
            profile,
            (
                Rate(BitRate::MBPS_1),
                "dataRate_, 1 Mbit/s since March 2002",
            ),
            (Rate(BitRate::MBPS_11), "the highest rate of IEEE 802.11b"),
        ),
    );
    let basic = filling.pick(
        "mac.basic_rate",
        given.basic_rate,
        by(
            profile,
            (Rate(BitRate::MBPS_1), "basicRate_"),
            (
                Rate(BitRate::MBPS_1),
                "the rate that every station of IEEE 802.11b knows",
            ),
        ),
    );
    for (key, rate) in [("mac.data_rate", data), ("mac.basic_rate", basic)] {
        if !RATES.contains(&rate.0) {
            let message = "not a rate of IEEE 802.11b";
            return Err(filling.error(key, Some(&rate), message, RATE_NAMES));
        }
    }
    if basic.0 > data.0 {
        return Err(filling.error(
            "mac.basic_rate",
            Some(&basic),
            "control frames would be faster than data frames",
            format!("at most mac.data_rate = {}", text(&data)),
        ));
    }
    Ok((data.0, basic.0))
}

fn rts_threshold(
    filling: &mut Filling<'_>,
    given: &document::Mac,
    profile: Profile,
) -> Result<Option<u32>, ScenarioError> {
    let threshold = filling.pick(
        "mac.rts_threshold",
        given.rts_threshold,
        by(
            profile,
            (SizeOrOff::At(Size(0)), "RTSThreshold_"),
            (
                SizeOrOff::At(Size(LARGEST_RTS_THRESHOLD)),
                "IEEE 802.11: dot11RTSThreshold",
            ),
        ),
    );
    match Option::<u32>::from(threshold) {
        Some(bytes) if bytes > LARGEST_RTS_THRESHOLD => Err(filling.error(
            "mac.rts_threshold",
            Some(&threshold),
            "larger than any frame of IEEE 802.11",
            format!("\"0 B\" to \"{LARGEST_RTS_THRESHOLD} B\", or \"off\""),
        )),
        bytes => Ok(bytes),
    }
}

fn windows(
    filling: &mut Filling<'_>,
    given: &document::Mac,
    profile: Profile,
) -> Result<(u32, u32), ScenarioError> {
    let min = filling.pick(
        "mac.cw_min",
        given.cw_min,
        by(profile, (31, "CWMin_"), (31, "IEEE 802.11b: aCWmin")),
    );
    let max = filling.pick(
        "mac.cw_max",
        given.cw_max,
        by(profile, (1_023, "CWMax_"), (1_023, "IEEE 802.11b: aCWmax")),
    );
    if min > max {
        let accepted = format!("at most mac.cw_max = {max}");
        return Err(filling.error("mac.cw_min", Some(&min), "above mac.cw_max", accepted));
    }
    Ok((min, max))
}

pub(super) fn link(filling: &mut Filling<'_>, given: Option<&document::Link>) -> Link {
    let given = given.cloned().unwrap_or_default();
    let delay = Time(Duration::from_micros(25));
    Link {
        delay: filling
            .pick(
                "link.delay",
                given.delay,
                fixed(delay, "LL of ns-2 (delay_)"),
            )
            .0,
        arp: filling.pick(
            "link.arp",
            given.arp,
            fixed(true, "as in ns-2 and in real networks"),
        ),
    }
}

pub(super) fn queue(
    filling: &mut Filling<'_>,
    given: Option<&document::Queue>,
    routing: Option<&document::Routing>,
    profile: Profile,
) -> Queue {
    let given = given.cloned().unwrap_or_default();
    let with_dsr = matches!(routing, Some(document::Routing::Dsr(_)));
    let default = if with_dsr && profile != Profile::Standard {
        fixed(QueueKind::Priority, "CMUPriQueue, which DSR needs in ns-2")
    } else {
        fixed(QueueKind::RoutingFirst, "Queue/DropTail/PriQueue of ns-2")
    };
    let kind = filling.pick("queue.kind", given.kind, default);
    let capacity = filling.pick(
        "queue.capacity",
        given.capacity,
        fixed(50, "the interface queue of the papers"),
    );
    let combining = filling.pick(
        "queue.combining",
        given.combining,
        fixed(
            false,
            "one packet a frame; combining is yuki2004 §3, over 802.11",
        ),
    );
    Queue {
        kind,
        capacity,
        combining,
    }
}

/// What the radios draw.
pub(super) fn energy(filling: &mut Filling<'_>, given: Option<&document::Energy>) -> Energy {
    let given = given.cloned().unwrap_or_default();
    let mut pick = |name: &str, given, watts| {
        let why = "a 2 Mbit/s WaveLAN card (Feeney and Nilsson 2001, table I)";
        let key = format!("energy.{name}");
        filling.pick(&key, given, fixed(Power(watts), why)).0
    };
    Energy {
        transmit_w: pick("transmit", given.transmit, 1.327),
        receive_w: pick("receive", given.receive, 0.967),
        idle_w: pick("idle", given.idle, 0.843),
    }
}
