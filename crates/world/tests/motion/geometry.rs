//! Every frame of a log against the places at the instant at which it began.

use crate::common::integer;
use acklab_base::{Duration, Instant, math};
use acklab_scenario::Resolved;
use serde_json::Value;
use std::collections::BTreeMap;

/// Where each node is, in metres.
pub(crate) type Places<'a> = &'a dyn Fn(usize, Instant) -> [f64; 2];

/// The default radio: P·h⁴/d⁴ for distances above 86 m.
const TRANSMIT_W: f64 = 0.281_838_15;
const DECODE_W: f64 = 3.652e-10;
const SENSE_W: f64 = 1.559e-11;

/// Light needs so long for a metre.
const NS_PER_M: f64 = 1.0 / 0.3;

fn range_m(power_w: f64) -> f64 {
    math::pow(TRANSMIT_W * 5.0625 / power_w, 0.25)
}

/// Up to here a frame is decoded: 250 m.
pub(crate) fn decoded_m() -> f64 {
    range_m(DECODE_W)
}

/// Up to here it is sensed: 550 m.
pub(crate) fn sensed_m() -> f64 {
    range_m(SENSE_W)
}

/// What a log shows of who heard what.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Receptions that could have been decoded.
    pub(crate) near: u32,
    /// Receptions that were.
    pub(crate) decoded: u32,
    /// Receptions that could only be sensed.
    pub(crate) far: u32,
    /// Pairs of a frame and a node out of its reach.
    pub(crate) beyond: u32,
}

/// The frames of a log by their numbers.
fn frames(events: &[Value]) -> BTreeMap<u64, &Value> {
    let sent = events.iter().filter(|event| event["kind"] == "frame_sent");
    sent.map(|event| (integer(event, "frame"), event)).collect()
}

/// Checks a log: who hears a frame, when its end arrives, how strong it is, and that what is too
/// weak is never decoded. Frames that begin within 20 µm of a range are left out.
pub(crate) fn check(resolved: &Resolved, events: &[Value], places: Places<'_>) -> Tally {
    let mut heard: BTreeMap<(u64, usize), &Value> = BTreeMap::new();
    for event in events
        .iter()
        .filter(|event| event["kind"] == "frame_received")
    {
        let node = integer(event, "node") as usize;
        let before = heard.insert((integer(event, "frame"), node), event);
        assert!(before.is_none(), "heard twice: {event}");
    }
    let mut tally = Tally::default();
    let horizon = (Instant::ZERO + resolved.duration).as_nanos();
    for (number, frame) in frames(events) {
        let (from, at) = (integer(frame, "node") as usize, integer(frame, "time_ns"));
        let last_bit = at + integer(frame, "airtime_ns");
        if last_bit + 10_000 > horizon {
            continue;
        }
        let here = places(from, Instant::from_nanos(at));
        for to in (0..resolved.positions.len()).filter(|&to| to != from) {
            let there = places(to, Instant::from_nanos(at));
            let (dx, dy) = (there[0] - here[0], there[1] - here[1]);
            let metres = (dx * dx + dy * dy).sqrt();
            let unclear = |limit: f64| (metres - limit).abs() < 2e-5;
            if unclear(decoded_m()) || unclear(sensed_m()) {
                continue;
            }
            let Some(event) = heard.get(&(number, to)) else {
                assert!(metres > sensed_m(), "{to} misses {frame} at {metres} m");
                tally.beyond += 1;
                continue;
            };
            assert!(metres < sensed_m(), "{to} hears {frame} at {metres} m");
            arrives(event, metres, last_bit);
            let outcome = event["outcome"].as_str().unwrap_or_default();
            let decoded = matches!(outcome, "decoded" | "captured");
            if metres < decoded_m() {
                assert_ne!(outcome, "sensed", "{to} hears {frame} at {metres} m");
                tally.near += 1;
                tally.decoded += u32::from(decoded);
            } else {
                assert!(!decoded, "{to} decodes {frame} at {metres} m");
                tally.far += 1;
            }
        }
    }
    tally
}

/// A reception ends one propagation delay after the frame, and is as strong as the distance says.
fn arrives(event: &Value, metres: f64, last_bit: u64) {
    let delay = integer(event, "time_ns") - last_bit;
    let exact = metres * NS_PER_M;
    assert!((delay as f64 - exact).abs() < 0.5001, "{event}: {exact} ns");
    if metres > 90.0 {
        let watts = TRANSMIT_W * 5.0625 / (metres * metres * metres * metres);
        let expected = 10.0 * math::log10(watts * 1e3);
        let dbm = event["signal_dbm"].as_f64().expect("a level");
        assert!((dbm - expected).abs() < 1e-6, "{event}: {expected} dBm");
    }
}

/// The outcome of the first frame that `node` begins to send at `at`, at `to`.
pub(crate) fn outcome(events: &[Value], node: u64, at: Duration, to: u64) -> Option<String> {
    let sent = frames(events);
    let is_it = |frame: &&Value| {
        integer(frame, "node") == node && integer(frame, "time_ns") == at.as_nanos()
    };
    let frame = sent.into_values().find(is_it).expect("a frame then");
    let number = integer(frame, "frame");
    let heard = events.iter().find(|event| {
        event["kind"] == "frame_received"
            && integer(event, "frame") == number
            && integer(event, "node") == to
    });
    heard.and_then(|event| event["outcome"].as_str().map(str::to_owned))
}
