//! All nodes of a run, their agenda, and the loop that wakes them.
//!
//! The road of a packet: a flow's machine makes it, the router names the next hop, the link layer
//! delays it and finds the address, the interface queue holds it, the DCF puts it on the air, the
//! neighbour's receiver decodes it, and it climbs the same way up. Every frame takes this road.
//!
//! Invariant: a station is settled to the instant at which anything is done to it or its queue, but
//! for what a relay queues while its station sends an ACK ([`crate::ahead`]).

use crate::agents::Agent;
use crate::batches::Batches;
use crate::cells::Cells;
use crate::crowd::Crowd;
use crate::ear::{Ear, Wake};
use crate::flow::Flow;
use crate::folded::Folds;
use crate::links::Wire;
use crate::media::SharedMedium;
use crate::sampler::Sampler;
use crate::seats::Seats;
use crate::slotted::SlottedNetwork;
use crate::stack::Stack;
use crate::station::{Station, Told};
use acklab_base::{Duration, Instant, NodeId};
use acklab_kernel::{Agenda, Slot};
use acklab_mac::dcf::Pace;
use acklab_radio::{Reach, Strengths};
use acklab_trace::{PackedCounters, Powers, Recorder};
use std::sync::atomic::{AtomicBool, Ordering};

/// How often the loop looks whether it is asked to stop, in wakes.
const STOP_CHECK_EVERY: u32 = 4096;

/// Looks without any time going by after which the engine must be spinning.
const STUCK_AFTER: u32 = 4096;

/// What a slot of the agenda wakes, by its number among those of its kind; the first ones wake radio and MAC
/// of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// A point-to-point link.
    Link(u32),
    /// Link layer and router of a node.
    Stack(NodeId),
    /// Something on a base station that looks at packets.
    Agent(u32),
    /// The beacons of a base station.
    Beacons(u32),
    /// The handoff agent of a mobile.
    Mobile(u32),
    /// 802.11 in the cell of a base station.
    Cell(u32),
    /// The sending end of a flow.
    Source(u32),
    /// The receiving end of a flow.
    Sink(u32),
    /// ACKs of a flow that take no channel.
    OracleAcks(u32),
    /// The slots of a slotted radio.
    Slots,
    /// The start of the measured interval.
    Measure,
    /// The sampler of windows.
    Sample,
    /// The end of a batch.
    Batch,
}

/// Rules that several places need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared {
    /// How a frame puts a turn off. Two transmissions within a slot time chose the same slot.
    pub(crate) pace: Pace,
    /// How late after its end a unicast frame may be settled at its receiver.
    pub(crate) answer_slack: Duration,
    /// Header bytes of a UDP datagram on the wire.
    pub(crate) udp_header: u32,
    /// Whether routers are told what their nodes overhear.
    pub(crate) overhears: bool,
    /// Frames at 1 Mbit/s have the short preamble, which 802.11b does not have there.
    pub(crate) short_preamble: bool,
}

/// A network with its traffic.
#[derive(Debug)]
pub struct World {
    pub(crate) now: Instant,
    pub(crate) end: Instant,
    pub(crate) measure_from: Instant,
    /// The last instant before that; never in a run that is measured from its start.
    pub(crate) warm_at: Instant,
    pub(crate) shared: Shared,
    pub(crate) agenda: Agenda,
    /// What the slots wake that come behind those of radios, links and stacks.
    pub(crate) parts: Vec<Part>,
    pub(crate) reach: Reach,
    pub(crate) strengths: Strengths,
    pub(crate) folds: Folds,
    pub(crate) told: Told,
    /// Where the station, the ear and the stack of a node stand.
    pub(crate) seats: Seats,
    /// Nodes, of which those with a radio have the lowest numbers.
    pub(crate) nodes: usize,
    pub(crate) radios: usize,
    pub(crate) stations: Vec<Station>,
    pub(crate) wires: Vec<Wire>,
    /// What some of those share.
    pub(crate) media: Vec<SharedMedium>,
    pub(crate) ears: Vec<Ear>,
    /// Those that only listen.
    pub(crate) crowd: Crowd,
    /// Who must be settled before a frame is announced to the next one: a list that is kept.
    pub(crate) not_to_wait: Vec<NodeId>,
    /// When the ACK that was just announced ends where it is meant for.
    pub(crate) ack_ends: Option<Instant>,
    /// The slotted radio of a network that has one; its stations stay silent.
    pub(crate) slotted: Option<Box<SlottedNetwork>>,
    pub(crate) stacks: Vec<Stack>,
    pub(crate) agents: Vec<Agent>,
    /// Base stations and mobiles, if there are any.
    pub(crate) cells: Option<Box<Cells>>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) sampler: Sampler,
    pub(crate) batches: Option<Box<Batches>>,
    /// The counters of all nodes at the start of the measured interval.
    pub(crate) baseline: PackedCounters,
    /// What a radio draws.
    pub(crate) powers: Powers,
    pub(crate) recorder: Option<Box<Recorder>>,
    pub(crate) frames_sent: u32,
    /// Packets that came to a MAC of 802.11 and are longer than its frames can carry.
    pub(crate) too_long: u64,
    /// [`World::waiting_bytes`].
    pub(crate) waiting_bytes: usize,
    /// The node whose stack, source or sink is awake while its station is not settled.
    pub(crate) unsettled: Option<NodeId>,
    /// Settle every station at every edge.
    pub(crate) eager: bool,
}

impl World {
    /// Runs to the end of the scenario, or until `stop` is set. Returns whether it got to the
    /// end.
    pub fn run(&mut self, stop: Option<&AtomicBool>) -> bool {
        while self.wake_all(stop) {
            // A frame that has not come yet may wake somebody before the end.
            let past = self.end.after(Duration::from_nanos(1));
            if self.folds.pending.is_empty() || !self.fold_pending(past) {
                self.finish();
                return true;
            }
        }
        self.waiting_bytes = self.count_waiting();
        self.disperse_crowd();
        self.hand_in();
        false
    }

    /// Wakes all that are to be woken until the end. Returns `false` if `stop` was set before.
    fn wake_all(&mut self, stop: Option<&AtomicBool>) -> bool {
        let (mut wakes, mut looks, mut looked_at) = (0_u32, 0, Instant::NEVER);
        let mut end = self.end;
        while let Some((now, slot)) = self.agenda.first_by(end) {
            if !self.folds.pending.is_empty() && self.fold_pending(now) {
                continue;
            }
            debug_assert!(
                now >= self.now,
                "time went back from {:?} to {now:?}",
                self.now
            );
            self.now = now;
            if (slot as usize) < self.radios {
                self.touch(NodeId(slot));
            } else {
                self.dispatch(slot);
                // That of a batch may be that of the run.
                end = self.end;
            }
            wakes = wakes.wrapping_add(1);
            if wakes.is_multiple_of(STOP_CHECK_EVERY) {
                if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                    return false;
                }
                looks = if looked_at == now { looks + 1 } else { 0 };
                looked_at = now;
                assert!(looks < STUCK_AFTER, "no time goes by at {now:?}");
            }
        }
        true
    }

    fn finish(&mut self) {
        self.now = self.end;
        // Ears let go the room that they do not need when they are settled.
        self.waiting_bytes = self.count_waiting();
        self.settle_all();
        if let Some(recorder) = &mut self.recorder {
            recorder.end_at(self.end);
        }
    }

    /// Whether stations fold: for tests that this changes nothing.
    #[must_use]
    pub fn folds(&self) -> bool {
        self.folds.is_on()
    }

    /// The recorder, if one listens.
    #[must_use]
    pub fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_deref()
    }

    pub(crate) const fn station_slot(node: NodeId) -> Slot {
        node.0
    }

    /// All stations and links come before all stacks, as their phases do.
    pub(crate) fn stack_slot(&self, node: NodeId) -> Slot {
        self.radios as Slot + self.wires.len() as Slot + node.0
    }

    /// What has this slot, which is no radio's.
    fn part(&self, slot: Slot) -> Part {
        let first_stack = self.stack_slot(NodeId(0));
        let Some(behind) = slot.checked_sub(first_stack) else {
            return Part::Link(slot - self.radios as Slot);
        };
        match (behind as usize).checked_sub(self.nodes) {
            Some(place) => self.parts[place],
            None => Part::Stack(NodeId(behind)),
        }
    }

    /// Wakes what has this slot.
    #[inline(never)]
    fn dispatch(&mut self, slot: Slot) {
        let now = self.now;
        match self.part(slot) {
            Part::Link(link) => self.wake_link(now, link as usize),
            Part::Stack(node) => self.above_the_mac(node, |world| world.wake_stack(now, node)),
            Part::Agent(agent) => self.wake_agent(now, agent as usize),
            Part::Beacons(station) => self.send_beacons(now, station as usize),
            Part::Mobile(mobile) => self.wake_mobile(now, mobile as usize),
            Part::Cell(cell) => self.wake_cell(now, cell as usize),
            Part::Source(flow) => {
                let flow = flow as usize;
                let node = self.flows[flow].from;
                self.above_the_mac(node, |world| world.wake_source(now, flow));
            }
            Part::Sink(flow) => {
                let flow = flow as usize;
                let node = self.flows[flow].to;
                self.above_the_mac(node, |world| world.wake_sink(now, flow));
            }
            Part::OracleAcks(flow) => {
                let flow = flow as usize;
                let node = self.flows[flow].from;
                self.above_the_mac(node, |world| world.wake_oracle_acks(now, flow));
            }
            Part::Slots => self.wake_slots(now),
            Part::Measure => {
                self.agenda.set(slot, Instant::NEVER);
                self.settle_all();
                self.start_measuring();
            }
            Part::Sample => {
                let next = self.sampler.take(now, &self.flows);
                self.agenda.set(slot, next);
            }
            Part::Batch => {
                self.agenda.set(slot, Instant::NEVER);
                self.settle_all();
                self.end_batch();
            }
        }
    }

    /// Something above the MAC does its work. Much of it has nothing to do with the station, which
    /// is then left as it is.
    #[inline]
    pub(crate) fn above_the_mac(&mut self, node: NodeId, work: impl FnOnce(&mut Self)) {
        let is_bare = self.stacks[self.seats.of(node)].is_bare;
        if !is_bare {
            self.unsettled = Some(node);
        }
        work(self);
        if is_bare {
            return;
        }
        self.reschedule_stack(node);
        if self.unsettled.take().is_none() {
            self.reschedule_station(node);
        }
    }

    /// To be called before something above the MAC touches a node's station or its queue.
    pub(crate) fn settle_for_stack(&mut self, node: NodeId) {
        if self.unsettled == Some(node) {
            self.unsettled = None;
            if self.folds.is_on() {
                return self.settle_folded(node.index(), self.now);
            }
            self.leave_crowd(node);
            if self.settle(node, self.now) {
                self.reschedule_link(node);
            }
        }
    }

    /// Settles a node's station and says in the agenda when it is next to be woken.
    #[inline(always)]
    pub(crate) fn touch(&mut self, node: NodeId) {
        if self.folds.is_on() {
            return self.wake_folded(node);
        }
        if self.crowd.gathers() {
            // Most that are woken send something: in a large network the list of those who hear it then comes
            // from memory while the station is settled.
            std::hint::black_box(self.reach.glance(node));
        }
        let place = self.seats.of(node);
        if self.settle_at(place, node, self.now) {
            let until = self.stations[place].dcf.sends_ack_until();
            self.handed_up(place, node, until);
        }
        self.reschedule_at(place, node);
    }

    fn settle_all(&mut self) {
        if self.folds.is_on() {
            return self.settle_all_folded();
        }
        for node in (0..self.radios as u32).map(NodeId) {
            if !self.seats.has(node) {
                self.settle_bystander(node);
                continue;
            }
            // Not all at once: each gives away the room that it needs for it.
            self.leave_crowd(node);
            self.touch(node);
            let ear = self.ears.get_mut(self.seats.of(node));
            if let Some(ear) = ear.filter(|_| self.crowd.gathers()) {
                ear.drop_room();
            }
        }
        for index in 0..self.wires.len() {
            self.wake_link(self.now, index);
        }
    }

    /// To be called whenever link layer or router got something to do.
    pub(crate) fn reschedule_stack(&mut self, node: NodeId) {
        let stack = self.stack_slot(node);
        self.agenda
            .set(stack, self.stacks[self.seats.of(node)].next_wake());
    }

    /// To be called whenever the link layer alone got something more to do.
    pub(crate) fn reschedule_link(&mut self, node: NodeId) {
        let stack = self.stack_slot(node);
        self.agenda
            .set_no_later(stack, self.stacks[self.seats.of(node)].link.next_wake());
    }

    pub(crate) fn reschedule_station(&mut self, node: NodeId) {
        self.reschedule_at(self.seats.of(node), node);
    }

    fn reschedule_at(&mut self, place: usize, node: NodeId) {
        if self.folds.is_on() {
            if place < self.folds.stations.len() {
                self.rekey(place);
            }
            return;
        }
        let Some(station) = self.stations.get(place) else {
            return;
        };
        let ear = &mut self.ears[place];
        let slot = self.shared.pace.slot;
        let (at, wake) = if self.eager {
            (station.next_edge(ear), Wake::Stays)
        } else {
            station.next_wake(ear, slot, self.shared.answer_slack)
        };
        ear.set_wake(wake, slot);
        self.agenda.set(Self::station_slot(node), at);
        if at == Instant::NEVER && self.crowd.gathers() {
            self.join_crowd(node);
        }
    }
}
