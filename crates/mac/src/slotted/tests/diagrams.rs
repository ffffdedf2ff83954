//! Slot diagrams, computed by hand from the rules and exact slot by slot.

use super::script::{Script, certain};
use crate::slotted::{Coding, Duplicates, QueueRule, SlottedConfig};
use acklab_wire::slotted::Kind::{Ack, Data};

/// yuki2004 Fig. 1: each relay is the echo of the hop before, the last node sends an FRN ACK.
#[test]
fn a_packet_crosses_three_hops() {
    let mut script = Script::chain(4, certain(Coding::Off)).send(1, Data, 0, 3);
    assert_eq!(
        script.rows(40),
        [
            "1 D1>1 . . .",
            "2 . D1>2 . .",
            "3 . . D1>3 .",
            "4 . . . *1>2"
        ]
    );
    assert_eq!(script.delivered, [(3, 3, "D1".to_owned())]);
}

/// Node 0 misses the echo of slot 2 and tries again 3 slots after its transmission.
#[test]
fn a_lost_echo_is_repaired_by_another_one() {
    let chain = |duplicates| {
        let config = SlottedConfig {
            duplicates,
            ..certain(Coding::Off)
        };
        Script::chain(4, config).send(1, Data, 0, 3).lose(2, 0)
    };
    // Confirmed: an FRN ACK answers the repetition.
    assert_eq!(
        chain(Duplicates::Confirm).rows(40),
        [
            "1 D1>1 . . .",
            "2 . D1>2 . .",
            "3 . . D1>3 .",
            "4 D1>1 . . *1>2",
            "5 . *1>0 . .",
        ]
    );
    // Forwarded: the packet crosses the network again, and is delivered again.
    let mut forwarding = chain(Duplicates::Forward);
    assert_eq!(
        forwarding.rows(40),
        [
            "1 D1>1 . . .",
            "2 . D1>2 . .",
            "3 . . D1>3 .",
            "4 D1>1 . . *1>2",
            "5 . D1>2 . .",
            "6 . . D1>3 .",
            "7 . . . *1>2",
        ]
    );
    assert_eq!(forwarding.delivered.len(), 2);
    // Dropped silently: nobody answers until the lifetime of 32 slots is over.
    let rows = chain(Duplicates::Drop).rows(60);
    let tries: Vec<String> = (7..32)
        .step_by(3)
        .map(|slot| format!("{slot} D1>1 . . ."))
        .collect();
    assert_eq!(rows[4..], tries);
}

/// yuki2004 Fig. 2: the receiver of the data part waits one slot, so both echoes are heard.
#[test]
fn a_combined_frame_has_two_echoes() {
    let mut script = Script::chain(5, certain(Coding::Combine))
        .send(1, Data, 2, 4)
        .send(1, Ack, 2, 0);
    assert_eq!(
        script.rows(40),
        [
            "1 . . D1>3+A2>1 . .",
            "2 . A2>0 . . .",
            "3 *2>1 . . D1>4 .",
            "4 . . . . *1>3",
        ]
    );
}

/// Only the ACK part is sent again: in slot 4, where it meets the FRN ACK at node 3.
#[test]
fn the_echo_of_the_ack_part_is_lost() {
    let mut script = Script::chain(5, certain(Coding::Combine))
        .send(1, Data, 2, 4)
        .send(1, Ack, 2, 0)
        .lose(2, 2);
    assert_eq!(
        script.rows(40),
        [
            "1 . . D1>3+A2>1 . .",
            "2 . A2>0 . . .",
            "3 *2>1 . . D1>4 .",
            "4 . . A2>1 . *1>3",
            "5 . *2>2 . . .",
            "6 . . . D1>4 .",
            "7 . . . . *1>3",
        ]
    );
}

/// Only the data part is sent again. It meets the FRN ACK at node 3, which therefore sends the
/// packet again in slot 6: a late echo, which ends the back-off of node 2.
#[test]
fn the_echo_of_the_data_part_is_lost() {
    let script = |late_echoes| {
        let config = SlottedConfig {
            late_echoes,
            ..certain(Coding::Combine)
        };
        let script = Script::chain(5, config)
            .send(1, Data, 2, 4)
            .send(1, Ack, 2, 0);
        script.lose(3, 2).rows(12)
    };
    let start = [
        "1 . . D1>3+A2>1 . .",
        "2 . A2>0 . . .",
        "3 *2>1 . . D1>4 .",
        "4 . . D1>3 . *1>3",
        "6 . . . D1>4 .",
    ];
    let heard = script(true);
    assert_eq!(heard[..5], start);
    assert_eq!(heard[5..], ["7 . . . . *1>3"]);
    // Where late echoes do not count, node 2 goes on in slot 7, and both frames meet at node 3.
    let ignored = script(false);
    assert_eq!(ignored[..5], start);
    assert_eq!(ignored[5], "7 . . D1>3 . *1>3");
}

/// What is sent again is combined again (yuki2004 §3 ¶3), and pulled forward for it.
#[test]
fn a_part_without_echo_shares_the_next_frame() {
    let script = |pull_forward| {
        let config = SlottedConfig {
            pull_forward,
            retry: (9, 9),
            ..certain(Coding::Combine)
        };
        let script = Script::chain(5, config)
            .send(1, Ack, 2, 0)
            .send(4, Data, 2, 4);
        script.lose(2, 2).rows(4)
    };
    assert_eq!(
        script(true),
        [
            "1 . . A1>1 . .",
            "2 . A1>0 . . .",
            "3 *1>1 . . . .",
            "4 . . D2>3+A1>1 . ."
        ]
    );
    assert_eq!(script(false)[3], "4 . . D2>3 . .");
}

/// Only the missing part of a combined frame is sent again, and in one frame with a new packet
/// (yuki2004 §3 ¶3). The FRN ACK of slot 4 meets that frame at node 3.
#[test]
fn a_part_of_a_combined_frame_shares_the_next_one() {
    let mut script = Script::chain(5, certain(Coding::Combine))
        .send(1, Data, 2, 4)
        .send(1, Ack, 2, 0)
        .send(4, Data, 2, 4)
        .lose(2, 2);
    assert_eq!(
        script.rows(5),
        [
            "1 . . D1>3+A2>1 . .",
            "2 . A2>0 . . .",
            "3 *2>1 . . D1>4 .",
            "4 . . D3>3+A2>1 . *1>3",
            "5 . *2>2 . . .",
        ]
    );
}

/// Without the postponement both next hops relay at once, and meet at the node between them.
#[test]
fn without_postponement_both_echoes_collide() {
    let config = SlottedConfig {
        postpone: false,
        ..certain(Coding::Combine)
    };
    let mut script = Script::chain(5, config)
        .send(1, Data, 2, 4)
        .send(1, Ack, 2, 0);
    assert_eq!(
        script.rows(4),
        [
            "1 . . D1>3+A2>1 . .",
            "2 . A2>0 . D1>4 .",
            "3 *2>1 . . . *1>3",
            "4 . . D1>3+A2>1 . .",
        ]
    );
}

/// Two senders that hear each other: the later mini-slot waits, for the FRN ACK too.
#[test]
fn neighbours_of_one_receiver_take_turns() {
    let triangle = [(0, 1), (1, 2), (0, 2)];
    let script = || {
        Script::new(3, &triangle, certain(Coding::Off))
            .send(1, Data, 0, 1)
            .send(1, Data, 2, 1)
    };
    assert_eq!(
        script().rows(40),
        ["1 D1>1 . .", "2 . *1>0 .", "3 . . D2>1", "4 . *2>2 ."]
    );
    // Equal mini-slots: both start, and node 1 receives nothing, again and again.
    let rows = script().all_at_once().rows(40);
    let together = |slot| format!("{slot} D1>1 . D2>1");
    assert_eq!(rows, (1..32).step_by(3).map(together).collect::<Vec<_>>());
}

/// Two senders that do not hear each other.
#[test]
fn hidden_neighbours_of_one_receiver_collide() {
    let mut script = Script::chain(3, certain(Coding::Off))
        .send(1, Data, 0, 1)
        .send(2, Data, 2, 1);
    // Packet 2 meets the FRN ACK of packet 1 at nobody: node 1 sends while it is sent.
    assert_eq!(
        script.rows(40),
        ["1 D1>1 . .", "2 . *1>0 .", "3 . . D2>1", "4 . *2>2 ."]
    );
    let mut script = Script::chain(3, certain(Coding::Off))
        .send(1, Data, 0, 1)
        .send(1, Data, 2, 1);
    assert_eq!(script.rows(2), ["1 D1>1 . D2>1"]);
    assert!(script.delivered.is_empty());
}

/// A packet of slot c exists in slots below c + lifetime, at whatever node.
#[test]
fn a_packet_expires_on_its_way() {
    let config = SlottedConfig {
        lifetime: Some(4),
        ..certain(Coding::Off)
    };
    // Made in slot 0, over at the beginning of slot 4: node 3 has it and may not send it.
    let mut script = Script::chain(6, config).send(1, Data, 0, 5);
    assert_eq!(
        script.rows(40),
        ["1 D1>1 . . . . .", "2 . D1>2 . . . .", "3 . . D1>3 . . ."]
    );
    // Made one slot later, it dies one slot later.
    let mut script = Script::chain(6, config).send(2, Data, 0, 5);
    assert_eq!(script.rows(40).len(), 3);
}

/// The head of a first-in first-out queue blocks what could be relayed; reading P1 has no head.
#[test]
fn a_head_that_waits_for_its_echo_blocks_the_queue() {
    let script = |queue| {
        let config = SlottedConfig {
            queue,
            two_queues: false,
            retry: (4, 4),
            ..certain(Coding::Off)
        };
        // Node 2 never hears packet 1, so node 1 waits with it while packet 2 comes from there.
        Script::chain(4, config)
            .send(1, Data, 1, 3)
            .send(3, Data, 0, 3)
            .lose(1, 2)
            .rows(7)
    };
    assert_eq!(
        script(QueueRule::Any),
        [
            "1 . D1>2 . .",
            "3 D2>1 . . .",
            "4 . D2>2 . .",
            "5 . . D2>3 .",
            "6 . . . *2>2",
            "7 . D1>2 . ."
        ]
    );
    assert_eq!(
        script(QueueRule::Fifo),
        [
            "1 . D1>2 . .",
            "3 D2>1 . . .",
            "5 . D1>2 . .",
            "6 . . D1>3 .",
            "7 D2>1 . . *1>2"
        ]
    );
}

/// Why reading H stands still where two connections start at once from both ends of a chain: each
/// node's head waits to be relayed by the other, behind whose own head it stands. No draw of a
/// wait changes that; it ends with both lifetimes, and both senders' timers then run out together.
#[test]
fn heads_that_wait_for_each_other_expire_together() {
    let script = |kind, two_queues| {
        let config = SlottedConfig {
            queue: QueueRule::Fifo,
            two_queues,
            duplicates: Duplicates::Forward,
            ..certain(Coding::Off)
        };
        Script::chain(4, config)
            .send(1, Data, 1, 3)
            .send(1, kind, 2, 0)
    };
    let mut blocked = script(Data, true);
    let rows = (1..32).filter(|slot| slot % 3 != 0).map(|slot| {
        let sent = if slot % 3 == 1 {
            "D1>2 . ."
        } else {
            ". D2>1 ."
        };
        format!("{slot} . {sent}")
    });
    assert_eq!(blocked.rows(60), rows.collect::<Vec<_>>());
    assert!(blocked.delivered.is_empty());
    // Data and ACKs in one queue block each other in the same way; a queue each frees them.
    let mut mixed = script(Ack, false);
    assert_eq!(mixed.rows(60).len(), 21);
    assert!(mixed.delivered.is_empty());
    let mut apart = script(Ack, true);
    assert_eq!(
        apart.rows(60),
        [
            "1 . D1>2 . .",
            "2 . . D1>3 .",
            "3 . . . *1>2",
            "5 . . A2>1 .",
            "6 . A2>0 . .",
            "7 *2>1 . . ."
        ]
    );
    assert_eq!(apart.delivered.len(), 2);
}

/// A node's own packets keep their distance (what it relays does not: see `options`).
#[test]
fn own_packets_are_spaced() {
    let mut script = Script::chain(2, certain(Coding::Off))
        .send(1, Data, 0, 1)
        .send(1, Data, 0, 1);
    assert_eq!(
        script.rows(40),
        ["1 D1>1 .", "2 . *1>0", "4 D2>1 .", "5 . *2>0"]
    );
}

/// Two packets that cross at node 2, added bit by bit: both are data, and each receiver takes off
/// the packet that it sent there itself.
#[test]
fn crossing_packets_are_coded() {
    let mut script = Script::chain(5, certain(Coding::Xor))
        .send(1, Data, 1, 4)
        .send(4, Data, 3, 0)
        .lose(2, 3);
    assert_eq!(
        script.rows(40),
        [
            "1 . D1>2 . . .",
            "2 . . D1>3 . .",
            "4 . . . D2>2 .",
            "5 . . D1>3+D2>1 . .",
            "6 . D2>0 . . .",
            "7 *2>1 . . D1>4 .",
            "8 . . . . *1>3",
        ]
    );
}
