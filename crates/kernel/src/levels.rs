//! Many slots: blocks of eight keys, in levels, of which the lowest one is lazy.
//!
//! The least key of every block stands in a block of the level above, and those of the highest level in a last block by
//! themselves. A key that comes before what is noted of its block is noted at once, but when the first key of a block of
//! the lowest level moves to a later time, the block is searched only when its turn comes. By then most have moved once
//! more.
//!
//! Invariant: what is noted of a block is never later than its least key, and above the lowest level it is that key.

use crate::Slot;
use crate::key::{BLOCK, Key};
use acklab_base::Instant;

/// Eight keys, as numbers: a block is mostly searched just after one of them was written, and two at a time would wait
/// for that.
pub(crate) type Keys = [Key; BLOCK];

/// Keys of nothing pending, for eight slots of which the first one has this place.
fn nothing(first: usize) -> Keys {
    std::array::from_fn(|place| Key::new(Instant::NEVER, first + place))
}

#[inline(always)]
fn least_of(keys: &Keys) -> Key {
    let pair = |at: usize| keys[at].min(keys[at + 1]);
    pair(0).min(pair(2)).min(pair(4).min(pair(6)))
}

#[inline(always)]
fn get(keys: &Keys, place: usize) -> Key {
    keys[place % BLOCK]
}

#[inline(always)]
fn set(keys: &mut Keys, place: usize, key: Key) {
    keys[place % BLOCK] = key;
}

/// Eight keys, and what is noted of them.
#[derive(Debug)]
struct Block {
    keys: Keys,
    noted: Key,
}

impl Block {
    fn new(keys: Keys) -> Self {
        let noted = least_of(&keys);
        Self { keys, noted }
    }

    /// Sets a key and notes the least one. Returns that if it may be another one now.
    fn set(&mut self, place: usize, key: Key) -> Option<Key> {
        let before = get(&self.keys, place);
        set(&mut self.keys, place, key);
        // Most keys are not the first of their block, neither before nor now.
        if key > self.noted && before != self.noted {
            return None;
        }
        let now = if key < self.noted {
            key
        } else {
            least_of(&self.keys)
        };
        let before = std::mem::replace(&mut self.noted, now);
        (!before.is_at_the_time_of(now)).then_some(now)
    }
}

/// Keys of slots beyond those that fit into a few rows.
#[derive(Debug)]
pub(crate) struct Levels {
    lowest: Vec<Block>,
    /// The levels above, as many as it takes until one has no more than [`BLOCK`] blocks.
    above: Vec<Vec<Block>>,
    /// What is noted of the blocks of the highest level.
    top: Keys,
    /// The block of the lowest level that was last found to be first.
    last: usize,
}

impl Default for Levels {
    fn default() -> Self {
        Self {
            lowest: Vec::new(),
            above: Vec::new(),
            top: nothing(0),
            last: 0,
        }
    }
}

impl Levels {
    pub(crate) fn reserve(&mut self, slots: usize) {
        self.lowest.reserve_exact(slots.div_ceil(BLOCK));
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> {
        self.lowest.iter().flat_map(|block| block.keys)
    }

    #[inline]
    pub(crate) fn get(&self, slot: usize) -> Key {
        get(&self.lowest[slot / BLOCK].keys, slot)
    }

    #[inline]
    pub(crate) fn set(&mut self, slot: usize, key: Key) {
        let block = &mut self.lowest[slot / BLOCK];
        set(&mut block.keys, slot, key);
        if key < block.noted {
            block.noted = key;
            self.pass_up(slot / BLOCK, key);
        }
    }

    #[inline(never)]
    fn pass_up(&mut self, mut block: usize, mut noted: Key) {
        for level in &mut self.above {
            let above = level[block / BLOCK].set(block, noted.moved_to(block));
            let Some(above) = above else { return };
            noted = above;
            block /= BLOCK;
        }
        set(&mut self.top, block, noted.moved_to(block));
    }

    /// What was first last time has been set anew since then.
    #[inline]
    fn look_again(&mut self) {
        if self.last < self.lowest.len() {
            self.look_through(self.last);
        }
    }

    /// Looks through the block of the lowest level of which `noted` is noted at the top: its slot if that was right.
    #[inline]
    fn look_below(&mut self, noted: Key) -> Option<Slot> {
        let mut block = noted.place() % BLOCK;
        for level in self.above.iter().rev() {
            block = block * BLOCK + level[block].noted.place() % BLOCK;
        }
        self.last = block;
        let least = self.look_through(block)?;
        Some((block * BLOCK + least.place() % BLOCK) as Slot)
    }

    /// The first pending wake, unless it comes behind this key.
    #[inline]
    pub(crate) fn first_by(&mut self, last: Key) -> Option<(Instant, Slot)> {
        self.look_again();
        loop {
            let first = least_of(&self.top);
            if first > last {
                return None;
            }
            if let Some(slot) = self.look_below(first) {
                return Some((first.kept(), slot));
            }
        }
    }

    /// Sees to it that what is noted of a block of the lowest level is its least key; returns that if
    /// it was so before.
    #[inline]
    fn look_through(&mut self, place: usize) -> Option<Key> {
        let block = &mut self.lowest[place];
        let noted = block.noted;
        if get(&block.keys, noted.place()) == noted {
            return Some(noted);
        }
        let least = least_of(&block.keys);
        block.noted = least;
        self.pass_up(place, least);
        None
    }

    /// Adds a block to the lowest level, and above it what that calls for.
    pub(crate) fn push(&mut self, keys: Keys) {
        let block = Block::new(keys);
        let (place, noted) = (self.lowest.len(), block.noted);
        self.lowest.push(block);
        self.make_room();
        self.pass_up(place, noted);
    }

    fn make_room(&mut self) {
        let mut blocks = self.lowest.len();
        for level in &mut self.above {
            if blocks <= level.len() * BLOCK {
                // It has a place for the new block.
                return;
            }
            level.push(Block::new(nothing(0)));
            blocks = level.len();
        }
        if blocks <= BLOCK {
            return;
        }
        // What was the last block by itself is the first one of a new level now.
        let top = std::mem::replace(&mut self.top, nothing(0));
        let first = Block::new(top);
        set(&mut self.top, 0, first.noted.moved_to(0));
        self.above.push(vec![first, Block::new(nothing(0))]);
    }
}
