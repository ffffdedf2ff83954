//! Flows: their ends, their start, and what all kinds share.

use super::{Filling, fixed, secs, sessions, tcp, text};
use crate::document_flow::{self, CbrFlow, FtpFlow};
use crate::error::ScenarioError;
use crate::profile::Profile;
use crate::quantities::{Size, Time};
use crate::resolved::{Cbr, Flow, FlowKind};
use acklab_base::{Duration, NodeId};

/// What a flow needs to know of the rest of the scenario.
pub(super) struct Setting {
    pub(super) nodes: usize,
    pub(super) duration: Duration,
    pub(super) profile: Profile,
    /// The rules of 802.11, where anything runs over it.
    pub(super) mac: Option<Profile>,
}

pub(super) fn flow(
    filling: &mut Filling<'_>,
    index: usize,
    written: &document_flow::Flow,
    setting: &Setting,
) -> Result<Flow, ScenarioError> {
    let key = format!("flow[{index}]");
    filling.given(&format!("{key}.kind"));
    let (given_ends, given_starts) = match written {
        document_flow::Flow::Ftp(given) => ends_and_starts(given),
        document_flow::Flow::Sessions(given) => ends_and_starts(&given.connection),
        document_flow::Flow::Cbr(given) => {
            ((given.from, given.to), (given.start, given.start_jitter))
        }
    };
    let (from, to) = ends(filling, &key, given_ends, setting)?;
    let (start, start_jitter) = starts(filling, &key, given_starts, setting)?;
    let kind = match written {
        document_flow::Flow::Ftp(given) => FlowKind::Ftp(tcp::ftp(filling, &key, given, setting)?),
        document_flow::Flow::Sessions(given) => {
            FlowKind::Sessions(sessions::sessions(filling, &key, given, setting)?)
        }
        document_flow::Flow::Cbr(given) => FlowKind::Cbr(cbr(filling, &key, given, setting)?),
    };
    Ok(Flow {
        from,
        to,
        start,
        start_jitter,
        kind,
    })
}

type Ends = (Option<u32>, Option<u32>);
type Starts = (Option<Time>, Option<Time>);

const fn ends_and_starts(given: &FtpFlow) -> (Ends, Starts) {
    ((given.from, given.to), (given.start, given.start_jitter))
}

fn ends(
    filling: &mut Filling<'_>,
    key: &str,
    given: Ends,
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
    given: Starts,
    setting: &Setting,
) -> Result<(Duration, Duration), ScenarioError> {
    let (start_key, jitter_key) = (format!("{key}.start"), format!("{key}.start_jitter"));
    let start = filling.pick(
        &start_key,
        given.0,
        fixed(secs(1), "altman2003 counted the last 149 s of 150 s"),
    );
    let jitter = filling.pick(&jitter_key, given.1, fixed(secs(0), "exact unless asked"));
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
pub(super) fn fits(
    filling: &Filling<'_>,
    key: &str,
    packet: Size,
    headers: u32,
    setting: &Setting,
) -> Result<(), ScenarioError> {
    let (largest, why) = match setting.mac {
        // IEEE 802.11 carries 2304 bytes, of which LLC and SNAP take 8.
        Some(Profile::Standard) => (
            2_296 - headers,
            "larger than a frame of IEEE 802.11 can carry",
        ),
        // ns-2's frames have no end, and neither wires nor slots have frames of 802.11.
        Some(Profile::Ns2 | Profile::Ns2At21b9) | None => {
            (65_535 - headers, "larger than an IP packet can carry")
        }
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
        fixed(secs(0), "exact unless asked"),
    );
    Ok(Cbr {
        packet: packet.0,
        interval: interval.0,
        jitter: jitter.0,
    })
}
