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
        let Written::Snoop {
            node,
            toward,
            rules,
            cache,
            min_timer,
        } = written;
        place(filling, &key, *node, *toward, nodes)?;
        let (node, toward) = (NodeId(*node), NodeId(*toward));
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
        let at = |name: &str| format!("{key}.{name}");
        let rules = filling.pick(
            &at("rules"),
            *rules,
            fixed(SnoopRules::Paper, "vaidya1999 section 4"),
        );
        let cache = filling.pick(&at("cache"), *cache, fixed(100, "SNOOP_MAXWIND of ns-2"));
        let min_timer = filling.pick(
            &at("min_timer"),
            *min_timer,
            fixed(millis(100), "SNOOP_MIN_TIMEO of ns-2"),
        );
        agents.push(Agent {
            node,
            toward,
            kind: AgentKind::Snoop(SnoopOptions {
                rules,
                cache,
                min_timer: min_timer.0,
            }),
        });
    }
    Ok(agents)
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
