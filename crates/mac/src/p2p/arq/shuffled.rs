//! The two halves over a channel that reorders frames and link ACKs as well as losing them.
//!
//! The links of this crate are first in, first out; the halves must not need that. Every packet is
//! handed up exactly once, within a bound of its own: by hand, from how often it was lost.

use super::receiver::ArqReceiver;
use super::sender::{ArqSender, Verdict};
use super::{ArqConfig, Order};
use crate::p2p::errors::{ErrorDraws, ErrorModel, ErrorProcess};
use acklab_base::{Address, Duration, FlowId, Instant, NodeId, Purpose, Seq32, Share, Stream};
use acklab_wire::tcp::Flags;
use acklab_wire::{Options, Packet, Segment};
use std::collections::{BTreeMap, VecDeque};

const PACKETS: usize = 300;
const SPACING: Duration = Duration::from_millis(20);
/// A packet of 1000 bytes at 2 Mbit/s.
const SERVICE: Duration = Duration::from_millis(4);
const DELAY: Duration = Duration::from_millis(1);

fn packet(id: u32) -> Packet {
    let segment = Segment {
        flow: FlowId(0),
        forward: true,
        seq: Seq32(id * 960),
        ack: Seq32(0),
        flags: Flags::default(),
        window: 0,
        len: 960,
        retransmission: false,
        options: Options::NONE,
    };
    Packet::tcp(id, NodeId(0), NodeId(1), 30, segment)
}

fn stream(seed: u64, node: u32, purpose: Purpose) -> Stream {
    let (run, node) = (0, NodeId(node));
    Address {
        seed,
        run,
        node,
        purpose,
    }
    .open()
}

enum Event {
    New(Packet),
    Free,
    Frame {
        number: u64,
        identity: u64,
        oldest: u64,
        packet: Packet,
    },
    Ack(u64),
}

/// What was seen of a packet.
#[derive(Clone, Default)]
struct Seen {
    begun: Option<Instant>,
    lost: u64,
    up: Vec<Instant>,
    given_up: bool,
}

struct Play {
    sender: ArqSender,
    receiver: ArqReceiver,
    errors: [ErrorProcess; 2],
    jitter: Duration,
    jitters: Stream,
    events: BTreeMap<(Instant, u64), Event>,
    scheduled: u64,
    busy: Instant,
    fresh: VecDeque<Packet>,
    again: VecDeque<u64>,
    seen: Vec<Seen>,
    longest: usize,
    /// The last link number that came, and how often an earlier one came after it: frames, ACKs.
    last: [u64; 2],
    swapped: [usize; 2],
}

impl Play {
    fn new(arq: ArqConfig, errors: &ErrorModel, jitter: Duration, seed: u64) -> Self {
        let process = |node| {
            let fates = stream(seed, node, Purpose::LinkErrors);
            let bursts = stream(seed, node, Purpose::LinkBursts);
            ErrorProcess::new(errors.clone(), ErrorDraws { fates, bursts })
        };
        let mut play = Self {
            sender: ArqSender::new(arq),
            receiver: ArqReceiver::new(arq.order),
            errors: [process(0), process(1)],
            jitter,
            jitters: stream(seed, 2, Purpose::Placement),
            events: BTreeMap::new(),
            scheduled: 0,
            busy: Instant::ZERO,
            fresh: VecDeque::new(),
            again: VecDeque::new(),
            seen: vec![Seen::default(); PACKETS],
            longest: 0,
            last: [0; 2],
            swapped: [0; 2],
        };
        for id in 0..PACKETS {
            let at = Instant::ZERO + Duration::from_nanos(SPACING.as_nanos() * id as u64);
            let at = at + play.jitters.interval_below(SPACING);
            play.schedule(at, Event::New(packet(id as u32)));
        }
        play
    }

    fn schedule(&mut self, at: Instant, event: Event) {
        self.scheduled += 1;
        self.events.insert((at, self.scheduled), event);
    }

    /// Runs until nothing is left to do.
    fn run(mut self) -> Self {
        loop {
            let next = self
                .events
                .first_key_value()
                .map_or(Instant::NEVER, |(&(at, _), _)| at);
            let wake = self.sender.next_wake();
            assert_eq!(wake, self.sender.first_of_all_timers());
            let now = next.min(wake);
            if now == Instant::NEVER {
                return self;
            }
            assert!(self.scheduled < 100_000, "it never ends");
            if next <= now {
                let (_, event) = self.events.pop_first().expect("there is one");
                self.step(now, event);
            } else {
                self.sender.on_wake(now);
            }
            self.serve(now);
        }
    }

    fn step(&mut self, now: Instant, event: Event) {
        match event {
            Event::New(packet) => self.fresh.push_back(packet),
            Event::Free => {}
            Event::Frame {
                number,
                identity,
                oldest,
                packet,
            } => {
                self.came(0, number);
                self.receiver.on_frame(now, identity, oldest, packet);
                while let Some(packet) = self.receiver.up.pop_front() {
                    self.seen[packet.id as usize].up.push(now);
                }
                if !self.errors[1].destroys(now, 14, true) {
                    let trip = DELAY + self.jitters.interval_below(self.jitter);
                    self.schedule(now + trip, Event::Ack(number));
                }
            }
            Event::Ack(number) => {
                self.came(1, number);
                self.sender.on_ack(now, number);
            }
        }
    }

    fn came(&mut self, way: usize, number: u64) {
        self.swapped[way] += usize::from(number < self.last[way]);
        self.last[way] = number;
    }

    /// The sender's verdicts are carried out, and a free transmitter takes the next frame.
    fn serve(&mut self, now: Instant) {
        while let Some(verdict) = self.sender.verdicts.pop_front() {
            match verdict {
                Verdict::Repeat { identity, .. } => self.again.push_back(identity),
                Verdict::GivenUp(packet) => self.seen[packet.id as usize].given_up = true,
                Verdict::Recovered(_) => {}
            }
        }
        self.longest = self.longest.max(self.again.len());
        while now >= self.busy {
            let identity = match self.again.pop_front() {
                Some(identity) => identity,
                None => match self.fresh.pop_front() {
                    Some(packet) => self.sender.admit(packet),
                    None => return,
                },
            };
            let Some(packet) = self.sender.packet(identity).cloned() else {
                continue;
            };
            self.transmit(now, identity, packet);
        }
    }

    fn transmit(&mut self, now: Instant, identity: u64, packet: Packet) {
        self.busy = now + SERVICE;
        self.schedule(self.busy, Event::Free);
        let number = self.sender.sent(identity, self.busy);
        let oldest = self.sender.oldest();
        let seen = &mut self.seen[packet.id as usize];
        seen.begun.get_or_insert(now);
        if self.errors[0].destroys(now, 1000, false) {
            seen.lost += u64::from(seen.up.is_empty());
        } else {
            let trip = DELAY + self.jitters.interval_below(self.jitter);
            let frame = Event::Frame {
                number,
                identity,
                oldest,
                packet,
            };
            self.schedule(self.busy + trip, frame);
        }
    }

    /// When a packet must be here, by hand: each of its losses costs a timer at the most, and a
    /// turn in the retransmission queue.
    fn bound(&self, seen: &Seen) -> Instant {
        let nanos = Duration::as_nanos;
        let trip = nanos(DELAY) + nanos(self.jitter);
        // Mean and four deviations of samples that none exceeds two trips.
        let timer = nanos(Duration::from_millis(100)).max(5 * 2 * trip);
        let turn = nanos(SERVICE) * (self.longest as u64 + 1);
        let after = (seen.lost + 1) * nanos(SERVICE) + seen.lost * (timer + turn) + trip;
        seen.begun.expect("it was sent") + Duration::from_nanos(after)
    }
}

fn models() -> Vec<ErrorModel> {
    let uniform = |percent| ErrorModel::Uniform {
        loss: Share::from_percent(percent),
    };
    let bursts = ErrorModel::GilbertElliott {
        good: Duration::from_millis(200),
        bad: Duration::from_millis(100),
        loss_good: Share::from_percent(1),
        loss_bad: Share::from_percent(80),
    };
    [0, 10, 30, 50]
        .map(uniform)
        .into_iter()
        .chain([bursts])
        .collect()
}

#[test]
fn reordered_frames_and_acks_hand_each_packet_up_once_within_its_bound() {
    for (case, errors) in models().iter().enumerate() {
        for order in [Order::Arrival, Order::Sequence] {
            for jitter in [0, 6, 30].map(Duration::from_millis) {
                for seed in 0..3 {
                    let arq = ArqConfig {
                        order,
                        ..ArqConfig::vaidya1999()
                    };
                    let play = Play::new(arq, errors, jitter, seed + 10 * case as u64).run();
                    let place = format!("{errors:?} {order:?} {jitter:?} seed {seed}");
                    let mut bound = Instant::ZERO;
                    for (id, seen) in play.seen.iter().enumerate() {
                        assert_eq!(seen.up.len(), 1, "{place}: packet {id}");
                        let own = play.bound(seen);
                        // In sequence it waits for those before it.
                        bound = if order == Order::Sequence {
                            bound.max(own)
                        } else {
                            own
                        };
                        assert!(
                            seen.up[0] <= bound,
                            "{place}: packet {id} at {:?}",
                            seen.up[0]
                        );
                    }
                    let ups = play.seen.iter().map(|seen| seen.up[0]);
                    assert!(order == Order::Arrival || ups.is_sorted(), "{place}: order");
                    // Twenty or more frames of each kind change places; without jitter none.
                    let least = play.swapped[0].min(play.swapped[1]);
                    assert!(
                        jitter < SPACING || least >= 20,
                        "{place}: {:?}",
                        play.swapped
                    );
                    assert!(jitter > Duration::ZERO || play.swapped == [0, 0], "{place}");
                }
            }
        }
    }
}

#[test]
fn with_a_retry_limit_a_reordered_packet_is_handed_up_or_given_up_and_never_twice() {
    for errors in &models()[1..] {
        for seed in 0..3 {
            let arq = ArqConfig {
                tries: Some(2),
                ..ArqConfig::vaidya1999()
            };
            let play = Play::new(arq, errors, Duration::from_millis(30), seed).run();
            for (id, seen) in play.seen.iter().enumerate() {
                let place = format!("{errors:?} seed {seed} packet {id}");
                assert!(seen.up.len() <= 1, "{place}: twice");
                assert!(seen.given_up || !seen.up.is_empty(), "{place}: vanished");
            }
            assert!(
                play.seen.iter().any(|seen| seen.given_up),
                "{errors:?} seed {seed}"
            );
        }
    }
}
