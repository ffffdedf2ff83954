//! Whether each flow's destination can be reached at all.

use crate::error::ScenarioError;
use crate::resolved::{Flow, Resolved, Routing};
use acklab_base::NodeId;
use acklab_radio::Position;

impl Resolved {
    /// Refuses a flow whose ends no chain of nodes connects. `hears` lists for each node with a radio
    /// the nodes that can decode it, ids ascending; a hop counts if both ways can, since 802.11 needs
    /// an answer. Point-to-point links count as they are. Where nodes move they may meet later: then
    /// only static routes, which are those of the start, must be there.
    ///
    /// # Errors
    /// The error names both ends, their distance, and the nearest gap between the nodes that the
    /// sender can reach and the others.
    pub fn check_reachability(&self, hears: &[Vec<NodeId>]) -> Result<(), ScenarioError> {
        if !self.moving.is_empty() && !matches!(self.routing, Routing::Static { .. }) {
            return Ok(());
        }
        let mut parts = Parts((0..self.nodes as usize).collect());
        for (node, list) in hears.iter().enumerate() {
            let this = NodeId(node as u32);
            for other in list.iter().filter(|other| **other > this) {
                if hears[other.index()].binary_search(&this).is_ok() {
                    parts.join(node, other.index());
                }
            }
        }
        for [one, other] in self.links.iter().map(|link| link.between) {
            parts.join(one.index(), other.index());
        }
        if let Some(cells) = &self.cells {
            for mobile in &cells.mobiles {
                parts.join(cells.gateway.index(), mobile.node.index());
            }
        }
        let parts = parts.names();
        let apart = |flow: &Flow| parts[flow.from.index()] != parts[flow.to.index()];
        match self.flows.iter().position(apart) {
            Some(index) => Err(self.unreachable(index, &parts)),
            None => Ok(()),
        }
    }

    fn unreachable(&self, index: usize, part: &[usize]) -> ScenarioError {
        let (from, to) = (self.flows[index].from.index(), self.flows[index].to.index());
        if self.graph.is_some() {
            let message = format!("no path of links leads from node {from} to node {to}");
            let accepted = "nodes that topology.edges connect";
            let key = format!("flow[{index}].to");
            return ScenarioError::new(&self.origin, &key, Some(to.to_string()), message, accepted);
        }
        let inside = |node: &usize| part[*node] == part[from];
        let radios = self.positions.len();
        let key = format!("flow[{index}].to");
        if from.max(to) >= radios {
            let message = format!("no link and no radio leads from node {from} to node {to}");
            let accepted = "nodes that links or radios connect, by way of others or not";
            let given = Some(to.to_string());
            return ScenarioError::new(&self.origin, &key, given, message, accepted);
        }
        let mut gap = (u64::MAX, from, to);
        for a in (0..radios).filter(inside) {
            for b in (0..radios).filter(|node| !inside(node)) {
                gap = gap.min((square(self.positions[a], self.positions[b]), a, b));
            }
        }
        let metres = |a: usize, b: usize| {
            let root = (square(self.positions[a], self.positions[b]) as f64).sqrt();
            format!("{:.1}", root / 1e3)
                .trim_end_matches(".0")
                .to_owned()
        };
        let message = format!(
            "node {to} cannot be reached from node {from}, {} m away; the nearest gap is the {} m \
             between nodes {} and {}",
            metres(from, to),
            metres(gap.1, gap.2),
            gap.1,
            gap.2
        );
        let accepted = "nodes that are near enough to decode each other, or more radio power";
        ScenarioError::new(&self.origin, &key, Some(to.to_string()), message, accepted)
    }
}

/// Nodes that are connected, each with another one of its part; the least of a part has itself.
struct Parts(Vec<usize>);

impl Parts {
    fn least(&mut self, mut node: usize) -> usize {
        while self.0[node] != node {
            // Whoever asks next has half the way to go.
            self.0[node] = self.0[self.0[node]];
            node = self.0[node];
        }
        node
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.least(one), self.least(other));
        self.0[one.max(other)] = one.min(other);
    }

    /// For each node the least one of its part.
    fn names(mut self) -> Vec<usize> {
        (0..self.0.len()).map(|node| self.least(node)).collect()
    }
}

/// The squared distance in square millimetres.
fn square(a: Position, b: Position) -> u64 {
    let (x, y) = (a.x_mm.abs_diff(b.x_mm), a.y_mm.abs_diff(b.y_mm));
    x * x + y * y
}
