//! Point-to-point links: timelines worked out by hand, and retransmission under random weather.

use crate::p2p_common::{Bench, WIRELESS, data, ms, tenths};
use acklab_base::{Duration, Instant, Share};
use acklab_mac::p2p::{ArqConfig, ErrorModel, Lost, Order, Side};

/// 2 Mbit/s, 1 ms: 1000 bytes take 4 ms.
///
/// ```text
/// time/ms   0        4  5    8  9
/// sender    [ p0    ][ p1   ]
/// receiver              p0      p1
/// ```
#[test]
fn packets_follow_one_another_at_the_rate_of_the_link() {
    let mut bench = Bench::new(WIRELESS, [ErrorModel::None, ErrorModel::None], None);
    bench.send(ms(0), Side::First, data(0));
    bench.send(ms(0), Side::First, data(1));
    bench.run(ms(100));
    assert_eq!(
        bench.delivered,
        [(ms(5), Side::Second, 0), (ms(9), Side::Second, 1)]
    );
    assert_eq!(
        bench.link.counters(Side::First).busy,
        Duration::from_millis(8)
    );
}

#[test]
fn the_directions_do_not_disturb_each_other() {
    let mut bench = Bench::new(WIRELESS, [ErrorModel::None, ErrorModel::None], None);
    bench.send(ms(0), Side::First, data(0));
    bench.send(ms(0), Side::Second, data(1));
    bench.run(ms(100));
    assert_eq!(
        bench.delivered,
        [(ms(5), Side::Second, 0), (ms(5), Side::First, 1)]
    );
}

#[test]
fn the_packet_in_service_does_not_count_in_the_queue() {
    let mut bench = Bench::new(WIRELESS, [ErrorModel::None, ErrorModel::None], None);
    for id in 0..42 {
        bench.send(ms(0), Side::First, data(id));
    }
    assert_eq!(
        bench.refused,
        [(Lost::QueueFull, 41)],
        "40 wait, one is sent"
    );
    // At 4 ms the next one is taken and one place is free, whoever looks first.
    bench.send(ms(4), Side::First, data(50));
    bench.send(ms(4), Side::First, data(51));
    assert_eq!(bench.refused.len(), 2);
    bench.run(ms(1_000));
    assert_eq!(bench.delivered.len(), 42);
}

#[test]
fn a_damaged_frame_occupies_the_channel_and_is_dropped_on_receipt() {
    let lost = ErrorModel::List {
        frames: vec![1],
        acks: Vec::new(),
    };
    let mut bench = Bench::new(WIRELESS, [lost, ErrorModel::None], None);
    bench.send(ms(0), Side::First, data(0));
    bench.send(ms(0), Side::First, data(1));
    bench.run(ms(100));
    assert_eq!(bench.delivered, [(ms(9), Side::Second, 1)]);
    assert_eq!(bench.link.counters(Side::First).frames_lost, 1);
}

#[test]
fn congestion_takes_data_packets_and_no_acks() {
    let mut bench = Bench::with_data_loss(WIRELESS, Share::from_percent(50), Duration::ZERO);
    for id in 0..400 {
        bench.send(ms(10 * u64::from(id)), Side::First, data(id));
        bench.send(
            ms(10 * u64::from(id)),
            Side::First,
            crate::p2p_common::ack(1_000 + id),
        );
    }
    bench.run(ms(10_000));
    let lost = bench.link.counters(Side::First).congestion_drops;
    assert!((150..250).contains(&lost), "{lost} of 400");
    let acks = bench
        .delivered
        .iter()
        .filter(|(_, _, id)| *id >= 1_000)
        .count();
    assert_eq!(acks, 400);
    assert!(
        bench
            .refused
            .iter()
            .all(|&(why, id)| why == Lost::Congestion && id < 1_000)
    );
}

/// A loss of 1 % that lasts 15 ms, and a packet every 10 ms: each loss takes the packet behind it
/// too, and nothing more.
#[test]
fn congestion_may_last() {
    let loss = Share::from_percent(1);
    let mut bench = Bench::with_data_loss(WIRELESS, loss, Duration::from_millis(15));
    for id in 0..2_000 {
        bench.send(ms(10 * u64::from(id)), Side::First, data(id));
    }
    bench.run(ms(30_000));
    let lost: Vec<u32> = bench.refused.iter().map(|&(_, id)| id).collect();
    assert!(lost.len() > 20 && lost.len().is_multiple_of(2), "{lost:?}");
    assert!(
        lost.chunks(2).all(|pair| pair[1] == pair[0] + 1),
        "{lost:?}"
    );
}

/// vaidya1999 §5 with 1 ms, 2 Mbit/s: 1000 bytes take 4 ms, 14 bytes 0.056 ms. Packet 0 is lost;
/// the ACK of packet 1 says so at 9 + 0.056 + 1 = 10.056 ms, while packet 2 is being sent until
/// 12 ms; then packet 0 goes before packet 3, and arrives at 17 ms behind packets 1 and 2: the
/// "Case A" of the paper's Figure 6.
///
/// ```text
/// time/ms   0      4      8      12     16     20
/// sender    [ p0 x][ p1  ][ p2  ][ p0' ][ p3  ]
/// receiver             -     p1     p2     p0'    p3
/// ```
#[test]
fn a_loss_is_found_by_the_next_ack_and_repaired_out_of_order() {
    let lost = ErrorModel::List {
        frames: vec![1],
        acks: Vec::new(),
    };
    let arq = ArqConfig::vaidya1999();
    let mut bench = Bench::new(WIRELESS, [lost, ErrorModel::None], Some(arq));
    for id in 0..4 {
        bench.send(ms(0), Side::First, data(id));
    }
    bench.run(ms(90));
    let at = |time, id| (ms(time), Side::Second, id);
    assert_eq!(bench.delivered, [at(9, 1), at(13, 2), at(17, 0), at(21, 3)]);
    let counters = bench.link.counters(Side::First);
    assert_eq!(
        (counters.retransmissions, counters.timer_retransmissions),
        (1, 0)
    );
    // Its first transmission ended at 4 ms, its ACK came at 17 + 1.056 ms.
    let recovery = Duration::from_micros(14_056);
    assert_eq!((counters.recovered, counters.recovery), (1, recovery));
    assert_eq!(bench.link.counters(Side::Second).acks_sent, 4);
    // Missed since packet 1 came at 9 ms.
    assert_eq!(bench.repaired, [(Side::Second, Duration::from_millis(8))]);
}

/// The same in sequence: packets 1 and 2 wait for packet 0.
#[test]
fn in_sequence_later_packets_wait() {
    let lost = ErrorModel::List {
        frames: vec![1],
        acks: Vec::new(),
    };
    let arq = ArqConfig {
        order: Order::Sequence,
        ..ArqConfig::vaidya1999()
    };
    let mut bench = Bench::new(WIRELESS, [lost, ErrorModel::None], Some(arq));
    for id in 0..4 {
        bench.send(ms(0), Side::First, data(id));
    }
    bench.run(ms(90));
    let at = |time, id| (ms(time), Side::Second, id);
    assert_eq!(
        bench.delivered,
        [at(17, 0), at(17, 1), at(17, 2), at(21, 3)]
    );
}

/// A lost link ACK: packet 0 is sent again when packet 1 is acknowledged; the copy is
/// acknowledged and not handed up.
#[test]
fn a_lost_link_ack_costs_one_copy_that_is_not_handed_up() {
    let lost = ErrorModel::List {
        frames: Vec::new(),
        acks: vec![1],
    };
    let arq = ArqConfig::vaidya1999();
    let mut bench = Bench::new(WIRELESS, [ErrorModel::None, lost], Some(arq));
    for id in 0..3 {
        bench.send(ms(0), Side::First, data(id));
    }
    bench.run(ms(90));
    let at = |time, id| (ms(time), Side::Second, id);
    assert_eq!(bench.delivered, [at(5, 0), at(9, 1), at(13, 2)]);
    let counters = bench.link.counters(Side::First);
    assert_eq!((counters.retransmissions, counters.duplicates), (1, 1));
    assert_eq!(bench.link.counters(Side::Second).acks_lost, 1);
}

/// With nothing behind it a lost frame is found by the timer: 4 + 100 ms, so it arrives at 109 ms.
#[test]
fn the_timer_finds_what_no_ack_shows() {
    let lost = ErrorModel::List {
        frames: vec![1],
        acks: Vec::new(),
    };
    let arq = ArqConfig::vaidya1999();
    let mut bench = Bench::new(WIRELESS, [lost, ErrorModel::None], Some(arq));
    bench.send(ms(0), Side::First, data(0));
    bench.run(ms(300));
    assert_eq!(bench.delivered, [(ms(109), Side::Second, 0)]);
    assert_eq!(bench.link.counters(Side::First).timer_retransmissions, 1);
}

/// Link ACKs go first: one that comes due while a packet is in service leaves right behind it.
#[test]
fn a_link_ack_goes_before_packets_and_retransmissions() {
    let arq = ArqConfig::vaidya1999();
    let mut bench = Bench::new(WIRELESS, [ErrorModel::None, ErrorModel::None], Some(arq));
    bench.send(ms(0), Side::First, data(0));
    for id in 10..13 {
        bench.send(ms(0), Side::Second, data(id));
    }
    bench.run(ms(90));
    // Packet 0 arrives at 5 ms while 11 is in service until 8 ms; 12 waits for the ACK.
    let times: Vec<u64> = bench.arrivals(Side::First);
    assert_eq!(times, [tenths(50), tenths(90), tenths(90) + 4_056_000]);
}

/// Both ends have data, and a timer that is out before an ACK without priority can be back: everything is
/// sent again until it is acknowledged, and then it is. (Retransmissions overtook those ACKs for ever.)
#[test]
fn retransmissions_do_not_overtake_link_acks_that_have_no_priority() {
    for millis in [3, 100] {
        let arq = ArqConfig {
            acks_first: false,
            min_timer: Duration::from_millis(millis),
            ..ArqConfig::vaidya1999()
        };
        let mut bench = Bench::new(WIRELESS, [ErrorModel::None, ErrorModel::None], Some(arq));
        for id in 0..12 {
            bench.send(ms(0), Side::First, data(id));
            bench.send(ms(0), Side::Second, data(100 + id));
        }
        bench.run(ms(5_000));
        assert_eq!(bench.link.next_wake(), Instant::NEVER, "{millis} ms");
        assert_eq!(bench.delivered.len(), 24);
    }
}

#[test]
fn a_retry_limit_gives_packets_up_and_later_ones_pass() {
    let lost = ErrorModel::List {
        frames: vec![1, 3],
        acks: Vec::new(),
    };
    let arq = ArqConfig {
        tries: Some(2),
        ..ArqConfig::vaidya1999()
    };
    let mut bench = Bench::new(WIRELESS, [lost, ErrorModel::None], Some(arq));
    bench.send(ms(0), Side::First, data(0));
    bench.send(ms(0), Side::First, data(1));
    bench.send(ms(50), Side::First, data(2));
    bench.run(ms(400));
    let ids: Vec<u32> = bench.delivered.iter().map(|&(_, _, id)| id).collect();
    assert_eq!((ids, &*bench.given_up), (vec![1, 2], &[0][..]));
}

#[test]
fn a_shared_queue_overflows_sooner() {
    let full = |shared_queue| {
        let arq = ArqConfig {
            shared_queue,
            ..ArqConfig::vaidya1999()
        };
        let mut bench = Bench::new(WIRELESS, [ErrorModel::None, ErrorModel::None], Some(arq));
        // The second end always has 40 packets waiting, and must acknowledge besides.
        for id in 0..40 {
            bench.send(ms(0), Side::Second, data(100 + id));
        }
        for id in 0..40 {
            bench.send(ms(4 * u64::from(id)), Side::Second, data(200 + id));
            bench.send(ms(4 * u64::from(id)), Side::First, data(id));
        }
        bench.run(ms(2_000));
        assert!(bench.refused.iter().all(|(why, _)| *why == Lost::QueueFull));
        bench.link.counters(Side::Second).ack_queue_drops
    };
    assert_eq!(full(false), 0);
    assert!(full(true) > 0);
}

/// A wake that is not due changes nothing, and waking at every edge gives the same.
#[test]
fn spurious_wakes_and_eager_ones_change_nothing() {
    let model = || ErrorModel::Exponential { mean_bytes: 9_000 };
    let play = |eager: bool, spurious: u64| {
        let arq = Some(ArqConfig::vaidya1999());
        let mut bench = Bench::new(WIRELESS, [model(), model()], arq);
        if eager {
            bench.link.wake_eagerly();
        }
        for id in 0..300 {
            bench.send(ms(u64::from(id) * 3), Side::First, data(id));
            if id % 2 == 0 {
                bench.send(
                    ms(u64::from(id) * 3),
                    Side::Second,
                    crate::p2p_common::ack(1_000 + id),
                );
            }
            for step in 0..spurious {
                bench.wake(ms(u64::from(id) * 3) + Duration::from_micros(step * 300));
            }
        }
        bench.run(ms(5_000));
        let counters = Side::BOTH.map(|side| *bench.link.counters(side));
        (bench.delivered, counters)
    };
    let plain = play(false, 0);
    assert!(plain.1[0].retransmissions > 20, "{:?}", plain.1);
    assert_eq!(plain, play(true, 0));
    assert_eq!(plain, play(false, 9));
}

#[test]
fn a_watcher_sees_every_frame_once_at_each_end() {
    let model = || ErrorModel::Exponential { mean_bytes: 9_000 };
    let mut bench = Bench::new(WIRELESS, [model(), model()], Some(ArqConfig::vaidya1999()));
    bench.link.watch();
    for id in 0..40 {
        bench.send(ms(u64::from(id)), Side::First, data(id));
    }
    bench.run(ms(3_000));
    let seen = |sight, side| bench.seen(sight, side);
    use acklab_mac::p2p::Sight::{Duplicate, Lost, Received, Sent};
    let [first, second] = Side::BOTH;
    for (from, to) in [(first, second), (second, first)] {
        let arrived = seen(Received, to) + seen(Duplicate, to) + seen(Lost, to);
        assert_eq!(seen(Sent, from), arrived);
    }
    assert!(seen(Lost, second) > 0 && bench.delivered.len() == 40);
}
