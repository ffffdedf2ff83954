//! Two machines in a perfect world, and the textbook's law for a lossy one.

use crate::common::{Fate, Pipe, World};
use acklab_base::random::{Address, Purpose};
use acklab_base::{BitRate, Duration, FlowId, Instant, NodeId};
use acklab_tcp::{AckConfig, DelayTimer, ReceiverConfig, SenderConfig, SenderNote};

const FLOW: FlowId = FlowId(0);

fn delayed(count: u32) -> AckConfig {
    let (interval, timer) = (Duration::from_millis(100), DelayTimer::FirstWaiting);
    AckConfig::Delayed {
        count,
        interval,
        timer,
    }
}

/// Window over round-trip time: 4 segments each 100 ms.
#[test]
fn a_window_limited_sender_fills_its_window_once_a_round_trip() {
    for config in [SenderConfig::ns2(FLOW, 4), SenderConfig::standard(FLOW, 4)] {
        let delay = Duration::from_millis(50);
        let receiver = ReceiverConfig::ns2(FLOW, AckConfig::EverySegment);
        let mut world = World::new(config, receiver, Pipe::new(delay), Pipe::new(delay));
        world.open(Instant::ZERO, u64::MAX);
        world.run_until(Instant::ZERO + Duration::from_secs(10));
        let before = world.log.delivered;
        world.run_until(Instant::ZERO + Duration::from_secs(110));
        assert_eq!(world.log.delivered - before, 4 * 1000);
        assert_eq!(world.log.count(SenderNote::Timeout), 0);
        assert!(!world.log.sent.iter().any(|entry| entry.1.retransmission));
    }
}

/// A pipe of 1 Mbit/s is full when the window exceeds it: 1040 bytes in 8.32 ms.
#[test]
fn a_large_window_fills_the_pipe() {
    for count in 1..=4 {
        let delay = Duration::from_millis(20);
        let receiver = ReceiverConfig::ns2(FLOW, delayed(count));
        let forth = Pipe::new(delay).with_rate(BitRate::MBPS_1);
        let back = Pipe::new(delay).with_rate(BitRate::MBPS_1);
        let mut world = World::new(SenderConfig::ns2(FLOW, 30), receiver, forth, back);
        world.open(Instant::ZERO, u64::MAX);
        world.run_until(Instant::ZERO + Duration::from_secs(10));
        let before = world.log.delivered;
        world.run_until(
            Instant::ZERO + Duration::from_secs(10) + Duration::from_micros(8320) * 1000,
        );
        assert!(
            (world.log.delivered - before).abs_diff(1000) <= 1,
            "d = {count}"
        );
    }
}

/// Altman and Jiménez, Table 1, the cell that decides the timer rule: with W = 3 < d = 4 every ACK
/// waits for the timer, armed by the first segment or by the last.
#[test]
fn a_window_below_d_waits_for_the_timer_each_time() {
    for (timer, cycle) in [(DelayTimer::FirstWaiting, 1), (DelayTimer::EveryWaiting, 3)] {
        let ack = AckConfig::Delayed {
            count: 4,
            interval: Duration::from_millis(100),
            timer,
        };
        let delay = Duration::from_millis(20);
        let forth = Pipe::new(delay).with_rate(BitRate::MBPS_1);
        let config = SenderConfig::ns2(FLOW, 3);
        let mut world = World::new(
            config,
            ReceiverConfig::ns2(FLOW, ack),
            forth,
            Pipe::new(delay),
        );
        world.open(Instant::ZERO, u64::MAX);
        world.run_until(Instant::ZERO + Duration::from_secs(20));
        let acks: Vec<Instant> = world
            .log
            .acks
            .iter()
            .skip(50)
            .map(|entry| entry.0)
            .collect();
        // Round trip and airtime of the first, or of all three segments, and the timer.
        let expected = Duration::from_millis(140) + Duration::from_micros(8320) * cycle;
        for pair in acks.windows(2) {
            assert_eq!(pair[1] - pair[0], expected);
        }
    }
}

/// Mathis et al. 1997: √(3/2b) / √p segments a round trip, b being the segments that one growth
/// step needs. Growth by bytes takes b = 1 whatever d is.
#[test]
fn throughput_falls_with_the_square_root_of_the_loss() {
    const SEED: u64 = 20_240_607;
    println!("seed {SEED}");
    let seconds = 1500;
    for (profile, count) in [("ns2", 1), ("ns2", 2), ("ns2", 3), ("standard", 2)] {
        for loss in [0.002, 0.01] {
            let mut config = match profile {
                "ns2" => SenderConfig::ns2(FLOW, 10_000),
                _ => SenderConfig::standard(FLOW, 10_000),
            };
            config.initial_ssthresh = Some(20);
            let ack = if count == 1 {
                AckConfig::EverySegment
            } else {
                delayed(count)
            };
            let address = Address {
                seed: SEED,
                run: count,
                node: NodeId(0),
                purpose: Purpose::TieShuffle,
            };
            let mut draw = address.open();
            let delay = Duration::from_millis(250);
            let forth = Pipe::new(delay)
                .with_rate(BitRate::MBPS_11)
                .with_fate(move |_, _| {
                    if draw.unit() < loss {
                        Fate::Drop
                    } else {
                        Fate::Deliver
                    }
                });
            let receiver = ReceiverConfig::ns2(FLOW, ack);
            let mut world = World::new(config, receiver, forth, Pipe::new(delay));
            world.open(Instant::ZERO, u64::MAX);
            world.run_until(Instant::ZERO + Duration::from_secs(seconds));
            let measured = world.log.delivered as f64 / (seconds as f64 / 0.5);
            let steps = if profile == "ns2" {
                f64::from(count)
            } else {
                1.0
            };
            let law = (1.5 / steps).sqrt() / loss.sqrt();
            println!(
                "{profile} d = {count} p = {loss}: {measured:.2}, law {law:.2}, ratio {:.3}",
                measured / law
            );
            assert!(
                (measured / law - 1.0).abs() < 0.2,
                "{profile} d = {count} p = {loss}"
            );
        }
    }
}
