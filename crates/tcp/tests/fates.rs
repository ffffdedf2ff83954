//! The exhaustive small world: every fate of six segments, and of six ACKs, under every ACK
//! policy and both profiles.

mod common;

use acklab_base::{BitRate, Duration, FlowId, Instant, Seq32};
use acklab_tcp::ack::{AckPolicy, Arrival, Decision};
use acklab_tcp::{
    AckConfig, AckReason, AdaptiveDelay, DelayTimer, DupackDelay, Numbering, ReceiverConfig,
    Release, SackConfig, SackLength, SackReceiver, SenderConfig, SenderNote, Variant,
};
use common::{Fate, Pipe, World, acked_packet, packet};
use std::collections::BTreeSet;

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

/// Each policy with the longest time that a segment may wait under it.
fn policies() -> Vec<(AckConfig, Duration)> {
    let mut all = vec![
        (AckConfig::EverySegment, Duration::ZERO),
        (AckConfig::Custom(Box::new(Wary { calm: true })), INTERVAL),
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
        let (thresholds, numbering) = ([2, 5, 9], Numbering::Altman2003);
        all.push((
            AckConfig::Dynamic {
                thresholds,
                interval: INTERVAL,
                timer,
                numbering,
            },
            bound(4),
        ));
    }
    all.extend(delayed_dupacks());
    all
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

/// Every segment that arrived is followed by an ACK within `bound`; one that was not simply in
/// order by an ACK at once.
fn check_delays(world: &World, bound: Duration, case: &dyn Fn() -> String) {
    let mut acks = world.log.acks.iter().map(|entry| entry.0).peekable();
    for &(at, segment) in &world.log.arrived {
        while acks.next_if(|&ack| ack < at).is_some() {}
        let next = *acks
            .peek()
            .unwrap_or_else(|| panic!("{}: no ACK after {segment:?}", case()));
        assert!(
            next - at <= bound,
            "{}: {segment:?} waited {:?}",
            case(),
            next - at
        );
    }
}

/// No ACK covers a packet that had not arrived by then.
fn check_no_ack_from_the_future(world: &World, config: &SenderConfig, case: &dyn Fn() -> String) {
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
            unseen,
            None,
            "{}: ACK {covered} for {reason:?} at {at:?}",
            case()
        );
    }
}

fn check(config: SenderConfig, ack: &AckConfig, bound: Duration, code: usize, of_acks: bool) {
    let delay = Duration::from_millis(10);
    let rate = BitRate::new(RATE).expect("not zero");
    let mut forth = Pipe::new(delay).with_rate(rate);
    let mut back = Pipe::new(delay).with_rate(rate);
    // The first segment in each direction belongs to the handshake.
    let decide = move |count: usize| match count {
        1..=6 => fate(code, count as u64 - 1),
        _ => Fate::Deliver,
    };
    if of_acks {
        back = back.with_fate(move |count, _| decide(count));
    } else {
        forth = forth.with_fate(move |count, _| decide(count));
    }
    let mut receiver = ReceiverConfig::ns2(FLOW, ack.clone());
    receiver.sack = (config.variant == Variant::Sack).then_some(SackReceiver {
        duplicates: true,
        length: SackLength::Option,
    });
    let mut world = World::new(config, receiver, forth, back);
    world.open(Instant::ZERO, SEGMENTS * u64::from(config.mss));
    world.run_until(Instant::ZERO + Duration::from_secs(500));
    let case = || {
        let whose = if of_acks { "ACKs" } else { "data" };
        let variant = (config.variant, config.sack.detection);
        format!("fates {code:06x} of {whose} under {ack:?}, {variant:?}")
    };
    assert!(world.sender.is_finished(), "{}: not finished", case());
    assert_eq!(
        world.receiver.delivered_bytes(),
        SEGMENTS * u64::from(config.mss),
        "{}",
        case()
    );
    assert_eq!(world.log.delivered, SEGMENTS, "{}", case());
    assert_eq!(world.log.count(SenderNote::AllAcked), 1, "{}", case());
    check_no_ack_from_the_future(&world, &config, &case);
    check_delays(&world, bound, &case);
}

fn every_fate(config: SenderConfig, of_acks: bool) {
    for (ack, bound) in policies() {
        for code in 0..1 << (2 * SEGMENTS) {
            check(config, &ack, bound, code, of_acks);
        }
    }
}

/// Selective acknowledgements under a few policies.
fn every_fate_with_sack(sack: SackConfig) {
    let mut config = six_at_once(SenderConfig::standard(FLOW, 6));
    config.variant = Variant::Sack;
    config.sack = sack;
    for (ack, bound) in policies() {
        let chosen = match ack {
            AckConfig::EverySegment | AckConfig::DelayedDupacks { .. } => true,
            AckConfig::Delayed { count, timer, .. } => {
                count == 2 && timer == DelayTimer::FirstWaiting
            }
            _ => false,
        };
        for code in 0..if chosen { 1 << (2 * SEGMENTS) } else { 0 } {
            check(config, &ack, bound, code, false);
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

/// All six leave in one window.
fn six_at_once(mut config: SenderConfig) -> SenderConfig {
    config.initial_window = 6;
    config
}

#[test]
fn every_fate_of_six_segments_ns2() {
    every_fate(six_at_once(SenderConfig::ns2(FLOW, 6)), false);
}

#[test]
fn every_fate_of_six_segments_standard() {
    every_fate(six_at_once(SenderConfig::standard(FLOW, 6)), false);
}

#[test]
fn every_fate_of_six_acks_ns2() {
    every_fate(six_at_once(SenderConfig::ns2(FLOW, 6)), true);
}
