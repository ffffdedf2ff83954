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
        Self::unchecked(at.min(Instant::from_nanos(NEVER)), place)
    }

    /// The same of a time before [`NEVER`]; of a later one, a key of no consequence.
    #[inline(always)]
    pub(crate) fn unchecked(at: Instant, place: usize) -> Self {
        let kept = at.as_nanos() << PLACE_BITS | (place % PLACES) as u64;
        Self(kept.wrapping_add(LEAST_NORMAL))
    }

    /// The last key of this time, which is before [`NEVER`].
    #[inline(always)]
    pub(crate) fn last_of(at: Instant) -> Self {
        Self::unchecked(at, PLACES - 1)
    }

    #[inline(always)]
    pub(crate) const fn is_at_the_time_of(self, other: Self) -> bool {
        (self.0 ^ other.0) >> PLACE_BITS == 0
    }

    /// The same time at another place.
    #[inline(always)]
    pub(crate) fn moved_to(self, place: usize) -> Self {
        Self(self.0 >> PLACE_BITS << PLACE_BITS | (place % PLACES) as u64)
    }

    #[inline(always)]
    pub(crate) fn time(self) -> Instant {
        if self.kept() < Instant::from_nanos(NEVER) {
            self.kept()
        } else {
            Instant::NEVER
        }
    }

    /// The same of a key that is pending.
    #[inline(always)]
    pub(crate) fn kept(self) -> Instant {
        Instant::from_nanos((self.0 - LEAST_NORMAL) >> PLACE_BITS)
    }

    #[inline(always)]
    pub(crate) const fn place(self) -> usize {
        self.0 as usize % PLACES
    }
}

/// Two keys as floating-point numbers, side by side where processors take the lesser ones of two such pairs at once.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(16))]
pub(crate) struct Pair([f64; 2]);

impl Pair {
    /// Keys of nothing pending, for two slots of which the first one has this place.
    pub(crate) fn of_nothing(first: usize) -> Self {
        let key = |place| f64::from_bits(Key::new(Instant::NEVER, place).0);
        Self([key(first), key(first + 1)])
    }

    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> Key {
        Key(self.0[place % 2].to_bits())
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, key: Key) {
        self.0[place % 2] = f64::from_bits(key.0);
    }

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        Self([lesser(self.0[0], other.0[0]), lesser(self.0[1], other.0[1])])
    }
}

/// Eight keys.
pub(crate) type Row = [Pair; BLOCK / 2];

/// Keys of nothing pending, for eight slots of which the first one has this place.
pub(crate) fn row_of_nothing(first: usize) -> Row {
    std::array::from_fn(|pair| Pair::of_nothing(first + 2 * pair))
}

/// The keys of a row.
pub(crate) fn keys_of(row: &Row) -> [Key; BLOCK] {
    std::array::from_fn(|place| row[place / 2].get(place))
}

#[inline(always)]
fn least_of(&[a, b, c, d]: &Row) -> Key {
    let Pair([one, other]) = a.lesser(b).lesser(c.lesser(d));
    Key(lesser(one, other).to_bits())
}

/// What processors have an instruction for. [`f64::min`] asks for more, since it spares the caller NaN.
#[inline(always)]
fn lesser(one: f64, other: f64) -> f64 {
    if one < other { one } else { other }
}

/// The least key of some rows, which stand one behind the other; `None` if there are none.
#[inline(always)]
pub(crate) fn least_of_rows(pairs: &[Pair]) -> Option<Key> {
    let (first, rest) = pairs.as_chunks().0.split_first()?;
    let mut least: Row = *first;
    for row in rest {
        for (least, &pair) in least.iter_mut().zip(row) {
            *least = least.lesser(pair);
        }
    }
    Some(least_of(&least))
}
