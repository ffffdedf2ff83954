//! What the channel must know of a station to tell it of a frame, and nothing more, side by side
//! for all stations: most of what is on the air is told to stations that have no part in it.
//!
//! Invariant: arrivals stand in the order in which they begin; of two that begin at once the one
//! from the lower node comes first.

use acklab_base::Instant;
use acklab_mac::dcf::Turn;
use acklab_radio::Arrival;

/// What a frame does to the time at which a station is to be woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wake {
    /// Nothing.
    Stays,
    /// It is a turn in the contention for the medium, which a frame can put off.
    Turn(Turn),
    /// The same, but a frame may also bring it forward: the station works it out itself.
    Watch,
}

impl Wake {
    /// What is left of it if something else may come sooner: a turn that may not be the next
    /// thing to do is not put off.
    pub(crate) const fn unless_sooner(self) -> Self {
        match self {
            Self::Watch => Self::Watch,
            Self::Turn(_) | Self::Stays => Self::Stays,
        }
    }
}

/// Frames on their way to a station that it has not taken in, and what they do to its wake.
#[derive(Debug)]
pub(crate) struct Ear {
    arrivals: Vec<Arrival>,
    /// How many of them are taken in.
    taken: usize,
    pub(crate) wake: Wake,
    /// When the station's own last transmission ends: what ends sooner goes unnoticed there.
    pub(crate) sends_until: Instant,
}

impl Ear {
    /// Arrivals at which a station takes in what has begun before another one is added.
    pub(crate) const FULL: usize = 8;

    pub(crate) fn new() -> Self {
        Self {
            arrivals: Vec::with_capacity(Self::FULL),
            taken: 0,
            wake: Wake::Stays,
            sends_until: Instant::ZERO,
        }
    }

    /// Whether the station is to take in what it can.
    pub(crate) fn is_full(&self) -> bool {
        self.arrivals.len() >= Self::FULL
    }

    /// Adds a frame that begins now or later. Returns whether the station is to be settled, for
    /// want of room or since it watches.
    pub(crate) fn add(&mut self, arrival: Arrival) -> bool {
        if self.taken == self.arrivals.len() {
            self.arrivals.clear();
            self.taken = 0;
        }
        let in_order = self
            .arrivals
            .last()
            .is_none_or(|last| last.start < arrival.start);
        self.arrivals.push(arrival);
        if !in_order {
            self.put_in_order();
        }
        self.is_full() || self.wake == Wake::Watch
    }

    /// Two frames began within a propagation delay.
    #[cold]
    fn put_in_order(&mut self) {
        self.arrivals[self.taken..].sort_unstable_by_key(|one| (one.start, one.from()));
    }

    /// Forgets what is taken in.
    pub(crate) fn make_room(&mut self) {
        self.arrivals.drain(..self.taken);
        self.taken = 0;
    }

    /// Arrivals that are not taken in, in order.
    pub(crate) fn waiting(&self) -> &[Arrival] {
        &self.arrivals[self.taken..]
    }

    /// The next arrival.
    pub(crate) fn next(&self) -> Option<&Arrival> {
        self.arrivals.get(self.taken)
    }

    /// When the next arrival begins.
    pub(crate) fn begins(&self) -> Instant {
        self.next().map_or(Instant::NEVER, |arrival| arrival.start)
    }

    /// When the arrival after the next begins.
    pub(crate) fn then(&self) -> Instant {
        self.arrivals
            .get(self.taken + 1)
            .map_or(Instant::NEVER, |arrival| arrival.start)
    }

    /// Takes the next arrival in. There must be one.
    pub(crate) fn take(&mut self) -> Arrival {
        let arrival = self.arrivals[self.taken];
        self.taken += 1;
        arrival
    }
}
