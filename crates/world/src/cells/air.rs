//! Between mobiles and base stations: beacons, what is received, and what the agent asks for.

use super::{Cells, LowPeriod};
use crate::flow::Traffic;
use crate::world::World;
use acklab_agents::HandoffOutput;
use acklab_base::{Instant, NodeId};
use acklab_mac::p2p::Side;
use acklab_routing::Router;
use acklab_trace::{CellEvent, DropReason, Event};
use acklab_wire::Class;

impl World {
    /// Mobiles find their first station, and stations begin to send beacons, one after the other
    /// within a period so that no two beacons come at once.
    pub(crate) fn start_cells(&mut self) {
        let now = Instant::ZERO;
        let Some(cells) = &self.cells else { return };
        let count = cells.stations.len() as u64;
        let period = cells.beacon_period;
        let slots: Vec<_> = cells.stations.iter().map(|station| station.slot).collect();
        for (index, slot) in slots.into_iter().enumerate() {
            let first = now + period * (index as u64) / count;
            self.agenda.set(slot, first);
        }
        for mobile in 0..self.cells.as_ref().map_or(0, |cells| cells.mobiles.len()) {
            let Some(cells) = &self.cells else { return };
            let (node, station) = {
                let mobile = &cells.mobiles[mobile];
                (mobile.node, mobile.agent.station())
            };
            self.above_the_mac(node, |world| {
                if let Router::Mobile(router) = &mut world.stacks[world.seats.of(node)].router {
                    router.on_attach(now, Some(station));
                }
                world.drain_router(now, node);
                world.drain_mobile(now, mobile);
            });
        }
    }

    /// A station sends a beacon, if it is on.
    pub(crate) fn send_beacons(&mut self, now: Instant, station: usize) {
        let Some(cells) = &mut self.cells else { return };
        let at = &mut cells.stations[station];
        let (slot, node, was_off) = (at.slot, at.node, at.was_off(now));
        at.last = now;
        self.agenda.set(slot, now + cells.beacon_period);
        if was_off {
            self.forget_routes(node);
        }
        for mobile in 0..self.cells.as_ref().map_or(0, |cells| cells.mobiles.len()) {
            self.hear_beacon(now, mobile, station);
        }
    }

    /// A station was off: its caches are empty.
    fn forget_routes(&mut self, node: NodeId) {
        if let Router::Access(router) = &mut self.stacks[self.seats.of(node)].router {
            router.forget();
        }
    }

    fn hear_beacon(&mut self, now: Instant, index: usize, station: usize) {
        let Some(cells) = &mut self.cells else { return };
        let level = cells.level(now, index, station);
        let lost = cells.mobiles[index].pairs[station]
            .beacons
            .happens(cells.beacon_loss);
        if lost || level < cells.sky.reception {
            return;
        }
        let sender = cells.stations[station].node;
        if cells.mobiles[index].agent.station() == sender {
            cells.notice(now, index, level);
        }
        let mobile = &mut cells.mobiles[index];
        let node = mobile.node;
        mobile.agent.on_beacon(now, sender, level.0);
        let heard = CellEvent::Pilot {
            station: sender,
            level_mdbm: level.0,
        };
        self.stacks[self.seats.of(node)]
            .counters
            .rest()
            .beacons_heard += 1;
        self.record(now, node, Event::Cell(heard));
        self.above_the_mac(node, |world| world.drain_mobile(now, index));
    }

    /// The handoff agent of a mobile does what is due.
    pub(crate) fn wake_mobile(&mut self, now: Instant, index: usize) {
        let Some(cells) = &mut self.cells else { return };
        let node = cells.mobiles[index].node;
        cells.mobiles[index].agent.on_wake(now);
        self.above_the_mac(node, |world| world.drain_mobile(now, index));
    }

    /// Does what the handoff agent of a mobile asks for.
    fn drain_mobile(&mut self, now: Instant, index: usize) {
        loop {
            let Some(cells) = &mut self.cells else { return };
            let mobile = &mut cells.mobiles[index];
            let node = mobile.node;
            let Some(output) = mobile.agent.poll() else {
                let (slot, wake) = (mobile.slot, mobile.agent.next_wake());
                self.agenda.set(slot, wake);
                return;
            };
            match output {
                HandoffOutput::Attach(station) => self.attach(now, index, station),
                HandoffOutput::Prepare(station) => {
                    if let Router::Mobile(router) = &mut self.stacks[self.seats.of(node)].router {
                        router.on_semisoft(station);
                    }
                    self.drain_router(now, node);
                }
                HandoffOutput::Low => self.tell_ends(now, index, true),
                HandoffOutput::Good => self.tell_ends(now, index, false),
            }
        }
    }

    /// A mobile listens to another station from now on. What waits for the old one goes to it.
    fn attach(&mut self, now: Instant, index: usize, station: NodeId) {
        let Some(cells) = &mut self.cells else { return };
        let node = cells.mobiles[index].node;
        let old = cells.note_handoff(now, index, station);
        let wire = cells.mobiles[index].pairs[old].wire;
        let by_link = cells.radios.is_empty();
        let before = cells
            .log
            .last()
            .map(|sample| sample.delivered_before_packets);
        let counters = self.stacks[self.seats.of(node)].counters.rest();
        counters.handoffs += 1;
        counters.handoff_delivered_before_packets += u64::from(before.unwrap_or(0));
        self.record(now, node, Event::Cell(CellEvent::Attached { station }));
        let waiting = if by_link {
            self.wires[wire].link.take_waiting(now, Side::Second)
        } else {
            self.turn(now, node, old, station)
        };
        if let Router::Mobile(router) = &mut self.stacks[self.seats.of(node)].router {
            router.on_attach(now, Some(station));
        }
        for packet in waiting {
            self.send_unseen(now, node, packet, station);
        }
        self.drain_router(now, node);
        // A semisoft handoff has the new route already.
        self.watch_mobile(now, index);
    }

    /// The ends of connections at a mobile learn that its signal is low, or good again.
    fn tell_ends(&mut self, now: Instant, index: usize, is_low: bool) {
        let Some(cells) = &mut self.cells else { return };
        let mobile = &mut cells.mobiles[index];
        let node = mobile.node;
        let since = mobile.low.map(|period| period.since);
        if is_low {
            mobile.low = Some(LowPeriod::new(now));
        } else {
            mobile.low_period_ends(now, &mut cells.log);
        }
        let counters = self.stacks[self.seats.of(node)].counters.rest();
        counters.low_signals += u64::from(is_low);
        counters.low_signal += since.map_or(acklab_base::Duration::ZERO, |since| now - since);
        self.record(now, node, Event::Cell(CellEvent::Signal { is_low }));
        for flow in 0..self.flows.len() {
            self.tell_end(now, flow, node, is_low);
        }
    }

    /// A connection opens: a mobile at an end of it whose signal is low begins with that.
    pub(crate) fn tell_new_ends(&mut self, now: Instant, flow: usize) {
        let ends = [self.flows[flow].from, self.flows[flow].to];
        for node in ends {
            let Some(cells) = &self.cells else { return };
            let mobile = cells.mobile_at(node).map(|place| &cells.mobiles[place]);
            if mobile.is_some_and(|mobile| mobile.low.is_some()) {
                self.tell_end(now, flow, node, true);
            }
        }
    }

    /// The end of a flow at this node, if it has one, learns that the signal is low, or good again. Where
    /// there is no connection nobody is told: who opens one is told then.
    fn tell_end(&mut self, now: Instant, flow: usize, node: NodeId, is_low: bool) {
        let (from, to) = (self.flows[flow].from, self.flows[flow].to);
        let Traffic::Tcp(tcp) = &mut self.flows[flow].traffic else {
            return;
        };
        if !tcp.is_open() {
            return;
        }
        if to == node {
            if is_low {
                tcp.receiver.on_handoff_begins(now);
            } else {
                tcp.receiver.on_handoff_ends(now);
            }
            self.drain_receiver(now, flow);
        } else if from == node {
            if is_low {
                tcp.sender.on_handoff_begins(now);
            } else {
                tcp.sender.on_handoff_ends(now);
            }
            self.drain_sender(now, flow);
        }
    }

    /// Whether a packet that comes off a link is received. Wired links lose nothing but what
    /// comes to a station that is off, or from one.
    pub(crate) fn passes_air(
        &mut self,
        now: Instant,
        wire: usize,
        side: Side,
        class: Class,
    ) -> bool {
        let ends = self.wires[wire].ends;
        let Some(cells) = &mut self.cells else {
            return true;
        };
        let node = ends[side.index()];
        let Some((mobile, station)) = cells.channel(wire) else {
            let off = cells.stations.iter().filter(|at| at.is_off(now));
            let off: Vec<_> = off.map(|at| at.node).collect();
            return match off.into_iter().find(|off| ends.contains(off)) {
                None => true,
                Some(station) => {
                    self.forget_routes(station);
                    self.lose(now, node, class, DropReason::TooWeak)
                }
            };
        };
        if side == Side::Second && cells.mobiles[mobile].agent.station() != ends[0] {
            self.lost_on_old_path(mobile);
            return self.lose(now, node, class, DropReason::NotListening);
        }
        if cells.level(now, mobile, station) < cells.sky.reception {
            return self.lose(now, node, class, DropReason::TooWeak);
        }
        true
    }

    pub(super) fn lose(
        &mut self,
        now: Instant,
        node: NodeId,
        class: Class,
        why: DropReason,
    ) -> bool {
        if why == DropReason::TooWeak {
            self.stacks[self.seats.of(node)]
                .counters
                .rest()
                .too_weak_packets += 1;
        }
        self.dropped(now, node, class, why);
        false
    }
}

impl Cells {
    /// The station that is this node.
    pub(super) fn station_at(&self, node: NodeId) -> Option<usize> {
        self.stations
            .iter()
            .position(|station| station.node == node)
    }
}
