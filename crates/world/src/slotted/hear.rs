//! The end of a slot: what its frames were to those who heard them, and what observers are told.
//!
//! Invariant: a frame is handed to a node at most once, and only by a neighbour.

use super::Passing;
use crate::world::World;
use acklab_base::{Instant, NodeId};
use acklab_mac::SlottedOutput;
use acklab_mac::slotted::Arrival;
use acklab_trace::{DropReason, Event, SlotContent, SlotPart};
use acklab_wire::slotted::{Kind, Part, SlottedFrame};

impl World {
    /// What was sent in `slot` reaches those who could hear it.
    pub(super) fn hear_slot(&mut self, now: Instant, slot: u64) {
        let Some(network) = self.slotted.as_deref_mut() else {
            return;
        };
        let listeners = if network.on_air.is_empty() {
            0
        } else {
            network.air.listening().len()
        };
        network.watch_slot(slot);
        for place in 0..listeners {
            self.hear(now, slot, place);
        }
        let Some(network) = self.slotted.as_deref_mut() else {
            return;
        };
        network.watch.after_hearing(slot, &network.nodes);
        for place in 0..network.busy.len() {
            let node = network.busy[place];
            network.nodes[node.index()].on_slot_end(slot);
        }
    }

    /// What one listener makes of a slot.
    fn hear(&mut self, now: Instant, slot: u64, place: usize) {
        let Some(network) = self.slotted.as_deref_mut() else {
            return;
        };
        let node = network.air.listening()[place];
        let Some(sent) = network.air.received(node) else {
            return self.count_lost(now, place);
        };
        let from = network.air.transmitting()[sent];
        let frame = network.on_air[sent];
        network.nodes[node.index()].on_frame(slot, from, &frame);
        network.rouse(node);
        let stack = &mut self.stacks[self.seats.of(node)];
        stack.counters.rest().receiving += network.length(&frame);
        stack.digest.mix(now, 24, u64::from(from.0));
        self.record(now, node, Event::SlotHeard { from });
        self.hand_up(now, node);
    }

    /// Packets that a node was given go to its router, which sends them on or delivers them.
    fn hand_up(&mut self, now: Instant, node: NodeId) {
        while let Some(network) = self.slotted.as_deref_mut()
            && let Some(output) = network.nodes[node.index()].poll()
        {
            let SlottedOutput::Up(arrival) = output else {
                self.note_drop(now, node, output);
                continue;
            };
            let Arrival { part, from, .. } = arrival;
            let packet = network.nodes[from.index()].packet(part.uid).cloned();
            let packet = packet.expect("a sender holds what it sends until the slot is over");
            let passes = !part.to.is_broadcast() && part.destination != node;
            network.passing = passes.then_some(Passing {
                arrival,
                source: packet.source,
                id: packet.id,
            });
            self.climb(now, node, packet, from);
            self.reschedule_stack(node);
            if let Some(network) = self.slotted.as_deref_mut()
                && let Some(kept) = network.passing.take()
            {
                network.nodes[node.index()].on_kept(kept.arrival);
            }
        }
    }

    /// A listener heard several frames at once, or heard one while it sent itself.
    fn count_lost(&mut self, now: Instant, place: usize) {
        let Some(network) = self.slotted.as_deref() else {
            return;
        };
        let air = &network.air;
        let node = air.listening()[place];
        let sent = || air.transmitting().iter().zip(&network.on_air);
        let heard = |sender: NodeId| air.reach(sender).contains(&node);
        // Most listeners are not addressed, and that is the cheaper question.
        let lost = || sent().filter(|&(&from, frame)| frame.is_for(node) && heard(from));
        let counters = self.stacks[self.seats.of(node)].counters.rest();
        if air.transmits(node) {
            counters.slot_deaf += lost().count() as u64;
        } else {
            let longest = || {
                sent()
                    .filter(|&(&from, _)| heard(from))
                    .map(|(_, frame)| network.length(frame))
                    .max()
            };
            let equal = network.slot == network.short;
            counters.receiving += if equal {
                network.slot
            } else {
                longest().unwrap_or_default()
            };
            for (&from, frame) in lost() {
                let others = || sent().filter(|&(&other, _)| other != from && heard(other));
                let hidden = others().all(|(&other, _)| !air.senses(other, from));
                let crossed = others().any(|(_, other)| runs_against(frame, other));
                counters.collisions += 1;
                counters.collisions_hidden += u64::from(hidden);
                counters.collisions_same_slot += u64::from(!hidden);
                counters.slot_collisions_data_ack += u64::from(crossed);
            }
        }
        let senders = air.count(node);
        self.record(now, node, Event::SlotCollided { senders });
    }

    /// What the nodes send in the slot that begins, and what they dropped before it.
    pub(super) fn note_slot(&mut self, now: Instant) {
        let frames = self
            .slotted
            .as_deref()
            .map_or(0, |network| network.on_air.len());
        for place in 0..frames {
            let Some(network) = self.slotted.as_deref() else {
                return;
            };
            let (node, frame) = (network.air.transmitting()[place], network.on_air[place]);
            let (first, second) = parts(&frame);
            let length = network.length(&frame);
            let counters = self.stacks[self.seats.of(node)].counters.rest();
            match frame {
                SlottedFrame::Confirm { .. } => counters.airtime_ack += length,
                SlottedFrame::Single(part) if part.to.is_broadcast() => {
                    counters.airtime_broadcast += length;
                }
                _ => counters.airtime_data += length,
            }
            let digest = &mut self.stations[self.seats.of(node)].digest;
            for part in [Some(first), second].into_iter().flatten() {
                digest.mix(
                    now,
                    16 + part.what as u16,
                    part.uid.0 ^ u64::from(part.to.0) << 20,
                );
            }
            self.record(now, node, Event::SlotSent { first, second });
        }
        let busy = self
            .slotted
            .as_deref()
            .map_or(0, |network| network.busy.len());
        for place in 0..busy {
            while let Some(network) = self.slotted.as_deref_mut() {
                let node = network.busy[place];
                let Some(output) = network.nodes[node.index()].poll() else {
                    break;
                };
                self.note_drop(now, node, output);
            }
        }
    }

    fn note_drop(&mut self, now: Instant, node: NodeId, output: SlottedOutput) {
        let counters = &mut self.stacks[self.seats.of(node)].counters;
        let (class, reason) = match output {
            SlottedOutput::Expired(class) => {
                counters.rest().expired_drops += 1;
                (class, DropReason::Lifetime)
            }
            SlottedOutput::GivenUp(class) => {
                counters.count_retry_drop(class);
                (class, DropReason::RetryLimit)
            }
            SlottedOutput::Up(_) => return,
        };
        self.dropped(now, node, class, reason);
    }
}

/// Whether one frame carries data and the other an acknowledgement of TCP or of a hop.
fn runs_against(one: &SlottedFrame, other: &SlottedFrame) -> bool {
    let acks = |frame: &SlottedFrame| {
        frame.carries(Kind::Ack) || matches!(frame, SlottedFrame::Confirm { .. })
    };
    (one.carries(Kind::Data) && acks(other)) || (acks(one) && other.carries(Kind::Data))
}

/// A frame as a recorder and the digest see it.
fn parts(frame: &SlottedFrame) -> (SlotPart, Option<SlotPart>) {
    let packet = |part: &Part| SlotPart {
        what: match part.kind {
            Kind::Data => SlotContent::Data,
            Kind::Ack => SlotContent::Ack,
        },
        uid: part.uid,
        to: part.to,
    };
    match frame {
        SlottedFrame::Confirm { uid, to } => {
            let what = SlotContent::Confirm;
            (
                SlotPart {
                    what,
                    uid: *uid,
                    to: *to,
                },
                None,
            )
        }
        SlottedFrame::Single(part) => (packet(part), None),
        SlottedFrame::Combined { first, second, .. } => (packet(first), Some(packet(second))),
    }
}
