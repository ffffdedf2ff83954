//! The channel: settling stations, and putting frames on the air.

use crate::station::Step;
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_mac::Output;
use acklab_radio::Arrival;
use acklab_radio::receiver::{End, Loss, Start};
use acklab_trace::{Event, Reception};
use acklab_wire::{Frame, FrameHeader, FrameKind, Payload};

/// Pending frames at one station above which it is settled before another one is added.
const PENDING_LIMIT: usize = 4;

impl World {
    /// Works out everything that happened at a station up to `until`, `until` included.
    pub(crate) fn settle(&mut self, node: NodeId, until: Instant) {
        loop {
            let (at, step) = self.stations[node.index()].next_step();
            if at > until || at == Instant::NEVER {
                return;
            }
            match step {
                Step::End => self.end_of_frame(at, node),
                Step::Wake => self.stations[node.index()].dcf.on_wake(at),
                Step::Start(place) => self.start_of_frame(at, node, place, until),
            }
            self.drain_dcf(at, node);
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
                    }
                }
                Output::Failed { payload, next_hop } => {
                    self.packet_failed(at, node, payload, next_hop);
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
        self.stacks[index]
            .digest
            .mix(at, header.kind as u16, fingerprint(header));
        let number = self.record_sent(at, node, header);
        let slack = self.answer_slack(node, header);
        for place in self.reach.range(node) {
            let listener = *self.reach.at(place);
            let to = listener.node;
            let start = at + listener.delay;
            let end = start + header.airtime;
            let wanted = listener.decodable && (header.to == to || header.to.is_broadcast());
            let settle_by = if wanted { end + slack } else { Instant::NEVER };
            let arrival = Arrival {
                start,
                end,
                power_w: listener.power_w,
                decodable: listener.decodable,
                number,
                settle_by,
                header: *header,
            };
            let station = &self.stations[to.index()];
            if self.eager || station.dcf.contends() {
                self.settle_before(to, at);
                self.stations[to.index()].pending.push(arrival);
                self.reschedule_station(to);
            } else {
                if station.pending.len() >= PENDING_LIMIT {
                    self.settle_before(to, at);
                }
                self.stations[to.index()].pending.push(arrival);
                self.agenda.set_no_later(Self::station_slot(to), settle_by);
            }
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

    /// The first bit of a frame; and its last bit, if nothing can come between.
    fn start_of_frame(&mut self, at: Instant, node: NodeId, place: usize, until: Instant) {
        let station = &mut self.stations[node.index()];
        let arrival = station.pending.swap_remove(place);
        if station.receiver.is_quiet() {
            station.busy_since = at;
            station.dcf.on_medium(at, true);
            let alone = station.pending.is_empty() && arrival.end <= until;
            if alone && station.dcf.next_wake() >= arrival.end {
                let end = station.receiver.on_whole(&arrival);
                self.ended(arrival.end, node, &end, false);
            } else {
                station.receiver.on_start(&arrival);
            }
        } else {
            self.overlap(at, node, &arrival);
        }
    }

    /// The first bit of a frame arrives while another one is in the air.
    fn overlap(&mut self, at: Instant, node: NodeId, arrival: &Arrival) {
        let station = &mut self.stations[node.index()];
        match station.receiver.on_start(arrival) {
            Start::Locked => {}
            Start::Ignored => {
                station.dcf.on_captured_frame(at, arrival.header.airtime);
                self.capture_lost(node, arrival);
            }
            Start::TookOver(lost) => self.capture_lost(node, &lost),
            Start::Collided {
                locked,
                already_lost,
            } => {
                self.collided(node, &locked, already_lost, arrival);
            }
        }
        self.stations[node.index()].dcf.on_medium(at, true);
    }

    fn end_of_frame(&mut self, at: Instant, node: NodeId) {
        let receiver = &mut self.stations[node.index()].receiver;
        let end = receiver.on_end(at);
        let busy = receiver.is_busy(at);
        self.ended(at, node, &end, busy);
    }

    /// The last bit of what the receiver heard: `busy` says whether more is in the air.
    fn ended(&mut self, at: Instant, node: NodeId, end: &End, busy: bool) {
        let station = &mut self.stations[node.index()];
        let stack = &mut self.stacks[node.index()];
        match end {
            End::Decoded { arrival, .. } => {
                let header = &arrival.header;
                station.dcf.on_frame(at, header);
                if header.to == node || header.to.is_broadcast() {
                    stack
                        .digest
                        .mix(at, 8 + header.kind as u16, fingerprint(header));
                }
            }
            End::Lost { loss, .. } => station.dcf.on_lost_frame(at, *loss == Loss::TooWeak),
            End::Unnoticed(_) | End::Faded => {}
        }
        if !busy {
            stack.counters.receiving += at.saturating_since(station.busy_since);
        }
        station.dcf.on_medium(at, busy);
        if self.recorder.is_some() {
            self.record_end(at, node, end);
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

    fn record_end(&mut self, at: Instant, node: NodeId, end: &End) {
        let (arrival, outcome) = match *end {
            End::Decoded {
                arrival,
                overlapped: None,
            } => (arrival, Reception::Decoded),
            End::Decoded {
                arrival,
                overlapped,
            } => (arrival, Reception::Captured { over: overlapped }),
            End::Lost {
                arrival,
                loss: Loss::TooWeak,
            } => (arrival, Reception::Sensed),
            End::Lost {
                arrival,
                loss: Loss::Collision(with),
            } => (arrival, Reception::Collided { with: Some(with) }),
            End::Lost {
                arrival,
                loss: Loss::Transmitting,
            }
            | End::Unnoticed(arrival) => (arrival, Reception::WhileTransmitting),
            End::Faded => return,
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

/// A value that tells a frame from others of its kind.
fn fingerprint(header: &FrameHeader) -> u64 {
    u64::from(header.to.0) << 32 ^ u64::from(header.bytes) << 12 ^ u64::from(header.sequence)
}
