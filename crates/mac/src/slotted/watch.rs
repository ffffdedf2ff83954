//! Why echoes do not come: an observer of the slots of all nodes, which no node is.
//!
//! For every packet that a node sends to a next hop it keeps, until the slot of the echo, what
//! stands in the echo's way first: the packet did not reach the next hop, the next hop did not
//! answer, or its answer was not heard. A packet without echo has exactly one such reason, so
//! that the reasons add up to [`super::SlottedCounters::unechoed`]. A lifetime is none: it is over
//! at both nodes in one slot, and who forgets a packet misses no echo of it.
//!
//! For combined frames it counts how often both next hops answer in the next slot, which is what
//! the postponement avoids (yuki2004 §3 ¶3). The one invariant: a watched network behaves as an
//! unwatched one.

use super::air::Air;
use super::machine::SlottedMac;
use super::misses::{Reason, SlottedMisses};
use acklab_base::NodeId;
use acklab_wire::slotted::{Part, SlottedFrame, Uid};

/// A slot that is decided: who sends what, and what the nodes know before they hear it.
#[derive(Clone, Copy, Debug)]
pub struct SlotView<'a> {
    /// The slot's number.
    pub slot: u64,
    /// Who transmits.
    pub air: &'a Air,
    /// What they send, in the order of [`Air::transmitting`].
    pub frames: &'a [SlottedFrame],
    /// All nodes.
    pub nodes: &'a [SlottedMac],
}

/// A packet whose echo is awaited.
#[derive(Clone, Copy, Debug)]
struct Hop {
    part: Part,
    deadline: u64,
    /// What stands in the way of the echo; `None` while nothing does.
    reason: Option<Reason>,
}

/// The frame that a node sent last, if it awaits an echo of it.
#[derive(Clone, Copy, Debug, Default)]
struct Awaited {
    sent: u64,
    hops: [Option<Hop>; 2],
    missed: u32,
}

/// The observer of a network.
#[derive(Clone, Debug)]
pub struct Watch {
    awaited: Vec<Awaited>,
    /// Nodes that await an echo.
    open: Vec<NodeId>,
    /// Nodes that found the channel of this slot busy.
    busy: Vec<NodeId>,
    misses: Vec<SlottedMisses>,
}

impl Watch {
    /// An observer of `nodes` nodes.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self {
            awaited: vec![Awaited::default(); nodes],
            open: Vec::with_capacity(nodes),
            busy: Vec::with_capacity(nodes),
            misses: vec![SlottedMisses::default(); nodes],
        }
    }

    /// A slot begins.
    pub fn on_slot(&mut self) {
        self.busy.clear();
    }

    /// `node` found the channel busy.
    pub fn on_busy(&mut self, node: NodeId) {
        self.busy.push(node);
    }

    /// A slot is decided, and nobody has heard its frames yet.
    pub fn before_hearing(&mut self, view: &SlotView<'_>) {
        for place in 0..self.open.len() {
            self.expect_echoes(view, self.open[place]);
        }
        for (&node, frame) in view.air.transmitting().iter().zip(view.frames) {
            self.follow(view, node, frame);
        }
    }

    /// The frames of a slot were heard, and no node has given up an echo yet.
    pub fn after_hearing(&mut self, slot: u64, nodes: &[SlottedMac]) {
        let (awaited, misses) = (&mut self.awaited, &mut self.misses);
        self.open.retain(|node| {
            let (frame, counts) = (&mut awaited[node.index()], &mut misses[node.index()]);
            for hop in &mut frame.hops {
                if let Some(over) = hop.take_if(|hop| hop.deadline <= slot)
                    && nodes[node.index()].misses(&over.part, slot)
                {
                    let found = over.reason.expect("looked for before the slot was heard");
                    counts.count(found);
                    frame.missed += 1;
                }
            }
            let waits = frame.hops.iter().any(Option::is_some);
            counts.pairs_unechoed += u64::from(!waits && frame.missed == 2);
            waits
        });
    }

    /// What was counted at a node so far.
    #[must_use]
    pub fn misses(&self, node: usize) -> &SlottedMisses {
        &self.misses[node]
    }

    /// A frame was sent: how it fares at those whom it is for.
    fn follow(&mut self, view: &SlotView<'_>, node: NodeId, frame: &SlottedFrame) {
        let mac = &view.nodes[node.index()];
        let hop = |part: &Part, other: Option<Uid>| {
            let deadline = mac.awaits_until(part)?;
            let reason = arrival(view, node, part, other);
            Some(Hop {
                part: *part,
                deadline,
                reason,
            })
        };
        let hops = match frame {
            SlottedFrame::Confirm { .. } => return,
            SlottedFrame::Single(part) => [hop(part, None), None],
            SlottedFrame::Combined {
                first,
                second,
                coded,
            } => {
                let known = |uid: Uid| coded.then_some(uid);
                [hop(first, known(second.uid)), hop(second, known(first.uid))]
            }
        };
        if hops.iter().all(Option::is_none) {
            return;
        }
        let taken = |hop: &Option<Hop>| hop.is_some_and(|hop| hop.reason.is_none());
        self.misses[node.index()].pairs_taken += u64::from(hops.iter().all(taken));
        self.awaited[node.index()] = Awaited {
            sent: view.slot,
            hops,
            missed: 0,
        };
        self.open.push(node);
    }

    /// A slot in which `node` listens for echoes: whether they are on their way.
    fn expect_echoes(&mut self, view: &SlotView<'_>, node: NodeId) {
        let frame = self.awaited[node.index()];
        let answers = |hop: &Hop| view.sends(hop.part.to, |sent| echoes(sent, hop.part.uid, node));
        if let [Some(one), Some(two)] = frame.hops
            && frame.sent + 1 == view.slot
            && one.part.to != two.part.to
            && answers(&one)
            && answers(&two)
        {
            let heard = view
                .air
                .received(node)
                .map(|place| view.air.transmitting()[place]);
            let met = heard != Some(one.part.to) && heard != Some(two.part.to);
            let counts = &mut self.misses[node.index()];
            counts.pairs_at_once += 1;
            counts.pairs_met += u64::from(met);
        }
        for place in 0..2 {
            if let Some(hop) = frame.hops[place]
                && hop.deadline == view.slot
                && hop.reason.is_none()
            {
                let reason = if answers(&hop) {
                    unheard(view, node)
                } else {
                    self.silence(view, &hop)
                };
                self.awaited[node.index()].hops[place] = Some(Hop {
                    reason: Some(reason),
                    ..hop
                });
            }
        }
    }

    /// Why the next hop, which took the packet, does not answer in its slot.
    fn silence(&self, view: &SlotView<'_>, hop: &Hop) -> Reason {
        let next = hop.part.to;
        let mac = &view.nodes[next.index()];
        if !mac.has(hop.part.uid) {
            Reason::EchoGone
        } else if self.busy.contains(&next) {
            Reason::EchoBusy
        } else if !view.air.transmits(next) && mac.holds_in(view.slot) {
            Reason::EchoHeld
        } else if !view.air.transmits(next) && mac.listens_in(view.slot) {
            Reason::EchoListening
        } else {
            Reason::EchoBehind
        }
    }
}

impl SlotView<'_> {
    /// Whether `node` sends a frame that `is` so.
    fn sends(&self, node: NodeId, is: impl Fn(&SlottedFrame) -> bool) -> bool {
        let sent = self.air.transmitting().iter().position(|&one| one == node);
        sent.is_some_and(|place| is(&self.frames[place]))
    }
}

/// Why a packet does not arrive, if it does not.
fn arrival(view: &SlotView<'_>, from: NodeId, part: &Part, other: Option<Uid>) -> Option<Reason> {
    let (air, next) = (view.air, part.to);
    let mac = &view.nodes[next.index()];
    if air.transmits(next) {
        Some(Reason::Deaf)
    } else if air.received(next).map(|place| air.transmitting()[place]) != Some(from) {
        Some(Reason::Collided)
    } else if other.is_some_and(|uid| !mac.has_sent(uid)) {
        Some(Reason::Undecoded)
    } else if mac.drops(part.uid) {
        Some(Reason::Duplicate)
    } else {
        None
    }
}

/// Why `node` would not hear an echo that is sent. If it hears it, nobody asks.
fn unheard(view: &SlotView<'_>, node: NodeId) -> Reason {
    if view.air.transmits(node) {
        Reason::EchoDeaf
    } else {
        Reason::EchoCollided
    }
}

/// Whether a frame is the echo of packet `uid` for `node`.
fn echoes(frame: &SlottedFrame, packet: Uid, node: NodeId) -> bool {
    match frame {
        SlottedFrame::Confirm { uid, to } => *uid == packet && *to == node,
        _ => frame.parts().any(|part| part.uid == packet),
    }
}
