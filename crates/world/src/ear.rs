//! What the channel must know of a station to tell it of a frame, and nothing more, side by side
//! for all stations: most of what is on the air is told to stations that have no part in it.
//!
//! Invariants: arrivals stand in the order in which they begin; of two that begin at once the one
//! from the lower node comes first. None is taken in but while the station is being settled.

use acklab_base::{Duration, Instant};
use acklab_mac::dcf::{Pace, Turn};
use acklab_radio::Arrival;

/// What a frame does to the time at which a station is to be woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wake {
    /// Nothing.
    Stays,
    /// It is a turn in the contention for the medium, which a frame can put off.
    Turn(Turn),
    /// A frame that begins before then may bring it forward: the station works it out itself.
    Watch(Instant),
}

/// No turn that a frame could put off.
const NO_TURN: Turn = Turn {
    counting: Instant::ZERO,
    slots: 0,
};

/// Frames on their way to a station that it has not taken in, and what they do to its wake. Of most ears
/// the channel touches the first line of memory and that of the next arrival.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Ear {
    arrivals: Vec<Arrival>,
    /// When the next one begins, [`Instant::NEVER`] if there is none.
    begins: Instant,
    /// When the last of all arrivals begins.
    latest: Instant,
    /// When the turn comes, [`Instant::NEVER`] if there is none.
    turn_at: Instant,
    /// The station looks itself at what frames do to its wake that begin before then.
    watches_until: Instant,
    /// How many arrivals are taken in.
    taken: u32,
    /// How many call for the station.
    full_at: u32,
    turn: Turn,
    /// When the station's own last transmission ends: what ends sooner goes unnoticed there.
    pub(crate) sends_until: Instant,
}

impl Ear {
    /// Arrivals at which a station takes in what has passed.
    const FULL: usize = 14;

    /// By how many more it is called for again, if that left too little room: frames that overlap
    /// are taken in together once the last of them has ended.
    const MORE: usize = 2;

    /// Arrivals at which a station is asked again whether it only listens.
    const SOON: usize = 3;

    /// Arrivals at the most before what has begun is taken in all the same.
    const MOST: usize = 16;

    /// An ear of a station that only listens, or with room for what another one hears.
    pub(crate) fn new(only_listens: bool) -> Self {
        let room = if only_listens { 0 } else { Self::MOST };
        Self {
            arrivals: Vec::with_capacity(room),
            taken: 0,
            full_at: Self::FULL as u32,
            begins: Instant::NEVER,
            latest: Instant::ZERO,
            turn: NO_TURN,
            turn_at: Instant::NEVER,
            watches_until: Instant::ZERO,
            sends_until: Instant::ZERO,
        }
    }

    /// What has passed is taken in. Returns whether there is room for more to come.
    pub(crate) fn has_room(&mut self) -> bool {
        let full_at = Self::FULL.max(self.arrivals.len() + Self::MORE);
        self.full_at = full_at as u32;
        full_at <= Self::MOST
    }

    /// Its room for frames, in bytes.
    pub(crate) fn room(&self) -> usize {
        self.arrivals.capacity() * size_of::<Arrival>()
    }

    /// Lets its room for frames go, if there are none.
    pub(crate) fn drop_room(&mut self) {
        if self.arrivals.is_empty() {
            self.give_room();
        }
    }

    /// Gives away its room for frames, of which there are none, if it has any.
    pub(crate) fn give_room(&mut self) -> Option<Vec<Arrival>> {
        debug_assert!(self.arrivals.is_empty(), "frames are on their way");
        let room = std::mem::take(&mut self.arrivals);
        (room.capacity() > 0).then_some(room)
    }

    /// Gets room for frames.
    pub(crate) fn take_room(&mut self, room: Vec<Arrival>) {
        self.arrivals = room;
    }

    /// Adds a frame for which the station need not be settled; it is called for soon.
    pub(crate) fn add_quietly(&mut self, arrival: Arrival) {
        self.add(arrival);
        self.full_at = Self::SOON as u32;
    }

    /// Whether the station works out for itself what a frame does to its wake that begins now.
    pub(crate) fn watches(&self, now: Instant) -> bool {
        now < self.watches_until
    }

    /// What the next frames do to the station's wake.
    pub(crate) fn set_wake(&mut self, wake: Wake, slot: Duration) {
        (self.turn, self.turn_at) = match wake {
            Wake::Turn(turn) => (turn, turn.at(slot)),
            Wake::Stays | Wake::Watch(_) => (NO_TURN, Instant::NEVER),
        };
        self.watches_until = match wake {
            Wake::Watch(until) => until,
            Wake::Stays | Wake::Turn(_) => Instant::ZERO,
        };
    }

    /// When the turn comes that a frame puts off; [`Instant::NEVER`] if there is none.
    #[inline]
    pub(crate) fn turn_at(&self) -> Instant {
        self.turn_at
    }

    /// A frame keeps the medium busy from `busy` on and the station silent until `free`, which is
    /// after its turn. Returns when that comes now.
    pub(crate) fn put_off(&mut self, busy: Instant, free: Instant, pace: &Pace) -> Instant {
        self.turn = self.turn.put_off(busy, free, pace);
        self.turn_at = self.turn.at(pace.slot);
        self.turn_at
    }

    /// Something else may come sooner: a turn that may not be the next thing to do is not put off.
    pub(crate) fn forget_turn(&mut self) {
        self.turn_at = Instant::NEVER;
    }

    /// Adds a frame that begins now or later. Returns whether the station is to be settled, for
    /// want of room or since it watches.
    #[inline]
    pub(crate) fn add(&mut self, arrival: Arrival) -> bool {
        let begins = arrival.start;
        self.begins = self.begins.min(begins);
        self.arrivals.push(arrival);
        if begins <= self.latest {
            self.put_in_order();
        } else {
            self.latest = begins;
        }
        (self.arrivals.len() >= self.full_at as usize) | self.watches(begins)
    }

    /// Two frames began within a propagation delay.
    #[cold]
    #[inline(never)]
    fn put_in_order(&mut self) {
        self.arrivals[self.taken as usize..].sort_unstable_by_key(|one| (one.start, one.from()));
    }

    /// The station is settled: forgets what is taken in.
    #[inline]
    pub(crate) fn forget_taken(&mut self) {
        if self.taken as usize == self.arrivals.len() {
            self.arrivals.clear();
        } else {
            self.arrivals.drain(..self.taken as usize);
        }
        self.taken = 0;
        self.full_at = Self::FULL as u32;
    }

    /// Arrivals that are not taken in, in order.
    #[inline]
    pub(crate) fn waiting(&self) -> &[Arrival] {
        &self.arrivals[self.taken as usize..]
    }

    /// When the next arrival begins.
    #[inline]
    pub(crate) fn begins(&self) -> Instant {
        self.begins
    }

    /// Takes the next arrival in. There must be one.
    #[inline]
    pub(crate) fn take(&mut self) -> Arrival {
        let arrival = self.arrivals[self.taken as usize];
        self.taken += 1;
        self.see_next();
        arrival
    }

    /// Takes arrivals in, which nobody need look at any more, until so many are left.
    #[inline]
    pub(crate) fn leave(&mut self, arrivals: usize) {
        self.taken = (self.arrivals.len() - arrivals) as u32;
        self.see_next();
    }

    #[inline]
    fn see_next(&mut self) {
        let next = self.arrivals.get(self.taken as usize);
        self.begins = next.map_or(Instant::NEVER, |arrival| arrival.start);
    }
}
