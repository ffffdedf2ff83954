//! A world of two machines and the two pipes between them, for tests only.

use acklab_base::{BitRate, Duration, Instant};
use acklab_tcp::{
    AckReason, Receiver, ReceiverConfig, ReceiverOutput, Sender, SenderConfig, SenderNote,
    SenderOutput, Variant,
};
use acklab_wire::Segment;
use std::collections::{BTreeMap, VecDeque};

/// What a pipe does to one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Deliver,
    Drop,
    /// Arrives, and once more after the interval.
    Duplicate(Duration),
    /// Arrives later by the interval, so that others overtake it.
    Delay(Duration),
}

/// Decides the fate of a segment from its number in the pipe and what it is.
pub(crate) type Decide = Box<dyn FnMut(usize, &Segment) -> Fate>;

/// One direction of the wire: a queue without limit, a rate, a delay, and a fate for each segment.
pub(crate) struct Pipe {
    pub(crate) rate: Option<BitRate>,
    /// The delay from each instant on, in order.
    pub(crate) delay: Vec<(Instant, Duration)>,
    pub(crate) fate: Decide,
    /// Numbers, in the order of arrival, of the segments that are lost at the far end.
    pub(crate) lost_on_arrival: Vec<usize>,
    /// Bytes of a SYN's packet, where they are not those of its headers.
    pub(crate) syn_bytes: Option<u32>,
    free_at: Instant,
    count: usize,
    arrived: usize,
}

impl Pipe {
    pub(crate) fn new(delay: Duration) -> Self {
        Self {
            rate: None,
            delay: vec![(Instant::ZERO, delay)],
            fate: Box::new(|_, _| Fate::Deliver),
            lost_on_arrival: Vec::new(),
            syn_bytes: None,
            free_at: Instant::ZERO,
            count: 0,
            arrived: 0,
        }
    }

    pub(crate) fn with_rate(mut self, rate: BitRate) -> Self {
        self.rate = Some(rate);
        self
    }

    pub(crate) fn with_fate(mut self, fate: impl FnMut(usize, &Segment) -> Fate + 'static) -> Self {
        self.fate = Box::new(fate);
        self
    }

    /// Whether the next segment to arrive is lost there.
    fn loses_arrival(&mut self) -> bool {
        self.arrived += 1;
        self.lost_on_arrival.contains(&(self.arrived - 1))
    }

    /// When the segment arrives: never, once or twice.
    fn send(&mut self, now: Instant, segment: &Segment) -> [Option<Instant>; 2] {
        let start = self.free_at.max(now);
        let bytes = match self.syn_bytes {
            Some(bytes) if segment.flags.syn && segment.forward => bytes,
            _ => segment.ip_bytes(),
        };
        let airtime = self
            .rate
            .map_or(Duration::ZERO, |rate| rate.airtime(u64::from(bytes) * 8));
        self.free_at = start + airtime;
        let delay = self
            .delay
            .iter()
            .rev()
            .find(|entry| entry.0 <= start)
            .expect("from zero on");
        let arrival = self.free_at + delay.1;
        let fate = (self.fate)(self.count, segment);
        self.count += 1;
        match fate {
            Fate::Deliver => [Some(arrival), None],
            Fate::Drop => [None, None],
            Fate::Duplicate(later) => [Some(arrival), Some(arrival + later)],
            Fate::Delay(later) => [Some(arrival + later), None],
        }
    }
}

/// What happened, in order.
#[derive(Default)]
pub(crate) struct Log {
    /// Segments that the sender sent.
    pub(crate) sent: Vec<(Instant, Segment)>,
    /// Segments that reached the receiver.
    pub(crate) arrived: Vec<(Instant, Segment)>,
    /// ACKs that the receiver sent.
    pub(crate) acks: Vec<(Instant, Segment, AckReason)>,
    /// The congestion window after each instant at which it changed.
    pub(crate) cwnd: Vec<(Instant, f64)>,
    pub(crate) notes: Vec<(Instant, SenderNote)>,
    /// Packets delivered to the application.
    pub(crate) delivered: u64,
}

impl Log {
    pub(crate) fn count(&self, note: SenderNote) -> usize {
        self.notes.iter().filter(|entry| entry.1 == note).count()
    }
}

pub(crate) struct World {
    pub(crate) now: Instant,
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) forth: Pipe,
    pub(crate) back: Pipe,
    pub(crate) log: Log,
    in_flight: BTreeMap<(Instant, u64), Segment>,
    next_event: u64,
    /// When handoffs begin and end in turn, and whether the sender is the mobile end.
    pub(crate) handoffs: VecDeque<Instant>,
    pub(crate) sender_moves: bool,
    away: bool,
    /// When the machines want to be woken, and the number that this wish got: of two things at
    /// one instant, the one that was planned first happens first.
    wakes: [(Instant, u64); 2],
    /// Called after each event.
    pub(crate) watch: fn(&World),
}

impl World {
    pub(crate) fn new(
        sender: SenderConfig,
        receiver: ReceiverConfig,
        forth: Pipe,
        back: Pipe,
    ) -> Self {
        Self {
            now: Instant::ZERO,
            sender: Sender::new(sender),
            receiver: Receiver::new(receiver),
            forth,
            back,
            log: Log::default(),
            in_flight: BTreeMap::new(),
            next_event: 0,
            handoffs: VecDeque::new(),
            sender_moves: false,
            away: false,
            wakes: [(Instant::NEVER, 0); 2],
            watch: |_| {},
        }
    }

    /// Opens the connection at `at` with `bytes` of data.
    pub(crate) fn open(&mut self, at: Instant, bytes: u64) {
        self.run_until(at);
        self.now = at;
        self.sender.on_data(at, bytes);
        self.sender.on_open(at);
        self.settle();
    }

    pub(crate) fn write(&mut self, at: Instant, bytes: u64) {
        self.run_until(at);
        self.now = at;
        self.sender.on_data(at, bytes);
        self.settle();
    }

    fn launch(&mut self, forth: bool, segment: Segment) {
        let pipe = if forth {
            &mut self.forth
        } else {
            &mut self.back
        };
        for arrival in pipe.send(self.now, &segment).into_iter().flatten() {
            self.in_flight.insert((arrival, self.next_event), segment);
            self.next_event += 1;
        }
    }

    /// Empties both machines.
    fn settle(&mut self) {
        while let Some(output) = self.sender.poll() {
            match output {
                SenderOutput::Segment(segment) => {
                    self.log.sent.push((self.now, segment));
                    self.launch(true, segment);
                }
                SenderOutput::Note(note) => self.log.notes.push((self.now, note)),
            }
        }
        while let Some(output) = self.receiver.poll() {
            match output {
                ReceiverOutput::Ack(segment, reason) => {
                    self.log.acks.push((self.now, segment, reason));
                    self.launch(false, segment);
                }
                ReceiverOutput::Delivered { segments, .. } => {
                    self.log.delivered += u64::from(segments);
                }
                ReceiverOutput::Note(_) => {}
            }
        }
        for (index, at) in [self.sender.next_wake(), self.receiver.next_wake()]
            .into_iter()
            .enumerate()
        {
            if self.wakes[index].0 != at {
                self.wakes[index] = (at, self.next_event);
                self.next_event += 1;
            }
        }
        let mut cwnd = self.sender.cwnd();
        if self.sender.config().variant == Variant::Vegas {
            // ns-2's Vegas keeps no window of its own for the inflation.
            cwnd += self.sender.inflation();
        }
        match self.log.cwnd.last_mut() {
            Some(last) if last.0 == self.now => last.1 = cwnd,
            Some(last) if last.1.to_bits() == cwnd.to_bits() => {}
            _ => self.log.cwnd.push((self.now, cwnd)),
        }
        (self.watch)(self);
    }

    /// When something happens next.
    pub(crate) fn next_event(&self) -> Instant {
        let arrival = self
            .in_flight
            .first_key_value()
            .map_or(Instant::NEVER, |(key, _)| key.0);
        let handoff = self.handoffs.front().copied().unwrap_or(Instant::NEVER);
        arrival
            .min(self.wakes[0].0)
            .min(self.wakes[1].0)
            .min(handoff)
    }

    /// Lets the next thing happen.
    pub(crate) fn step(&mut self) {
        if self.handoffs.front() == Some(&self.next_event()) {
            self.turn();
            return;
        }
        let never = (Instant::NEVER, u64::MAX);
        let arrival = self
            .in_flight
            .first_key_value()
            .map_or(never, |(&key, _)| key);
        let [of_sender, of_receiver] = self.wakes;
        let first = arrival.min(of_sender).min(of_receiver);
        self.now = first.0;
        if first == arrival {
            let segment = self.in_flight.remove(&arrival).expect("it is there");
            let pipe = if segment.forward {
                &mut self.forth
            } else {
                &mut self.back
            };
            if pipe.loses_arrival() {
                return;
            }
            if segment.forward {
                self.log.arrived.push((self.now, segment));
                // Only the oracle listens.
                self.receiver.tell_window(self.sender.window() as u32);
                self.receiver.on_segment(self.now, &segment);
            } else {
                self.sender.on_segment(self.now, &segment);
            }
        } else if first == of_sender {
            self.sender.on_wake(self.now);
        } else {
            self.receiver.on_wake(self.now);
        }
        self.settle();
    }

    /// A handoff begins or ends.
    fn turn(&mut self) {
        self.now = self.handoffs.pop_front().expect("it is there");
        self.away = !self.away;
        match (self.sender_moves, self.away) {
            (true, true) => self.sender.on_handoff_begins(self.now),
            (true, false) => self.sender.on_handoff_ends(self.now),
            (false, true) => self.receiver.on_handoff_begins(self.now),
            (false, false) => self.receiver.on_handoff_ends(self.now),
        }
        self.settle();
    }

    /// Runs everything before `end`.
    pub(crate) fn run_until(&mut self, end: Instant) {
        while self.next_event() < end {
            self.step();
        }
    }
}

/// The packet number in ns-2's sense: the SYN is 0, the first data segment 1.
pub(crate) fn packet(segment: &Segment, config: &SenderConfig) -> i64 {
    let offset = segment.seq.since(config.iss);
    if segment.flags.syn {
        0
    } else {
        i64::from((offset - 1) / config.mss) + 1
    }
}

/// The packet number that an ACK acknowledges.
pub(crate) fn acked_packet(ack: &Segment, config: &SenderConfig) -> i64 {
    i64::from((ack.ack.since(config.iss) - 1).div_ceil(config.mss))
}
