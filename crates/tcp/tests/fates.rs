//! The exhaustive small world: every fate of six segments, and of six ACKs, under every ACK
//! policy, with both ends as in ns-2 and both as the standards say.

use crate::common::{Fate, Pipe, World, acked_packet, packet};
use acklab_base::{BitRate, Duration, FlowId, Instant, Seq32};
use acklab_tcp::ack::{AckPolicy, Arrival, Decision, Disorder};
use acklab_tcp::{
    AckConfig, AckReason, AdaptiveDelay, DelayTimer, DupackDelay, NewestRepeated, Numbering,
    ReceiverConfig, Release, SackConfig, SackReceiver, SenderConfig, SenderNote, Variant,
};
use std::collections::BTreeSet;
use std::fmt;

const FLOW: FlowId = FlowId(0);
const SEGMENTS: u64 = 6;
const INTERVAL: Duration = Duration::from_millis(100);
/// At this rate a data segment takes 1.04 ms, an ACK 0.04 ms.
const RATE: u64 = 8_000_000;

/// In what order `digits` says: deliver, drop, twice, overtaken by the next.
fn fate(code: usize, index: u64) -> Fate {
    match code >> (2 * index) & 3 {
        0 => Fate::Deliver,
        1 => Fate::Drop,
        2 => Fate::Duplicate(Duration::from_micros(500)),
        _ => Fate::Delay(Duration::from_micros(1600)),
    }
}

/// A policy of one's own: waits for three segments, but for two after a disorder.
#[derive(Clone, Debug)]
struct Wary {
    calm: bool,
}

impl AckPolicy for Wary {
    fn on_arrival(&mut self, arrival: &Arrival) -> Decision {
        if arrival.waiting >= if self.calm { 3 } else { 2 } {
            Decision::Now(AckReason::Count)
        } else {
            Decision::Wait {
                interval: INTERVAL,
                timer: DelayTimer::FirstWaiting,
            }
        }
    }

    fn on_ack_sent(&mut self, _now: Instant, reason: AckReason) {
        self.calm = matches!(reason, AckReason::Count | AckReason::Timer | AckReason::Syn);
    }

    fn boxed_clone(&self) -> Box<dyn AckPolicy> {
        Box::new(self.clone())
    }
}

/// A policy of one's own: has everything wait, whatever is missing.
#[derive(Clone, Debug)]
struct Patient;

impl AckPolicy for Patient {
    fn on_arrival(&mut self, _arrival: &Arrival) -> Decision {
        Decision::Wait {
            interval: INTERVAL,
            timer: DelayTimer::FirstWaiting,
        }
    }

    fn on_disorder(&mut self, arrival: &Arrival, _disorder: Disorder) -> Decision {
        self.on_arrival(arrival)
    }

    fn boxed_clone(&self) -> Box<dyn AckPolicy> {
        Box::new(self.clone())
    }
}

fn is_patient(ack: &AckConfig) -> bool {
    matches!(ack, AckConfig::Custom(policy) if format!("{policy:?}") == format!("{Patient:?}"))
}

/// Each policy with the longest time that a segment may wait under it.
fn policies() -> Vec<(AckConfig, Duration)> {
    let mut all = vec![
        (AckConfig::EverySegment, Duration::ZERO),
        (AckConfig::Custom(Box::new(Wary { calm: true })), INTERVAL),
        // A held ACK may be thrown away for a segment that waits itself.
        (AckConfig::Custom(Box::new(Patient)), INTERVAL * 2),
    ];
    for timer in [DelayTimer::FirstWaiting, DelayTimer::EveryWaiting] {
        let bound = |count: u64| match timer {
            DelayTimer::FirstWaiting => INTERVAL,
            DelayTimer::EveryWaiting => INTERVAL * (count - 1),
        };
        for count in 2..=4 {
            let policy = AckConfig::Delayed {
                count,
                interval: INTERVAL,
                timer,
            };
            all.push((policy, bound(u64::from(count))));
        }
        all.push((
            AckConfig::Rfc5681 {
                interval: INTERVAL,
                timer,
            },
            bound(2),
        ));
        all.extend(by_thresholds(timer).map(|policy| (policy, bound(4))));
    }
    all.extend(delayed_dupacks());
    all
}

/// The policies whose count grows, by packet numbers counted in three ways or by the window.
fn by_thresholds(timer: DelayTimer) -> [AckConfig; 4] {
    let thresholds = [2, 5, 9];
    let dynamic = |numbering| AckConfig::Dynamic {
        thresholds,
        interval: INTERVAL,
        timer,
        numbering,
    };
    [
        dynamic(Numbering::Altman2003),
        dynamic(Numbering::DataIsZero),
        dynamic(Numbering::ElRakabawy2005),
        AckConfig::OracleWindow {
            thresholds,
            interval: INTERVAL,
            timer,
        },
    ]
}

/// Duplicate ACKs are held no longer than d and, paced, six spacings.
fn delayed_dupacks() -> Vec<(AckConfig, Duration)> {
    let spacing = Duration::from_millis(1);
    let adaptive = AdaptiveDelay {
        initial: INTERVAL,
        min: Duration::ZERO,
        max: INTERVAL,
    };
    [
        (DupackDelay::Fixed(INTERVAL), Release::AtOnce),
        (DupackDelay::Adaptive(adaptive), Release::Paced(spacing)),
    ]
    .map(|(delay, release)| {
        let policy = AckConfig::DelayedDupacks { delay, release };
        (policy, INTERVAL + spacing * SEGMENTS)
    })
    .to_vec()
}

/// Every segment that arrived is followed by an ACK within `bound`, and by one at once if it
/// leaves a gap, fills one, or was there before (RFC 5681 §4.2) and the policy does not hold
/// such ACKs back.
fn check_delays(world: &World, ack: &AckConfig, bound: Duration, case: &Case) {
    let holds = matches!(ack, AckConfig::DelayedDupacks { .. }) || is_patient(ack);
    let mut acks = world.log.acks.iter().map(|entry| entry.0).peekable();
    let mut here = BTreeSet::new();
    for &(at, segment) in &world.log.arrived {
        let number = packet(&segment, &case.config);
        let in_order = here.len() as i64;
        let complete = here.last().is_none_or(|&last| last < in_order);
        // ns-2's sink takes its newest segment, when it comes again, for a new one.
        let newest_waits = case.receiver.newest_repeated == NewestRepeated::Waits;
        let simple = number == in_order || (newest_waits && number + 1 == in_order);
        here.insert(number);
        let allowed = if holds || (simple && complete) {
            bound
        } else {
            Duration::ZERO
        };
        while acks.next_if(|&ack| ack < at).is_some() {}
        let next = *acks
            .peek()
            .unwrap_or_else(|| panic!("{case}: no ACK after {segment:?}"));
        assert!(
            next - at <= allowed,
            "{case}: {segment:?} waited {:?} of {allowed:?}",
            next - at
        );
    }
}

/// No ACK covers a packet that had not arrived by then.
fn check_no_ack_from_the_future(world: &World, case: &Case) {
    let config = &case.config;
    let mut arrivals = world.log.arrived.iter().peekable();
    let mut here = BTreeSet::new();
    for (at, ack, reason) in &world.log.acks {
        while let Some((_, segment)) = arrivals.next_if(|entry| entry.0 <= *at) {
            here.insert(packet(segment, config));
        }
        let covered = acked_packet(ack, config);
        let number = |seq: Seq32| i64::from((seq.since(config.iss) - 1) / config.mss) + 1;
        let blocks = ack.options.sack.as_slice().iter();
        let claimed = blocks.flat_map(|block| number(block.0)..number(block.1));
        let unseen = (0..=covered)
            .chain(claimed)
            .find(|number| !here.contains(number));
        assert_eq!(
            unseen, None,
            "{case}: ACK {covered} for {reason:?} at {at:?}"
        );
    }
}

/// One little world.
struct Case {
    config: SenderConfig,
    receiver: ReceiverConfig,
    /// What becomes of each of the six.
    code: usize,
    /// Whether it becomes of the ACKs.
    of_acks: bool,
}

impl fmt::Display for Case {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = if self.of_acks { "ACKs" } else { "data" };
        let variant = (self.config.variant, self.config.sack.detection);
        let (code, ack) = (self.code, &self.receiver.ack);
        write!(
            text,
            "fates {code:06x} of {whose} under {ack:?}, {variant:?}"
        )
    }
}

impl Case {
    fn world(&self) -> World {
        let delay = Duration::from_millis(10);
        let rate = BitRate::new(RATE).expect("not zero");
        let mut forth = Pipe::new(delay).with_rate(rate);
        let mut back = Pipe::new(delay).with_rate(rate);
        let code = self.code;
        // The first segment in each direction belongs to the handshake.
        let decide = move |count: usize| match count {
            1..=6 => fate(code, count as u64 - 1),
            _ => Fate::Deliver,
        };
        if self.of_acks {
            back = back.with_fate(move |count, _| decide(count));
        } else {
            forth = forth.with_fate(move |count, _| decide(count));
        }
        World::new(self.config, self.receiver.clone(), forth, back)
    }

    fn check(&self, bound: Duration) {
        let bytes = SEGMENTS * u64::from(self.config.mss);
        let mut world = self.world();
        world.open(Instant::ZERO, bytes);
        world.run_until(Instant::ZERO + Duration::from_secs(500));
        assert!(world.sender.is_finished(), "{self}: not finished");
        assert_eq!(world.receiver.delivered_bytes(), bytes, "{self}");
        assert_eq!(world.log.delivered, SEGMENTS, "{self}");
        assert_eq!(world.log.count(SenderNote::AllAcked), 1, "{self}");
        check_no_ack_from_the_future(&world, self);
        check_delays(&world, &self.receiver.ack, bound, self);
    }
}

/// Both ends in the same way.
#[derive(Clone, Copy)]
enum Ends {
    Ns2,
    Standard,
}

impl Ends {
    /// All six leave in one window.
    fn sender(self) -> SenderConfig {
        let mut config = match self {
            Self::Ns2 => SenderConfig::ns2(FLOW, 6),
            Self::Standard => SenderConfig::standard(FLOW, 6),
        };
        config.initial_window = 6;
        config
    }

    fn receiver(self, ack: &AckConfig, config: &SenderConfig) -> ReceiverConfig {
        let mut receiver = match self {
            Self::Ns2 => ReceiverConfig::ns2(FLOW, ack.clone()),
            Self::Standard => ReceiverConfig::standard(FLOW, ack.clone(), 1 << 30),
        };
        receiver.sack = (config.variant == Variant::Sack).then_some(SackReceiver::standard());
        receiver.with_mss(config.mss)
    }
}

fn every_fate(ends: Ends, of_acks: bool) {
    let config = ends.sender();
    for (ack, bound) in policies() {
        for code in 0..1 << (2 * SEGMENTS) {
            let case = Case {
                config,
                receiver: ends.receiver(&ack, &config),
                code,
                of_acks,
            };
            case.check(bound);
        }
    }
}

/// Selective acknowledgements under a few policies.
fn every_fate_with_sack(sack: SackConfig) {
    let mut config = Ends::Standard.sender();
    config.variant = Variant::Sack;
    config.sack = sack;
    for (ack, bound) in policies() {
        let chosen = match ack {
            AckConfig::EverySegment | AckConfig::DelayedDupacks { .. } => true,
            AckConfig::Delayed { count, timer, .. } => {
                count == 2 && timer == DelayTimer::FirstWaiting
            }
            _ => is_patient(&ack),
        };
        for code in 0..if chosen { 1 << (2 * SEGMENTS) } else { 0 } {
            let case = Case {
                config,
                receiver: Ends::Standard.receiver(&ack, &config),
                code,
                of_acks: false,
            };
            case.check(bound);
        }
    }
}

#[test]
fn every_fate_of_six_segments_rfc6675() {
    every_fate_with_sack(SackConfig::rfc6675());
}

#[test]
fn every_fate_of_six_segments_rack() {
    every_fate_with_sack(SackConfig::rack());
}

#[test]
fn every_fate_of_six_segments_ns2() {
    every_fate(Ends::Ns2, false);
}

#[test]
fn every_fate_of_six_segments_standard() {
    every_fate(Ends::Standard, false);
}

#[test]
fn every_fate_of_six_acks_ns2() {
    every_fate(Ends::Ns2, true);
}

#[test]
fn every_fate_of_six_acks_standard() {
    every_fate(Ends::Standard, true);
}
