//! Who hears whom: stored contiguously where nobody moves, worked out at once or, in a large network, for
//! each node when it sends first; for each frame anew where nodes move.

use crate::audible::{Audible, Position, Thresholds};
use crate::grid::Grid;
use crate::motion::Track;
use crate::moving::Moving;
use crate::propagation::LIGHT_SPEED;
use acklab_base::{Duration, Instant, NodeId};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Networks of so many nodes or more work out who hears a node when it sends first: few of their nodes
/// send anything.
const LARGE: usize = 2_000;

/// For each node the nodes that hear it, in the order of their ids.
#[derive(Clone, Debug)]
pub struct Reach {
    rows: Rows,
    /// The rows of all nodes, or those that were asked for; where nodes move the one that was asked for last.
    audible: Vec<Audible>,
    positions: Arc<[Position]>,
    radio: Thresholds,
    extent: Extent,
}

/// Where rows stand.
#[derive(Clone, Debug)]
enum Rows {
    /// Those of all nodes one after the other: where each begins, and where the last one ends.
    All(Vec<u32>),
    /// Those that were asked for; an empty one if one was not.
    Asked(Grid, Vec<(u32, u32)>),
    /// Worked out for each frame anew.
    Moving(Box<Moving>),
}

/// How much is heard at the start.
#[derive(Clone, Copy, Default, Debug)]
struct Extent {
    pairs: usize,
    longest_row: usize,
    longest_delay: Duration,
}

impl Extent {
    fn add(&mut self, row: &[Audible]) {
        self.pairs += row.len();
        self.longest_row = self.longest_row.max(row.len());
        let delay = row.iter().map(Audible::delay).max();
        self.longest_delay = self.longest_delay.max(delay.unwrap_or_default());
    }
}

impl Reach {
    /// Computes who hears whom. Work and memory grow with the number of pairs in reach, not
    /// with the square of the number of nodes. The places may be shared.
    #[must_use]
    pub fn new(positions: impl Into<Arc<[Position]>>, radio: &Thresholds) -> Self {
        let positions = positions.into();
        let grid = Grid::new(&positions, radio);
        let (mut audible, mut starts) = (Vec::new(), vec![0]);
        let mut extent = Extent::default();
        let is_large = positions.len() >= LARGE;
        for node in 0..positions.len() as u32 {
            let begin = audible.len();
            grid.row(NodeId(node), &positions, radio, &mut audible);
            extent.add(&audible[begin..]);
            if is_large {
                audible.clear();
            } else {
                starts.push(audible.len() as u32);
            }
        }
        let rows = if is_large {
            // Room that is not used is never touched.
            audible = Vec::with_capacity(extent.pairs);
            Rows::Asked(grid, vec![(0, 0); positions.len()])
        } else {
            Rows::All(starts)
        };
        Self {
            rows,
            audible,
            positions,
            radio: *radio,
            extent,
        }
    }

    /// The same network when its nodes follow these tracks, one for each node. They begin where the
    /// nodes stand.
    #[must_use]
    pub fn on_tracks(self, tracks: Vec<Track>) -> Self {
        Self {
            audible: Vec::with_capacity(tracks.len()),
            rows: Rows::Moving(Box::new(Moving::new(tracks, &self.radio))),
            ..self
        }
    }

    /// The nodes that hear `node` at the start, ids ascending.
    #[must_use]
    pub fn of(&self, node: NodeId) -> Cow<'_, [Audible]> {
        match &self.rows {
            Rows::All(starts) => Cow::Borrowed(&self.audible[range(starts, node)]),
            Rows::Asked(grid, _) => {
                let mut row = Vec::new();
                grid.row(node, &self.positions, &self.radio, &mut row);
                Cow::Owned(row)
            }
            Rows::Moving(_) => {
                let others = (0..self.nodes() as u32)
                    .map(NodeId)
                    .filter(|&one| one != node);
                let heard = |one| self.radio.heard(one, self.apart_m(node, one));
                Cow::Owned(others.filter_map(heard).collect())
            }
        }
    }

    /// Where the nodes that hear a frame which `node` begins to send now stand in the list that [`Reach::list`]
    /// reads, ids ascending. Where nodes move it holds until the next call.
    #[inline]
    pub fn row(&mut self, node: NodeId, now: Instant) -> Range<usize> {
        match &self.rows {
            Rows::All(starts) => range(starts, node),
            _ => self.asked_row(node, now),
        }
    }

    /// The same where there is more to it.
    #[inline(never)]
    fn asked_row(&mut self, node: NodeId, now: Instant) -> Range<usize> {
        if let Rows::Moving(moving) = &mut self.rows {
            self.audible.clear();
            moving.row(node, now, &mut self.audible);
            return 0..self.audible.len();
        }
        if self.known_row(node).is_empty() {
            let begin = self.audible.len() as u32;
            if let Rows::Asked(grid, rows) = &mut self.rows {
                grid.row(node, &self.positions, &self.radio, &mut self.audible);
                rows[node.index()] = (begin, self.audible.len() as u32);
            }
        }
        self.known_row(node)
    }

    /// The row of a node where nobody moves, if it is known; else an empty one.
    fn known_row(&self, node: NodeId) -> Range<usize> {
        match &self.rows {
            Rows::All(starts) => range(starts, node),
            Rows::Asked(_, rows) => rows[node.index()].0 as usize..rows[node.index()].1 as usize,
            Rows::Moving(_) => 0..0,
        }
    }

    /// The first one that hears `node`, if that is known already: to have its row at hand before it is needed.
    #[inline]
    #[must_use]
    pub fn glance(&self, node: NodeId) -> Option<NodeId> {
        self.audible[self.known_row(node)]
            .first()
            .map(|one| one.node)
    }

    /// Whether nodes move.
    #[must_use]
    pub const fn moves(&self) -> bool {
        matches!(self.rows, Rows::Moving(_))
    }

    /// The members of a [`Reach::row`].
    #[must_use]
    pub fn list(&self, places: Range<usize>) -> &[Audible] {
        &self.audible[places]
    }

    /// How `listener`, another node, hears what `node` begins to send now, if it does.
    #[must_use]
    pub fn between(&self, node: NodeId, listener: NodeId, now: Instant) -> Option<Audible> {
        let distance_m = match &self.rows {
            Rows::All(starts) => {
                let list = &self.audible[range(starts, node)];
                let place = list.binary_search_by_key(&listener, |a| a.node).ok()?;
                return Some(list[place]);
            }
            Rows::Asked(..) => self.apart_m(node, listener),
            Rows::Moving(moving) => moving.distance_m(node, listener, now),
        };
        self.radio.heard(listener, distance_m)
    }

    /// How far from each other two nodes stand, in metres.
    fn apart_m(&self, one: NodeId, other: NodeId) -> f64 {
        self.positions[one.index()].distance_m(self.positions[other.index()])
    }

    /// The power in watts at which `listener` receives a frame of `node` whose first bit it hears
    /// now. Worked out anew each time: it is asked only where two frames meet.
    #[must_use]
    pub fn power_w(&self, node: NodeId, listener: NodeId, now: Instant) -> f64 {
        if let Rows::Moving(moving) = &self.rows {
            return moving.power_w(node, listener, now);
        }
        self.radio.received_w(self.apart_m(node, listener))
    }

    /// Between which powers in watts a frame arrives that took so long, to the nanosecond.
    pub(crate) fn power_bounds_w(&self, delay: Duration) -> (f64, f64) {
        let nanos = delay.as_nanos() as f64;
        // A delay is a distance to half a nanosecond, and to what rounding may change; none is shorter than
        // one nanosecond, however near the antennas are.
        let received_w = |nanos: f64| self.radio.received_w(nanos * 1e-9 * LIGHT_SPEED);
        let high_w = if nanos > 1.5 {
            received_w(nanos - 0.501)
        } else {
            f64::INFINITY
        };
        (received_w(nanos + 0.501), high_w)
    }

    /// How long the frame takes that is heard farthest away at the start.
    #[must_use]
    pub const fn longest_delay(&self) -> Duration {
        self.extent.longest_delay
    }

    /// Pairs of nodes, one of which hears the other at the start.
    #[must_use]
    pub const fn pairs(&self) -> usize {
        self.extent.pairs
    }

    /// How many may hear a node at the most.
    #[must_use]
    pub fn longest_row(&self) -> usize {
        if self.moves() {
            self.nodes()
        } else {
            self.extent.longest_row
        }
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.positions.len()
    }

    /// Forgets who hears whom, but for where the nodes stand: nothing is sent any more.
    pub fn forget_rows(&mut self) {
        (self.rows, self.audible) = (Rows::All(Vec::new()), Vec::new());
    }

    /// For each node the nodes that decode it at the start.
    #[must_use]
    pub fn decodable_neighbours(&self) -> Vec<Vec<NodeId>> {
        (0..self.nodes())
            .map(|i| {
                let list = self.of(NodeId(i as u32));
                let decodable = list.iter().filter(|a| a.decodable());
                decodable.map(|a| a.node).collect()
            })
            .collect()
    }
}

/// The row of a node, if all stand one after the other.
fn range(starts: &[u32], node: NodeId) -> Range<usize> {
    let index = node.index();
    starts[index] as usize..starts[index + 1] as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Propagation;

    fn radio() -> Thresholds {
        Thresholds {
            transmit_w: 0.281_838_15,
            frequency_hz: 914e6,
            decode_w: 3.652e-10,
            sense_w: 1.559e-11,
            propagation: Propagation::TwoRay {
                antenna_height_m: 1.5,
            },
        }
    }

    fn chain(nodes: i64, spacing_mm: i64) -> Vec<Position> {
        (0..nodes)
            .map(|i| Position {
                x_mm: i * spacing_mm,
                y_mm: 0,
            })
            .collect()
    }

    /// ```text
    ///  0 ----200m---- 1 ------------- 2 ------------- 3
    ///    decodes          senses          hears nothing
    /// ```
    #[test]
    fn a_chain_hears_one_hop_senses_two_and_misses_three() {
        let reach = Reach::new(chain(4, 200_000), &radio());
        let heard = reach.of(NodeId(0));
        assert_eq!(heard.len(), 2);
        assert_eq!((heard[0].node, heard[0].decodable()), (NodeId(1), true));
        assert_eq!((heard[1].node, heard[1].decodable()), (NodeId(2), false));
        assert_eq!(heard[0].delay().as_nanos(), 667);
        assert!(reach.between(NodeId(0), NodeId(3), Instant::ZERO).is_none());
    }

    #[test]
    fn a_frame_takes_a_nanosecond_to_the_nearest_antenna() {
        for (spacing_mm, delay_ns) in [(1, 1), (149, 1), (300, 1), (600, 2)] {
            let reach = Reach::new(chain(2, spacing_mm), &radio());
            let delay = reach.of(NodeId(0))[0].delay();
            assert_eq!(delay.as_nanos(), delay_ns, "{spacing_mm} mm");
            let (low_w, high_w) = reach.power_bounds_w(delay);
            let power_w = reach.power_w(NodeId(0), NodeId(1), Instant::ZERO);
            assert!((low_w..=high_w).contains(&power_w), "{spacing_mm} mm");
        }
    }

    fn scattered(seed: u64, nodes: usize) -> Vec<Position> {
        let address = acklab_base::Address {
            seed,
            run: 0,
            node: NodeId(0),
            purpose: acklab_base::Purpose::Placement,
        };
        let mut draw = address.open();
        let mut coordinate = || i64::from(draw.below(4_000_000)) - 2_000_000;
        let place = |_| Position {
            x_mm: coordinate(),
            y_mm: coordinate(),
        };
        (0..nodes).map(place).collect()
    }

    /// In a small network and in a large one, whose rows are asked for out of order.
    #[test]
    fn the_grid_finds_what_all_pairs_find() {
        for (seed, nodes, step) in [(5, 300, 1), (6, LARGE - 1, 61), (7, LARGE, 61)] {
            let positions = scattered(seed, nodes);
            let mut reach = Reach::new(&*positions, &radio());
            let (mut longest, now) = (0, Instant::ZERO);
            for i in (0..nodes).rev().step_by(step).chain([nodes - 1]) {
                let (node, from) = (NodeId(i as u32), positions[i]);
                let all: Vec<Audible> = (0..nodes)
                    .filter(|&j| j != i)
                    .filter_map(|j| radio().heard(NodeId(j as u32), from.distance_m(positions[j])))
                    .collect();
                assert_eq!(*reach.of(node), all, "seed {seed}, node {i}");
                let row = reach.row(node, now);
                assert_eq!(reach.list(row), all, "seed {seed}, node {i}");
                assert_eq!(reach.glance(node), all.first().map(|one| one.node));
                for one in &all {
                    assert_eq!(reach.between(node, one.node, now), Some(*one));
                }
                longest = longest.max(all.len());
            }
            assert!(longest > 10 && longest <= reach.longest_row());
            assert!(reach.longest_delay().as_nanos() <= 1_835);
        }
    }
}
