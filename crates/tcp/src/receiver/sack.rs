//! Selective acknowledgements at the receiver (RFC 2018 §4, RFC 2883 §4).
//!
//! The invariant: a block never covers a byte that did not arrive, nor one below the cumulative
//! acknowledgement unless it reports a duplicate.

use super::Receiver;
use super::reassembly::Reassembly;
use crate::ack::Duplicate;
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

/// What a receiver remembers that acknowledges selectively.
#[derive(Clone, Debug)]
pub(super) struct Selective {
    rules: SackReceiver,
    /// Where each island begins, or began before it grew; the one that grew last first.
    recent: Vec<u64>,
    /// A run that arrived twice and was not reported yet.
    duplicate: Duplicate,
}

impl Selective {
    pub(super) const fn new(rules: SackReceiver) -> Self {
        Self {
            rules,
            recent: Vec::new(),
            duplicate: None,
        }
    }

    /// Puts the island that begins at `start` first, and remembers no more than the rules say.
    fn touch(&mut self, start: u64) {
        if let Some(at) = self.recent.iter().position(|&known| known == start) {
            self.recent[..=at].rotate_right(1);
        } else {
            self.recent.insert(0, start);
            self.recent
                .truncate(self.rules.remembered.unwrap_or(usize::MAX));
        }
    }

    /// Islands that grew together or were delivered leave the list.
    fn merge(&mut self, stream: &Reassembly) {
        let recent = &mut self.recent;
        let mut kept = 0;
        for at in 0..recent.len() {
            let Some(island) = stream.island_of(recent[at]) else {
                continue;
            };
            if !recent[..kept].contains(&island.0) {
                recent[kept] = island.0;
                kept += 1;
            }
        }
        recent.truncate(kept);
    }

    /// The runs that an ACK reports which leaves now, in offsets.
    fn report(&mut self, stream: &Reassembly) -> impl Iterator<Item = (u64, u64)> {
        self.merge(stream);
        let islands = self.recent.iter().take(MAX_SACK_BLOCKS);
        let islands = islands.filter_map(|&known| stream.island_of(known));
        self.duplicate.take().into_iter().chain(islands)
    }
}

impl Receiver {
    /// `[start, end)` arrived, in part or wholly for the first time beyond the gap, or again.
    pub(super) fn note_for_sack(&mut self, start: u64, end: u64, known: bool) {
        let Some(selective) = &mut self.sack else {
            return;
        };
        selective.duplicate = (known && selective.rules.duplicates).then_some((start, end));
        selective.merge(&self.stream);
        if let Some(island) = self.stream.island_of(start) {
            selective.touch(island.0);
        }
    }

    /// What the ACK would report that is held instead.
    pub(super) fn take_duplicate(&mut self) -> Duplicate {
        self.sack.as_mut().and_then(|one| one.duplicate.take())
    }

    /// The next ACK reports it, if it is one.
    pub(super) fn report_duplicate(&mut self, duplicate: Duplicate) {
        if let Some(selective) = &mut self.sack {
            selective.duplicate = duplicate.or(selective.duplicate);
        }
    }

    /// The options of an ACK that leaves now.
    pub(super) fn options(&mut self, syn: bool) -> Options {
        let Some(selective) = &mut self.sack else {
            return Options::NONE;
        };
        if syn {
            return Options {
                sack_permitted: true,
                ..Options::NONE
            };
        }
        let mut sack = SackBlocks::NONE;
        for (start, end) in selective.report(&self.stream) {
            sack.push((self.peer.seq(start), self.peer.seq(end)));
        }
        Options {
            sack,
            bytes: match selective.rules.length {
                SackLength::Nothing => 0,
                SackLength::BlocksOnly => 8 * sack.as_slice().len() as u8,
                SackLength::Option => sack.option_bytes(),
            },
            ..Options::NONE
        }
    }
}
