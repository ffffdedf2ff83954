//! What an observer notes about handoffs: losses on the old path, the time until the crossover node
//! has the new route, timeouts and deliveries afterwards. Nothing here decides anything.

use super::{Aftermath, Cells, MobileAt};
use crate::flow::Traffic;
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_trace::{CellEvent, Event};
use serde::Serialize;
use std::collections::VecDeque;

/// A timeout so soon after a handoff belongs to it.
const TIMEOUTS_WITHIN: Duration = Duration::from_secs(2);
/// Deliveries so soon after a handoff are counted.
const DELIVERIES_WITHIN: Duration = Duration::from_secs(3);
/// Deliveries so soon before a handoff are counted too: with the three seconds after it that is the window
/// of a long period of loss.
const DELIVERIES_BEFORE: Duration = Duration::from_secs(1);
/// So many packets lost on the old path are a burst.
const BURST: u32 = 3;

/// One handoff.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HandoffSample {
    /// The mobile.
    pub mobile: u32,
    /// When it began to listen to the new station, in seconds.
    pub time_s: f64,
    /// The old station.
    pub from: u32,
    /// The new station.
    pub to: u32,
    /// When the crossover node had the new route, in seconds since then.
    pub rerouted_s: Option<f64>,
    /// Packets that a station sent while the mobile did not listen to it.
    pub lost_packets: u32,
    /// Timeouts within 2 s.
    pub timeouts: u32,
    /// Those of them whose first unacknowledged data the receiver had already.
    pub spurious_timeouts: u32,
    /// Packets delivered within 3 s.
    pub delivered_packets: u32,
    /// Packets delivered within 1 s before.
    pub delivered_before_packets: u32,
    /// When the old station's pilot fell below L_Pacing, in seconds, to the nanosecond: from the
    /// motion and the path loss. Nothing if it did not, or with shadowing or blackouts.
    pub pacing_crossed_s: Option<f64>,
    /// How long after that a beacon of the old station told the mobile so.
    pub pacing_noticed_after_s: Option<f64>,
    /// When it fell below L_Handoff.
    pub handoff_crossed_s: Option<f64>,
    /// How long after that a beacon of the old station told the mobile so.
    pub handoff_noticed_after_s: Option<f64>,
    /// When it fell below what is received.
    pub reception_crossed_s: Option<f64>,
    /// For how long the signal had been low, in seconds; nothing if it was not.
    pub low_before_s: Option<f64>,
    /// When it was good again, in seconds since the handoff.
    pub low_after_s: Option<f64>,
    /// Data packets that the sender sent in that period of low signal.
    pub low_data_sent: u32,
    /// ACKs that the receiver sent in it.
    pub low_acks_sent: u32,
    /// Those of them less than 100 ms after the one before.
    pub low_acks_soon: u32,
    /// ACKs that waited for their turn in it.
    pub low_acks_paced: u32,
    /// Most data packets that left the sender at one instant, within 1 s after the signal was good.
    pub burst_after: u32,
    /// When all was acknowledged that had been sent before the crossover node had the new route,
    /// in seconds since the handoff.
    pub recovered_s: Option<f64>,
}

/// What was delivered within the last second.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent(VecDeque<(Instant, u32)>);

impl Recent {
    fn push(&mut self, now: Instant, packets: u32) {
        self.forget(now);
        self.0.push_back((now, packets));
    }

    fn packets(&mut self, now: Instant) -> u32 {
        self.forget(now);
        self.0.iter().map(|(_, packets)| packets).sum()
    }

    fn forget(&mut self, now: Instant) {
        let is_old = |at: Instant| now.saturating_since(at) > DELIVERIES_BEFORE;
        while self.0.front().is_some_and(|&(at, _)| is_old(at)) {
            self.0.pop_front();
        }
    }
}

/// A crossover node that has the old route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    crossover: NodeId,
    /// The node below it on the new way.
    below: NodeId,
}

impl Cells {
    /// A mobile listens to `station` from now on. Gives the number of the old one.
    pub(super) fn note_handoff(&mut self, now: Instant, index: usize, station: NodeId) -> usize {
        let new = self.station_at(station).unwrap_or(0);
        let place = self.log.len();
        let mobile = &self.mobiles[index];
        let old_node = match mobile.last {
            Some((_, last)) => NodeId(self.log[last].to),
            None => mobile.first,
        };
        let old = self.station_at(old_node).unwrap_or(0);
        let way_out = self.way_out(now, index, old);
        let delivered_before_packets = self.mobiles[index].recent.packets(now);
        let (from, to) = (&self.stations[old].path, &self.stations[new].path);
        let met = to.iter().position(|node| from.contains(node));
        let pending = met.map(|met| Pending {
            crossover: to[met],
            below: met
                .checked_sub(1)
                .map_or(self.mobiles[index].node, |below| to[below]),
        });
        self.log.push(HandoffSample {
            mobile: self.mobiles[index].node.0,
            time_s: now.as_secs_f64(),
            from: old_node.0,
            to: station.0,
            low_before_s: self.mobiles[index]
                .low
                .map(|period| (now - period.since).as_secs_f64()),
            delivered_before_packets,
            ..way_out
        });
        let mobile = &mut self.mobiles[index];
        mobile.last = Some((now, place));
        mobile.pending = pending;
        mobile.aftermath = Aftermath::default();
        old
    }

    /// The handoffs that are near enough to `now`, of the mobiles among these nodes.
    fn near(
        &self,
        now: Instant,
        ends: [NodeId; 2],
        within: Duration,
    ) -> [Option<(NodeId, usize)>; 2] {
        ends.map(|end| {
            let mobile = self.mobiles.iter().find(|mobile| mobile.node == end)?;
            let (at, place) = mobile.last?;
            (now.saturating_since(at) <= within).then_some((end, place))
        })
    }
}

impl World {
    /// A station sent a packet to a mobile that listens to another one.
    pub(super) fn lost_on_old_path(&mut self, index: usize) {
        let Some(cells) = &mut self.cells else { return };
        let mobile = &cells.mobiles[index];
        let counters = self.stacks[self.seats.of(mobile.node)].counters.rest();
        counters.handoff_lost_packets += 1;
        if let Some((_, place)) = mobile.last {
            cells.log[place].lost_packets += 1;
            counters.handoffs_with_burst += u64::from(cells.log[place].lost_packets == BURST);
        }
    }

    /// The crossover node of a handoff may have heard of it.
    pub(crate) fn watch_crossover(&mut self, now: Instant, node: NodeId) {
        let Some(cells) = &self.cells else { return };
        for index in 0..cells.mobiles.len() {
            let Some(cells) = &self.cells else { return };
            let pending = cells.mobiles[index].pending;
            if pending.is_some_and(|pending| pending.crossover == node) {
                self.watch_mobile(now, index);
            }
        }
    }

    /// The same for one mobile.
    pub(super) fn watch_mobile(&mut self, now: Instant, index: usize) {
        let Some(cells) = &mut self.cells else { return };
        let mobile = &mut cells.mobiles[index];
        let (Some(Pending { crossover, below }), Some((at, place))) = (mobile.pending, mobile.last)
        else {
            return;
        };
        let node = mobile.node;
        if self.stacks[self.seats.of(crossover)].router.next_hop(node) != Some(below) {
            return;
        }
        mobile.pending = None;
        let after = now.saturating_since(at);
        cells.log[place].rerouted_s = Some(after.as_secs_f64());
        let counters = self.stacks[self.seats.of(node)].counters.rest();
        counters.handoffs_rerouted += 1;
        counters.reroute_time += after;
        self.record(now, node, Event::Cell(CellEvent::Rerouted { crossover }));
        self.watch_recovery(index);
    }

    /// A sender had a timeout.
    pub(crate) fn timeout_near_handoff(&mut self, now: Instant, flow: usize) {
        let Some(cells) = &mut self.cells else { return };
        let ends = [self.flows[flow].from, self.flows[flow].to];
        let near = cells.near(now, ends, TIMEOUTS_WITHIN);
        let flow = &mut self.flows[flow];
        flow.counters.handoff_timeouts += u64::from(near != [None; 2]);
        // What the receiver lacks was lost: no path here is as slow as a timeout.
        let spurious = match &flow.traffic {
            Traffic::Tcp(tcp) => tcp.receiver.delivered_bytes() > tcp.sender.acked_bytes(),
            Traffic::Cbr(_) => false,
        };
        for (node, place) in near.into_iter().flatten() {
            let sample = &mut cells.log[place];
            sample.timeouts += 1;
            sample.spurious_timeouts += u32::from(spurious);
            let counters = self.stacks[self.seats.of(node)].counters.rest();
            counters.handoffs_with_timeout += u64::from(sample.timeouts == 1);
            counters.handoffs_with_two_timeouts += u64::from(sample.timeouts == 2);
        }
    }

    /// Packets were delivered.
    pub(crate) fn delivery_near_handoff(&mut self, now: Instant, flow: usize, packets: u32) {
        let Some(cells) = &mut self.cells else { return };
        let ends = [self.flows[flow].from, self.flows[flow].to];
        for (node, place) in cells
            .near(now, ends, DELIVERIES_WITHIN)
            .into_iter()
            .flatten()
        {
            cells.log[place].delivered_packets += packets;
            let counters = self.stacks[self.seats.of(node)].counters.rest();
            counters.handoff_delivered_packets += u64::from(packets);
        }
        let of_it = |mobile: &&mut MobileAt| ends.contains(&mobile.node);
        for mobile in cells.mobiles.iter_mut().filter(of_it) {
            mobile.recent.push(now, packets);
        }
    }
}
