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

use acklab_base::{Instant, NodeId};
use acklab_mac::Dcf;
use acklab_radio::{Arrival, Receiver};

/// What a station must do next by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The locked frame, or energy in the air, ends.
    End,
    /// A timer of the DCF.
    Wake,
    /// The first bit of a pending frame arrives: its place in `pending`.
    Start(usize),
}

/// A radio and its MAC.
#[derive(Debug)]
pub(crate) struct Station {
    pub(crate) receiver: Receiver,
    pub(crate) dcf: Dcf,
    /// Frames on their way that have not begun here: a handful, for microseconds.
    pub(crate) pending: Vec<Arrival>,
    /// When the receiver last became busy.
    pub(crate) busy_since: Instant,
}

impl Station {
    pub(crate) fn new(receiver: Receiver, dcf: Dcf) -> Self {
        Self {
            receiver,
            dcf,
            pending: Vec::with_capacity(8),
            busy_since: Instant::ZERO,
        }
    }

    /// The next step and its time.
    pub(crate) fn next_step(&self) -> (Instant, Step) {
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
            answer_comes: false,
            deadline: self.dcf.answer_deadline(),
            shortest: self.receiver.may_free_early(),
        };
        if let Some((arrival, good)) = self.receiver.locked() {
            air.add(arrival, good);
            // A backoff that still runs although the medium is busy can no longer be stopped.
            air.busy.0 = Instant::NEVER;
        } else if self.receiver.next_end() != Instant::NEVER {
            air.busy.1 = self.receiver.next_end();
        }
        for arrival in &self.pending {
            air.add(arrival, true);
        }
        self.dcf
            .acts_no_sooner(air.busy, air.answer_comes)
            .min(air.settle_by)
    }
}

/// What is known of the air around a station.
struct Air {
    settle_by: Instant,
    busy: (Instant, Instant),
    answer_comes: bool,
    deadline: Instant,
    /// The medium is only known to be busy until the first of the frames ends.
    shortest: bool,
}

impl Air {
    fn add(&mut self, arrival: &Arrival, good: bool) {
        if good && arrival.settle_by != Instant::NEVER {
            self.settle_by = self.settle_by.min(arrival.settle_by);
            self.answer_comes |= arrival.end <= self.deadline;
        }
        let first = self.busy.1 == Instant::ZERO;
        self.busy.0 = self.busy.0.min(arrival.start);
        self.busy.1 = if self.shortest && !first {
            self.busy.1.min(arrival.end)
        } else {
            self.busy.1.max(arrival.end)
        };
    }
}
