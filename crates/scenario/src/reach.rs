//! Whether each flow's destination can be reached at all.

use crate::error::ScenarioError;
use crate::resolved::{Position, Resolved, Routing};
use acklab_base::NodeId;

impl Resolved {
    /// Refuses a flow whose ends no chain of nodes connects. `reach(a, b)` says whether node `b`
    /// can decode node `a` and is asked of nodes with a radio; a hop counts if both ways can, since
    /// 802.11 needs an answer. Point-to-point links count as they are. Where nodes move they may meet
    /// later: then only static routes, which are those of the start, must be there.
    ///
    /// # Errors
    /// The error names both ends, their distance, and the nearest gap between the nodes that the
    /// sender can reach and the others.
    pub fn check_reachability(
        &self,
        reach: impl Fn(usize, usize) -> bool,
    ) -> Result<(), ScenarioError> {
        if !self.moving.is_empty() && !matches!(self.routing, Routing::Static { .. }) {
            return Ok(());
        }
        let wired = |a: usize, b: usize| {
            let ends = [a, b].map(|node| NodeId(node as u32));
            let mut links = self.links.iter();
            let mut reached = self.cells.iter();
            links.any(|link| ends.iter().all(|end| link.between.contains(end)))
                || reached.any(|cells| {
                    let mobile = |end| cells.mobiles.iter().any(|mobile| mobile.node == end);
                    let gateway = |end| end == cells.gateway;
                    (gateway(ends[0]) && mobile(ends[1])) || (gateway(ends[1]) && mobile(ends[0]))
                })
        };
        let radios = self.positions.len();
        let heard = |a: usize, b: usize| a.max(b) < radios && reach(a, b) && reach(b, a);
        let linked = |a: usize, b: usize| heard(a, b) || wired(a, b);
        // Flows in one connected part ask the same question: the answer is kept.
        let mut part: Vec<Option<usize>> = vec![None; self.nodes as usize];
        for (index, flow) in self.flows.iter().enumerate() {
            let (from, to) = (flow.from.index(), flow.to.index());
            if part[from].is_none() {
                spread(&mut part, from, &linked);
            }
            if part[from] != part[to] {
                return Err(self.unreachable(index, &part));
            }
        }
        Ok(())
    }

    fn unreachable(&self, index: usize, part: &[Option<usize>]) -> ScenarioError {
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

/// Marks every node that `start` is connected with.
fn spread(part: &mut [Option<usize>], start: usize, linked: &impl Fn(usize, usize) -> bool) {
    let mut others: Vec<usize> = (0..part.len())
        .filter(|&n| n != start && part[n].is_none())
        .collect();
    let mut open = vec![start];
    part[start] = Some(start);
    while let Some(node) = open.pop() {
        others.retain(|&other| {
            let found = linked(node, other);
            if found {
                part[other] = Some(start);
                open.push(other);
            }
            !found
        });
    }
}

/// The squared distance in square millimetres.
fn square(a: Position, b: Position) -> u64 {
    let (x, y) = (a.x_mm.abs_diff(b.x_mm), a.y_mm.abs_diff(b.y_mm));
    x * x + y * y
}
