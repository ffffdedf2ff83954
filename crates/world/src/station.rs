//! One radio with its MAC: the receiver and the DCF, brought up to date only when somebody asks.
//!
//! Frames that arrive are put into `pending` when their transmission begins; what they do to the
//! receiver and the DCF is worked out later, in order of time, when the node is woken or touched
//! ("settled"). That is exact, since nothing a station does before its next agenda time can be
//! noticed by anyone else. Ties: an end comes before a timer, a timer before a start.
//!
//! Invariant: the agenda time of a station is never later than its next transmission, its next
//! delivery of a payload, or the next packet that it gives up.

use acklab_base::Instant;
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
        for (place, arrival) in self.pending.iter().enumerate() {
            if arrival.start < next.0 {
                next = (arrival.start, Step::Start(place));
            }
        }
        next
    }

    /// When the station must be settled at the latest.
    pub(crate) fn agenda_time(&self) -> Instant {
        let mut free = Instant::ZERO;
        let mut time = self.dcf.deadline();
        if let Some((arrival, _)) = self.receiver.locked() {
            free = arrival.end;
            time = time.min(self.interest(arrival));
        }
        for arrival in &self.pending {
            time = time.min(self.interest(arrival));
        }
        time.min(self.dcf.earliest_access(free))
    }

    /// When the end of this frame must be settled.
    fn interest(&self, arrival: &Arrival) -> Instant {
        let to = arrival.header.to;
        if arrival.decodable && (to == self.dcf.id() || to.is_broadcast()) {
            arrival.end
        } else {
            Instant::NEVER
        }
    }
}
