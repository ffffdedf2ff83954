//! Room 2: everything observable, declared once, and the sinks that listen to it.
//!
//! - [`measure`]: the declared table of measures, name by name, with units.
//! - [`counters`]: [`NodeCounters`] and [`FlowCounters`], plain additions for the hot path.
//! - [`Tally`] and [`PackedCounters`]: the former as a node counts them, and as many nodes' are kept.
//! - [`window`]: time-weighted means of windows; [`report`]: measures out of counters.
//! - [`digest`]: the running digest that says whether two runs did the same.
//! - [`recorder`]: what happened, when and where, kept only when somebody listens, and written
//!   as pcapng, as a raw-IP pcap, or as JSON lines.
//!
//! Nothing here decides anything: no machine reads from this room. The one invariant: a run
//! with a recorder and a run without one are the same run, digest included.

mod cell_event;
pub mod counters;
pub mod digest;
pub mod event;
mod ip_pcap;
mod json_lines;
pub mod measure;
mod packed;
mod pcapng;
mod powers;
pub mod recorder;
pub mod report;
mod tally;
pub mod window;

pub use cell_event::CellEvent;
pub use counters::{FlowCounters, FramesSent, NodeCounters};
pub use digest::{Digest, combine};
pub use event::{
    AgentAct, DropReason, Event, LinkFrame, LinkSight, Reception, SlotContent, SlotPart,
};
pub use measure::{MEASURES, Measure, Scope};
pub use packed::PackedCounters;
pub use pcapng::CaptureOptions;
pub use powers::Powers;
pub use recorder::{FlowEnds, Recorder, RecorderConfig};
pub use report::{FlowReport, NetworkReport, NodeReport};
pub use tally::Tally;
pub use window::{SMALL_WINDOW, TimeMean, WindowMeter};
