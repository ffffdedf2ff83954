//! The link with everything: two ends, the channel between them, link-level retransmission, and
//! transmitters that it may share with other links. What needs neither is a [`super::plain`] one.

use super::arq::receiver::Arrived;
use super::arq::sender::Verdict;
use super::channel::Channel;
use super::end::{End, Flying, Load, Transmitter};
use super::{Counters, Direction, LinkConfig, Lost, Output, Refused, Side, Sight, Sighting, Ways};
use acklab_base::Instant;
use acklab_wire::Packet;
use std::collections::VecDeque;

/// A link with retransmission or on a shared medium.
#[derive(Clone, Debug)]
pub(super) struct FullLink {
    ends: [End; 2],
    outputs: VecDeque<Output>,
    /// Somebody wants [`Output::Seen`].
    watched: bool,
    /// Wake at every edge.
    eager: bool,
    /// Frames that a watcher was told of, by end.
    told: [usize; 2],
}

impl FullLink {
    pub(super) fn new(config: &LinkConfig, ways: Ways) -> Self {
        let end = |way: Direction| {
            let arq = way.arq;
            End::new(Channel::new(config, way), config.queue, arq)
        };
        Self::between(ways.map(end))
    }

    /// A link between two ends, idle.
    pub(super) fn between(ends: [End; 2]) -> Self {
        Self {
            ends,
            outputs: VecDeque::with_capacity(16),
            watched: false,
            eager: false,
            told: [0; 2],
        }
    }

    pub(super) fn watch(&mut self) {
        self.watched = true;
    }

    pub(super) fn wake_eagerly(&mut self) {
        self.eager = true;
    }

    pub(super) fn on_send(
        &mut self,
        now: Instant,
        side: Side,
        packet: Packet,
    ) -> Result<(), Refused> {
        let end = &mut self.ends[side.index()];
        if end.channel.loses(now, &packet) {
            let why = Lost::Congestion;
            return Err(Refused { packet, why });
        }
        let refused = end.queue(now, packet);
        end.channel.counters.queue_drops += u64::from(refused.is_some());
        self.report_sent(side);
        let why = Lost::QueueFull;
        refused.map_or(Ok(()), |packet| Err(Refused { packet, why }))
    }

    /// Takes back what waits at `side`, oldest first.
    pub(super) fn take_waiting(&mut self, now: Instant, side: Side) -> Vec<Packet> {
        let end = &mut self.ends[side.index()];
        end.serve(now);
        let waiting = end.take_waiting();
        self.report_sent(side);
        waiting
    }

    pub(super) fn on_wake(&mut self, now: Instant) {
        while let Some((at, event)) = self.next_event() {
            if at > now {
                break;
            }
            self.step(at, event);
        }
        for side in Side::BOTH {
            self.ends[side.index()].serve(now);
            self.report_sent(side);
        }
    }

    pub(super) fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    pub(super) fn next_wake(&self) -> Instant {
        let mut wake = Instant::NEVER;
        for end in &self.ends {
            wake = wake.min(end.next_wake());
            if let Some(first) = end.flying.front() {
                wake = wake.min(first.arrives);
            }
            if self.eager {
                wake = wake.min(end.next_start());
            }
        }
        wake
    }

    pub(super) fn counters(&self, side: Side) -> &Counters {
        &self.ends[side.index()].channel.counters
    }

    /// The next thing happens.
    pub(super) fn step(&mut self, at: Instant, event: Event) {
        match event {
            Event::Arrival(from) => self.arrive(from),
            Event::Timer(side) => self.time_out(at, side),
        }
    }

    /// The transmitters of both ends.
    pub(super) fn transmitters(&self) -> [Transmitter; 2] {
        [self.ends[0].transmitter(), self.ends[1].transmitter()]
    }

    /// Another link of the same medium was at work.
    pub(super) fn set_transmitters(&mut self, transmitters: [Transmitter; 2]) {
        for (end, transmitter) in self.ends.iter_mut().zip(transmitters) {
            end.set_transmitter(transmitter);
        }
    }

    /// Whether a retransmission waits at `side` that goes before new packets of the medium.
    pub(super) fn has_urgent_repeat(&mut self, side: Side) -> bool {
        self.ends[side.index()].has_urgent_repeat()
    }

    /// What the end at `side` has for a transmitter that it shares; the least goes.
    pub(super) fn bid(&mut self, side: Side, urgent: bool) -> Option<(u8, u64)> {
        self.ends[side.index()].bid(urgent)
    }

    /// The transmitter at `side` takes the next frame of this link.
    pub(super) fn begin_next(&mut self, side: Side, urgent: bool) {
        self.ends[side.index()].begin_next(urgent);
        self.report_sent(side);
    }

    /// When one of the transmitters can take something that waits here.
    pub(super) fn next_start(&self) -> Instant {
        let [first, second] = &self.ends;
        first.next_start().min(second.next_start())
    }

    /// The first of what happens next, if its time is known: arrivals before timers, the first
    /// end before the second.
    pub(super) fn next_event(&mut self) -> Option<(Instant, Event)> {
        let mut next: Option<(Instant, Event)> = None;
        for side in Side::BOTH {
            let end = &self.ends[side.index()];
            if let Some(first) = end.flying.front()
                && next.is_none_or(|(at, _)| first.arrives < at)
            {
                next = Some((first.arrives, Event::Arrival(side)));
            }
        }
        for side in Side::BOTH {
            let wake = self.ends[side.index()].next_wake();
            if wake != Instant::NEVER && next.is_none_or(|(at, _)| wake < at) {
                next = Some((wake, Event::Timer(side)));
            }
        }
        next
    }

    /// The first frame from an end reaches the other one.
    fn arrive(&mut self, from: Side) {
        self.report_sent(from);
        let told = &mut self.told[from.index()];
        *told = told.saturating_sub(1);
        let sender = &mut self.ends[from.index()];
        let Some(flying) = sender.flying.pop_front() else {
            return;
        };
        let at = flying.arrives;
        sender.serve(at);
        let is_ack = matches!(flying.load, Load::Ack(_));
        if flying.destroyed {
            sender.channel.counters.acks_lost += u64::from(is_ack);
            sender.channel.counters.frames_lost += u64::from(!is_ack);
        }
        self.report_sent(from);
        let side = from.other();
        if flying.destroyed {
            self.see(at, side, Sight::Lost, &flying);
            return;
        }
        match &flying.load {
            Load::Plain(_) | Load::Ack(_) => self.see(at, side, Sight::Received, &flying),
            Load::Numbered { .. } => {}
        }
        match flying.load {
            Load::Plain(packet) => self.outputs.push_back(Output::Deliver { side, packet }),
            Load::Ack(number) => self.acknowledged(at, side, number),
            Load::Numbered { .. } => self.numbered(at, side, flying),
        }
    }

    fn numbered(&mut self, at: Instant, side: Side, flying: Flying) {
        let copy = self.watched.then(|| flying.clone());
        let Load::Numbered {
            number,
            identity,
            oldest,
            packet,
            ..
        } = flying.load
        else {
            return;
        };
        let end = &mut self.ends[side.index()];
        let Some(arq) = &mut end.arq else { return };
        let arrived = arq.receiver.on_frame(at, identity, oldest, packet);
        if !end.queue_ack(at, number) {
            end.channel.counters.ack_queue_drops += 1;
        }
        self.ends[side.other().index()].channel.counters.duplicates +=
            u64::from(arrived == Arrived::Duplicate);
        if let Some(copy) = copy {
            let sight = match arrived {
                Arrived::New { .. } => Sight::Received,
                Arrived::Duplicate => Sight::Duplicate,
            };
            self.see(at, side, sight, &copy);
        }
        if let Arrived::New {
            missed: Some(after),
        } = arrived
        {
            self.outputs.push_back(Output::Repaired { side, after });
        }
        let Some(arq) = &mut self.ends[side.index()].arq else {
            return;
        };
        while let Some(packet) = arq.receiver.up.pop_front() {
            self.outputs.push_back(Output::Deliver { side, packet });
        }
        self.report_sent(side);
    }

    fn acknowledged(&mut self, at: Instant, side: Side, number: u64) {
        let end = &mut self.ends[side.index()];
        end.serve(at);
        if let Some(arq) = &mut end.arq {
            arq.sender.on_ack(at, number);
        }
        self.judge(at, side);
    }

    fn time_out(&mut self, at: Instant, side: Side) {
        let end = &mut self.ends[side.index()];
        end.serve(at);
        if let Some(arq) = &mut end.arq {
            arq.sender.on_wake(at);
        }
        self.judge(at, side);
    }

    /// Does what the sending half of an end decided.
    fn judge(&mut self, at: Instant, side: Side) {
        let end = &mut self.ends[side.index()];
        while let Some(verdict) = end
            .arq
            .as_mut()
            .and_then(|arq| arq.sender.verdicts.pop_front())
        {
            match verdict {
                Verdict::Repeat { identity, by_timer } => {
                    end.channel.counters.timer_retransmissions += u64::from(by_timer);
                    end.queue_repeat(at, identity);
                }
                Verdict::GivenUp(packet) => {
                    end.channel.counters.given_up += 1;
                    self.outputs.push_back(Output::GivenUp { side, packet });
                }
                Verdict::Recovered(after) => {
                    end.channel.counters.recovered += 1;
                    end.channel.counters.recovery += after;
                }
            }
        }
        self.report_sent(side);
    }

    /// Tells a watcher of frames that have begun since it was last told.
    fn report_sent(&mut self, side: Side) {
        if !self.watched {
            return;
        }
        let end = &self.ends[side.index()];
        for flying in end.flying.range(self.told[side.index()]..) {
            let sighting = sighting(flying.began, side, Sight::Sent, flying);
            self.outputs.push_back(Output::Seen(Box::new(sighting)));
        }
        self.told[side.index()] = end.flying.len();
    }

    fn see(&mut self, at: Instant, side: Side, sight: Sight, flying: &Flying) {
        if self.watched {
            let sighting = sighting(at, side, sight, flying);
            self.outputs.push_back(Output::Seen(Box::new(sighting)));
        }
    }
}

/// What happens next on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// The first frame from this end arrives at the other one.
    Arrival(Side),
    /// A timer of this end may have run out.
    Timer(Side),
}

fn sighting(at: Instant, side: Side, sight: Sight, flying: &Flying) -> Sighting {
    let (number, again, packet) = match &flying.load {
        Load::Plain(packet) => (None, false, Some(packet.clone())),
        Load::Ack(number) => (Some(*number), false, None),
        Load::Numbered {
            number,
            packet,
            again,
            ..
        } => (Some(*number), *again, Some(packet.clone())),
    };
    Sighting {
        at,
        side,
        sight,
        bytes: flying.bytes,
        number,
        again,
        packet,
    }
}
