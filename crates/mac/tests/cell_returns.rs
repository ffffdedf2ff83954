//! A mobile that is back in a cell before what it left there is over, or that sends ahead into it: nothing
//! is lost untold, and nothing arrives twice.

use crate::cell_common::{Bench, STATION, mobile, packet, us};
use acklab_base::{BitRate, Duration, Instant, Share};
use acklab_mac::DcfConfig;
use acklab_wire::FrameKind;

/// 802.11 at 2 Mbit/s without RTS. A packet of 1000 bytes takes 192 µs and 1036 × 4 µs; its ACK begins
/// 10 µs later and takes 304 µs.
fn bench() -> Bench {
    let dcf = DcfConfig {
        data_rate: BitRate::MBPS_2,
        ..DcfConfig::standard()
    };
    Bench::new(dcf, 1, Share::NONE, 5)
}

/// Runs until a node's next data frame begins.
fn until_data(bench: &mut Bench, node: acklab_base::NodeId) -> Instant {
    let before = bench.sent(node, FrameKind::Data);
    while bench.sent(node, FrameKind::Data) == before {
        bench.wake(bench.cell.next_wake());
    }
    bench.frames.last().expect("a frame").0
}

/// Runs on with a signal that is too weak until then.
fn faded(bench: &mut Bench, until: Instant) {
    bench.weak = vec![mobile(0)];
    bench.run(until);
    bench.weak.clear();
}

fn arrived(bench: &Bench) -> Vec<u32> {
    bench.arrived.iter().map(|one| one.2).collect()
}

/// A mobile whose data frame is out, 100 µs after it began.
fn in_an_exchange() -> (Bench, Instant) {
    let mut bench = bench();
    assert!(bench.send(us(10_000), mobile(0), packet(1, mobile(0), STATION)));
    let began = until_data(&mut bench, mobile(0));
    (bench, began + Duration::from_micros(100))
}

/// It turns away and back while its data frame is out: the exchange goes on as any other, repeated if it
/// must, and what it sends then follows.
#[test]
fn a_mobile_that_is_back_before_its_exchange_is_over_goes_on_with_it() {
    for fades in [false, true] {
        let (mut bench, now) = in_an_exchange();
        assert!(bench.cell.on_leave(now, mobile(0)).is_empty());
        bench.cell.on_tune(now, mobile(0));
        for id in [2, 3] {
            assert!(bench.send(now, mobile(0), packet(id, mobile(0), STATION)));
        }
        if fades {
            // The station does not understand the data.
            faded(&mut bench, now + Duration::from_micros(4_700));
        }
        bench.run(us(5_000_000));
        assert_eq!(arrived(&bench), [1, 2, 3], "fades: {fades}");
        assert_eq!(bench.given_up, []);
    }
}

/// It turns away while its data frame is out, and sends ahead into the same cell: what it sends ahead is no
/// part of the old exchange.
#[test]
fn what_is_sent_ahead_during_the_last_exchange_is_not_given_up_with_it() {
    for fades in [false, true] {
        let (mut bench, now) = in_an_exchange();
        assert!(bench.cell.on_leave(now, mobile(0)).is_empty());
        for id in [2, 3] {
            assert!(bench.send(now, mobile(0), packet(id, mobile(0), STATION)));
        }
        if fades {
            faded(&mut bench, now + Duration::from_micros(4_700));
        }
        bench.run(us(5_000_000));
        let (here, gone) = if fades {
            (vec![2, 3], vec![(mobile(0), 1)])
        } else {
            (vec![1, 2, 3], Vec::new())
        };
        assert_eq!(arrived(&bench), here);
        assert_eq!(bench.given_up, gone);
    }
}

/// Takes back a packet that waits for the medium: the MAC of this visit is gone with it.
fn leaves_with_one_in_hand(bench: &mut Bench, now: Instant, id: u32) {
    assert!(bench.send(now, mobile(0), packet(id, mobile(0), STATION)));
    let back = bench.cell.on_leave(now, mobile(0));
    assert_eq!(back.len(), 1);
    bench.cell.on_tune(now, mobile(0));
}

/// The first frame of the last visit was the only one; the first of this one has to be repeated. The
/// station takes it for what it is.
#[test]
fn a_repetition_is_no_duplicate_of_the_last_visits_frame() {
    let mut bench = bench();
    assert!(bench.send(us(10_000), mobile(0), packet(1, mobile(0), STATION)));
    bench.run(us(15_000));
    // The medium is busy for the second one, which is never on the air.
    assert!(bench.send(us(20_000), STATION, packet(2, STATION, mobile(0))));
    leaves_with_one_in_hand(&mut bench, us(20_100), 3);
    bench.run(us(30_000));
    assert!(bench.send(us(40_000), mobile(0), packet(4, mobile(0), STATION)));
    let began = until_data(&mut bench, mobile(0));
    faded(&mut bench, began + Duration::from_micros(4_700));
    bench.run(us(5_000_000));
    assert_eq!(arrived(&bench), [1, 2, 4]);
    assert_eq!(bench.given_up, []);
}

/// The mobile took a packet, its ACK was lost, and it turned away and back: it knows the repetition.
#[test]
fn what_was_taken_in_the_last_visit_is_not_taken_again() {
    let mut bench = bench();
    assert!(bench.send(us(10_000), STATION, packet(1, STATION, mobile(0))));
    let began = until_data(&mut bench, STATION);
    let here = began + Duration::from_micros(4_400);
    bench.run(here);
    assert_eq!(bench.arrivals(mobile(0)), 1);
    assert!(bench.send(here, mobile(0), packet(2, mobile(0), STATION)));
    let after_the_ack = began + Duration::from_micros(4_660);
    faded(&mut bench, after_the_ack);
    let back = bench.cell.on_leave(after_the_ack, mobile(0));
    assert_eq!(back.len(), 1);
    bench.cell.on_tune(after_the_ack, mobile(0));
    bench.run(us(5_000_000));
    assert!(bench.sent(STATION, FrameKind::Data) > 1, "a repetition");
    assert_eq!(bench.arrivals(mobile(0)), 1);
    bench.assert_each_once();
}
