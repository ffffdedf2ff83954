//! A share of a whole, counted in parts per 10¹²: probabilities of losses, without floats.

use serde::{Deserialize, Serialize};

/// A share between nothing and everything, in parts per 10¹².
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Share(u64);

impl Share {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Everything.
    pub const ALL: Self = Self(Self::PARTS);
    /// Parts of the whole.
    pub const PARTS: u64 = 1_000_000_000_000;

    /// A share of `parts` of [`Share::PARTS`]; `None` above the whole.
    #[must_use]
    pub const fn from_parts(parts: u64) -> Option<Self> {
        if parts > Self::PARTS {
            None
        } else {
            Some(Self(parts))
        }
    }

    /// A share in whole per cent; more than 100 is everything.
    #[must_use]
    pub const fn from_percent(percent: u32) -> Self {
        let percent = if percent > 100 { 100 } else { percent };
        Self(percent as u64 * (Self::PARTS / 100))
    }

    /// Parts of [`Share::PARTS`].
    #[must_use]
    pub const fn parts(self) -> u64 {
        self.0
    }
}
