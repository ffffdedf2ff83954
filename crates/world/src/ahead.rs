//! What a relay does while it sends an ACK, done at once.
//!
//! A station that sends hears nothing, so until its ACK is out nothing reaches the node above it but
//! what is in its link layer and its router already: no wake of theirs needs a place among those of
//! other nodes. What they put into the queue waits for the end of the ACK either way.
//!
//! Invariant: a node whose stack is ahead of the rest of the world has no flow, agent or wire, and
//! nobody looks at it before the rest has caught up. (A recorder puts what it is told in order.)

use crate::world::World;
use acklab_base::{Instant, NodeId};

impl World {
    /// Says which nodes may run ahead: those that only pass packets on.
    pub(crate) fn find_relays(&mut self) {
        for stack in &mut self.stacks {
            stack.is_relay = stack.ports.is_empty();
        }
        for flow in &self.flows {
            for end in [flow.from, flow.to] {
                self.stacks[end.index()].is_relay = false;
            }
        }
    }

    /// The link layer of a node got something from its station, which has been settled.
    #[inline]
    pub(crate) fn handed_up(&mut self, node: NodeId) {
        let index = node.index();
        let until = self.stations[index].dcf.sends_ack_until();
        if self.stacks[index].is_relay && self.nobody_looks_before(until) {
            loop {
                let at = self.stacks[index].next_wake();
                if at >= until {
                    break;
                }
                self.wake_stack(at, node);
                self.events += 1;
            }
            self.reschedule_stack(node);
        } else {
            self.reschedule_link(node);
        }
    }

    /// Whether all that may look at a node's stack from outside does so from then on.
    fn nobody_looks_before(&self, until: Instant) -> bool {
        let watched =
            self.eager || self.batches.is_some() || self.cells.is_some() || !self.agents.is_empty();
        !watched
            && until <= self.end
            && (self.measure_from < self.now || until <= self.measure_from)
    }
}
