//! Base stations, mobiles and other nodes that move, of a resolved scenario.

use crate::document_cells::{CellMac, HandoffManner};
use crate::error::ScenarioError;
use crate::resolved::Resolved;
use acklab_base::{BitRate, Duration, NodeId, Share};
use acklab_radio::{Level, PathLoss, Position, Spot};

/// Whether anything runs over 802.11: nodes with an interface of it do, and base stations that ask for it.
pub(crate) fn has_mac(cells: Option<&Cells>, has_interfaces: bool) -> bool {
    cells.map_or(has_interfaces, |cells| cells.mac == CellMac::Dcf)
}

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

impl Cells {
    /// How pilots weaken with distance.
    #[must_use]
    pub fn path_loss(&self) -> PathLoss {
        PathLoss {
            at_reference: Level::of_watts(self.pilot_w),
            reference_m: self.reference_mm as f64 / 1e3,
            exponent: self.exponent,
        }
    }

    /// The station whose pilot is strongest at a place at the start, and how strong; of equals the one
    /// that is named first. Stations that are off are silent, blackouts weaken; shadowing is left out.
    #[must_use]
    pub fn strongest_at_start(&self, place: Spot) -> Option<(NodeId, Level)> {
        let on = self.stations.iter().filter(|at| !at.is_off(Duration::ZERO));
        let weaker: i32 = (self.blackouts.iter())
            .filter(|blackout| blackout.holds(Duration::ZERO, place))
            .map(|blackout| Level::of_watts(blackout.depth * 1e-3).0)
            .sum();
        let loss = self.path_loss();
        let heard = on.map(|at| {
            let stands = Spot::from_mm(at.position.x_mm, at.position.y_mm);
            (at.node, Level(loss.level(stands, place).0 - weaker))
        });
        heard.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    /// What is wrong with a start at this place and what is accepted, if no station is in range there.
    #[must_use]
    pub(crate) fn out_of_range(&self, place: Spot) -> Option<(String, String)> {
        let least = Level::of_watts(self.reception_w);
        let strongest = self.strongest_at_start(place).map(|(_, level)| level);
        if strongest.is_some_and(|level| level >= least) {
            return None;
        }
        let found = match strongest {
            Some(level) => format!("the strongest pilot is {:.1} dBm", level.dbm()),
            None => "every station is off".to_owned(),
        };
        let message = format!("no base station is in range at the start: {found}");
        let accepted = format!(
            "a start where a pilot is at least {:.1} dBm (cells.reception)",
            least.dbm()
        );
        Some((message, accepted))
    }
}

impl Resolved {
    /// Refuses a mobile that one run, which is named, has start where it hears no station.
    ///
    /// # Errors
    /// The mobile's motion.
    pub fn check_start(&self, mobile: usize, start: Spot, run: &str) -> Result<(), ScenarioError> {
        let Some((message, accepted)) =
            (self.cells.as_ref()).and_then(|cells| cells.out_of_range(start))
        else {
            return Ok(());
        };
        let key = format!("cells.mobile[{mobile}].motion");
        let metres = |nm: i64| format!("{:.1} m", nm as f64 / 1e9);
        let place = format!("[{}, {}]", metres(start.x_nm), metres(start.y_nm));
        let message = format!("{message}, at {place} in {run}");
        Err(ScenarioError::new(
            &self.origin,
            &key,
            None,
            message,
            accepted,
        ))
    }
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

impl Station {
    /// Whether it is off so long after the start.
    #[must_use]
    pub fn is_off(&self, after: Duration) -> bool {
        let mut off = self.off.iter();
        off.any(|&[from, until]| from <= after && after < until)
    }
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

impl Blackout {
    /// Whether it concerns a place so long after the start.
    #[must_use]
    pub fn holds(&self, after: Duration, place: Spot) -> bool {
        let during = self
            .during
            .is_none_or(|[from, until]| from <= after && after < until);
        let inside = self.area.is_none_or(|corners| {
            let [low, high] = corners.map(|at| Spot::from_mm(at.x_mm, at.y_mm));
            let within = |low: i64, at: i64, high: i64| low <= at && at <= high;
            within(low.x_nm, place.x_nm, high.x_nm) && within(low.y_nm, place.y_nm, high.y_nm)
        });
        during && inside
    }
}
