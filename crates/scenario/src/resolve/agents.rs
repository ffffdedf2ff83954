//! Agents on base stations.

use super::{Filling, fixed, millis};
use crate::document_agents::{Agent as Written, SnoopRules};
use crate::error::ScenarioError;
use crate::resolved_links::{Agent, AgentKind, SnoopOptions};
use acklab_base::NodeId;

pub(super) fn agents(
    filling: &mut Filling<'_>,
    given: &[Written],
    nodes: u32,
) -> Result<Vec<Agent>, ScenarioError> {
    let mut agents: Vec<Agent> = Vec::with_capacity(given.len());
    for (index, written) in given.iter().enumerate() {
        let key = format!("agent[{index}]");
        filling.given(&format!("{key}.kind"));
        let (node, toward) = written.place();
        place(filling, &key, node, toward, nodes)?;
        let (node, toward) = (NodeId(node), NodeId(toward));
        if agents
            .iter()
            .any(|other| (other.node, other.toward) == (node, toward))
        {
            return Err(filling.error(
                &format!("{key}.toward"),
                Some(&toward.0),
                "there is an agent for this neighbour already",
                "one agent for each neighbour of a node",
            ));
        }
        let kind = kind(filling, &key, written);
        agents.push(Agent { node, toward, kind });
    }
    Ok(agents)
}

/// What it is, with its parameters.
fn kind(filling: &mut Filling<'_>, key: &str, written: &Written) -> AgentKind {
    let at = |name: &str| format!("{key}.{name}");
    let kept = fixed(100, "SNOOP_MAXWIND of ns-2");
    match written {
        Written::Snoop {
            rules,
            cache,
            min_timer,
            ..
        } => {
            let paper = fixed(SnoopRules::Paper, "vaidya1999 section 4");
            let rules = filling.pick(&at("rules"), *rules, paper);
            let cache = filling.pick(&at("cache"), *cache, kept);
            let least = fixed(millis(100), "SNOOP_MIN_TIMEO of ns-2");
            let min_timer = filling.pick(&at("min_timer"), *min_timer, least);
            AgentKind::Snoop(SnoopOptions {
                rules,
                cache,
                min_timer: min_timer.0,
            })
        }
        Written::LossNotice { memory, .. } => AgentKind::LossNotice {
            memory: filling.pick(&at("memory"), *memory, kept),
        },
        Written::Split { .. } => AgentKind::Split,
        Written::MTcp { least_silence, .. } => {
            let half = fixed(millis(100), "half of the least timeout of ns-2's senders");
            let least = filling.pick(&at("least_silence"), *least_silence, half);
            AgentKind::MTcp {
                least_silence: least.0,
            }
        }
    }
}

/// Two different nodes that exist.
fn place(
    filling: &mut Filling<'_>,
    key: &str,
    node: u32,
    toward: u32,
    nodes: u32,
) -> Result<(), ScenarioError> {
    for (name, value) in [("node", node), ("toward", toward)] {
        let key = format!("{key}.{name}");
        filling.given(&key);
        if value >= nodes {
            let message = format!("there is no such node: the topology has {nodes} nodes");
            let accepted = format!("0 to {}", nodes - 1);
            return Err(filling.error(&key, Some(&value), message, accepted));
        }
    }
    if node == toward {
        return Err(filling.error(
            &format!("{key}.toward"),
            Some(&toward),
            "an agent cannot watch the node that it sits on",
            "a neighbour of the node",
        ));
    }
    Ok(())
}
