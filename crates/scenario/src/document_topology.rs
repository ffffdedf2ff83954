//! The part of the schema that says where nodes are, and which nodes random flows connect.

use crate::quantities::{Length, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A placement of nodes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(inline)]
pub enum Topology {
    /// Nodes in a straight line.
    Chain {
        /// Number of nodes; a chain of n nodes has n - 1 hops.
        #[schemars(range(min = 2, max = 1_000_000))]
        nodes: u32,
        /// Distance between neighbours.
        #[schemars(extend("x-above-zero" = true))]
        spacing: Length,
    },
    /// Nodes at given coordinates.
    Positions {
        /// The x and y coordinate of each node.
        #[schemars(length(min = 2, max = 1_000_000))]
        positions: Vec<[Length; 2]>,
    },
    /// Nodes in rows and columns, numbered along each row from the first.
    Grid {
        /// Number of rows.
        #[schemars(range(min = 1, max = 1_000))]
        rows: u32,
        /// Nodes in a row.
        #[schemars(range(min = 1, max = 1_000))]
        columns: u32,
        /// Distance between neighbours in a row and in a column.
        #[schemars(extend("x-above-zero" = true))]
        spacing: Length,
        /// Whether there are nodes in the four corners. Default true.
        corners: Option<bool>,
    },
    /// Nodes anywhere on an area with equal chance, placed anew until each can reach each.
    Random {
        /// Number of nodes.
        #[schemars(range(min = 2, max = 100_000))]
        nodes: u32,
        /// Extent of the area along x.
        #[schemars(extend("x-above-zero" = true))]
        width: Length,
        /// Extent of the area along y.
        #[schemars(extend("x-above-zero" = true))]
        height: Length,
        /// Which placement. It does not depend on the seed of a run. Default 1.
        seed: Option<u32>,
    },
    /// Nodes without radios and without places: only `[[point_to_point]]` links connect them.
    Nodes {
        /// Number of nodes.
        #[schemars(range(min = 2, max = 1_000_000))]
        nodes: u32,
    },
    /// The wired network of cells, a tree with point-to-point links (cho2005, Figure 2): correspondent,
    /// gateway, crossover node, and below it a branch for each base station. The numbers of the nodes
    /// do not depend on the depth: 0 is the correspondent, 1 the gateway, then come the base stations,
    /// the mobiles, and the routers.
    AccessTree(AccessTree),
    /// Nodes without places: only who hears whom is known. Needs the slotted radio.
    Graph {
        /// Number of nodes.
        #[schemars(range(min = 2, max = 100_000))]
        nodes: u32,
        /// The pairs of nodes that hear each other.
        #[schemars(length(min = 1, max = 1_000_000))]
        edges: Vec<[u32; 2]>,
    },
}

/// A correspondent, a gateway, and base stations below a crossover node.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct AccessTree {
    /// Hops from the gateway to the crossover node. Default 1; with 0 the gateway is it.
    #[schemars(range(min = 0, max = 10))]
    pub to_crossover: Option<u32>,
    /// Hops from the crossover node to each base station, 1 to 10.
    #[schemars(length(min = 1, max = 1_000))]
    pub branches: Vec<u32>,
    /// Number of mobiles. Default 1.
    #[schemars(range(min = 1, max = 1_000))]
    pub mobiles: Option<u32>,
    /// Rate of each link, each way.
    #[schemars(extend("x-above-zero" = true))]
    pub rate: Rate,
    /// Propagation delay of each link, each way.
    pub delay: Time,
    /// Packets that may wait in each direction of a link. Default 50.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub queue: Option<u32>,
}

/// Flows between random nodes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct RandomFlows {
    /// Number of flows. No two go from the same node to the same other one.
    #[schemars(range(min = 1, max = 65_535))]
    pub count: u32,
    /// Which ends. They depend neither on the seed of a run nor on what the flows are like. Default 1.
    pub seed: Option<u32>,
}
