//! RACK and its probe of the tail (RFC 8985 §6, §7).

use crate::script::{MSS, Talk, at, eight_out, ms, standard};
use acklab_tcp::{SackConfig, SenderConfig, SenderNote, Variant};

fn config() -> SenderConfig {
    SenderConfig {
        variant: Variant::Sack,
        sack: SackConfig::rack(),
        ..standard()
    }
}

/// Packets 1 to 8 are out since 100 ms.
fn rack() -> Talk {
    eight_out(config())
}

/// RFC 8985 §6.2: three segments above the hole and no reordering so far: no window, lost at once.
#[test]
fn rack_needs_no_patience_before_reordering_was_seen() {
    let mut talk = rack();
    talk.sack(201, 0, &[(2, 2)]);
    talk.sack(202, 0, &[(2, 3)]);
    assert_eq!(talk.count(SenderNote::FastRetransmit), 0);
    talk.sent.clear();
    talk.sack(203, 0, &[(2, 4)]);
    assert_eq!(talk.count(SenderNote::FastRetransmit), 1);
    send!(talk, 1);
}

/// §6.2 steps 4 and 5: two segments only are above: a quarter of the shortest round trip (100 ms)
/// after one round trip.
#[test]
fn rack_waits_a_quarter_of_a_round_trip() {
    let mut talk = rack();
    talk.sack(201, 0, &[(2, 2)]);
    talk.sent.clear();
    // Sent at 100 ms; 101 ms of round trip and 25 ms (101 / 4).
    let due = at(100) + ms(101) + ms(101) / 4;
    assert_eq!(talk.sender.next_wake(), due);
    talk.sender.on_wake(due);
    talk.listen();
    assert_eq!(talk.count(SenderNote::FastRetransmit), 1);
    assert_eq!(talk.sent.first(), Some(&1));
}

/// §6.2 step 5: a retransmission that is lost again is found by what was sent after it.
#[test]
fn rack_finds_a_lost_retransmission() {
    let mut talk = rack();
    talk.sack(201, 0, &[(2, 4)]);
    talk.sack(202, 0, &[(2, 8)]);
    let again = talk.sent.iter().filter(|&&packet| packet == 1).count();
    assert_eq!(again, 1, "{:?}", talk.sent);
    let newest = *talk.sent.iter().max().expect("new data left");
    assert!(newest > 8);
    // New data sent after the repair arrives, a round trip and a quarter after the repair.
    talk.sack(400, 0, &[(2, newest)]);
    let again = talk.sent.iter().filter(|&&packet| packet == 1).count();
    assert_eq!(again, 2, "{:?}", talk.sent);
    assert_eq!(talk.count(SenderNote::Timeout), 0);
}

/// §7.2, §7.3: nothing more to send and nothing comes: after two round trips the last segment.
#[test]
fn a_tail_is_probed() {
    let mut config = config();
    config.initial_window = 4;
    let mut talk = Talk::new(config);
    talk.write(0, u64::from(3 * MSS));
    talk.sender.on_open(at(0));
    talk.listen();
    recv!(talk at 100, syn_ack);
    send!(talk, 0, 1, 2, 3);
    // srtt is 100 ms, from the SYN.
    talk.wake(300);
    send!(talk, 3);
    assert_eq!(talk.count(SenderNote::TailProbe), 1);
    // 1 and 2 were acknowledged late, 3 was lost and is repaired: one cut, when more is known.
    recv!(talk at 310, ack 2);
    recv!(talk at 400, ack 3);
    assert_eq!(talk.count(SenderNote::WindowCut), 0);
    talk.write(410, u64::from(MSS));
    recv!(talk at 500, ack 4);
    assert_eq!(talk.count(SenderNote::WindowCut), 1);
    assert_eq!(talk.count(SenderNote::Timeout), 0);
}

/// §7.4: the original arrived as well, as the duplicate block says: no cut.
#[test]
fn a_superfluous_probe_costs_nothing() {
    let mut config = config();
    config.initial_window = 4;
    let mut talk = Talk::new(config);
    talk.write(0, u64::from(3 * MSS));
    talk.sender.on_open(at(0));
    recv!(talk at 100, syn_ack);
    talk.wake(300);
    talk.sack(310, 3, &[]);
    talk.sack(400, 3, &[(3, 3)]);
    talk.write(410, u64::from(MSS));
    recv!(talk at 500, ack 4);
    assert_eq!(talk.count(SenderNote::WindowCut), 0);
}

/// §7.1: a recovery forgets the probe, whose answer made it begin: the window is cut once.
#[test]
fn a_probe_that_starts_a_recovery_costs_one_cut() {
    let mut talk = eight_out(SenderConfig {
        receiver_window: 8,
        ..config()
    });
    recv!(talk at 200, ack 4);
    send!(talk, 9, 10, 11, 12);
    // 5 to 12 are out and fill the receiver's window; the round trip is 100 ms.
    talk.wake(400);
    send!(talk, 12);
    cwnd!(talk, 9.0);
    // The probe arrives and what was sent before is lost: half of the eight in flight.
    talk.sack(500, 4, &[(12, 12)]);
    cwnd!(talk, 4.0);
    for packet in 5..=12 {
        talk.ack(560 + 10 * u64::from(packet), packet);
    }
    talk.ack(800, 13);
    assert_eq!(talk.count(SenderNote::WindowCut), 1);
    assert_eq!(talk.count(SenderNote::FastRetransmit), 1);
}

/// RFC 6298 §3, Karn's rule: a probe that repeats the segment being timed ends its timing.
#[test]
fn a_probe_ends_the_timing_of_what_it_repeats() {
    let mut talk = Talk::new(SenderConfig {
        initial_window: 1,
        ..config()
    });
    talk.write(0, u64::from(MSS));
    talk.sender.on_open(at(0));
    recv!(talk at 100, syn_ack);
    send!(talk, 0, 1);
    assert_eq!(talk.round_trips(), [ms(100)]);
    // Two round trips, and the longest delay of an ACK for a single segment.
    talk.wake(500);
    send!(talk, 1);
    recv!(talk at 600, ack 1);
    assert_eq!(talk.round_trips(), [ms(100)]);
}

/// Whether three segments above the hole behind `una`, which arrive at `now`, are enough: packets
/// up to `una` + 4 are out.
fn is_lost_at_once(talk: &mut Talk, now: u64, una: u32) -> bool {
    let before = talk.count(SenderNote::FastRetransmit);
    talk.sack(now, una, &[(una + 2, una + 4)]);
    talk.count(SenderNote::FastRetransmit) > before
}

/// §6.2 step 3: what was acknowledged selectively before a timeout is not delivered anew, below the
/// highest that was, when the ACK jumps over it.
#[test]
fn a_timeout_does_not_look_like_reordering() {
    let mut talk = eight_out(SenderConfig {
        limited_transmit: false,
        ..config()
    });
    // 1 and 6 are lost, and so is all that leaves from now on until the timer expires.
    talk.sack(201, 0, &[(2, 5)]);
    talk.sack(202, 0, &[(7, 8), (2, 5)]);
    send!(talk, 1, 6, 9, 10);
    while talk.count(SenderNote::Timeout) == 0 {
        talk.sender.on_wake(talk.sender.next_wake());
        talk.listen();
    }
    send!(talk, 1);
    // It fills the gap up to 5; nobody sent 2 to 5 again.
    talk.ack(2000, 5);
    send!(talk, 6, 7);
    talk.ack(2100, 8);
    talk.ack(2200, 10);
    talk.sent.clear();
    talk.ack(2300, 14);
    send!(talk, 15, 16, 17, 18, 19);
    assert!(is_lost_at_once(&mut talk, 2400, 14));
}

/// Step 3 with two islands in one ACK, the newest first (RFC 2018 §4): the ACK that told of the lower
/// one alone was lost.
#[test]
fn a_lost_ack_does_not_look_like_reordering() {
    for lost in [false, true] {
        let mut talk = rack();
        if !lost {
            talk.sack(201, 0, &[(2, 2)]);
        }
        talk.sack(202, 0, &[(4, 4), (2, 2)]);
        assert_eq!(talk.count(SenderNote::FastRetransmit), 0);
        // Three above 1.
        talk.sack(203, 0, &[(4, 5), (2, 2)]);
        assert_eq!(talk.count(SenderNote::FastRetransmit), 1, "{lost}");
    }
}
