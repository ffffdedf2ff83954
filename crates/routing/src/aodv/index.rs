//! Where the entry of a node stands in a list: open addressing with a fixed hash.
//!
//! It holds places only, and asks its owner whose entry stands there. The one invariant: what it
//! answers hangs on nothing but the nodes that were put in; nobody walks over it.

use acklab_base::NodeId;

/// Low bits of a slot: the place and one. Those above: a part of the hash, so that other entries are
/// rarely looked at.
const PLACE_BITS: u32 = 24;

/// Selects the place in a slot.
const PLACE: u32 = (1 << PLACE_BITS) - 1;

/// Slots of the smallest index.
const LEAST: usize = 8;

/// Places by node.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// A power of two, at most three quarters of them in use; 0 is a free one.
    slots: Vec<u32>,
}

impl Index {
    /// The place of the entry that `is_it` says is that of `node`.
    #[inline]
    pub(super) fn find(&self, node: NodeId, is_it: impl Fn(usize) -> bool) -> Option<usize> {
        let hash = hash(node);
        let mut at = self.first(hash);
        loop {
            // None has been put in yet, or a free slot ends the search.
            let slot = *self.slots.get(at).filter(|&&slot| slot != 0)?;
            let place = (slot & PLACE) as usize - 1;
            if (slot ^ hash << PLACE_BITS) <= PLACE && is_it(place) {
                return Some(place);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Puts `node` in, which is not in it: its entry is the last of `nodes`, the entries of all.
    pub(super) fn insert_last<I>(&mut self, mut nodes: I)
    where
        I: ExactSizeIterator<Item = NodeId> + DoubleEndedIterator,
    {
        let count = nodes.len();
        if count * 4 <= self.slots.len() * 3 {
            if let Some(node) = nodes.next_back() {
                self.put(node, count - 1);
            }
            return;
        }
        let room = (self.slots.len() * 2).max(LEAST);
        self.slots.clear();
        self.slots.resize(room, 0);
        for (place, node) in nodes.enumerate() {
            self.put(node, place);
        }
    }

    fn put(&mut self, node: NodeId, place: usize) {
        assert!(place < PLACE as usize, "no network has so many nodes");
        let hash = hash(node);
        let mut at = self.first(hash);
        while self.slots[at] != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = hash << PLACE_BITS | (place as u32 + 1);
    }

    /// Where the search for a node begins.
    fn first(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.slots.len() as u64) >> 32) as usize
    }
}

/// Neighbouring numbers lie far apart (multiplication by 2³² over the golden ratio, made odd).
const fn hash(node: NodeId) -> u32 {
    node.0.wrapping_mul(0x9E37_79B1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes in a row, far apart, and such as differ in few bits of their hash.
    #[test]
    fn each_node_is_found_where_it_was_put_and_no_other_is() {
        for stride in [1, 7, 100, 1 << 8, 1 << 20, 0x3A94_7D51] {
            let nodes: Vec<NodeId> = (0..2000_u32)
                .map(|n| NodeId(n.wrapping_mul(stride).rotate_left(n / 500)))
                .collect();
            let mut index = Index::default();
            let mut held: Vec<NodeId> = Vec::new();
            for &node in &nodes {
                let found = index.find(node, |place| held[place] == node);
                assert_eq!(found, held.iter().position(|&other| other == node));
                if found.is_none() {
                    held.push(node);
                    index.insert_last(held.iter().copied());
                }
            }
            for (place, &node) in held.iter().enumerate() {
                assert_eq!(index.find(node, |at| held[at] == node), Some(place));
            }
        }
    }
}
