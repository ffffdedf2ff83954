//! 802.11 below the wireless hop: one cell a base station, on a frequency of its own, with a MAC for
//! the station and one for each mobile there.
//!
//! [`acklab_mac::cell`] is the machine. Here it is told who listens and whose signal is strong
//! enough; what it delivers climbs like what comes off a link, and what it gives up is reported as
//! without 802.11: lost on the old path, too weak, or else by the retry limit. Invariant: a
//! mobile is tuned to the cell of the station that it listens to, and to no other.

use super::{Cells, MobileAt, StationAt};
use crate::air::mac_retry;
use crate::convert;
use crate::station::fingerprint;
use crate::world::{Part, World};
use acklab_base::{Instant, NodeId, Purpose, Stream};
use acklab_kernel::{Agenda, Phase, Slot};
use acklab_mac::{Cell, CellConfig, CellMobile, CellOutput};
use acklab_scenario::{CellMac, Resolved};
use acklab_trace::{DropReason, NodeCounters};
use acklab_wire::{Frame, FrameHeader, FrameKind, Packet};

/// The cell of a base station.
#[derive(Debug)]
pub(super) struct Radio {
    machine: Cell,
    slot: Slot,
}

/// The cells of all base stations, if 802.11 is below.
pub(super) fn radios(
    resolved: &Resolved,
    (stations, mobiles): (&[StationAt], &[MobileAt]),
    draws: &impl Fn(u32, Purpose) -> Stream,
    (agenda, parts): (&mut Agenda, &mut Vec<Part>),
) -> Vec<Radio> {
    let Some(cells) = resolved
        .cells
        .as_ref()
        .filter(|cells| cells.mac == CellMac::Dcf)
    else {
        return Vec::new();
    };
    let config = CellConfig {
        dcf: convert::dcf(&resolved.mac),
        queue: cells.queue as usize,
        loss: cells.loss,
        delay: cells.delay,
    };
    let radio = |(number, station): (usize, &StationAt)| {
        let mobile = |(index, mobile): (usize, &MobileAt)| {
            let pair = (index * stations.len() + number) as u32;
            // Errors have the addresses that they have on links.
            let link = 2 * (resolved.links.len() as u32 + pair);
            CellMobile {
                node: mobile.node,
                backoff: draws(resolved.nodes + pair, Purpose::Backoff),
                errors: [link, link + 1].map(|way| draws(way, Purpose::LinkErrors)),
                tuned: mobile.first == station.node,
            }
        };
        let members = mobiles.iter().enumerate().map(mobile).collect();
        let backoff = draws(station.node.0, Purpose::Backoff);
        parts.push(Part::Cell(number as u32));
        Radio {
            machine: Cell::new(&config, station.node, backoff, members),
            // It is settled before anything is done to it, whatever its phase.
            slot: agenda.add_slot(Phase::Stack),
        }
    };
    stations.iter().enumerate().map(radio).collect()
}

impl Cells {
    /// Everything that is due in a cell happens; what comes of it waits in the machine.
    fn settle_cell(&mut self, now: Instant, cell: usize) {
        let Self {
            radios,
            stations,
            mobiles,
            sky,
            ..
        } = self;
        let at = (&stations[cell], cell);
        radios[cell].machine.on_wake(now, |node| {
            let mobile = mobiles.iter_mut().find(|mobile| mobile.node == node);
            mobile.is_some_and(|mobile| sky.level(now, at, mobile) >= sky.reception)
        });
    }
}

impl World {
    /// The cell in which a station and a mobile talk by 802.11, if they do.
    pub(crate) fn cell_between(&self, node: NodeId, peer: NodeId) -> Option<usize> {
        let radios = &self.cells.as_ref()?.radios;
        radios
            .iter()
            .position(|radio| radio.machine.joins(node, peer))
    }

    /// Says in the agenda when a cell is next to be woken: at once, if it has something to say.
    fn plan_cell(&mut self, now: Instant, cell: usize) {
        let Some(cells) = &self.cells else { return };
        let Radio { machine, slot } = &cells.radios[cell];
        let next = if machine.asks() {
            now
        } else {
            machine.next_wake()
        };
        self.agenda.set(*slot, next);
    }

    /// A station or a mobile sends a packet in a cell; whether there was room for it.
    pub(crate) fn send_in_cell(
        &mut self,
        now: Instant,
        (node, to): (NodeId, NodeId),
        cell: usize,
        packet: Packet,
    ) -> bool {
        let Some(cells) = &mut self.cells else {
            return false;
        };
        cells.settle_cell(now, cell);
        let sent = cells.radios[cell].machine.on_send(now, node, to, packet);
        self.record_unanswered_in(now, cell);
        self.plan_cell(now, cell);
        let Err(packet) = sent else { return true };
        self.stacks[self.seats.of(node)].counters.queue_drops += 1;
        self.dropped(now, node, packet.class(), DropReason::QueueFull);
        false
    }

    /// A mobile turns from one cell to the station of another; what waited in the old one.
    pub(super) fn turn(
        &mut self,
        now: Instant,
        node: NodeId,
        old: usize,
        station: NodeId,
    ) -> Vec<Packet> {
        let Some(cells) = &mut self.cells else {
            return Vec::new();
        };
        let new = cells.station_at(station).unwrap_or(old);
        for cell in [old, new] {
            cells.settle_cell(now, cell);
        }
        let waiting = cells.radios[old].machine.on_leave(now, node);
        cells.radios[new].machine.on_tune(now, node);
        for cell in [old, new] {
            self.record_unanswered_in(now, cell);
            self.plan_cell(now, cell);
        }
        waiting
    }

    /// A cell does what is due by `now`.
    pub(crate) fn wake_cell(&mut self, now: Instant, cell: usize) {
        if let Some(cells) = &mut self.cells {
            cells.settle_cell(now, cell);
        }
        self.record_unanswered_in(now, cell);
        while let Some(cells) = &mut self.cells
            && let Some(output) = cells.radios[cell].machine.poll()
        {
            match output {
                CellOutput::Sent { node, header } => self.cell_frame(now, node, cell, &header),
                CellOutput::Decoded { node, header } => {
                    let digest = &mut self.stacks[self.seats.of(node)].digest;
                    digest.mix(now, 8 + header.kind as u16, fingerprint(&header));
                }
                CellOutput::Destroyed { node } => {
                    self.stacks[self.seats.of(node)]
                        .counters
                        .rest()
                        .cell_frames_lost += 1;
                }
                CellOutput::Collided { node } => {
                    // All hear each other, at once: no one of them is hidden.
                    let counters = &mut self.stacks[self.seats.of(node)].counters;
                    counters.collisions += 1;
                    counters.collisions_same_slot += 1;
                }
                CellOutput::Deliver { node, from, packet } => {
                    let value = u64::from(packet.source.0) << 32 ^ u64::from(packet.id);
                    let digest = &mut self.stacks[self.seats.of(node)].digest;
                    digest.mix(now, 96 + packet.class() as u16, value);
                    self.above_the_mac(node, |world| world.climb(now, node, packet, from));
                    self.watch_crossover(now, node);
                }
                CellOutput::GivenUp { node, to, packet } => {
                    self.given_up(now, cell, [node, to], &packet);
                }
            }
        }
        self.plan_cell(now, cell);
    }

    /// A recorder is told of answers that did not come; without one they are forgotten.
    fn record_unanswered_in(&mut self, now: Instant, cell: usize) {
        while let Some(cells) = &mut self.cells
            && let Some((node, unanswered)) = cells.radios[cell].machine.take_unanswered()
        {
            self.record(now, node, mac_retry(&unanswered));
        }
    }

    /// A frame goes on the air.
    fn cell_frame(&mut self, now: Instant, node: NodeId, cell: usize, header: &FrameHeader) {
        let stack = &mut self.stacks[self.seats.of(node)];
        stack.counters.rest().count_sent(header);
        stack
            .digest
            .mix(now, header.kind as u16, fingerprint(header));
        if let Some(recorder) = &mut self.recorder
            && let Some(cells) = &self.cells
        {
            let machine = &cells.radios[cell].machine;
            let payload = match header.kind {
                FrameKind::Data => machine.payload(node, header.sequence).cloned(),
                _ => None,
            };
            let header = *header;
            recorder.frame_sent(now, node, &Frame { header, payload });
        }
    }

    /// A MAC gave a packet up: the mobile had turned away, was too far off, or was unlucky.
    fn given_up(&mut self, now: Instant, cell: usize, [node, to]: [NodeId; 2], packet: &Packet) {
        let class = packet.class();
        self.stacks[self.seats.of(node)]
            .counters
            .count_retry_drop(class);
        let Some(cells) = &mut self.cells else { return };
        let Some(mobile) = cells.mobile_at(node).or_else(|| cells.mobile_at(to)) else {
            return;
        };
        let goes_down = cells.stations[cell].node == node;
        if goes_down && cells.mobiles[mobile].agent.station() != node {
            self.lost_on_old_path(mobile);
            self.lose(now, to, class, DropReason::NotListening);
        } else if cells.level(now, mobile, cell) < cells.sky.reception {
            self.lose(now, to, class, DropReason::TooWeak);
        } else {
            self.dropped(now, node, class, DropReason::RetryLimit);
        }
    }

    /// Adds what the MACs of a node counted in all cells, and for how long its signal has been low that still
    /// is.
    pub(crate) fn count_cells(&self, index: usize, counters: &mut NodeCounters) {
        let node = NodeId(index as u32);
        let mobiles = self.cells.iter().flat_map(|cells| &cells.mobiles);
        for period in mobiles
            .filter(|mobile| mobile.node == node)
            .filter_map(|mobile| mobile.low)
        {
            counters.low_signal += self.now - period.since;
        }
        let radios = self.cells.iter().flat_map(|cells| &cells.radios);
        for Radio { machine, .. } in radios {
            let Some(mac) = machine.counters(node) else {
                continue;
            };
            counters.missing_cts += u64::from(mac.missing_cts);
            counters.missing_ack += u64::from(mac.missing_ack);
            counters.unicast_done_tcp_data += u64::from(mac.done_tcp_data);
            counters.unicast_done_tcp_ack += u64::from(mac.done_tcp_ack);
            counters.unicast_done += mac.done();
            counters.receiving += machine.heard(node);
        }
    }
}
