//! Counters of many nodes in few bytes: of the hundred of a node all but a handful are zero.
//!
//! Each one that is not is written as its place in the table and its amount, seven bits a byte, the
//! lowest ones first. The one invariant: what is taken out is what was put in.

use crate::counters::{Amounts, NODE_COUNTERS, NodeCounters};

/// Counters of a node.
const AMOUNTS: usize = NODE_COUNTERS.len();

/// Counters of nodes, in the order in which they were put in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PackedCounters {
    bytes: Vec<u8>,
    /// Where those of each node end.
    ends: Vec<u32>,
}

impl PackedCounters {
    /// Adds those of one more node. Panics beyond 4 GB, which is some ten million nodes.
    pub fn push(&mut self, counters: &NodeCounters) {
        for (place, amount) in counters.amounts().into_iter().enumerate() {
            if amount > 0 {
                self.bytes.push(place as u8);
                self.write(amount);
            }
        }
        let end = u32::try_from(self.bytes.len()).expect("counters of less than 4 GB");
        self.ends.push(end);
    }

    fn write(&mut self, mut amount: u64) {
        while amount > 0x7F {
            self.bytes.push(amount as u8 | 0x80);
            amount >>= 7;
        }
        self.bytes.push(amount as u8);
    }

    /// Those of a node, counted from 0.
    #[must_use]
    pub fn get(&self, node: usize) -> NodeCounters {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        let mut bytes = self.bytes[start as usize..self.ends[node] as usize].iter();
        let mut amounts = [0; AMOUNTS];
        while let Some(&place) = bytes.next() {
            let mut shift = 0;
            for &byte in bytes.by_ref() {
                amounts[usize::from(place)] |= u64::from(byte & 0x7F) << shift;
                shift += 7;
                if byte <= 0x7F {
                    break;
                }
            }
        }
        NodeCounters::of_amounts(&amounts)
    }

    /// Nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl<'a> FromIterator<&'a NodeCounters> for PackedCounters {
    fn from_iter<I: IntoIterator<Item = &'a NodeCounters>>(all: I) -> Self {
        let mut packed = Self::default();
        all.into_iter().for_each(|counters| packed.push(counters));
        packed
    }
}

impl FromIterator<NodeCounters> for PackedCounters {
    fn from_iter<I: IntoIterator<Item = NodeCounters>>(all: I) -> Self {
        let mut packed = Self::default();
        all.into_iter().for_each(|counters| packed.push(&counters));
        packed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Amounts of every length, at every place.
    #[test]
    fn what_is_taken_out_is_what_was_put_in() {
        let drawn = |node: usize| {
            let mut amounts = [0_u64; AMOUNTS];
            for (place, amount) in amounts.iter_mut().enumerate() {
                if (node + place).is_multiple_of(3) {
                    *amount = u64::MAX >> ((7 * node + place) % 64);
                }
            }
            NodeCounters::of_amounts(&amounts)
        };
        let all: Vec<NodeCounters> = (0..100).map(drawn).collect();
        let packed: PackedCounters = all.iter().collect();
        assert_eq!(packed.len(), 100);
        for (node, counters) in all.iter().enumerate() {
            assert_eq!(packed.get(node), *counters, "node {node}");
        }
    }

    #[test]
    fn a_node_that_did_nothing_takes_no_bytes() {
        let idle: PackedCounters = [NodeCounters::default(); 3].iter().collect();
        assert_eq!((idle.bytes.len(), idle.len()), (0, 3));
        let busy = NodeCounters {
            rts_sent: 3,
            collisions: 300,
            ..Default::default()
        };
        let busy: PackedCounters = [busy].iter().collect();
        assert_eq!(busy.bytes.len(), 2 + 3);
    }
}
