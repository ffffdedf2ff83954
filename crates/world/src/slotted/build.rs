//! Building the slotted network of a scenario: who senses whom, and the machines.

use super::SlottedNetwork;
use crate::world::Part;
use acklab_base::{Instant, NodeId, Purpose, Stream};
use acklab_kernel::{Agenda, Phase};
use acklab_mac::SlottedMac;
use acklab_mac::slotted::{Air, Streams, Watch};
use acklab_radio::Reach;
use acklab_scenario::{Resolved, Sensing};

/// The slotted network of a scenario that has one. It comes behind all flows: what TCP makes at
/// a slot's beginning may leave in that slot.
pub(crate) fn network(
    resolved: &Resolved,
    (hears, reach): (&[Vec<NodeId>], &Reach),
    draws: &impl Fn(u32, Purpose) -> Stream,
    (agenda, parts): (&mut Agenda, &mut Vec<Part>),
) -> Option<Box<SlottedNetwork>> {
    let radio = resolved.slotted.as_ref()?;
    let config = crate::convert_slotted::config(radio);
    let sensed = match radio.sensing {
        Sensing::Neighbours => hears.to_vec(),
        Sensing::TwoHops => two_hops(hears),
        Sensing::Radio => all_sensed(reach, hears.len()),
    };
    let node = |index: u32| {
        let streams = Streams {
            contention: draws(index, Purpose::SlotContention),
            retry: draws(index, Purpose::SlotRetry),
            spacing: draws(index, Purpose::SlotSpacing),
        };
        SlottedMac::new(NodeId(index), config, streams)
    };
    parts.push(Part::Slots);
    Some(Box::new(SlottedNetwork {
        slot: radio.slot,
        short: radio.ack_slot,
        since: (0, Instant::ZERO),
        wake: agenda.add_slot(Phase::Stack),
        air: Air::new(hears, &sensed),
        nodes: (0..hears.len() as u32).map(node).collect(),
        watch: Watch::new(hears.len()),
        busy: Vec::with_capacity(hears.len()),
        is_busy: vec![false; hears.len()],
        opened: 0,
        contenders: Vec::with_capacity(hears.len()),
        on_air: Vec::with_capacity(hears.len()),
        passing: None,
    }))
}

/// Neighbours, and neighbours of neighbours.
fn two_hops(hears: &[Vec<NodeId>]) -> Vec<Vec<NodeId>> {
    let near = |(node, list): (usize, &Vec<NodeId>)| {
        let further = list.iter().flat_map(|other| hears[other.index()].iter());
        let mut all: Vec<NodeId> = list.iter().chain(further).copied().collect();
        all.retain(|other| other.index() != node);
        all.sort_unstable();
        all.dedup();
        all
    };
    hears.iter().enumerate().map(near).collect()
}

fn all_sensed(reach: &Reach, nodes: usize) -> Vec<Vec<NodeId>> {
    (0..nodes as u32)
        .map(|node| reach.of(NodeId(node)).iter().map(|one| one.node).collect())
        .collect()
}
