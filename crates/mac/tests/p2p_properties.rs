//! Link-level retransmission under random loss from 0 to 50 %: every packet is handed up exactly
//! once and in bounded time, in both orders, and nothing is lost without a retry limit.

mod p2p_common;

use acklab_base::{Address, Duration, NodeId, Purpose, Share};
use acklab_mac::p2p::{ArqConfig, ErrorModel, Order, Side};
use p2p_common::{Bench, WIRELESS, ack, data, ms};

/// Packets of each direction. The queue holds 40, so they come slowly enough.
const PACKETS: u32 = 400;
const SPACING_MS: u64 = 20;

fn play(percent: u32, order: Order, seed: u64) -> Bench {
    let loss = || ErrorModel::Uniform {
        loss: Share::from_percent(percent),
    };
    let arq = ArqConfig {
        order,
        ..ArqConfig::vaidya1999()
    };
    let mut bench = Bench::seeded(
        WIRELESS,
        [loss(), loss()],
        Some(arq),
        (Share::NONE, Duration::ZERO),
        seed,
    );
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

#[test]
fn every_packet_is_handed_up_exactly_once_in_bounded_time() {
    for (case, percent) in [0, 1, 5, 10, 20, 35, 50].into_iter().enumerate() {
        for order in [Order::Arrival, Order::Sequence] {
            for seed in 0..4 {
                let seed = seed + 10 * case as u64;
                let mut bench = play(percent, order, seed);
                // Five seconds of peace are 0.5^50 of misfortune at the least timer.
                bench.run(ms(u64::from(PACKETS) * SPACING_MS + 5_000));
                for side in Side::BOTH {
                    let handed = bench.delivered.iter().filter(|(_, s, _)| *s == side);
                    let mut ids: Vec<u32> = handed.map(|&(_, _, id)| id).collect();
                    let place = format!("{percent} % {order:?} seed {seed} {side:?}");
                    assert!(order == Order::Arrival || ids.is_sorted(), "{place}: order");
                    ids.sort_unstable();
                    assert_eq!(ids, (0..PACKETS).collect::<Vec<_>>(), "{place}");
                }
                assert!(bench.given_up.is_empty() && bench.refused.is_empty());
                assert_eq!(
                    bench.link.next_wake(),
                    acklab_base::Instant::NEVER,
                    "all is done"
                );
            }
        }
    }
}

/// What was sent is what arrived, was destroyed, or was a copy; at every loss rate.
#[test]
fn frames_are_conserved() {
    for percent in [0, 10, 50] {
        let mut bench = play(percent, Order::Arrival, 77);
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
        let loss = || ErrorModel::Uniform {
            loss: Share::from_percent(40),
        };
        let arq = ArqConfig {
            tries: Some(2),
            ..ArqConfig::vaidya1999()
        };
        let mut bench = Bench::seeded(
            WIRELESS,
            [loss(), loss()],
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
