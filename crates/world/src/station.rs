//! One radio with its MAC: the receiver and the DCF, brought up to date only when somebody asks.
//!
//! Frames that arrive are put into the station's [`Ear`] when their transmission begins; what they
//! do to the receiver and the DCF is worked out later, in order of time, when the node is woken or
//! touched ("settled"). That is exact, since nothing a station does before its next agenda time
//! can be noticed by anyone else. Ties: an end comes before a timer, a timer before a start, and
//! of two starts the one from the lower node.
//!
//! Invariant: the agenda time of a station is never later than its next transmission, its next
//! delivery of a payload, or the next packet that it gives up.

use crate::ear::{Ear, Wake};
use acklab_base::{Duration, Instant};
use acklab_mac::Dcf;
use acklab_mac::dcf::{Act, Heard};
use acklab_radio::receiver::{Fate, Loss, Start};
use acklab_radio::{Arrival, Reach, Receiver, Settle};
use acklab_trace::Digest;
use acklab_wire::{FrameHeader, FrameKind};

/// Why a station stops on its way to being settled: somebody else has a part in what happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// The DCF asks for something.
    Asks,
    /// A frame met another one, and somebody counts it: it stands in `met`.
    Met,
    /// The last bit of something, for a recorder: it stands in `heard`.
    Ended,
}

/// A frame that began while the receiver was locked on another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub(crate) newcomer: Arrival,
    pub(crate) locked: Arrival,
    pub(crate) outcome: Start,
}

/// A radio and its MAC.
#[derive(Debug)]
pub(crate) struct Station {
    pub(crate) receiver: Receiver,
    pub(crate) dcf: Dcf,
    /// When the receiver last became busy.
    busy_since: Instant,
    /// How long it was busy in all.
    pub(crate) receiving: Duration,
    /// The digest of what this radio sent, and received for its node.
    pub(crate) digest: Digest,
    /// The last newcomer that met another frame, if somebody counts it.
    pub(crate) met: Option<Meeting>,
    /// What the receiver heard last, if a recorder listens.
    pub(crate) heard: Option<(Arrival, Fate)>,
    /// The time of the last step.
    at: Instant,
    recording: bool,
}

impl Station {
    pub(crate) fn new(receiver: Receiver, dcf: Dcf, recording: bool) -> Self {
        Self {
            receiver,
            dcf,
            busy_since: Instant::ZERO,
            receiving: Duration::ZERO,
            digest: Digest::default(),
            met: None,
            heard: None,
            at: Instant::ZERO,
            recording,
        }
    }

    /// Works out what happens up to `until`, `until` included, or until somebody else has a part
    /// in it; `None` when all is done.
    pub(crate) fn advance(
        &mut self,
        ear: &mut Ear,
        reach: &Reach,
        until: Instant,
    ) -> Option<(Instant, Halt)> {
        loop {
            if self.dcf.asks() {
                return Some((self.at, Halt::Asks));
            }
            if ear.begins() <= until && !self.recording && self.receiver.is_quiet() {
                self.let_pass(ear, until);
            }
            let end = self.receiver.next_end();
            let wake = self.dcf.next_wake();
            let at = end.min(wake).min(ear.begins());
            if at > until || at == Instant::NEVER {
                return None;
            }
            self.at = at;
            let halt = if end == at {
                self.end(at)
            } else if wake == at {
                self.dcf.on_wake(at);
                None
            } else {
                self.start(ear, reach, until)
            };
            if let Some(halt) = halt {
                return Some((self.at, halt));
            }
        }
    }

    /// Frames for somebody else that come and go, each alone on a quiet medium.
    fn let_pass(&mut self, ear: &mut Ear, until: Instant) {
        while let Some(arrival) = ear.next() {
            let end = arrival.end();
            if end > until || end > ear.then() || arrival.settle != Settle::AnyTime {
                return;
            }
            let heard = match self.receiver.on_whole(arrival) {
                Fate::Decoded { .. } => Heard::Reservation {
                    kind: arrival.kind(),
                    duration: arrival.duration(),
                },
                Fate::Lost(loss) => Heard::Lost {
                    only_sensed: loss == Loss::TooWeak,
                },
                Fate::Unnoticed => Heard::Nothing,
            };
            if !self.dcf.on_passing(arrival.start, end, heard) {
                return;
            }
            self.receiving += arrival.airtime();
            ear.take();
        }
    }

    /// The first bit of a frame; and its last bit, if nothing can come between.
    fn start(&mut self, ear: &mut Ear, reach: &Reach, until: Instant) -> Option<Halt> {
        let arrival = ear.take();
        let at = arrival.start;
        if !self.receiver.is_quiet() {
            return self.meet(&arrival, reach);
        }
        self.busy_since = at;
        self.dcf.on_medium(at, true);
        let end = arrival.end();
        if end > until || end > ear.begins() || self.dcf.next_wake() < end {
            self.receiver.on_start(&arrival, |_| 0.0);
            return None;
        }
        let fate = self.receiver.on_whole(&arrival);
        self.at = end;
        self.ended(&arrival, fate, false)
    }

    /// The first bit of a frame while the medium is busy.
    fn meet(&mut self, arrival: &Arrival, reach: &Reach) -> Option<Halt> {
        let (at, id) = (arrival.start, self.dcf.id());
        let locked = self.receiver.locked().map(|(locked, _)| *locked);
        let power_w = |one: &Arrival| reach.power_w(one.from(), id, one.start);
        let outcome = self.receiver.on_start(arrival, power_w);
        if outcome == Start::Ignored {
            self.dcf.on_captured_frame(at, arrival.airtime());
        }
        self.dcf.on_medium(at, true);
        let locked = locked?;
        if !self.recording && arrival.to() != id && locked.to() != id {
            return None;
        }
        self.met = Some(Meeting {
            newcomer: *arrival,
            locked,
            outcome,
        });
        Some(Halt::Met)
    }

    /// The locked frame, or energy in the air, ends.
    fn end(&mut self, at: Instant) -> Option<Halt> {
        let end = self.receiver.on_end(at);
        let busy = self.receiver.is_busy(at);
        let Some((arrival, fate)) = end else {
            self.medium_after(at, busy);
            return None;
        };
        self.ended(&arrival, fate, busy)
    }

    /// The last bit of a frame: `busy` says whether more is in the air.
    fn ended(&mut self, arrival: &Arrival, fate: Fate, busy: bool) -> Option<Halt> {
        let at = arrival.end();
        match fate {
            Fate::Decoded { .. } => {
                let header = arrival.header();
                self.dcf.on_frame(at, &header);
                if header.to == self.dcf.id() || header.to.is_broadcast() {
                    self.digest
                        .mix(at, 8 + header.kind as u16, fingerprint(&header));
                }
            }
            Fate::Lost(loss) => self.dcf.on_lost_frame(at, loss == Loss::TooWeak),
            Fate::Unnoticed => {}
        }
        self.medium_after(at, busy);
        if !self.recording {
            return None;
        }
        self.heard = Some((*arrival, fate));
        Some(Halt::Ended)
    }

    fn medium_after(&mut self, at: Instant, busy: bool) {
        if !busy {
            self.receiving += at.saturating_since(self.busy_since);
        }
        self.dcf.on_medium(at, busy);
    }

    /// When the next step is due.
    pub(crate) fn next_edge(&self, ear: &Ear) -> Instant {
        self.receiver
            .next_end()
            .min(self.dcf.next_wake())
            .min(ear.begins())
    }

    /// When the station must be settled at the latest, and what a frame does to that time. Frames
    /// that have begun must be settled. `answer_slack` is how late after its end a frame for this
    /// node may be settled.
    pub(crate) fn next_wake(
        &self,
        ear: &Ear,
        slot: Duration,
        answer_slack: Duration,
    ) -> (Instant, Wake) {
        let mut air = Air {
            settle_by: Instant::NEVER,
            busy: (Instant::NEVER, Instant::ZERO),
            answer: Instant::NEVER,
            deadline: Instant::ZERO,
            shortest: self.receiver.may_free_early(),
            answer_slack,
        };
        if !self.receiver.is_quiet() || !ear.waiting().is_empty() {
            self.look_around(ear, &mut air);
        }
        let act = self.dcf.next_act(air.busy, air.answer);
        let at = act.at(slot);
        let wake = match act {
            // What must be known sooner is not put off.
            _ if at >= air.settle_by => Wake::Stays,
            Act::Turn(_) if air.shortest || self.dcf.waits_for_eifs() => Wake::Watch,
            Act::Turn(turn) => Wake::Turn(turn),
            Act::At(_) => Wake::Stays,
        };
        (at.min(air.settle_by), wake)
    }

    /// What the frames around the station say of what it will do.
    fn look_around(&self, ear: &Ear, air: &mut Air) {
        air.deadline = self.dcf.answer_deadline();
        if let Some((arrival, good)) = self.receiver.locked() {
            air.add(&self.dcf, arrival, good);
            // A backoff that still runs although the medium is busy can no longer be stopped.
            air.busy.0 = Instant::NEVER;
        } else if !self.receiver.is_quiet() {
            air.busy.1 = self.receiver.next_end();
        }
        for arrival in ear.waiting() {
            air.add(&self.dcf, arrival, true);
        }
    }
}

/// When an arrival at its receiver must be settled at the latest.
pub(crate) fn settle_by(arrival: &Arrival, answer_slack: Duration) -> Instant {
    match arrival.settle {
        Settle::AnyTime => Instant::NEVER,
        Settle::BeforeAnAnswer => arrival.end() + answer_slack,
        Settle::AtOnce => arrival.end(),
    }
}

/// What is known of the air around a station.
struct Air {
    settle_by: Instant,
    busy: (Instant, Instant),
    /// The end of a frame that may be the awaited answer.
    answer: Instant,
    deadline: Instant,
    /// The medium is only known to be busy until the first of the frames ends.
    shortest: bool,
    answer_slack: Duration,
}

impl Air {
    fn add(&mut self, dcf: &Dcf, arrival: &Arrival, good: bool) {
        let end = arrival.end();
        if good && arrival.settle != Settle::AnyTime {
            let answers = end <= self.deadline;
            if answers {
                self.answer = self.answer.min(end);
            }
            // An ACK makes the station draw and take its next packet, which nobody else notices;
            // without it the packet may be given up, which routing does.
            let can_wait = answers && arrival.kind() == FrameKind::Ack && dcf.may_retry();
            if !can_wait {
                self.settle_by = self.settle_by.min(settle_by(arrival, self.answer_slack));
            }
        }
        let first = self.busy.1 == Instant::ZERO;
        self.busy.0 = self.busy.0.min(arrival.start);
        self.busy.1 = if self.shortest {
            if first { end } else { self.busy.1.min(end) }
        } else {
            let silence = if arrival.to() == dcf.id() {
                Duration::ZERO
            } else {
                dcf.silence_after(arrival.to(), arrival.duration())[usize::from(arrival.decodable)]
            };
            self.busy.1.max(end + silence)
        };
    }
}

/// A value that tells a frame from others of its kind.
pub(crate) fn fingerprint(header: &FrameHeader) -> u64 {
    u64::from(header.to.0) << 32 ^ u64::from(header.bytes) << 12 ^ u64::from(header.sequence)
}
