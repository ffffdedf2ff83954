//! Room 1: the agenda, which is the event queue of a run.
//!
//! Every machine of a run owns one slot, and a slot has at most one pending wake: a timer is
//! cancelled by moving it, so nothing stale is ever queued. The order of wakes is total:
//! **(time, phase, slot)**. A counter as a fourth component is not needed, because a slot cannot
//! be pending twice. In a test mode ties of time and phase are shuffled, to show which results
//! depend on them.
//!
//! A pending time and the place of its slot within a block of eight are one number, so that the least
//! of a block, one cache line, says what is first in it and where. The least of every block stands in
//! a block of the level above, up to a level of eight blocks at the most, which are looked through when
//! the first wake is asked for. Slots are numbered by phase, so of two equal times the left one goes
//! first and no other key is stored. Setting a wake goes up only as far as the least of a block changes.
//!
//! Invariant: every key above the lowest level is the least of its block, with its own place.

use acklab_base::{Instant, Stream};

/// A machine's place in the agenda, counted from 0.
pub type Slot = u32;

/// The rank of a slot among wakes of the same instant; lower ranks go first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub enum Phase {
    /// Radio and MAC: what is on the air comes before what reacts to it.
    Medium = 0,
    /// Link layer, routing and transport.
    Stack = 1,
    /// Observers, which see the state after everything of that instant.
    Observe = 2,
}

/// Keys in a block, as a power of two.
const BLOCK_BITS: u32 = 3;
const BLOCK: usize = 1 << BLOCK_BITS;

/// The latest time that a key can hold, 73 years: it stands for the end of time.
const NEVER: u64 = u64::MAX >> BLOCK_BITS;

/// A time with the place of its slot in the block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key(u64);

impl Key {
    #[inline]
    fn new(at: Instant, place: usize) -> Self {
        Self(at.as_nanos().min(NEVER) << BLOCK_BITS | (place % BLOCK) as u64)
    }

    /// The same time at another place.
    #[inline]
    fn moved_to(self, place: usize) -> Self {
        Self(self.0 >> BLOCK_BITS << BLOCK_BITS | (place % BLOCK) as u64)
    }

    #[inline]
    fn time(self) -> Instant {
        match self.0 >> BLOCK_BITS {
            NEVER => Instant::NEVER,
            nanos => Instant::from_nanos(nanos),
        }
    }

    #[inline]
    const fn place(self) -> usize {
        self.0 as usize % BLOCK
    }
}

/// The blocks of one level, each with its least key.
#[derive(Debug, Default)]
struct Level {
    blocks: Vec<[Key; BLOCK]>,
    least: Vec<Key>,
}

impl Level {
    /// Adds a block in which nothing is pending.
    fn add(&mut self) {
        let block = std::array::from_fn(|place| Key::new(Instant::NEVER, place));
        self.least.push(block[0]);
        self.blocks.push(block);
    }

    /// Sets a key. Returns the least one of its block if that may be another one now.
    #[inline]
    fn set(&mut self, slot: usize, key: Key) -> Option<Key> {
        let block = slot / BLOCK;
        let before = std::mem::replace(&mut self.blocks[block][slot % BLOCK], key);
        let least = self.least[block];
        // Most wakes are not the first of their block, neither before nor now.
        if key > least && before != least {
            return None;
        }
        Some(if key < least { key } else { self.search(block) })
    }

    /// The least key of a block.
    fn search(&self, block: usize) -> Key {
        let keys = &self.blocks[block];
        let pair = |at: usize| keys[at].min(keys[at + 1]);
        pair(0).min(pair(2)).min(pair(4).min(pair(6)))
    }
}

/// Pending wakes, one a slot at the most.
#[derive(Debug, Default)]
pub struct Agenda {
    lowest: Level,
    /// The levels above, as many as it takes until one has no more than [`BLOCK`] blocks.
    above: Vec<Level>,
    phase: Vec<Phase>,
    shuffle: Option<Stream>,
}

impl Agenda {
    /// An agenda without slots.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Shuffles ties within a phase by this stream from now on.
    pub fn shuffle_ties(&mut self, stream: Stream) {
        self.shuffle = Some(stream);
    }

    /// Adds a slot, with nothing pending. Slots are numbered from 0 in the order of the calls.
    /// Panics if a slot of a later phase was added before.
    pub fn add_slot(&mut self, phase: Phase) -> Slot {
        let slot = self.phase.len();
        assert!(
            self.phase.last().is_none_or(|&last| last <= phase),
            "slots come phase by phase"
        );
        self.phase.push(phase);
        if slot == self.lowest.blocks.len() * BLOCK {
            self.grow();
        }
        slot as Slot
    }

    /// Sets the only pending wake of `slot`; [`Instant::NEVER`] clears it.
    #[inline]
    pub fn set(&mut self, slot: Slot, at: Instant) {
        let slot = slot as usize;
        if let Some(least) = self.lowest.set(slot, Key::new(at, slot)) {
            self.settle(slot / BLOCK, least);
        }
    }

    /// The least key of a block of the lowest level is this one.
    fn settle(&mut self, mut block: usize, mut least: Key) {
        let mut before = std::mem::replace(&mut self.lowest.least[block], least);
        for level in &mut self.above {
            if before.time() == least.time() {
                return;
            }
            let Some(above) = level.set(block, least.moved_to(block)) else {
                return;
            };
            block /= BLOCK;
            before = std::mem::replace(&mut level.least[block], above);
            least = above;
        }
    }

    /// Sets the wake of `slot` to `at` unless it is already pending for an earlier time.
    #[inline]
    pub fn set_no_later(&mut self, slot: Slot, at: Instant) {
        if at < self.pending(slot) {
            self.set(slot, at);
        }
    }

    /// When `slot` is to be woken, [`Instant::NEVER`] if it is not pending.
    #[must_use]
    pub fn pending(&self, slot: Slot) -> Instant {
        let slot = slot as usize;
        self.lowest.blocks[slot / BLOCK][slot % BLOCK].time()
    }

    /// The first pending wake. It stays pending until its slot is set anew.
    #[inline]
    pub fn first(&mut self) -> Option<(Instant, Slot)> {
        let (soonest, mut place) = self.soonest_block();
        if soonest == Instant::NEVER {
            return None;
        }
        for level in self.above.iter().rev() {
            place = place * BLOCK + level.least[place].place();
        }
        place = place * BLOCK + self.lowest.least[place].place();
        let slot = place as Slot;
        if self.shuffle.is_some() {
            self.any_tied_with(soonest, slot)
        } else {
            Some((soonest, slot))
        }
    }

    /// The least of all times, and which block of the highest level has it, the leftmost one.
    #[inline]
    fn soonest_block(&self) -> (Instant, usize) {
        let (mut soonest, mut place) = (NEVER, 0);
        for (block, least) in self
            .above
            .last()
            .unwrap_or(&self.lowest)
            .least
            .iter()
            .enumerate()
        {
            let time = least.0 >> BLOCK_BITS;
            if time < soonest {
                (soonest, place) = (time, block);
            }
        }
        (Key(soonest << BLOCK_BITS).time(), place)
    }

    /// Slots with a pending wake.
    #[must_use]
    pub fn len(&self) -> usize {
        let pending = |key: &&Key| key.time() != Instant::NEVER;
        self.lowest.blocks.iter().flatten().filter(pending).count()
    }

    /// Whether nothing is pending.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.soonest_block().0 == Instant::NEVER
    }

    /// One of the slots that are pending for the same time and phase as `first`, by chance.
    fn any_tied_with(&mut self, at: Instant, first: Slot) -> Option<(Instant, Slot)> {
        let tied = |&slot: &usize| {
            self.pending(slot as Slot) == at && self.phase[slot] == self.phase[first as usize]
        };
        let tied: Vec<usize> = (first as usize..self.phase.len()).filter(tied).collect();
        let choice = self.shuffle.as_mut()?.below(tied.len() as u32);
        Some((at, tied[choice as usize] as Slot))
    }

    /// Adds a block to the lowest level, and above it what that calls for.
    fn grow(&mut self) {
        self.lowest.add();
        let mut blocks = self.lowest.blocks.len();
        for level in &mut self.above {
            if blocks <= level.blocks.len() * BLOCK {
                // It has a place for the new block.
                return;
            }
            level.add();
            blocks = level.blocks.len();
        }
        if blocks <= BLOCK {
            return;
        }
        let mut top = Level::default();
        for (place, least) in self
            .above
            .last()
            .unwrap_or(&self.lowest)
            .least
            .iter()
            .enumerate()
        {
            if place % BLOCK == 0 {
                top.add();
            }
            if let Some(least) = top.set(place, least.moved_to(place)) {
                top.least[place / BLOCK] = least;
            }
        }
        self.above.push(top);
    }
}

#[cfg(test)]
mod tests;
