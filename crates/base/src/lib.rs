//! Room 0: what every other room counts, orders and draws with.
//!
//! Nothing here knows a protocol. The one invariant: no value in this crate depends on the
//! platform, the clock of the machine, or the order in which anything else runs.

pub mod ids;
pub mod math;
pub mod random;
pub mod rate;
pub mod seq;
pub mod share;
pub mod smoothed;
pub mod thin;
pub mod time;

pub use ids::{FlowId, NodeId};
pub use random::{Address, Purpose, Stream};
pub use rate::BitRate;
pub use seq::Seq32;
pub use share::Share;
pub use smoothed::Smoothed;
pub use thin::ThinStream;
pub use time::{Duration, Instant, LAST_TIME};
