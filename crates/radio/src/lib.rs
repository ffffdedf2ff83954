//! Room 3: who hears what, when, and what becomes of frames that overlap.
//!
//! [`propagation`] turns distance into power, [`reach`] lists once who hears whom, and
//! [`receiver`] is the machine that locks on a frame, loses it or decodes it. No MAC decision is
//! taken here.

mod arrival;
pub mod propagation;
pub mod reach;
pub mod receiver;

pub use arrival::{Arrival, Settle};
pub use propagation::Propagation;
pub use reach::{Audible, Position, Reach, Thresholds};
pub use receiver::{CaptureRule, Loss, Receiver, Rules};
