//! What routing sends and does, as counters and recorders see it.
//!
//! Messages are counted and recorded where the router hands them out, whoever made them: one that waits
//! before it is passed on counts when it leaves. Invariant: a record has as many requests, replies and errors
//! as are counted.

use crate::world::World;
use acklab_base::{Instant, NodeId};
use acklab_routing::RouterNote;
use acklab_trace::Event;
use acklab_wire::{Body, Packet, aodv, dsr};

impl World {
    /// The router of this node sends a packet, which may be a message of its protocol.
    pub(crate) fn count_routing(&mut self, at: Instant, node: NodeId, packet: &Packet) {
        match &packet.body {
            Body::Aodv(message) => self.count_aodv(at, node, packet.ttl, message),
            Body::Dsr(message) => self.count_dsr(at, node, packet, &message.header),
            _ => {}
        }
    }

    fn count_aodv(&mut self, at: Instant, node: NodeId, ttl: u8, message: &aodv::Message) {
        let counters = &mut self.stacks[self.seats.of(node)].counters;
        let event = match message {
            aodv::Message::Request(request) => {
                counters.rreq_sent += 1;
                Event::RouteRequest {
                    destination: request.destination,
                    origin: request.origin,
                    ttl,
                }
            }
            aodv::Message::Reply(reply) => {
                counters.rrep_sent += 1;
                Event::RouteReply {
                    destination: reply.destination,
                    origin: reply.origin,
                }
            }
            aodv::Message::Error(list) => {
                counters.rerr_sent += 1;
                let destinations = list.len() as u32;
                Event::RouteError { destinations }
            }
        };
        self.record(at, node, event);
    }

    /// A packet under DSR can carry several of them, beside data.
    fn count_dsr(&mut self, at: Instant, node: NodeId, packet: &Packet, header: &dsr::Header) {
        let counters = &mut self.stacks[self.seats.of(node)].counters;
        let is_error = header.request.is_none() && !header.errors.is_empty();
        counters.rreq_sent += u32::from(header.request.is_some());
        counters.rrep_sent += u32::from(header.reply.is_some());
        counters.rerr_sent += u32::from(is_error);
        if self.recorder.is_some() {
            self.record_dsr(at, node, packet, header);
        }
    }

    #[cold]
    fn record_dsr(&mut self, at: Instant, node: NodeId, packet: &Packet, header: &dsr::Header) {
        if let Some(request) = header.request {
            // `reach` nodes may pass it on; those on the route after the first have.
            let passed = header.route.len().saturating_sub(1) as u8;
            let event = Event::RouteRequest {
                destination: packet.destination,
                origin: packet.source,
                ttl: request.reach.saturating_sub(passed).saturating_add(1),
            };
            self.record(at, node, event);
        } else if !header.errors.is_empty() {
            let destinations = header.errors.len() as u32;
            self.record(at, node, Event::RouteError { destinations });
        }
        if let Some([origin, .., destination]) = header.reply.as_deref() {
            let (destination, origin) = (*destination, *origin);
            let event = Event::RouteReply {
                destination,
                origin,
            };
            self.record(at, node, event);
        }
    }

    /// The router tells something that no packet shows.
    pub(crate) fn note_routing(&mut self, at: Instant, node: NodeId, note: RouterNote) {
        let counters = &mut self.stacks[self.seats.of(node)].counters;
        let event = match note {
            RouterNote::LocalRepair { destination } => Event::LocalRepair { destination },
            RouterNote::DiscoveryFailed { destination } => Event::DiscoveryFailed { destination },
            RouterNote::RequestSent { .. } => {
                counters.rreq_originated += 1;
                return;
            }
            RouterNote::UpdateSent { .. } => {
                counters.route_updates_sent += 1;
                return;
            }
            RouterNote::Salvaged { .. } => {
                counters.rest().salvaged_packets += 1;
                return;
            }
            _ => return,
        };
        self.record(at, node, event);
    }
}
