//! Which segments are taken for lost: by selective acknowledgements above them (RFC 6675 §4,
//! IsLost), or by the time at which later ones were delivered (RACK, RFC 8985 §6.2).
//!
//! The invariant: a segment that was selectively acknowledged is never lost.

use crate::sack::RackConfig;
use crate::scoreboard::Scoreboard;
use acklab_base::{Duration, Instant};

/// RFC 6675 §4, IsLost: `threshold` discontiguous runs, or more than `threshold` − 1 full segments,
/// are acknowledged above.
pub(crate) fn mark_by_count(board: &mut Scoreboard, threshold: u32, mss: u32) {
    let (mut bytes, mut runs, mut inside) = (0, 0, false);
    let enough = u64::from(threshold.saturating_sub(1)) * u64::from(mss);
    for piece in board.pieces_mut().rev() {
        if piece.sacked {
            bytes += piece.end - piece.start;
            runs += u32::from(!inside);
            inside = true;
        } else {
            inside = false;
            piece.lost |= runs >= threshold || bytes > enough;
        }
    }
}

/// The state of RACK (RFC 8985 §5.3).
#[derive(Clone, Debug)]
pub(crate) struct Rack {
    config: RackConfig,
    /// The segment delivered so far that was sent last: when, and where it ends.
    newest: Option<(Instant, u64)>,
    /// Its round-trip time.
    rtt: Duration,
    min_rtt: Option<Duration>,
    /// The highest offset that was delivered.
    forward: u64,
    reordering_seen: bool,
    /// The reordering window in quarters of the shortest round-trip time.
    quarters: u32,
    /// Recoveries that this many quarters still last.
    persist: u32,
    /// Until everything up to here is acknowledged, duplicates don't widen the window again.
    round: Option<u64>,
    /// When a segment may be taken for lost.
    pub(crate) deadline: Instant,
}

/// Quarters at first (RFC 8985 §6.2 step 4).
const QUARTERS: u32 = 1;
/// Recoveries that a wider window lasts (RFC 8985 §6.2 step 4).
const PERSIST: u32 = 16;

impl Rack {
    pub(crate) fn new(config: RackConfig) -> Self {
        Self {
            config,
            newest: None,
            rtt: Duration::ZERO,
            min_rtt: None,
            forward: 0,
            reordering_seen: false,
            quarters: QUARTERS,
            persist: 0,
            round: None,
            deadline: Instant::NEVER,
        }
    }

    /// Steps 1 to 3 and the adaptation of the window: what the acknowledgement brought.
    pub(crate) fn on_ack(&mut self, now: Instant, board: &Scoreboard, una: u64, max_sent: u64) {
        for piece in &board.news().delivered {
            let rtt = now - piece.sent;
            if !piece.ever_resent {
                self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
            }
            // Step 2: the answer to a retransmission that came too soon belongs to the original.
            let too_soon = piece.ever_resent && self.min_rtt.is_some_and(|least| rtt < least);
            if !too_soon && self.newest < Some((piece.sent, piece.end)) {
                self.newest = Some((piece.sent, piece.end));
                self.rtt = rtt;
            }
            // Step 3, in the order of the stream: what one ACK tells of was not reordered by it.
            if piece.end < self.forward && !piece.ever_resent {
                self.reordering_seen = true;
            }
            self.forward = self.forward.max(piece.end);
        }
        if self.round.is_some_and(|round| una >= round) {
            self.round = None;
        }
        if board.news().duplicate.is_some() && self.round.is_none() {
            self.round = Some(max_sent);
            self.quarters += 1;
            self.persist = PERSIST;
        }
    }

    /// A recovery ended (RFC 8985 §6.2 step 4).
    pub(crate) fn on_recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = QUARTERS;
        }
    }

    /// Step 4: how much later than expected a segment may be. `enough`: a recovery is under way, or
    /// as many segments as the threshold says are selectively acknowledged.
    fn window(&self, enough: bool, srtt: Option<Duration>) -> Duration {
        if !self.reordering_seen && enough {
            return Duration::ZERO;
        }
        let least = self.min_rtt.unwrap_or(Duration::ZERO);
        let limit = srtt.unwrap_or(least).min(self.config.longest_window);
        (least * u64::from(self.quarters) / 4).min(limit)
    }

    /// Step 5: marks what is lost, and says when the next may be.
    pub(crate) fn mark(
        &mut self,
        now: Instant,
        board: &mut Scoreboard,
        enough: bool,
        srtt: Option<Duration>,
    ) {
        self.deadline = Instant::NEVER;
        let Some((newest, newest_end)) = self.newest else {
            return;
        };
        let patience = self.rtt + self.window(enough, srtt);
        for piece in board.pieces_mut() {
            if piece.sacked || (piece.lost && !piece.resent) {
                continue;
            }
            if (piece.sent, piece.end) >= (newest, newest_end) {
                continue;
            }
            let due = piece.sent + patience;
            if due <= now {
                (piece.lost, piece.resent) = (true, false);
            } else {
                self.deadline = self.deadline.min(due);
            }
        }
    }

    /// RFC 8985 §6.3: after a timeout the first segment is lost, and whatever is as old.
    pub(crate) fn on_timeout(&mut self) {
        self.deadline = Instant::NEVER;
    }
}
