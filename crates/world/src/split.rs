//! Split connections (I-TCP, Bakre and Badrinath 1995; vaidya1999 section 3) at a base station: a
//! TCP connection from a fixed host ends here, and one of the base station's own goes on to the
//! wireless host.
//!
//! Both ends keep their addresses: towards the fixed host the base station answers in the wireless
//! host's name, towards that in the fixed host's. The two halves have the options of the flow; the
//! base station acknowledges every segment. What the first half delivers is what the second one
//! may send; there is no limit to what waits between them. Persistent connections alone are split,
//! and only those that do not start here; others pass. It lives in this room since it is made of
//! TCP's own machines.
//!
//! Invariant: what the wireless half sends, the base station has in order.

use crate::agents::Kind;
use crate::convert;
use crate::world::World;
use acklab_agents::Held;
use acklab_agents::held::{NUMBER, TIME};
use acklab_base::{Duration, FlowId, Instant, NodeId};
use acklab_routing::static_path::DEFAULT_TTL;
use acklab_scenario::{AckOptions, FlowKind, Ftp, Resolved};
use acklab_tcp::{Receiver, ReceiverOutput, Sender, SenderOutput};
use acklab_trace::AgentAct;
use acklab_wire::{Body, Packet, Segment};
use std::ops::Add;

/// The base station's ends of one connection.
#[derive(Debug)]
struct Halves {
    flow: FlowId,
    fixed: NodeId,
    wireless: NodeId,
    /// The end of the connection from the fixed host.
    receiver: Receiver,
    /// The beginning of the one to the wireless host.
    sender: Sender,
    opened: bool,
}

impl Halves {
    fn new(flow: FlowId, fixed: NodeId, wireless: NodeId, ftp: &Ftp) -> Self {
        let plain = Ftp {
            ack: AckOptions::Every,
            ..*ftp
        };
        Self {
            flow,
            fixed,
            wireless,
            receiver: Receiver::new(convert::receiver(flow, &plain, None)),
            sender: Sender::new(convert::sender(flow, ftp, Duration::ZERO)),
            opened: false,
        }
    }

    /// What is acknowledged to the fixed host and not yet by the wireless one; of each half the
    /// variables of RFC 9293 (SND.UNA, SND.NXT, SND.WND, RCV.NXT, RCV.WND), RFC 5681 (cwnd,
    /// ssthresh) and RFC 6298 (SRTT, RTTVAR, the timer), and both ends' addresses.
    fn held(&self) -> Held {
        if !self.opened {
            return Held::default();
        }
        let had = self.receiver.delivered_bytes();
        Held {
            data: had.saturating_sub(self.sender.acked_bytes()),
            notes: 2 * (7 * NUMBER + 3 * TIME) + 2 * NUMBER,
        }
    }

    fn next_wake(&self) -> Instant {
        let sender = if self.opened {
            self.sender.next_wake()
        } else {
            Instant::NEVER
        };
        self.receiver.next_wake().min(sender)
    }
}

/// All split connections to one wireless host.
#[derive(Debug)]
pub(crate) struct Split {
    halves: Vec<Halves>,
}

impl Split {
    /// The persistent connections to `toward`, none of them open. What `node` starts itself has no
    /// wired half: its ACKs would come back to this split for ever.
    pub(crate) fn new(resolved: &Resolved, node: NodeId, toward: NodeId) -> Self {
        let flows = resolved.flows.iter().enumerate();
        let served = flows.filter(|(_, flow)| flow.to == toward && flow.from != node);
        let halves = served.filter_map(|(index, flow)| match &flow.kind {
            FlowKind::Ftp(ftp) => {
                let id = FlowId(index as u16);
                Some(Halves::new(id, flow.from, flow.to, ftp))
            }
            FlowKind::Sessions(_) | FlowKind::Cbr(_) => None,
        });
        Self {
            halves: halves.collect(),
        }
    }

    fn next_wake(&self) -> Instant {
        let all = self.halves.iter().map(Halves::next_wake);
        all.min().unwrap_or(Instant::NEVER)
    }

    /// What it holds, over all connections.
    pub(crate) fn held(&self) -> Held {
        let all = self.halves.iter().map(Halves::held);
        all.fold(Held::default(), Add::add)
    }

    /// The halves that a segment belongs to.
    fn place(&self, segment: &Segment) -> Option<usize> {
        self.halves.iter().position(|h| h.flow == segment.flow)
    }
}

impl World {
    /// A packet goes towards a wireless host: a segment of a split connection ends here, any other
    /// packet is given back.
    pub(crate) fn take_for_split(
        &mut self,
        now: Instant,
        index: usize,
        packet: Packet,
    ) -> Option<Packet> {
        let Kind::Split(split) = &mut self.agents[index].kind else {
            return Some(packet);
        };
        let Body::Tcp(segment) = &packet.body else {
            return Some(packet);
        };
        let place = split.place(segment).filter(|_| segment.forward);
        let Some(place) = place else {
            return Some(packet);
        };
        let halves = &mut split.halves[place];
        halves.receiver.on_segment(now, segment);
        if !halves.opened {
            halves.opened = true;
            halves.sender.on_open(now);
        }
        self.drain_halves(now, index, place);
        None
    }

    /// A packet comes from a wireless host: an ACK of a split connection ends here, any other
    /// packet is given back.
    pub(crate) fn end_at_split(
        &mut self,
        now: Instant,
        index: usize,
        packet: Packet,
    ) -> Option<Packet> {
        let Kind::Split(split) = &mut self.agents[index].kind else {
            return Some(packet);
        };
        let Body::Tcp(segment) = &packet.body else {
            return Some(packet);
        };
        let place = split.place(segment).filter(|_| !segment.forward);
        let Some(place) = place else {
            return Some(packet);
        };
        split.halves[place].sender.on_segment(now, segment);
        self.drain_halves(now, index, place);
        None
    }

    pub(crate) fn wake_split(&mut self, now: Instant, index: usize) {
        let Kind::Split(split) = &mut self.agents[index].kind else {
            return;
        };
        for place in 0..split.halves.len() {
            let Kind::Split(split) = &mut self.agents[index].kind else {
                return;
            };
            let halves = &mut split.halves[place];
            halves.receiver.on_wake(now);
            if halves.opened {
                halves.sender.on_wake(now);
            }
            self.drain_halves(now, index, place);
        }
    }

    /// Sends what both halves hand over, and carries the data from one to the other.
    fn drain_halves(&mut self, now: Instant, index: usize, place: usize) {
        loop {
            let Kind::Split(split) = &mut self.agents[index].kind else {
                return;
            };
            let halves = &mut split.halves[place];
            if let Some(output) = halves.receiver.poll() {
                match output {
                    ReceiverOutput::Ack(segment, _) => self.answer(now, index, place, segment),
                    ReceiverOutput::Delivered { bytes, .. } => {
                        halves.sender.on_data(now, u64::from(bytes));
                    }
                    ReceiverOutput::Note(_) => {}
                }
            } else if let Some(output) = halves.sender.poll() {
                if let SenderOutput::Segment(segment) = output {
                    self.pass_on(now, index, place, segment);
                }
            } else {
                break;
            }
        }
        if let Kind::Split(split) = &self.agents[index].kind {
            self.agenda.set(self.agents[index].slot, split.next_wake());
        }
        self.record_held(now, index);
    }

    /// An ACK to the fixed host, in the wireless host's name.
    fn answer(&mut self, now: Instant, index: usize, place: usize, segment: Segment) {
        let (node, fixed, wireless) = self.ends_of_split(index, place);
        let stack = &mut self.stacks[self.seats.of(node)];
        stack.counters.rest().agent_acks_sent += 1;
        let packet = Packet::tcp(stack.packet_id(), wireless, fixed, 0, segment);
        self.record_act(now, node, AgentAct::Acknowledged, &packet);
        self.route(now, node, packet, None);
    }

    /// A segment to the wireless host, in the fixed host's name.
    fn pass_on(&mut self, now: Instant, index: usize, place: usize, segment: Segment) {
        let (node, fixed, wireless) = self.ends_of_split(index, place);
        let stack = &mut self.stacks[self.seats.of(node)];
        let packet = Packet::tcp(stack.packet_id(), fixed, wireless, DEFAULT_TTL, segment);
        let act = if segment.retransmission {
            stack.counters.rest().agent_retransmissions += 1;
            AgentAct::Retransmitted
        } else {
            AgentAct::PassedOn
        };
        self.record_act(now, node, act, &packet);
        self.send_unseen(now, node, packet, wireless);
    }

    fn ends_of_split(&self, index: usize, place: usize) -> (NodeId, NodeId, NodeId) {
        let agent = &self.agents[index];
        match &agent.kind {
            Kind::Split(split) => {
                let halves = &split.halves[place];
                (agent.node, halves.fixed, halves.wireless)
            }
            _ => unreachable!("only splits have halves"),
        }
    }
}
