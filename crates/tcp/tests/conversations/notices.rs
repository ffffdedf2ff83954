//! What else a sender may make of losses: Explicit Loss Notification (Balakrishnan and Katz 1998)
//! and TCP Westwood's window (Mascolo et al. 2001).

use crate::script::{Talk, answer, eight_out, ms, ns2, standard};
use acklab_tcp::{BandwidthFilter, Phase, SenderNote};

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
