//! Room 1: the agenda, which is the event queue of a run.
//!
//! Every machine of a run owns one slot, and a slot has at most one pending wake: a timer is
//! cancelled by moving it, so nothing stale is ever queued. The order of wakes is total:
//! **(time, phase, slot)**. A counter as a fourth component is not needed, because a slot cannot
//! be pending twice. In a test mode ties of time and phase are shuffled, to show which results
//! depend on them.
//!
//! A pending time and the place of its slot within a block of eight are one number, so that the least
//! of a block says what is first in it and where. Such a key of every block stands in a block of the
//! level above, and those of the highest level in a last block by themselves. Slots are numbered by
//! phase, so of two equal times the left one goes first and no other key is stored.
//!
//! Up to eight blocks are by themselves: which of them were changed is marked, and when somebody asks what is first
//! those are searched. In a larger agenda the lowest level is lazy: a key that comes before what is noted of its block
//! is noted at once, but when the first key of a block moves to a later time, the block is searched only when its turn
//! comes. By then most have moved once more.
//!
//! Invariant: what is noted of a block without a mark is never later than its least key, and above the lowest level
//! it is that key.

use acklab_base::{Instant, Stream};

/// A machine's place in the agenda, counted from 0.
pub type Slot = u32;

/// The rank of a slot among wakes of the same instant; lower ranks go first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
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

/// Eight keys, and what is noted of them.
#[derive(Debug)]
struct Block {
    keys: [Key; BLOCK],
    noted: Key,
}

impl Block {
    /// A block in which nothing is pending.
    fn new() -> Self {
        let keys = nothing();
        let noted = keys[0];
        Self { keys, noted }
    }

    /// Sets a key and notes the least one. Returns that if it may be another one now.
    fn set(&mut self, key: Key) -> Option<Key> {
        let before = std::mem::replace(&mut self.keys[key.place()], key);
        // Most keys are not the first of their block, neither before nor now.
        if key > self.noted && before != self.noted {
            return None;
        }
        let now = if key < self.noted {
            key
        } else {
            least(&self.keys)
        };
        let before = std::mem::replace(&mut self.noted, now);
        (before.time() != now.time()).then_some(now)
    }
}

/// Keys of nothing pending.
fn nothing() -> [Key; BLOCK] {
    std::array::from_fn(|place| Key::new(Instant::NEVER, place))
}

/// The least of eight keys.
#[inline]
fn least(keys: &[Key; BLOCK]) -> Key {
    let pair = |at: usize| keys[at].min(keys[at + 1]);
    pair(0).min(pair(2)).min(pair(4).min(pair(6)))
}

/// The least of the first four of them.
#[inline]
fn least_of_four(keys: &[Key; BLOCK]) -> Key {
    keys[0].min(keys[1]).min(keys[2].min(keys[3]))
}

/// Pending wakes, one a slot at the most.
#[derive(Debug)]
pub struct Agenda {
    lowest: Vec<Block>,
    /// The levels above, as many as it takes until one has no more than [`BLOCK`] blocks.
    above: Vec<Vec<Block>>,
    /// What is noted of the blocks of the highest level.
    top: [Key; BLOCK],
    /// The block of the lowest level that was last found to be first.
    last: usize,
    /// Without levels above: blocks that were changed since their least keys were noted, a bit each.
    changed: u32,
    phase: Vec<Phase>,
    shuffle: Option<Stream>,
}

impl Default for Agenda {
    fn default() -> Self {
        Self {
            lowest: Vec::new(),
            above: Vec::new(),
            top: nothing(),
            last: 0,
            changed: 0,
            phase: Vec::new(),
            shuffle: None,
        }
    }
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

    /// Makes room for so many slots in all, of which none is there yet.
    pub fn reserve(&mut self, slots: usize) {
        self.phase.reserve_exact(slots);
        self.lowest.reserve_exact(slots.div_ceil(BLOCK));
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
        if slot == self.lowest.len() * BLOCK {
            self.grow();
        }
        slot as Slot
    }

    /// Sets the only pending wake of `slot`; [`Instant::NEVER`] clears it.
    #[inline]
    pub fn set(&mut self, slot: Slot, at: Instant) {
        let slot = slot as usize;
        let key = Key::new(at, slot);
        let block = &mut self.lowest[slot / BLOCK];
        block.keys[slot % BLOCK] = key;
        if self.above.is_empty() {
            self.changed |= 1 << (slot / BLOCK);
        } else if key < block.noted {
            block.noted = key;
            self.pass_up(slot / BLOCK, key);
        }
    }

    /// Without levels above: notes the least keys of blocks that were changed.
    #[inline]
    fn note_changes(&mut self) {
        while self.changed != 0 {
            let place = self.changed.trailing_zeros() as usize % BLOCK;
            self.changed &= self.changed - 1;
            let block = &mut self.lowest[place];
            block.noted = least(&block.keys);
            self.top[place] = block.noted.moved_to(place);
        }
    }

    #[inline(never)]
    fn pass_up(&mut self, mut block: usize, mut noted: Key) {
        for level in &mut self.above {
            let above = level[block / BLOCK].set(noted.moved_to(block));
            let Some(above) = above else { return };
            noted = above;
            block /= BLOCK;
        }
        self.top[block] = noted.moved_to(block);
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
        self.lowest[slot / BLOCK].keys[slot % BLOCK].time()
    }

    /// Whether a wake is pending for this time or a sooner one.
    #[inline]
    pub fn is_due_by(&mut self, at: Instant) -> bool {
        let last = Key::new(at, BLOCK - 1);
        if self.above.is_empty() {
            self.note_changes();
            return self.first_noted() <= last;
        }
        self.look_again();
        loop {
            // Nothing comes before what is noted.
            let noted = self.first_noted();
            if noted > last {
                return false;
            }
            if self.look_below(noted).is_some() {
                return true;
            }
        }
    }

    /// What was first last time has been set anew since then.
    #[inline]
    fn look_again(&mut self) {
        if self.last < self.lowest.len() {
            self.look_through(self.last);
        }
    }

    /// The least of what is noted of all blocks.
    #[inline]
    fn first_noted(&self) -> Key {
        if self.lowest.len() <= BLOCK / 2 {
            least_of_four(&self.top)
        } else {
            least(&self.top)
        }
    }

    /// Looks through the block of the lowest level of which `noted` is noted at the top: its slot if that was right.
    #[inline]
    fn look_below(&mut self, noted: Key) -> Option<Slot> {
        let mut place = noted.place();
        for level in self.above.iter().rev() {
            place = place * BLOCK + level[place].noted.place();
        }
        self.last = place;
        let least = self.look_through(place)?;
        Some((place * BLOCK + least.place()) as Slot)
    }

    /// The first pending wake. It stays pending until its slot is set anew.
    #[inline]
    pub fn first(&mut self) -> Option<(Instant, Slot)> {
        if self.above.is_empty() {
            self.note_changes();
        } else {
            self.look_again();
        }
        loop {
            let first = self.first_noted();
            let time = first.time();
            if time == Instant::NEVER {
                return None;
            }
            if let Some(slot) = self.look_below(first) {
                return match self.shuffle {
                    None => Some((time, slot)),
                    Some(_) => self.any_tied_with(time, slot),
                };
            }
        }
    }

    /// Sees to it that what is noted of a block of the lowest level is its least key; returns that if
    /// it was so before.
    #[inline]
    fn look_through(&mut self, place: usize) -> Option<Key> {
        let block = &mut self.lowest[place];
        let noted = block.noted;
        if block.keys[noted.place()] == noted {
            return Some(noted);
        }
        let least = least(&block.keys);
        block.noted = least;
        self.pass_up(place, least);
        None
    }

    /// Slots with a pending wake.
    #[must_use]
    pub fn len(&self) -> usize {
        let pending = |key: &&Key| key.time() != Instant::NEVER;
        let keys = self.lowest.iter().flat_map(|block| &block.keys);
        keys.filter(pending).count()
    }

    /// Whether nothing is pending.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
        self.note_changes();
        self.lowest.push(Block::new());
        let mut blocks = self.lowest.len();
        for level in &mut self.above {
            if blocks <= level.len() * BLOCK {
                // It has a place for the new block.
                return;
            }
            level.push(Block::new());
            blocks = level.len();
        }
        if blocks <= BLOCK {
            return;
        }
        // What was the last block by itself is the first one of a new level now.
        let mut first = Block::new();
        for key in std::mem::replace(&mut self.top, nothing()) {
            first.set(key);
        }
        self.top[0] = first.noted.moved_to(0);
        self.above.push(vec![first, Block::new()]);
    }
}

#[cfg(test)]
mod tests;
