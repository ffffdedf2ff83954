//! Who hears whom in a network that does not move, computed once and stored contiguously.

use crate::propagation::{LIGHT_SPEED, Propagation};
use acklab_base::{Duration, NodeId};
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
    audible: Vec<Audible>,
    positions: Vec<Position>,
    radio: Thresholds,
}

impl Reach {
    /// Computes who hears whom. Work and memory grow with the number of pairs in reach, not
    /// with the square of the number of nodes.
    #[must_use]
    pub fn new(positions: &[Position], radio: &Thresholds) -> Self {
        let cell_mm = (Self::range_m(radio) * 1000.0).ceil().max(1.0) as i64;
        let cell = |p: Position| (p.x_mm.div_euclid(cell_mm), p.y_mm.div_euclid(cell_mm));
        let mut cells: Vec<((i64, i64), u32)> = positions
            .iter()
            .enumerate()
            .map(|(i, &p)| (cell(p), i as u32))
            .collect();
        cells.sort_unstable();
        let mut reach = Self {
            start: vec![0],
            audible: Vec::new(),
            positions: positions.to_vec(),
            radio: *radio,
        };
        let mut found = Vec::new();
        for (index, &here) in positions.iter().enumerate() {
            found.clear();
            let (column, row) = cell(here);
            for x in column - 1..=column + 1 {
                let from = cells.partition_point(|&(c, _)| c < (x, row - 1));
                let to = cells.partition_point(|&(c, _)| c <= (x, row + 1));
                for &(_, other) in &cells[from..to] {
                    if other as usize != index {
                        found.extend(hear(radio, NodeId(other), here, positions[other as usize]));
                    }
                }
            }
            found.sort_unstable_by_key(|a: &Audible| a.node);
            reach.audible.extend_from_slice(&found);
            reach.start.push(reach.audible.len() as u32);
        }
        reach
    }

    /// The nodes that hear `node`, ids ascending.
    #[must_use]
    pub fn of(&self, node: NodeId) -> &[Audible] {
        &self.audible[self.range(node)]
    }

    /// Where [`Reach::of`] stands in the list that [`Reach::at`] reads.
    #[must_use]
    pub fn range(&self, node: NodeId) -> Range<usize> {
        let index = node.index();
        self.start[index] as usize..self.start[index + 1] as usize
    }

    /// A member of a [`Reach::range`].
    #[must_use]
    pub fn at(&self, place: usize) -> &Audible {
        &self.audible[place]
    }

    /// How `listener` hears `node`, if it does.
    #[must_use]
    pub fn between(&self, node: NodeId, listener: NodeId) -> Option<&Audible> {
        let list = self.of(node);
        list.binary_search_by_key(&listener, |a| a.node)
            .ok()
            .map(|place| &list[place])
    }

    /// The power in watts at which `listener` receives `node`. Worked out anew each time: it is
    /// asked only where two frames meet.
    #[must_use]
    pub fn power_w(&self, node: NodeId, listener: NodeId) -> f64 {
        let (from, to) = (
            self.positions[node.index()],
            self.positions[listener.index()],
        );
        received(&self.radio, from.distance_m(to))
    }

    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.start.len() - 1
    }

    /// For each node the nodes that decode it.
    #[must_use]
    pub fn decodable_neighbours(&self) -> Vec<Vec<NodeId>> {
        (0..self.nodes())
            .map(|i| {
                let list = self.of(NodeId(i as u32)).iter();
                list.filter(|a| a.decodable()).map(|a| a.node).collect()
            })
            .collect()
    }

    /// The distance in metres beyond which nothing is noticed, by bisection to a millimetre.
    fn range_m(radio: &Thresholds) -> f64 {
        let noticed = |m| received(radio, m) >= radio.sense_w.min(radio.decode_w);
        let mut near = 0.001;
        let mut far = 0.001;
        while noticed(far) && far < 1e9 {
            near = far;
            far *= 2.0;
        }
        while far - near > 0.001 {
            let middle = 0.5 * (near + far);
            if noticed(middle) {
                near = middle;
            } else {
                far = middle;
            }
        }
        far
    }
}

fn received(radio: &Thresholds, distance_m: f64) -> f64 {
    radio
        .propagation
        .received_w(radio.transmit_w, radio.frequency_hz, distance_m)
}

fn hear(radio: &Thresholds, node: NodeId, from: Position, to: Position) -> Option<Audible> {
    let distance = from.distance_m(to);
    let power_w = received(radio, distance);
    let decodable = power_w >= radio.decode_w;
    (decodable || power_w >= radio.sense_w).then(|| {
        let delay = Duration::from_secs_f64(distance / LIGHT_SPEED).as_nanos();
        // Two seconds of propagation are farther than the moon.
        let delay = u32::try_from(delay).map_or(!DECODABLE, |ns| ns.min(!DECODABLE));
        Audible {
            node,
            delay_ns: delay | if decodable { DECODABLE } else { 0 },
        }
    })
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
        assert!(reach.between(NodeId(0), NodeId(3)).is_none());
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
                .filter_map(|j| hear(&radio(), NodeId(j as u32), from, positions[j]))
                .collect();
            assert_eq!(reach.of(NodeId(i as u32)), all, "seed {seed}, node {i}");
        }
    }
}
