//! Loss recovery with selective acknowledgements: RFC 6675, and RACK (RFC 8985) on top, whose probe
//! is in `tail`.
//!
//! It replaces what duplicate and partial ACKs mean to the other variants; window growth, timers and
//! the timeout's return to the first hole are theirs. The invariant: in fast recovery nothing
//! leaves while the data thought to be under way fills the window.

use super::tail::Tail;
use super::{Sender, SenderNote};
use crate::loss::{Rack, mark_by_count};
use crate::recovery::Phase;
use crate::sack::Detection;
use crate::scoreboard::Scoreboard;
use acklab_base::Instant;
use acklab_wire::Segment;
use acklab_wire::options::MAX_SACK_BLOCKS;

/// What a sender with selective acknowledgements knows beside the others.
#[derive(Clone, Debug)]
pub(super) struct Selective {
    pub(super) board: Scoreboard,
    rack: Option<Rack>,
    /// A rescue retransmission left in this recovery (RFC 6675 §4, rule 4).
    rescued: bool,
    pub(super) tail: Tail,
}

impl Selective {
    pub(super) fn new(detection: Detection) -> Self {
        Self {
            board: Scoreboard::default(),
            rack: match detection {
                Detection::Rfc6675 => None,
                Detection::Rack(config) => Some(Rack::new(config)),
            },
            rescued: false,
            tail: Tail::NONE,
        }
    }
}

impl Sender {
    /// An ACK up to `ack` of a sender with selective acknowledgements. One is `stopped` while its
    /// window is closed, or opens with this ACK, and looks for no loss; a `noticed` ACK has told of
    /// its own.
    pub(super) fn on_selective_ack(
        &mut self,
        now: Instant,
        segment: &Segment,
        ack: u64,
        (stopped, noticed): (bool, bool),
    ) {
        let mut blocks = [(0, 0); MAX_SACK_BLOCKS];
        let count = self.read_blocks(segment, &mut blocks);
        let Some(selective) = &mut self.selective else {
            return;
        };
        let news = selective.board.on_ack(ack, &blocks[..count]);
        let (sacked, duplicate) = (news.sacked, news.duplicate);
        let outstanding = self.una < self.max_sent;
        let advances = ack > self.una;
        if advances {
            self.on_cumulative(now, ack);
        }
        if stopped {
            return;
        }
        if !advances && !noticed && sacked && outstanding {
            // RFC 6675 §2: a duplicate ACK brings news of what arrived.
            self.recovery.dupacks += 1;
        }
        self.check_tail(ack, advances, duplicate);
        self.detect(now, true);
        self.plan_tail(now);
    }

    /// The blocks of an ACK as offsets, those that make sense.
    fn read_blocks(&self, segment: &Segment, into: &mut [(u64, u64); MAX_SACK_BLOCKS]) -> usize {
        let mut count = 0;
        for &(start, end) in segment.options.sack.as_slice() {
            let (Some(start), Some(end)) = (self.offset(start), self.offset(end)) else {
                continue;
            };
            if start < end && end <= self.max_sent {
                into[count] = (start, end);
                count += 1;
            }
        }
        count
    }

    /// The new part of the stream is acknowledged.
    fn on_cumulative(&mut self, now: Instant, ack: u64) {
        let acked = (ack - self.una) as f64 / f64::from(self.config.mss);
        let recovering = matches!(self.recovery.phase, Phase::FastRecovery { .. });
        let ends = ack >= self.recovery.recover;
        self.limited_bytes = 0;
        self.timed_out_at = None;
        self.recovery.dupacks = 0;
        self.accept(now, ack);
        if recovering && !ends {
            return;
        }
        if ends {
            self.recovery.phase = Phase::Open;
        }
        let selective = self.selective.as_mut();
        if recovering && let Some(rack) = selective.and_then(|s| s.rack.as_mut()) {
            rack.on_recovered();
        }
        // The ACK that ends a recovery does not make the window grow, in ns-2 neither.
        if recovering {
            let ssthresh = self.ssthresh();
            if !self.keeps_window()
                && let Some(control) = self.congestion.loss_mut()
            {
                control.set_cwnd(ssthresh);
            }
        } else if !self.is_closed()
            && let Some(control) = self.congestion.loss_mut()
        {
            control.on_ack(acked);
        }
    }

    /// Marks what is lost, and begins a recovery if anything is.
    fn detect(&mut self, now: Instant, of_ack: bool) {
        let threshold = self.config.dupack_threshold;
        let recovering = self.recovery.phase != Phase::Open;
        let reached = self.recovery.dupacks >= threshold;
        let (una, max_sent, srtt) = (self.una, self.max_sent, self.rtt.srtt());
        let Some(selective) = &mut self.selective else {
            return;
        };
        let board = &mut selective.board;
        if let Some(rack) = &mut selective.rack {
            if of_ack {
                rack.on_ack(now, board, una, max_sent);
            }
            let enough = recovering || board.sacked() >= threshold as usize;
            rack.mark(now, board, enough, srtt);
        } else {
            mark_by_count(board, threshold, self.config.mss);
        }
        let lost = match selective.rack {
            Some(_) => board.has_loss(),
            // RFC 6675 §5, (1) and (2).
            None => reached || board.first_is_lost(),
        };
        // Where radio losses are marked, only a duplicate without the mark tells of congestion.
        let judged = !self.config.eln || self.recovery.dupacks > 0;
        if lost && judged && self.recovery.phase == Phase::Open && self.una < self.max_sent {
            self.begin_selective_recovery(now);
        }
    }

    /// RFC 6675 §5, step 4.
    fn begin_selective_recovery(&mut self, now: Instant) {
        let load = self.load();
        if let Some(control) = self.congestion.loss_mut() {
            control.on_fast_retransmit(load, false);
        }
        self.recovery.recover = self.max_sent;
        self.recovery.phase = Phase::FastRecovery {
            partial_seen: false,
        };
        self.timed = None;
        self.note(SenderNote::FastRetransmit);
        self.note(SenderNote::WindowCut);
        let Some(selective) = &mut self.selective else {
            return;
        };
        selective.rescued = false;
        // RFC 8985 §7.1: the window is cut now for what the probe may have repaired.
        selective.tail = Tail::NONE;
        if selective.rack.is_none() {
            selective.board.begin_recovery();
        }
        self.repair_first_lost(now);
        self.arm(now);
    }

    /// Whether the scoreboard says what is to be repaired.
    pub(super) fn repairs_by_scoreboard(&self) -> bool {
        self.selective.is_some() && matches!(self.recovery.phase, Phase::FastRecovery { .. })
    }

    /// Step 4.3: the first lost segment leaves whatever the window says (with RACK, RFC 6937 §3).
    pub(super) fn repair_first_lost(&mut self, now: Instant) {
        let lost = self.selective.as_ref().and_then(|s| s.board.next_lost());
        if let Some((start, end)) = lost
            && self.has_turn_to_repair(now)
        {
            self.resend(now, start, end);
        }
    }

    /// Sends what window and scoreboard allow (RFC 6675 §5, steps 3.3 and C).
    pub(super) fn send_selective(&mut self, now: Instant) {
        match self.recovery.phase {
            Phase::FastRecovery { .. } => while self.has_room() && self.send_next_seg(now) {},
            Phase::Open if self.recovery.dupacks > 0 => {
                if self.config.limited_transmit && self.has_room() {
                    let before = self.max_sent;
                    self.send_new(now);
                    self.limited_bytes += self.max_sent - before;
                }
            }
            Phase::Open | Phase::Loss => self.fill(now, None),
        }
    }

    /// Whether cwnd − pipe ≥ 1 segment.
    fn has_room(&self) -> bool {
        let pipe = self.selective.as_ref().map_or(0, |s| s.board.pipe());
        let pipe = pipe as f64 / f64::from(self.config.mss);
        self.cwnd().min(self.limit()) - pipe >= 1.0
    }

    /// RFC 6675 §4, NextSeg, and the transmission of what it names.
    fn send_next_seg(&mut self, now: Instant) -> bool {
        let Some(selective) = &self.selective else {
            return false;
        };
        if let Some((start, end)) = selective.board.next_lost() {
            return self.resend(now, start, end);
        }
        if self.send_new(now) {
            return true;
        }
        let Some(selective) = &self.selective else {
            return false;
        };
        if selective.rack.is_some() {
            return false;
        }
        if let Some((start, end)) = selective.board.next_doubtful() {
            return self.resend(now, start, end);
        }
        if !self.config.sack.rescue || selective.rescued {
            return false;
        }
        let last = selective.board.last_open();
        let sent = last.is_some_and(|(start, end)| self.resend(now, start, end));
        if let Some(selective) = &mut self.selective {
            selective.rescued = sent;
        }
        sent
    }

    /// New data, as far as the receiver's window has room.
    pub(super) fn send_new(&mut self, now: Instant) -> bool {
        self.nxt = self.nxt.max(self.max_sent);
        let window = self.limit().floor() as u64 * u64::from(self.config.mss);
        self.send_next(now, window)
    }

    fn resend(&mut self, now: Instant, start: u64, end: u64) -> bool {
        if self.is_closed() || !self.has_turn(now) {
            return false;
        }
        self.nxt = self.nxt.max(end);
        self.transmit(now, start, end - start);
        true
    }

    /// RACK's timer or its probe's.
    pub(super) fn on_selective_wake(&mut self, now: Instant) {
        let rack = self.selective.as_ref().and_then(|s| s.rack.as_ref());
        if rack.is_some_and(|rack| now >= rack.deadline) {
            self.detect(now, false);
            self.send_selective(now);
        }
        self.probe_if_due(now);
    }

    /// After a timeout everything from the first hole on is sent again (RFC 2018 §8).
    pub(super) fn forget_selective(&mut self) {
        if let Some(selective) = &mut self.selective {
            selective.board.forget();
            selective.tail = Tail::NONE;
            if let Some(rack) = &mut selective.rack {
                rack.on_timeout();
            }
        }
    }

    /// What was acknowledged selectively since the timeout is left out (RFC 6675 §5.1).
    pub(super) fn skip_sacked(&mut self) {
        let board = self.selective.as_ref().map(|s| &s.board);
        if let Some(end) = board.and_then(|board| board.end_of_sacked(self.nxt)) {
            self.nxt = end;
        }
    }

    /// When RACK or its probe wants to be woken.
    pub(super) fn selective_deadline(&self) -> Instant {
        let selective = self.selective.as_ref();
        selective.map_or(Instant::NEVER, |selective| {
            let rack = selective.rack.as_ref();
            let rack = rack.map_or(Instant::NEVER, |rack| rack.deadline);
            rack.min(selective.tail.deadline.max(self.turn()))
        })
    }
}
