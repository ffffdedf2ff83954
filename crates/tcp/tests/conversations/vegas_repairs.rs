//! How TCP Vegas repairs, where ns-2 differs: the exact timeout, what is left of an inflated window,
//! what the check after a repair may send, and the round that a timeout interrupts (Brakmo and Peterson
//! 1995, "BP"; the ns-2 side was read off the running ns-2.35).

use crate::script::{Talk, at, established, ns2, standard};
use acklab_tcp::vegas::{Deflation, FineTimeout, FirstFlight, Recheck, RoundTrip, VegasConfig};
use acklab_tcp::{Idle, SenderConfig, SenderNote, Variant};

/// In congestion avoidance with `window` packets out since 100 ms.
fn avoiding(change: impl Fn(&mut VegasConfig), window: u32) -> Talk {
    let mut config: SenderConfig = ns2().with_variant(Variant::Vegas);
    config.vegas = VegasConfig::published();
    change(&mut config.vegas);
    config.limited_transmit = false;
    config.initial_ssthresh = Some(2);
    config.initial_window = window;
    established(config)
}

/// The retransmission timer goes off, at the time returned.
fn time_out(talk: &mut Talk) -> u64 {
    let when = talk.sender.next_wake().as_nanos() / 1_000_000;
    talk.wake(when);
    talk.sent.clear();
    when
}

/// BP §III.A leaves the exact timeout open. Four samples of 100 ms: Jacobson's is 100 + 4 × 21.1 = 184.4
/// ms, ns-2's 17/16 × (100 + 2 × 21.1) = 151.1, so packet 5 of 200 ms is late from 384.4 and from 351.1 on.
#[test]
fn ns2_repairs_sooner() {
    for (rule, early) in [(FineTimeout::Jacobson, 384), (FineTimeout::Tight, 351)] {
        let mut talk = avoiding(|vegas| vegas.fine_timeout = rule, 4);
        recv!(talk at 200, ack 1, 2, 3, 4);
        send!(talk, 5, 6, 7, 8, 9);
        recv!(talk at early, ack 4);
        send!(talk);
        recv!(talk at early + 1, ack 4);
        // 5 less a quarter, inflated by 2, holds 5 to 10.
        send!(talk, 5, 10);
    }
}

/// BP §III.A: 9 less a quarter is 7, and recovery's inflation goes with the new ACK. In ns-2 it goes
/// only if more than three duplicates came; after just three the window keeps it.
#[test]
fn ns2_keeps_the_inflation_of_three_duplicates() {
    for (rule, duplicates, window) in [
        (Deflation::Whole, 3, 7.0),
        (Deflation::ToLastCut, 3, 10.0),
        (Deflation::Whole, 4, 7.0),
        (Deflation::ToLastCut, 4, 7.0),
    ] {
        let mut talk = avoiding(|vegas| vegas.deflation = rule, 8);
        recv!(talk at 200, ack 1, 2, 3, 4, 5, 6, 7, 8);
        for _ in 0..duplicates {
            recv!(talk at 300, ack 8);
        }
        cwnd!(talk, 7.0);
        // 9 left twice: it measures nothing, so that no decision hides the rule.
        recv!(talk at 310, ack 9);
        cwnd!(talk, window);
    }
}

/// After a timeout no cut has left anything (in ns-2 a variable that nobody has set yet or that the
/// timeout has set to 0): with more than three duplicates the window falls to nothing, and ns-2 waits for
/// the timer. RFC 6298 §5 for the timer.
#[test]
fn ns2_falls_silent_after_a_timeout_and_four_duplicates() {
    for (rule, window) in [(Deflation::Whole, 1.0), (Deflation::ToLastCut, 0.0)] {
        let mut talk = avoiding(|vegas| vegas.deflation = rule, 4);
        recv!(talk at 200, ack 1, 2, 3, 4);
        let when = time_out(&mut talk);
        for _ in 0..4 {
            recv!(talk at when + 50, ack 4);
        }
        recv!(talk at when + 100, ack 5);
        cwnd!(talk, window);
        talk.sent.clear();
        // 6 left with the fourth duplicate.
        recv!(talk at when + 150, ack 6);
        assert_eq!(talk.sent.is_empty(), window < 1.0, "{:?}", talk.sent);
        let next = talk.sender.next_wake().as_nanos() / 1_000_000;
        talk.sent.clear();
        talk.wake(next);
        assert!(!talk.sent.is_empty());
    }
}

/// BP §III.A: the first two new ACKs after a repair look whether the next segment is late. When all that
/// was sent is acknowledged, ns-2 finds no record of the next one, sends it, and once more in its turn.
#[test]
fn ns2_may_send_a_packet_for_the_first_time_twice() {
    for (rule, sent) in [
        (Recheck::UnderWay, vec![12, 13, 14, 15, 16]),
        (Recheck::Any, vec![12, 12, 13, 14, 15, 16]),
    ] {
        let mut talk = avoiding(|vegas| vegas.recheck = rule, 4);
        recv!(talk at 200, ack 1, 2, 3, 4);
        recv!(talk at 300, ack 4, 4, 4);
        // 5 again; 5 less a quarter, inflated by 3, holds 5 to 11.
        send!(talk, 5, 6, 7, 8, 9, 5, 10, 11);
        recv!(talk at 400, ack 11);
        assert_eq!(std::mem::take(&mut talk.sent), sent);
    }
}

/// BP §III.C decides once a round. After a timeout a new round begins with the first packet that leaves
/// again, and slow start opens the window with its ACK; ns-2's old one goes on to packet 10 of before
/// the loss, and the window waits for it.
#[test]
fn ns2_goes_on_with_the_round_before_the_timeout() {
    for (new_round, window) in [(true, 2.0), (false, 1.0)] {
        let change = |vegas: &mut VegasConfig| {
            vegas.new_round_after_timeout = new_round;
            vegas.round_trip = RoundTrip::Mean;
        };
        let mut talk = avoiding(change, 4);
        recv!(talk at 200, ack 1, 2, 3, 4);
        // Ends a round, the next one with the ACK of packet 10.
        recv!(talk at 300, ack 5);
        let when = time_out(&mut talk);
        cwnd!(talk, 1.0);
        recv!(talk at when + 100, ack 6);
        cwnd!(talk, window);
    }
}

/// ns-2's Vegas falls to what the last cut left when a new ACK follows more than three duplicates:
/// after a timeout to nothing. The timer ends the silence, whatever the sender does with pauses, and
/// also where the receiver's window was closed meanwhile. RFC 9293 §3.8.6.1.
#[test]
fn the_timer_opens_a_window_that_vegas_closed() {
    for idle in [Idle::TimerFires, Idle::AfterRto] {
        for closed in [false, true] {
            let mut config = ns2().with_variant(Variant::Vegas);
            (config.honour_advertised, config.window_probes) = (true, true);
            config.limited_transmit = false;
            config.initial_window = 8;
            config.idle = idle;
            let mut talk = established(SenderConfig {
                vegas: VegasConfig {
                    first_flight: FirstFlight::InitialWindow,
                    ..VegasConfig::ns2()
                },
                ..config
            });
            recv!(talk at 200, ack 1);
            let when = time_out(&mut talk);
            recv!(talk at when + 10, ack 1, 1, 1, 1);
            talk.sent.clear();
            talk.ack_with_window(when + 20, 9, if closed { 0 } else { 20_000 });
            cwnd!(talk, 0.0);
            if closed {
                talk.ack_with_window(when + 30, 9, 20_000);
            }
            send!(talk);
            time_out(&mut talk);
            cwnd!(talk, 2.0);
            assert!((talk.sender.flight() - 2.0).abs() < 1e-9);
        }
    }
}

/// Time has no first instant: a segment that left at 0 s without a handshake is as good as any
/// other, so its loss cuts 9 by a quarter. BP §III.A.
#[test]
fn a_loss_from_the_very_beginning_cuts() {
    for start in [0, 1] {
        let mut config = standard().with_variant(Variant::Vegas);
        config.limited_transmit = false;
        (config.handshake, config.initial_window) = (false, 8);
        let mut talk = Talk::new(config);
        talk.write(start, u64::MAX);
        talk.sender.on_open(at(start));
        recv!(talk at start + 100, ack 1);
        recv!(talk at start + 101, ack 1, 1, 1);
        assert_eq!(talk.count(SenderNote::FastRetransmit), 1);
        cwnd!(talk, 7.0);
    }
}
