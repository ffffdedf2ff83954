//! ACKs for segments that came in disorder, held by a policy of one's own.
//!
//! All say when they leave what is true then, but for the duplicate that each reports (RFC 2883). The
//! invariant: each leaves at its time, or is thrown away because the next expected segment came.

use acklab_base::Instant;

/// A run of data that came twice, in offsets.
pub(crate) type Duplicate = Option<(u64, u64)>;

/// When each of them leaves, the first one first, and what it reports.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptBack(Vec<(Instant, Duplicate)>);

impl KeptBack {
    /// One more is held until then.
    pub(crate) fn hold(&mut self, until: Instant, duplicate: Duplicate) {
        let place = self.0.partition_point(|&(one, _)| one <= until);
        self.0.insert(place, (until, duplicate));
    }

    /// The next expected segment came. Returns how many are thrown away.
    pub(crate) fn on_in_sequence(&mut self) -> u32 {
        let held = self.0.len() as u32;
        self.0.clear();
        held
    }

    /// What the next one reports that leaves now, if one does.
    pub(crate) fn due(&mut self, now: Instant) -> Option<Duplicate> {
        (self.deadline() <= now).then(|| self.0.remove(0).1)
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.0.first().map_or(Instant::NEVER, |&(at, _)| at)
    }
}
