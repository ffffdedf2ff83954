//! One end of a link: its queues, its transmitter, and its halves of the retransmission scheme.
//!
//! The transmitter is worked out late: a frame begins when the one before it ends, whenever
//! somebody looks. That is exact, since what begins at an instant depends only on what was queued
//! by then, and everything that is queued comes through [`End::serve`] first.
//!
//! Invariant: behind [`End::serve`] either nothing waits or the transmitter is busy.

use super::arq::ArqConfig;
use super::arq::receiver::ArqReceiver;
use super::arq::sender::ArqSender;
use super::channel::Channel;
use acklab_base::Instant;
use acklab_wire::Packet;
use std::collections::VecDeque;

/// The rank of retransmissions that go before new packets.
const URGENT: u8 = 1;
/// The rank of a new packet, and of what has no priority.
const LAST: u8 = 2;

/// What a frame carries.
#[derive(Clone, Debug)]
pub(super) enum Load {
    /// A packet, without retransmission scheme.
    Plain(Packet),
    /// A packet with link number, identity, and the oldest identity that may still come.
    Numbered {
        number: u64,
        identity: u64,
        oldest: u64,
        packet: Packet,
        again: bool,
    },
    /// A link ACK of that number.
    Ack(u64),
}

/// A frame between two ends.
#[derive(Clone, Debug)]
pub(super) struct Flying {
    pub(super) began: Instant,
    pub(super) arrives: Instant,
    pub(super) bytes: u32,
    pub(super) destroyed: bool,
    pub(super) load: Load,
}

/// Something that waits for the transmitter, with its place in the order of arrival.
#[derive(Clone, Debug)]
struct Waiting<T> {
    ticket: u64,
    what: T,
}

/// What a transmitter is at; ends that share one hold the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Transmitter {
    /// When it has sent what it has begun.
    pub(super) free_at: Instant,
    /// Places in the order of arrival that were given out.
    tickets: u64,
}

impl Transmitter {
    /// One that has sent nothing.
    pub(super) const IDLE: Self = Self {
        free_at: Instant::ZERO,
        tickets: 0,
    };
}

/// Where the next frame comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum From {
    Acks,
    Repeats,
    New,
}

#[derive(Clone, Debug)]
pub(super) struct Arq {
    pub(super) config: ArqConfig,
    pub(super) sender: ArqSender,
    pub(super) receiver: ArqReceiver,
}

/// One end of a link.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) channel: Channel,
    capacity: usize,
    /// When the transmitter has sent what it has begun.
    free_at: Instant,
    tickets: u64,
    new: VecDeque<Waiting<Packet>>,
    repeats: VecDeque<Waiting<u64>>,
    acks: VecDeque<Waiting<u64>>,
    pub(super) arq: Option<Arq>,
    /// Frames that have begun and not arrived, in order.
    pub(super) flying: VecDeque<Flying>,
}

impl End {
    pub(super) fn new(channel: Channel, capacity: usize, arq: Option<ArqConfig>) -> Self {
        Self {
            channel,
            capacity,
            free_at: Instant::ZERO,
            tickets: 0,
            new: VecDeque::with_capacity(capacity.min(64)),
            repeats: VecDeque::with_capacity(8),
            acks: VecDeque::with_capacity(8),
            arq: arq.map(|config| Arq {
                config,
                sender: ArqSender::new(config),
                receiver: ArqReceiver::new(config.order),
            }),
            flying: VecDeque::with_capacity(64),
        }
    }

    /// Queues a packet, or gives it back if the queue is full.
    pub(super) fn queue(&mut self, now: Instant, packet: Packet) -> Option<Packet> {
        self.serve(now);
        let shared = self.arq.as_ref().is_some_and(|arq| arq.config.shared_queue);
        let acks = if shared { self.acks.len() } else { 0 };
        if self.free_at > now && self.new.len() + acks >= self.capacity {
            return Some(packet);
        }
        let ticket = self.ticket();
        self.new.push_back(Waiting {
            ticket,
            what: packet,
        });
        self.start_if_idle(now);
        None
    }

    /// Empties the queue of packets.
    pub(super) fn take_waiting(&mut self) -> Vec<Packet> {
        self.new.drain(..).map(|waiting| waiting.what).collect()
    }

    /// Queues a link ACK; whether there was room.
    pub(super) fn queue_ack(&mut self, now: Instant, number: u64) -> bool {
        self.serve(now);
        let Some(arq) = &self.arq else { return false };
        let (used, limit) = if arq.config.shared_queue {
            (self.acks.len() + self.new.len(), self.capacity)
        } else {
            (self.acks.len(), arq.config.ack_queue)
        };
        if self.free_at > now && used >= limit {
            return false;
        }
        let ticket = self.ticket();
        self.acks.push_back(Waiting {
            ticket,
            what: number,
        });
        self.start_if_idle(now);
        true
    }

    /// Queues a retransmission; their queue has no limit.
    pub(super) fn queue_repeat(&mut self, now: Instant, identity: u64) {
        self.serve(now);
        let ticket = self.ticket();
        self.repeats.push_back(Waiting {
            ticket,
            what: identity,
        });
        self.start_if_idle(now);
    }

    /// Begins every frame that begins by `now`.
    pub(super) fn serve(&mut self, now: Instant) {
        while self.free_at <= now {
            let urgent = self.has_urgent_repeat();
            let Some(load) = self.next_load(urgent) else {
                return;
            };
            self.begin(load);
        }
    }

    /// When the transmitter takes the next waiting frame.
    pub(super) fn next_start(&self) -> Instant {
        if self.new.is_empty() && self.acks.is_empty() && self.repeats.is_empty() {
            Instant::NEVER
        } else {
            self.free_at
        }
    }

    /// Before this, no timer runs out that is not known yet: one of a frame that waits.
    pub(super) fn next_wake(&self) -> Instant {
        let Some(arq) = &self.arq else {
            return Instant::NEVER;
        };
        let start = self.next_start();
        let unknown = if start == Instant::NEVER {
            start
        } else {
            start + arq.config.min_timer
        };
        arq.sender.next_wake().min(unknown)
    }

    /// What the transmitter is at.
    pub(super) const fn transmitter(&self) -> Transmitter {
        Transmitter {
            free_at: self.free_at,
            tickets: self.tickets,
        }
    }

    /// Another end of the same medium was at work.
    pub(super) const fn set_transmitter(&mut self, transmitter: Transmitter) {
        self.free_at = transmitter.free_at;
        self.tickets = transmitter.tickets;
    }

    /// Whether a retransmission waits that goes before new packets.
    pub(super) fn has_urgent_repeat(&mut self) -> bool {
        self.forget_settled();
        let config = self.arq.as_ref().map(|arq| arq.config);
        config.is_some_and(|config| config.retransmissions_first) && !self.repeats.is_empty()
    }

    /// Rank and place in the order of arrival of what would go next: the least of a medium goes. `urgent`
    /// says whether any end of the medium has an urgent retransmission.
    pub(super) fn bid(&mut self, urgent: bool) -> Option<(u8, u64)> {
        self.forget_settled();
        if self.arq.is_none() {
            return self.new.front().map(|waiting| (LAST, waiting.ticket));
        }
        self.first(urgent).map(|(rank, ticket, _)| (rank, ticket))
    }

    /// A late ACK may have settled the matter of retransmissions that wait.
    fn forget_settled(&mut self) {
        let Some(arq) = &self.arq else { return };
        while let Some(repeat) = self.repeats.front()
            && arq.sender.packet(repeat.what).is_none()
        {
            self.repeats.pop_front();
        }
    }

    /// The transmitter takes the next frame of this end.
    pub(super) fn begin_next(&mut self, urgent: bool) {
        if let Some(load) = self.next_load(urgent) {
            self.begin(load);
        }
    }

    fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    fn start_if_idle(&mut self, now: Instant) {
        if self.free_at <= now {
            self.free_at = now;
            self.serve(now);
        }
    }

    fn next_load(&mut self, urgent: bool) -> Option<Load> {
        if self.arq.is_none() {
            return self
                .new
                .pop_front()
                .map(|waiting| Load::Plain(waiting.what));
        }
        self.forget_settled();
        match self.first(urgent)?.2 {
            From::Acks => {
                let ack = self.acks.pop_front()?;
                Some(Load::Ack(ack.what))
            }
            From::New => {
                let packet = self.new.pop_front()?.what;
                let sender = &mut self.arq.as_mut()?.sender;
                let identity = sender.admit(packet);
                self.numbered(identity, false)
            }
            From::Repeats => {
                let identity = self.repeats.pop_front()?.what;
                self.numbered(identity, true)
            }
        }
    }

    /// Which queue goes first, with rank and place: by rank, then by arrival. A link ACK without priority
    /// waits for what came before it, and for nothing else: urgent retransmissions overtake packets, not
    /// the ACK, or two ends that repeat would never hear of each other.
    fn first(&self, urgent: bool) -> Option<(u8, u64, From)> {
        let config = self.arq.as_ref()?.config;
        let ack_rank = match config.acks_first {
            true => 0,
            false if urgent => URGENT,
            false => LAST,
        };
        let repeat_rank = if config.retransmissions_first {
            URGENT
        } else {
            LAST
        };
        let acks = self.acks.front().map(|w| (ack_rank, w.ticket, From::Acks));
        let repeats = self
            .repeats
            .front()
            .map(|w| (repeat_rank, w.ticket, From::Repeats));
        let new = self.new.front().map(|w| (LAST, w.ticket, From::New));
        let all = [acks, repeats, new].into_iter().flatten();
        all.min_by_key(|&(rank, ticket, _)| (rank, ticket))
    }

    /// The frame of a held packet; its number comes with [`End::begin`].
    fn numbered(&self, identity: u64, again: bool) -> Option<Load> {
        let sender = &self.arq.as_ref()?.sender;
        let packet = sender.packet(identity)?.clone();
        Some(Load::Numbered {
            number: 0,
            identity,
            oldest: sender.oldest(),
            packet,
            again,
        })
    }

    fn begin(&mut self, mut load: Load) {
        let bytes = match (&load, &self.arq) {
            (Load::Plain(packet) | Load::Numbered { packet, .. }, _) => packet.bytes,
            (Load::Ack(_), Some(arq)) => arq.config.ack_bytes,
            (Load::Ack(_), None) => 0,
        };
        let began = self.free_at;
        let is_ack = matches!(load, Load::Ack(_));
        let passage = self.channel.begin(began, bytes, is_ack);
        let end = passage.ended;
        self.free_at = end;
        match &mut load {
            Load::Plain(_) => self.channel.counters.frames_sent += 1,
            Load::Numbered {
                number,
                identity,
                again,
                ..
            } => {
                self.channel.counters.frames_sent += 1;
                self.channel.counters.retransmissions += u64::from(*again);
                if let Some(arq) = &mut self.arq {
                    *number = arq.sender.sent(*identity, end);
                }
            }
            Load::Ack(_) => self.channel.counters.acks_sent += 1,
        }
        self.flying.push_back(Flying {
            began,
            arrives: passage.arrives,
            bytes,
            destroyed: passage.destroyed,
            load,
        });
    }
}
