//! Random graphs, options and packets; what must hold in every one of them.

use super::script::{Script, certain};
use crate::slotted::{
    BackoffFrom, Busy, Coding, Duplicates, QueueRule, RelayAccess, SlottedConfig, Sources,
};
use acklab_base::{Address, NodeId, Purpose, Stream};
use acklab_wire::slotted::Kind;
use std::collections::BTreeSet;

const WORLDS: u64 = 300;
const SLOTS: u64 = 150;

fn draws(seed: u64) -> Stream {
    Address {
        seed,
        run: 0,
        node: NodeId(0),
        purpose: Purpose::Placement,
    }
    .open()
}

fn pick<T: Copy>(draw: &mut Stream, of: &[T]) -> T {
    of[draw.below(of.len() as u32) as usize]
}

fn options(draw: &mut Stream) -> SlottedConfig {
    let shortest = 3 + draw.below(4);
    let longest = shortest + draw.below(20);
    let coding = pick(draw, &[Coding::Off, Coding::Combine, Coding::Xor]);
    let spacing = (draw.below(4), 4 + draw.below(4));
    SlottedConfig {
        lifetime: Some(8 + draw.below(40)),
        retry_limit: pick(draw, &[None, None, Some(2)]),
        mini_slots: pick(draw, &[1, 4, 32]),
        relay_access: pick(
            draw,
            &[
                RelayAccess::Contend,
                RelayAccess::First,
                RelayAccess::Unconditional,
            ],
        ),
        busy: pick(draw, &[Busy::Wait, Busy::BackOff]),
        queue: pick(draw, &[QueueRule::Any, QueueRule::Fifo]),
        two_queues: pick(draw, &[true, false]),
        spacing,
        spaced: pick(draw, &[Sources::OwnAndRetries, Sources::Own]),
        duplicates: pick(
            draw,
            &[Duplicates::Drop, Duplicates::Confirm, Duplicates::Forward],
        ),
        late_echoes: pick(draw, &[true, false]),
        backoff_from: pick(draw, &[BackoffFrom::Transmission, BackoffFrom::Echo]),
        combine_relays: pick(draw, &[true, false]),
        pull_forward: pick(draw, &[true, false]),
        same_hop: pick(draw, &[true, false]),
        postpone: pick(draw, &[true, false]),
        retry: (shortest, longest),
        coding,
    }
}

/// A connected graph: a chain in random order of numbers, and some links more.
fn graph(draw: &mut Stream, nodes: u32) -> Vec<(u32, u32)> {
    let mut links: BTreeSet<(u32, u32)> = (1..nodes).map(|node| (draw.below(node), node)).collect();
    for _ in 0..draw.below(nodes) {
        let (one, other) = (draw.below(nodes), draw.below(nodes));
        if one != other {
            links.insert((one.min(other), one.max(other)));
        }
    }
    links.into_iter().collect()
}

#[test]
fn nothing_lives_on_and_nothing_is_delivered_twice() {
    let (mut delivered, mut combined) = (0, 0);
    for seed in 0..WORLDS {
        let mut draw = draws(seed);
        let config = options(&mut draw);
        let nodes = 2 + draw.below(9);
        let links = graph(&mut draw, nodes);
        let mut script = Script::new(nodes, &links, config).by_chance();
        let packets = 1 + draw.below(40);
        for _ in 0..packets {
            let from = draw.below(nodes);
            let to = (from + 1 + draw.below(nodes - 1)) % nodes;
            let due = 1 + u64::from(draw.below(60));
            let kind = pick(&mut draw, &[Kind::Data, Kind::Ack]);
            script = script.send(due, kind, from, to);
        }
        let rows = script.rows(SLOTS);
        script.assert_sound(seed);
        combined += rows.iter().filter(|row| row.contains('+')).count();
        delivered += script.delivered.len();
        if config.duplicates != Duplicates::Forward {
            let once: BTreeSet<_> = script.delivered.iter().map(|(_, _, name)| name).collect();
            assert_eq!(
                once.len(),
                script.delivered.len(),
                "seed {seed}: delivered twice"
            );
        }
        assert!(
            script.delivered.len() <= packets as usize || config.duplicates == Duplicates::Forward
        );
        // Every lifetime is over by now.
        assert_eq!(
            script.held(),
            0,
            "seed {seed}: a packet outlived its lifetime"
        );
    }
    assert!(
        delivered > 2_000 && combined > 300,
        "{delivered} delivered, {combined} combined"
    );
}

/// The same seed draws the same, whatever is drawn elsewhere.
#[test]
fn the_same_seed_gives_the_same_slots() {
    let rows = || {
        let config = SlottedConfig {
            retry: (3, 17),
            spacing: (3, 5),
            ..certain(Coding::Combine)
        };
        let mut script = Script::chain(6, config).by_chance();
        for slot in 1..30 {
            script = script
                .send(slot, Kind::Data, 0, 5)
                .send(slot, Kind::Ack, 5, 0);
        }
        script.rows(SLOTS)
    };
    assert_eq!(rows(), rows());
}
