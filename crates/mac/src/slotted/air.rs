//! One slot on the air: who may transmit, and who hears what.
//!
//! Each contender starts in a mini-slot. It transmits unless a neighbour that started in an
//! earlier one is heard by then; equal mini-slots both transmit. A node that does not transmit
//! receives a frame if exactly one of its neighbours transmits. There is no capture and no noise.
//!
//! Invariant: between [`Air::open`] and the next one, a node transmits at most once.

use acklab_base::NodeId;

/// A node that wants the slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contender {
    /// The node.
    pub node: NodeId,
    /// The mini-slot in which it starts.
    pub mini_slot: u32,
    /// Whether it listens before that.
    pub senses: bool,
}

/// Lists of nodes, one for each node, in one piece.
#[derive(Clone, Debug, Default)]
struct Lists {
    starts: Vec<u32>,
    nodes: Vec<NodeId>,
}

impl Lists {
    fn new(lists: &[Vec<NodeId>]) -> Self {
        let mut starts = vec![0];
        let mut nodes = Vec::new();
        for list in lists {
            nodes.extend_from_slice(list);
            starts.push(nodes.len() as u32);
        }
        Self { starts, nodes }
    }

    fn of(&self, node: NodeId) -> &[NodeId] {
        let place = node.index();
        &self.nodes[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// What one node has on its antenna.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Heard {
    /// Neighbours that transmit.
    count: u32,
    /// The first of them, as a place in the list of transmissions.
    first: u32,
}

/// The shared medium of all nodes, for one slot at a time.
#[derive(Clone, Debug)]
pub struct Air {
    /// Who decodes a node's frames.
    reach: Lists,
    /// Who keeps a node silent by transmitting.
    sensed: Lists,
    /// The mini-slot in which a node started; [`u32::MAX`] if it does not transmit.
    started: Vec<u32>,
    heard: Vec<Heard>,
    transmitting: Vec<NodeId>,
    listening: Vec<NodeId>,
}

impl Air {
    /// The medium of a network: `reach[u]` lists the nodes that decode what u sends, `sensed[u]`
    /// those whose transmissions u senses.
    #[must_use]
    pub fn new(reach: &[Vec<NodeId>], sensed: &[Vec<NodeId>]) -> Self {
        Self {
            reach: Lists::new(reach),
            sensed: Lists::new(sensed),
            started: vec![u32::MAX; reach.len()],
            heard: vec![Heard::default(); reach.len()],
            transmitting: Vec::with_capacity(reach.len()),
            listening: Vec::with_capacity(reach.len()),
        }
    }

    /// A new slot, with silence.
    pub fn open(&mut self) {
        for node in self.transmitting.drain(..) {
            self.started[node.index()] = u32::MAX;
        }
        for node in self.listening.drain(..) {
            self.heard[node.index()] = Heard::default();
        }
    }

    /// Decides who transmits. `contenders` is put into the order of their mini-slots; `busy` is
    /// told of each that must not.
    pub fn resolve(&mut self, contenders: &mut [Contender], mut busy: impl FnMut(NodeId)) {
        contenders.sort_unstable_by_key(|one| (one.mini_slot, one.node));
        for one in contenders.iter() {
            let earlier = |other: &NodeId| self.started[other.index()] < one.mini_slot;
            if one.senses && self.sensed.of(one.node).iter().any(earlier) {
                busy(one.node);
            } else {
                self.started[one.node.index()] = one.mini_slot;
                self.transmitting.push(one.node);
            }
        }
        for (place, &node) in self.transmitting.iter().enumerate() {
            for &listener in self.reach.of(node) {
                let heard = &mut self.heard[listener.index()];
                if heard.count == 0 {
                    heard.first = place as u32;
                    self.listening.push(listener);
                }
                heard.count += 1;
            }
        }
    }

    /// The nodes that transmit, in the order in which they started.
    #[must_use]
    pub fn transmitting(&self) -> &[NodeId] {
        &self.transmitting
    }

    /// The nodes with a transmitting neighbour, those that transmit themselves among them.
    #[must_use]
    pub fn listening(&self) -> &[NodeId] {
        &self.listening
    }

    /// Who decodes what `node` sends.
    #[must_use]
    pub fn reach(&self, node: NodeId) -> &[NodeId] {
        self.reach.of(node)
    }

    /// Whether `node` keeps silent while `other` transmits.
    #[must_use]
    pub fn senses(&self, node: NodeId, other: NodeId) -> bool {
        self.sensed.of(node).contains(&other)
    }

    /// Whether `node` transmits.
    #[must_use]
    pub fn transmits(&self, node: NodeId) -> bool {
        self.started[node.index()] != u32::MAX
    }

    /// How many neighbours of `node` transmit.
    #[must_use]
    pub fn count(&self, node: NodeId) -> u32 {
        self.heard[node.index()].count
    }

    /// The transmission that `node` receives, as a place in [`Air::transmitting`]: it is silent
    /// and exactly one neighbour transmits.
    #[must_use]
    pub fn received(&self, node: NodeId) -> Option<usize> {
        let heard = self.heard[node.index()];
        (heard.count == 1 && !self.transmits(node)).then_some(heard.first as usize)
    }
}
