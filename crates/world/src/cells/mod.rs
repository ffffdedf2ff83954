//! Base stations and mobiles in the world: beacons, the wireless hop, handoffs.
//!
//! The wireless hop of each mobile with each station is a point-to-point link of its own
//! ([`build::channels`]); this module decides whether what comes off it is received: the mobile
//! must listen to that station when the packet has arrived, the signal must be strong enough, and
//! the station must be on. Or 802.11 is below, one cell a station ([`radio`]). Beacons are no packets:
//! they take no capacity, and a mobile hears those of all stations in reach. The handoff agent says
//! what to do, Cellular IP routes.
//!
//! Invariant: a mobile listens to one station at any instant.

mod air;
mod build;
mod crossed;
mod handoffs;
mod periods;
mod radio;
mod sky;

pub(crate) use build::{cells, channels, doors, router};
pub use handoffs::HandoffSample;

use acklab_agents::HandoffAgent;
use acklab_base::{Duration, Instant, NodeId, Share, Stream};
use acklab_kernel::Slot;
use acklab_radio::{Level, Shadow, Spot, Track};
use crossed::Mark;
use handoffs::{Pending, Recent};
use periods::{Aftermath, LowPeriod};
use radio::Radio;
use sky::Sky;

/// A base station.
#[derive(Debug)]
pub(crate) struct StationAt {
    node: NodeId,
    spot: Spot,
    off: Vec<[Duration; 2]>,
    /// When its last beacon was due.
    last: Instant,
    slot: Slot,
    /// The nodes from it up to the gateway, both included.
    path: Vec<NodeId>,
}

impl StationAt {
    fn is_off(&self, now: Instant) -> bool {
        let now = now.saturating_since(Instant::ZERO);
        self.off
            .iter()
            .any(|&[from, until]| from <= now && now < until)
    }

    /// Whether it was off at some time since its last beacon.
    fn was_off(&self, now: Instant) -> bool {
        let [last, now] = [self.last, now].map(|at| at.saturating_since(Instant::ZERO));
        self.off
            .iter()
            .any(|&[from, until]| from <= now && last < until)
    }
}

/// What a mobile has with one station.
#[derive(Debug)]
struct Pair {
    shadow: Option<Shadow>,
    beacons: Stream,
    /// Which link.
    wire: usize,
}

/// A mobile.
#[derive(Debug)]
pub(crate) struct MobileAt {
    pub(crate) node: NodeId,
    track: Track,
    agent: HandoffAgent,
    slot: Slot,
    /// One for each station.
    pairs: Vec<Pair>,
    /// The station that it listened to first.
    first: NodeId,
    /// Since when it knows that its station's pilot is below L_Pacing, and below L_Handoff.
    noticed: [Option<Instant>; 2],
    /// The period of low signal that is under way.
    low: Option<LowPeriod>,
    aftermath: Aftermath,
    /// What flows of or to it delivered in the last second.
    recent: Recent,
    /// When it last handed off, and where that stands in the log.
    last: Option<(Instant, usize)>,
    /// A crossover node that has the old route.
    pending: Option<Pending>,
}

/// Base stations and mobiles.
#[derive(Debug)]
pub(crate) struct Cells {
    stations: Vec<StationAt>,
    pub(crate) mobiles: Vec<MobileAt>,
    /// The first link that is a channel between a mobile and a station.
    first_channel: usize,
    sky: Sky,
    /// L_Pacing, L_Handoff and what is received.
    marks: [Mark; 3],
    beacon_period: Duration,
    beacon_loss: Share,
    /// One for each station, if 802.11 is below.
    radios: Vec<Radio>,
    pub(crate) log: Vec<HandoffSample>,
}

impl Cells {
    /// Mobile and station of a link, if it is a channel between two.
    fn channel(&self, wire: usize) -> Option<(usize, usize)> {
        let place = wire.checked_sub(self.first_channel)?;
        Some((place / self.stations.len(), place % self.stations.len()))
    }

    /// How strong a station's signal is at a mobile, and the other way.
    fn level(&mut self, now: Instant, mobile: usize, station: usize) -> Level {
        let (at, mobile) = (&self.stations[station], &mut self.mobiles[mobile]);
        self.sky.level(now, (at, station), mobile)
    }

    /// How many mobiles share stations but no medium, as no radio has it; 0 if there is one alone.
    pub(crate) fn uncontended(&self) -> u64 {
        let many = self.radios.is_empty() && self.mobiles.len() > 1;
        if many { self.mobiles.len() as u64 } else { 0 }
    }

    /// Whether frames of the wireless hop take turns on a medium, by 802.11.
    pub(crate) fn on_air(&self) -> bool {
        !self.radios.is_empty()
    }

    /// The mobile that is this node.
    fn mobile_at(&self, node: NodeId) -> Option<usize> {
        self.mobiles.iter().position(|mobile| mobile.node == node)
    }
}
