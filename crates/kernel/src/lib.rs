//! Room 1: the agenda, which is the event queue of a run.
//!
//! Every machine of a run owns one slot, and a slot has at most one pending wake: a timer is
//! cancelled by moving it, so nothing stale is ever queued. The order of wakes is total:
//! **(time, phase, slot)**. DESIGN's fourth component, a counter, is not needed because a slot
//! cannot be pending twice. In a test mode ties of time and phase are shuffled, to show
//! which results depend on them.
//!
//! Invariant: the slot that [`Agenda::next`] names has the smallest key of all pending slots.

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

const ABSENT: u32 = u32::MAX;
const ARITY: usize = 4;

/// Pending wakes, one a slot at the most, in a four-ary heap that knows where each slot stands.
#[derive(Debug, Default)]
pub struct Agenda {
    /// (time, rank, slot) packed into one integer, so that one comparison decides.
    heap: Vec<u128>,
    place: Vec<u32>,
    phase: Vec<Phase>,
    shuffle: Option<Stream>,
}

const fn pack(at: Instant, rank: u32, slot: Slot) -> u128 {
    (at.as_nanos() as u128) << 64 | (rank as u128) << 32 | slot as u128
}

const fn slot_of(key: u128) -> Slot {
    key as u32
}

const fn time_of(key: u128) -> Instant {
    Instant::from_nanos((key >> 64) as u64)
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
    pub fn add_slot(&mut self, phase: Phase) -> Slot {
        let slot = self.place.len() as Slot;
        self.place.push(ABSENT);
        self.phase.push(phase);
        self.heap.reserve(self.place.len() - self.heap.len());
        slot
    }

    /// Sets the only pending wake of `slot`; [`Instant::NEVER`] clears it.
    pub fn set(&mut self, slot: Slot, at: Instant) {
        let place = self.place[slot as usize];
        if at == Instant::NEVER {
            if place != ABSENT {
                self.remove(place as usize);
            }
            return;
        }
        if place != ABSENT && time_of(self.heap[place as usize]) == at {
            return;
        }
        let key = pack(at, self.rank(slot), slot);
        if place == ABSENT {
            self.heap.push(key);
            self.rise(self.heap.len() - 1, key);
        } else {
            let place = place as usize;
            if key < self.heap[place] {
                self.rise(place, key);
            } else {
                self.sink(place, key);
            }
        }
    }

    /// Sets the wake of `slot` to `at` unless it is already pending for an earlier time.
    pub fn set_no_later(&mut self, slot: Slot, at: Instant) {
        if at < self.pending(slot) {
            self.set(slot, at);
        }
    }

    /// When `slot` is to be woken, [`Instant::NEVER`] if it is not pending.
    #[must_use]
    pub fn pending(&self, slot: Slot) -> Instant {
        match self.place[slot as usize] {
            ABSENT => Instant::NEVER,
            place => time_of(self.heap[place as usize]),
        }
    }

    /// The first pending wake. It stays pending until its slot is set anew.
    #[must_use]
    pub fn next(&self) -> Option<(Instant, Slot)> {
        self.heap.first().map(|&key| (time_of(key), slot_of(key)))
    }

    /// Pending wakes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing is pending.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    fn rank(&mut self, slot: Slot) -> u32 {
        let phase = (self.phase[slot as usize] as u32) << 28;
        match &mut self.shuffle {
            None => phase,
            Some(stream) => phase | stream.bits32() >> 4,
        }
    }

    fn remove(&mut self, place: usize) {
        self.place[slot_of(self.heap[place]) as usize] = ABSENT;
        if let Some(last) = self.heap.pop()
            && place < self.heap.len()
        {
            if last < self.heap[place] {
                self.rise(place, last);
            } else {
                self.sink(place, last);
            }
        }
    }

    fn put(&mut self, place: usize, key: u128) {
        self.heap[place] = key;
        self.place[slot_of(key) as usize] = place as u32;
    }

    fn rise(&mut self, mut place: usize, key: u128) {
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if self.heap[parent] <= key {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, key);
    }

    fn sink(&mut self, mut place: usize, key: u128) {
        loop {
            let first = place * ARITY + 1;
            let last = (first + ARITY).min(self.heap.len());
            let Some(child) = (first..last).min_by_key(|&child| self.heap[child]) else {
                break;
            };
            if self.heap[child] >= key {
                break;
            }
            self.put(place, self.heap[child]);
            place = child;
        }
        self.put(place, key);
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
        while let Some((when, slot)) = agenda.next() {
            order.push((when.as_nanos(), slot));
            agenda.set(slot, Instant::NEVER);
        }
        order
    }

    #[test]
    fn order_is_time_then_phase_then_slot() {
        let mut agenda = Agenda::new();
        let observer = agenda.add_slot(Phase::Observe);
        let stack = agenda.add_slot(Phase::Stack);
        let radios = [
            agenda.add_slot(Phase::Medium),
            agenda.add_slot(Phase::Medium),
        ];
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
        let seed = 11;
        let address = Address {
            seed,
            run: 0,
            node: NodeId(0),
            purpose: Purpose::TieShuffle,
        };
        let mut draw = address.open();
        let mut agenda = Agenda::new();
        let mut table = [Instant::NEVER; 40];
        for _ in 0..table.len() {
            agenda.add_slot(Phase::Stack);
        }
        for step in 0..20_000 {
            let slot = draw.below(40);
            let when = if draw.below(5) == 0 {
                Instant::NEVER
            } else {
                at(draw.bits64() >> 50)
            };
            agenda.set(slot, when);
            table[slot as usize] = when;
            let expected = (0..40)
                .map(|s| (table[s as usize], s))
                .min()
                .filter(|&(when, _)| when != Instant::NEVER);
            assert_eq!(agenda.next(), expected, "seed {seed}, step {step}");
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
            agenda.add_slot(if slot % 2 == 0 {
                Phase::Stack
            } else {
                Phase::Medium
            });
        }
        for slot in 0..20 {
            agenda.set(slot, at(7));
        }
        let order: Vec<Slot> = drain(&mut agenda)
            .into_iter()
            .map(|(_, slot)| slot)
            .collect();
        assert!(order[..10].iter().all(|slot| slot % 2 == 1));
        assert!(
            !order[..10].is_sorted(),
            "ten ties in order by chance: 1 in 3.6 million"
        );
    }
}
