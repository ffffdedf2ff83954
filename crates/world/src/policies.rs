//! ACK policies of one's own: where the receivers of a run get them from.
//!
//! A scenario names such a policy; who starts the run hands over something that makes it. Each
//! receiver of each run gets a policy of its own, so that runs stay independent of each other.

use crate::{RunError, RunOptions};
use acklab_base::FlowId;
use acklab_scenario::{AckOptions, FlowKind, Resolved};
use acklab_tcp::ack::AckPolicy;
use std::fmt::Debug;

/// Makes the policies of one's own that a scenario names.
pub trait Policies: Debug + Send + Sync {
    /// A new policy for the receiver of a flow; `None` if there is none of this name.
    fn make(&self, name: &str, flow: FlowId) -> Option<Box<dyn AckPolicy>>;

    /// The names that there are, for messages.
    fn names(&self) -> Vec<String>;
}

/// The policy of each flow that has one of its own, in the order of the flows.
pub(crate) fn hand_over(
    resolved: &Resolved,
    options: &RunOptions,
) -> Result<Vec<Option<Box<dyn AckPolicy>>>, RunError> {
    let mut all = Vec::with_capacity(resolved.flows.len());
    for (index, flow) in resolved.flows.iter().enumerate() {
        let connection = match &flow.kind {
            FlowKind::Ftp(connection) => Some(connection),
            FlowKind::Sessions(sessions) => Some(&sessions.connection),
            FlowKind::Cbr(_) => None,
        };
        let Some(AckOptions::Own { name }) = connection.map(|connection| &connection.ack) else {
            all.push(None);
            continue;
        };
        let known = options.policies.as_ref();
        let made = known.and_then(|known| known.make(name.as_str(), FlowId(index as u16)));
        let Some(policy) = made else {
            let names = known.map(|known| known.names()).unwrap_or_default();
            return Err(resolved.policy_not_handed_over(index, &names).into());
        };
        all.push(Some(policy));
    }
    Ok(all)
}
