//! Room 3: TCP, one way: a sender, a receiver, and the acknowledgement policies between them.
//!
//! Both ends are pure state machines: `on_*(now, …)` in, [`Sender::poll`] and [`Receiver::poll`]
//! out, `next_wake()` when time matters. Nothing here knows a network, a clock or a generator, so
//! the same machines can steer real packets.
//!
//! | file | what lives there |
//! | --- | --- |
//! | `config` | parameters, and the profiles `ns2` and `standard` |
//! | `sender/` | what leaves and when; the timer; what an ACK does |
//! | `recovery` | loss detection by duplicate ACKs, phases of repair |
//! | `cc/` | congestion control: how large the window is, by losses or by delay (Vegas) |
//! | `sack`, `scoreboard`, `loss` | selective acknowledgements: parameters, what is under way, what is lost |
//! | `rtt` | round-trip time and retransmission timeout |
//! | `receiver/` | reassembly, and when an ACK leaves at once |
//! | `ack/` | one file a policy: how long an in-order segment may wait |
//! | `handoff` | what a mobile end does while its link is about to go |
//!
//! The invariant of the room: what is acknowledged has arrived, and what was written is sent until
//! it is acknowledged.

pub mod ack;
mod cc;
pub mod config;
pub mod handoff;
mod loss;
pub mod receiver;
mod recovery;
pub mod rtt;
pub mod sack;
mod scoreboard;
pub mod sender;
pub mod vegas;
pub mod westwood;

pub use ack::{
    AckConfig, AckPolicy, AckReason, AdaptiveDelay, DelayTimer, DupackDelay, Numbering, Release,
};
pub use config::{
    Cut, Duplicates, Estimator, FullAck, Growth, Guard, Idle, NewRenoConfig, RtoConfig,
    SenderConfig, Variant,
};
pub use handoff::{Freeze, Handoff, HeldAcks, Pacing, PacingEnd};
pub use receiver::{
    NewestRepeated, Receiver, ReceiverConfig, ReceiverNote, ReceiverOutput, SackLength,
    SackReceiver,
};
pub use recovery::Phase;
pub use rtt::RttEstimator;
pub use sack::{Detection, RackConfig, SackConfig};
pub use sender::{Sender, SenderNote, SenderOutput, Standing, State};
pub use vegas::{Decision, VegasConfig};
pub use westwood::BandwidthFilter;
