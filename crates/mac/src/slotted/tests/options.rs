//! What single rules do, in the shortest script that shows it.

use super::script::{Script, certain};
use crate::slotted::{Busy, Coding, RelayAccess, SlottedConfig, SlottedMac, Sources, Streams};
use acklab_base::{Address, FlowId, NodeId, Purpose, Seq32};
use acklab_wire::slotted::Kind::{Ack, Data};
use acklab_wire::{Flags, Packet, Segment};

/// Node 1 is to relay in slot 2, in which node 4, its neighbour, has a packet of its own. With one
/// mini-slot everybody starts at once; relays that come first start one earlier.
#[test]
fn relays_go_first() {
    let links = [(0, 1), (1, 2), (2, 3), (1, 4)];
    let second = |relay_access| {
        let config = SlottedConfig {
            relay_access,
            mini_slots: 1,
            ..certain(Coding::Off)
        };
        Script::new(5, &links, config)
            .by_chance()
            .send(1, Data, 0, 3)
            .send(2, Data, 4, 1)
            .rows(2)[1]
            .clone()
    };
    assert_eq!(second(RelayAccess::Contend), "2 . D1>2 . . D2>1");
    assert_eq!(second(RelayAccess::First), "2 . D1>2 . . .");
    assert_eq!(second(RelayAccess::Unconditional), "2 . D1>2 . . .");
}

/// Nodes 1 and 3, neighbours, relay in slot 2. Of so many mini-slots they draw different ones, so
/// one waits, unless relays do not listen.
#[test]
fn unconditional_relays_do_not_listen() {
    let links = [(0, 1), (2, 3), (1, 3), (1, 4), (3, 5)];
    let second = |relay_access| {
        let config = SlottedConfig {
            relay_access,
            mini_slots: 65_536,
            ..certain(Coding::Off)
        };
        let script = Script::new(6, &links, config).by_chance();
        let mut script = script.send(1, Data, 0, 4).send(1, Data, 2, 5);
        let rows = script.rows(2);
        assert_eq!(rows[0], "1 D1>1 . D2>3 . . .");
        rows[1].matches('D').count()
    };
    assert_eq!(second(RelayAccess::Contend), 1);
    assert_eq!(second(RelayAccess::First), 1);
    assert_eq!(second(RelayAccess::Unconditional), 2);
}

/// Node 2 senses node 0 in slot 1.
#[test]
fn a_busy_channel_is_waited_for_or_backed_off_from() {
    let script = |busy| {
        let config = SlottedConfig {
            busy,
            retry: (5, 5),
            ..certain(Coding::Off)
        };
        Script::new(3, &[(0, 1), (1, 2), (0, 2)], config)
            .send(1, Data, 0, 1)
            .send(1, Data, 2, 1)
            .rows(40)
    };
    let start = ["1 D1>1 . .", "2 . *1>0 ."];
    let waits = script(Busy::Wait);
    assert_eq!(waits[..2], start);
    assert_eq!(waits[2..], ["3 . . D2>1", "4 . *2>2 ."]);
    let backs_off = script(Busy::BackOff);
    assert_eq!(backs_off[..2], start);
    assert_eq!(backs_off[2..], ["6 . . D2>1", "7 . *2>2 ."]);
}

/// The packet of slot 1 is lost, its echo missed in slot 2.
#[test]
fn a_wait_is_counted_from_the_transmission_or_from_the_echo() {
    use crate::slotted::BackoffFrom::{Echo, Transmission};
    for (backoff_from, retry, again) in [
        (Transmission, 3, 4),
        (Echo, 3, 5),
        (Transmission, 6, 7),
        (Echo, 6, 8),
    ] {
        let config = SlottedConfig {
            backoff_from,
            retry: (retry, retry),
            ..certain(Coding::Off)
        };
        let script = Script::chain(2, config).send(1, Data, 0, 1);
        let found = script.lose(1, 1).rows(40);
        let end = [format!("{again} D1>1 ."), format!("{} . *1>0", again + 1)];
        assert_eq!(found[0], "1 D1>1 .");
        assert_eq!(found[1..], end, "{backoff_from:?}, {retry} slots");
    }
}

/// Node 1 relays in slot 2 and then pauses until slot 11. Its relay is lost, and it waits 3 slots.
#[test]
fn a_pause_holds_back_retries_or_does_not() {
    let script = |spaced| {
        let config = SlottedConfig {
            spaced,
            spacing: (9, 9),
            ..certain(Coding::Off)
        };
        let script = Script::chain(3, config).send(1, Data, 0, 2);
        script.lose(2, 2).rows(40)
    };
    let start = ["1 D1>1 . .", "2 . D1>2 ."];
    let held = script(Sources::OwnAndRetries);
    assert_eq!(held[..2], start);
    assert_eq!(held[2..], ["11 . D1>2 .", "12 . . *1>1"]);
    let free = script(Sources::Own);
    assert_eq!(free[..2], start);
    assert_eq!(free[2..], ["5 . D1>2 .", "6 . . *1>1"]);
}

/// Node 1 sends a packet of its own in slot 1 and pauses until slot 7. What it is given in slot 3
/// it relays at once; that begins another pause, behind which its second packet leaves.
#[test]
fn a_pause_does_not_hold_back_relays() {
    let config = SlottedConfig {
        spacing: (6, 6),
        ..certain(Coding::Off)
    };
    let mut script = Script::chain(3, config)
        .send(1, Data, 1, 2)
        .send(1, Data, 1, 2)
        .send(3, Data, 0, 2);
    assert_eq!(
        script.rows(40),
        [
            "1 . D1>2 .",
            "2 . . *1>1",
            "3 D3>1 . .",
            "4 . D3>2 .",
            "5 . . *3>1",
            "10 . D2>2 .",
            "11 . . *2>1"
        ]
    );
}

/// Node 2 is to relay data in slot 2 and has an ACK of its own since then.
#[test]
fn a_first_relay_shares_its_frame_or_does_not() {
    let second = |combine_relays| {
        let config = SlottedConfig {
            combine_relays,
            ..certain(Coding::Combine)
        };
        let script = Script::chain(5, config).send(1, Data, 1, 4);
        script.send(2, Ack, 2, 0).rows(2)[1].clone()
    };
    assert_eq!(second(true), "2 . . D1>3+A2>1 . .");
    assert_eq!(second(false), "2 . . D1>3 . .");
}

/// Node 1 sends nothing on by this radio, as a gateway onto a wire: it confirms what it took as a
/// destination does. With the data part of a combined frame it holds back before.
#[test]
fn who_does_not_send_a_packet_on_confirms_it() {
    let mut script = Script::chain(4, certain(Coding::Off))
        .send(1, Data, 0, 3)
        .without_route(1);
    assert_eq!(script.rows(40), ["1 D1>1 . . .", "2 . *1>0 . ."]);
    let mut script = Script::chain(5, certain(Coding::Combine))
        .send(1, Data, 2, 4)
        .send(1, Ack, 2, 0)
        .without_route(1)
        .without_route(3);
    assert_eq!(
        script.rows(40),
        ["1 . . D1>3+A2>1 . .", "2 . *2>2 . . .", "3 . . . *1>2 ."]
    );
}

/// How long a packet is at a node: from the slot in which it comes, or before which it is made, to
/// that of its echo. Data 1 and ACK 2 are made before slot 1; node 1 has the ACK in slot 1 and
/// hears the FRN ACK in slot 3, node 3 has the data in slot 1, postpones them and hears it in slot 4.
#[test]
fn a_postponed_packet_is_there_from_the_slot_in_which_it_comes() {
    let mut script = Script::chain(5, certain(Coding::Combine))
        .send(1, Data, 2, 4)
        .send(1, Ack, 2, 0);
    assert_eq!(script.rows(40).len(), 4);
    let hops = |node| (script.counters(node).hops, script.counters(node).hop_slots);
    assert_eq!([1, 2, 3].map(hops), [(1, 2), (2, 2 + 3), (1, 3)]);
}

/// Nobody hears node 0.
#[test]
fn a_packet_is_given_up_after_so_many_tries() {
    for limit in [1, 2, 4] {
        let config = SlottedConfig {
            retry_limit: Some(limit),
            ..certain(Coding::Off)
        };
        let mut script = Script::chain(2, config).send(1, Data, 0, 1);
        for slot in 1..40 {
            script = script.lose(slot, 1);
        }
        let tries: Vec<String> = (0..limit)
            .map(|tried| format!("{} D1>1 .", 1 + 3 * tried))
            .collect();
        assert_eq!(script.rows(40), tries);
        assert_eq!(script.held(), 0);
    }
}

/// A node draws one of its mini-slots, each as often as the others: of 4000 draws from 4 (or 8),
/// 1000 (500) each, within five standard deviations.
#[test]
fn mini_slots_are_drawn_evenly() {
    for mini_slots in [1_u32, 4, 8] {
        let mut drawn = vec![0_u32; mini_slots as usize];
        for seed in 0..4_000 {
            let open = |purpose| {
                Address {
                    seed,
                    run: 0,
                    node: NodeId(3),
                    purpose,
                }
                .open()
            };
            let streams = Streams {
                contention: open(Purpose::SlotContention),
                retry: open(Purpose::SlotRetry),
                spacing: open(Purpose::SlotSpacing),
            };
            let config = SlottedConfig {
                mini_slots,
                ..certain(Coding::Off)
            };
            let mut node = SlottedMac::new(NodeId(3), config, streams);
            node.on_packet(1, packet(), NodeId(4));
            let wants = node.on_slot(1).expect("it has a packet");
            assert!(wants.senses);
            drawn[wants.mini_slot as usize] += 1;
        }
        let expected = 4_000 / mini_slots;
        let even = |&count: &u32| count.abs_diff(expected).pow(2) <= 25 * expected;
        assert!(drawn.iter().all(even), "{drawn:?}");
    }
}

fn packet() -> Packet {
    let segment = Segment {
        flow: FlowId(0),
        forward: true,
        seq: Seq32(0),
        ack: Seq32(0),
        flags: Flags::default(),
        window: 0,
        len: 0,
        retransmission: false,
        options: Default::default(),
    };
    Packet::tcp(0, NodeId(3), NodeId(4), 9, segment)
}
