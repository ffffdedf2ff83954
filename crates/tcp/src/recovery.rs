//! Loss detection by duplicate ACKs, and what phase of repair the sender is in (RFC 5681 §3.2,
//! RFC 6582 §3.2, RFC 3042).
//!
//! It decides what a duplicate or a new ACK means; it neither sends nor sizes the window. The
//! invariant: `inflation` is zero outside fast recovery (unless ns-2's old rule is switched on).

use crate::config::{Guard, SenderConfig, Variant};

/// The phase of repair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// No loss is known to be unrepaired.
    Open,
    /// Reno's and NewReno's fast recovery.
    FastRecovery {
        /// A partial ACK has restarted the retransmission timer already.
        partial_seen: bool,
    },
    /// Going back to the first unacknowledged segment, after a timeout, a closed window or Tahoe's
    /// fast retransmit, until everything sent before is acknowledged.
    Loss,
}

/// What a duplicate ACK asks the sender to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DuplicateAck {
    /// Nothing of its own.
    Counted,
    /// Send one segment beyond the window.
    LimitedTransmit,
    /// Repair the first hole.
    FastRetransmit,
}

/// What an ACK for new data is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NewAck {
    /// One of normal operation.
    Normal,
    /// It ends fast recovery.
    EndsRecovery,
    /// It leaves a hole behind it: the next one to repair.
    Partial {
        /// The first of this recovery.
        first: bool,
    },
}

/// Counts duplicate ACKs and keeps the phase.
#[derive(Clone, Debug)]
pub(crate) struct Recovery {
    pub(crate) phase: Phase,
    /// Duplicate ACKs since the last new one that was no partial ACK.
    pub(crate) dupacks: u32,
    /// Stream offset behind the last byte that was sent when the last loss was detected.
    pub(crate) recover: u64,
    /// Segments by which fast recovery inflates the window.
    pub(crate) inflation: f64,
}

impl Recovery {
    /// Nothing lost yet; the SYN, at offset 0, counts as covered when it is acknowledged.
    pub(crate) fn new() -> Self {
        Self {
            phase: Phase::Open,
            dupacks: 0,
            recover: 1,
            inflation: 0.0,
        }
    }

    /// Counts a duplicate ACK for `una`, the first unacknowledged offset.
    pub(crate) fn on_duplicate(&mut self, config: &SenderConfig, una: u64) -> DuplicateAck {
        self.dupacks += 1;
        let in_recovery = matches!(self.phase, Phase::FastRecovery { .. });
        if self.dupacks < config.dupack_threshold {
            if config.limited_transmit {
                DuplicateAck::LimitedTransmit
            } else {
                DuplicateAck::Counted
            }
        } else if self.dupacks == config.dupack_threshold {
            if self.may_retransmit(config, una) {
                return DuplicateAck::FastRetransmit;
            }
            if config.inflate_unguarded && config.variant != Variant::Tahoe {
                self.inflation = f64::from(config.dupack_threshold);
            }
            DuplicateAck::Counted
        } else {
            if in_recovery || (config.inflate_unguarded && config.variant != Variant::Tahoe) {
                self.inflation += 1.0;
            }
            DuplicateAck::Counted
        }
    }

    /// RFC 6582 §3.2 step 2: duplicate ACKs that retransmitted segments cause must not start
    /// another fast retransmit.
    fn may_retransmit(&self, config: &SenderConfig, una: u64) -> bool {
        let covered = match config.guard {
            Guard::Careful => una > self.recover,
            Guard::LessCareful => una >= self.recover,
            Guard::Off => true,
        };
        covered || (config.first_segment_exempt && una == 1)
    }

    /// A fast retransmit starts; `max_sent` is the offset behind the last byte sent.
    pub(crate) fn enter_fast(&mut self, config: &SenderConfig, max_sent: u64) {
        self.recover = max_sent;
        if config.variant == Variant::Tahoe {
            self.phase = Phase::Loss;
        } else {
            self.phase = Phase::FastRecovery {
                partial_seen: false,
            };
            self.inflation = f64::from(config.dupack_threshold);
        }
    }

    /// The retransmission timer expired.
    pub(crate) fn on_timeout(&mut self, config: &SenderConfig, max_sent: u64) {
        self.on_pause(config, max_sent);
        self.phase = Phase::Loss;
    }

    /// The timer expired with nothing outstanding.
    pub(crate) fn on_pause(&mut self, config: &SenderConfig, max_sent: u64) {
        self.phase = Phase::Open;
        // ns-2's Tahoe goes on counting, so that no duplicate that is still under way makes
        // Limited Transmit send a segment again.
        if config.variant != Variant::Tahoe {
            self.dupacks = 0;
        }
        self.recover = max_sent;
        self.inflation = 0.0;
    }

    /// An ACK up to `ack` that is new. Counts are reset unless it is a partial one.
    pub(crate) fn on_new_ack(&mut self, config: &SenderConfig, ack: u64) -> NewAck {
        let kind = match &mut self.phase {
            Phase::FastRecovery { partial_seen }
                if config.variant == Variant::NewReno && ack < self.recover =>
            {
                let first = !*partial_seen;
                *partial_seen = true;
                return NewAck::Partial { first };
            }
            Phase::FastRecovery { .. } => NewAck::EndsRecovery,
            Phase::Open | Phase::Loss => NewAck::Normal,
        };
        if kind == NewAck::EndsRecovery || ack >= self.recover {
            self.phase = Phase::Open;
        }
        self.dupacks = 0;
        self.inflation = 0.0;
        kind
    }

    /// A partial ACK for `acked` segments takes back their inflation and puts one segment on top
    /// for the retransmission (RFC 6582 §3.2 step 3). Returns by how much the congestion window
    /// itself must shrink where the inflation did not suffice; one is left, as the mark of an
    /// inflated window.
    pub(crate) fn deflate(&mut self, config: &SenderConfig, acked: f64) -> f64 {
        if !config.newreno.deflate {
            self.inflation = 0.0;
            0.0
        } else if self.inflation > acked {
            self.inflation -= acked - 1.0;
            0.0
        } else {
            let rest = acked - self.inflation;
            self.inflation = 1.0;
            rest
        }
    }
}
