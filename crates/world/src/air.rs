//! The channel: settling stations, and putting frames on the air.

use crate::ear::{Ear, Wake};
use crate::station::{Halt, Meeting, fingerprint, settle_by};
use crate::world::{Shared, World};
use acklab_base::{Duration, Instant, NodeId};
use acklab_kernel::Agenda;
use acklab_mac::{Dcf, Output};
use acklab_radio::receiver::{Fate, Loss, Start};
use acklab_radio::{Arrival, Settle};
use acklab_trace::{Event, Reception, Recorder};
use acklab_wire::{Frame, FrameHeader, FrameKind, Payload};
use std::ops::Range;

/// A frame as all who hear it have it in common.
struct Announced {
    /// It, as it leaves the antenna.
    arrival: Arrival,
    /// Whether everyone who decodes it wants it.
    for_all: bool,
    /// When it is to be settled by those who want it.
    settle: Settle,
    /// How long a third station stays silent after it at least: one that senses it, and one that
    /// decodes it.
    silence: [Duration; 2],
}

impl Announced {
    /// Says anew when a station is to be woken that wants the frame, or whose turn it may put off.
    #[inline(never)]
    fn put_off(
        &self,
        shared: &Shared,
        ear: &mut Ear,
        to: NodeId,
        arrival: &Arrival,
        agenda: &mut Agenda,
    ) {
        let pace = &shared.pace;
        let slot = World::station_slot(to);
        let end = arrival.end();
        if let Wake::Turn(turn) = ear.wake {
            let silence = if arrival.to() == to || end < ear.sends_until {
                Duration::ZERO
            } else {
                self.silence[usize::from(arrival.decodable)]
            };
            let free = end.after(silence);
            if turn.at(pace.slot) <= free {
                let turn = turn.put_off(arrival.start, free, pace);
                ear.wake = Wake::Turn(turn);
                agenda.set(slot, turn.at(pace.slot));
            }
        }
        if arrival.settle != Settle::AnyTime {
            ear.wake = ear.wake.unless_sooner();
            agenda.set_no_later(slot, settle_by(arrival, shared.answer_slack));
        }
    }
}

impl World {
    /// Works out everything that happened at a station up to `until`, `until` included.
    pub(crate) fn settle(&mut self, node: NodeId, until: Instant) {
        let index = node.index();
        // A node without a radio has nothing to settle.
        while let Some(station) = self.stations.get_mut(index)
            && let Some((at, halt)) = station.advance(&mut self.ears[index], &self.reach, until)
        {
            match halt {
                Halt::Asks => self.drain_dcf(at, node),
                Halt::Met => self.frames_met(node),
                Halt::Ended => self.record_end(at, node),
            }
        }
    }

    /// Does what the DCF asks for.
    pub(crate) fn drain_dcf(&mut self, at: Instant, node: NodeId) {
        let index = node.index();
        while let Some(output) = self.stations[index].dcf.poll() {
            match output {
                Output::Transmit => {
                    let header = *self.stations[index].dcf.on_air();
                    self.transmit(at, node, &header);
                }
                Output::Deliver { from, sequence } => {
                    let sender = &self.stations[from.index()].dcf;
                    if let Some(payload) = sender.payload(sequence).cloned() {
                        self.stacks[index].link.on_payload(at, payload, from);
                        self.reschedule_stack(node);
                    }
                }
                Output::Overheard { from, sequence } => self.overhear(at, node, from, sequence),
                Output::Failed { next_hop } => {
                    if let Some(payload) = self.stations[index].dcf.take_failed() {
                        self.packet_failed(at, node, payload, next_hop);
                        self.reschedule_stack(node);
                    }
                }
                Output::Ready => {
                    if let Some(next) = self.stacks[index].queue.pop() {
                        self.stations[index]
                            .dcf
                            .on_packet(at, next.payload, next.next_hop);
                    }
                }
            }
        }
    }

    /// The one channel function: every frame of every kind goes through here.
    fn transmit(&mut self, at: Instant, node: NodeId, header: &FrameHeader) {
        debug_assert!(
            at == self.now,
            "{node:?} transmits at {at:?} but it is {:?}",
            self.now
        );
        let index = node.index();
        let station = &mut self.stations[index];
        station.receiver.on_transmit(at.after(header.airtime));
        self.ears[index].sends_until = at.after(header.airtime);
        let (kind, print) = (header.kind as u16, fingerprint(header));
        station.digest.mix(at, kind, print);
        let silence = station.dcf.silence_after(header.to, header.duration);
        let overheard = self.shared.overhears && header.kind == FrameKind::Data;
        let settle = when_to_settle(&station.dcf, header, overheard);
        self.stacks[index].counters.count_sent(header);
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
        };
        let row = self.reach.row(node, at);
        if self.announce(row.clone(), &announced) {
            self.hear_at_once(at, row);
        }
    }

    /// All stations in reach (`row` of the list of who hears whom) learn of a frame that is on its
    /// way. A frame puts the turns of others off, which is worked out without settling them. Returns
    /// whether some of them must be settled all the same.
    fn announce(&mut self, row: Range<usize>, announced: &Announced) -> bool {
        let Self {
            reach,
            ears,
            agenda,
            shared,
            ..
        } = self;
        let meant = announced.arrival.to();
        let mut at_once = self.eager;
        for listener in reach.list(row) {
            let ear = &mut ears[listener.node.index()];
            let decodable = listener.decodable();
            let wanted = decodable && (announced.for_all || meant == listener.node);
            let settle = [Settle::AnyTime, announced.settle][usize::from(wanted)];
            let arrival = announced.arrival.heard(listener.delay(), decodable, settle);
            at_once |= ear.add(arrival);
            if wanted || ear.wake != Wake::Stays {
                announced.put_off(shared, ear, listener.node, &arrival, agenda);
            }
        }
        at_once
    }

    /// Stations that are not to wait: their ear is full, or a frame may bring their turn forward.
    fn hear_at_once(&mut self, now: Instant, row: Range<usize>) {
        for place in row {
            let to = self.reach.at(place).node;
            let ear = &self.ears[to.index()];
            let watched = self.eager || ear.wake == Wake::Watch;
            if watched || ear.is_full() {
                self.settle_before(to, now);
                self.ears[to.index()].make_room();
            }
            if watched {
                self.reschedule_station(to);
            }
        }
    }

    /// Settles what lies before `now`; what happens at `now` has its own turn.
    fn settle_before(&mut self, node: NodeId, now: Instant) {
        if now > Instant::ZERO {
            self.settle(node, Instant::from_nanos(now.as_nanos() - 1));
        }
    }

    #[cold]
    fn record_sent(&mut self, at: Instant, node: NodeId, header: &FrameHeader) -> u32 {
        let Some(recorder) = &mut self.recorder else {
            return Recorder::NOT_KEPT;
        };
        let dcf = &self.stations[node.index()].dcf;
        let payload = match header.kind {
            FrameKind::Data => dcf.payload(header.sequence).cloned(),
            _ => None,
        };
        let header = *header;
        recorder.frame_sent(at, node, &Frame { header, payload })
    }

    /// A frame began while another one was in the air.
    fn frames_met(&mut self, node: NodeId) {
        let Some(meeting) = self.stations[node.index()].met.take() else {
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
        let counters = &mut self.stacks[node.index()].counters;
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
            self.stacks[node.index()].counters.capture_lost += 1;
        }
        let outcome = if lost.decodable {
            Reception::CaptureLost
        } else {
            Reception::Sensed
        };
        self.record_reception(lost.end(), node, lost, outcome);
    }

    fn record_end(&mut self, at: Instant, node: NodeId) {
        let Some((arrival, fate)) = self.stations[node.index()].heard.take() else {
            return;
        };
        let outcome = match fate {
            Fate::Decoded { overlapped: None } => Reception::Decoded,
            Fate::Decoded { overlapped } => Reception::Captured { over: overlapped },
            Fate::Lost(Loss::TooWeak) => Reception::Sensed,
            Fate::Lost(Loss::Collision(with)) => Reception::Collided { with: Some(with) },
            Fate::Lost(Loss::Transmitting) | Fate::Unnoticed => Reception::WhileTransmitting,
        };
        self.record_reception(at, node, &arrival, outcome);
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
