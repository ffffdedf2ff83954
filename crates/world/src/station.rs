//! One radio with its MAC: the receiver and the DCF, brought up to date only when somebody asks.
//!
//! Frames that arrive are put into `pending` when their transmission begins; what they do to the
//! receiver and the DCF is worked out later, in order of time, when the node is woken or touched
//! ("settled"). That is exact, since nothing a station does before its next agenda time can be
//! noticed by anyone else. Ties: an end comes before a timer, a timer before a start, and of two
//! starts the one from the lower node.
//!
//! Invariant: the agenda time of a station is never later than its next transmission, its next
//! delivery of a payload, or the next packet that it gives up.

use acklab_base::{Duration, Instant, NodeId};
use acklab_mac::Dcf;
use acklab_radio::receiver::{Fate, Loss, Start};
use acklab_radio::{Arrival, Receiver};
use acklab_trace::Digest;
use acklab_wire::{FrameHeader, FrameKind};

/// What a station must do next by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// The locked frame, or energy in the air, ends.
    End,
    /// A timer of the DCF.
    Wake,
    /// The first bit of a pending frame arrives: its place in `pending`.
    Start(usize),
}

/// Why a station stops on its way to being settled: somebody else has a part in what happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// The DCF asks for something.
    Asks,
    /// A frame met another one: it stands in `met`.
    Met,
    /// The last bit of something, for a recorder: it stands in `heard`.
    Ended,
}

/// A radio and its MAC.
#[derive(Debug)]
pub(crate) struct Station {
    pub(crate) receiver: Receiver,
    pub(crate) dcf: Dcf,
    /// Frames on their way that have not begun here: a handful, for microseconds.
    pub(crate) pending: Vec<Arrival>,
    /// When the receiver last became busy.
    busy_since: Instant,
    /// How long it was busy in all.
    pub(crate) receiving: Duration,
    /// The digest of what this radio sent, and received for its node.
    pub(crate) digest: Digest,
    /// The last newcomer that met another frame, and what it did.
    pub(crate) met: Option<(Arrival, Start)>,
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
            pending: Vec::with_capacity(8),
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
    pub(crate) fn advance(&mut self, until: Instant) -> Option<(Instant, Halt)> {
        loop {
            if self.dcf.asks() {
                return Some((self.at, Halt::Asks));
            }
            if self.dcf.is_passive() && self.receiver.is_quiet() && !self.recording {
                if self.pending.is_empty() {
                    return None;
                }
                if let Some(place) = self.passing(until) {
                    self.pass(place);
                    continue;
                }
            }
            let (at, step) = self.next_step();
            if at > until || at == Instant::NEVER {
                return None;
            }
            self.at = at;
            let halt = match step {
                Step::Wake => {
                    self.dcf.on_wake(at);
                    None
                }
                Step::End => {
                    let end = self.receiver.on_end(at);
                    let busy = self.receiver.is_busy(at);
                    match end {
                        Some((arrival, fate)) => self.ended(&arrival, fate, busy),
                        None => {
                            self.medium_after(at, busy);
                            None
                        }
                    }
                }
                Step::Start(place) => self.start(at, place, until),
            };
            if let Some(halt) = halt {
                return Some((self.at, halt));
            }
        }
    }

    /// The first pending frame, if it is for somebody else and over by `until` and before any
    /// other begins.
    fn passing(&self, until: Instant) -> Option<usize> {
        let mut first = 0;
        let mut next = Instant::NEVER;
        for place in 1..self.pending.len() {
            let (start, least) = (self.pending[place].start, self.pending[first].start);
            if start < least {
                (first, next) = (place, least);
            } else {
                next = next.min(start);
            }
        }
        let arrival = &self.pending[first];
        let alone = arrival.end <= until.min(next) && arrival.start < next;
        (alone && arrival.settle_by == Instant::NEVER).then_some(first)
    }

    /// A frame for somebody else comes and goes while the station has nothing to do and the
    /// medium is quiet: what [`Station::start`] and [`Station::ended`] come to then.
    fn pass(&mut self, place: usize) {
        let arrival = self.pending.swap_remove(place);
        match self.receiver.on_whole(&arrival) {
            Fate::Decoded { .. } => self.dcf.on_frame(arrival.end, &arrival.header),
            Fate::Lost(loss) => self.dcf.on_lost_frame(arrival.end, loss == Loss::TooWeak),
            Fate::Unnoticed => {}
        }
        self.dcf.on_passed(arrival.end);
        self.receiving += arrival.end - arrival.start;
    }

    /// The first bit of a frame; and its last bit, if nothing can come between.
    fn start(&mut self, at: Instant, place: usize, until: Instant) -> Option<Halt> {
        let arrival = self.pending.swap_remove(place);
        if !self.receiver.is_quiet() {
            let start = self.receiver.on_start(&arrival);
            if matches!(start, Start::Ignored) {
                self.dcf.on_captured_frame(at, arrival.header.airtime);
            }
            self.dcf.on_medium(at, true);
            self.met = Some((arrival, start));
            return Some(Halt::Met);
        }
        self.busy_since = at;
        self.dcf.on_medium(at, true);
        let alone = self.pending.is_empty() && arrival.end <= until;
        if !alone || self.dcf.next_wake() < arrival.end {
            self.receiver.on_start(&arrival);
            return None;
        }
        let fate = self.receiver.on_whole(&arrival);
        self.at = arrival.end;
        self.ended(&arrival, fate, false)
    }

    /// The last bit of a frame: `busy` says whether more is in the air.
    fn ended(&mut self, arrival: &Arrival, fate: Fate, busy: bool) -> Option<Halt> {
        let at = arrival.end;
        match fate {
            Fate::Decoded { .. } => {
                let header = &arrival.header;
                self.dcf.on_frame(at, header);
                if header.to == self.dcf.id() || header.to.is_broadcast() {
                    self.digest
                        .mix(at, 8 + header.kind as u16, fingerprint(header));
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
    pub(crate) fn next_edge(&self) -> Instant {
        self.next_step().0
    }

    /// The next step and its time.
    fn next_step(&self) -> (Instant, Step) {
        let mut next = (self.receiver.next_end(), Step::End);
        let wake = self.dcf.next_wake();
        if wake < next.0 {
            next = (wake, Step::Wake);
        }
        let mut first = NodeId(0);
        for (place, arrival) in self.pending.iter().enumerate() {
            let from = arrival.header.from;
            let tie = arrival.start == next.0 && matches!(next.1, Step::Start(_)) && from < first;
            if arrival.start < next.0 || tie {
                next = (arrival.start, Step::Start(place));
                first = from;
            }
        }
        next
    }

    /// When the station must be settled at the latest. Frames that have begun must be settled.
    pub(crate) fn agenda_time(&self) -> Instant {
        let mut air = Air {
            settle_by: Instant::NEVER,
            busy: (Instant::NEVER, Instant::ZERO),
            answer: Instant::NEVER,
            deadline: self.dcf.answer_deadline(),
            shortest: self.receiver.may_free_early(),
        };
        if let Some((arrival, good)) = self.receiver.locked() {
            air.add(&self.dcf, arrival, good);
            // A backoff that still runs although the medium is busy can no longer be stopped.
            air.busy.0 = Instant::NEVER;
        } else if self.receiver.next_end() != Instant::NEVER {
            air.busy.1 = self.receiver.next_end();
        }
        for arrival in &self.pending {
            air.add(&self.dcf, arrival, true);
        }
        self.dcf
            .acts_no_sooner(air.busy, air.answer)
            .min(air.settle_by)
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
}

impl Air {
    fn add(&mut self, dcf: &Dcf, arrival: &Arrival, good: bool) {
        if good && arrival.settle_by != Instant::NEVER {
            let answers = arrival.end <= self.deadline;
            if answers {
                self.answer = self.answer.min(arrival.end);
            }
            // An ACK makes the station draw and take its next packet, which nobody else notices;
            // without it the packet may be given up, which routing does.
            let can_wait = answers && arrival.header.kind == FrameKind::Ack && dcf.may_retry();
            if !can_wait {
                self.settle_by = self.settle_by.min(arrival.settle_by);
            }
        }
        let first = self.busy.1 == Instant::ZERO;
        self.busy.0 = self.busy.0.min(arrival.start);
        self.busy.1 = if self.shortest {
            if first {
                arrival.end
            } else {
                self.busy.1.min(arrival.end)
            }
        } else {
            let silence = dcf.silence_after(&arrival.header, arrival.decodable);
            self.busy.1.max(arrival.end + silence)
        };
    }
}

/// A value that tells a frame from others of its kind.
pub(crate) fn fingerprint(header: &FrameHeader) -> u64 {
    u64::from(header.to.0) << 32 ^ u64::from(header.bytes) << 12 ^ u64::from(header.sequence)
}
