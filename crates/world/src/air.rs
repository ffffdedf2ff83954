//! The channel: settling stations, and putting frames on the air.

use crate::station::{Halt, fingerprint};
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_mac::Output;
use acklab_radio::Arrival;
use acklab_radio::receiver::{Fate, Loss, Start};
use acklab_trace::{Event, Reception};
use acklab_wire::{Frame, FrameHeader, FrameKind, Payload};

/// Pending frames at one station above which it is settled before another one is added.
const PENDING_LIMIT: usize = 4;

impl World {
    /// Works out everything that happened at a station up to `until`, `until` included.
    pub(crate) fn settle(&mut self, node: NodeId, until: Instant) {
        // A node without a radio has nothing to settle.
        while let Some((at, halt)) = self
            .stations
            .get_mut(node.index())
            .and_then(|station| station.advance(until))
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
                Output::Transmit(header) => self.transmit(at, node, &header),
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
        self.stations[index]
            .receiver
            .on_transmit(at + header.airtime);
        self.stacks[index].counters.count_sent(header);
        let station = &mut self.stations[index];
        station
            .digest
            .mix(at, header.kind as u16, fingerprint(header));
        let number = self.record_sent(at, node, header);
        let slack = self.answer_slack(node, header);
        let mut arrival = Arrival {
            start: at,
            end: at,
            power_w: 0.0,
            decodable: false,
            number,
            settle_by: Instant::NEVER,
            header: *header,
        };
        let overheard = self.shared.overhears && header.kind == FrameKind::Data;
        let for_all = header.to.is_broadcast() || overheard;
        for place in self.reach.range(node) {
            let listener = self.reach.at(place);
            arrival.start = at + listener.delay;
            arrival.end = arrival.start + header.airtime;
            arrival.power_w = listener.power_w;
            arrival.decodable = listener.decodable;
            let to = listener.node;
            let wanted = listener.decodable && (for_all || header.to == to);
            arrival.settle_by = if wanted {
                arrival.end + slack
            } else {
                Instant::NEVER
            };
            self.announce(at, to, &arrival);
        }
    }

    /// A station learns of a frame that is on its way. A frame puts the turns of others off, so
    /// only a station that would transmit before the frame is over has to be told at once; and
    /// one whose turn a frame may hurry.
    fn announce(&mut self, now: Instant, to: NodeId, arrival: &Arrival) {
        let slot = Self::station_slot(to);
        let station = &self.stations[to.index()];
        let sooner = station.receiver.may_free_early() || station.dcf.waits_for_eifs();
        let due = sooner || self.agenda.pending(slot) <= arrival.end;
        let put_off = station.dcf.contends() && due;
        let watched = self.eager || put_off;
        if watched || station.pending.len() >= PENDING_LIMIT {
            self.settle_before(to, now);
        }
        self.stations[to.index()].pending.push(*arrival);
        if watched {
            self.reschedule_station(to);
        } else if arrival.settle_by != Instant::NEVER {
            self.agenda.set_no_later(slot, arrival.settle_by);
        }
    }

    /// How long after its end a frame may be settled at the latest where it is meant for. Nobody
    /// answers before SIFS, and what is handed up waits in the link layer for longer; ARP, which
    /// reacts faster, and broadcasts are settled at once.
    fn answer_slack(&self, node: NodeId, header: &FrameHeader) -> Duration {
        let arp = || {
            let payload = self.stations[node.index()].dcf.payload(header.sequence);
            matches!(payload, Some(Payload::Arp(_)))
        };
        if header.to.is_broadcast() || (header.kind == FrameKind::Data && arp()) {
            Duration::ZERO
        } else {
            self.shared.answer_slack
        }
    }

    /// Settles what lies before `now`; what happens at `now` has its own turn.
    fn settle_before(&mut self, node: NodeId, now: Instant) {
        if now > Instant::ZERO {
            self.settle(node, Instant::from_nanos(now.as_nanos() - 1));
        }
    }

    fn record_sent(&mut self, at: Instant, node: NodeId, header: &FrameHeader) -> u32 {
        let number = self.frames_sent;
        self.frames_sent = self.frames_sent.wrapping_add(1);
        let Some(recorder) = &mut self.recorder else {
            return number;
        };
        let payload: Option<Payload> = match header.kind {
            FrameKind::Data => self.stations[node.index()]
                .dcf
                .payload(header.sequence)
                .cloned(),
            _ => None,
        };
        recorder.frame_sent(
            at,
            node,
            &Frame {
                header: *header,
                payload,
            },
        )
    }

    /// A frame began while another one was in the air.
    fn frames_met(&mut self, node: NodeId) {
        let Some((arrival, start)) = self.stations[node.index()].met.take() else {
            return;
        };
        match start {
            Start::Locked => {}
            Start::Ignored => self.capture_lost(node, &arrival),
            Start::TookOver(lost) => self.capture_lost(node, &lost),
            Start::Collided {
                locked,
                already_lost,
            } => {
                self.collided(node, &locked, already_lost, &arrival);
            }
        }
    }

    /// Both frames of a pair are lost at `node`. What counts are frames that it was meant to
    /// decode.
    fn collided(&mut self, node: NodeId, locked: &Arrival, already_lost: bool, late: &Arrival) {
        let apart = late.start.saturating_since(locked.start);
        let same_slot = apart < self.shared.slot_time;
        let (first, second) = (locked.header.from, late.header.from);
        let hidden = self.reach.between(first, second).is_none();
        let counters = &mut self.stacks[node.index()].counters;
        for (arrival, lost_before) in [(locked, already_lost), (late, false)] {
            if arrival.decodable && arrival.header.to == node && !lost_before {
                counters.collisions += 1;
                if hidden {
                    counters.collisions_hidden += 1;
                } else if same_slot {
                    counters.collisions_same_slot += 1;
                }
            }
        }
        let (gone, other) = if late.end > locked.end {
            (locked, late)
        } else {
            (late, locked)
        };
        let outcome = if gone.decodable {
            Reception::Collided {
                with: Some(other.number),
            }
        } else {
            Reception::Sensed
        };
        self.record_reception(gone.end, node, gone, outcome);
    }

    fn capture_lost(&mut self, node: NodeId, lost: &Arrival) {
        if lost.decodable && lost.header.to == node {
            self.stacks[node.index()].counters.capture_lost += 1;
        }
        let outcome = if lost.decodable {
            Reception::CaptureLost
        } else {
            Reception::Sensed
        };
        self.record_reception(lost.end, node, lost, outcome);
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
            let dbm = 10.0 * acklab_base::math::log10(arrival.power_w * 1000.0);
            recorder.reception(end, node, arrival.number, how, dbm);
        }
    }

    pub(crate) fn record(&mut self, at: Instant, node: NodeId, event: Event) {
        if let Some(recorder) = &mut self.recorder {
            recorder.event(at, node, event);
        }
    }
}
