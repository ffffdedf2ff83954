//! The receiving half of a one-way TCP connection: reassembly and acknowledgement
//! (RFC 9293 §3.10.7.4, RFC 5681 §4.2).
//!
//! It delivers at once whatever is in order, so its window stays open; it sends nothing but ACKs.
//! How long an in-order segment may wait is the policy's decision ([`crate::ack`]); a segment
//! that is out of order, known already or fills a gap is acknowledged at once (unless that ACK waits by
//! [`crate::AckConfig::DelayedDupacks`] or a policy of one's own), and any ACK clears the wait. At a mobile
//! node it may pace its ACKs or close its window around a handoff ([`crate::handoff`]). The
//! invariant: an ACK never covers a byte that did not arrive.

mod config;
mod handoff;
mod held;
mod reassembly;
mod sack;

use crate::ack::{
    AckReason, Arrival, Decision, DelayTimer, Disorder, DupackHold, KeptBack, Policy,
};
use crate::handoff::{AckPacer, Handoff};
use acklab_base::{FlowId, Instant, Seq32};
use acklab_wire::{Flags, Segment};
pub use config::{NewestRepeated, ReceiverConfig, ReceiverNote, ReceiverOutput};
use reassembly::{Placement, Reassembly};
use sack::Selective;
pub use sack::{SackLength, SackReceiver};
use std::collections::VecDeque;

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

    /// An offset as a sequence number.
    fn seq(self, offset: u64) -> Seq32 {
        self.iss().unwrap_or(Seq32(0)).add(offset as u32)
    }
}

/// What the receiver holds back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pending {
    /// Nothing.
    Nothing,
    /// An ACK for some segments, the first of which came at `since`, until the deadline.
    Waiting {
        segments: u32,
        bytes: u64,
        since: Instant,
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
    /// Held duplicate ACKs, if any are held. Boxed like the next three: a large network has thousands of receivers, and
    /// most of them have none of the four.
    hold: Option<Box<DupackHold>>,
    /// ACKs that a policy of one's own holds, once it does.
    kept_back: Option<Box<KeptBack>>,
    /// Selective acknowledgements, if it sends any.
    sack: Option<Box<Selective>>,
    /// ACK Pacing, if it paces.
    pacer: Option<Box<AckPacer>>,
    handoff: Handoff,
    /// The window is closed because of a handoff.
    frozen: bool,
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
            hold: config.ack.hold().map(Box::new),
            kept_back: None,
            sack: config.sack.map(Selective::new).map(Box::new),
            pacer: config.handoff.pacer().map(Box::new),
            handoff: config.handoff,
            frozen: false,
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

    /// Whether its policy goes by the sender's window, which no receiver knows.
    #[must_use]
    pub const fn knows_window(&self) -> bool {
        self.policy.knows_window()
    }

    /// For the idealised policy that knows it: the sender's window is now so many whole packets.
    /// Every other policy takes no notice.
    pub fn tell_window(&mut self, window: u32) {
        self.policy.tell_window(window);
    }

    /// Time has come to look at the timers. Does nothing before [`Receiver::next_wake`].
    pub fn on_wake(&mut self, now: Instant) {
        if let Pending::Waiting { deadline, .. } = self.pending
            && now >= deadline
        {
            self.acknowledge(now, AckReason::Timer);
        }
        self.let_held_acks_go(now);
        self.let_paced_acks_go(now);
    }

    /// The next thing to hand out.
    pub fn poll(&mut self) -> Option<ReceiverOutput> {
        self.outputs.pop_front()
    }

    /// The room for ACKs on their way out, in bytes.
    #[must_use]
    pub fn room(&self) -> usize {
        self.outputs.capacity() * size_of::<ReceiverOutput>()
    }

    /// When the receiver wants [`Receiver::on_wake`].
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        let pending = match self.pending {
            Pending::Nothing => Instant::NEVER,
            Pending::Waiting { deadline, .. } => deadline,
        };
        let pacer = self.pacer.as_deref().map(AckPacer::deadline);
        let held = self.next_held();
        pending.min(held).min(pacer.unwrap_or(Instant::NEVER))
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

    /// Whether a segment's data is all here already.
    #[must_use]
    pub fn knows(&self, segment: &Segment) -> bool {
        segment.len > 0
            && self.peer.iss().is_some()
            && self.offset_of(segment.seq).is_none_or(|start| {
                let end = start + u64::from(segment.len);
                self.stream.knows(start, end)
            })
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
        self.note_for_sack(start, start + u64::from(len), placement == Placement::Known);
        if after > before {
            let segments = self.count(before, after);
            self.outputs.push_back(ReceiverOutput::Delivered {
                bytes: (after - before) as u32,
                segments: segments as u32,
            });
            self.discard_held();
        } else if start > after && self.is_held(now) {
            return;
        }
        match placement {
            // RFC 9293 §3.8.6.1: a probe of a closed window is answered at once, also a second one.
            Placement::InOrder | Placement::Known if self.frozen => {
                self.acknowledge(now, AckReason::Window);
            }
            Placement::InOrder => self.wait_or_acknowledge(now, self.number(after), len),
            Placement::Known if self.may_wait(start, len) => {
                self.wait_or_acknowledge(now, self.number(after), len);
            }
            Placement::Known => self.on_disorder(now, start, len, Disorder::Known),
            Placement::FillsGap => self.on_disorder(now, start, len, Disorder::FillsGap),
            Placement::BeyondGap | Placement::Refused => {
                self.on_disorder(now, start, len, Disorder::BeyondGap);
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

    /// The packets that the data from offset `before` to `after` completes.
    fn count(&self, before: u64, after: u64) -> u64 {
        // Nearly always one, which needs no division.
        if after - before == u64::from(self.mss) {
            1
        } else {
            self.number(after) - self.number(before)
        }
    }

    /// An in-order segment: the policy decides.
    fn wait_or_acknowledge(&mut self, now: Instant, number: u64, len: u32) {
        let arrival = self.arrival(now, (number, number + 1), len, true);
        let decision = self.policy.on_arrival(&arrival);
        self.carry_out(decision, &arrival);
    }

    /// A segment as the policy sees it, with the number that is expected next; it is one of those that wait if `waits`.
    fn arrival(
        &self,
        now: Instant,
        (number, expected): (u64, u64),
        len: u32,
        waits: bool,
    ) -> Arrival {
        let (segments, all) = match self.pending {
            Pending::Nothing => (0, 0),
            Pending::Waiting {
                segments, bytes, ..
            } => (segments, bytes),
        };
        Arrival {
            now,
            number,
            expected,
            len,
            mss: self.mss,
            waiting: segments + u32::from(waits),
            waiting_bytes: all + if waits { u64::from(len) } else { 0 },
        }
    }

    /// Does with a segment that may wait what the policy decided.
    fn carry_out(&mut self, decision: Decision, arrival: &Arrival) {
        let now = arrival.now;
        match decision {
            Decision::Now(reason) => self.acknowledge(now, reason),
            Decision::Wait { interval, timer } => {
                let since = match self.pending {
                    Pending::Nothing => now,
                    Pending::Waiting { since, .. } => since,
                };
                // The last answer holds: a policy may think better of what it allowed before.
                let start = match timer {
                    DelayTimer::FirstWaiting => since,
                    DelayTimer::EveryWaiting => now,
                };
                let deadline = start + interval;
                if deadline < now {
                    self.acknowledge(now, AckReason::Timer);
                    return;
                }
                self.pending = Pending::Waiting {
                    segments: arrival.waiting,
                    bytes: arrival.waiting_bytes,
                    since,
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
        let options = self.options(syn);
        let ack = Segment {
            flow: self.flow,
            forward: false,
            seq: if syn { self.iss } else { self.iss.add(1) },
            ack: self.peer.seq(self.stream.next()),
            flags: Flags {
                syn,
                ack: true,
                fin: false,
            },
            window: if self.frozen { 0 } else { self.window },
            len: 0,
            retransmission: false,
            options,
        };
        self.say(now, ack, reason);
    }
}
