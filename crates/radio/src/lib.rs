//! Room 3: who hears what, when, and what becomes of frames that overlap.
//!
//! [`propagation`] turns distance into power, [`Reach`] lists who hears whom, and
//! [`receiver`] is the machine that locks on a frame, loses it or decodes it. [`motion`] says where
//! a node that moves is, and [`cell`] how strong the pilots of base stations are there. No MAC
//! decision is taken here.

mod arrival;
mod audible;
pub mod cell;
mod episode;
mod grid;
pub mod motion;
mod moving;
pub mod propagation;
mod reach;
pub mod receiver;
mod strength;

pub use arrival::{Arrival, Settle};
pub use audible::{Audible, Position, Thresholds};
pub use cell::{Level, PathLoss, Shadow};
pub use episode::Episode;
pub use motion::{Knot, RandomWaypoint, Speed, Spot, Track};
pub use propagation::Propagation;
pub use reach::Reach;
pub use receiver::{CaptureRule, Loss, Receiver, Rules};
pub use strength::Strengths;
