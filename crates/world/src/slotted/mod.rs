//! The slotted radio of a network: the slots of all nodes as one machine of the agenda.
//!
//! Slots have one length, so that slot n begins at n times it; or a slot without data is a shorter
//! one, and all nodes know it at once (an idealisation). One wake a slot does, in this order: the
//! slot that is over is heard (TCP and routing answer at once), then the new one is contended for.
//! While no node holds anything there is no wake. The agenda's slot comes behind those of all
//! flows, so that what a timer makes TCP send at a slot's beginning may leave in it.
//!
//! The network's 802.11 stations stay as they were built: silent. Invariant: every frame in
//! `on_air` was sent in slot `opened - 1`.

mod build;
mod hear;

pub(crate) use build::network;

use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_kernel::Slot;
use acklab_mac::SlottedMac;
use acklab_mac::slotted::{Air, Arrival, Contender, SlotView, Watch};
use acklab_trace::NodeCounters;
use acklab_wire::Packet;
use acklab_wire::slotted::{Kind, SlottedFrame};

/// All nodes of a slotted radio, and the medium between them.
#[derive(Debug)]
pub(crate) struct SlottedNetwork {
    pub(super) slot: Duration,
    /// A slot without data.
    pub(super) short: Duration,
    /// A slot and its beginning, from which on slots are short.
    pub(super) since: (u64, Instant),
    pub(super) wake: Slot,
    pub(super) air: Air,
    pub(super) nodes: Vec<SlottedMac>,
    /// Why echoes do not come.
    pub(super) watch: Watch,
    /// Nodes that hold something, in no order, and whether a node is among them.
    pub(super) busy: Vec<NodeId>,
    pub(super) is_busy: Vec<bool>,
    /// The next slot to be contended for: all before it are decided.
    pub(super) opened: u64,
    pub(super) contenders: Vec<Contender>,
    /// The frames of the slot before, in the order of [`Air::transmitting`].
    pub(super) on_air: Vec<SlottedFrame>,
    /// What was received for another node and is on its way up, until it is sent on.
    pub(super) passing: Option<Passing>,
}

/// A packet between its arrival at a node and its leaving, which take no time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passing {
    pub(super) arrival: Arrival,
    /// The packet's source and its number there: an agent may send others in its stead.
    pub(super) source: NodeId,
    pub(super) id: u32,
}

impl SlottedNetwork {
    fn start_of(&self, slot: u64) -> Instant {
        self.since.1 + self.short * (slot - self.since.0)
    }

    /// The first slot in which a packet that is made at `now` may be sent.
    fn next_slot(&self, now: Instant) -> u64 {
        let (slot, start) = self.since;
        let begun = slot + now.saturating_since(start).whole(self.short);
        let upcoming = begun + u64::from(self.start_of(begun) < now);
        upcoming.max(self.opened)
    }

    pub(super) fn rouse(&mut self, node: NodeId) {
        if !std::mem::replace(&mut self.is_busy[node.index()], true) {
            self.busy.push(node);
        }
    }

    /// Every busy node says whether it wants the slot; who may, sends.
    fn contend(&mut self, slot: u64) {
        self.contenders.clear();
        for &node in &self.busy {
            self.contenders
                .extend(self.nodes[node.index()].on_slot(slot));
        }
        self.air.open();
        self.watch.on_slot();
        let (nodes, watch) = (&mut self.nodes, &mut self.watch);
        self.air.resolve(&mut self.contenders, |node| {
            nodes[node.index()].on_busy(slot);
            watch.on_busy(node);
        });
        self.on_air.clear();
        for &node in self.air.transmitting() {
            let sent = self.nodes[node.index()].on_sent(slot);
            self.on_air
                .push(sent.expect("a node that contends has something to send"));
        }
        self.opened = slot + 1;
        let lengths = self.on_air.iter().map(|frame| self.length(frame));
        let length = lengths.max().unwrap_or(self.short);
        self.since = (slot + 1, self.start_of(slot) + length);
    }

    /// Whether slots without data are shorter than others.
    pub(crate) fn has_short_slots(&self) -> bool {
        self.short < self.slot
    }

    /// How long a frame lasts. A short one may have a long slot, and the rest of it is idle then.
    pub(super) fn length(&self, frame: &SlottedFrame) -> Duration {
        if frame.carries(Kind::Data) {
            self.slot
        } else {
            self.short
        }
    }

    /// What the observer sees of `slot`, which is over and was not heard yet.
    pub(super) fn watch_slot(&mut self, slot: u64) {
        self.watch.before_hearing(&SlotView {
            slot,
            air: &self.air,
            frames: &self.on_air,
            nodes: &self.nodes,
        });
    }

    /// Nodes that hold nothing any more are left alone.
    fn settle_down(&mut self) {
        let (nodes, is_busy) = (&self.nodes, &mut self.is_busy);
        self.busy.retain(|node| {
            is_busy[node.index()] = !nodes[node.index()].is_idle();
            is_busy[node.index()]
        });
    }

    /// A node's counters with those that its slotted MAC keeps.
    pub(crate) fn node_counters(&self, index: usize, others: &NodeCounters) -> NodeCounters {
        let (mac, missed) = (self.nodes[index].counters(), self.watch.misses(index));
        NodeCounters {
            slot_data_frames: mac.data,
            slot_ack_frames: mac.ack,
            slot_combined_frames: mac.combined,
            slot_frn_acks: mac.confirms,
            slot_resent: mac.repeated,
            slot_relay_frames: mac.relay_frames,
            slot_relay_frames_both: mac.relay_frames_both,
            slot_busy: mac.busy,
            slot_unechoed: mac.unechoed,
            slot_missed_collided: missed.collided,
            slot_missed_deaf: missed.deaf,
            slot_missed_undecoded: missed.undecoded,
            slot_missed_duplicate: missed.duplicate,
            slot_missed_echo_busy: missed.echo_busy,
            slot_missed_echo_listening: missed.echo_listening,
            slot_missed_echo_held: missed.echo_held,
            slot_missed_echo_behind: missed.echo_behind,
            slot_missed_echo_gone: missed.echo_gone,
            slot_missed_echo_collided: missed.echo_collided,
            slot_missed_echo_deaf: missed.echo_deaf,
            slot_pairs_taken: missed.pairs_taken,
            slot_pairs_at_once: missed.pairs_at_once,
            slot_pairs_met: missed.pairs_met,
            slot_pairs_unechoed: missed.pairs_unechoed,
            slot_late_echoes: mac.late_echoes,
            slot_duplicates: mac.duplicates,
            slot_undecoded: mac.undecoded,
            slot_hops: mac.hops,
            slot_hop_slots: mac.hop_slots,
            ..*others
        }
    }
}

impl World {
    /// Routing hands a packet to the slotted radio.
    pub(crate) fn send_in_slots(
        &mut self,
        now: Instant,
        node: NodeId,
        packet: Packet,
        next_hop: NodeId,
    ) {
        let Some(network) = self.slotted.as_deref_mut() else {
            return;
        };
        let due = network.next_slot(now);
        let passed = network
            .passing
            .take_if(|one| (one.source, one.id) == (packet.source, packet.id));
        let mac = &mut network.nodes[node.index()];
        match passed {
            Some(Passing { arrival, .. }) => mac.on_relay(arrival, packet, next_hop),
            None => mac.on_packet(due, packet, next_hop),
        }
        network.rouse(node);
        let (wake, next) = (network.wake, network.start_of(due));
        self.agenda.set_no_later(wake, next);
    }

    /// A slot is over and the next one begins.
    pub(crate) fn wake_slots(&mut self, now: Instant) {
        let Some(network) = self.slotted.as_deref_mut() else {
            return;
        };
        let slot = network.next_slot(now);
        let wake = network.wake;
        if now < network.start_of(slot) {
            let next = network.start_of(slot);
            return self.agenda.set(wake, next);
        }
        if slot > 0 {
            self.hear_slot(now, slot - 1);
        }
        let Some(network) = self.slotted.as_deref_mut() else {
            return;
        };
        network.contend(slot);
        self.note_slot(now);
        let Some(network) = self.slotted.as_deref_mut() else {
            return;
        };
        network.settle_down();
        let next = if network.busy.is_empty() && network.on_air.is_empty() {
            Instant::NEVER
        } else {
            network.start_of(slot + 1)
        };
        self.agenda.set(wake, next);
    }
}
