//! Selective acknowledgements at the receiver (RFC 2018 §4, RFC 2883 §4).
//!
//! The invariant: a block never covers a byte that did not arrive, nor one below the cumulative
//! acknowledgement unless it reports a duplicate.

use super::Receiver;
use acklab_wire::{Options, SackBlocks};

/// Islands remembered by when they last grew: one more than fit into an ACK.
const REMEMBERED: usize = 4;

/// How the receiver acknowledges selectively.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SackReceiver {
    /// A segment that arrived twice is reported in the first block (RFC 2883).
    pub duplicates: bool,
    /// What the option adds to the ACK's length.
    pub length: SackLength,
}

/// What selective acknowledgements add to the length of an ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SackLength {
    /// Nothing: to compare schemes without their headers.
    Nothing,
    /// 8 bytes a block (ns-2).
    BlocksOnly,
    /// The option as it is: 2 bytes, 8 a block, and 2 of padding (RFC 2018 §3).
    Option,
}

/// What is reported first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Reports {
    /// An offset in each island, the one that grew last first.
    recent: [u64; REMEMBERED],
    count: usize,
    /// A run that arrived twice and was not reported yet.
    duplicate: Option<(u64, u64)>,
}

impl Reports {
    /// Puts the island that begins at `start` first.
    fn touch(&mut self, start: u64) {
        let held = &self.recent[..self.count];
        let at = held.iter().position(|&known| known == start);
        let at = at.unwrap_or_else(|| {
            self.count = (self.count + 1).min(REMEMBERED);
            self.count - 1
        });
        self.recent[..=at].rotate_right(1);
        self.recent[0] = start;
    }
}

impl Receiver {
    /// `[start, end)` arrived, in part or wholly for the first time beyond the gap, or again.
    pub(super) fn note_for_sack(&mut self, start: u64, end: u64, known: bool) {
        let Some(rules) = self.sack else { return };
        self.reports.duplicate = (known && rules.duplicates).then_some((start, end));
        self.merge_reports();
        if let Some(island) = self.stream.island_of(start) {
            self.reports.touch(island.0);
        }
    }

    /// Islands that grew together or were delivered leave the list.
    fn merge_reports(&mut self) {
        let old = self.reports;
        self.reports.count = 0;
        for &known in &old.recent[..old.count] {
            let Some(island) = self.stream.island_of(known) else {
                continue;
            };
            let count = self.reports.count;
            if !self.reports.recent[..count].contains(&island.0) {
                self.reports.recent[count] = island.0;
                self.reports.count += 1;
            }
        }
    }

    /// The options of an ACK that leaves now.
    pub(super) fn options(&mut self, syn: bool) -> Options {
        let Some(rules) = self.sack else {
            return Options::NONE;
        };
        if syn {
            return Options {
                sack_permitted: true,
                ..Options::NONE
            };
        }
        self.merge_reports();
        let mut sack = SackBlocks::NONE;
        if let Some((start, end)) = self.reports.duplicate.take() {
            sack.push((self.seq(start), self.seq(end)));
        }
        for &known in &self.reports.recent[..self.reports.count] {
            if let Some((start, end)) = self.stream.island_of(known) {
                sack.push((self.seq(start), self.seq(end)));
            }
        }
        Options {
            sack,
            bytes: match rules.length {
                SackLength::Nothing => 0,
                SackLength::BlocksOnly => 8 * sack.as_slice().len() as u8,
                SackLength::Option => sack.option_bytes(),
            },
            ..Options::NONE
        }
    }
}
