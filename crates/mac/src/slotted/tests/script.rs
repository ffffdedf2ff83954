//! A toy network for slot diagrams: machines on a graph, losses by script, rows of text.
//!
//! A row shows a slot, one cell a node: `.` is silence, `D1>2` data packet 1 for node 2, `A` an
//! ACK packet, `*1>0` the FRN ACK of packet 1 for node 0, `D1>3+A2>1` a combined frame. Nodes start
//! in the mini-slot of their number, so of two neighbours the lower one goes first.

use crate::slotted::{
    Air, Arrival, BackoffFrom, Busy, Coding, Contender, Duplicates, QueueRule, RelayAccess,
    SlotView, SlottedConfig, SlottedCounters, SlottedMac, SlottedMisses, SlottedOutput, Sources,
    Streams, Watch,
};
use acklab_base::{Address, FlowId, NodeId, Purpose, Seq32};
use acklab_wire::slotted::{Kind, Part, SlottedFrame, Uid};
use acklab_wire::{Flags, Packet, Segment};

/// Rules without chance: waits and pauses of exactly three slots. Duplicates are confirmed, so
/// that a lost echo is repaired.
pub(super) fn certain(coding: Coding) -> SlottedConfig {
    SlottedConfig {
        lifetime: Some(32),
        retry: (3, 3),
        retry_limit: None,
        coding,
        mini_slots: 32,
        relay_access: RelayAccess::Contend,
        busy: Busy::Wait,
        queue: QueueRule::Any,
        two_queues: true,
        spacing: (3, 3),
        spaced: Sources::OwnAndRetries,
        duplicates: Duplicates::Confirm,
        late_echoes: true,
        backoff_from: BackoffFrom::Transmission,
        combine_relays: true,
        pull_forward: true,
        same_hop: false,
        postpone: true,
    }
}

pub(super) struct Script {
    nodes: Vec<SlottedMac>,
    air: Air,
    watch: Watch,
    /// Nodes that send nothing on.
    routeless: Vec<u32>,
    links: Vec<(u32, u32)>,
    /// Receptions that fail: slot and node.
    lost: Vec<(u64, u32)>,
    /// Names of packets in rows.
    names: Vec<Uid>,
    /// Packets that are not made yet: first slot, node, packet, next hop.
    unmade: Vec<(u64, u32, Packet, u32)>,
    pub(super) delivered: Vec<(u64, u32, String)>,
    slot: u64,
    /// The mini-slot of a node; `None`: as it draws.
    mini_slots: Option<fn(NodeId) -> u32>,
    /// What broke a rule.
    broken: Vec<String>,
}

impl Script {
    /// Nodes 0 to `nodes` − 1 with these links.
    pub(super) fn new(nodes: u32, links: &[(u32, u32)], config: SlottedConfig) -> Self {
        let mut reach = vec![Vec::new(); nodes as usize];
        for &(one, other) in links {
            reach[one as usize].push(NodeId(other));
            reach[other as usize].push(NodeId(one));
        }
        let draws = |node: u32, purpose: Purpose| {
            Address {
                seed: 1,
                run: 0,
                node: NodeId(node),
                purpose,
            }
            .open()
        };
        let node = |index: u32| {
            let streams = Streams {
                contention: draws(index, Purpose::SlotContention),
                retry: draws(index, Purpose::SlotRetry),
                spacing: draws(index, Purpose::SlotSpacing),
            };
            SlottedMac::new(NodeId(index), config, streams)
        };
        Self {
            nodes: (0..nodes).map(node).collect(),
            air: Air::new(&reach, &reach),
            watch: Watch::new(nodes as usize),
            routeless: Vec::new(),
            links: links.to_vec(),
            lost: Vec::new(),
            names: Vec::new(),
            unmade: Vec::new(),
            delivered: Vec::new(),
            slot: 1,
            mini_slots: Some(|node| node.0),
            broken: Vec::new(),
        }
    }

    /// A chain.
    pub(super) fn chain(nodes: u32, config: SlottedConfig) -> Self {
        let links: Vec<_> = (1..nodes).map(|node| (node - 1, node)).collect();
        Self::new(nodes, &links, config)
    }

    /// Everybody starts at once.
    pub(super) fn all_at_once(mut self) -> Self {
        self.mini_slots = Some(|_| 0);
        self
    }

    /// Mini-slots are drawn.
    pub(super) fn by_chance(mut self) -> Self {
        self.mini_slots = None;
        self
    }

    /// Packets that nodes hold.
    pub(super) fn held(&self) -> usize {
        self.nodes.iter().map(SlottedMac::held).sum()
    }

    /// Panics if a rule was broken on the way.
    pub(super) fn assert_sound(&self, seed: u64) {
        assert!(self.broken.is_empty(), "seed {seed}: {:#?}", self.broken);
        for (index, node) in self.nodes.iter().enumerate() {
            let (unechoed, misses) = (node.counters().unechoed, self.watch.misses(index));
            assert_eq!(
                unechoed,
                misses.sum(),
                "seed {seed}, node {index}: {misses:?}"
            );
        }
    }

    /// Node `node` receives nothing in `slot`.
    pub(super) fn lose(mut self, slot: u64, node: u32) -> Self {
        self.lost.push((slot, node));
        self
    }

    /// Node `node` sends nothing on.
    pub(super) fn without_route(mut self, node: u32) -> Self {
        self.routeless.push(node);
        self
    }

    /// What `node` counted.
    pub(super) fn counters(&self, node: u32) -> SlottedCounters {
        *self.nodes[node as usize].counters()
    }

    /// Why echoes for `node` did not come.
    pub(super) fn misses(&self, node: u32) -> SlottedMisses {
        *self.watch.misses(node as usize)
    }

    /// A packet that may leave from slot `due` on.
    pub(super) fn send(mut self, due: u64, kind: Kind, from: u32, to: u32) -> Self {
        let segment = Segment {
            flow: FlowId(0),
            forward: kind == Kind::Data,
            seq: Seq32(0),
            ack: Seq32(0),
            flags: Flags::default(),
            window: 0,
            len: 0,
            retransmission: false,
            options: Default::default(),
        };
        let packet = Packet::tcp(0, NodeId(from), NodeId(to), 9, segment);
        let next = self.next_hop(from, to);
        let of_node = self
            .names
            .iter()
            .filter(|uid| uid.source().0 == from)
            .count() as u32;
        self.names.push(Uid::new(NodeId(from), of_node + 1));
        self.unmade.push((due, from, packet, next));
        self
    }

    /// Along a shortest path, the lowest number first.
    fn next_hop(&self, from: u32, to: u32) -> u32 {
        let mut near = vec![to];
        loop {
            let linked =
                |a: u32, b: u32| self.links.contains(&(a, b)) || self.links.contains(&(b, a));
            if let Some(next) = (0..self.nodes.len() as u32)
                .filter(|node| near.contains(node))
                .find(|&node| linked(from, node))
            {
                return next;
            }
            let all = 0..self.nodes.len() as u32;
            let more: Vec<u32> = all
                .filter(|&n| near.iter().any(|&m| linked(n, m)))
                .collect();
            near.extend(more);
        }
    }

    /// Runs until every node is idle, or `last` is over; the rows of slots in which anybody
    /// sends.
    pub(super) fn rows(&mut self, last: u64) -> Vec<String> {
        let mut rows = Vec::new();
        while self.slot <= last && !self.is_over() {
            let cells = self.step();
            if cells.iter().any(|cell| cell != ".") {
                rows.push(format!("{} {}", self.slot, cells.join(" ")));
            }
            self.slot += 1;
        }
        rows
    }

    fn is_over(&self) -> bool {
        self.unmade.is_empty() && self.nodes.iter().all(SlottedMac::is_idle)
    }

    fn step(&mut self) -> Vec<String> {
        let slot = self.slot;
        let (nodes, unmade) = (&mut self.nodes, &mut self.unmade);
        unmade.retain(|(due, from, packet, next)| {
            if *due == slot {
                nodes[*from as usize].on_packet(slot, packet.clone(), NodeId(*next));
            }
            *due > slot
        });
        let mini = self.mini_slots;
        let nodes = self.nodes.iter_mut();
        let mut contenders: Vec<Contender> = nodes
            .filter_map(|node| node.on_slot(slot))
            .map(|one| Contender {
                mini_slot: mini.map_or(one.mini_slot, |of| of(one.node)),
                ..one
            })
            .collect();
        self.air.open();
        let (nodes, watch) = (&mut self.nodes, &mut self.watch);
        watch.on_slot();
        self.air.resolve(&mut contenders, |node| {
            nodes[node.index()].on_busy(slot);
            watch.on_busy(node);
        });
        let frames: Vec<(NodeId, SlottedFrame)> = self
            .air
            .transmitting()
            .iter()
            .map(|&node| (node, nodes[node.index()].on_sent(slot).expect("a frame")))
            .collect();
        self.check(slot, &frames);
        self.check_contention(slot, &contenders);
        let sent: Vec<SlottedFrame> = frames.iter().map(|&(_, frame)| frame).collect();
        self.watch.before_hearing(&SlotView {
            slot,
            air: &self.air,
            frames: &sent,
            nodes: &self.nodes,
        });
        self.hear(slot, &frames);
        self.watch.after_hearing(slot, &self.nodes);
        for node in &mut self.nodes {
            node.on_slot_end(slot);
            while node.poll().is_some() {}
        }
        let cell = |index: u32| {
            let sent = frames.iter().find(|(node, _)| node.0 == index);
            sent.map_or(".".to_owned(), |(_, frame)| self.cell(frame))
        };
        (0..self.nodes.len() as u32).map(cell).collect()
    }

    fn hear(&mut self, slot: u64, frames: &[(NodeId, SlottedFrame)]) {
        for index in 0..self.nodes.len() as u32 {
            let node = NodeId(index);
            if let Some(place) = self.air.received(node)
                && !self.lost.contains(&(slot, index))
            {
                let (from, frame) = frames[place];
                self.nodes[node.index()].on_frame(slot, from, &frame);
                self.hand_up(slot, node);
            }
        }
    }

    /// One frame a node, and nothing that is over.
    fn check(&mut self, slot: u64, frames: &[(NodeId, SlottedFrame)]) {
        for (place, (node, frame)) in frames.iter().enumerate() {
            if frames[..place].iter().any(|(other, _)| other == node) {
                self.broken
                    .push(format!("slot {slot}: {node:?} sends twice"));
            }
            if frame.parts().any(|part| part.expiry <= slot) {
                self.broken
                    .push(format!("slot {slot}: {node:?} sends what is over"));
            }
        }
        for node in &self.nodes {
            if node.oldest_expiry().is_some_and(|expiry| expiry <= slot) {
                self.broken
                    .push(format!("slot {slot}: a packet outlives its lifetime"));
            }
        }
    }

    /// No two neighbours transmit, unless they started together or the later one did not listen;
    /// and who keeps silent, though it wanted the slot, listened to an earlier one.
    fn check_contention(&mut self, slot: u64, contenders: &[Contender]) {
        for one in contenders {
            let earlier = contenders.iter().find(|other| {
                other.mini_slot < one.mini_slot
                    && self.air.transmits(other.node)
                    && self.air.senses(one.node, other.node)
            });
            let silent = one.senses && earlier.is_some();
            if self.air.transmits(one.node) == silent {
                let what = format!("slot {slot}: {one:?} after {earlier:?}");
                self.broken.push(what);
            }
        }
    }

    fn hand_up(&mut self, slot: u64, node: NodeId) {
        while let Some(output) = self.nodes[node.index()].poll() {
            let SlottedOutput::Up(arrival) = output else {
                continue;
            };
            let Arrival { part, from, .. } = arrival;
            if part.destination == node {
                let name = self.name(part.uid, part.kind);
                self.delivered.push((slot, node.0, name));
                continue;
            }
            if self.routeless.contains(&node.0) {
                self.nodes[node.index()].on_kept(arrival);
                continue;
            }
            let packet = self.nodes[from.index()].packet(part.uid).cloned();
            let next = self.next_hop(node.0, part.destination.0);
            let packet = packet.expect("the sender holds it");
            self.nodes[node.index()].on_relay(arrival, packet, NodeId(next));
        }
    }

    fn name(&self, uid: Uid, kind: Kind) -> String {
        let number = self.names.iter().position(|&known| known == uid);
        let letter = match kind {
            Kind::Data => 'D',
            Kind::Ack => 'A',
        };
        format!("{letter}{}", number.expect("a packet of the script") + 1)
    }

    fn cell(&self, frame: &SlottedFrame) -> String {
        let part = |part: &Part| format!("{}>{}", self.name(part.uid, part.kind), part.to.0);
        match frame {
            SlottedFrame::Confirm { uid, to } => {
                let name = self.name(*uid, Kind::Data);
                format!("*{}>{}", &name[1..], to.0)
            }
            SlottedFrame::Single(one) => part(one),
            SlottedFrame::Combined { first, second, .. } => {
                format!("{}+{}", part(first), part(second))
            }
        }
    }
}
