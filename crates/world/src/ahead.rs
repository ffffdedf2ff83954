//! What a relay does while it sends an ACK, done at once.
//!
//! A station that sends hears nothing, so until its ACK is out nothing reaches the node above it but
//! what is in its link layer and its router already: no wake of theirs needs a place among those of
//! other nodes. What they put into the queue waits for the end of the ACK either way.
//!
//! Invariant: a node whose stack is ahead of the rest of the world has no flow, agent or wire, and
//! nobody looks at it before the rest has caught up. (A recorder puts what it is told in order. Whether it
//! knows a flood is asked of a frame that either begins while the ACK is sent, and is lost here, or ends
//! after it.)

use crate::stack::Stack;
use crate::world::World;
use acklab_base::{Instant, NodeId};
use acklab_mac::Queued;
use acklab_wire::{Packet, Payload};

impl World {
    /// Says which nodes may run ahead: those that only pass packets on.
    pub(crate) fn find_relays(&mut self) {
        for flow in &self.flows {
            for end in [flow.from, flow.to] {
                self.stacks[self.seats.of(end)].is_relay = false;
            }
        }
    }

    /// The MAC decoded a data frame for this node, or for all. Returns whether its link layer got the
    /// payload: what the router knows already, as it does of a flood after the first copy, goes no
    /// further than here.
    #[inline(always)]
    pub(crate) fn take_payload(
        &mut self,
        at: Instant,
        node: NodeId,
        from: NodeId,
        number: u16,
    ) -> bool {
        let Some(payload) = self.stations[self.seats.of(from)].dcf.payload(number) else {
            return false;
        };
        if let Payload::Ip(packet) = payload
            && packet.destination.is_broadcast()
            && self.is_old_news(at, node, packet)
        {
            return false;
        }
        self.stacks[self.seats.of(node)]
            .link
            .on_payload(at, payload, from);
        true
    }

    /// Whether a packet that the link layer of this node gets at `at`, now or later, would change nothing
    /// there.
    #[inline]
    pub(crate) fn is_old_news(&self, at: Instant, node: NodeId, packet: &Packet) -> bool {
        // Without a place it stands by, and its router has seen nothing.
        let Some(Stack { link, router, .. }) = self.stacks.get(self.seats.of(node)) else {
            return false;
        };
        self.agents.is_empty() && router.is_old_news(at + link.delay(), packet)
    }

    /// The link layer of a node got something from its station, which has been settled.
    #[inline(never)]
    pub(crate) fn handed_up(&mut self, place: usize, node: NodeId, until: Instant) {
        if !self.stacks[place].is_relay || !self.nobody_looks_before(until) {
            self.reschedule_link(node);
        } else if !self.passes_on(place, node, until) {
            self.run_ahead(node, until);
        }
    }

    /// The stack does what it has to do until then.
    fn run_ahead(&mut self, node: NodeId, until: Instant) {
        let place = self.seats.of(node);
        loop {
            let at = self.stacks[place].next_wake();
            if at >= until {
                break;
            }
            self.wake_stack(at, node);
        }
        self.reschedule_stack(node);
    }

    /// The same where all there is to do is to pass one packet on, which is nearly always so: up,
    /// through the router and down into the queue, without a stop. Does nothing and returns `false`
    /// if there is more to it. What wakes the stack next stays what it was.
    fn passes_on(&mut self, place: usize, node: NodeId, until: Instant) -> bool {
        let Stack { link, router, .. } = &mut self.stacks[place];
        let (delay, busy_from) = (link.delay(), router.next_wake());
        let Some((up, packet)) = link.only_up() else {
            return false;
        };
        let down = up + delay;
        if down >= until || busy_from <= down {
            return false;
        }
        let Some(next_hop) = router.pass_on(node, up, packet) else {
            return false;
        };
        packet.ttl -= 1;
        let knows = link.knows(next_hop);
        match link.take_up() {
            Some(payload) if knows => {
                self.enqueue(down, node, Queued { payload, next_hop }, false);
            }
            Some(Payload::Ip(packet)) => {
                self.send_by_radio(up, node, packet, next_hop);
                self.run_ahead(node, until);
            }
            _ => {}
        }
        true
    }

    /// The same for the packet of a frame that a folded station received at `at`, straight from who sent it to the queue.
    fn passes_straight_on(
        &mut self,
        at: Instant,
        node: NodeId,
        (from, number): (NodeId, u16),
        until: Instant,
    ) -> bool {
        let Stack { link, router, .. } = &mut self.stacks[node.index()];
        let up = at + link.delay();
        let down = up + link.delay();
        if !link.is_clear() || down >= until || router.next_wake() <= down {
            return false;
        }
        let sender = &self.folds.stations[from.index()];
        let Some(Payload::Ip(packet)) = sender.payload(number) else {
            return false;
        };
        let Some(next_hop) = router.pass_on(node, up, packet) else {
            return false;
        };
        let copy = |packet: &Packet| Packet {
            ttl: packet.ttl - 1,
            body: packet.body.clone(),
            ..*packet
        };
        if link.knows(next_hop) {
            let payload = Payload::Ip(copy(packet));
            let queued = Queued { payload, next_hop };
            self.count_too_long(&queued.payload);
            self.enqueue_folded(down, node, queued, false);
        } else {
            let packet = copy(packet);
            self.send_by_radio(up, node, packet, next_hop);
            self.run_ahead(node, until);
        }
        true
    }

    /// A folded station sends the ACK for what it received at `at`, and hands that up.
    #[inline(never)]
    pub(crate) fn hand_up_folded(
        &mut self,
        at: Instant,
        node: NodeId,
        frame: (NodeId, u16),
        until: Instant,
    ) {
        let place = node.index();
        if self.stacks[place].is_relay
            && self.nobody_looks_before(until)
            && self.passes_straight_on(at, node, frame, until)
        {
            return;
        }
        let sender = &self.folds.stations[frame.0.index()];
        if let Some(payload) = sender.payload(frame.1) {
            self.stacks[place].link.on_payload(at, payload, frame.0);
            self.handed_up(place, node, until);
        }
    }

    /// Whether all that may look at a node's stack from outside does so from then on.
    fn nobody_looks_before(&self, until: Instant) -> bool {
        let watched =
            self.eager || self.batches.is_some() || self.cells.is_some() || !self.agents.is_empty();
        !watched && until <= self.end && (self.warm_at < self.now || until <= self.warm_at)
    }
}
