//! The medium of a cell: frames begin and end, and what they are to those who hear them.
//!
//! Invariant: for each frame in the air its listeners' ears know of it.

use super::CellOutput;
use super::ears::Heard;
use super::machine::{Cell, Flight, Member, STATION};
use acklab_base::{Instant, NodeId};
use acklab_wire::FrameKind;

impl Cell {
    /// Frames begin. First all who send learn of it, so that of two that begin at once neither hears
    /// the other.
    pub(super) fn begin(&mut self, now: Instant, strong: &mut impl FnMut(NodeId) -> bool) {
        for &place in &self.starting {
            let Member {
                dcf, ears, tried, ..
            } = &mut self.members[place];
            let header = *dcf.on_air();
            *tried |= header.kind == FrameKind::Data;
            ears.on_sending(now, now + header.airtime);
            let node = dcf.id();
            self.outputs.push_back(CellOutput::Sent { node, header });
        }
        for index in 0..self.starting.len() {
            let from = self.starting[index];
            let listeners = self.listeners(from, strong);
            for &place in &listeners {
                let member = &mut self.members[place];
                member.ears.on_start(now);
                member.dcf.on_medium(now, true);
            }
            let heard = !listeners.is_empty();
            let mut overlapped = false;
            for other in self
                .flights
                .iter_mut()
                .filter(|other| heard && !other.listeners.is_empty())
            {
                other.overlapped = true;
                overlapped = true;
            }
            let header = *self.members[from].dcf.on_air();
            self.flights.push(Flight {
                from,
                header,
                end: now + header.airtime,
                overlapped,
                listeners,
            });
        }
        self.starting.clear();
    }

    /// Who hears a frame: everyone on the frequency, if neither the sender nor the listener is too far
    /// from the station.
    fn listeners(&mut self, from: usize, strong: &mut impl FnMut(NodeId) -> bool) -> Vec<usize> {
        let mut listeners = self.spare.pop().unwrap_or_default();
        listeners.clear();
        if from != STATION && !strong(self.members[from].dcf.id()) {
            return listeners;
        }
        for (place, member) in self.members.iter().enumerate() {
            let hears = place == STATION || (member.is_present() && strong(member.dcf.id()));
            if place != from && hears {
                listeners.push(place);
            }
        }
        listeners
    }

    /// A frame ends.
    pub(super) fn end(
        &mut self,
        now: Instant,
        flight: Flight,
        strong: &mut impl FnMut(NodeId) -> bool,
    ) {
        let header = flight.header;
        for &place in &flight.listeners {
            let node = self.members[place].dcf.id();
            let listened = !self.members[place].ears.sent_since(flight.start());
            if header.to == node && flight.overlapped && listened {
                self.outputs.push_back(CellOutput::Collided { node });
            }
            let heard = match self.members[place].ears.on_end(now) {
                Heard::BusyStill => continue,
                Heard::Clear => self.understand(place, &flight, strong),
                heard => heard,
            };
            match heard {
                Heard::Clear => self.step(place, |dcf| dcf.on_frame(now, &header)),
                Heard::Lost { only_sensed } => {
                    self.members[place].dcf.on_lost_frame(now, only_sensed);
                }
                Heard::Nothing | Heard::BusyStill => {}
            }
            self.members[place].dcf.on_medium(now, false);
            self.drain(now, place);
            self.part_if_over(now, place);
        }
        self.spare.push(flight.listeners);
    }

    /// What a member makes of a frame that nothing else in the air spoiled.
    fn understand(
        &mut self,
        place: usize,
        flight: &Flight,
        strong: &mut impl FnMut(NodeId) -> bool,
    ) -> Heard {
        let header = flight.header;
        let member = &self.members[place];
        let node = member.dcf.id();
        if !member.is_present() {
            return Heard::Nothing;
        }
        if header.to != node {
            return Heard::Clear;
        }
        // Who has turned away takes nothing any more but answers to what its MAC has in hand.
        let answer = matches!(header.kind, FrameKind::Cts | FrameKind::Ack);
        if !member.tuned && !answer {
            return Heard::Nothing;
        }
        let lost = Heard::Lost { only_sensed: false };
        let mobile = if place == STATION { flight.from } else { place };
        if !strong(self.members[mobile].dcf.id()) {
            return lost;
        }
        if self.chances[mobile - 1].errors[usize::from(place == STATION)].happens(self.loss) {
            self.outputs.push_back(CellOutput::Destroyed { node });
            return lost;
        }
        self.outputs.push_back(CellOutput::Decoded { node, header });
        Heard::Clear
    }
}
