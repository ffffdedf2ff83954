//! ACKs for segments that came in disorder, held by a policy of one's own.
//!
//! Each says the same when it leaves, so only their times are kept. The invariant: each leaves at its
//! time, or is thrown away because the next expected segment came.

use acklab_base::Instant;

/// When each of them leaves, the first one first.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptBack(Vec<Instant>);

impl KeptBack {
    /// One more is held until then.
    pub(crate) fn hold(&mut self, until: Instant) {
        let place = self.0.partition_point(|&one| one <= until);
        self.0.insert(place, until);
    }

    /// The next expected segment came. Returns how many are thrown away.
    pub(crate) fn on_in_sequence(&mut self) -> u32 {
        let held = self.0.len() as u32;
        self.0.clear();
        held
    }

    /// How many leave now.
    pub(crate) fn due(&mut self, now: Instant) -> u32 {
        let due = self.0.partition_point(|&one| one <= now);
        self.0.drain(..due);
        due as u32
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.0.first().copied().unwrap_or(Instant::NEVER)
    }
}
