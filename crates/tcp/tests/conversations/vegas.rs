//! TCP Vegas rule by rule, and next to each rule what ns-2 does instead (Brakmo and Peterson 1995,
//! "BP"; ElRakabawy et al. 2005, "EL").

use crate::script::{Talk, at, established, ns2, standard};
use acklab_base::Duration;
use acklab_tcp::vegas::{
    BaseRtt, Diff, FirstFlight, Handshake, Increase, Rates, Records, RoundTrip, VegasConfig,
};
use acklab_tcp::{SenderConfig, SenderNote, Variant};

/// The published algorithm over ns-2's timers, one segment at first.
fn vegas() -> SenderConfig {
    let mut config = ns2().with_variant(Variant::Vegas);
    config.vegas = VegasConfig::published();
    config.limited_transmit = false;
    config.initial_window = 1;
    config
}

/// In congestion avoidance with `window` packets out since 100 ms.
fn avoiding(mut config: SenderConfig, window: u32) -> Talk {
    config.initial_ssthresh = Some(2);
    config.initial_window = window;
    established(config)
}

/// BP §III.C: exponential growth every other round; in between the window stays.
#[test]
fn slow_start_doubles_every_other_round() {
    let mut talk = established(vegas());
    recv!(talk at 200, ack 1);
    send!(talk, 2, 3);
    recv!(talk at 300, ack 2, 3);
    send!(talk, 4, 5);
    cwnd!(talk, 2.0);
    recv!(talk at 400, ack 4, 5);
    send!(talk, 6, 7, 8, 9);
    cwnd!(talk, 4.0);
    recv!(talk at 500, ack 6, 7, 8, 9);
    send!(talk, 10, 11, 12, 13);
    cwnd!(talk, 4.0);
}

/// BP §III.C: slow start ends when the actual rate falls behind the expected one by gamma. Window
/// 4, base 100 ms, 200 ms now: 4 − 4 × 100/200 = 2. The window gives back an eighth.
#[test]
fn slow_start_ends_above_gamma() {
    for (gamma, window) in [(1.0, 3.5), (2.5, 5.0)] {
        let mut config = vegas();
        config.vegas.gamma = gamma;
        let mut talk = established(config);
        recv!(talk at 200, ack 1);
        recv!(talk at 300, ack 2, 3);
        recv!(talk at 400, ack 4, 5);
        recv!(talk at 500, ack 6, 7, 8, 9);
        recv!(talk at 700, ack 10);
        cwnd!(talk, window);
    }
}

/// Slow start after a timeout ends at the threshold, too. RFC 5681 §3.1.
#[test]
fn slow_start_ends_at_the_threshold() {
    let mut config = vegas();
    config.initial_ssthresh = Some(2);
    let mut talk = established(config);
    recv!(talk at 200, ack 1);
    cwnd!(talk, 2.0);
    recv!(talk at 300, ack 2);
    cwnd!(talk, 3.0);
}

/// EL §3.1: W + 1 below alpha, W between, W − 1 above beta; one decision a round.
#[test]
fn the_window_follows_the_difference_once_a_round() {
    let mut talk = avoiding(vegas(), 4);
    recv!(talk at 200, ack 1);
    cwnd!(talk, 5.0);
    recv!(talk at 200, ack 2, 3, 4);
    cwnd!(talk, 5.0);
    talk.sent.clear();
    // 5 − 5 × 100/200 = 2.5: between 1 and 3.
    recv!(talk at 400, ack 5);
    cwnd!(talk, 5.0);
    recv!(talk at 400, ack 6, 7, 8, 9);
    // 5 − 5 × 100/400 = 3.75.
    recv!(talk at 800, ack 10);
    cwnd!(talk, 4.0);
}

/// EL, footnote 1: to hold with alpha = beta is rare with a real difference. 5 − 5 × 100/180 = 2.22.
#[test]
fn ns2_rounds_the_difference() {
    for (diff, window) in [(Diff::Real, 4.0), (Diff::Rounded, 5.0)] {
        let mut config = vegas();
        config.vegas = config.vegas.with_thresholds(2.0, 2.0, 2.0);
        config.vegas.diff = diff;
        let mut talk = avoiding(config, 4);
        recv!(talk at 200, ack 1, 2, 3, 4);
        recv!(talk at 380, ack 5);
        cwnd!(talk, window);
    }
}

/// With one ACK for several packets ns-2's window grows by a quarter where the published one grows by
/// a whole segment; and not at all when that ACK leaves more than two segments of it unused.
#[test]
fn ns2_grows_with_each_ack() {
    for (increase, last, window) in [
        (Increase::PerRound, 3, 5.0),
        (Increase::PerRound, 4, 5.0),
        (Increase::PerAck, 3, 4.25),
        (Increase::PerAck, 4, 4.0),
    ] {
        let mut config = vegas();
        config.vegas.increase = increase;
        let mut talk = avoiding(config, 4);
        recv!(talk at 200, ack last);
        cwnd!(talk, window);
    }
}

/// ns-2 counts what is under way and what was sent in the round: after an ACK of all four of the
/// window, one segment is expected (the one to leave next) and four were sent, so no rise of the
/// round-trip time is ever too much.
#[test]
fn ns2_counts_what_is_under_way() {
    for (rates, window) in [(Rates::Window, 4.0), (Rates::InFlight, 6.0)] {
        let mut config = vegas();
        config.vegas.rates = rates;
        let mut talk = avoiding(config, 4);
        recv!(talk at 200, ack 4);
        recv!(talk at 600, ack 9);
        cwnd!(talk, window);
    }
}

/// The latest round-trip time (300 ms, 5 − 5/3 = 3.3 > 3) against the mean of the round (four of 100
/// ms, and the first of the next round is not in it). BP §III.B leaves open which round-trip time
/// is the actual one.
#[test]
fn ns2_takes_the_mean_of_the_round() {
    for (rule, window) in [(RoundTrip::Latest, 4.0), (RoundTrip::Mean, 6.0)] {
        let mut config = vegas();
        config.vegas.round_trip = rule;
        let mut talk = avoiding(config, 4);
        recv!(talk at 200, ack 1, 2, 3, 4);
        recv!(talk at 500, ack 5);
        cwnd!(talk, window);
    }
}

/// BP §III.B: the base is the smallest round-trip time. ns-2 forgets it when one segment made the
/// round: with a window of one on a path that became longer, nothing ever looks crowded.
#[test]
fn ns2_replaces_the_base_when_alone() {
    for (rule, window) in [(BaseRtt::Minimum, 2.0), (BaseRtt::ReplacedWhenAlone, 3.0)] {
        let mut config = vegas();
        config.vegas.base_rtt = rule;
        config.vegas = config.vegas.with_thresholds(0.25, 3.0, 1.0);
        config.receiver_window = 1;
        let mut talk = avoiding(config, 1);
        recv!(talk at 200, ack 1);
        cwnd!(talk, 2.0);
        // 1 − 1 × 100/400 = 0.75.
        recv!(talk at 600, ack 2);
        cwnd!(talk, window);
    }
}

/// A SYN is no data segment. In ns-2 its time, lost SYNs and searches for a route included, is the
/// first base: 50 ms here, so that 100 ms for the first data look crowded.
#[test]
fn ns2_learns_from_the_handshake() {
    for (rule, window) in [(Handshake::Ignored, 5.0), (Handshake::Sampled, 4.0)] {
        let mut config = vegas();
        config.vegas.handshake = rule;
        config.initial_ssthresh = Some(2);
        config.initial_window = 4;
        let mut talk = crate::script::syn_sent(config);
        recv!(talk at 50, syn_ack);
        // 4 − 4 × 50/100 = 2.
        recv!(talk at 150, ack 1);
        cwnd!(talk, window);
    }
}

/// ns-2 starts Vegas with one segment; BP §III.C doubles from the initial window.
#[test]
fn ns2_sends_one_segment_first() {
    for (rule, first) in [
        (FirstFlight::InitialWindow, vec![1, 2, 3, 4]),
        (FirstFlight::OneSegment, vec![1]),
    ] {
        let mut config = vegas();
        config.vegas.first_flight = rule;
        config.initial_window = 4;
        let mut talk = crate::script::syn_sent(config);
        recv!(talk at 100, syn_ack);
        assert_eq!(std::mem::take(&mut talk.sent), first);
    }
}

/// BP §III.A: any duplicate repairs a segment that is late. Four samples of 100 ms leave deviations
/// of 50, 37.5, 28.1 and 21.1 ms, so packet 5 of 200 ms is late from 384 on.
#[test]
fn a_late_segment_is_repaired_before_the_third_duplicate() {
    let mut talk = avoiding(vegas(), 4);
    recv!(talk at 200, ack 1, 2, 3, 4);
    send!(talk, 5, 6, 7, 8, 9);
    recv!(talk at 384, ack 4);
    send!(talk);
    recv!(talk at 385, ack 4);
    // 5 less a quarter, inflated by 2, holds 5 to 10.
    send!(talk, 5, 10);
    assert_eq!(talk.count(SenderNote::FastRetransmit), 1);
}

/// BP §III.A: the third duplicate repairs in any case.
#[test]
fn the_third_duplicate_repairs_in_any_case() {
    let mut talk = avoiding(vegas(), 4);
    recv!(talk at 200, ack 1, 2, 3, 4);
    send!(talk, 5, 6, 7, 8, 9);
    recv!(talk at 300, ack 4, 4);
    send!(talk);
    recv!(talk at 300, ack 4);
    // 5 less a quarter, inflated by 3, holds 5 to 11.
    send!(talk, 5, 10, 11);
}

/// BP §III.A: the first and the second new ACK after a repair look for another late segment,
/// without waiting for duplicates and without another cut.
#[test]
fn the_first_two_acks_after_a_repair_look_further() {
    let mut talk = avoiding(vegas(), 8);
    recv!(talk at 200, ack 1, 2, 3, 4, 5, 6, 7, 8);
    talk.sent.clear();
    // 9 to 12 of 9 to 17 are lost. What left twice measures nothing, so the timeout stays.
    recv!(talk at 300, ack 8, 8, 8);
    send!(talk, 9, 18);
    let after_cut = talk.sender.cwnd();
    recv!(talk at 400, ack 9);
    send!(talk, 10);
    recv!(talk at 500, ack 10);
    send!(talk, 11);
    // 12 is as late, but this is the third ACK.
    recv!(talk at 600, ack 11);
    assert!(!talk.sent.contains(&12));
    assert_eq!(talk.count(SenderNote::WindowCut), 1);
    assert!(talk.sender.cwnd() <= after_cut + 2.0);
}

/// BP §III.A: only a loss at the present rate cuts the window, by a quarter; the repair itself
/// lost again is one, and cuts by half.
#[test]
fn a_loss_from_before_the_last_cut_does_not_cut_again() {
    let mut talk = avoiding(vegas(), 8);
    recv!(talk at 200, ack 1, 2, 3, 4, 5, 6, 7, 8);
    recv!(talk at 300, ack 8, 8, 8);
    // 9 segments, less a quarter: 9 − 2.
    cwnd!(talk, 7.0);
    // 10 left before the cut and is lost, too.
    recv!(talk at 310, ack 9, 9, 9, 9);
    cwnd!(talk, 7.0);
    assert_eq!(talk.count(SenderNote::FastRetransmit), 2);
    assert_eq!(talk.count(SenderNote::WindowCut), 1);
    // Its repair, of 310 ms, is lost again: half of 7.
    recv!(talk at 1200, ack 9);
    assert_eq!(talk.count(SenderNote::WindowCut), 2);
    cwnd!(talk, 3.0);
}

/// EL table 1: one segment after a timeout; ns-2 two.
#[test]
fn the_window_after_a_timeout() {
    for (vegas_rules, packets) in [
        (VegasConfig::published(), vec![1]),
        (VegasConfig::ns2(), vec![1, 2]),
    ] {
        let mut config = vegas();
        config.vegas = vegas_rules;
        config.vegas.first_flight = FirstFlight::InitialWindow;
        config.initial_window = 4;
        let mut talk = established(config);
        let when = talk.sender.next_wake().as_nanos() / 1_000_000;
        talk.wake(when);
        assert_eq!(std::mem::take(&mut talk.sent), packets);
        ssthresh!(talk, 2.0);
    }
}

/// ns-2's repair doubles the coarse timeout; RFC 6298 §5 doubles it when the timer went off.
#[test]
fn ns2_backs_off_at_a_repair() {
    for backs_off in [false, true] {
        let mut config = vegas();
        config.vegas.backs_off_at_repair = backs_off;
        let mut talk = avoiding(config, 4);
        recv!(talk at 200, ack 1, 2, 3, 4);
        let timeout = talk.sender.rto();
        recv!(talk at 300, ack 4, 4, 4);
        let factor = if backs_off { 2 } else { 1 };
        assert_eq!(talk.sender.rto(), timeout * factor);
        assert_eq!(talk.sender.next_wake(), at(300) + timeout * factor);
    }
}

/// A window of 4 puts packets 3 and 4 into places 3 and 0 of ns-2's ring: an ACK of both leaves
/// their records, and the next users of the places seem to have left twice, so that their ACKs
/// measure nothing.
#[test]
fn ns2_keeps_records_at_the_rings_end() {
    for (rule, window) in [(Records::Cleared, 3.0), (Records::KeptAtRingEnd, 4.0)] {
        let mut config = vegas();
        config.receiver_window = 4;
        config.vegas.records = rule;
        config.vegas = config.vegas.with_thresholds(0.5, 1.0, 1.0);
        let mut talk = avoiding(config, 3);
        recv!(talk at 200, ack 2);
        cwnd!(talk, 4.0);
        // 3 is answered with 4, which left at 200 as the last of a round.
        recv!(talk at 300, ack 4);
        recv!(talk at 350, ack 5, 6);
        talk.sent.clear();
        // 8 lies where 4 lay. 4 − 4 × 100/400 = 3 is above beta, if it is measured.
        let before = talk.sender.cwnd();
        recv!(talk at 700, ack 8);
        assert!((talk.sender.cwnd() - (before + window - 4.0)).abs() < 1e-9);
    }
}

/// The standard profile runs Vegas, too, with the advertised window as bound. BP §III; RFC 9293
/// §3.8.6 for the bound.
#[test]
fn the_standard_profile_has_the_published_rules() {
    let mut config = standard().with_variant(Variant::Vegas);
    assert_eq!(config.vegas, VegasConfig::published());
    config.initial_window = 2;
    config.limited_transmit = false;
    let mut talk = established(config);
    talk.ack_with_window(200, 1, 1000);
    send!(talk);
    assert!(talk.sender.rto() >= Duration::from_secs(1));
}
