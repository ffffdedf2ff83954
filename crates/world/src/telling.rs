//! A station learns of a frame that is on its way to it.
//!
//! A frame puts the turns of others off, which is worked out without settling them; those that must be
//! settled all the same are listed.

use crate::ear::Ear;
use crate::outlook::settle_by;
use crate::world::{Shared, World};
use acklab_base::{Duration, Instant, NodeId};
use acklab_kernel::Agenda;
use acklab_radio::{Arrival, Audible, Settle};
use acklab_wire::FrameKind;

/// A frame as all who hear it have it in common.
pub(crate) struct Announced {
    /// It, as it leaves the antenna.
    pub(crate) arrival: Arrival,
    /// Whether everyone who decodes it wants it.
    pub(crate) for_all: bool,
    /// When it is to be settled by those who want it.
    pub(crate) settle: Settle,
    /// How long a third station stays silent after it at least: one that senses it, and one that
    /// decodes it; then the same for one that it does not silence.
    pub(crate) silence: [Duration; 4],
    /// The longest of these.
    pub(crate) longest: Duration,
}

impl Announced {
    /// Whether somebody wants it who hears it so.
    #[inline(always)]
    pub(crate) fn is_wanted_by(&self, listener: &Audible) -> bool {
        listener.decodable() & (self.for_all | (self.arrival.to() == listener.node))
    }

    /// Until when a station stays silent at least that hears the frame end at `end`: not beyond it if
    /// the frame is for the station, or ends while that sends itself and so goes unnoticed.
    #[inline]
    fn free_after(&self, end: Instant, decodable: bool, without_silence: bool) -> Instant {
        // A table spares branches that nobody can predict.
        end.after(self.silence[usize::from(decodable) | usize::from(without_silence) << 1])
    }
}

/// What telling stations of a frame changes beside their ears.
pub(crate) struct Telling<'a> {
    pub(crate) agenda: &'a mut Agenda,
    pub(crate) not_to_wait: &'a mut Vec<NodeId>,
    pub(crate) ack_ends: &'a mut Option<Instant>,
    pub(crate) shared: &'a Shared,
    pub(crate) eager: bool,
}

impl Telling<'_> {
    /// Tells one station of a frame; returns when it ends there.
    #[inline(always)]
    pub(crate) fn tell(
        &mut self,
        frame: &Announced,
        listener: &Audible,
        ear: &mut Ear,
        settle: Settle,
    ) -> Instant {
        let is_meant = frame.arrival.to() == listener.node;
        let decodable = listener.decodable();
        let arrival = (frame.arrival).heard(listener.delay(), decodable, settle);
        let start = arrival.start;
        let end = start.after(frame.arrival.airtime());
        if ear.add(arrival) | self.eager {
            self.not_to_wait.push(listener.node);
        }
        // Most have no turn that is near enough to be put off.
        if ear.turn_at() > end.after(frame.longest) {
            return end;
        }
        let unnoticed = end < ear.sends_until;
        let free = frame.free_after(end, decodable, is_meant | unnoticed);
        if ear.turn_at() <= free {
            let slot = World::station_slot(listener.node);
            self.agenda
                .set(slot, ear.put_off(start, free, &self.shared.pace));
        }
        end
    }

    /// Tells one that wants it.
    #[inline(always)]
    pub(crate) fn tell_meant(&mut self, frame: &Announced, listener: &Audible, ear: &mut Ear) {
        let end = self.tell(frame, listener, ear, frame.settle);
        if frame.arrival.kind() == FrameKind::Ack {
            *self.ack_ends = Some(end);
        } else {
            ear.forget_turn();
            let by = settle_by(end, frame.settle, self.shared.answer_slack);
            self.agenda
                .set_no_later(World::station_slot(listener.node), by);
        }
    }
}
