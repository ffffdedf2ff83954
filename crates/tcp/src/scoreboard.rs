//! What is known of each segment that is under way: when it left, whether it was selectively
//! acknowledged, whether it is taken for lost (RFC 6675 §3, RFC 8985 §5.2).
//!
//! It remembers and counts; what makes a segment lost is decided by [`crate::loss`]. The invariant:
//! the pieces are contiguous and begin at the first unacknowledged offset.

use acklab_base::Instant;
use std::collections::VecDeque;

/// A run of bytes that was sent as one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    /// First offset, and the one behind the last.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// When it was last sent.
    pub(crate) sent: Instant,
    pub(crate) sacked: bool,
    /// Taken for lost.
    pub(crate) lost: bool,
    /// Sent again since it was taken for lost, or since this recovery began.
    pub(crate) resent: bool,
    /// Sent more than once altogether.
    pub(crate) ever_resent: bool,
    /// Selectively acknowledged before a timeout forgot it, and not sent again since.
    known: bool,
}

/// What an acknowledgement brought.
#[derive(Clone, Debug, Default)]
pub(crate) struct News {
    /// Pieces that were acknowledged just now for the first time, cumulatively or selectively, in
    /// the order of the stream.
    pub(crate) delivered: Vec<Piece>,
    /// At least one piece was acknowledged selectively.
    pub(crate) sacked: bool,
    /// A run that arrived twice (RFC 2883).
    pub(crate) duplicate: Option<(u64, u64)>,
}

/// The pieces under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    pieces: VecDeque<Piece>,
    /// Kept between calls, so that none allocates.
    news: News,
}

impl Scoreboard {
    /// `[start, end)` leaves, for the first time or again.
    pub(crate) fn on_sent(&mut self, now: Instant, start: u64, end: u64) {
        for piece in &mut self.pieces {
            if piece.start < end && start < piece.end {
                piece.sent = now;
                piece.resent = true;
                piece.ever_resent = true;
                piece.known = false;
            }
        }
        let known = self.pieces.back().map_or(start, |last| last.end);
        if end > known {
            self.pieces.push_back(Piece {
                start: known.max(start),
                end,
                sent: now,
                sacked: false,
                lost: false,
                resent: false,
                ever_resent: known > start,
                known: false,
            });
        }
    }

    /// Everything up to `ack` is acknowledged, and `blocks` beyond it. A first block below `ack`,
    /// or inside the second, reports a duplicate (RFC 2883 §4).
    pub(crate) fn on_ack(&mut self, ack: u64, blocks: &[(u64, u64)]) -> &News {
        self.news.delivered.clear();
        self.news.sacked = false;
        self.news.duplicate = duplicate_of(ack, blocks);
        while let Some(first) = self.pieces.front_mut() {
            if first.start >= ack {
                break;
            }
            if first.end > ack {
                first.start = ack;
                break;
            }
            if !first.sacked && !first.known {
                self.news.delivered.push(*first);
            }
            self.pieces.pop_front();
        }
        let skip = usize::from(self.news.duplicate.is_some());
        let blocks = &blocks[skip..];
        if blocks.is_empty() {
            return &self.news;
        }
        for piece in self.pieces.iter_mut().filter(|piece| !piece.sacked) {
            if blocks
                .iter()
                .any(|&(start, end)| start <= piece.start && piece.end <= end)
            {
                piece.sacked = true;
                self.news.sacked = true;
                if !piece.known {
                    self.news.delivered.push(*piece);
                }
            }
        }
        &self.news
    }

    /// What the last acknowledgement brought.
    pub(crate) fn news(&self) -> &News {
        &self.news
    }

    /// The receiver may have thrown away what it acknowledged selectively (RFC 2018 §8): after a
    /// timeout everything is open again. What had arrived is no news when it is told once more.
    pub(crate) fn forget(&mut self) {
        for piece in &mut self.pieces {
            piece.known |= piece.sacked;
            (piece.sacked, piece.lost, piece.resent) = (false, false, false);
        }
    }

    /// A recovery begins: the first segment is lost, and nothing has been sent again in it.
    pub(crate) fn begin_recovery(&mut self) {
        for piece in &mut self.pieces {
            piece.resent = false;
        }
        if let Some(first) = self.pieces.front_mut() {
            first.lost = true;
        }
    }

    pub(crate) fn pieces_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Piece> {
        self.pieces.iter_mut()
    }

    /// Bytes thought to be under way (RFC 6675 §4, SetPipe).
    pub(crate) fn pipe(&self) -> u64 {
        let count = |piece: &Piece| u64::from(!piece.lost) + u64::from(piece.resent);
        let open = self.pieces.iter().filter(|piece| !piece.sacked);
        open.map(|piece| (piece.end - piece.start) * count(piece))
            .sum()
    }

    /// Whether the first piece is taken for lost.
    pub(crate) fn first_is_lost(&self) -> bool {
        self.pieces.front().is_some_and(|piece| piece.lost)
    }

    /// Whether any piece is taken for lost and not sent again.
    pub(crate) fn has_loss(&self) -> bool {
        self.next_lost().is_some()
    }

    /// RFC 6675 §4, NextSeg rule 1: the first lost piece that was not sent again.
    pub(crate) fn next_lost(&self) -> Option<(u64, u64)> {
        let wanted = |piece: &&Piece| !piece.sacked && piece.lost && !piece.resent;
        self.pieces.iter().find(wanted).map(|p| (p.start, p.end))
    }

    /// Rule 3: the first piece below the highest one that is selectively acknowledged.
    pub(crate) fn next_doubtful(&self) -> Option<(u64, u64)> {
        let highest = self.pieces.iter().rposition(|piece| piece.sacked)?;
        let wanted = |piece: &&Piece| !piece.sacked && !piece.resent;
        let mut below = self.pieces.iter().take(highest);
        below.find(wanted).map(|p| (p.start, p.end))
    }

    /// Rule 4, and the last resort of a tail-loss probe: the highest piece that is open.
    pub(crate) fn last_open(&self) -> Option<(u64, u64)> {
        let open = self.pieces.iter().rev().find(|piece| !piece.sacked);
        open.map(|p| (p.start, p.end))
    }

    /// Pieces that are selectively acknowledged.
    pub(crate) fn sacked(&self) -> usize {
        self.pieces.iter().filter(|piece| piece.sacked).count()
    }

    /// Where the selectively acknowledged run that holds `offset` ends.
    pub(crate) fn end_of_sacked(&self, offset: u64) -> Option<u64> {
        let mut end = None;
        for piece in &self.pieces {
            let holds = piece.start <= offset && offset < piece.end;
            if piece.sacked && (holds || end == Some(piece.start)) {
                end = Some(piece.end);
            }
        }
        end
    }
}

/// RFC 2883 §4.1 and §4.2: the first block is old news, or part of the second.
fn duplicate_of(ack: u64, blocks: &[(u64, u64)]) -> Option<(u64, u64)> {
    let first = *blocks.first()?;
    let inside = blocks
        .get(1)
        .is_some_and(|second| second.0 <= first.0 && first.1 <= second.1);
    (first.1 <= ack || inside).then_some(first)
}
