//! A cell of 802.11 by hand: timelines to the nanosecond, mobiles that turn away or fade, wakes.

use crate::cell_common::{Bench, STATION, Slots, mobile, packet, sized, us};
use acklab_base::{BitRate, Duration, Instant, NodeId, Share};
use acklab_mac::{CellConfig, DcfConfig};
use acklab_wire::FrameKind;

const SIFS: Duration = Duration::from_micros(10);
const DIFS: Duration = Duration::from_micros(50);
const RTS: Duration = Duration::from_micros(352);
/// A CTS or an ACK.
const ANSWER: Duration = Duration::from_micros(304);

/// ns-2's rules at 2 Mbit/s.
fn ns2() -> DcfConfig {
    DcfConfig {
        data_rate: BitRate::MBPS_2,
        ..DcfConfig::ns2()
    }
}

fn standard() -> DcfConfig {
    DcfConfig {
        data_rate: BitRate::MBPS_2,
        ..DcfConfig::standard()
    }
}

/// 192 µs of preamble, 34 bytes of header, 2 Mbit/s.
fn data(bytes: u64) -> Duration {
    Duration::from_micros(192 + 4 * (bytes + 34))
}

/// One exchange from the first bit of the RTS: the frames, and when the ACK is over.
fn exchange(
    begins: Instant,
    bytes: u64,
    (from, to): (NodeId, NodeId),
) -> (Vec<(Instant, NodeId, FrameKind)>, Instant) {
    let cts = begins + RTS + SIFS;
    let frame = cts + ANSWER + SIFS;
    let ack = frame + data(bytes) + SIFS;
    let frames = vec![
        (begins, from, FrameKind::Rts),
        (cts, to, FrameKind::Cts),
        (frame, from, FrameKind::Data),
        (ack, to, FrameKind::Ack),
    ];
    (frames, ack + ANSWER)
}

fn seen(bench: &Bench) -> Vec<(Instant, NodeId, FrameKind)> {
    let frames = bench.frames.iter();
    frames
        .map(|(at, header)| (*at, header.from, header.kind))
        .collect()
}

/// A packet down and its answer up, each behind DIFS and the backoff that its sender draws; the packet
/// is handed up the delay behind its last bit.
#[test]
fn a_packet_down_and_its_answer_up() {
    let config = CellConfig {
        dcf: ns2(),
        queue: 5,
        loss: Share::NONE,
        delay: Duration::from_millis(1),
    };
    let mut bench = Bench::with(&config, 1, 7);
    let (mut down, mut up) = (Slots::new(7, STATION, 31), Slots::new(7, mobile(0), 31));
    let start = us(100_000);
    assert!(bench.send(start, STATION, packet(1, STATION, mobile(0))));
    let (mut expected, over) = exchange(start + DIFS + down.next(), 1_000, (STATION, mobile(0)));
    let handed_up = over - ANSWER - SIFS + Duration::from_millis(1);
    bench.run(handed_up);
    assert_eq!(bench.arrived, [(handed_up, mobile(0), 1)]);
    assert!(bench.send(handed_up, mobile(0), sized(2, 40, mobile(0), STATION)));
    let begins = handed_up + DIFS + up.next();
    let (answer, over) = exchange(begins, 40, (mobile(0), STATION));
    expected.extend(answer);
    bench.run(us(1_000_000));
    assert_eq!(seen(&bench), expected);
    let arrived = over - ANSWER - SIFS + Duration::from_millis(1);
    assert_eq!(bench.arrived[1..], [(arrived, STATION, 2)]);
}

/// The standard sends at once on a medium that was idle for DIFS, without RTS, with 36 bytes beside the
/// packet (header 24, LLC and SNAP 8, check sequence 4); the second packet waits for the first one's
/// post-backoff.
#[test]
fn the_standard_sends_at_once_and_then_waits_for_its_post_backoff() {
    let mut bench = Bench::new(standard(), 1, Share::NONE, 3);
    let mut slots = Slots::new(3, STATION, 32);
    let start = us(5_000);
    for id in [1, 2] {
        assert!(bench.send(start, STATION, packet(id, STATION, mobile(0))));
    }
    let frame = Duration::from_micros(192 + 4 * 1_036);
    let second = start + frame + SIFS + ANSWER + DIFS + slots.next();
    bench.run(us(100_000));
    let expected: Vec<_> = [start, second]
        .into_iter()
        .flat_map(|begins| {
            let answer = begins + frame + SIFS;
            [
                (begins, STATION, FrameKind::Data),
                (answer, mobile(0), FrameKind::Ack),
            ]
        })
        .collect();
    assert_eq!(seen(&bench), expected);
}

/// A mobile that has turned away understands nothing more: each packet for it is tried as often as the
/// limit allows. Back again it hears everything.
#[test]
fn packets_for_a_mobile_that_turned_away_are_given_up() {
    for (dcf, kind) in [(ns2(), FrameKind::Rts), (standard(), FrameKind::Data)] {
        let mut bench = Bench::new(dcf, 1, Share::NONE, 5);
        assert!(bench.cell.on_leave(us(0), mobile(0)).is_empty());
        for id in [4, 5] {
            assert!(bench.send(us(60_000), STATION, packet(id, STATION, mobile(0))));
        }
        bench.run(us(5_000_000));
        assert_eq!(bench.given_up, [(STATION, 4), (STATION, 5)]);
        assert_eq!(bench.sent(STATION, kind), 2 * 7);
        assert_eq!(bench.arrivals(mobile(0)), 0);
        bench.cell.on_tune(us(6_000_000), mobile(0));
        assert!(bench.send(us(6_000_000), STATION, packet(6, STATION, mobile(0))));
        bench.run(us(7_000_000));
        assert_eq!(bench.arrivals(mobile(0)), 1);
    }
}

/// What became of three packets of a mobile that turned away `later` after its first frame of a kind
/// began: those that came back, arrived, and were given up. Its signal fades at once if it is to.
fn turns_away(
    dcf: DcfConfig,
    kind: FrameKind,
    later: Duration,
    fades: bool,
) -> (Vec<u32>, usize, Vec<(NodeId, u32)>) {
    let mut bench = Bench::new(dcf, 1, Share::NONE, 5);
    for id in [1, 2, 3] {
        assert!(bench.send(us(10_000), mobile(0), packet(id, mobile(0), STATION)));
    }
    while bench.sent(mobile(0), kind) == 0 {
        bench.wake(bench.cell.next_wake());
    }
    if fades {
        bench.weak = vec![mobile(0)];
    }
    let (began, _) = *bench.frames.last().expect("a frame");
    bench.run(began + later);
    let back = bench.cell.on_leave(began + later, mobile(0));
    bench.run(us(5_000_000));
    bench.wake(us(5_000_000));
    // Nothing is left, and the next visit begins afresh.
    assert!(bench.cell.on_leave(us(5_000_000), mobile(0)).is_empty());
    bench.weak.clear();
    bench.cell.on_tune(us(6_000_000), mobile(0));
    assert!(bench.send(us(6_000_000), mobile(0), packet(9, mobile(0), STATION)));
    bench.run(us(7_000_000));
    assert_eq!(bench.arrived.last().map(|one| one.2), Some(9));
    bench.assert_each_once();
    let back = back.iter().map(|one| one.id).collect();
    (back, bench.arrivals(STATION) - 1, bench.given_up)
}

/// What was never on the air comes back; an exchange whose data is out is finished; what was on the air
/// in vain is given up, since it may have arrived.
#[test]
fn a_mobile_that_turns_away_takes_back_what_was_never_on_the_air() {
    let soon = Duration::from_micros(100);
    let given_up = |id| vec![(mobile(0), id)];
    for fades in [false, true] {
        let came_back = turns_away(ns2(), FrameKind::Rts, soon, fades);
        assert_eq!(came_back, (vec![1, 2, 3], 0, Vec::new()));
    }
    for dcf in [ns2(), standard()] {
        let finished = turns_away(dcf, FrameKind::Data, soon, false);
        assert_eq!(finished, (vec![2, 3], 1, Vec::new()));
        let in_vain = turns_away(dcf, FrameKind::Data, soon, true);
        assert_eq!(in_vain, (vec![2, 3], 0, given_up(1)));
    }
    // Between two attempts: the data frame takes 4.3 ms, and its ACK is missed 0.3 ms later.
    let missed = Duration::from_micros(4_700);
    let in_vain = turns_away(standard(), FrameKind::Data, missed, true);
    assert_eq!(in_vain, (vec![2, 3], 0, given_up(1)));
    // Behind the first exchange the second packet is in hand.
    let second = turns_away(standard(), FrameKind::Data, missed, false);
    assert_eq!(second, (vec![2, 3], 1, Vec::new()));
}

/// Who does not listen may still send ahead into a cell: its MAC contends and takes the answers, and
/// nothing else.
#[test]
fn an_update_is_sent_ahead_into_a_cell_that_the_mobile_does_not_listen_to() {
    let mut bench = Bench::new(ns2(), 2, Share::NONE, 11);
    assert!(bench.cell.on_leave(us(0), mobile(0)).is_empty());
    // The cell is busy with somebody else's frame when the update comes.
    assert!(bench.send(us(0), STATION, packet(1, STATION, mobile(1))));
    assert!(bench.send(us(2_000), mobile(0), sized(2, 40, mobile(0), STATION)));
    assert!(bench.send(us(2_000), STATION, packet(3, STATION, mobile(0))));
    bench.run(us(10_000_000));
    assert_eq!(bench.collided, 0);
    assert_eq!(bench.arrivals(STATION), 1);
    assert_eq!(bench.arrivals(mobile(1)), 1);
    assert_eq!(bench.given_up, [(STATION, 3)]);
}

/// A mobile whose signal is too weak is not heard and hears nothing, whoever sends.
#[test]
fn a_weak_signal_is_not_heard() {
    let mut bench = Bench::new(ns2(), 2, Share::NONE, 2);
    bench.weak = vec![mobile(0)];
    assert!(bench.send(us(0), STATION, packet(1, STATION, mobile(0))));
    assert!(bench.send(us(0), mobile(0), packet(2, mobile(0), STATION)));
    bench.run(us(5_000_000));
    let mut given_up = bench.given_up.clone();
    given_up.sort_unstable();
    assert_eq!(given_up, [(STATION, 1), (mobile(0), 2)]);
    for node in [STATION, mobile(0)] {
        assert_eq!(bench.sent(node, FrameKind::Rts), 7);
    }
    assert_eq!(bench.cell.heard(mobile(0)), Duration::ZERO);
    assert_eq!(bench.cell.heard(mobile(1)), RTS * 7);
}

#[test]
fn a_full_queue_gives_the_packet_back() {
    let mut bench = Bench::new(ns2(), 1, Share::NONE, 2);
    let taken = (0..9).filter(|&id| bench.send(us(0), STATION, packet(id, STATION, mobile(0))));
    assert_eq!(taken.count(), 6);
}

/// Wakes that are not due change nothing.
#[test]
fn spurious_wakes_change_nothing() {
    for dcf in [ns2(), standard()] {
        let run = |more: bool| {
            let mut bench = Bench::new(dcf, 3, Share::from_percent(10), 9);
            let flows = [
                (STATION, mobile(0)),
                (mobile(1), STATION),
                (mobile(2), STATION),
            ];
            bench.saturate(&flows);
            for step in 0..4_000_u64 {
                let now = us(step * 37);
                bench.run(now);
                if more {
                    bench.wake(now);
                    bench.wake(now);
                }
            }
            (bench.frames, bench.arrived)
        };
        let plain = run(false);
        assert!(plain.1.len() > 15);
        assert_eq!(plain, run(true));
    }
}
