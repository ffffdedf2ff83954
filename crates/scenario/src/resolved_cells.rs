//! Base stations, mobiles and other nodes that move, of a resolved scenario.

use crate::document_cells::{CellMac, HandoffManner};
use crate::resolved::Position;
use acklab_base::{BitRate, Duration, NodeId, Share};

/// Base stations, mobiles and Cellular IP; the schema says what each parameter is.
#[derive(Clone, PartialEq, Debug)]
pub struct Cells {
    /// The root of the access network.
    pub gateway: NodeId,
    /// What lies below the wireless hop.
    pub mac: CellMac,
    /// Rate of the wireless hop.
    pub rate: BitRate,
    /// Its delay.
    pub delay: Duration,
    /// Packets that may wait in each direction.
    pub queue: u32,
    /// Loss of packets.
    pub loss: Share,
    /// Loss of beacons.
    pub beacon_loss: Share,
    /// Time between beacons, above zero.
    pub beacon_period: Duration,
    /// Pilot level at the reference distance, in watts.
    pub pilot_w: f64,
    /// Reference distance in millimetres, above zero.
    pub reference_mm: i64,
    /// Path-loss exponent.
    pub exponent: f64,
    /// Standard deviation of shadowing, as a linear ratio, at least 1.
    pub shadowing: f64,
    /// Decorrelation distance in millimetres, above zero.
    pub decorrelation_mm: i64,
    /// Least level received, in watts; never above `handoff_w`.
    pub reception_w: f64,
    /// L_Handoff in watts, below a milliwatt; (1 - α) × L_Handoff is never above `pilot_w`.
    pub handoff_w: f64,
    /// α, between 0 and 1.
    pub alpha: f64,
    /// Hysteresis as a linear ratio, at least 1.
    pub hysteresis: f64,
    /// Silence after which a station is lost, longer than the beacon period.
    pub patience: Duration,
    /// Hard or semisoft.
    pub manner: HandoffManner,
    /// How long before the handoff a semisoft one is prepared.
    pub semisoft_delay: Duration,
    /// Delay of packets to the new branch.
    pub delay_device: Duration,
    /// Whether a handoff sends a route update.
    pub update_at_handoff: bool,
    /// Route-update time.
    pub route_update: Duration,
    /// Route timeout, longer than `route_update`.
    pub route_timeout: Duration,
    /// Paging-update time.
    pub paging_update: Duration,
    /// Paging timeout, longer than `paging_update`.
    pub paging_timeout: Duration,
    /// Active-state timeout.
    pub active_timeout: Duration,
    /// Base stations.
    pub stations: Vec<Station>,
    /// Mobiles.
    pub mobiles: Vec<Mobile>,
    /// Blackouts.
    pub blackouts: Vec<Blackout>,
}

/// A base station.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Station {
    /// The node.
    pub node: NodeId,
    /// Where it stands.
    pub position: Position,
    /// When it is off, ascending and apart.
    pub off: Vec<[Duration; 2]>,
}

/// A mobile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mobile {
    /// The node.
    pub node: NodeId,
    /// How it moves.
    pub motion: Motion,
}

/// A motion; the schema says what each one is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Motion {
    /// None.
    Resting(Position),
    /// One way.
    Straight {
        /// From and to.
        ends: [Position; 2],
        /// Nanometres an hour, above zero.
        speed: u64,
    },
    /// To and fro.
    BackAndForth {
        /// From and to, never the same.
        ends: [Position; 2],
        /// Nanometres an hour, above zero.
        speed: u64,
    },
    /// Times, ascending, with places.
    Waypoints(Vec<(Duration, Position)>),
    /// Random waypoint.
    RandomWaypoint {
        /// The south-western corner.
        corner: Position,
        /// The extent.
        size: Position,
        /// Least and largest speed in nanometres an hour, above zero, ascending.
        speeds: [u64; 2],
        /// Rest.
        pause: Duration,
    },
    /// A script that reads well, and a node of it.
    Setdest {
        /// The text.
        script: String,
        /// The node; `None`: the one of the same number.
        script_node: Option<u32>,
    },
}

/// Nodes with an 802.11 radio that move in one way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moving {
    /// The nodes, in no other entry. Only one, if the motion says where it starts.
    pub nodes: Vec<NodeId>,
    /// How each of them moves.
    pub motion: Motion,
}

/// A blackout.
#[derive(Clone, PartialEq, Debug)]
pub struct Blackout {
    /// South-western and north-eastern corner.
    pub area: Option<[Position; 2]>,
    /// From and until.
    pub during: Option<[Duration; 2]>,
    /// How much weaker, as a linear ratio, at least 1.
    pub depth: f64,
}
