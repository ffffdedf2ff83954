//! The receiving half of a one-way TCP connection: reassembly and acknowledgement
//! (RFC 9293 §3.10.7.4, RFC 5681 §4.2).
//!
//! It delivers at once whatever is in order, so its window stays open; it sends nothing but ACKs.
//! How long an in-order segment may wait is the policy's decision ([`crate::ack`]); a segment
//! that is out of order, known already or behind a gap is acknowledged at once, and any ACK
//! clears the wait. The invariant: an ACK never covers a byte that did not arrive.

mod reassembly;

use crate::ack::{AckConfig, AckReason, Arrival, Decision, DelayTimer, Policy};
use acklab_base::{FlowId, Instant, Seq32};
use acklab_wire::{Flags, Segment};
use reassembly::{Placement, Reassembly};
use std::collections::VecDeque;

/// What a receiver hands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReceiverOutput {
    /// To be sent to the sender, and why.
    Ack(Segment, AckReason),
    /// Data that the application reads now.
    Delivered {
        /// Bytes of data.
        bytes: u32,
        /// Packets that they complete.
        segments: u32,
    },
}

/// What happens to a repetition of the newest segment while nothing waits and nothing is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewestRepeated {
    /// An ACK at once, as for every known segment (RFC 5681 §4.2).
    AtOnce,
    /// It waits like an in-order segment (ns-2, which looks at the number only).
    Waits,
}

/// Parameters of a [`Receiver`].
#[derive(Clone, Debug)]
pub struct ReceiverConfig {
    /// The connection.
    pub flow: FlowId,
    /// The acknowledgement policy.
    pub ack: AckConfig,
    /// Bytes that may lie between the first missing byte and the end of the last one kept; also
    /// the window that the ACKs advertise. Must not be zero.
    pub window: u32,
    /// Bytes of data in a full segment, to number packets with. Must not be zero.
    pub mss: u32,
    /// Wait for a SYN, and learn the sender's initial sequence number from it.
    pub handshake: bool,
    /// The receiver's initial sequence number.
    pub iss: Seq32,
    /// The sender's, where there is no handshake to tell it.
    pub peer_iss: Seq32,
    /// What a repetition of the newest segment does.
    pub newest_repeated: NewestRepeated,
    /// The SYN is acknowledged at once; otherwise the policy decides (ns-2 before 2010).
    pub syn_at_once: bool,
}

impl ReceiverConfig {
    /// ns-2.35's sink, with a window that is never in the way.
    #[must_use]
    pub fn ns2(flow: FlowId, ack: AckConfig) -> Self {
        Self {
            flow,
            ack,
            window: 1 << 30,
            mss: 1000,
            handshake: true,
            iss: Seq32(0),
            peer_iss: Seq32(0),
            newest_repeated: NewestRepeated::Waits,
            syn_at_once: true,
        }
    }

    /// RFC 9293 and 5681, with a window of `window` bytes.
    #[must_use]
    pub fn standard(flow: FlowId, ack: AckConfig, window: u32) -> Self {
        Self {
            window,
            newest_repeated: NewestRepeated::AtOnce,
            ..Self::ns2(flow, ack)
        }
    }

    /// The same with another segment size.
    #[must_use]
    pub fn with_mss(mut self, mss: u32) -> Self {
        self.mss = mss;
        self
    }
}

/// What is known of the sender. Its SYN is offset 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Peer {
    /// No SYN yet.
    Unknown,
    /// Its SYN is here, and not answered.
    Heard { iss: Seq32 },
    /// Its SYN is answered.
    Answered { iss: Seq32 },
}

impl Peer {
    fn iss(self) -> Option<Seq32> {
        match self {
            Self::Unknown => None,
            Self::Heard { iss } | Self::Answered { iss } => Some(iss),
        }
    }
}

/// What the receiver holds back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pending {
    /// Nothing.
    Nothing,
    /// An ACK for some segments, until the deadline.
    Waiting {
        segments: u32,
        bytes: u64,
        deadline: Instant,
    },
}

/// A TCP receiver.
#[derive(Clone, Debug)]
pub struct Receiver {
    flow: FlowId,
    window: u32,
    mss: u32,
    iss: Seq32,
    newest_repeated: NewestRepeated,
    syn_at_once: bool,
    peer: Peer,
    policy: Policy,
    stream: Reassembly,
    pending: Pending,
    outputs: VecDeque<ReceiverOutput>,
}

impl Receiver {
    /// A receiver that listens. Panics if the segment size or the window is zero.
    #[must_use]
    pub fn new(config: ReceiverConfig) -> Self {
        assert!(config.mss > 0, "a segment holds at least one byte");
        assert!(config.window > 0, "the window holds at least one byte");
        Self {
            flow: config.flow,
            window: config.window,
            mss: config.mss,
            iss: config.iss,
            newest_repeated: config.newest_repeated,
            syn_at_once: config.syn_at_once,
            peer: if config.handshake {
                Peer::Unknown
            } else {
                Peer::Answered {
                    iss: config.peer_iss,
                }
            },
            policy: Policy::new(config.ack),
            stream: Reassembly::new(1),
            pending: Pending::Nothing,
            outputs: VecDeque::new(),
        }
    }

    /// A segment arrived.
    pub fn on_segment(&mut self, now: Instant, segment: &Segment) {
        if segment.flow != self.flow || !segment.forward {
            return;
        }
        if segment.flags.syn {
            self.on_syn(now, segment);
        } else if segment.len > 0
            && let Some(start) = self.offset_of(segment.seq)
        {
            self.on_data(now, start, segment.len);
        }
    }

    /// Time has come to look at the timer. Does nothing before [`Receiver::next_wake`].
    pub fn on_wake(&mut self, now: Instant) {
        if let Pending::Waiting { deadline, .. } = self.pending
            && now >= deadline
        {
            self.acknowledge(now, AckReason::Timer);
        }
    }

    /// The next thing to hand out.
    pub fn poll(&mut self) -> Option<ReceiverOutput> {
        self.outputs.pop_front()
    }

    /// When the receiver wants [`Receiver::on_wake`].
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        match self.pending {
            Pending::Nothing => Instant::NEVER,
            Pending::Waiting { deadline, .. } => deadline,
        }
    }

    /// Bytes of data delivered to the application.
    #[must_use]
    pub fn delivered_bytes(&self) -> u64 {
        self.stream.next() - 1
    }

    /// Whether data waits behind a gap.
    #[must_use]
    pub fn has_gap(&self) -> bool {
        self.stream.has_gap()
    }

    /// The offset of a sequence number: the door between the circle and 64 bits. `None` before
    /// the SYN, and for what lies before the stream.
    fn offset_of(&self, seq: Seq32) -> Option<u64> {
        let next = self.stream.next();
        let next_seq = self.peer.iss()?.add(next as u32);
        if next_seq.at_or_before(seq) {
            Some(next + u64::from(seq.since(next_seq)))
        } else {
            next.checked_sub(u64::from(next_seq.since(seq)))
        }
    }

    fn on_syn(&mut self, now: Instant, segment: &Segment) {
        if self.peer.iss().is_some_and(|known| known != segment.seq) {
            return;
        }
        self.peer = Peer::Heard { iss: segment.seq };
        if self.syn_at_once || self.stream.next() > 1 {
            self.acknowledge(now, AckReason::Syn);
        } else {
            self.wait_or_acknowledge(now, 0, 0);
        }
    }

    fn on_data(&mut self, now: Instant, start: u64, len: u32) {
        let before = self.stream.next();
        let placement = self
            .stream
            .insert(start, start + u64::from(len), u64::from(self.window));
        let after = self.stream.next();
        if after > before {
            let segments = self.number(after) - self.number(before);
            self.outputs.push_back(ReceiverOutput::Delivered {
                bytes: (after - before) as u32,
                segments: segments as u32,
            });
        }
        match placement {
            Placement::InOrder => self.wait_or_acknowledge(now, self.number(after), len),
            Placement::Known if self.may_wait(start, len) => {
                self.wait_or_acknowledge(now, self.number(after), len);
            }
            Placement::Known => self.acknowledge(now, AckReason::Duplicate),
            Placement::FillsGap => self.acknowledge(now, AckReason::GapFilled),
            Placement::BeyondGap | Placement::Refused => {
                self.acknowledge(now, AckReason::OutOfOrder);
            }
        }
    }

    /// ns-2 takes a repetition of the newest segment for an in-order one.
    fn may_wait(&self, start: u64, len: u32) -> bool {
        self.newest_repeated == NewestRepeated::Waits
            && start + u64::from(len) == self.stream.next()
            && !self.stream.has_gap()
    }

    /// Packets up to offset `end`, the SYN not counted: the number of the packet that ends there.
    fn number(&self, end: u64) -> u64 {
        (end - 1).div_ceil(u64::from(self.mss))
    }

    /// An in-order segment: the policy decides.
    fn wait_or_acknowledge(&mut self, now: Instant, number: u64, len: u32) {
        let (segments, bytes, running) = match self.pending {
            Pending::Nothing => (1, u64::from(len), None),
            Pending::Waiting {
                segments,
                bytes,
                deadline,
            } => (segments + 1, bytes + u64::from(len), Some(deadline)),
        };
        let arrival = Arrival {
            now,
            number,
            len,
            mss: self.mss,
            waiting: segments,
            waiting_bytes: bytes,
        };
        match self.policy.on_arrival(&arrival) {
            Decision::Now(reason) => self.acknowledge(now, reason),
            Decision::Wait { interval, timer } => {
                let fresh = now + interval;
                let deadline = match (timer, running) {
                    (DelayTimer::FirstWaiting, Some(running)) => running,
                    _ => fresh,
                };
                self.pending = Pending::Waiting {
                    segments,
                    bytes,
                    deadline,
                };
            }
        }
    }

    /// Sends an ACK for everything in order; nothing waits any more.
    fn acknowledge(&mut self, now: Instant, reason: AckReason) {
        self.pending = Pending::Nothing;
        let Some(peer_iss) = self.peer.iss() else {
            return;
        };
        let syn = matches!(self.peer, Peer::Heard { .. });
        self.peer = Peer::Answered { iss: peer_iss };
        let ack = Segment {
            flow: self.flow,
            forward: false,
            seq: if syn { self.iss } else { self.iss.add(1) },
            ack: peer_iss.add(self.stream.next() as u32),
            flags: Flags {
                syn,
                ack: true,
                fin: false,
            },
            window: self.window,
            len: 0,
            retransmission: false,
        };
        self.outputs.push_back(ReceiverOutput::Ack(ack, reason));
        self.policy.on_ack_sent(now, reason);
    }
}
