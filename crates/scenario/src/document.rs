//! The scenario as it is written: the schema. Everything that has a default is optional here.
//!
//! These types are the one truth of the schema. Their comments become the descriptions of the
//! JSON schema and of the reference page, their bounds the checks of the room's `check`. Defaults
//! are not here: `resolve` fills them.

use crate::document_agents::Agent;
use crate::document_cells::Cells;
use crate::document_flow::Flow;
use crate::document_links::PointToPoint;
use crate::document_moving::Moving;
pub use crate::document_routing::{AodvRouting, DsdvRouting, DsrRouting, Routing, StaticRouting};
use crate::document_slotted::Slotted;
pub use crate::document_topology::{RandomFlows, Topology};
use crate::profile::ProfileName;
use crate::quantities::{CountOrOff, Frequency, Length, Power, Rate, Ratio, SizeOrOff, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A scenario: a network, what runs over it, and for how long.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "acklab scenario")]
pub struct Document {
    /// A name for people: it appears in reports and names the folder of a result. By default the name of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Which family of rules and defaults applies where nothing is given.
    pub profile: Option<ProfileName>,
    /// Simulated time of a run, at most 100000000 s.
    #[schemars(extend("x-above-zero" = true))]
    pub duration: Time,
    /// When measuring starts and how often windows are sampled.
    pub measure: Option<Measure>,
    /// Where the nodes are. Nodes are numbered from 0 in the order of placement.
    pub topology: Topology,
    /// Nodes with a radio that move, one entry a motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moving: Option<Vec<Moving>>,
    /// Nodes without a radio, numbered after those of the topology.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub wired_nodes: Option<u32>,
    /// Point-to-point links, one entry a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point_to_point: Option<Vec<PointToPoint>>,
    /// Agents on base stations, one entry each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Vec<Agent>>,
    /// Base stations and mobiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<Cells>,
    /// Antennas, propagation and reception, the same for every node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radio: Option<Radio>,
    /// What the radios draw, the same for every node that has one.
    pub energy: Option<Energy>,
    /// The 802.11 MAC, the same for every node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mac: Option<Mac>,
    /// The slotted radio, in the place of 802.11.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slotted: Option<Slotted>,
    /// The layer between the MAC and routing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// The interface queue in front of the MAC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<Queue>,
    /// How packets find their way.
    pub routing: Option<Routing>,
    /// Makes many flows of the one that is given, between nodes drawn at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random_flows: Option<RandomFlows>,
    /// The traffic: one entry a flow, numbered from 0.
    #[schemars(length(min = 1, max = 65_535))]
    pub flow: Vec<Flow>,
    /// Written by acklab into resolved scenarios: where the value of each key came from. A note
    /// is kept on reading only while the value beside it is still the default that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<BTreeMap<String, String>>,
}

/// What is measured when.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Measure {
    /// Counting starts at this time; before it is warm-up.
    pub from: Option<Time>,
    /// Interval at which windows are sampled. Absent: no samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-above-zero" = true))]
    pub sample: Option<Time>,
    /// Packets in a batch, delivered over all flows: the result has every measure of each whole
    /// batch, too. Absent: no batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub batch: Option<u32>,
    /// The run ends when so many packets are delivered over all flows since `from`. Absent: only
    /// at its duration, which stays the latest end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub stop_after: Option<u32>,
}

/// What a radio draws from its battery.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Energy {
    /// While sending.
    pub transmit: Option<Power>,
    /// While receiving, or hearing that the medium is busy.
    pub receive: Option<Power>,
    /// While listening to an idle medium.
    pub idle: Option<Power>,
}

/// Radio parameters.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Radio {
    /// How power falls with distance.
    pub propagation: Option<Propagation>,
    /// Carrier frequency.
    #[schemars(extend("x-above-zero" = true))]
    pub frequency: Option<Frequency>,
    /// Transmit power.
    #[schemars(extend("x-above-zero" = true))]
    pub tx_power: Option<Power>,
    /// Least received power at which a frame can be decoded.
    #[schemars(extend("x-above-zero" = true))]
    pub rx_threshold: Option<Power>,
    /// Least received power at which a frame is sensed; it also interferes from there on.
    #[schemars(extend("x-above-zero" = true))]
    pub cs_threshold: Option<Power>,
    /// Height of every antenna above ground.
    #[schemars(extend("x-above-zero" = true))]
    pub antenna_height: Option<Length>,
    /// What becomes of a frame when another one overlaps it.
    pub capture: Option<CaptureRule>,
    /// How much stronger a frame must be than another one to survive it.
    pub capture_threshold: Option<Ratio>,
}

/// A propagation model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Propagation {
    /// Two-ray ground reflection, Friis below the crossover distance.
    TwoRay,
    /// Free space (Friis).
    Friis,
}

/// A capture rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum CaptureRule {
    /// The first frame survives a later one that is weaker by the threshold; a later, stronger
    /// frame destroys both.
    Ns2,
    /// Frames that overlap at a receiver are all lost.
    #[serde(rename = "none")]
    NoCapture,
    /// The stronger frame survives, whichever came first, if it is stronger by the threshold.
    Strongest,
}

/// Parameters of the 802.11 MAC.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Mac {
    /// Which rules the MAC follows where ns-2 and the standard differ, and the defaults of this
    /// table.
    pub profile: Option<ProfileName>,
    /// Rate of unicast data frames: 1, 2, 5.5 or 11 Mbit/s.
    #[schemars(extend("x-above-zero" = true))]
    pub data_rate: Option<Rate>,
    /// Rate of RTS, CTS, ACK and broadcast frames: 1, 2, 5.5 or 11 Mbit/s.
    #[schemars(extend("x-above-zero" = true))]
    pub basic_rate: Option<Rate>,
    /// PLCP preamble and header.
    pub preamble: Option<Preamble>,
    /// Unicast frames larger than this are preceded by RTS and CTS. `"0 B"`: all of them;
    /// `"off"`: none. The profile of the MAC says what counts: in standard the frame, which is the
    /// packet and 36 B of headers and check sequence; in ns2 and ns2-2.1b9 the packet and 58 B (34 of
    /// the frame, 24 of preamble and PLCP header; 49 with a short preamble), and a frame of just
    /// this size too.
    pub rts_threshold: Option<SizeOrOff>,
    /// Attempts for RTS and for frames without RTS before the packet is dropped; `"off"`: no
    /// limit.
    pub short_retry_limit: Option<CountOrOff>,
    /// Attempts for frames that follow an RTS before the packet is dropped; `"off"`: no limit.
    pub long_retry_limit: Option<CountOrOff>,
    /// First contention window. The standard draws from 0 to this, ns-2 from 0 to one less.
    #[schemars(range(min = 1, max = 65_535))]
    pub cw_min: Option<u32>,
    /// Largest contention window; each failure doubles the window up to it.
    #[schemars(range(min = 1, max = 65_535))]
    pub cw_max: Option<u32>,
    /// How a packet gets at the medium when no backoff is pending.
    pub access: Option<Access>,
    /// A CTS resets the contention window, before the data is acknowledged.
    pub cts_resets_window: Option<bool>,
    /// Data that is received resets retry counter and contention window of the packet in hand.
    pub data_resets_retries: Option<bool>,
    /// Slot time, at most 1 s.
    #[schemars(extend("x-above-zero" = true))]
    pub slot: Option<Time>,
    /// Short interframe space, at most 1 s.
    #[schemars(extend("x-above-zero" = true))]
    pub sifs: Option<Time>,
}

/// How a packet gets at the medium when no backoff is pending.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Access {
    /// DIFS and a random backoff that a busy medium freezes.
    Backoff,
    /// At once on a medium that is idle for DIFS, else a random backoff.
    Immediate,
    /// DIFS, whatever the medium does; if it is busy then, a random backoff from a doubled window.
    Deferral,
    /// The same with a random number of slots behind DIFS.
    RandomDeferral,
}

/// A PLCP preamble.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Preamble {
    /// Preamble and header take 192 us.
    Long,
    /// Preamble and header take 96 us. IEEE 802.11b has it at 2, 5.5 and 11 Mbit/s only: with a
    /// `basic_rate` of 1 Mbit/s control and broadcast frames have it here all the same, and are
    /// shorter than those of any real station.
    Short,
}

/// Parameters of the link layer.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Link {
    /// Processing time of a packet, in each direction.
    pub delay: Option<Time>,
    /// Whether link-layer addresses are resolved by ARP; otherwise they are known.
    pub arp: Option<bool>,
}

/// Parameters of the interface queue.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Queue {
    /// Who goes first.
    pub kind: Option<QueueKind>,
    /// Packets, drop-tail; with kind priority, of each class. With kind routing-first profile ns2 counts the packet that arrives
    /// too, as ns-2 does, so that one packet fewer waits.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub capacity: Option<u32>,
    /// TCP data and a TCP ACK for two neighbours leave in one frame. It is addressed to the
    /// receiver of the data; the other one takes the ACK from the air and acknowledges nothing.
    pub combining: Option<bool>,
}

/// A queue discipline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum QueueKind {
    /// Routing packets at the head, the rest in order of arrival.
    RoutingFirst,
    /// Strict classes: routing, real-time, TCP ACKs, the rest.
    Priority,
}
