//! Link-level retransmission under random loss from 0 to 50 % and in bursts: every packet is handed
//! up exactly once and within a bound of its own, in both orders, and nothing is lost without a
//! retry limit. Reordered frames and link ACKs: `p2p::arq::shuffled`, as no link reorders.

use crate::p2p_common::{Bench, WIRELESS, ack, data, ms};
use acklab_base::{Address, Duration, Instant, NodeId, Purpose, Share};
use acklab_mac::p2p::{ArqConfig, ErrorModel, Order, Side, Sight};
use std::collections::BTreeMap;

/// Packets of each direction. The queue holds 40, so they come slowly enough.
const PACKETS: u32 = 400;
const SPACING_MS: u64 = 20;
/// What a loss costs a packet at the most: the timer of 0.1 s (no link ACK is as late as a fifth of
/// that) and fifty retransmissions that wait before it.
const A_LOSS: Duration = Duration::from_millis(300);

fn uniform(percent: u32) -> ErrorModel {
    ErrorModel::Uniform {
        loss: Share::from_percent(percent),
    }
}

/// A third of the time is bad, for 50 ms on average.
fn bursts() -> ErrorModel {
    ErrorModel::GilbertElliott {
        good: Duration::from_millis(100),
        bad: Duration::from_millis(50),
        loss_good: Share::from_percent(1),
        loss_bad: Share::from_percent(90),
    }
}

fn play(errors: &ErrorModel, order: Order, seed: u64) -> Bench {
    let arq = ArqConfig {
        order,
        ..ArqConfig::vaidya1999()
    };
    let mut bench = Bench::seeded(
        WIRELESS,
        [errors.clone(), errors.clone()],
        Some(arq),
        (Share::NONE, Duration::ZERO),
        seed,
    );
    bench.link.watch();
    let mut draw = Address {
        seed,
        run: 1,
        node: NodeId(0),
        purpose: Purpose::Placement,
    }
    .open();
    for id in 0..PACKETS {
        let at = u64::from(id) * SPACING_MS + u64::from(draw.below(SPACING_MS as u32));
        bench.send(ms(at), Side::First, data(id));
        bench.send(ms(at), Side::Second, ack(id));
    }
    bench
}

/// By packet: when it was first sent from the other end of `side`, and how often it was lost.
fn fates(bench: &Bench, side: Side) -> BTreeMap<u32, (Instant, u32)> {
    let mut fates = BTreeMap::new();
    for seen in &bench.sightings {
        let Some(packet) = &seen.packet else {
            continue;
        };
        match seen.sight {
            Sight::Sent if seen.side != side => {
                fates.entry(packet.id).or_insert((seen.at, 0));
            }
            Sight::Lost if seen.side == side => fates.entry(packet.id).or_default().1 += 1,
            _ => {}
        }
    }
    fates
}

#[test]
fn every_packet_is_handed_up_exactly_once_within_its_bound() {
    let models = [0, 1, 5, 10, 20, 35, 50].map(uniform);
    for (case, errors) in models.into_iter().chain([bursts()]).enumerate() {
        for order in [Order::Arrival, Order::Sequence] {
            for seed in 0..4 {
                let seed = seed + 10 * case as u64;
                let mut bench = play(&errors, order, seed);
                // Five seconds of peace are 0.5^50 of misfortune at the least timer.
                bench.run(ms(u64::from(PACKETS) * SPACING_MS + 5_000));
                for side in Side::BOTH {
                    let place = format!("{errors:?} {order:?} seed {seed} {side:?}");
                    handed_up_once(&bench, side, order, &place);
                }
                assert!(bench.given_up.is_empty() && bench.refused.is_empty());
                assert_eq!(bench.link.next_wake(), Instant::NEVER, "all is done");
            }
        }
    }
}

fn handed_up_once(bench: &Bench, side: Side, order: Order, place: &str) {
    let handed: Vec<_> = bench
        .delivered
        .iter()
        .filter(|(_, s, _)| *s == side)
        .collect();
    let mut ids: Vec<u32> = handed.iter().map(|&&(_, _, id)| id).collect();
    assert!(order == Order::Arrival || ids.is_sorted(), "{place}: order");
    ids.sort_unstable();
    assert_eq!(ids, (0..PACKETS).collect::<Vec<_>>(), "{place}");
    let at: BTreeMap<u32, Instant> = handed.iter().map(|&&(at, _, id)| (id, at)).collect();
    let mut bound = Instant::ZERO;
    for (id, (sent, lost)) in fates(bench, side) {
        // In the transmitter at most 4 ms, on the channel 1 ms, once more than it was lost.
        let nanos = u64::from(lost + 1) * 5_000_000 + u64::from(lost) * A_LOSS.as_nanos();
        let own = sent + Duration::from_nanos(nanos);
        // In sequence it waits for those before it.
        bound = if order == Order::Sequence {
            bound.max(own)
        } else {
            own
        };
        assert!(at[&id] <= bound, "{place}: packet {id}, lost {lost} times");
    }
}

/// What was sent is what arrived, was destroyed, or was a copy; at every loss rate.
#[test]
fn frames_are_conserved() {
    for percent in [0, 10, 50] {
        let mut bench = play(&uniform(percent), Order::Arrival, 77);
        bench.run(ms(60_000));
        for side in Side::BOTH {
            let (own, other) = (bench.link.counters(side), bench.link.counters(side.other()));
            let new = u64::from(PACKETS);
            assert_eq!(own.frames_sent, new + own.retransmissions, "{percent} %");
            let arrived = own.frames_sent - own.frames_lost;
            assert_eq!(arrived, new + own.duplicates, "{percent} %");
            assert_eq!(
                other.acks_sent + other.ack_queue_drops,
                arrived,
                "{percent} %"
            );
            if percent == 0 {
                assert_eq!((own.retransmissions, own.acks_lost), (0, 0));
            }
        }
    }
}

/// With a retry limit a packet is handed up or given up. Both can happen: its last copy comes
/// through and the ACK is lost.
#[test]
fn with_a_retry_limit_nothing_vanishes_silently() {
    for seed in 0..10 {
        let arq = ArqConfig {
            tries: Some(2),
            ..ArqConfig::vaidya1999()
        };
        let mut bench = Bench::seeded(
            WIRELESS,
            [uniform(40), uniform(40)],
            Some(arq),
            (Share::NONE, Duration::ZERO),
            seed,
        );
        for id in 0..PACKETS {
            bench.send(ms(u64::from(id) * SPACING_MS), Side::First, data(id));
        }
        bench.run(ms(60_000));
        let mut ids: Vec<u32> = bench.delivered.iter().map(|&(_, _, id)| id).collect();
        let before = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), before, "seed {seed}: handed up twice");
        assert!(!bench.given_up.is_empty(), "seed {seed}");
        ids.extend(&bench.given_up);
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids, (0..PACKETS).collect::<Vec<_>>(), "seed {seed}");
    }
}
