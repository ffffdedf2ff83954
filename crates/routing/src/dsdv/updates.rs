//! Route tables on the air: when they are sent, and what is believed of those that are heard
//! (Perkins and Bhagwat 1994, §3).

use super::Dsdv;
use super::config::FreshSequence;
use super::table::{Route, Timer};
use crate::RouterNote;
use acklab_base::{Duration, Instant, NodeId, Seq32};
use acklab_wire::Body;
use acklab_wire::dsdv::{Entry, UNREACHABLE, Update};

/// A triggered update with more changes than this, and more than a third of the table, is sent as
/// a full one.
const FEW_CHANGES: usize = 3;

impl Dsdv {
    /// The time for a full update has come.
    pub(super) fn update_in_full(&mut self, now: Instant) {
        self.send_update(now, true);
        self.schedule_update(now);
        self.trigger_after = now + self.config.trigger_spacing;
    }

    /// A route wants to be told to others now; all news go with it.
    pub(super) fn trigger(&mut self, now: Instant, destination: NodeId) {
        let after = self.trigger_after;
        if now < after {
            // Too soon: this trigger waits, and stands for all others that would come before.
            for route in self.table.iter_mut() {
                if route.destination == destination {
                    route.trigger = self.timers.at(after);
                } else if route.trigger.at < after {
                    route.trigger = Timer::OFF;
                }
            }
            return;
        }
        let (mut news, mut all) = (0, 0);
        for route in self.table.iter() {
            news += usize::from(route.has_news(now));
            all += 1;
        }
        if let Some(route) = self.table.find_mut(destination) {
            route.trigger = Timer::OFF;
        }
        if news == 0 {
            return;
        }
        let full = news > FEW_CHANGES && news * 3 > all;
        self.send_update(now, full);
        if full {
            self.schedule_update(now);
        }
        self.trigger_after = now + self.config.trigger_spacing;
    }

    fn schedule_update(&mut self, now: Instant) {
        let least = self.config.update_period * 3 / 4;
        let more = self.jitter.interval_below(self.config.period_jitter);
        self.update = self.timers.at(now + least + more);
    }

    fn send_update(&mut self, now: Instant, full: bool) {
        if full {
            self.sequence = self.sequence.add(2);
            let sequence = self.sequence;
            if let Some(own) = self.table.find_mut(self.node) {
                own.sequence = sequence;
            }
        }
        let mut entries = Vec::new();
        for route in self.table.iter_mut() {
            let told = if full {
                route.advertise_from <= now
            } else {
                route.has_news(now)
            };
            if !told {
                continue;
            }
            entries.push(Entry {
                destination: route.destination,
                hops: route.hops,
                sequence: route.sequence.0,
            });
            route.advertised_hops = route.hops;
            route.sequence_changed = false;
            if full {
                route.hops_changed = false;
            }
        }
        let count = entries.len() as u32;
        self.out.note(RouterNote::UpdateSent {
            entries: count,
            full,
        });
        let bytes = self.config.update_bytes + self.config.entry_bytes * count;
        let body = Body::Dsdv(Update {
            full,
            entries: entries.into(),
        });
        let packet = self.out.make(self.node, NodeId::BROADCAST, 1, bytes, body);
        self.send_jittered(now, packet);
    }

    /// A neighbour has told its routes.
    pub(super) fn believe(&mut self, now: Instant, update: &Update, from: NodeId) {
        for entry in update.entries.iter() {
            if entry.destination != self.node {
                self.weigh(now, entry, from);
                self.flush(now, entry.destination);
            } else if entry.hops == UNREACHABLE {
                // Others take this node for lost: it has the last word on itself.
                self.update = self.timers.at(now);
            }
        }
        let silence = self.config.update_period * u64::from(self.config.silent_periods);
        if self.table.find(from).is_none() {
            // It did not list itself: its routes still need to be lost if it falls silent.
            let mut route = Route::unknown(from, now, self.config.first_settling);
            route.hops = 1;
            self.table.add(route);
            self.note_change(from, None);
        }
        if let Some(neighbour) = self.table.find_mut(from) {
            neighbour.silence = self.timers.at(now + silence);
        }
    }

    /// Decides whether a route is better than the one in the table.
    fn weigh(&mut self, now: Instant, entry: &Entry, from: NodeId) {
        let heard = Heard {
            from,
            hops: match entry.hops {
                UNREACHABLE => UNREACHABLE,
                hops => (hops + 1).min(UNREACHABLE),
            },
            sequence: Seq32(entry.sequence),
        };
        let (first_settling, rule) = (self.config.first_settling, self.config.fresh_sequence);
        let Some(route) = self.table.find_mut(entry.destination) else {
            let mut route = Route::unknown(entry.destination, now, first_settling);
            let wait = self.config.settling_multiple;
            heard.replace(&mut route, now, wait, true);
            route.hops_changed = route.is_up();
            if route.is_up() {
                route.trigger = self.timers.at(route.advertise_from);
            }
            self.table.add(route);
            return self.note_change(entry.destination, None);
        };
        let before = (route.next, route.hops);
        let wait = self.config.settling_multiple;
        if route.sequence == heard.sequence {
            if heard.hops >= route.hops {
                return;
            }
            heard.replace(route, now, wait, false);
            route.hops_changed = route.hops != route.advertised_hops;
            if route.hops_changed {
                route.trigger = self.timers.at(route.advertise_from);
            }
        } else if route.sequence.before(heard.sequence) {
            measure_settling(route, now, self.config.settling_weight);
            heard.replace(route, now, wait, false);
            route.sequence_changed = true;
            route.hops_changed = route.hops != route.advertised_hops;
            if route.hops_changed && rule == FreshSequence::TriggersOnChange {
                route.trigger = self.timers.at(route.advertise_from);
            }
        } else if heard.hops == UNREACHABLE && route.is_up() {
            // The neighbour has missed that the route is alive again.
            route.advertise_from = now;
            route.hops_changed = true;
            route.trigger = self.timers.at(now);
        }
        self.note_change(entry.destination, Some(before));
    }

    /// Every route through the neighbour is lost, and it is told at once.
    pub(super) fn lose_neighbour(&mut self, now: Instant, neighbour: NodeId) {
        let mut lost = Vec::new();
        for route in self.table.iter_mut() {
            if route.destination == neighbour {
                route.silence = Timer::OFF;
            }
            if route.next == neighbour && route.is_up() {
                route.hops = UNREACHABLE;
                route.sequence = route.sequence.add(1);
                route.advertise_from = now;
                route.sequence_changed = true;
                route.hops_changed = true;
                route.trigger = self.timers.at(now);
                lost.push(route.destination);
            }
        }
        for destination in lost {
            self.out.note(RouterNote::RouteDown { destination });
        }
    }

    /// Tells observers about a route that is not what it was `before`.
    fn note_change(&mut self, destination: NodeId, before: Option<(NodeId, u8)>) {
        let Some(route) = self.table.find(destination) else {
            return;
        };
        let (next_hop, hops) = (route.next, route.hops);
        if before == Some((next_hop, hops)) {
            return;
        }
        if hops != UNREACHABLE {
            self.out.note(RouterNote::RouteUp {
                destination,
                next_hop,
                hops,
            });
        } else if before.is_some_and(|(_, hops)| hops != UNREACHABLE) {
            self.out.note(RouterNote::RouteDown { destination });
        }
    }
}

/// A route as a neighbour tells it.
struct Heard {
    from: NodeId,
    hops: u8,
    sequence: Seq32,
}

impl Heard {
    /// Takes the place of `route`. It may be told when it has settled, or at once if the
    /// destination was lost or found again.
    fn replace(&self, route: &mut Route, now: Instant, wait: u32, is_new: bool) {
        let was_up = is_new || route.is_up();
        route.next = self.from;
        route.hops = self.hops;
        route.sequence = self.sequence;
        route.changed_at = now;
        route.advertise_from = if was_up && route.is_up() {
            now + route.settling * u64::from(wait)
        } else {
            now
        };
    }
}

/// A new sequence number ends the measurement that the last one began: how long it took from the
/// first route with that number to the best one.
fn measure_settling(route: &mut Route, now: Instant, weight: u32) {
    let weight = u64::from(weight);
    let sample: Duration = route.changed_at.saturating_since(route.sequence_at);
    route.settling = (route.settling * (weight - 1) + sample) / weight;
    route.sequence_at = now;
}
