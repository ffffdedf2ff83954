//! What else a sender may make of losses: Explicit Loss Notification (Balakrishnan and Katz 1998)
//! and TCP Westwood's window (Mascolo et al. 2001).

use crate::script::{Talk, answer, eight_out, ms, ns2, standard};
use acklab_tcp::{BandwidthFilter, Phase, SackConfig, SenderNote, Variant};

fn noticed(talk: &mut Talk, now: u64, packet: u32) {
    let mut ack = answer(talk.sender.config(), packet * 1000);
    ack.options.eln = true;
    talk.hear(now, &ack);
}

/// The segment leaves again at once, and neither window nor threshold changes. Balakrishnan and
/// Katz 1998 §3.
#[test]
fn a_marked_duplicate_repairs_without_a_cut() {
    let mut config = standard();
    config.eln = true;
    let mut talk = eight_out(config);
    let (cwnd, ssthresh) = (talk.sender.cwnd(), talk.sender.ssthresh());
    for when in 201..206 {
        noticed(&mut talk, when, 0);
    }
    send!(talk, 1);
    cwnd!(talk, cwnd);
    ssthresh!(talk, ssthresh);
    assert_eq!(talk.sender.phase(), Phase::Open);
    assert_eq!(talk.count(SenderNote::WindowCut), 0);
    // Once in a round trip (100 ms by the SYN): the repair may be lost as well.
    noticed(&mut talk, 301, 0);
    send!(talk, 1);
    assert_eq!(talk.count(SenderNote::LossNotice), 2);
    // Without the mark it is congestion.
    recv!(talk at 302, ack 0, 0, 0);
    assert_eq!(talk.count(SenderNote::FastRetransmit), 1);
}

/// Selective acknowledgements change nothing about it. Packets 1 and 5 of eight are lost: each is
/// repaired when a marked duplicate asks for it, also the second, of which the ACK of the first
/// repair tells, and there is no cut. Without the mark there is one. Balakrishnan and Katz 1998 §3.
#[test]
fn marks_go_before_the_scoreboard() {
    for detection in [SackConfig::rfc6675(), SackConfig::rack()] {
        for marked in [true, false] {
            let mut config = standard().with_variant(Variant::Sack);
            (config.eln, config.sack) = (true, detection);
            config.limited_transmit = false;
            let mut talk = eight_out(config);
            let hear = |talk: &mut Talk, now: u64, packet: u32, blocks: &[(u32, u32)]| {
                let mut ack = answer(&config, packet * 1000);
                ack.options.eln = marked;
                for &(first, last) in blocks {
                    let number = |packets: u32| config.iss.add(1 + packets * 1000);
                    ack.options.sack.push((number(first - 1), number(last)));
                }
                talk.hear(now, &ack);
            };
            for last in 2..=4 {
                hear(&mut talk, 201, 0, &[(2, last)]);
            }
            for last in 6..=8 {
                hear(&mut talk, 202, 0, &[(6, last), (2, 4)]);
            }
            if !marked {
                assert_eq!(talk.count(SenderNote::WindowCut), 1);
                continue;
            }
            send!(talk, 1);
            talk.sack(301, 4, &[(6, 8)]);
            // Slow start: 8 and 1 segments from 5 on.
            send!(talk, 9, 10, 11, 12, 13);
            for last in 9..=12 {
                hear(&mut talk, 401, 4, &[(6, last)]);
            }
            send!(talk, 5);
            assert_eq!(talk.sender.phase(), Phase::Open);
            assert_eq!(talk.count(SenderNote::WindowCut), 0);
            assert_eq!(talk.count(SenderNote::LossNotice), 2);
        }
    }
}

/// A segment that a partial ACK made leave again is not sent once more for a mark within the round
/// trip. Balakrishnan and Katz 1998 §3.
#[test]
fn a_mark_adds_no_second_repair() {
    let mut config = standard();
    config.eln = true;
    config.limited_transmit = false;
    let mut talk = eight_out(config);
    recv!(talk at 201, ack 0, 0, 0);
    recv!(talk at 301, ack 4);
    send!(talk, 1, 5);
    noticed(&mut talk, 302, 4);
    noticed(&mut talk, 400, 4);
    send!(talk);
    // The repair of 301 ms is lost as well.
    noticed(&mut talk, 401, 4);
    send!(talk, 5);
}

/// Who does not know the mark sees a duplicate. RFC 5681 §3.2.
#[test]
fn the_mark_means_nothing_to_others() {
    let mut talk = eight_out(standard());
    for when in 201..204 {
        noticed(&mut talk, when, 0);
    }
    assert_eq!(talk.count(SenderNote::FastRetransmit), 1);
}

/// One segment in 10 ms. A window of 8 makes its round trips 80 ms long, so eight segments are what
/// the path carries; one of 14 fills a queue behind the 100 ms of the SYN, and ten are. A loss sets
/// the threshold there; a window below it stays, a larger one falls to it. Mascolo et al. 2001 §2.
#[test]
fn a_loss_asks_what_the_path_carries() {
    for (start, expected) in [(8, 8.0), (14, 10.0)] {
        let mut config = ns2();
        config.receiver_window = 100;
        config.initial_window = start;
        config.initial_ssthresh = Some(start);
        config.limited_transmit = false;
        config.westwood = Some(BandwidthFilter::Plus);
        let mut talk = crate::script::established(config);
        let mut now = 200;
        for packet in 1..=40 {
            recv!(talk at now, ack packet);
            now += 10;
        }
        talk.sent.clear();
        let before = talk.sender.cwnd();
        recv!(talk at now, ack 40, 40, 40);
        assert_eq!(talk.count(SenderNote::FastRetransmit), 1);
        let ssthresh = talk.sender.ssthresh();
        assert!((ssthresh - expected).abs() < 0.6, "{ssthresh}");
        let after = talk.sender.cwnd();
        assert!((after - before.min(ssthresh)).abs() < 1e-9, "{after}");
    }
}

/// A timeout falls to one segment, with the same threshold. Mascolo et al. 2001 §2.
#[test]
fn a_timeout_keeps_the_estimate() {
    let mut config = ns2();
    config.initial_window = 8;
    config.westwood = Some(BandwidthFilter::Original { tau: ms(500) });
    let mut talk = crate::script::established(config);
    for packet in 1..=60 {
        recv!(talk at 190 + 10 * u64::from(packet), ack packet);
    }
    let when = talk.sender.next_wake().as_nanos() / 1_000_000;
    talk.wake(when);
    cwnd!(talk, 1.0);
    let ssthresh = talk.sender.ssthresh();
    // Six tenths of a second of a filter of half a second: not there yet.
    assert!((5.0..8.0).contains(&ssthresh), "{ssthresh}");
}
