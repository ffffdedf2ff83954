//! ACK Pacing (Cho and Woo 2005 §3.2), Freeze-TCP (Goff et al. 2000), M-TCP's half at the mobile, and the sender's probes of a
//! closed window (RFC 9293 §3.8.6.1).

use crate::script::{Ear, FLOW, MSS, Talk, answer, at, eight_out, ms, ns2, standard};
use acklab_base::{Duration, Instant};
use acklab_tcp::{
    AckConfig, AckReason, DelayTimer, Freeze, Handoff, HeldAcks, Pacing, PacingEnd, ReceiverConfig,
    ReceiverNote, SackConfig, SenderNote, Variant,
};

fn pacing(held: HeldAcks, end: PacingEnd) -> Handoff {
    Handoff::Pacing(Pacing {
        interval: ms(100),
        held,
        end,
    })
}

/// As in the paper.
const EVERY: Handoff = Handoff::Pacing(Pacing {
    interval: Duration::from_millis(100),
    held: HeldAcks::Every,
    end: PacingEnd::AtOnce,
});

/// A mobile receiver that has acknowledged packet 1 at 10 ms.
fn mobile(handoff: Handoff) -> Ear {
    let mut config = ReceiverConfig::standard(FLOW, AckConfig::EverySegment, 64 * MSS);
    config.handoff = handoff;
    let mut ear = Ear::new(config);
    recv!(ear at 0, syn);
    recv!(ear at 10, packet 1);
    send!(ear, ack 0 Syn, ack 1 Every);
    ear
}

fn begins(ear: &mut Ear, now: u64) {
    ear.receiver.on_handoff_begins(at(now));
    ear.listen();
}

fn ends(ear: &mut Ear, now: u64) {
    ear.receiver.on_handoff_ends(at(now));
    ear.listen();
}

/// §3.2: one ACK in 100 ms, counted from the last; those still held leave when the new station's
/// signal is good.
#[test]
fn one_ack_in_an_interval() {
    let mut ear = mobile(EVERY);
    begins(&mut ear, 20);
    recv!(ear at 30, packet 2, 3, 4, 5);
    silent!(ear);
    ear.wake(110);
    send!(ear, ack 2 Every);
    recv!(ear at 150, packet 6);
    ear.wake(210);
    send!(ear, ack 3 Every);
    ends(&mut ear, 250);
    send!(ear, ack 4 Every, ack 5 Every, ack 6 Every);
    recv!(ear at 251, packet 7);
    send!(ear, ack 7 Every);
    assert_eq!(ear.notes, [ReceiverNote::AckPaced; 5]);
}

/// An ACK that comes after a silence of an interval leaves at once, also while pacing. Cho and Woo
/// 2005 §3.2.
#[test]
fn after_a_silence_an_ack_leaves_at_once() {
    let mut ear = mobile(EVERY);
    begins(&mut ear, 20);
    recv!(ear at 110, packet 2);
    send!(ear, ack 2 Every);
    recv!(ear at 111, packet 3);
    silent!(ear);
    assert_eq!(ear.receiver.next_wake(), at(210));
}

/// Duplicate ACKs are paced like others, and their order is kept. Cho and Woo 2005 §3.2.
#[test]
fn duplicates_wait_too() {
    let mut ear = mobile(EVERY);
    begins(&mut ear, 20);
    recv!(ear at 30, packet 3, 4);
    recv!(ear at 40, packet 2);
    ends(&mut ear, 50);
    send!(ear, ack 1 OutOfOrder, ack 1 OutOfOrder, ack 4 GapFilled);
}

/// Cho and Woo 2005 §3.2 leaves open which of the held ACKs leaves; a cumulative ACK stands for
/// those before it (RFC 9293 §3.4).
#[test]
fn the_newest_alone_may_wait() {
    let mut ear = mobile(pacing(HeldAcks::Newest, PacingEnd::AtOnce));
    begins(&mut ear, 20);
    recv!(ear at 30, packet 2, 3, 4, 5);
    ear.wake(110);
    send!(ear, ack 5 Every);
    assert_eq!(ear.receiver.next_wake(), Instant::NEVER);
}

/// What is held may go on leaving one by one; new ACKs queue behind it. Cho and Woo 2005 §3.2
/// leaves open how.
#[test]
fn the_end_may_be_paced() {
    let mut ear = mobile(pacing(HeldAcks::Every, PacingEnd::Paced));
    begins(&mut ear, 20);
    recv!(ear at 30, packet 2, 3);
    ends(&mut ear, 50);
    silent!(ear);
    ear.wake(110);
    recv!(ear at 150, packet 4);
    ear.wake(210);
    ear.wake(310);
    send!(ear, ack 2 Every, ack 3 Every, ack 4 Every);
    recv!(ear at 311, packet 5);
    send!(ear, ack 5 Every);
}

/// RFC 9293: an ordinary receiver knows of no handoff.
#[test]
fn without_a_scheme_a_handoff_changes_nothing() {
    let mut ear = mobile(Handoff::Unaware);
    begins(&mut ear, 20);
    recv!(ear at 30, packet 2, 3);
    ends(&mut ear, 40);
    send!(ear, ack 2 Every, ack 3 Every);
}

/// A zero window before the handoff, and three ACKs with the open one after it. Goff et al. 2000
/// §3.
#[test]
fn freezing_closes_the_window_and_opens_it_three_times() {
    for acks in [0, 1, 3] {
        let freeze = Freeze {
            reopening_acks: acks,
        };
        let mut ear = mobile(Handoff::Freeze(freeze));
        begins(&mut ear, 20);
        assert_eq!(ear.windows.last(), Some(&0));
        send!(ear, ack 1 Window);
        // What was under way is taken, and answered with a closed window; so is a probe.
        recv!(ear at 30, packet 2);
        send!(ear, ack 2 Window);
        assert_eq!(ear.windows.last(), Some(&0));
        ends(&mut ear, 400);
        assert_eq!(
            std::mem::take(&mut ear.said),
            vec![(2, AckReason::Window); acks as usize]
        );
        recv!(ear at 500, packet 3);
        assert_eq!(ear.windows.last(), Some(&(64 * MSS)));
    }
}

/// A probe that comes again, as its answer was lost, is answered at once too, also where ns-2's
/// receiver would let a repetition wait for its delayed ACK. RFC 9293 §3.8.6.1.
#[test]
fn a_repeated_probe_is_answered_at_once() {
    let delayed = AckConfig::Delayed {
        count: 2,
        interval: ms(100),
        timer: DelayTimer::FirstWaiting,
    };
    let mut config = ReceiverConfig::ns2(FLOW, delayed);
    config.handoff = Handoff::Freeze(Freeze { reopening_acks: 1 });
    let mut ear = Ear::new(config);
    recv!(ear at 0, syn);
    recv!(ear at 10, packet 1, 2);
    begins(&mut ear, 20);
    ear.said.clear();
    for when in [200, 600] {
        ear.segment(when, 1 + 2 * MSS, 1, false);
        // One octet of packet 3.
        send!(ear, ack 3 Window);
    }
    assert_eq!(ear.receiver.next_wake(), Instant::NEVER);
}

/// M-TCP's half at the mobile (Brown and Singh 1997; Schiller §9.2.3): one ACK on reconnection, for what it has; nothing before it.
#[test]
fn a_mobile_of_m_tcp_says_on_reconnection_what_it_has() {
    let mut ear = mobile(Handoff::Announce);
    begins(&mut ear, 20);
    recv!(ear at 30, packet 2);
    send!(ear, ack 2 Every);
    ends(&mut ear, 400);
    send!(ear, ack 2 Window);
    assert_eq!(ear.windows.last(), Some(&(64 * MSS)));
}

/// A standard sender with eight packets out, whose receiver acknowledged two and closed the window.
fn closed() -> Talk {
    let mut talk = eight_out(standard());
    recv!(talk at 200, ack 1);
    talk.ack_with_window(201, 2, 0);
    talk.sent.clear();
    talk
}

/// RFC 9293 §3.8.6.1: the first probe after a timeout, the next ones at doubled intervals; neither
/// window nor threshold changes, and no timeout is counted.
#[test]
fn a_closed_window_is_probed() {
    let mut talk = closed();
    let cwnd = talk.sender.cwnd();
    let rto = talk.sender.rto().as_nanos() / 1_000_000;
    let mut when = 201 + rto;
    for doubled in [2, 4, 8] {
        talk.wake(when);
        assert_eq!(talk.sent, [3], "one octet of packet 3");
        talk.sent.clear();
        // The answer says the same.
        talk.ack_with_window(when + 100, 2, 0);
        send!(talk);
        when += doubled * rto;
    }
    cwnd!(talk, cwnd);
    assert_eq!(talk.count(SenderNote::WindowProbe), 3);
    assert_eq!(talk.count(SenderNote::Timeout), 0);
}

/// The window opens: everything from the first hole on, with the window of before. Goff et al. 2000
/// §3; RFC 9293 §3.8.6.1.
#[test]
fn an_open_window_goes_on_where_it_stopped() {
    let mut talk = closed();
    let cwnd = talk.sender.cwnd();
    talk.ack_with_window(400, 2, 64 * MSS);
    let expected: Vec<u32> = (3..3 + cwnd as u32).collect();
    assert_eq!(std::mem::take(&mut talk.sent), expected);
    cwnd!(talk, cwnd);
    // Two more copies are duplicates, too few for a fast retransmit.
    talk.ack_with_window(400, 2, 64 * MSS);
    talk.ack_with_window(400, 2, 64 * MSS);
    assert_eq!(talk.count(SenderNote::FastRetransmit), 0);
    cwnd!(talk, cwnd);
}

/// Repeated closed windows are no duplicates. RFC 5681 §2: a duplicate advertises the window of the
/// ACK before it, and data must be out.
#[test]
fn acks_with_a_closed_window_start_no_repair() {
    let mut talk = closed();
    for _ in 0..5 {
        talk.ack_with_window(300, 2, 0);
    }
    send!(talk);
    assert_eq!(talk.count(SenderNote::FastRetransmit), 0);
}

/// The third duplicate that brings news of what arrived closes the window: a closed window tells of
/// no loss, so `cwnd` stays, and everything leaves when it opens. RFC 9293 §3.8.6.1; Goff et al. 2000 §3.
#[test]
fn a_closing_ack_with_news_starts_no_repair() {
    for base in [ns2(), standard()] {
        for sack in [SackConfig::rfc6675(), SackConfig::rack()] {
            let mut config = base.with_variant(Variant::Sack);
            (config.honour_advertised, config.window_probes) = (true, true);
            config.sack = sack;
            let mut talk = eight_out(config);
            talk.sack(201, 0, &[(2, 2)]);
            talk.sack(202, 0, &[(2, 3)]);
            let mut closing = answer(&config, 0);
            closing.window = 0;
            let number = |packets: u32| config.iss.add(1 + packets * MSS);
            closing.options.sack.push((number(1), number(4)));
            talk.hear(203, &closing);
            cwnd!(talk, 8.0);
            assert_eq!(talk.count(SenderNote::WindowCut), 0);
            talk.sent.clear();
            talk.ack_with_window(400, 0, 64 * MSS);
            send!(talk, 1, 2, 3, 4, 5, 6, 7, 8);
        }
    }
}

/// Packet 1 is lost, and 2 to 8 are here when the window closes. When it opens everything leaves
/// again, and what is here already makes seven duplicates: no loss. RFC 6582 §3.2 step 4.
#[test]
fn what_leaves_again_starts_no_repair() {
    for variant in [
        Variant::Tahoe,
        Variant::Reno,
        Variant::NewReno,
        Variant::Vegas,
    ] {
        let mut talk = eight_out(standard().with_variant(variant));
        for when in 201..208 {
            talk.ack_with_window(when, 0, 0);
        }
        talk.ack_with_window(700, 0, 64 * MSS);
        recv!(talk at 800, ack 8, 8, 8, 8, 8, 8, 8, 8);
        assert_eq!(talk.count(SenderNote::FastRetransmit), 0, "{variant:?}");
        assert_eq!(talk.count(SenderNote::WindowCut), 0, "{variant:?}");
        // Packets that left first now can be lost.
        recv!(talk at 900, ack 9, 9, 9, 9);
        assert_eq!(talk.count(SenderNote::FastRetransmit), 1, "{variant:?}");
    }
}

/// With nothing to send there is nothing to probe. RFC 9293 §3.8.6.1: probes need something to
/// send.
#[test]
fn a_closed_window_with_nothing_to_send_is_left_alone() {
    let mut talk = Talk::new(standard());
    talk.write(0, u64::from(MSS));
    talk.sender.on_open(at(0));
    talk.syn_ack(100);
    talk.ack_with_window(200, 1, 0);
    assert_eq!(talk.sender.next_wake(), Instant::NEVER);
}
