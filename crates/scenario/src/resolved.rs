//! The resolved scenario: every value filled, in base units, with where it came from.

use crate::document::{Access, CaptureRule, Preamble, Propagation, QueueKind};
use crate::error::ScenarioError;
use crate::origin::Origin;
use crate::profile::Profile;
use crate::resolved_cells::{Cells, Moving};
pub use crate::resolved_flow::{
    AckOptions, Cbr, DupackDelay, DupackRelease, Flow, FlowKind, Ftp, HandoffOptions,
    NewRenoOptions, PauseLaw, PolicyName, SackOptions, SenderOptions, Sessions, SizeLaw,
    WestwoodOptions,
};
use crate::resolved_links::{Agent, PointToPoint};
use crate::resolved_slotted::Slotted;
use crate::sources::Sources;
use acklab_base::{BitRate, Duration};
use acklab_radio::Position;
use std::fmt;
use std::sync::Arc;

/// A scenario with nothing left open. What the world is built from.
#[derive(Clone, PartialEq, Debug)]
pub struct Resolved {
    /// A name for people; may be empty.
    pub title: String,
    /// The family of rules that applies where no part says otherwise.
    pub profile: Profile,
    /// Simulated time of a run.
    pub duration: Duration,
    /// Counting starts here.
    pub measure_from: Duration,
    /// Interval of window samples.
    pub sample: Option<Duration>,
    /// Packets in a batch.
    pub batch: Option<u32>,
    /// The run ends when so many packets are delivered.
    pub stop_after: Option<u32>,
    /// Where the nodes with a radio are at the start; they are numbered first.
    pub positions: Arc<[Position]>,
    /// Those of them that move.
    pub moving: Vec<Moving>,
    /// How many nodes there are, those without a radio included.
    pub nodes: u32,
    /// Point-to-point links.
    pub links: Vec<PointToPoint>,
    /// Agents on base stations.
    pub agents: Vec<Agent>,
    /// Base stations and mobiles.
    pub cells: Option<Cells>,
    /// Who hears whom on a graph; its nodes have no places, and `positions` only counts them.
    pub graph: Option<Vec<[u32; 2]>>,
    /// The radio of every node.
    pub radio: Radio,
    /// What every radio draws.
    pub energy: Energy,
    /// The MAC of every node.
    pub mac: Mac,
    /// The slotted radio of every node, which takes the place of `mac`, `link` and `queue`.
    pub slotted: Option<Slotted>,
    /// The link layer of every node.
    pub link: Link,
    /// The interface queue of every node.
    pub queue: Queue,
    /// The routing protocol of every node.
    pub routing: Routing,
    /// The traffic.
    pub flows: Vec<Flow>,
    /// Where each value came from, by key path such as `mac.data_rate`.
    pub sources: Sources,
    /// Where the scenario was read from, for messages. Compares equal to any other.
    pub origin: Origin,
}

/// Where a value came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The scenario gives it.
    Given,
    /// The profile's default, and where the profile has it from.
    Profile(Profile, String),
    /// A default of every profile, and why.
    Default(String),
}

/// Radio parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Radio {
    /// How power falls with distance.
    pub propagation: Propagation,
    /// Carrier frequency in hertz.
    pub frequency_hz: f64,
    /// Transmit power in watts.
    pub tx_power_w: f64,
    /// Least power that can be decoded, in watts.
    pub rx_threshold_w: f64,
    /// Least power that is sensed, in watts; never above `rx_threshold_w`.
    pub cs_threshold_w: f64,
    /// Antenna height above ground in metres.
    pub antenna_height_m: f64,
    /// What becomes of frames that overlap.
    pub capture: CaptureRule,
    /// Power ratio that a capture takes, linear, at least 1.
    pub capture_ratio: f64,
}

/// MAC parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mac {
    /// Whose rules the MAC follows.
    pub profile: Profile,
    /// Rate of unicast data frames.
    pub data_rate: BitRate,
    /// Rate of control and broadcast frames; never above `data_rate`.
    pub basic_rate: BitRate,
    /// PLCP preamble and header.
    pub preamble: Preamble,
    /// Unicast frames above this many bytes (in ns-2's rules their packets) are preceded by RTS;
    /// `None`: none.
    pub rts_threshold: Option<u32>,
    /// Attempts for RTS and for frames without RTS; `None`: no limit.
    pub short_retry_limit: Option<u32>,
    /// Attempts for frames that follow an RTS; `None`: no limit.
    pub long_retry_limit: Option<u32>,
    /// First contention window.
    pub cw_min: u32,
    /// Largest contention window; never below `cw_min`.
    pub cw_max: u32,
    /// How a packet gets at the medium.
    pub access: Access,
    /// A CTS resets the contention window.
    pub cts_resets_window: bool,
    /// Data that is received resets retry counter and contention window.
    pub data_resets_retries: bool,
    /// Slot time.
    pub slot: Duration,
    /// Short interframe space.
    pub sifs: Duration,
}

/// Link-layer parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Processing time in each direction.
    pub delay: Duration,
    /// Whether addresses are resolved by ARP.
    pub arp: bool,
}

/// Interface-queue parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queue {
    /// Who goes first.
    pub kind: QueueKind,
    /// Limit in packets, at least 1.
    pub capacity: u32,
    /// Whether data and ACKs for two neighbours share frames.
    pub combining: bool,
}

/// The routing protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Routing {
    /// Shortest paths known from the start.
    Static {
        /// Whether TCP ACKs keep away from the path of their data.
        separate_acks: bool,
    },
    /// AODV.
    Aodv(AodvOptions),
    /// DSDV.
    Dsdv(DsdvOptions),
    /// DSR.
    Dsr(DsrOptions),
}

/// Parameters of DSR; the schema says what each one is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DsrOptions {
    /// Routes asked for or in use.
    pub primary_routes: u32,
    /// Routes learned otherwise.
    pub secondary_routes: u32,
    /// Whether caches answer requests.
    pub replies_from_cache: bool,
    /// Whether nodes learn from packets for others.
    pub overhears: bool,
    /// Whether the neighbours are asked first.
    pub asks_neighbours_first: bool,
    /// New routes of a packet on its way.
    pub salvages: u8,
    /// Whether flows need no source routes.
    pub flow_state: bool,
    /// Least time between discoveries.
    pub request_period: Duration,
    /// Its bound.
    pub max_request_period: Duration,
    /// Bound of the jitter of requests and replies.
    pub broadcast_jitter: Duration,
    /// Packets that wait for a route.
    pub buffer_capacity: u32,
    /// How long a packet waits for a route.
    pub buffer_timeout: Duration,
}

/// Parameters of DSDV; the schema says what each one is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DsdvOptions {
    /// Longest time between full updates.
    pub update_period: Duration,
    /// Silent periods after which a neighbour is lost.
    pub silent_periods: u32,
    /// Settling time of a new destination.
    pub first_settling: Duration,
    /// Least time from an update to a triggered one.
    pub trigger_spacing: Duration,
    /// Whether failures of the MAC break links.
    pub link_detection: bool,
    /// Bound of the time of the first update.
    pub start_jitter: Duration,
    /// Bound of the jitter of updates.
    pub broadcast_jitter: Duration,
    /// Packets that wait for a route to one destination.
    pub buffer_capacity: u32,
}

/// Parameters of AODV; the schema says what each one is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AodvOptions {
    /// NET_DIAMETER, in hops.
    pub network_diameter: u8,
    /// Whether nodes repair routes on the way.
    pub local_repair: bool,
    /// ACTIVE_ROUTE_TIMEOUT.
    pub active_route_timeout: Duration,
    /// MY_ROUTE_TIMEOUT.
    pub my_route_timeout: Duration,
    /// Lifetime of a reverse route.
    pub reverse_route_life: Duration,
    /// PATH_DISCOVERY_TIME.
    pub request_memory: Duration,
    /// RREQ_RETRIES.
    pub request_retries: u8,
    /// Longest wait between requests.
    pub max_request_wait: Duration,
    /// TTL_START; `None` if the first search goes through the whole network.
    pub ttl_start: Option<u8>,
    /// TTL_INCREMENT.
    pub ttl_increment: u8,
    /// TTL_THRESHOLD.
    pub ttl_threshold: u8,
    /// NODE_TRAVERSAL_TIME.
    pub node_traversal_time: Duration,
    /// Bound of the jitter of forwarded broadcasts.
    pub broadcast_jitter: Duration,
    /// Packets that wait for a route.
    pub buffer_capacity: u32,
    /// How long a packet waits for a route.
    pub buffer_timeout: Duration,
}

impl Resolved {
    /// The policy of one's own of a flow was not handed over: what was is `known`.
    #[must_use]
    pub fn policy_not_handed_over(&self, flow: usize, known: &[String]) -> ScenarioError {
        let key = format!("flow[{flow}].ack.name");
        let accepted = if known.is_empty() {
            "a policy that Python or Rust code hands over with the run (docs/own-policy.md)"
                .to_owned()
        } else {
            known.join(", ")
        };
        let written = self.origin.written(&key);
        let message = "no policy of this name was handed over";
        ScenarioError::new(&self.origin, &key, written, message, accepted)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => f.write_str("given"),
            Self::Profile(profile, why) => write!(f, "profile {profile}: {why}"),
            Self::Default(why) => write!(f, "default: {why}"),
        }
    }
}

/// What a radio draws, in watts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Energy {
    /// While sending.
    pub transmit_w: f64,
    /// While receiving or busy with a sensed frame.
    pub receive_w: f64,
    /// While listening to silence.
    pub idle_w: f64,
}
