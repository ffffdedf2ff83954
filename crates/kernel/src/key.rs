//! A pending wake as one number, and eight of them side by side.

use acklab_base::Instant;

/// Keys in a block.
pub(crate) const BLOCK: usize = 8;

/// The place that a key holds, in bits: that of its slot among 64.
const PLACE_BITS: u32 = 6;
pub(crate) const PLACES: usize = 1 << PLACE_BITS;

/// The least normal floating-point number.
const LEAST_NORMAL: u64 = 1 << 52;

/// The latest time that a key can hold, 4.5 years: it stands for the end of time.
pub(crate) const NEVER: u64 = (f64::MAX.to_bits() - LEAST_NORMAL) >> PLACE_BITS;

/// A time with the place of its slot, so that the least of some keys says what is first and where.
///
/// Read as a floating-point number it is a normal, positive one, and those have the order of their bits: the lesser of
/// two such numbers takes one instruction, and four of those search a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Key(u64);

impl Key {
    #[inline(always)]
    pub(crate) fn new(at: Instant, place: usize) -> Self {
        let time = at.as_nanos().min(NEVER) << PLACE_BITS;
        Self((time | (place % PLACES) as u64) + LEAST_NORMAL)
    }

    /// The last key of this time.
    #[inline(always)]
    pub(crate) fn last_of(at: Instant) -> Self {
        Self::new(at, PLACES - 1)
    }

    /// The same time at another place.
    #[inline(always)]
    pub(crate) fn moved_to(self, place: usize) -> Self {
        Self(self.0 >> PLACE_BITS << PLACE_BITS | (place % PLACES) as u64)
    }

    #[inline(always)]
    pub(crate) fn time(self) -> Instant {
        match (self.0 - LEAST_NORMAL) >> PLACE_BITS {
            NEVER => Instant::NEVER,
            nanos => Instant::from_nanos(nanos),
        }
    }

    #[inline(always)]
    pub(crate) const fn place(self) -> usize {
        self.0 as usize % PLACES
    }
}

/// Eight keys, as floating-point numbers.
#[derive(Clone, Debug)]
#[repr(align(16))]
pub(crate) struct Row([f64; BLOCK]);

impl Row {
    /// Keys of nothing pending, for eight slots of which the first one has this place.
    pub(crate) fn of_nothing(first: usize) -> Self {
        let key = |place| Key::new(Instant::NEVER, first + place);
        Self(std::array::from_fn(|place| f64::from_bits(key(place).0)))
    }

    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> Key {
        Key(self.0[place % BLOCK].to_bits())
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, key: Key) {
        self.0[place % BLOCK] = f64::from_bits(key.0);
    }

    #[inline(always)]
    pub(crate) fn least(&self) -> Key {
        least_of(&self.0)
    }
}

/// What processors have an instruction for. [`f64::min`] asks for more, since it spares the caller NaN.
#[inline(always)]
fn lesser(one: f64, other: f64) -> f64 {
    if one < other { one } else { other }
}

#[inline(always)]
fn least_of(keys: &[f64; BLOCK]) -> Key {
    let four: [f64; 4] = std::array::from_fn(|at| lesser(keys[at], keys[at + 4]));
    let two = [lesser(four[0], four[2]), lesser(four[1], four[3])];
    Key(lesser(two[0], two[1]).to_bits())
}

/// The least key of some rows, of which there is one at least.
#[inline(always)]
pub(crate) fn least_of_rows(rows: &[Row]) -> Option<Key> {
    let (first, rest) = rows.split_first()?;
    let mut least = first.0;
    for row in rest {
        for (least, &key) in least.iter_mut().zip(&row.0) {
            *least = lesser(*least, key);
        }
    }
    Some(least_of(&least))
}
