//! Agents in the world: which packets they are shown, and what becomes of what they make.
//!
//! An agent sits on a node and watches one neighbour: it is shown TCP packets that were accepted
//! on their way to it, and TCP packets from it before the router sees them. What it sends goes the
//! way of any other packet, to the tail of the queue.

use crate::world::World;
use acklab_agents::{Snoop, Verdict, snoop};
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
    pub(crate) snoop: Snoop,
    pub(crate) slot: Slot,
}

impl World {
    /// The agent on `node` that watches `neighbour`.
    pub(crate) fn agent_at(&self, node: NodeId, neighbour: NodeId) -> Option<usize> {
        let mut agents = self.agents.iter();
        agents.position(|agent| agent.node == node && agent.toward == neighbour)
    }

    /// A packet was accepted on its way to the neighbour that an agent watches.
    pub(crate) fn show_forwarded(&mut self, now: Instant, index: usize, packet: &Packet) {
        self.agents[index].snoop.on_forward(now, packet);
        self.drain_agent(now, index);
    }

    /// A packet from a neighbour comes to `node`: whether the router may see it.
    pub(crate) fn passes_agents(
        &mut self,
        now: Instant,
        node: NodeId,
        packet: &Packet,
        from: NodeId,
    ) -> bool {
        let Some(index) = self.agent_at(node, from) else {
            return true;
        };
        let verdict = self.agents[index].snoop.on_return(now, packet);
        if verdict == Verdict::Suppress {
            self.stacks[node.index()].counters.agent_suppressed += 1;
            self.record_act(now, node, AgentAct::Suppressed, packet);
        }
        self.drain_agent(now, index);
        verdict == Verdict::Pass
    }

    pub(crate) fn wake_agent(&mut self, now: Instant, index: usize) {
        let node = self.agents[index].node;
        self.above_the_mac(node, |world| {
            world.agents[index].snoop.on_wake(now);
            world.drain_agent(now, index);
        });
    }

    fn drain_agent(&mut self, now: Instant, index: usize) {
        while let Some(output) = self.agents[index].snoop.poll() {
            let snoop::Output::Transmit { packet, by_timer } = output;
            let (node, toward) = (self.agents[index].node, self.agents[index].toward);
            let counters = &mut self.stacks[node.index()].counters;
            counters.agent_retransmissions += 1;
            counters.agent_timer_retransmissions += u64::from(by_timer);
            self.record_act(now, node, AgentAct::Retransmitted, &packet);
            self.send_unseen(now, node, packet, toward);
        }
        let agent = &self.agents[index];
        let (slot, wake) = (agent.slot, agent.snoop.next_wake());
        self.agenda.set(slot, wake);
    }

    fn record_act(&mut self, now: Instant, node: NodeId, act: AgentAct, packet: &Packet) {
        if let Body::Tcp(segment) = packet.body {
            self.record(now, node, Event::Agent { act, segment });
        }
    }
}
