//! What a node makes of a frame that it hears: echoes, FRN ACKs, and packets for it.

use super::config::Duplicates;
use super::items::State;
use super::machine::{Arrival, Confirm, SlottedMac, SlottedOutput};
use acklab_base::NodeId;
use acklab_wire::slotted::{Part, SlottedFrame, Uid};

impl SlottedMac {
    /// The frame that `from` sent in `slot` was received. Every neighbour hears it (yuki2004 §2
    /// ¶2), whoever it is for.
    pub fn on_frame(&mut self, slot: u64, from: NodeId, frame: &SlottedFrame) {
        match *frame {
            SlottedFrame::Confirm { uid, to } => {
                if to == self.node {
                    self.echo(slot, uid, from);
                }
            }
            SlottedFrame::Single(part) => {
                self.echo(slot, part.uid, from);
                self.take(slot, from, part, false);
            }
            SlottedFrame::Combined {
                first,
                second,
                coded,
            } => {
                self.echo(slot, first.uid, from);
                self.echo(slot, second.uid, from);
                let readable = |other: Uid| !coded || self.has_sent(other);
                let (one, two) = (readable(second.uid), readable(first.uid));
                for (part, other_known, postponed) in
                    [(first, one, self.config.postpone), (second, two, false)]
                {
                    if other_known {
                        self.take(slot, from, part, postponed);
                    } else if part.to == self.node {
                        self.counters.undecoded += 1;
                    }
                }
            }
        }
    }

    /// The next hop sends the packet on, or confirms it: it need not be kept.
    fn echo(&mut self, slot: u64, uid: Uid, from: NodeId) {
        let (late_counts, counters) = (self.config.late_echoes, &mut self.counters);
        self.items.retain(|item| {
            if item.part.uid != uid || item.part.to != from {
                return true;
            }
            let late = !matches!(item.state, State::Awaiting { deadline, .. } if slot <= deadline);
            counters.late_echoes += u64::from(late);
            if late && !late_counts {
                return true;
            }
            counters.hops += 1;
            counters.hop_slots += slot - item.came;
            false
        });
    }

    /// A part of a frame, if it is for this node.
    fn take(&mut self, slot: u64, from: NodeId, part: Part, postponed: bool) {
        let due = slot + 1 + u64::from(postponed);
        let arrival = Arrival {
            part,
            from,
            came: slot,
            due,
        };
        if part.to.is_broadcast() {
            return self.outputs.push_back(SlottedOutput::Up(arrival));
        }
        if part.to != self.node {
            return;
        }
        let confirm = Confirm::of(&arrival);
        if self.seen.has(part.uid) {
            self.counters.duplicates += 1;
            match self.config.duplicates {
                Duplicates::Drop => return,
                Duplicates::Confirm => return self.confirms.push(confirm),
                Duplicates::Forward => {}
            }
        } else {
            self.seen.add(part.uid, part.expiry, slot);
        }
        if postponed {
            self.holds_until = self.holds_until.max(due);
        }
        if part.destination == self.node {
            self.confirms.push(confirm);
        }
        self.outputs.push_back(SlottedOutput::Up(arrival));
    }
}
