//! The channel: settling stations, and putting frames on the air.

use crate::station::{Air, Halt, Meeting, Station, fingerprint};
use crate::telling::{Announced, Telling};
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_mac::{Dcf, Output, Unanswered};
use acklab_radio::receiver::{Fate, Loss, Start};
use acklab_radio::{Arrival, Settle};
use acklab_trace::{Event, Reception, Recorder};
use acklab_wire::{Frame, FrameHeader, FrameKind, Payload};
use std::ops::Range;

impl World {
    /// Works out everything that happened at a station up to `until`, `until` included. Returns
    /// whether its link layer got something, which it is to be woken for.
    pub(crate) fn settle(&mut self, node: NodeId, until: Instant) -> bool {
        self.settle_at(self.seats.of(node), node, until)
    }

    /// The same for a node with this place.
    pub(crate) fn settle_at(&mut self, place: usize, node: NodeId, until: Instant) -> bool {
        let mut handed_up = false;
        debug_assert!(!self.crowd.has(node), "{node:?} only listens");
        // A node without a radio has nothing to settle.
        while let Some(station) = self.stations.get_mut(place) {
            let mut air = Air {
                reach: &self.reach,
                strengths: &mut self.strengths,
                told: &mut self.told,
            };
            let Some(halt) = station.advance(&mut self.ears[place], &mut air, until) else {
                break;
            };
            let at = station.at;
            match halt {
                Halt::Asks => {
                    let sent = self.frames_sent;
                    handed_up |= self.drain_dcf(at, (place, node));
                    // Then it is now, and no more is due but what begins now too.
                    if self.frames_sent != sent && self.ears[place].begins() > until {
                        break;
                    }
                }
                Halt::Met => self.frames_met(node),
                Halt::Ended => self.record_end(at, node),
                Halt::Unanswered => self.record_unanswered(at, node),
            }
        }
        if let Some(ear) = self.ears.get_mut(place) {
            ear.forget_taken();
        }
        handed_up
    }

    /// Does what the DCF asks for. Returns whether the link layer got something.
    fn drain_dcf(&mut self, at: Instant, (place, node): (usize, NodeId)) -> bool {
        let mut handed_up = false;
        while let Some(output) = self.stations[place].dcf.poll() {
            match output {
                Output::Transmit => {
                    let header = *self.stations[place].dcf.on_air();
                    self.transmit(at, (place, node), &header);
                }
                Output::Deliver { from, sequence } => {
                    handed_up |= self.take_payload(at, node, from, sequence);
                }
                Output::Overheard { from, sequence } => self.overhear(at, node, from, sequence),
                Output::Failed { next_hop } => {
                    if let Some(payload) = self.stations[place].dcf.take_failed() {
                        self.packet_failed(at, node, payload, next_hop);
                        self.reschedule_stack(node);
                    }
                }
                Output::Ready => {
                    let queue = &mut self.stacks[place].queue;
                    let dcf = &mut self.stations[place].dcf;
                    if let Some(next) = queue.pop() {
                        dcf.on_packet(at, next.payload, next.next_hop);
                    }
                    dcf.set_has_more(!queue.is_empty());
                }
            }
        }
        handed_up
    }

    /// The one channel function: every frame of every kind goes through here.
    fn transmit(&mut self, at: Instant, (place, node): (usize, NodeId), header: &FrameHeader) {
        debug_assert!(
            at == self.now,
            "{node:?} transmits at {at:?} but it is {:?}",
            self.now
        );
        let station = &mut self.stations[place];
        station.on_transmit(at, header.airtime);
        self.ears[place].sends_until = at.after(header.airtime);
        let (kind, print) = (header.kind as u16, fingerprint(header));
        station.digest.mix(at, kind, print);
        let [sensed, decoded] = station.dcf.silence_after(header.to, header.duration);
        let silence = [sensed, decoded, Duration::ZERO, Duration::ZERO];
        let overheard = self.shared.overhears && header.kind == FrameKind::Data;
        let settle = when_to_settle(&station.dcf, header, overheard);
        station.sent.count(header);
        if header.kind == FrameKind::Data && !header.to.is_broadcast() {
            self.sampler.on_data_frame(at, at.after(header.airtime));
        }
        let mut number = self.frames_sent;
        self.frames_sent = number.wrapping_add(1);
        if self.recorder.is_some() {
            number = self.record_sent(at, node, header);
        }
        let announced = Announced {
            arrival: Arrival::new(at, header, number),
            for_all: header.to.is_broadcast() || overheard,
            settle,
            silence,
            longest: sensed.max(decoded),
        };
        let row = self.reach.row(node, at);
        if self.crowd.gathers() {
            self.announce_to_crowd(row, &announced);
        } else {
            self.announce(row, &announced);
        }
        if !self.not_to_wait.is_empty() {
            self.hear_at_once(at);
        }
        if let Some(end) = self.ack_ends.take() {
            self.acknowledged(header.to, end);
        }
    }

    /// All stations in reach (`row` of the list of who hears whom) learn of a frame that is on its
    /// way. A frame puts the turns of others off, which is worked out without settling them; those
    /// that must be settled all the same are listed. When an ACK ends where it is meant for stands in
    /// `ack_ends`: somebody then has to say when to settle it.
    #[inline(never)]
    fn announce(&mut self, row: Range<usize>, frame: &Announced) {
        let Self { reach, ears, .. } = self;
        let mut telling = Telling {
            agenda: &mut self.agenda,
            not_to_wait: &mut self.not_to_wait,
            ack_ends: &mut self.ack_ends,
            shared: &self.shared,
            eager: self.eager,
        };
        for listener in reach.list(row) {
            let ear = &mut ears[listener.node.index()];
            // Two lots of the same, so that the one for most of them has nothing to choose; half of them are
            // told apart by their first question.
            if !listener.decodable() || !frame.is_wanted_by(listener) {
                telling.tell(frame, listener, ear, Settle::AnyTime);
            } else {
                telling.tell_meant(frame, listener, ear);
            }
        }
    }

    /// Stations that are not to wait: their ear is full, or a frame may bring their turn forward.
    #[inline(never)]
    fn hear_at_once(&mut self, now: Instant) {
        let mut not_to_wait = std::mem::take(&mut self.not_to_wait);
        if let [_, _, ..] = *not_to_wait {
            // Each is looked at once before the first is settled: what is far away in memory, which is
            // most of a large network, then comes for all at the same time.
            let stations = not_to_wait
                .iter()
                .map(|to| &self.stations[self.seats.of(*to)]);
            let at_ease = |one: &Station| one.receiver.is_quiet() & !one.dcf.asks();
            std::hint::black_box(stations.fold(true, |all, one| all & at_ease(one)));
        }
        for to in not_to_wait.drain(..) {
            if self.eager || self.ears[self.seats.of(to)].watches(now) {
                self.settle_before(to, now);
                self.reschedule_station(to);
            } else if !self.makes_room(to, now) {
                self.settle_before(to, now);
            }
        }
        self.not_to_wait = not_to_wait;
    }

    /// A station that only listens takes in what has passed; what is on the air can wait.
    fn makes_room(&mut self, node: NodeId, now: Instant) -> bool {
        let place = self.seats.of(node);
        let mut air = Air {
            reach: &self.reach,
            strengths: &mut self.strengths,
            told: &mut self.told,
        };
        let (station, ear) = (&mut self.stations[place], &mut self.ears[place]);
        let has_room = station.makes_room(ear, &mut air, now);
        if has_room && self.crowd.gathers() {
            self.join_crowd(node);
        }
        has_room
    }

    /// Settles what lies before `now`; what happens at `now` has its own turn.
    pub(crate) fn settle_before(&mut self, node: NodeId, now: Instant) {
        if now > Instant::ZERO {
            let before = Instant::from_nanos(now.as_nanos() - 1);
            if self.settle(node, before) {
                self.reschedule_link(node);
            }
        }
    }

    #[cold]
    fn record_sent(&mut self, at: Instant, node: NodeId, header: &FrameHeader) -> u32 {
        let Some(recorder) = &mut self.recorder else {
            return Recorder::NOT_KEPT;
        };
        let dcf = &self.stations[self.seats.of(node)].dcf;
        let payload = match header.kind {
            FrameKind::Data => dcf.payload(header.sequence).cloned(),
            _ => None,
        };
        let header = *header;
        recorder.frame_sent(at, node, &Frame { header, payload })
    }

    /// A frame began while another one was in the air.
    #[inline(never)]
    fn frames_met(&mut self, node: NodeId) {
        let Some(meeting) = self.told.met.take() else {
            return;
        };
        match meeting.outcome {
            Start::Locked => {}
            Start::Ignored => self.capture_lost(node, &meeting.newcomer),
            Start::TookOver => self.capture_lost(node, &meeting.locked),
            Start::Collided { already_lost } => self.collided(node, &meeting, already_lost),
        }
    }

    /// Both frames of a pair are lost at `node`. What counts are frames that it was meant to
    /// decode.
    fn collided(&mut self, node: NodeId, meeting: &Meeting, already_lost: bool) {
        let (locked, late) = (&meeting.locked, &meeting.newcomer);
        let apart = late.start.saturating_since(locked.start);
        let same_slot = apart < self.shared.pace.slot;
        let (first, second) = (locked.from(), late.from());
        let counters = &mut self.stacks[self.seats.of(node)].counters;
        for (arrival, lost_before) in [(locked, already_lost), (late, false)] {
            if arrival.decodable && arrival.to() == node && !lost_before {
                counters.collisions += 1;
                if self.reach.between(first, second, late.start).is_none() {
                    counters.collisions_hidden += 1;
                } else if same_slot {
                    counters.collisions_same_slot += 1;
                }
            }
        }
        let (gone, other) = if late.end() > locked.end() {
            (locked, late)
        } else {
            (late, locked)
        };
        let outcome = if gone.decodable {
            Reception::Collided {
                with: Some(other.number()),
            }
        } else {
            Reception::Sensed
        };
        self.record_reception(gone.end(), node, gone, outcome);
    }

    fn capture_lost(&mut self, node: NodeId, lost: &Arrival) {
        if lost.decodable && lost.to() == node {
            self.stacks[self.seats.of(node)].counters.capture_lost += 1;
        }
        let outcome = if lost.decodable {
            Reception::CaptureLost
        } else {
            Reception::Sensed
        };
        self.record_reception(lost.end(), node, lost, outcome);
    }

    #[cold]
    #[inline(never)]
    fn record_end(&mut self, at: Instant, node: NodeId) {
        let Some((arrival, fate)) = self.told.heard.take() else {
            return;
        };
        let outcome = match fate {
            Fate::Decoded { overlapped: None } => Reception::Decoded,
            Fate::Decoded { overlapped } => Reception::Captured { over: overlapped },
            Fate::Lost { loss, .. } => match loss {
                Loss::TooWeak => Reception::Sensed,
                Loss::Collision(with) => Reception::Collided { with: Some(with) },
                Loss::Transmitting => Reception::WhileTransmitting,
            },
            Fate::Unnoticed => Reception::WhileTransmitting,
        };
        self.record_reception(at, node, &arrival, outcome);
        self.record_unanswered(at, node);
    }

    #[cold]
    fn record_unanswered(&mut self, at: Instant, node: NodeId) {
        if let Some(unanswered) = self.told.unanswered.take() {
            self.record(at, node, mac_retry(&unanswered));
        }
    }

    fn record_reception(&mut self, end: Instant, node: NodeId, arrival: &Arrival, how: Reception) {
        if let Some(recorder) = &mut self.recorder {
            let power_w = self.reach.power_w(arrival.from(), node, arrival.start);
            let dbm = 10.0 * acklab_base::math::log10(power_w * 1000.0);
            recorder.reception(end, node, arrival.number(), how, dbm);
        }
    }

    #[inline]
    pub(crate) fn record(&mut self, at: Instant, node: NodeId, event: Event) {
        if let Some(recorder) = &mut self.recorder {
            recorder.event(at, node, event);
        }
    }
}

/// An answer that has not come, as a recorder keeps it.
pub(crate) const fn mac_retry(unanswered: &Unanswered) -> Event {
    Event::MacRetry {
        to: unanswered.to,
        tries: unanswered.tries,
        rts: unanswered.rts,
    }
}

/// When a frame of this station must be settled where it is meant for. Nobody answers before SIFS,
/// and what is handed up waits in the link layer for longer; ARP, which reacts faster, and
/// broadcasts are settled at once. So is what others overhear: DSR may answer it on the spot, and
/// ask for an address first.
fn when_to_settle(dcf: &Dcf, header: &FrameHeader, overheard: bool) -> Settle {
    let arp = || matches!(dcf.payload(header.sequence), Some(Payload::Arp(_)));
    let at_once = header.to.is_broadcast() || overheard;
    if at_once || (header.kind == FrameKind::Data && arp()) {
        Settle::AtOnce
    } else {
        Settle::BeforeAnAnswer
    }
}
