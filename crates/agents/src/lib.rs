//! Room 3: what sits on a base station or relay and looks at the packets that pass.
//!
//! An agent sees headers and nothing else: this room cannot see TCP, so no agent can read a
//! sender's window. The one invariant: what an agent does depends only on the packets that it
//! was shown and on time.

pub mod handoff;
pub mod held;
pub mod loss_notice;
pub mod mtcp;
pub mod snoop;

pub use handoff::{HandoffAgent, HandoffConfig, HandoffOutput};
pub use held::Held;
pub use loss_notice::LossNotifier;
pub use mtcp::{Supervisor, SupervisorConfig};
pub use snoop::{Snoop, SnoopConfig};

/// What becomes of a packet that an agent was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It goes on.
    Pass,
    /// It goes on with the mark of Explicit Loss Notification.
    Mark,
    /// It goes on and acknowledges one byte less (M-TCP).
    HoldByte,
    /// It goes no further.
    Suppress,
}
