//! Who hears whom: computed once and stored contiguously where nobody moves, for each frame anew
//! where nodes do.

use crate::grid::Grid;
use crate::motion::Track;
use crate::moving::Moving;
use crate::propagation::{LIGHT_SPEED, Propagation};
use acklab_base::{Duration, Instant, NodeId};
use std::ops::Range;

/// A place in the plane, in integer millimetres.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// East, in millimetres.
    pub x_mm: i64,
    /// North, in millimetres.
    pub y_mm: i64,
}

impl Position {
    /// Distance to `other` in metres.
    #[must_use]
    pub fn distance_m(self, other: Self) -> f64 {
        let dx = (self.x_mm - other.x_mm) as f64 / 1000.0;
        let dy = (self.y_mm - other.y_mm) as f64 / 1000.0;
        (dx * dx + dy * dy).sqrt()
    }
}

/// The transmitter's power and what a receiver needs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Thresholds {
    /// Transmitted power in watts.
    pub transmit_w: f64,
    /// Carrier frequency in hertz.
    pub frequency_hz: f64,
    /// Least power in watts that can be decoded.
    pub decode_w: f64,
    /// Least power in watts that is noticed at all.
    pub sense_w: f64,
    /// Path loss.
    pub propagation: Propagation,
}

impl Thresholds {
    /// The power in watts received at a distance.
    pub(crate) fn received_w(&self, distance_m: f64) -> f64 {
        self.propagation
            .received_w(self.transmit_w, self.frequency_hz, distance_m)
    }

    /// Least power in watts of what a receiver takes any notice of.
    pub(crate) const fn noticed_w(&self) -> f64 {
        self.sense_w.min(self.decode_w)
    }

    /// How a node hears another one that is so far away, if it does.
    pub(crate) fn heard(&self, node: NodeId, distance_m: f64) -> Option<Audible> {
        let power_w = self.received_w(distance_m);
        let decodable = power_w >= self.decode_w;
        (decodable || power_w >= self.sense_w).then(|| Audible::new(node, distance_m, decodable))
    }

    /// The distance in metres beyond which less than this power is received, by bisection to a
    /// ten-thousandth of a millimetre.
    pub(crate) fn range_m(&self, power_w: f64) -> f64 {
        let reached = |metres| self.received_w(metres) >= power_w;
        let (mut near, mut far) = (0.0, 0.001);
        while reached(far) && far < 1e9 {
            near = far;
            far *= 2.0;
        }
        // The farthest interval that is halved is 2^30 m.
        for _ in 0..54 {
            let middle = 0.5 * (near + far);
            if reached(middle) {
                near = middle;
            } else {
                far = middle;
            }
        }
        far
    }
}

/// One node as another one hears it, in eight bytes: a network has hundreds of them a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Audible {
    /// Who hears.
    pub node: NodeId,
    /// The propagation delay in nanoseconds, and [`DECODABLE`] or not.
    delay_ns: u32,
}

/// The bit of [`Audible`] that says that the node can decode what it hears.
const DECODABLE: u32 = 1 << 31;

impl Audible {
    /// Nobody.
    pub const NOBODY: Self = Self {
        node: NodeId::BROADCAST,
        delay_ns: 0,
    };

    /// A node that hears another one so far away.
    pub(crate) fn new(node: NodeId, distance_m: f64, decodable: bool) -> Self {
        let delay = Duration::from_secs_f64(distance_m / LIGHT_SPEED).as_nanos();
        Self::delayed(node, u32::try_from(delay).unwrap_or(u32::MAX), decodable)
    }

    /// A node that hears another one so many nanoseconds later, and one later at least: two that send in
    /// the same instant do not hear each other, whoever is asked first. Two seconds are farther than the moon.
    pub(crate) fn delayed(node: NodeId, delay_ns: u32, decodable: bool) -> Self {
        Self {
            node,
            delay_ns: delay_ns.clamp(1, !DECODABLE) | if decodable { DECODABLE } else { 0 },
        }
    }

    /// Whether it can decode what it hears.
    #[must_use]
    pub const fn decodable(&self) -> bool {
        self.delay_ns & DECODABLE != 0
    }

    /// Propagation delay.
    #[must_use]
    pub fn delay(&self) -> Duration {
        Duration::from_nanos(u64::from(self.delay_ns & !DECODABLE))
    }
}

/// For each node the nodes that hear it, in the order of their ids.
#[derive(Clone, Debug)]
pub struct Reach {
    start: Vec<u32>,
    /// The rows of all nodes as they stand at the start, and behind them, where nodes move, the row
    /// that was asked for last; or all rows that were asked for.
    audible: Vec<Audible>,
    positions: Vec<Position>,
    radio: Thresholds,
    /// Where that must be asked for each time.
    asked: Option<Box<Asked>>,
}

/// Who says who hears whom, when a frame is sent.
#[derive(Clone, Debug)]
enum Asked {
    /// Tracks, for each frame anew.
    Moving(Moving),
    /// Places, once for each node.
    Standing(OnDemand),
}

/// Where the rows of nodes stand that were asked for.
#[derive(Clone, Debug)]
struct OnDemand {
    grid: Grid,
    rows: Vec<(u32, u32)>,
}

/// No row.
const UNKNOWN: (u32, u32) = (u32::MAX, u32::MAX);

impl Reach {
    /// Computes who hears whom. Work and memory grow with the number of pairs in reach, not
    /// with the square of the number of nodes.
    #[must_use]
    pub fn new(positions: &[Position], radio: &Thresholds) -> Self {
        let grid = Grid::new(positions, radio);
        let mut reach = Self {
            start: vec![0],
            audible: Vec::new(),
            positions: positions.to_vec(),
            radio: *radio,
            asked: None,
        };
        for node in 0..positions.len() as u32 {
            grid.row(NodeId(node), positions, radio, &mut reach.audible);
            reach.start.push(reach.audible.len() as u32);
        }
        reach
    }

    /// The same network where a row is worked out when it is asked for first: of the nodes of a large one
    /// few send anything. What asks for all of them at the start must have done so; nobody may move.
    #[must_use]
    pub fn on_demand(self) -> Self {
        let rows = OnDemand {
            grid: Grid::new(&self.positions, &self.radio),
            rows: vec![UNKNOWN; self.nodes()],
        };
        Self {
            start: Vec::new(),
            // Room that is not used is never touched.
            audible: Vec::with_capacity(self.audible.len()),
            asked: Some(Box::new(Asked::Standing(rows))),
            ..self
        }
    }

    /// The same network when its nodes follow these tracks, one for each node. They begin where the
    /// nodes stand.
    #[must_use]
    pub fn on_tracks(mut self, tracks: Vec<Track>) -> Self {
        self.audible.reserve_exact(tracks.len());
        let moving = Moving::new(tracks, &self.radio);
        self.asked = Some(Box::new(Asked::Moving(moving)));
        self
    }

    /// The nodes that hear `node` at the start, ids ascending. Panics after [`Reach::on_demand`].
    #[must_use]
    pub fn of(&self, node: NodeId) -> &[Audible] {
        self.list(self.range(node))
    }

    /// Where [`Reach::of`] stands in the list that [`Reach::at`] reads.
    #[must_use]
    pub fn range(&self, node: NodeId) -> Range<usize> {
        let index = node.index();
        self.start[index] as usize..self.start[index + 1] as usize
    }

    /// Where the nodes that hear a frame which `node` begins to send now stand in that list, ids
    /// ascending. Where nodes move it holds until the next call.
    #[inline]
    pub fn row(&mut self, node: NodeId, now: Instant) -> Range<usize> {
        if self.asked.is_some() {
            return self.asked_row(node, now);
        }
        self.range(node)
    }

    #[inline(never)]
    fn asked_row(&mut self, node: NodeId, now: Instant) -> Range<usize> {
        match self.asked.as_deref_mut() {
            Some(Asked::Moving(moving)) => {
                let standing = self.start.last().map_or(0, |&end| end as usize);
                self.audible.truncate(standing);
                moving.row(node, now, &mut self.audible);
                standing..self.audible.len()
            }
            Some(Asked::Standing(standing)) => {
                let row = &mut standing.rows[node.index()];
                if *row == UNKNOWN {
                    let begin = self.audible.len() as u32;
                    let (grid, positions) = (&standing.grid, &self.positions);
                    grid.row(node, positions, &self.radio, &mut self.audible);
                    *row = (begin, self.audible.len() as u32);
                }
                row.0 as usize..row.1 as usize
            }
            None => self.range(node),
        }
    }

    /// The first that heard the last frame of `node`, where nobody moves and rows are worked out when they are
    /// asked for: to have its row at hand before it is needed.
    #[inline]
    #[must_use]
    pub fn glance(&self, node: NodeId) -> Option<NodeId> {
        let begin = match self.asked.as_deref() {
            Some(Asked::Standing(standing)) => standing.rows[node.index()].0,
            _ => self.start[node.index()],
        };
        self.audible.get(begin as usize).map(|one| one.node)
    }

    /// Whether nodes move.
    #[must_use]
    pub fn moves(&self) -> bool {
        self.moving().is_some()
    }

    fn moving(&self) -> Option<&Moving> {
        match self.asked.as_deref() {
            Some(Asked::Moving(moving)) => Some(moving),
            _ => None,
        }
    }

    /// The members of a [`Reach::row`] or [`Reach::range`].
    #[must_use]
    pub fn list(&self, places: Range<usize>) -> &[Audible] {
        &self.audible[places]
    }

    /// One of them.
    #[must_use]
    pub fn at(&self, place: usize) -> &Audible {
        &self.audible[place]
    }

    /// How `listener` hears what `node` begins to send now, if it does.
    #[must_use]
    pub fn between(&self, node: NodeId, listener: NodeId, now: Instant) -> Option<Audible> {
        let distance_m = match self.asked.as_deref() {
            Some(Asked::Moving(moving)) => moving.distance_m(node, listener, now),
            Some(Asked::Standing(_)) => self.apart_m(node, listener),
            None => {
                let list = self.of(node);
                let place = list.binary_search_by_key(&listener, |a| a.node).ok()?;
                return Some(list[place]);
            }
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
        if let Some(moving) = self.moving() {
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
    pub(crate) fn longest_delay(&self) -> Duration {
        let delays = self.audible.iter().map(Audible::delay);
        delays.max().unwrap_or(Duration::ZERO)
    }

    /// How many may hear a node at the most.
    #[must_use]
    pub fn longest_row(&self) -> usize {
        if self.moves() {
            return self.nodes();
        }
        let rows = self.start.windows(2).map(|ends| ends[1] - ends[0]);
        rows.max().unwrap_or(0) as usize
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.positions.len()
    }

    /// Forgets who hears whom, but for where the nodes stand: nothing is sent any more.
    pub fn forget_rows(&mut self) {
        (self.start, self.audible, self.asked) = (Vec::new(), Vec::new(), None);
    }

    /// For each node the nodes that decode it at the start.
    #[must_use]
    pub fn decodable_neighbours(&self) -> Vec<Vec<NodeId>> {
        (0..self.nodes())
            .map(|i| {
                let list = self.of(NodeId(i as u32)).iter();
                list.filter(|a| a.decodable()).map(|a| a.node).collect()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let reach = Reach::new(&chain(4, 200_000), &radio());
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
            let reach = Reach::new(&chain(2, spacing_mm), &radio());
            let delay = reach.of(NodeId(0))[0].delay();
            assert_eq!(delay.as_nanos(), delay_ns, "{spacing_mm} mm");
            let (low_w, high_w) = reach.power_bounds_w(delay);
            let power_w = reach.power_w(NodeId(0), NodeId(1), Instant::ZERO);
            assert!((low_w..=high_w).contains(&power_w), "{spacing_mm} mm");
        }
    }

    #[test]
    fn the_grid_of_cells_finds_what_all_pairs_find() {
        let seed = 5;
        let address = acklab_base::Address {
            seed,
            run: 0,
            node: NodeId(0),
            purpose: acklab_base::Purpose::Placement,
        };
        let mut draw = address.open();
        let mut coordinate = || i64::from(draw.below(4_000_000)) - 2_000_000;
        let positions: Vec<Position> = (0..300)
            .map(|_| Position {
                x_mm: coordinate(),
                y_mm: coordinate(),
            })
            .collect();
        let reach = Reach::new(&positions, &radio());
        for (i, &from) in positions.iter().enumerate() {
            let all: Vec<Audible> = (0..positions.len())
                .filter(|&j| j != i)
                .filter_map(|j| radio().heard(NodeId(j as u32), from.distance_m(positions[j])))
                .collect();
            assert_eq!(reach.of(NodeId(i as u32)), all, "seed {seed}, node {i}");
        }
    }
}
