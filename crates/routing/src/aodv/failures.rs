//! Broken links: giving routes up or repairing them (RFC 3561 §6.11, §6.12), with ns-2's rules where
//! the configuration says so.

use super::Aodv;
use super::config::{AodvConfig, LocalRepair, RepairGuard, SequenceRule};
use super::route::{Path, Route, UNKNOWN};
use crate::{DropReason, RouterNote};
use acklab_base::{Duration, Instant, NodeId, Seq32};
use acklab_wire::aodv::{Message, Unreachable, Unreachables};
use acklab_wire::{Body, Class, Packet};

/// RFC 3561 §10, LOCAL_ADD_TTL.
const LOCAL_ADD_TTL: u8 = 2;

impl Aodv {
    /// See [`crate::Router::on_link_failure`].
    pub fn on_link_failure(&mut self, now: Instant, packet: Packet, next_hop: NodeId) {
        if packet.class() == Class::Routing || packet.destination.is_broadcast() {
            return self.out.drop(packet, DropReason::LinkFailure);
        }
        self.out.note(RouterNote::LinkFailure { next_hop });
        let Some(route) = self.table.find(packet.destination) else {
            return self.out.drop(packet, DropReason::LinkFailure);
        };
        let travelled = self.config.network_diameter.saturating_sub(packet.ttl);
        let repairs = match self.config.local_repair {
            LocalRepair::Off => false,
            LocalRepair::PastHalfway => travelled > route.hops(),
            LocalRepair::Near => {
                let broken = route.hop().is_some_and(|hop| hop.next == next_hop);
                let limit = u32::from(self.config.network_diameter) * 3;
                packet.source != self.node && broken && u32::from(route.hops()) * 10 <= limit
            }
        };
        if !repairs {
            self.out.drop(packet, DropReason::LinkFailure);
            self.out.purge_queue(next_hop);
            return self.lose_neighbour(next_hop);
        }
        self.repair(now, packet, travelled);
        if !self.config.repair_spares_link {
            self.out.reclaim_queue(next_hop);
            self.lose_neighbour(next_hop);
        }
    }

    /// See [`crate::Router::on_reclaimed`]: what goes where a repair is under way waits for its end.
    pub fn on_reclaimed(&mut self, now: Instant, packet: Packet) {
        let route = self.table.find(packet.destination);
        let is_repairing = route.is_some_and(|route| matches!(route.path(), Path::Repairing(_)));
        if is_repairing && packet.class() != Class::Routing {
            self.buffer.push(now, packet, &mut self.out);
        } else {
            self.out.drop(packet, DropReason::LinkFailure);
        }
    }

    /// Keeps the packet and looks for another way from here.
    fn repair(&mut self, now: Instant, packet: Packet, travelled: u8) {
        let destination = packet.destination;
        self.buffer.push(now, packet, &mut self.out);
        let Some(route) = self.table.find_mut(destination) else {
            return;
        };
        let rfc = self.config.sequence_rule == SequenceRule::Rfc3561;
        let mut ttl = None;
        if let Path::Up(hop) = route.path() {
            route.set_repairing();
            self.out.note(RouterNote::LocalRepair { destination });
            if rfc {
                route.sequence = route.sequence.add(1);
                let reach = hop.hops.max(travelled / 2).saturating_add(LOCAL_ADD_TTL);
                ttl = Some(reach.min(self.config.network_diameter));
            }
        } else if rfc {
            return;
        }
        self.send_request(now, destination, ttl);
        self.guard_repair(now, destination);
    }

    /// Sets the timer that ends the repair just begun.
    fn guard_repair(&mut self, now: Instant, destination: NodeId) {
        let route = self.table.find_entry(destination);
        let Some(wait_until) = route.and_then(|route| route.wait_until()) else {
            return;
        };
        let at = match self.config.repair_guard {
            RepairGuard::Never => return,
            RepairGuard::TwiceThePresent => now + (wait_until - Instant::ZERO),
            RepairGuard::EndOfWait => wait_until,
        };
        let place = self.guards.partition_point(|&(other, _)| other <= at);
        self.guards.insert(place, (at, destination));
    }

    /// Ends the local repairs that took too long.
    pub(super) fn give_up_repairs(&mut self, now: Instant) {
        while let Some(&(at, destination)) = self.guards.front().filter(|&&(at, _)| at <= now) {
            self.guards.pop_front();
            let Some(mut route) = self.table.find_entry(destination) else {
                continue;
            };
            let sequence = route.sequence;
            let reports = self.config.repair_guard == RepairGuard::EndOfWait;
            // A repair that succeeded leaves its guard behind; a later one has its own wait.
            let stale = reports && route.wait_until() != Some(at);
            if stale || !matches!(route.path(), Path::Repairing(_)) {
                continue;
            }
            take_down(&mut route, &mut self.out);
            if reports {
                let reason = DropReason::DiscoveryFailed;
                self.buffer
                    .drop_for(now, destination, reason, &mut self.out);
                self.report_missing_route(destination, sequence);
            }
        }
    }

    /// Takes down every route through a neighbour and reports them all at once.
    fn lose_neighbour(&mut self, neighbour: NodeId) {
        if self.config.sequence_rule == SequenceRule::EvenSteps {
            self.sequence = self.sequence.add(2);
        }
        let mut lost = Unreachables::new();
        for route in self.table.iter_mut() {
            if leads_through(route, neighbour, &self.config) {
                route.sequence = route.sequence.add(1);
                lost.push(unreachable_by(route));
                take_down(route, &mut self.out);
            }
        }
        self.table.remove_precursor(neighbour);
        if !lost.is_empty() {
            self.originate_error(lost);
        }
    }

    /// Tells the neighbours that a single destination cannot be reached from here.
    pub(super) fn report_missing_route(&mut self, destination: NodeId, sequence: Seq32) {
        let entry = Unreachable {
            destination,
            destination_seq: sequence.0,
        };
        self.originate_error(Unreachables::from_slice(&[entry]));
    }

    fn originate_error(&mut self, list: Unreachables) {
        self.out.note(RouterNote::ErrorSent {
            destinations: list.len() as u32,
        });
        let packet = self.error_packet(list);
        self.out.send(packet, NodeId::BROADCAST);
    }

    /// A neighbour has reported destinations that it no longer reaches.
    pub(super) fn on_error(&mut self, now: Instant, list: &[Unreachable], from: NodeId) {
        let mut believed = false;
        let mut passed_on = Unreachables::new();
        for entry in list {
            let Some(mut route) = self.table.find_entry(entry.destination) else {
                continue;
            };
            // RFC 3561 §6.1: what has an older number is stale and MUST be discarded. §6.11 alone would
            // copy that number, and numbers that go back may close a loop.
            let is_stale = !route.sequence.at_or_before(Seq32(entry.destination_seq));
            if is_stale || !leads_through(&route, from, &self.config) {
                continue;
            }
            believed = true;
            route.sequence = Seq32(entry.destination_seq);
            take_down(&mut route, &mut self.out);
            if route.take_precursors() {
                passed_on.push(*entry);
            }
        }
        if believed {
            self.out.purge_queue(from);
        }
        if !passed_on.is_empty() {
            self.out.note(RouterNote::ErrorForwarded {
                destinations: passed_on.len() as u32,
            });
            let packet = self.error_packet(passed_on);
            let delay: Duration = self.jitter.interval_below(self.config.broadcast_jitter);
            self.out.send_after(now, delay, packet, NodeId::BROADCAST);
        }
    }

    /// An error that travels one hop.
    fn error_packet(&mut self, list: Unreachables) -> Packet {
        let bytes = self.config.error_bytes + self.config.error_entry_bytes * list.len() as u32;
        let body = Body::Aodv(Message::Error(list));
        self.out.make(self.node, NodeId::BROADCAST, 1, bytes, body)
    }
}

/// The number that is told of a destination to which there is no route for data: RFC 3561 §6.11 counts
/// one that is known up each time, so that whoever sent the data believes it.
pub(super) fn number_of_missing(route: &mut Route, rule: SequenceRule) -> Seq32 {
    if rule == SequenceRule::Rfc3561 && route.sequence != UNKNOWN {
        route.sequence = route.sequence.add(1);
    }
    route.sequence
}

/// Whether a route goes by way of a neighbour. One under repair no longer does, but for ns-2.
fn leads_through(route: &Route, neighbour: NodeId, config: &AodvConfig) -> bool {
    let hop = route.hop().filter(|hop| hop.next == neighbour);
    hop.is_some() && (route.is_up() || config.repair_spares_link)
}

fn unreachable_by(route: &Route) -> Unreachable {
    Unreachable {
        destination: route.destination,
        destination_seq: route.sequence.0,
    }
}

fn take_down(route: &mut Route, out: &mut crate::outbox::Outbox) {
    route.set_down();
    out.note(RouterNote::RouteDown {
        destination: route.destination,
    });
}
