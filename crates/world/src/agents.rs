//! Agents in the world: which packets they are shown, and what becomes of what they make.
//!
//! An agent sits on a node and watches one neighbour: it is shown TCP packets that were accepted
//! on their way to it, and TCP packets from it before the router sees them. What it sends goes the
//! way of any other packet, to the tail of the queue. Encrypted packets pass it unseen.

use crate::split::Split;
use crate::world::World;
use acklab_agents::{Held, LossNotifier, Snoop, Supervisor, Verdict, mtcp, snoop};
use acklab_base::{Instant, NodeId};
use acklab_kernel::Slot;
use acklab_trace::{AgentAct, Event};
use acklab_wire::{Body, Packet};

/// An agent with its place in the world.
#[derive(Debug)]
pub(crate) struct Agent {
    /// Where it sits.
    pub(crate) node: NodeId,
    /// The neighbour that it watches.
    pub(crate) toward: NodeId,
    pub(crate) kind: Kind,
    pub(crate) slot: Slot,
    /// What it held when that was last recorded.
    pub(crate) recorded: Held,
}

/// What it is.
#[derive(Debug)]
pub(crate) enum Kind {
    Snoop(Snoop),
    LossNotice(LossNotifier),
    Split(Split),
    Supervisor(Supervisor),
}

impl Kind {
    /// What it holds of connections.
    fn held(&self) -> Held {
        match self {
            Self::Snoop(snoop) => snoop.held(),
            Self::LossNotice(notifier) => notifier.held(),
            Self::Split(split) => split.held(),
            Self::Supervisor(supervisor) => supervisor.held(),
        }
    }
}

impl World {
    /// The agent on `node` that watches `neighbour` and can read this packet.
    pub(crate) fn agent_for(
        &self,
        node: NodeId,
        neighbour: NodeId,
        packet: &Packet,
    ) -> Option<usize> {
        let mut agents = self.agents.iter();
        let index = agents.position(|agent| agent.node == node && agent.toward == neighbour)?;
        let Body::Tcp(segment) = &packet.body else {
            return None;
        };
        (!self.flows[segment.flow.index()].encrypted).then_some(index)
    }

    /// A packet was accepted on its way to the neighbour that an agent watches.
    pub(crate) fn show_forwarded(&mut self, now: Instant, index: usize, packet: &Packet) {
        match &mut self.agents[index].kind {
            Kind::Snoop(snoop) => {
                snoop.on_forward(now, packet);
                self.drain_snoop(now, index);
            }
            Kind::LossNotice(notifier) => notifier.on_forward(packet),
            Kind::Split(_) => {}
            Kind::Supervisor(supervisor) => {
                supervisor.on_forward(now, packet);
                self.drain_supervisor(now, index);
            }
        }
        self.record_held(now, index);
    }

    /// A packet from a neighbour comes to `node`: what of it the router may see.
    pub(crate) fn past_agents(
        &mut self,
        now: Instant,
        node: NodeId,
        mut packet: Packet,
        from: NodeId,
    ) -> Option<Packet> {
        let Some(index) = self.agent_for(node, from, &packet) else {
            return Some(packet);
        };
        let verdict = match &mut self.agents[index].kind {
            Kind::Snoop(snoop) => snoop.on_return(now, &packet),
            Kind::LossNotice(notifier) => notifier.on_return(&packet),
            Kind::Supervisor(supervisor) => supervisor.on_return(now, &packet),
            Kind::Split(_) => return self.end_at_split(now, index, packet),
        };
        let counters = self.stacks[self.seats.of(node)].counters.rest();
        match verdict {
            Verdict::Pass => {}
            Verdict::Mark => {
                counters.agent_marked += 1;
                if let Body::Tcp(segment) = &mut packet.body {
                    segment.options.eln = true;
                }
                self.record_act(now, node, AgentAct::Marked, &packet);
            }
            Verdict::HoldByte => {
                counters.agent_bytes_held += 1;
                if let Body::Tcp(segment) = &mut packet.body {
                    segment.ack = segment.ack.add(u32::MAX);
                }
                self.record_act(now, node, AgentAct::HeldBack, &packet);
            }
            Verdict::Suppress => {
                counters.agent_suppressed += 1;
                self.record_act(now, node, AgentAct::Suppressed, &packet);
            }
        }
        self.drain_snoop(now, index);
        self.drain_supervisor(now, index);
        self.record_held(now, index);
        (verdict != Verdict::Suppress).then_some(packet)
    }

    pub(crate) fn wake_agent(&mut self, now: Instant, index: usize) {
        let node = self.agents[index].node;
        self.above_the_mac(node, |world| match &mut world.agents[index].kind {
            Kind::Snoop(snoop) => {
                snoop.on_wake(now);
                world.drain_snoop(now, index);
            }
            Kind::LossNotice(_) => {}
            Kind::Split(_) => world.wake_split(now, index),
            Kind::Supervisor(supervisor) => {
                supervisor.on_wake(now);
                world.drain_supervisor(now, index);
            }
        });
    }

    fn drain_snoop(&mut self, now: Instant, index: usize) {
        while let Kind::Snoop(snoop) = &mut self.agents[index].kind
            && let Some(output) = snoop.poll()
        {
            let snoop::Output::Transmit { packet, by_timer } = output;
            let (node, toward) = (self.agents[index].node, self.agents[index].toward);
            let counters = self.stacks[self.seats.of(node)].counters.rest();
            counters.agent_retransmissions += 1;
            counters.agent_timer_retransmissions += u64::from(by_timer);
            self.record_act(now, node, AgentAct::Retransmitted, &packet);
            self.send_unseen(now, node, packet, toward);
        }
        if let Kind::Snoop(snoop) = &self.agents[index].kind {
            self.agenda.set(self.agents[index].slot, snoop.next_wake());
        }
    }

    fn drain_supervisor(&mut self, now: Instant, index: usize) {
        while let Kind::Supervisor(supervisor) = &mut self.agents[index].kind
            && let Some(output) = supervisor.poll()
        {
            let mtcp::Output::Acknowledge {
                mobile,
                fixed,
                segment,
            } = output;
            let node = self.agents[index].node;
            let stack = &mut self.stacks[self.seats.of(node)];
            let counters = stack.counters.rest();
            counters.agent_acks_sent += 1;
            counters.agent_windows_closed += u64::from(segment.window == 0);
            let packet = Packet::tcp(stack.packet_id(), mobile, fixed, 0, segment);
            self.record_act(now, node, AgentAct::Acknowledged, &packet);
            let router = &mut self.stacks[self.seats.of(node)].router;
            router.on_packet(now, packet, None);
            self.drain_router(now, node);
        }
        if let Kind::Supervisor(supervisor) = &self.agents[index].kind {
            let wake = supervisor.next_wake();
            self.agenda.set(self.agents[index].slot, wake);
        }
    }

    /// Records what an agent holds if that has changed.
    pub(crate) fn record_held(&mut self, now: Instant, index: usize) {
        if self.recorder.is_none() {
            return;
        }
        let agent = &mut self.agents[index];
        let held = agent.kind.held();
        if held == agent.recorded {
            return;
        }
        agent.recorded = held;
        let node = agent.node;
        let event = Event::AgentHolds {
            data: held.data,
            notes: held.notes,
        };
        self.record(now, node, event);
    }

    pub(crate) fn record_act(&mut self, now: Instant, node: NodeId, act: AgentAct, of: &Packet) {
        if let Body::Tcp(segment) = of.body {
            self.record(now, node, Event::Agent { act, segment });
        }
    }
}
