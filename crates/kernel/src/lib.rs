//! Room 1: the agenda, which is the event queue of a run.
//!
//! Every machine of a run owns one slot, and a slot has at most one pending wake: a timer is
//! cancelled by moving it, so nothing stale is ever queued. The order of wakes is total:
//! **(time, phase, slot)**. A counter as a fourth component is not needed, because a slot cannot
//! be pending twice. In a test mode ties of time and phase are shuffled, to show which results
//! depend on them.
//!
//! The pending times stand in blocks of eight, one cache line each, and the least time of every
//! block stands in a block of the level above, up to one block. Slots are numbered by phase, so of
//! two equal times the left one goes first and no other key is stored. Setting a wake goes up only
//! as far as the least of a block changes; where that stands in its block is remembered, so that
//! the first wake is found without a search.
//!
//! Invariant: every time above the lowest level is the least of its block, and the place that is
//! remembered of a block is the first one of its least time.

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

/// Times in a block, as a power of two.
const BLOCK_BITS: usize = 3;
const BLOCK: usize = 1 << BLOCK_BITS;

/// So many times are compared one after the other.
const FEW: usize = 3;

/// Neighbouring slots of one level.
type Block = [Instant; BLOCK];

/// Where the least time stands first. What is not used need not be looked at.
#[inline]
fn place_of_least(block: &Block, used: usize) -> u8 {
    if used <= FEW {
        let mut place = 0;
        for other in 1..used.min(BLOCK) {
            if block[other] < block[place] {
                place = other;
            }
        }
        return place as u8;
    }
    let sooner = |one: (Instant, u8), other: (Instant, u8)| {
        if other.0 < one.0 { other } else { one }
    };
    let at = |place: u8| (block[usize::from(place)], place);
    let pair = |place: u8| sooner(at(place), at(place + 1));
    sooner(sooner(pair(0), pair(2)), sooner(pair(4), pair(6))).1
}

/// The blocks of one level, each with the place of its least time.
#[derive(Debug, Default)]
struct Level {
    blocks: Vec<Block>,
    first: Vec<u8>,
}

impl Level {
    fn add(&mut self, block: Block) {
        self.first.push(place_of_least(&block, BLOCK));
        self.blocks.push(block);
    }

    /// The least time of a block.
    fn least(&self, block: usize) -> Instant {
        self.blocks[block][usize::from(self.first[block])]
    }
}

/// Pending wakes, one a slot at the most.
#[derive(Debug)]
pub struct Agenda {
    /// The pending times, and the levels above; the last one has one block.
    levels: Vec<Level>,
    /// The least of all times.
    soonest: Instant,
    phase: Vec<Phase>,
    shuffle: Option<Stream>,
}

impl Default for Agenda {
    fn default() -> Self {
        let mut top = Level::default();
        top.add([Instant::NEVER; BLOCK]);
        Self {
            levels: vec![Level::default(), top],
            soonest: Instant::NEVER,
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

    /// Adds a slot, with nothing pending. Slots are numbered from 0 in the order of the calls.
    /// Panics if a slot of a later phase was added before.
    pub fn add_slot(&mut self, phase: Phase) -> Slot {
        let slot = self.phase.len();
        assert!(
            self.phase.last().is_none_or(|&last| last <= phase),
            "slots come phase by phase"
        );
        self.phase.push(phase);
        if slot == self.levels[0].blocks.len() * BLOCK {
            self.grow();
        }
        slot as Slot
    }

    /// Sets the only pending wake of `slot`; [`Instant::NEVER`] clears it.
    #[inline]
    pub fn set(&mut self, slot: Slot, at: Instant) {
        if at != self.pending(slot) {
            self.change(slot as usize, at);
        }
    }

    /// The wake of a slot is now another one.
    fn change(&mut self, mut place: usize, mut at: Instant) {
        let mut used = BLOCK;
        for level in &mut self.levels {
            let (block, inside) = (place / BLOCK, place % BLOCK);
            let below = level.blocks.len();
            let times = &mut level.blocks[block];
            let first = &mut level.first[block];
            let before = std::mem::replace(&mut times[inside], at);
            let leader = usize::from(*first) % BLOCK;
            if inside == leader {
                if at > before {
                    *first = place_of_least(times, used);
                    at = times[usize::from(*first) % BLOCK];
                }
                if at == before {
                    return;
                }
            } else {
                // Most wakes are not the first of their block, neither before nor now.
                let least = times[leader];
                if at > least || (at == least && inside > leader) {
                    return;
                }
                *first = inside as u8;
                if at == least {
                    return;
                }
            }
            place = block;
            used = below;
        }
        self.soonest = at;
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
        self.levels[0].blocks[slot / BLOCK][slot % BLOCK]
    }

    /// The first pending wake. It stays pending until its slot is set anew.
    #[inline]
    pub fn first(&mut self) -> Option<(Instant, Slot)> {
        let soonest = self.soonest;
        if soonest == Instant::NEVER {
            return None;
        }
        let mut place = 0;
        for level in self.levels.iter().rev() {
            place = place * BLOCK + usize::from(level.first[place]);
        }
        let slot = place as Slot;
        if self.shuffle.is_some() {
            self.any_tied_with(soonest, slot)
        } else {
            Some((soonest, slot))
        }
    }

    /// Slots with a pending wake.
    #[must_use]
    pub fn len(&self) -> usize {
        let pending = |at: &&Instant| **at != Instant::NEVER;
        let times = self.levels[0].blocks.iter().flatten();
        times.filter(pending).count()
    }

    /// Whether nothing is pending.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.soonest == Instant::NEVER
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
        self.levels[0].add([Instant::NEVER; BLOCK]);
        for above in 1..self.levels.len() {
            if self.levels[above - 1].blocks.len() <= self.levels[above].blocks.len() * BLOCK {
                // It has a place for the new block.
                return;
            }
            self.levels[above].add([Instant::NEVER; BLOCK]);
        }
        let mut block = [Instant::NEVER; BLOCK];
        if let Some(below) = self.levels.last() {
            for (place, number) in block.iter_mut().zip(0..below.blocks.len()) {
                *place = below.least(number);
            }
        }
        let mut top = Level::default();
        top.add(block);
        self.levels.push(top);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acklab_base::{Address, NodeId, Purpose};

    fn at(nanos: u64) -> Instant {
        Instant::from_nanos(nanos)
    }

    fn drain(agenda: &mut Agenda) -> Vec<(u64, Slot)> {
        let mut order = Vec::new();
        while let Some((when, slot)) = agenda.first() {
            order.push((when.as_nanos(), slot));
            agenda.set(slot, Instant::NEVER);
        }
        order
    }

    #[test]
    fn order_is_time_then_phase_then_slot() {
        let mut agenda = Agenda::new();
        let radios = [
            agenda.add_slot(Phase::Medium),
            agenda.add_slot(Phase::Medium),
        ];
        let stack = agenda.add_slot(Phase::Stack);
        let observer = agenda.add_slot(Phase::Observe);
        agenda.set(observer, at(5));
        agenda.set(stack, at(5));
        agenda.set(radios[1], at(5));
        agenda.set(radios[0], at(5));
        assert_eq!(
            drain(&mut agenda),
            [(5, radios[0]), (5, radios[1]), (5, stack), (5, observer)]
        );
    }

    #[test]
    fn a_timer_is_cancelled_by_moving_it() {
        let mut agenda = Agenda::new();
        let slots: Vec<Slot> = (0..3).map(|_| agenda.add_slot(Phase::Stack)).collect();
        agenda.set(slots[0], at(10));
        agenda.set(slots[1], at(20));
        agenda.set(slots[0], at(30));
        agenda.set_no_later(slots[1], at(25));
        agenda.set_no_later(slots[2], at(25));
        assert_eq!(agenda.len(), 3);
        assert_eq!(drain(&mut agenda), [(20, 1), (25, 2), (30, 0)]);
    }

    /// Against the plainest model there is: a table of pending times, scanned.
    #[test]
    fn agrees_with_a_scanned_table() {
        // Few different times make ties.
        for (seed, slots, bits) in [(11, 40, 14), (12, 600, 14), (13, 40, 2), (14, 600, 3)] {
            compare_with_a_scanned_table(seed, slots, bits);
        }
    }

    fn compare_with_a_scanned_table(seed: u64, slots: u32, bits: u32) {
        let address = Address {
            seed,
            run: 0,
            node: NodeId(0),
            purpose: Purpose::TieShuffle,
        };
        let mut draw = address.open();
        let mut agenda = Agenda::new();
        let mut table = vec![Instant::NEVER; slots as usize];
        for _ in 0..table.len() {
            agenda.add_slot(Phase::Stack);
        }
        for step in 0..5_000 {
            let slot = draw.below(slots);
            let when = if draw.below(5) == 0 {
                Instant::NEVER
            } else {
                at(draw.bits64() >> (64 - bits))
            };
            agenda.set(slot, when);
            table[slot as usize] = when;
            let expected = (0..slots)
                .map(|s| (table[s as usize], s))
                .min()
                .filter(|&(when, _)| when != Instant::NEVER);
            assert_eq!(agenda.first(), expected, "seed {seed}, step {step}");
        }
    }

    #[test]
    fn shuffled_ties_keep_time_and_phase() {
        let address = Address {
            seed: 3,
            run: 0,
            node: NodeId(0),
            purpose: Purpose::TieShuffle,
        };
        let mut agenda = Agenda::new();
        agenda.shuffle_ties(address.open());
        for slot in 0..20 {
            agenda.add_slot(if slot < 10 {
                Phase::Medium
            } else {
                Phase::Stack
            });
        }
        for slot in 0..20 {
            agenda.set(slot, at(7));
        }
        let order: Vec<Slot> = drain(&mut agenda)
            .into_iter()
            .map(|(_, slot)| slot)
            .collect();
        assert!(order[..10].iter().all(|&slot| slot < 10));
        assert!(
            !order[..10].is_sorted(),
            "ten ties in order by chance: 1 in 3.6 million"
        );
    }
}
