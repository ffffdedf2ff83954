//! A mobile that sends and paces its data around a handoff (Cho and Woo 2005 §3.2).

use crate::script::{Talk, at, eight_out, established, ms, ns2, standard};
use acklab_tcp::{
    Handoff, HeldAcks, Pacing, PacingEnd, SackConfig, SenderConfig, SenderNote, Variant,
};

fn pacing(end: PacingEnd) -> Handoff {
    Handoff::Pacing(Pacing {
        interval: ms(100),
        held: HeldAcks::Every,
        end,
    })
}

fn mobile_sender(end: PacingEnd) -> Talk {
    let config = SenderConfig {
        handoff: pacing(end),
        ..ns2()
    };
    let mut talk = eight_out(config);
    talk.sender.on_handoff_begins(at(150));
    talk
}

/// §3.2: "data can be paced": one segment in an interval.
#[test]
fn a_mobile_sender_paces_its_data() {
    let mut talk = mobile_sender(PacingEnd::AtOnce);
    // The last left at 100 ms.
    recv!(talk at 180, ack 1);
    send!(talk);
    talk.wake(200);
    send!(talk, 9);
    assert_eq!(talk.count(SenderNote::Paced), 1);
    recv!(talk at 210, ack 2, 3);
    talk.wake(300);
    send!(talk, 10);
    talk.sender.on_handoff_ends(at(350));
    talk.listen();
    send!(talk, 11, 12, 13, 14);
}

/// A repair waits for its turn like everything else, and goes first. Cho and Woo 2005 §3.2 (data is
/// paced); RFC 5681 §3.2 (the repair comes before new data).
#[test]
fn a_repair_that_was_put_off_goes_first() {
    let mut talk = mobile_sender(PacingEnd::Paced);
    recv!(talk at 160, ack 0, 0, 0);
    send!(talk);
    assert_eq!(talk.count(SenderNote::FastRetransmit), 1);
    // The end is paced: what was refused keeps its turn, and then the pacing is over.
    talk.sender.on_handoff_ends(at(170));
    talk.wake(200);
    send!(talk, 1);
    recv!(talk at 211, ack 8);
    assert_eq!(talk.sent[..2], [9, 10]);
}

/// The same with selective acknowledgements, where it leaves whatever the window says (RFC 6675 §5,
/// step 4.3): four of eight are known to be here, and half of the window is four.
#[test]
fn a_repair_by_the_scoreboard_goes_first_too() {
    for sack in [SackConfig::rfc6675(), SackConfig::rack()] {
        let mut talk = eight_out(SenderConfig {
            variant: Variant::Sack,
            sack,
            handoff: pacing(PacingEnd::AtOnce),
            ..standard()
        });
        talk.sender.on_handoff_begins(at(150));
        for last in 2..=4 {
            talk.sack(180 + u64::from(last), 0, &[(2, last)]);
        }
        send!(talk);
        assert_eq!(talk.count(SenderNote::FastRetransmit), 1);
        talk.wake(200);
        send!(talk, 1);
        assert_eq!(talk.count(SenderNote::Paced), 1);
    }
}

/// RFC 5681 §3.2 step 6: what the repair was for came meanwhile, and Reno's recovery is over.
#[test]
fn a_repair_that_is_not_wanted_any_more_is_left_out() {
    let mut talk = eight_out(SenderConfig {
        handoff: pacing(PacingEnd::AtOnce),
        ..standard().with_variant(Variant::Reno)
    });
    talk.sender.on_handoff_begins(at(150));
    recv!(talk at 180, ack 0, 0, 0);
    recv!(talk at 190, ack 2);
    talk.wake(200);
    send!(talk);
}

/// RFC 8985 §7.3, new data first, and a turn as everything else has: two leave at 100 ms, the probe is
/// due after two round trips, at 300 ms, and its turn comes at 600 ms or with the end.
#[test]
fn a_probe_of_the_tail_waits_for_its_turn() {
    for end in [None, Some(400)] {
        let mut talk = established(SenderConfig {
            variant: Variant::Sack,
            sack: SackConfig::rack(),
            initial_window: 2,
            handoff: Handoff::Pacing(Pacing {
                interval: ms(500),
                held: HeldAcks::Every,
                end: PacingEnd::AtOnce,
            }),
            ..standard()
        });
        talk.sender.on_handoff_begins(at(150));
        if let Some(end) = end {
            talk.sender.on_handoff_ends(at(end));
            talk.listen();
        } else {
            talk.wake(600);
        }
        send!(talk, 3);
        assert_eq!(talk.count(SenderNote::TailProbe), 1);
        assert_eq!(talk.count(SenderNote::Paced), 1);
    }
}
