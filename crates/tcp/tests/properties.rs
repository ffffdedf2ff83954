//! Random worlds: what must hold in every one of them. Each failure names its seed.

use crate::common::{Fate, Pipe, World, acked_packet, packet};
use acklab_base::random::{Address, Purpose};
use acklab_base::{Duration, FlowId, Instant, NodeId, Seq32, Stream};
use acklab_tcp::sender::TRANSITIONS;
use acklab_tcp::vegas::Deflation;
use acklab_tcp::{
    AckConfig, DelayTimer, DupackDelay, Freeze, Guard, Handoff, HeldAcks, Numbering, Pacing,
    PacingEnd, Phase, ReceiverConfig, Release, SackConfig, SackReceiver, SenderConfig, SenderNote,
    Standing, Variant,
};
use std::collections::BTreeSet;

const FLOW: FlowId = FlowId(0);
const PACKETS: u64 = 80;
const VARIANTS: [Variant; 5] = [
    Variant::Tahoe,
    Variant::Reno,
    Variant::NewReno,
    Variant::Vegas,
    Variant::Sack,
];

fn stream(seed: u64, node: u32) -> Stream {
    Address {
        seed,
        run: 0,
        node: NodeId(node),
        purpose: Purpose::TieShuffle,
    }
    .open()
}

/// Loses, doubles and delays at random.
fn rough(mut stream: Stream, loss: f64) -> impl FnMut(usize, &acklab_wire::Segment) -> Fate {
    move |_, _| match stream.unit() {
        u if u < loss => Fate::Drop,
        u if u < loss + 0.02 => Fate::Duplicate(Duration::from_millis(7)),
        u if u < loss + 0.05 => Fate::Delay(stream.interval_below(Duration::from_millis(700))),
        _ => Fate::Deliver,
    }
}

fn pick<T: Copy>(stream: &mut Stream, from: &[T]) -> T {
    from[stream.below(from.len() as u32) as usize]
}

/// A world with everything drawn from the seed.
fn world(seed: u64, iss: Seq32) -> (World, SenderConfig) {
    let draw = &mut stream(seed, 0);
    let window = pick(draw, &[1, 2, 3, 5, 8, 20]);
    let mut config = match draw.below(3) {
        0 => SenderConfig::ns2(FLOW, window),
        1 => SenderConfig::ns2_of_2003(FLOW, window),
        _ => SenderConfig::standard(FLOW, window),
    };
    config.variant = pick(draw, &VARIANTS);
    config.guard = pick(draw, &[Guard::Careful, Guard::LessCareful, Guard::Off]);
    config.limited_transmit = draw.below(2) == 0;
    config.handshake = draw.below(8) > 0;
    config.initial_window = pick(draw, &[1, 2, 4]);
    config.iss = iss;
    let ack = policy(draw);
    let mut receiver = if draw.below(2) == 0 {
        ReceiverConfig::ns2(FLOW, ack)
    } else {
        ReceiverConfig::standard(FLOW, ack, 20 * config.mss)
    };
    receiver.handshake = config.handshake;
    receiver.peer_iss = iss;
    receiver.syn_at_once = draw.below(4) > 0;
    let handoff = handoff(draw);
    config.handoff = handoff;
    receiver.handoff = handoff;
    config.honour_advertised |= handoff != Handoff::Unaware;
    config.window_probes = true;
    config.sack = pick(draw, &[SackConfig::rfc6675(), SackConfig::rack()]);
    let sack = pick(draw, &[SackReceiver::standard(), SackReceiver::ns2()]);
    receiver.sack = (config.variant == Variant::Sack).then_some(sack);
    let loss = pick(draw, &[0.0, 0.02, 0.1, 0.25]);
    let delay = Duration::from_millis(40);
    let forth = Pipe::new(delay).with_fate(rough(stream(seed, 1), loss));
    let back = Pipe::new(delay).with_fate(rough(stream(seed, 2), loss / 2.0));
    let mut world = World::new(config, receiver, forth, back);
    world.sender_moves = draw.below(2) == 0;
    for turn in 1..=6 {
        let at = Duration::from_secs(turn) + draw.interval_below(Duration::from_secs(1));
        world.handoffs.push_back(Instant::ZERO + at);
    }
    (world, config)
}

/// An ACK policy, drawn.
fn policy(draw: &mut Stream) -> AckConfig {
    let timer = pick(draw, &[DelayTimer::FirstWaiting, DelayTimer::EveryWaiting]);
    let interval = Duration::from_millis(100);
    match draw.below(5) {
        0 => AckConfig::EverySegment,
        1 => AckConfig::Delayed {
            count: 2 + draw.below(3),
            interval,
            timer,
        },
        2 => AckConfig::Rfc5681 { interval, timer },
        3 => AckConfig::DelayedDupacks {
            delay: DupackDelay::Fixed(interval),
            release: pick(draw, &[Release::AtOnce, Release::Paced(interval / 50)]),
        },
        _ => AckConfig::Dynamic {
            thresholds: [2, 5, 9],
            interval,
            timer,
            numbering: Numbering::Altman2003,
        },
    }
}

/// What a mobile end does, drawn.
fn handoff(draw: &mut Stream) -> Handoff {
    let held = pick(draw, &[HeldAcks::Every, HeldAcks::Newest]);
    let end = pick(draw, &[PacingEnd::AtOnce, PacingEnd::Paced]);
    let reopening_acks = pick(draw, &[0, 1, 3]);
    let interval = Duration::from_millis(100);
    match draw.below(4) {
        0 => Handoff::Pacing(Pacing {
            interval,
            held,
            end,
        }),
        1 => Handoff::Freeze(Freeze { reopening_acks }),
        _ => Handoff::Unaware,
    }
}

fn run(world: &mut World) {
    world.open(Instant::ZERO, PACKETS * 1000);
    world.run_until(Instant::ZERO + Duration::from_secs(100_000));
}

/// Waking a machine before it asked for it changes nothing and brings nothing out.
fn spurious_wakes_are_no_ops(world: &World) {
    let mut sender = world.sender.clone();
    if world.now < sender.next_wake() {
        let before = format!("{sender:?}");
        sender.on_wake(world.now);
        assert_eq!(before, format!("{sender:?}"));
        assert_eq!(sender.poll(), None);
    }
    let mut receiver = world.receiver.clone();
    if world.now < receiver.next_wake() {
        let before = format!("{receiver:?}");
        receiver.on_wake(world.now);
        assert_eq!(before, format!("{receiver:?}"));
        assert_eq!(receiver.poll(), None);
    }
}

/// The machines never want to be woken in the past, never exceed the receiver's window, and keep
/// a timer running while something is outstanding.
fn invariants(world: &World) {
    assert!(world.sender.next_wake() >= world.now);
    assert!(world.receiver.next_wake() >= world.now);
    let window = f64::from(world.sender.config().receiver_window);
    assert!(
        world.sender.flight() <= window,
        "{} in flight",
        world.sender.flight()
    );
    // Half of one in whole segments is none: inside fast recovery the inflation alone may carry.
    // ns-2's Vegas can close its window; the timer opens it again.
    let repairing = matches!(world.sender.phase(), Phase::FastRecovery { .. });
    let may_close = world.sender.config().vegas.deflation == Deflation::ToLastCut;
    assert!(world.sender.cwnd() > 0.0 || repairing || may_close);
    if world.sender.flight() > 0.0 {
        assert!(world.sender.next_wake() < Instant::NEVER);
    }
    for (_, segment) in &world.log.sent[world.log.sent.len().saturating_sub(1)..] {
        assert!(segment.span() > 0, "an empty segment");
    }
    assert!(world.sender.acked_bytes() <= world.receiver.delivered_bytes());
}

#[test]
fn spurious_wakes_change_nothing() {
    for seed in 0..60 {
        println!("seed {seed}");
        let (mut world, _) = world(seed, Seq32(0));
        world.watch = spurious_wakes_are_no_ops;
        run(&mut world);
    }
}

#[test]
fn every_byte_arrives_and_the_invariants_hold() {
    for seed in 0..600 {
        println!("seed {seed}");
        let (mut world, config) = world(seed, Seq32(0));
        world.watch = invariants;
        run(&mut world);
        assert!(world.sender.is_finished(), "not finished");
        assert_eq!(
            world.next_event(),
            Instant::NEVER,
            "it goes on after the end"
        );
        assert_eq!(world.receiver.delivered_bytes(), PACKETS * 1000);
        assert_eq!(world.log.delivered, PACKETS);
        assert_eq!(world.log.count(SenderNote::AllAcked), 1);
        let cuts = world.log.count(SenderNote::WindowCut);
        let causes = world.log.count(SenderNote::Timeout)
            + world.log.count(SenderNote::FastRetransmit)
            + world.log.count(SenderNote::TailProbe);
        assert!(cuts <= causes, "{cuts} cuts for {causes} losses");
        let mut highest = 0;
        for (at, segment) in &world.log.sent {
            let start = segment.seq.since(config.iss);
            assert_eq!(
                segment.retransmission,
                start < highest,
                "{at:?} {segment:?}"
            );
            highest = highest.max(start + segment.span());
        }
    }
}

/// The circle of sequence numbers has no seam: the same run from every origin.
#[test]
fn the_run_does_not_depend_on_the_initial_sequence_number() {
    let origins = [
        (1 << 31) - 1,
        1 << 31,
        (1 << 31) + 1,
        u32::MAX - 40_000,
        u32::MAX - 1,
        u32::MAX,
    ];
    for seed in 0..40 {
        let trace = |iss: u32| {
            let (mut world, config) = world(seed, Seq32(iss));
            run(&mut world);
            let sent: Vec<_> = world
                .log
                .sent
                .iter()
                .map(|(at, s)| (*at, packet(s, &config)))
                .collect();
            let acks: Vec<_> = world
                .log
                .acks
                .iter()
                .map(|(at, s, why)| (*at, acked_packet(s, &config), *why))
                .collect();
            (sent, acks)
        };
        let reference = trace(0);
        for origin in origins {
            assert!(trace(origin) == reference, "seed {seed}, origin {origin}");
        }
    }
}

/// More than 2³² bytes through one connection.
#[test]
fn the_stream_may_be_longer_than_the_circle() {
    let mut config = SenderConfig::ns2(FLOW, 64).with_mss(1 << 20);
    config.iss = Seq32(12_345);
    let receiver = ReceiverConfig::ns2(FLOW, AckConfig::EverySegment).with_mss(1 << 20);
    let delay = Duration::from_millis(10);
    let mut loss = stream(1, 1);
    let forth = Pipe::new(delay).with_fate(move |_, _| {
        if loss.unit() < 0.01 {
            Fate::Drop
        } else {
            Fate::Deliver
        }
    });
    let mut world = World::new(config, receiver, forth, Pipe::new(delay));
    let bytes = 10_000 << 20;
    world.open(Instant::ZERO, bytes);
    world.run_until(Instant::ZERO + Duration::from_secs(100_000));
    assert!(world.sender.is_finished());
    assert_eq!(world.receiver.delivered_bytes(), bytes);
}

/// Random runs make the moves of the table, all of them, and no others.
#[test]
fn the_transition_table_is_complete() {
    let table: BTreeSet<_> = TRANSITIONS.iter().map(|row| (row.from, row.to)).collect();
    let mut seen = BTreeSet::new();
    for seed in 0..600 {
        let (mut world, _) = world(seed, Seq32(0));
        let mut from = world.sender.standing();
        assert_eq!(from, Standing::Closed);
        world.open(Instant::ZERO, PACKETS * 1000);
        loop {
            let to = world.sender.standing();
            if to != from {
                assert!(
                    table.contains(&(from, to)),
                    "seed {seed}: {from:?} to {to:?}"
                );
                seen.insert((from, to));
                from = to;
            }
            if world.next_event() == Instant::NEVER {
                break;
            }
            world.step();
        }
    }
    assert_eq!(seen, table);
}

/// The model page shows the table as it is declared.
#[test]
fn the_model_page_shows_the_transition_table() {
    let page = include_str!("../../../docs/models/tcp.md");
    for row in TRANSITIONS {
        let line = format!("| {:?} | {} | {:?} |", row.from, row.cause, row.to);
        assert!(page.contains(&line), "docs/models/tcp.md lacks: {line}");
    }
}
