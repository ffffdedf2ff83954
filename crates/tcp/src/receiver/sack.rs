//! Selective acknowledgements at the receiver (RFC 2018 §4, RFC 2883 §4).
//!
//! The invariant: a block never covers a byte that did not arrive, nor one below the cumulative
//! acknowledgement unless it reports a duplicate.

use super::Receiver;
use acklab_wire::options::MAX_SACK_BLOCKS;
use acklab_wire::{Options, SackBlocks};

/// How the receiver acknowledges selectively.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SackReceiver {
    /// A segment that arrived twice is reported in the first block (RFC 2883).
    pub duplicates: bool,
    /// What the option adds to the ACK's length.
    pub length: SackLength,
    /// How many islands are remembered for reports, those that grew last; `None`: all.
    pub remembered: Option<usize>,
}

impl SackReceiver {
    /// ns-2's `TCPSink/Sack1`: it remembers as many islands as fit into an ACK, and forgets the
    /// others for good.
    #[must_use]
    pub const fn ns2() -> Self {
        Self {
            duplicates: false,
            length: SackLength::BlocksOnly,
            remembered: Some(MAX_SACK_BLOCKS),
        }
    }

    /// RFC 2018 §4, "as many distinct SACK blocks as possible", and RFC 2883.
    #[must_use]
    pub const fn standard() -> Self {
        Self {
            duplicates: true,
            length: SackLength::Option,
            remembered: None,
        }
    }
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Reports {
    /// Where each island begins, or began before it grew; the one that grew last first.
    recent: Vec<u64>,
    /// A run that arrived twice and was not reported yet.
    duplicate: Option<(u64, u64)>,
}

impl Reports {
    /// Puts the island that begins at `start` first, and remembers no more than `most`.
    fn touch(&mut self, start: u64, most: usize) {
        if let Some(at) = self.recent.iter().position(|&known| known == start) {
            self.recent[..=at].rotate_right(1);
        } else {
            self.recent.insert(0, start);
            self.recent.truncate(most);
        }
    }
}

impl Receiver {
    /// `[start, end)` arrived, in part or wholly for the first time beyond the gap, or again.
    pub(super) fn note_for_sack(&mut self, start: u64, end: u64, known: bool) {
        let Some(rules) = self.sack else { return };
        self.reports.duplicate = (known && rules.duplicates).then_some((start, end));
        self.merge_reports();
        if let Some(island) = self.stream.island_of(start) {
            let most = rules.remembered.unwrap_or(usize::MAX);
            self.reports.touch(island.0, most);
        }
    }

    /// Islands that grew together or were delivered leave the list.
    fn merge_reports(&mut self) {
        let recent = &mut self.reports.recent;
        let mut kept = 0;
        for at in 0..recent.len() {
            let Some(island) = self.stream.island_of(recent[at]) else {
                continue;
            };
            if !recent[..kept].contains(&island.0) {
                recent[kept] = island.0;
                kept += 1;
            }
        }
        recent.truncate(kept);
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
        for &known in self.reports.recent.iter().take(MAX_SACK_BLOCKS) {
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
