//! Flows.

use super::{Filled, Filling, by, fixed, text};
use crate::document::Profile;
use crate::document_flow::{
    self, Ack, AckName, AckTable, CbrFlow, DelayTimer, DynamicRule, FtpFlow, Variant,
};
use crate::error::ScenarioError;
use crate::quantities::{Size, Time};
use crate::resolved::{AckOptions, Cbr, Flow, FlowKind, Ftp, NewRenoOptions, SenderOptions};
use acklab_base::{Duration, NodeId};

/// What a flow needs to know of the rest of the scenario.
pub(super) struct Setting {
    pub(super) nodes: usize,
    pub(super) duration: Duration,
    pub(super) profile: Profile,
    pub(super) mac: Profile,
}

const fn secs(secs: u64) -> Time {
    Time(Duration::from_secs(secs))
}

const fn millis(millis: u64) -> Time {
    Time(Duration::from_millis(millis))
}

pub(super) fn flow(
    filling: &mut Filling<'_>,
    index: usize,
    written: &document_flow::Flow,
    setting: &Setting,
) -> Result<Flow, ScenarioError> {
    let key = format!("flow[{index}]");
    filling.given(&format!("{key}.kind"));
    match written {
        document_flow::Flow::Ftp(given) => {
            let (from, to) = ends(filling, &key, (given.from, given.to), setting)?;
            let (start, start_jitter) =
                starts(filling, &key, (given.start, given.start_jitter), setting)?;
            let kind = FlowKind::Ftp(ftp(filling, &key, given, setting)?);
            Ok(Flow {
                from,
                to,
                start,
                start_jitter,
                kind,
            })
        }
        document_flow::Flow::Cbr(given) => {
            let (from, to) = ends(filling, &key, (given.from, given.to), setting)?;
            let (start, start_jitter) =
                starts(filling, &key, (given.start, given.start_jitter), setting)?;
            let kind = FlowKind::Cbr(cbr(filling, &key, given, setting)?);
            Ok(Flow {
                from,
                to,
                start,
                start_jitter,
                kind,
            })
        }
    }
}

fn ends(
    filling: &mut Filling<'_>,
    key: &str,
    given: (Option<u32>, Option<u32>),
    setting: &Setting,
) -> Result<(NodeId, NodeId), ScenarioError> {
    let last = setting.nodes as u32 - 1;
    let (from_key, to_key) = (format!("{key}.from"), format!("{key}.to"));
    let from = filling.pick(&from_key, given.0, fixed(0, "the first node"));
    let to = filling.pick(&to_key, given.1, fixed(last, "the last node"));
    for (key, node) in [(&from_key, from), (&to_key, to)] {
        if node > last {
            return Err(filling.error(
                key,
                Some(&node),
                format!(
                    "there is no such node: the topology has {} nodes",
                    setting.nodes
                ),
                format!("0 to {last}"),
            ));
        }
    }
    if from == to {
        return Err(filling.error(
            &to_key,
            Some(&to),
            format!("the flow would end at node {from}, where it starts"),
            "another node than the one in \"from\"",
        ));
    }
    Ok((NodeId(from), NodeId(to)))
}

fn starts(
    filling: &mut Filling<'_>,
    key: &str,
    given: (Option<Time>, Option<Time>),
    setting: &Setting,
) -> Result<(Duration, Duration), ScenarioError> {
    let (start_key, jitter_key) = (format!("{key}.start"), format!("{key}.start_jitter"));
    let start = filling.pick(
        &start_key,
        given.0,
        fixed(secs(1), "as in the 150 s of altman2003"),
    );
    let jitter = filling.pick(&jitter_key, given.1, fixed(secs(0), "none"));
    let end = Time(setting.duration);
    if start.0 >= end.0 {
        let message = "the flow would start after the end of the run";
        let accepted = format!("a time before {}", text(&end));
        return Err(filling.error(&start_key, Some(&start), message, accepted));
    }
    if start.0 + jitter.0 > end.0 {
        let message = "the flow could start after the end of the run";
        let accepted = format!("at most {}", text(&Time(end.0 - start.0)));
        return Err(filling.error(&jitter_key, Some(&jitter), message, accepted));
    }
    Ok((start.0, jitter.0))
}

/// Refuses a payload that no packet can carry.
fn fits(
    filling: &Filling<'_>,
    key: &str,
    packet: Size,
    headers: u32,
    setting: &Setting,
) -> Result<(), ScenarioError> {
    let (largest, why) = match setting.mac {
        Profile::Ns2 => (65_535 - headers, "larger than an IP packet can carry"),
        // IEEE 802.11 carries 2304 bytes, of which LLC and SNAP take 8.
        Profile::Standard => (
            2_296 - headers,
            "larger than a frame of IEEE 802.11 can carry",
        ),
    };
    if packet.0 > largest {
        return Err(filling.error(
            key,
            Some(&packet),
            why,
            format!("\"1 B\" to \"{largest} B\""),
        ));
    }
    Ok(())
}

fn cbr(
    filling: &mut Filling<'_>,
    key: &str,
    given: &CbrFlow,
    setting: &Setting,
) -> Result<Cbr, ScenarioError> {
    let packet_key = format!("{key}.packet");
    let packet = filling.pick(
        &packet_key,
        given.packet,
        fixed(Size(1_000), "as a TCP packet of ns-2"),
    );
    fits(filling, &packet_key, packet, 28, setting)?;
    let interval_key = format!("{key}.interval");
    let accepted = "either \"interval\" such as \"36 ms\" or \"rate\" such as \"300 kbit/s\"";
    let interval = match (given.interval, given.rate) {
        (Some(interval), None) => interval,
        (None, Some(rate)) => Time(rate.0.airtime(u64::from(packet.0) * 8)),
        (None, None) => {
            return Err(filling.error(&interval_key, None::<&Time>, "missing key", accepted));
        }
        (Some(_), Some(rate)) => {
            let message = "given together with \"interval\"";
            return Err(filling.error(&format!("{key}.rate"), Some(&rate), message, accepted));
        }
    };
    filling.given(&interval_key);
    if interval.0 == Duration::ZERO {
        let key = format!("{key}.rate");
        let message = "less than a nanosecond between packets";
        return Err(filling.error(&key, given.rate.as_ref(), message, "a lower rate"));
    }
    let jitter = filling.pick(
        &format!("{key}.jitter"),
        given.jitter,
        fixed(secs(0), "none"),
    );
    Ok(Cbr {
        packet: packet.0,
        interval: interval.0,
        jitter: jitter.0,
    })
}

fn ftp(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    setting: &Setting,
) -> Result<Ftp, ScenarioError> {
    let profile = filling.pick(
        &format!("{key}.profile"),
        given.profile,
        fixed(setting.profile, "the profile of the scenario"),
    );
    let variant = filling.pick(
        &format!("{key}.variant"),
        given.variant,
        fixed(Variant::NewReno, "the variant of altman2003, and RFC 6582"),
    );
    let (packet, window) = window(filling, key, given, profile, setting)?;
    let initial_window = filling.pick(
        &format!("{key}.initial_window"),
        given.initial_window,
        by(
            profile,
            (2, "windowInit_"),
            (
                rfc6928_window(packet),
                "RFC 6928: min(10 MSS, max(2 MSS, 14600 B))",
            ),
        ),
    );
    let initial_ssthresh = filling.pick(
        &format!("{key}.initial_ssthresh"),
        given.initial_ssthresh,
        by(
            profile,
            (window, "window_"),
            (
                window,
                "RFC 5681 §3.1: as high as the largest window advertised",
            ),
        ),
    );
    let [initial_rto, min_rto, max_rto, tick] = rto(filling, key, given, profile)?;
    let handshake = filling.pick(
        &format!("{key}.handshake"),
        given.handshake,
        by(profile, (true, "syn_"), (true, "RFC 9293 §3.5")),
    );
    let limited_transmit = filling.pick(
        &format!("{key}.limited_transmit"),
        given.limited_transmit,
        by(
            profile,
            (true, "singledup_"),
            (true, "RFC 3042, recommended by RFC 5681 §3.2"),
        ),
    );
    let dupack_threshold = filling.pick(
        &format!("{key}.dupack_threshold"),
        given.dupack_threshold,
        by(profile, (3, "numdupacks_"), (3, "RFC 5681 §3.2")),
    );
    let newreno = newreno(filling, key, given, profile);
    let ack = ack(filling, &format!("{key}.ack"), given.ack.as_ref(), profile)?;
    let sender = SenderOptions {
        profile,
        variant,
        window,
        packet,
        initial_window,
        initial_ssthresh,
        initial_rto,
        min_rto,
        max_rto,
        tick,
        handshake,
        limited_transmit,
        dupack_threshold,
        newreno,
    };
    Ok(Ftp { sender, ack })
}

/// RFC 6928 §2, in whole segments.
fn rfc6928_window(mss: u32) -> u32 {
    (10 * mss).min((2 * mss).max(14_600)) / mss
}

/// Packet and receiver window.
fn window(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    profile: Profile,
    setting: &Setting,
) -> Result<(u32, u32), ScenarioError> {
    let (packet_key, window_key) = (format!("{key}.packet"), format!("{key}.window"));
    let packet = filling.pick(
        &packet_key,
        given.packet,
        by(
            profile,
            (Size(1_000), "packetSize_"),
            (Size(1_460), "a packet of 1500 B with headers"),
        ),
    );
    fits(filling, &packet_key, packet, 40, setting)?;
    let unscaled = (65_535 / packet.0).max(1);
    let window = filling.pick(
        &window_key,
        given.window,
        by(
            profile,
            (20, "window_"),
            (unscaled, "RFC 9293: 65535 B, the most without scaling"),
        ),
    );
    if u64::from(window) * u64::from(packet.0) > 1 << 30 {
        return Err(filling.error(
            &window_key,
            Some(&window),
            "the window would be larger than the 1 GiB that TCP can number (RFC 7323 §2.3)",
            format!("1 to {}", (1 << 30) / packet.0),
        ));
    }
    Ok((packet.0, window))
}

/// Initial, least and largest RTO, and the tick.
fn rto(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    profile: Profile,
) -> Result<[Duration; 4], ScenarioError> {
    let given = given.rto.clone().unwrap_or_default();
    let [initial_key, min_key, max_key, tick_key] =
        ["initial", "min", "max", "tick"].map(|name| format!("{key}.rto.{name}"));
    let initial = filling.pick(
        &initial_key,
        given.initial,
        by(
            profile,
            (secs(3), "rtxcur_init_"),
            (secs(1), "RFC 6298 §2.1"),
        ),
    );
    let min = filling.pick(
        &min_key,
        given.min,
        by(
            profile,
            (millis(200), "minrto_ since October 2004"),
            (secs(1), "RFC 6298 §2.4"),
        ),
    );
    let max = filling.pick(
        &max_key,
        given.max,
        by(
            profile,
            (secs(60), "maxrto_"),
            (secs(60), "RFC 6298 §2.5: at least 60 s"),
        ),
    );
    let tick = filling.pick(
        &tick_key,
        given.tick,
        by(
            profile,
            (millis(10), "tcpTick_ since March 2002"),
            (millis(1), "RFC 6298 §4: finer than 100 ms"),
        ),
    );
    for (key, value) in [(&min_key, min), (&initial_key, initial), (&tick_key, tick)] {
        if value.0 > max.0 {
            let accepted = format!("at most {max_key} = {}", text(&max));
            return Err(filling.error(key, Some(&value), "above the largest timeout", accepted));
        }
    }
    Ok([initial.0, min.0, max.0, tick.0])
}

fn newreno(
    filling: &mut Filling<'_>,
    key: &str,
    given: &FtpFlow,
    profile: Profile,
) -> NewRenoOptions {
    let given = given.newreno.clone().unwrap_or_default();
    NewRenoOptions {
        careful: filling.pick(
            &format!("{key}.newreno.careful"),
            given.careful,
            by(profile, (true, "bugFix_"), (true, "RFC 6582 §3.2 step 2")),
        ),
        impatient: filling.pick(
            &format!("{key}.newreno.impatient"),
            given.impatient,
            by(
                profile,
                (true, "newreno_changes1_ since May 2003"),
                (true, "RFC 6582 §3.2 step 3"),
            ),
        ),
        partial_deflation: filling.pick(
            &format!("{key}.newreno.partial_deflation"),
            given.partial_deflation,
            by(
                profile,
                (true, "partial_window_deflation_ since May 2003"),
                (true, "RFC 6582 §3.2 step 3"),
            ),
        ),
    }
}

/// The parameters that all delayed policies share, as they are given.
type Delay = (Option<Time>, Option<DelayTimer>);

fn ack(
    filling: &mut Filling<'_>,
    key: &str,
    given: Option<&Ack>,
    profile: Profile,
) -> Result<AckOptions, ScenarioError> {
    let default = by(
        profile,
        (AckName::Every, "TCPSink"),
        (
            AckName::Rfc5681,
            "RFC 5681 §4.2: delayed ACKs SHOULD be used",
        ),
    );
    let (name, table) = match given {
        None => (None, None),
        Some(Ack::Name(name)) => (Some(*name), None),
        Some(Ack::Table(table)) => (Some(table.name()), Some(table)),
    };
    let name = filling.pick(&format!("{key}.policy"), name, default);
    let table = table.cloned().unwrap_or_else(|| name.into());
    match table {
        AckTable::Every {} => Ok(AckOptions::Every),
        AckTable::Delayed {
            count,
            interval,
            timer,
        } => {
            let count = filling.pick(
                &format!("{key}.count"),
                count,
                fixed(2, "RFC 1122 §4.2.3.2: every second segment"),
            );
            let (interval, timer) = delay(filling, key, (interval, timer), profile);
            Ok(AckOptions::Delayed {
                count,
                interval: interval.0,
                timer,
            })
        }
        AckTable::Rfc5681 { interval, timer } => {
            let (interval, timer) = delay(filling, key, (interval, timer), profile);
            if interval.0 > Duration::from_millis(500) {
                let message = "longer than RFC 5681 §4.2 allows";
                let accepted = "at most \"500 ms\"; the policy \"delayed\" has no such limit";
                let key = format!("{key}.interval");
                return Err(filling.error(&key, Some(&interval), message, accepted));
            }
            Ok(AckOptions::Rfc5681 {
                interval: interval.0,
                timer,
            })
        }
        AckTable::Dynamic {
            thresholds,
            rule,
            first_segment,
            interval,
            timer,
        } => {
            let thresholds = dynamic_thresholds(filling, key, thresholds)?;
            let rule = filling.pick(
                &format!("{key}.rule"),
                rule,
                fixed(
                    DynamicRule::Altman2003,
                    "altman2003 §4.2, where the scheme was proposed",
                ),
            );
            let first_segment = filling.pick(
                &format!("{key}.first_segment"),
                first_segment,
                fixed(1, "ns-2 numbers the SYN 0"),
            );
            let (interval, timer) = delay(filling, key, (interval, timer), profile);
            let interval = interval.0;
            Ok(AckOptions::Dynamic {
                thresholds,
                rule,
                first_segment,
                interval,
                timer,
            })
        }
    }
}

fn dynamic_thresholds(
    filling: &mut Filling<'_>,
    key: &str,
    given: Option<[u32; 3]>,
) -> Result<[u32; 3], ScenarioError> {
    let key = format!("{key}.thresholds");
    let default: Filled<_> = fixed([2, 5, 9], "altman2003 §4.3, the best there");
    let thresholds = filling.pick(&key, given, default);
    if thresholds[0] >= thresholds[1] || thresholds[1] >= thresholds[2] {
        let accepted = "three increasing numbers such as [2, 5, 9]";
        return Err(filling.error(&key, Some(&thresholds), "not increasing", accepted));
    }
    Ok(thresholds)
}

fn delay(
    filling: &mut Filling<'_>,
    key: &str,
    given: Delay,
    profile: Profile,
) -> (Time, DelayTimer) {
    let interval = filling.pick(
        &format!("{key}.interval"),
        given.0,
        by(
            profile,
            (millis(100), "interval_ of TCPSink/DelAck"),
            (
                millis(200),
                "the common choice within the 500 ms of RFC 1122 §4.2.3.2",
            ),
        ),
    );
    let timer = filling.pick(
        &format!("{key}.timer"),
        given.1,
        fixed(
            DelayTimer::FirstWaiting,
            "RFC 1122 §4.2.3.2, and the released ns-2",
        ),
    );
    (interval, timer)
}

impl AckTable {
    /// The policy that the table is of.
    const fn name(&self) -> AckName {
        match self {
            Self::Every {} => AckName::Every,
            Self::Delayed { .. } => AckName::Delayed,
            Self::Rfc5681 { .. } => AckName::Rfc5681,
            Self::Dynamic { .. } => AckName::Dynamic,
        }
    }
}

/// The policy of this name with nothing given.
impl From<AckName> for AckTable {
    fn from(name: AckName) -> Self {
        match name {
            AckName::Every => Self::Every {},
            AckName::Delayed => Self::Delayed {
                count: None,
                interval: None,
                timer: None,
            },
            AckName::Rfc5681 => Self::Rfc5681 {
                interval: None,
                timer: None,
            },
            AckName::Dynamic => Self::Dynamic {
                thresholds: None,
                rule: None,
                first_segment: None,
                interval: None,
                timer: None,
            },
        }
    }
}
