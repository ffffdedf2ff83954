//! The 802.11 distributed coordination function (IEEE 802.11-1999 clause 9) as a state machine.
//!
//! It follows the rules that ns-2.35 has, or those of the standard, rule by rule ([`Rules`]); the
//! model page lists the differences. It is not a radio: whether the medium is busy and which
//! frames were decoded is told to it. The road of one packet:
//! backoff → RTS → CTS → data → ACK → post-backoff.
//!
//! Invariant: outside a transmission and the wait for its answer, a station with a packet has a
//! backoff, a response or a SIFS pending, or waits for its NAV; it never stalls.

mod backoff;
mod config;
mod contend;
mod foresight;
mod listening;
mod machine;
mod output;
mod passing;
mod receive;
mod rules;
mod send;
#[cfg(test)]
mod tests;
mod unanswered;

pub use config::{DcfConfig, Plan, Preamble, Timing};
pub use foresight::{Act, Pace, Turn};
pub use listening::{Hush, Listening};
pub use machine::{Counters, Dcf};
pub use output::Output;
pub use passing::{Calm, Heard, Passing};
pub use rules::{Access, Rules};
pub use unanswered::Unanswered;
