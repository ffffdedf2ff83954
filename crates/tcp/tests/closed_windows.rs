//! Worlds whose receiver closes its window now and then (Freeze-TCP): what must hold for every
//! sender that respects it (RFC 9293 §3.8.6.1). Each failure names its case.

use crate::common::{Fate, Pipe, World};
use acklab_base::random::{Address, Purpose};
use acklab_base::{BitRate, Duration, FlowId, Instant, NodeId, Stream};
use acklab_tcp::{
    AckConfig, Freeze, Handoff, ReceiverConfig, SackConfig, SackReceiver, SenderConfig, SenderNote,
    Variant, VegasConfig,
};

const FLOW: FlowId = FlowId(0);
const WINDOW: u32 = 20;

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// A name, and what the sender is.
type Case = (String, SenderConfig);

/// Every variant in each of these profiles; Vegas by both sets of rules.
fn cases(profiles: &[(&str, SenderConfig)]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &(profile, base) in profiles {
        let mut add = |name: &str, change: &dyn Fn(&mut SenderConfig)| {
            let mut config = base;
            (config.honour_advertised, config.window_probes) = (true, true);
            change(&mut config);
            cases.push((format!("{name}, {profile}"), config));
        };
        for variant in [Variant::Tahoe, Variant::Reno, Variant::NewReno] {
            add(&format!("{variant:?}"), &|config| config.variant = variant);
        }
        for (name, sack) in [
            ("sack", SackConfig::rfc6675()),
            ("rack", SackConfig::rack()),
        ] {
            add(name, &|config| {
                (config.variant, config.sack) = (Variant::Sack, sack);
            });
        }
        for (name, vegas) in [
            ("published vegas", VegasConfig::published()),
            ("ns-2's vegas", VegasConfig::ns2()),
        ] {
            add(name, &|config| {
                (config.variant, config.vegas) = (Variant::Vegas, vegas);
                config.limited_transmit = false;
            });
        }
    }
    cases
}

fn profiles() -> [(&'static str, SenderConfig); 3] {
    [
        ("ns2", SenderConfig::ns2(FLOW, WINDOW)),
        ("ns2 of 2003", SenderConfig::ns2_of_2003(FLOW, WINDOW)),
        ("standard", SenderConfig::standard(FLOW, WINDOW)),
    ]
}

/// A mobile receiver 20 ms away at 2 Mbit/s, which closes its window from the first of each two
/// instants to the second.
fn mobile(
    config: SenderConfig,
    handoffs: impl IntoIterator<Item = Instant>,
    fate: impl FnMut(usize, &acklab_wire::Segment) -> Fate + 'static,
) -> World {
    let mut receiver = ReceiverConfig::standard(FLOW, AckConfig::EverySegment, WINDOW * 1000);
    receiver.handoff = Handoff::Freeze(Freeze { reopening_acks: 3 });
    receiver.sack = (config.variant == Variant::Sack).then_some(SackReceiver {
        duplicates: false,
        ..SackReceiver::standard()
    });
    let pipe = || {
        let rate = BitRate::new(2_000_000).expect("not zero");
        Pipe::new(Duration::from_millis(20)).with_rate(rate)
    };
    let mut world = World::new(config, receiver, pipe().with_fate(fate), pipe());
    world.handoffs = handoffs.into_iter().collect();
    world
}

fn stream(seed: u64, node: u32) -> Stream {
    let (run, node, purpose) = (0, NodeId(node), Purpose::TieShuffle);
    Address {
        seed,
        run,
        node,
        purpose,
    }
    .open()
}

/// Loses this share of the segments.
fn lossy(seed: u64, share: f64) -> impl FnMut(usize, &acklab_wire::Segment) -> Fate {
    let mut draws = stream(seed, 1);
    move |_, _| {
        if draws.unit() < share {
            Fate::Drop
        } else {
            Fate::Deliver
        }
    }
}

/// RFC 9293 §3.8.6.1: the persist timer while the window is closed, the retransmission timer after
/// it; one of them runs while something is to be sent.
#[test]
fn no_connection_waits_for_ever_after_a_closed_window() {
    for (name, config) in cases(&profiles()) {
        for seed in 0..20 {
            let mut draws = stream(seed, 0);
            let mut now = Instant::ZERO;
            let handoffs: Vec<Instant> = (0..40)
                .map(|_| {
                    now += draws.interval_below(Duration::from_millis(1_500));
                    now
                })
                .collect();
            let mut world = mobile(config, handoffs, lossy(seed, 0.03));
            world.open(Instant::ZERO, 3_000_000);
            world.run_until(at(10_000_000));
            assert!(
                world.sender.is_finished(),
                "{name}, seed {seed}: {} bytes at cwnd {}",
                world.sender.acked_bytes(),
                world.sender.cwnd()
            );
        }
    }
}

/// The window closes at 1.5 s for 0.4 s, while the first packet that arrives afterwards is lost.
/// What was out leaves again, and the duplicate ACKs of what is there already tell of no loss
/// (RFC 6582 §3.2 steps 2 and 4): the window of before stays.
#[test]
fn what_leaves_again_makes_no_cut() {
    for (name, mut config) in cases(&profiles()) {
        config.initial_ssthresh = Some(10);
        let handoffs = [at(1_500), at(1_900)];
        let mut world = mobile(config, handoffs, |_, _| Fate::Deliver);
        world.open(Instant::ZERO, u64::MAX);
        world.run_until(at(1_800));
        let mut arrived = world.log.arrived.iter();
        let under_way = arrived.find(|arrival| arrival.0 >= at(1_500));
        let lost = under_way.expect("some data is under way").1.seq;
        let mut world = mobile(config, handoffs, move |_, segment| {
            if segment.seq == lost && !segment.retransmission {
                Fate::Drop
            } else {
                Fate::Deliver
            }
        });
        world.open(Instant::ZERO, u64::MAX);
        world.run_until(at(1_890));
        assert!(world.receiver.has_gap(), "{name}");
        world.run_until(at(3_500));
        assert_eq!(world.log.count(SenderNote::FastRetransmit), 0, "{name}");
        assert_eq!(world.log.count(SenderNote::WindowCut), 0, "{name}");
        assert!(!world.receiver.has_gap(), "{name}");
    }
}

/// After a closed window was probed segments begin an octet later. Vegas still measures each one
/// by its own ACK (Brakmo and Peterson 1995 §III), so its rate is that of a connection without the
/// pause, with and without loss; a tenth is left to chance.
#[test]
fn vegas_is_as_fast_after_a_probe_as_before() {
    let [ns2, _, standard] = profiles();
    for (name, config) in cases(&[ns2, standard]) {
        if config.variant != Variant::Vegas {
            continue;
        }
        for loss in [0.0, 0.02] {
            let rate = |handoffs: &[Instant]| -> u64 {
                let run = |seed| {
                    let turns = handoffs.iter().copied();
                    let mut world = mobile(config, turns, lossy(seed, loss));
                    world.open(Instant::ZERO, u64::MAX);
                    world.run_until(at(10_000));
                    let before = world.log.delivered;
                    world.run_until(at(70_000));
                    world.log.delivered - before
                };
                (0..5).map(run).sum()
            };
            let (without, with) = (rate(&[]), rate(&[at(1_500), at(6_000)]));
            assert!(
                with * 10 >= without * 9,
                "{name}, loss {loss}: {with} packets instead of {without}"
            );
        }
    }
}
