//! Point-to-point links in the world: packets onto them, packets off them, and their records.
//!
//! A packet takes a link if one leads to its next hop, else the radio; a broadcast goes out
//! everywhere. Links and radio meet in the router alone.

use crate::flow::Traffic;
use crate::media::Membership;
use crate::stack::Stack;
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_kernel::Slot;
use acklab_mac::p2p::{Counters, Link, Lost, Output, Refused, Side, Sight, Sighting};
use acklab_trace::{Digest, DropReason, Event, LinkFrame, LinkSight, NodeCounters};
use acklab_wire::{Body, Packet};

/// A link with its place in the world.
#[derive(Debug)]
pub(crate) struct Wire {
    pub(crate) link: Link,
    /// The nodes at its first and second end.
    pub(crate) ends: [NodeId; 2],
    pub(crate) slot: Slot,
    /// Where it is among those that share its medium, if it has one.
    pub(crate) medium: Option<Membership>,
    /// Whether it sends frames again before their link ACKs can come.
    pub(crate) repeats_too_soon: bool,
    /// What arrived at each end.
    pub(crate) digests: [Digest; 2],
}

/// A node's end of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Port {
    /// The node at the other end.
    pub(crate) peer: NodeId,
    /// Which link.
    pub(crate) link: usize,
    /// Which end of it.
    pub(crate) side: Side,
}

impl World {
    /// Sends a packet over the link to `next_hop`, or by radio, and shows it to the agent that
    /// watches that neighbour.
    pub(crate) fn send_on(&mut self, at: Instant, node: NodeId, packet: Packet, next_hop: NodeId) {
        match self.agent_for(node, next_hop, &packet) {
            None => {
                self.send_unseen(at, node, packet, next_hop);
            }
            Some(agent) => {
                let Some(packet) = self.take_for_split(at, agent, packet) else {
                    return;
                };
                let copy = packet.clone();
                if self.send_unseen(at, node, packet, next_hop) {
                    self.show_forwarded(at, agent, &copy);
                }
            }
        }
    }

    /// The same without an agent; whether the link or the link layer of the radio accepted it. A
    /// broadcast goes over every link, and over the radio too.
    #[inline(always)]
    pub(crate) fn send_unseen(
        &mut self,
        at: Instant,
        node: NodeId,
        packet: Packet,
        next_hop: NodeId,
    ) -> bool {
        let ports = self.stacks[self.seats.of(node)].ports();
        if let Some(&port) = ports.iter().find(|port| port.peer == next_hop) {
            return self.send_over(at, node, port, packet);
        }
        if self.cells.is_some()
            && let Some(cell) = self.cell_between(node, next_hop)
        {
            return self.send_in_cell(at, (node, next_hop), cell, packet);
        }
        if next_hop.is_broadcast() {
            for place in 0..ports.len() {
                let port = self.stacks[self.seats.of(node)].ports()[place];
                self.send_over(at, node, port, packet.clone());
            }
        }
        let has_radio = node.index() < self.radios;
        if has_radio {
            self.send_by_radio(at, node, packet, next_hop);
        }
        true
    }

    #[inline]
    fn send_over(&mut self, at: Instant, node: NodeId, port: Port, packet: Packet) -> bool {
        let wire = &mut self.wires[port.link];
        if let Some(member) = wire.medium {
            return match self.send_over_medium(at, member, port.side, packet) {
                Ok(()) => true,
                Err(refused) => self.refused(at, node, &refused),
            };
        }
        if let Err(refused) = wire.link.on_send(at, port.side, packet) {
            self.plan_link(port.link);
            return self.refused(at, node, &refused);
        }
        self.plan_link(port.link);
        true
    }

    /// Says in the agenda when a link is next to be woken.
    #[inline]
    fn plan_link(&mut self, index: usize) {
        let wire = &self.wires[index];
        self.agenda.set(wire.slot, wire.link.next_wake());
    }

    /// A link did not take a packet.
    #[cold]
    fn refused(&mut self, at: Instant, node: NodeId, refused: &Refused) -> bool {
        let why = match refused.why {
            Lost::Congestion => DropReason::Congestion,
            Lost::QueueFull => DropReason::LinkQueueFull,
        };
        self.dropped(at, node, refused.packet.class(), why);
        false
    }

    /// A link does what is due by `now`.
    pub(crate) fn wake_link(&mut self, now: Instant, index: usize) {
        if let Some(member) = self.wires[index].medium {
            return self.wake_medium(now, member);
        }
        self.wires[index].link.on_wake(now);
        self.drain_wire(now, index);
        self.plan_link(index);
    }

    /// Does what a link hands over.
    pub(crate) fn drain_wire(&mut self, now: Instant, index: usize) {
        while let Some(output) = self.wires[index].link.poll() {
            match output {
                Output::Deliver { side, packet } => self.arrived(now, index, side, packet),
                Output::GivenUp { side, packet } => {
                    let node = self.wires[index].ends[side.index()];
                    self.dropped(now, node, packet.class(), DropReason::LinkRetryLimit);
                }
                Output::Repaired { side, after } => self.repaired(index, side, after),
                Output::Seen(sighting) => self.record_sighting(index, &sighting),
            }
        }
    }

    /// A packet comes off a link and climbs to the router. What a packet passes on the way from
    /// link to link is one function, so that it is not copied at every step.
    #[inline(always)]
    fn arrived(&mut self, now: Instant, index: usize, side: Side, packet: Packet) {
        let wire = &mut self.wires[index];
        let (node, from) = (wire.ends[side.index()], wire.ends[side.other().index()]);
        let value = u64::from(packet.source.0) << 32 ^ u64::from(packet.id);
        wire.digests[side.index()].mix(now, 96 + packet.class() as u16, value);
        if self.cells.is_some() && !self.passes_air(now, index, side, packet.class()) {
            return;
        }
        if self.stacks[self.seats.of(node)].is_bare {
            // Spares the packet the way through a closure.
            self.climb(now, node, packet, from);
        } else {
            self.above_the_mac(node, |world| world.climb(now, node, packet, from));
        }
        self.watch_crossover(now, node);
    }

    /// The link at a node had a packet sent again: its TCP receivers may take note.
    fn repaired(&mut self, index: usize, side: Side, after: Duration) {
        let node = self.wires[index].ends[side.index()];
        for flow in self.flows.iter_mut().filter(|flow| flow.to == node) {
            if let Traffic::Tcp(tcp) = &mut flow.traffic {
                tcp.receiver.on_link_retransmission_time(after);
            }
        }
    }

    fn record_sighting(&mut self, index: usize, sighting: &Sighting) {
        let ends = self.wires[index].ends;
        let segment = |packet: &Packet| match &packet.body {
            Body::Tcp(segment) => Some(*segment),
            _ => None,
        };
        let packet = sighting.packet.as_ref();
        let frame = LinkFrame {
            sight: match sighting.sight {
                Sight::Sent => LinkSight::Sent,
                Sight::Received => LinkSight::Received,
                Sight::Duplicate => LinkSight::Duplicate,
                Sight::Lost => LinkSight::Lost,
            },
            peer: ends[sighting.side.other().index()],
            bytes: sighting.bytes,
            number: sighting.number,
            again: sighting.again,
            packet: packet.map(|packet| (packet.class(), packet.source, packet.id)),
            segment: packet.and_then(segment),
        };
        let node = ends[sighting.side.index()];
        self.record(sighting.at, node, Event::LinkFrame(frame));
    }

    /// Adds what a node's ends of links counted.
    pub(crate) fn count_links(&self, stack: &Stack, counters: &mut NodeCounters) {
        for port in stack.ports() {
            add(counters, self.wires[port.link].link.counters(port.side));
        }
    }
}

fn add(to: &mut NodeCounters, from: &Counters) {
    to.p2p_frames_sent += from.frames_sent;
    to.p2p_retransmissions += from.retransmissions;
    to.p2p_timer_retransmissions += from.timer_retransmissions;
    to.p2p_acks_sent += from.acks_sent;
    to.p2p_frames_lost += from.frames_lost;
    to.p2p_acks_lost += from.acks_lost;
    to.p2p_duplicates += from.duplicates;
    to.p2p_queue_drops += from.queue_drops;
    to.p2p_ack_queue_drops += from.ack_queue_drops;
    to.p2p_congestion_drops += from.congestion_drops;
    to.p2p_given_up += from.given_up;
    to.p2p_recovered += from.recovered;
    to.p2p_recovery += from.recovery;
    to.p2p_busy += from.busy;
}
