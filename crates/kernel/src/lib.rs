//! Room 1: the agenda, which is the event queue of a run.
//!
//! Every machine of a run owns one slot, and a slot has at most one pending wake: a timer is
//! cancelled by moving it, so nothing stale is ever queued. The order of wakes is total:
//! **(time, phase, slot)**. A counter as a fourth component is not needed, because a slot cannot
//! be pending twice. In a test mode ties of time and phase are shuffled, to show which results
//! depend on them.
//!
//! A pending time and the place of its slot are one number ([`key`]), so that the least says what is first and where. Slots
//! are numbered by phase, so of two equal times the lower place goes first and no other key is stored. Up to 64 slots are
//! rows of keys that are searched whole whenever somebody asks; more are kept in levels ([`levels`]).

mod key;
mod levels;

use acklab_base::{Instant, LAST_TIME, Stream};
use key::{BLOCK, Key, PLACES, Pair, keys_of, least_of_rows, row_of_nothing};
use levels::Levels;
use std::hint::select_unpredictable;

/// The last time that is not the end of time: what is set for a later one, beyond four and a half years, is not pending.
const LAST_KEPT: Instant = Instant::from_nanos(key::NEVER - 1);

// All of a run can be kept.
const _: () = assert!(LAST_TIME.as_nanos() < LAST_KEPT.as_nanos());

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

/// Pending wakes, one a slot at the most.
#[derive(Debug, Default)]
pub struct Agenda {
    /// Up to [`PLACES`] slots, in whole rows; none if there are more.
    rows: Vec<Pair>,
    /// More than that; none otherwise.
    levels: Levels,
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

    /// Makes room for so many slots in all, of which none is there yet.
    pub fn reserve(&mut self, slots: usize) {
        self.phase.reserve_exact(slots);
        if slots > PLACES {
            self.levels.reserve(slots);
        }
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
        if slot.is_multiple_of(BLOCK) {
            let row = row_of_nothing(slot);
            self.rows.extend(row);
            if slot >= PLACES {
                let rows = std::mem::take(&mut self.rows);
                let rows = rows.as_chunks::<{ BLOCK / 2 }>().0.iter();
                rows.for_each(|row| self.levels.push(keys_of(row)));
            }
        }
        slot as Slot
    }

    /// Sets the only pending wake of `slot`; [`Instant::NEVER`] clears it.
    #[inline(always)]
    pub fn set(&mut self, slot: Slot, at: Instant) {
        let slot = slot as usize;
        let key = Key::new(at, slot);
        match self.rows.get_mut(slot / 2) {
            Some(pair) => pair.set(slot, key),
            None => self.levels.set(slot, key),
        }
    }

    /// The same if `is_wanted`, without a branch, since that may be nothing that a processor can predict. If it is, `at` is
    /// no later than what can be kept, and it is not [`Instant::NEVER`].
    #[inline(always)]
    pub fn set_if(&mut self, is_wanted: bool, slot: Slot, at: Instant) {
        let slot = slot as usize;
        debug_assert!(!is_wanted || at <= LAST_KEPT, "{at:?} is too late");
        let key = Key::unchecked(at, slot);
        let mut aside = Pair::default();
        match self.rows.get_mut(slot / 2) {
            Some(pair) => select_unpredictable(is_wanted, pair, &mut aside).set(slot, key),
            None if is_wanted => self.levels.set(slot, key),
            None => {}
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
        let pair = self.rows.get(slot / 2);
        let key = pair.map_or_else(|| self.levels.get(slot), |pair| pair.get(slot));
        key.time()
    }

    /// Whether a wake is pending for this time or a sooner one.
    #[inline(always)]
    pub fn is_due_by(&mut self, at: Instant) -> bool {
        let last = Key::last_of(at);
        match least_of_rows(&self.rows) {
            Some(least) => least <= last,
            None => self.levels.first_by(last).is_some(),
        }
    }

    /// The first pending wake. It stays pending until its slot is set anew.
    #[inline]
    pub fn first(&mut self) -> Option<(Instant, Slot)> {
        self.first_by(LAST_KEPT)
    }

    /// The same, if it is no later than `end`, which is before [`LAST_TIME`].
    #[inline(always)]
    pub fn first_by(&mut self, end: Instant) -> Option<(Instant, Slot)> {
        let last = Key::last_of(end);
        let (time, slot) = match least_of_rows(&self.rows) {
            Some(least) if least > last => return None,
            Some(least) => (least.kept(), least.place() as Slot),
            None => self.levels.first_by(last)?,
        };
        match self.shuffle {
            None => Some((time, slot)),
            Some(_) => self.any_tied_with(time, slot),
        }
    }

    /// Slots with a pending wake.
    #[must_use]
    pub fn len(&self) -> usize {
        let few = self.rows.iter().flat_map(|pair| [pair.get(0), pair.get(1)]);
        let keys = few.chain(self.levels.keys());
        keys.filter(|key| key.time() != Instant::NEVER).count()
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
}

#[cfg(test)]
mod tests;
