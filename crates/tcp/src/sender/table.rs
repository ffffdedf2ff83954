//! The sender's states and what moves it between them, declared once: a test checks that random
//! runs make these moves and no others, and that the model page shows this table.

use super::{Sender, State};
use crate::recovery::Phase;

/// Connection state and phase of repair in one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Standing {
    /// Not opened.
    Closed,
    /// The SYN is out.
    SynSent,
    /// Data flows, no loss is known.
    Open,
    /// Holes are repaired while new data flows.
    FastRecovery,
    /// Everything from the first hole on is sent again.
    Loss,
}

/// A row of the table. What is not in it leaves the sender where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    /// Where it stands.
    pub from: Standing,
    /// What happens.
    pub cause: &'static str,
    /// Where it goes.
    pub to: Standing,
}

const fn row(from: Standing, cause: &'static str, to: Standing) -> Transition {
    Transition { from, cause, to }
}

/// All moves.
pub const TRANSITIONS: &[Transition] = &[
    row(
        Standing::Closed,
        "opened, with a handshake",
        Standing::SynSent,
    ),
    row(Standing::Closed, "opened, without one", Standing::Open),
    row(Standing::SynSent, "SYN-ACK", Standing::Open),
    row(
        Standing::Open,
        "third duplicate ACK that the guard lets pass; for Vegas also one whose segment is late",
        Standing::FastRecovery,
    ),
    row(Standing::Open, "the same, Tahoe", Standing::Loss),
    row(
        Standing::Open,
        "retransmission timer, or a window that closes with data out",
        Standing::Loss,
    ),
    row(
        Standing::FastRecovery,
        "ACK of everything sent before the loss; for Reno and Vegas any new ACK",
        Standing::Open,
    ),
    row(
        Standing::FastRecovery,
        "retransmission timer, or a window that closes",
        Standing::Loss,
    ),
    row(
        Standing::Loss,
        "ACK of everything sent before the loss",
        Standing::Open,
    ),
    row(
        Standing::Loss,
        "third duplicate ACK of the first data segment, or with the guard off; for Vegas a late segment",
        Standing::FastRecovery,
    ),
];

impl Sender {
    /// Where the sender stands.
    #[must_use]
    pub fn standing(&self) -> Standing {
        match (self.state, self.recovery.phase) {
            (State::Closed, _) => Standing::Closed,
            (State::SynSent { .. }, _) => Standing::SynSent,
            (State::Established, Phase::Open) => Standing::Open,
            (State::Established, Phase::FastRecovery { .. }) => Standing::FastRecovery,
            (State::Established, Phase::Loss) => Standing::Loss,
        }
    }
}
