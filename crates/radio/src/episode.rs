//! Frames that overlap where nobody waits for any of them, taken in one after the other.
//!
//! Only for receivers that let the locked frame survive or lose it with the newcomer
//! ([`crate::CaptureRule::LockedOnly`], no energy detection): there one lock follows another until the
//! medium is quiet. The one invariant: the lock is the one that [`crate::Receiver::on_start`] would
//! have left.

use crate::arrival::Arrival;
use crate::receiver::Alone;
use acklab_base::Instant;

/// Frames that overlap, from the first bit on a quiet medium on.
#[derive(Clone, Copy, Debug)]
pub struct Episode {
    locked: Arrival,
    start: Instant,
    ignored_until: Instant,
    heard: Alone,
}

impl Episode {
    /// A quiet receiver locks on a frame, of which it hears so much if nothing meets it.
    #[must_use]
    pub const fn new(locked: Arrival, heard: Alone) -> Self {
        Self {
            locked,
            start: locked.start,
            ignored_until: Instant::ZERO,
            heard,
        }
    }

    /// The medium has been busy since `start`, and the receiver is locked on this frame.
    #[must_use]
    pub const fn since(start: Instant, locked: Arrival, heard: Alone) -> Self {
        Self {
            start,
            ..Self::new(locked, heard)
        }
    }

    /// A frame begins before [`Episode::end`]; `outlasted` if the locked one is stronger by the
    /// capture ratio.
    pub fn meet(&mut self, late: &Arrival, outlasted: bool) {
        if outlasted {
            self.ignored_until = self.ignored_until.max(late.end());
            return;
        }
        if late.end() > self.locked.end() {
            self.locked = *late;
        }
        self.heard = Alone::Deaf;
    }

    /// The first bit of the first frame.
    #[must_use]
    pub const fn start(&self) -> Instant {
        self.start
    }

    /// When the receiver is quiet again.
    #[must_use]
    pub fn end(&self) -> Instant {
        self.locked.end()
    }

    /// The frame that the receiver is locked on.
    #[must_use]
    pub const fn locked(&self) -> &Arrival {
        &self.locked
    }

    /// What is heard of the locked frame if the radio does not transmit at its last bit.
    #[must_use]
    pub const fn heard(&self) -> Alone {
        self.heard
    }

    /// When the last frame ends that was ignored; [`Instant::ZERO`] if none was.
    #[must_use]
    pub const fn ignored_until(&self) -> Instant {
        self.ignored_until
    }
}
