//! A mobile turns away from a cell: what becomes of what its MAC has in hand.
//!
//! One radio cannot go on in the old cell. A packet that was never on the air goes back to the mobile;
//! an exchange whose data frame is out is finished, since that data may arrive; and a packet that was
//! on the air and not acknowledged is given up, since it may have arrived. The next visit begins with
//! a MAC that has nothing in hand. Invariant: no packet is handed back that was on the air.

use super::CellOutput;
use super::machine::Cell;
use crate::dcf::Counters;
use acklab_base::{Address, Instant, NodeId, Purpose};
use acklab_wire::{FrameKind, Packet};

impl Cell {
    /// A mobile listens to another cell from now on, and takes back what was never on the air, oldest
    /// first. Everything that was due must be done.
    pub fn on_leave(&mut self, now: Instant, mobile: NodeId) -> Vec<Packet> {
        let Some(place) = self.place(mobile) else {
            return Vec::new();
        };
        let member = &mut self.members[place];
        member.tuned = false;
        let mut back = Vec::new();
        if !member.dcf.is_ready() {
            if member.tried {
                member.parting = true;
            } else {
                back.extend(member.in_hand.take().map(|(packet, _)| packet));
            }
        }
        back.extend(member.waiting.drain(..).map(|(packet, _)| packet));
        if member.parting {
            self.part_if_over(now, place);
        } else if !self.members[place].dcf.is_ready() {
            self.start_anew(now, place);
        }
        back
    }

    /// A mobile that has turned away is done here once its exchange is over.
    pub(super) fn part_if_over(&mut self, now: Instant, place: usize) {
        let member = &mut self.members[place];
        if !member.parting {
            return;
        }
        let data_is_out = member.dcf.on_air().kind == FrameKind::Data;
        if data_is_out && member.dcf.answer_deadline() > now {
            return;
        }
        member.parting = false;
        // What was never on the air came after it had turned away, ahead of the next visit: it goes on.
        if member.dcf.is_ready() || !member.tried {
            return;
        }
        let node = member.dcf.id();
        if let Some((packet, to)) = member.in_hand.take() {
            self.outputs
                .push_back(CellOutput::GivenUp { node, to, packet });
        }
        self.start_anew(now, place);
        let member = &mut self.members[place];
        if let Some((packet, to)) = member.waiting.pop_front() {
            member.give(now, packet, to);
        }
    }

    /// A mobile's MAC of this visit is gone with what it had in hand. The next one contends afresh, but goes
    /// on numbering and remembers what it took: else the filter at either end might take a repetition for new,
    /// or what is new for a repetition.
    fn start_anew(&mut self, now: Instant, place: usize) {
        let member = &mut self.members[place];
        let address = Address {
            seed: self.chances[place - 1].visits.bits64(),
            run: 0,
            node: member.dcf.id(),
            purpose: Purpose::Backoff,
        };
        member.before = sum(&member.before, member.dcf.counters());
        member.dcf = member.dcf.renewed(address.open());
        if member.ears.is_hearing() {
            member.dcf.on_medium(now, true);
        }
    }
}

/// Two MACs' counters together.
pub(super) const fn sum(one: &Counters, other: &Counters) -> Counters {
    Counters {
        missing_cts: one.missing_cts + other.missing_cts,
        missing_ack: one.missing_ack + other.missing_ack,
        done_tcp_data: one.done_tcp_data + other.done_tcp_data,
        done_tcp_ack: one.done_tcp_ack + other.done_tcp_ack,
        done_other: one.done_other + other.done_other,
        retry_drops: one.retry_drops + other.retry_drops,
        cts_withheld: one.cts_withheld + other.cts_withheld,
        duplicates: one.duplicates + other.duplicates,
    }
}
