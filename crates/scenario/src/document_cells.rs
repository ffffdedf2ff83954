//! The part of the schema that describes base stations, mobiles and what happens between them.

use crate::quantities::{Length, Power, Rate, Ratio, Share, Speed, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Base stations below a gateway, mobiles that move among them, and Cellular IP that routes to
/// them. The wired network must be a tree. Each mobile has a channel of its own with each station,
/// or the mobiles of a station share a cell of 802.11.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Cells {
    /// The node at the root of the access network.
    pub gateway: u32,
    /// What lies below the wireless hop. With `"802.11"` the table `mac` holds, too.
    pub mac: Option<CellMac>,
    /// Rate of the wireless hop, each way; with 802.11 the rate of its data frames (`mac.data_rate`).
    #[schemars(extend("x-above-zero" = true))]
    pub rate: Rate,
    /// Its propagation delay, each way; with 802.11 what passes behind a packet's last bit before it is
    /// handed up.
    pub delay: Option<Time>,
    /// Packets that may wait in each direction; the one in service does not count. With 802.11 a
    /// station has one queue for all its mobiles.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub queue: Option<u32>,
    /// Share of the packets that errors of the wireless hop destroy, each way, each on its own; with
    /// 802.11 share of the frames of any kind.
    pub loss: Option<Share>,
    /// Share of the beacons that a mobile does not hear although they are strong enough.
    pub beacon_loss: Option<Share>,
    /// Time between two beacons of a station.
    #[schemars(extend("x-above-zero" = true))]
    pub beacon_period: Option<Time>,
    /// Pilot level at the reference distance, and nearer.
    pub pilot: Option<Power>,
    /// The reference distance.
    #[schemars(extend("x-above-zero" = true))]
    pub reference_distance: Option<Length>,
    /// Path-loss exponent.
    #[schemars(range(min = 1, max = 10))]
    pub path_loss_exponent: Option<f64>,
    /// Standard deviation of log-normal shadowing; 0 dB: none.
    pub shadowing: Option<Ratio>,
    /// Way after which shadowing is forgotten to 1/e. Without shadowing there is no such key.
    #[schemars(extend("x-above-zero" = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decorrelation: Option<Length>,
    /// Least level at which packets and beacons are received.
    pub reception: Option<Power>,
    /// L_Handoff: below it a mobile looks for another station.
    pub handoff_level: Option<Power>,
    /// α: the pacing level is (1 - α) × L_Handoff, both in dBm, hence above it; between 0 and 1.
    #[schemars(range(min = 0, max = 1))]
    pub alpha: Option<f64>,
    /// How much stronger another station must be.
    pub hysteresis: Option<Ratio>,
    /// A station of which a mobile heard nothing for so long is lost.
    #[schemars(extend("x-above-zero" = true))]
    pub patience: Option<Time>,
    /// How a mobile hands off.
    pub handoff: Option<HandoffManner>,
    /// How long before it listens to the new station a mobile sends an update through it. A hard
    /// handoff has no such key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semisoft_delay: Option<Time>,
    /// How long packets to the new station wait during a semisoft handoff; 0 s: no delay device. A hard
    /// handoff has none.
    pub delay_device: Option<Time>,
    /// Whether a mobile sends a route update as soon as it is at another station. If not, its
    /// next packet or the periodic update does.
    pub update_at_handoff: Option<bool>,
    /// Silence after which an active mobile sends a route update.
    #[schemars(extend("x-above-zero" = true))]
    pub route_update: Option<Time>,
    /// Life of an entry of the route cache.
    #[schemars(extend("x-above-zero" = true))]
    pub route_timeout: Option<Time>,
    /// Silence after which an idle mobile sends a paging update.
    #[schemars(extend("x-above-zero" = true))]
    pub paging_update: Option<Time>,
    /// Life of an entry of the paging cache.
    #[schemars(extend("x-above-zero" = true))]
    pub paging_timeout: Option<Time>,
    /// A mobile is active until it has neither sent nor received data for so long.
    pub active_timeout: Option<Time>,
    /// Base stations.
    #[schemars(length(min = 1, max = 1_000))]
    pub station: Vec<Station>,
    /// Mobiles.
    #[schemars(length(min = 1, max = 1_000))]
    pub mobile: Vec<Mobile>,
    /// Stretches of road or time in which a pilot is weaker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blackout: Option<Vec<Blackout>>,
}

/// What lies below the wireless hop of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum CellMac {
    /// A channel with a rate and a delay for each mobile with each station, without contention.
    #[serde(rename = "none")]
    Channel,
    /// The DCF, one medium a station: it and the mobiles that listen to it contend.
    #[serde(rename = "802.11")]
    Dcf,
}

/// A base station.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Station {
    /// Which node it is.
    pub node: u32,
    /// Where it stands.
    pub position: [Length; 2],
    /// When it is switched off: from and until. Its caches are empty afterwards.
    pub off: Option<Vec<[Time; 2]>>,
}

/// A mobile.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Mobile {
    /// Which node it is; it has no point-to-point link.
    pub node: u32,
    /// How it moves.
    pub motion: Motion,
}

/// How a mobile hands off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum HandoffManner {
    /// It listens to the new station at once.
    Hard,
    /// It first has a route made there.
    Semisoft,
}

/// A motion.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(inline)]
pub enum Motion {
    /// None.
    Resting {
        /// Where it is.
        position: [Length; 2],
    },
    /// From one place to another, and rest there.
    Straight {
        /// Where it starts. Absent: where the topology has it; mobiles of cells have no such place.
        from: Option<[Length; 2]>,
        /// Where it ends.
        to: [Length; 2],
        /// How fast it goes.
        #[schemars(extend("x-above-zero" = true))]
        speed: Speed,
    },
    /// To and fro for ever, turning at once.
    BackAndForth {
        /// Where it starts. Absent: where the topology has it; mobiles of cells have no such place.
        from: Option<[Length; 2]>,
        /// Where it turns first.
        to: [Length; 2],
        /// How fast it goes.
        #[schemars(extend("x-above-zero" = true))]
        speed: Speed,
    },
    /// Given places at given times, straight between them. Before the first time the node rests at
    /// the first place.
    Waypoints {
        /// The times, ascending.
        #[schemars(length(min = 1, max = 1_000_000))]
        times: Vec<Time>,
        /// The places, one for each time.
        #[schemars(length(min = 1, max = 1_000_000))]
        places: Vec<[Length; 2]>,
    },
    /// To a random place of an area at a random speed, again and again; each run draws its own. A
    /// node starts where the topology has it, within the area; a mobile of cells anywhere in it.
    RandomWaypoint {
        /// The south-western corner.
        corner: [Length; 2],
        /// Extent along x and along y.
        size: [Length; 2],
        /// Least and largest speed, the least above zero.
        speeds: [Speed; 2],
        /// Rest at each place.
        pause: Time,
    },
    /// As a movement script of ns-2 says.
    Setdest {
        /// The script, as text.
        #[serde(skip_serializing_if = "Option::is_none")]
        script: Option<String>,
        /// In place of the text, the file that holds it, relative to the folder of the scenario.
        #[serde(skip_serializing_if = "Option::is_none")]
        script_file: Option<String>,
        /// Which node of the script. Absent: the one of the same number.
        #[serde(skip_serializing_if = "Option::is_none")]
        script_node: Option<u32>,
    },
}

/// A stretch of road or time in which a pilot, and all else on the air, is weaker: a tunnel, a
/// building. At least one of `area` and `during` says where or when; with both, both must hold.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Blackout {
    /// Two corners of a rectangle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<[[Length; 2]; 2]>,
    /// From and until.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub during: Option<[Time; 2]>,
    /// How much weaker.
    pub depth: Option<Ratio>,
}
