//! Nodes sorted into squares as wide as a radio reaches, so that who hears whom is asked of the
//! neighbourhood alone.

use crate::audible::{Audible, Position, Thresholds};
use acklab_base::NodeId;

/// A square: its column and its row.
type Square = (i64, i64);

/// Which nodes stand in which square.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    side_mm: i64,
    /// Beyond this nothing is noticed, in metres.
    range_m: f64,
    /// Squares in which nodes stand, in order, each with its end in `nodes`.
    squares: Vec<(Square, u32)>,
    /// By square, ids ascending.
    nodes: Vec<u32>,
}

impl Grid {
    pub(crate) fn new(positions: &[Position], radio: &Thresholds) -> Self {
        let range_m = radio.range_m(radio.noticed_w());
        let mut grid = Self {
            side_mm: (range_m * 1000.0).ceil().max(1.0) as i64,
            range_m,
            squares: Vec::new(),
            nodes: (0..positions.len() as u32).collect(),
        };
        let mut nodes = std::mem::take(&mut grid.nodes);
        nodes.sort_unstable_by_key(|&node| (grid.square(positions[node as usize]), node));
        for (place, &node) in nodes.iter().enumerate() {
            let (square, end) = (grid.square(positions[node as usize]), place as u32 + 1);
            match grid.squares.last_mut() {
                Some(last) if last.0 == square => last.1 = end,
                _ => grid.squares.push((square, end)),
            }
        }
        grid.nodes = nodes;
        grid
    }

    fn square(&self, place: Position) -> Square {
        let along = |mm: i64| mm.div_euclid(self.side_mm);
        (along(place.x_mm), along(place.y_mm))
    }

    /// The nodes that stand from the first of these squares to the last one, in a column.
    fn column(&self, first: Square, last: Square) -> &[u32] {
        let begin = |place: usize| place.checked_sub(1).map_or(0, |one| self.squares[one].1);
        let from = self.squares.partition_point(|one| one.0 < first);
        let to = self.squares.partition_point(|one| one.0 <= last);
        &self.nodes[begin(from) as usize..begin(to) as usize]
    }

    /// Adds the nodes that hear `node`, ids ascending.
    pub(crate) fn row(
        &self,
        node: NodeId,
        positions: &[Position],
        radio: &Thresholds,
        found: &mut Vec<Audible>,
    ) {
        let begin = found.len();
        let here = positions[node.index()];
        let (column, row) = self.square(here);
        for x in column - 1..=column + 1 {
            for &other in self.column((x, row - 1), (x, row + 1)) {
                let distance_m = here.distance_m(positions[other as usize]);
                if distance_m <= self.range_m && other != node.0 {
                    found.extend(radio.heard(NodeId(other), distance_m));
                }
            }
        }
        found[begin..].sort_unstable_by_key(|one| one.node);
    }
}
