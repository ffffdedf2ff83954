//! What has arrived beyond the first gap: a short sorted list of intervals, no byte store.
//!
//! The invariant: intervals are disjoint, not adjacent, sorted, and lie behind `next`.

/// More islands of data than this are not kept: the segment that would make another is dropped,
/// as RFC 9293 allows a receiver short of memory to do.
const MAX_INTERVALS: usize = 1024;

/// Where a segment fell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Placement {
    /// All of it was here already.
    Known,
    /// It continues the stream, and nothing was waiting behind a gap.
    InOrder,
    /// It continues the stream while later data was here already.
    FillsGap,
    /// There is a gap before it.
    BeyondGap,
    /// It would need more room than there is: not kept.
    Refused,
}

/// The intervals that were received, in 64-bit stream offsets.
#[derive(Clone, Debug)]
pub(super) struct Reassembly {
    /// The first offset that is missing.
    next: u64,
    /// `[start, end)` of each island behind the gap.
    islands: Vec<(u64, u64)>,
}

impl Reassembly {
    pub(super) fn new(next: u64) -> Self {
        Self {
            next,
            islands: Vec::new(),
        }
    }

    pub(super) fn next(&self) -> u64 {
        self.next
    }

    pub(super) fn has_gap(&self) -> bool {
        !self.islands.is_empty()
    }

    /// The island that holds `offset`.
    pub(super) fn island_of(&self, offset: u64) -> Option<(u64, u64)> {
        let at = self.islands.partition_point(|island| island.1 <= offset);
        let island = self.islands.get(at).copied();
        island.filter(|island| island.0 <= offset)
    }

    /// Whether all of `[start, end)` is here.
    pub(super) fn knows(&self, start: u64, end: u64) -> bool {
        let holds = |&(from, to): &(u64, u64)| from <= start && end <= to;
        end <= self.next || self.islands.iter().any(holds)
    }

    /// Takes `[start, end)` if it ends within `window` of the first missing offset.
    pub(super) fn insert(&mut self, start: u64, end: u64, window: u64) -> Placement {
        if self.knows(start, end) {
            return Placement::Known;
        }
        if end > self.next + window {
            return Placement::Refused;
        }
        if start > self.next {
            return if self.add_island(start, end) {
                Placement::BeyondGap
            } else {
                Placement::Refused
            };
        }
        let had_gap = self.has_gap();
        self.next = end;
        let reached = self
            .islands
            .iter()
            .take_while(|island| island.0 <= self.next);
        // An island may end before the segment does; `next` never falls.
        let mut count = 0;
        let mut next = self.next;
        for island in reached {
            next = next.max(island.1);
            count += 1;
        }
        self.next = next;
        self.islands.drain(..count);
        // A longer `next` may touch the following islands as well only if they were adjacent,
        // which the invariant excludes.
        if had_gap {
            Placement::FillsGap
        } else {
            Placement::InOrder
        }
    }

    /// Merges `[start, end)` into the list; false if it is full.
    fn add_island(&mut self, mut start: u64, mut end: u64) -> bool {
        // The islands that the new one touches are contiguous.
        let first = self.islands.partition_point(|island| island.1 < start);
        let last = self.islands.partition_point(|island| island.0 <= end);
        if first == last {
            if self.islands.len() >= MAX_INTERVALS {
                return false;
            }
            self.islands.insert(first, (start, end));
        } else {
            start = start.min(self.islands[first].0);
            end = end.max(self.islands[last - 1].1);
            self.islands[first] = (start, end);
            self.islands.drain(first + 1..last);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: u64 = 1 << 30;

    #[test]
    fn islands_merge_from_both_sides() {
        let mut list = Reassembly::new(1);
        assert_eq!(list.insert(11, 21, WIDE), Placement::BeyondGap);
        assert_eq!(list.insert(31, 41, WIDE), Placement::BeyondGap);
        assert_eq!(list.insert(21, 31, WIDE), Placement::BeyondGap);
        assert_eq!(list.islands, [(11, 41)]);
        assert_eq!(list.insert(15, 35, WIDE), Placement::Known);
        assert_eq!(list.insert(1, 11, WIDE), Placement::FillsGap);
        assert_eq!((list.next(), list.has_gap()), (41, false));
        assert_eq!(list.insert(41, 51, WIDE), Placement::InOrder);
        assert_eq!(list.insert(1, 11, WIDE), Placement::Known);
    }

    #[test]
    fn a_segment_may_overlap_what_is_here() {
        let mut list = Reassembly::new(1);
        list.insert(11, 21, WIDE);
        list.insert(41, 51, WIDE);
        assert_eq!(list.insert(1, 31, WIDE), Placement::FillsGap);
        assert_eq!((list.next(), list.has_gap()), (31, true));
        assert_eq!(list.insert(21, 45, WIDE), Placement::FillsGap);
        assert_eq!((list.next(), list.has_gap()), (51, false));
    }

    #[test]
    fn the_window_bounds_what_is_kept() {
        let mut list = Reassembly::new(1);
        assert_eq!(list.insert(91, 101, 100), Placement::BeyondGap);
        assert_eq!(list.insert(95, 105, 100), Placement::Refused);
    }

    #[test]
    fn the_list_is_bounded() {
        let mut list = Reassembly::new(1);
        for island in 0..MAX_INTERVALS as u64 {
            assert_eq!(
                list.insert(10 * island + 3, 10 * island + 5, WIDE),
                Placement::BeyondGap
            );
        }
        let far = 10 * MAX_INTERVALS as u64;
        assert_eq!(list.insert(far + 3, far + 5, WIDE), Placement::Refused);
        assert_eq!(list.insert(5, 7, WIDE), Placement::BeyondGap);
        assert_eq!(list.islands.len(), MAX_INTERVALS);
    }

    /// Every order of six adjacent segments leaves the same list.
    #[test]
    fn every_order_of_arrival_gives_the_whole_stream() {
        fn visit(order: &mut Vec<u64>, left: &[u64]) {
            if left.is_empty() {
                let mut list = Reassembly::new(0);
                for &segment in order.iter() {
                    list.insert(segment * 10, segment * 10 + 10, WIDE);
                }
                assert_eq!((list.next(), list.has_gap()), (60, false), "{order:?}");
            }
            for &segment in left {
                order.push(segment);
                let rest: Vec<u64> = left.iter().copied().filter(|&s| s != segment).collect();
                visit(order, &rest);
                order.pop();
            }
        }
        visit(&mut Vec::new(), &[0, 1, 2, 3, 4, 5]);
    }
}
