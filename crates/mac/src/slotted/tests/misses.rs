//! Why an echo did not come, by hand: each reason in the shortest script that has it.

use super::script::{Script, certain};
use crate::slotted::{Coding, Duplicates, QueueRule, SlottedConfig, SlottedMisses};
use acklab_wire::slotted::Kind::{Ack, Data};

const NONE: SlottedMisses = SlottedMisses {
    collided: 0,
    deaf: 0,
    undecoded: 0,
    duplicate: 0,
    echo_busy: 0,
    echo_listening: 0,
    echo_held: 0,
    echo_behind: 0,
    echo_gone: 0,
    echo_collided: 0,
    echo_deaf: 0,
    pairs_taken: 0,
    pairs_at_once: 0,
    pairs_met: 0,
    pairs_unechoed: 0,
};

#[test]
fn the_packet_did_not_arrive() {
    // Two hidden senders meet at node 1.
    let mut script = Script::chain(3, certain(Coding::Off))
        .send(1, Data, 0, 1)
        .send(1, Data, 2, 1);
    assert_eq!(script.rows(2), ["1 D1>1 . D2>1"]);
    let collided = SlottedMisses {
        collided: 1,
        ..NONE
    };
    assert_eq!((script.misses(0), script.misses(2)), (collided, collided));
    // Two neighbours send to each other.
    let mut script = Script::chain(2, certain(Coding::Off))
        .send(1, Data, 0, 1)
        .send(1, Data, 1, 0)
        .all_at_once();
    assert_eq!(script.rows(2), ["1 D1>1 D2>0"]);
    let deaf = SlottedMisses { deaf: 1, ..NONE };
    assert_eq!((script.misses(0), script.misses(1)), (deaf, deaf));
}

/// The echo of slot 2 is lost; nine repetitions, in slots 4 to 28, find a node that has the packet
/// and says nothing. The one of slot 31 is forgotten before its echo is missed.
#[test]
fn the_next_hop_had_the_packet() {
    let config = SlottedConfig {
        duplicates: Duplicates::Drop,
        ..certain(Coding::Off)
    };
    let mut script = Script::chain(4, config).send(1, Data, 0, 3).lose(2, 0);
    assert_eq!(script.rows(60).len(), 4 + 9);
    let missed = SlottedMisses {
        echo_collided: 1,
        duplicate: 9,
        ..NONE
    };
    assert_eq!(script.misses(0), missed);
}

/// Node 2 is to relay in slot 2, in which node 0 goes first.
#[test]
fn the_next_hop_found_the_channel_busy() {
    let mut script = Script::new(4, &[(1, 2), (2, 3), (0, 2)], certain(Coding::Off))
        .send(1, Data, 1, 3)
        .send(2, Data, 0, 2);
    assert_eq!(script.rows(2), ["1 . D1>2 . .", "2 D2>2 . . ."]);
    let busy = SlottedMisses {
        echo_busy: 1,
        ..NONE
    };
    assert_eq!(script.misses(1), busy);
}

/// Node 2 sent two packets in slot 1 and listens until slot 3. What it takes from node 5 in slot 2
/// it may not relay in slot 3; what is for itself it confirms then, and misses the echo of node 3.
#[test]
fn a_combined_frame_makes_its_sender_a_bad_listener() {
    let star = [(0, 1), (1, 2), (2, 3), (3, 4), (2, 5)];
    let script = |to| {
        Script::new(6, &star, certain(Coding::Combine))
            .send(1, Data, 2, 4)
            .send(1, Ack, 2, 0)
            .send(2, Data, 5, to)
            .lose(1, 1)
            .all_at_once()
    };
    let start = ["1 . . D1>3+A2>1 . . .", "2 . . . . . D3>2"];
    let mut relays = script(1);
    let rows = relays.rows(3);
    assert_eq!(rows[..2], start);
    assert_eq!(rows[2], "3 . . . D1>4 . .");
    let listening = SlottedMisses {
        echo_listening: 1,
        ..NONE
    };
    assert_eq!(relays.misses(5), listening);
    let mut confirms = script(2);
    let rows = confirms.rows(3);
    assert_eq!(rows[..2], start);
    assert_eq!(rows[2], "3 . . *3>5 D1>4 . .");
    // The script took the ACK part from node 1, which an observer of the air cannot know.
    let deaf = SlottedMisses {
        echo_deaf: 1,
        echo_gone: 1,
        pairs_taken: 1,
        pairs_unechoed: 1,
        ..NONE
    };
    assert_eq!(confirms.misses(2), deaf);
}

/// Both parts are for node 1, which holds back in slot 2: the ACK's echo comes a slot late.
#[test]
fn the_next_hop_held_back() {
    let config = SlottedConfig {
        same_hop: true,
        ..certain(Coding::Combine)
    };
    let mut script = Script::chain(3, config)
        .send(1, Data, 0, 2)
        .send(1, Ack, 0, 2);
    assert_eq!(script.rows(3), ["1 D1>1+A2>1 . .", "3 . D1>2+A2>2 ."]);
    let held = SlottedMisses {
        echo_held: 1,
        pairs_taken: 1,
        ..NONE
    };
    assert_eq!(script.misses(0), held);
}

/// Node 1's head, whose echo it does not get, bars the way of what node 0 sends in slot 3.
#[test]
fn the_next_hop_had_something_else_first() {
    let config = SlottedConfig {
        queue: QueueRule::Fifo,
        two_queues: false,
        retry: (4, 4),
        ..certain(Coding::Off)
    };
    let mut script = Script::chain(4, config)
        .send(1, Data, 1, 3)
        .send(3, Data, 0, 3)
        .lose(1, 2);
    assert_eq!(script.rows(4), ["1 . D1>2 . .", "3 D2>1 . . ."]);
    let behind = SlottedMisses {
        echo_behind: 1,
        ..NONE
    };
    assert_eq!(script.misses(0), behind);
}

/// Node 1 did not hear the echo of slot 2 and sends the packet again in slot 8, behind node 0,
/// with an ACK. Node 2, which forwards duplicates and holds back in slot 9, hears there that node
/// 3 has the packet.
#[test]
fn the_next_hop_did_not_have_the_packet_any_more() {
    let config = SlottedConfig {
        duplicates: Duplicates::Forward,
        retry: (6, 6),
        ..certain(Coding::Combine)
    };
    let mut script = Script::new(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (0, 5)], config)
        .send(1, Data, 1, 4)
        .send(7, Data, 0, 5)
        .send(8, Ack, 1, 0)
        .lose(2, 1)
        .lose(3, 4);
    assert_eq!(
        script.rows(10),
        [
            "1 . D1>2 . . . .",
            "2 . . D1>3 . . .",
            "3 . . . D1>4 . .",
            "7 D2>5 . . . . .",
            "8 . D1>2+A3>0 . . . *2>0",
            "9 . . . D1>4 . .",
            "10 . . . . *1>3 .",
        ]
    );
    // The ACK met an FRN ACK at node 0; the echo of slot 2 is one that the script lost.
    let gone = SlottedMisses {
        echo_gone: 1,
        collided: 1,
        echo_collided: 1,
        pairs_unechoed: 1,
        ..NONE
    };
    assert_eq!(script.misses(1), gone);
}

/// yuki2004 §3 ¶3: without the postponement both next hops relay in the next slot, and their
/// relays meet at the node between them; with it they never do.
#[test]
fn both_next_hops_answer_at_once() {
    let script = |postpone| {
        let config = SlottedConfig {
            postpone,
            ..certain(Coding::Combine)
        };
        let script = Script::chain(5, config).send(1, Data, 2, 4);
        let mut script = script.send(1, Ack, 2, 0);
        script.rows(3);
        script.misses(2)
    };
    let met = SlottedMisses {
        echo_collided: 2,
        pairs_taken: 1,
        pairs_at_once: 1,
        pairs_met: 1,
        pairs_unechoed: 1,
        ..NONE
    };
    assert_eq!(script(false), met);
    let heard = SlottedMisses {
        pairs_taken: 1,
        ..NONE
    };
    assert_eq!(script(true), heard);
}
