//! The cell: who is on the frequency, the frames in the air, and the loop that advances them.

use super::ears::Ears;
use super::leave::sum;
use super::{CellConfig, CellMobile, CellOutput};
use crate::dcf::{Counters, Dcf, Output, Unanswered};
use acklab_base::{Duration, Instant, NodeId, Share, Stream};
use acklab_wire::{FrameHeader, Packet, Payload};
use std::collections::VecDeque;

/// The place of the station among the members.
pub(super) const STATION: usize = 0;

/// The station, or a mobile.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) dcf: Dcf,
    pub(super) ears: Ears,
    /// Packets in front of the MAC, with where they go.
    pub(super) waiting: VecDeque<(Packet, NodeId)>,
    /// The packet that the MAC was given last, with where it goes.
    pub(super) in_hand: Option<(Packet, NodeId)>,
    /// Whether that packet was on the air.
    pub(super) tried: bool,
    /// Whether it listens to this cell.
    pub(super) tuned: bool,
    /// Whether it has turned away in the middle of an exchange.
    pub(super) parting: bool,
    /// What the MACs before this one counted.
    pub(super) before: Counters,
}

impl Member {
    fn new(dcf: Dcf, tuned: bool) -> Self {
        Self {
            dcf,
            ears: Ears::new(),
            waiting: VecDeque::new(),
            in_hand: None,
            tried: false,
            tuned,
            parting: false,
            before: Counters::default(),
        }
    }

    /// The MAC gets a packet.
    pub(super) fn give(&mut self, now: Instant, packet: Packet, to: NodeId) {
        self.in_hand = Some((packet.clone(), to));
        self.tried = false;
        self.dcf.on_packet(now, Payload::Ip(packet), to);
    }

    /// Whether it is on the frequency: one that does not listen is while it sends ahead, and until an
    /// exchange is over.
    pub(super) fn is_present(&self) -> bool {
        self.tuned || !self.dcf.is_ready()
    }
}

/// A frame in the air.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub(super) from: usize,
    pub(super) header: FrameHeader,
    pub(super) end: Instant,
    pub(super) overlapped: bool,
    /// Who hears it.
    pub(super) listeners: Vec<usize>,
}

impl Flight {
    pub(super) fn start(&self) -> Instant {
        self.end - self.header.airtime
    }
}

/// A packet on its way up.
#[derive(Clone, Debug)]
struct Climbing {
    due: Instant,
    node: NodeId,
    from: NodeId,
    packet: Packet,
}

/// What a mobile draws.
#[derive(Clone, Debug)]
pub(super) struct Chance {
    /// Errors of what it receives, and of what it sends.
    pub(super) errors: [Stream; 2],
    /// Names the streams of its next MACs.
    pub(super) visits: Stream,
}

/// A base station, the mobiles that may listen to it, and the medium between them.
#[derive(Clone, Debug)]
pub struct Cell {
    queue: usize,
    pub(super) loss: Share,
    delay: Duration,
    /// First the station.
    pub(super) members: Vec<Member>,
    /// What each mobile draws.
    pub(super) chances: Vec<Chance>,
    pub(super) flights: Vec<Flight>,
    /// Lists of listeners of frames that are over, to be used again.
    pub(super) spare: Vec<Vec<usize>>,
    /// Members that begin to send at this instant.
    pub(super) starting: Vec<usize>,
    climbing: VecDeque<Climbing>,
    pub(super) unanswered: VecDeque<(NodeId, Unanswered)>,
    pub(super) outputs: VecDeque<CellOutput>,
}

impl Cell {
    /// A cell in which nothing was sent yet. The station has the backoffs of `backoff`.
    #[must_use]
    pub fn new(
        config: &CellConfig,
        station: NodeId,
        backoff: Stream,
        mobiles: Vec<CellMobile>,
    ) -> Self {
        let mut members = vec![Member::new(Dcf::new(station, config.dcf, backoff), true)];
        let mut chances = Vec::with_capacity(mobiles.len());
        for mobile in mobiles {
            chances.push(Chance {
                errors: mobile.errors,
                visits: mobile.backoff.clone(),
            });
            let dcf = Dcf::new(mobile.node, config.dcf, mobile.backoff);
            members.push(Member::new(dcf, mobile.tuned));
        }
        Self {
            queue: config.queue,
            loss: config.loss,
            delay: config.delay,
            members,
            chances,
            flights: Vec::new(),
            spare: Vec::new(),
            starting: Vec::new(),
            climbing: VecDeque::new(),
            unanswered: VecDeque::new(),
            outputs: VecDeque::new(),
        }
    }

    pub(super) fn place(&self, node: NodeId) -> Option<usize> {
        self.members
            .iter()
            .position(|member| member.dcf.id() == node)
    }

    /// Whether two nodes talk with each other here: one is the station, the other a mobile.
    #[must_use]
    pub fn joins(&self, one: NodeId, other: NodeId) -> bool {
        let places = [one, other].map(|node| self.place(node));
        places[0] != places[1] && places.contains(&Some(STATION)) && !places.contains(&None)
    }

    /// What the MAC of a node counted; nothing if the node is no member.
    #[must_use]
    pub fn counters(&self, node: NodeId) -> Option<Counters> {
        let member = &self.members[self.place(node)?];
        Some(sum(&member.before, member.dcf.counters()))
    }

    /// For how long a node heard frames.
    #[must_use]
    pub fn heard(&self, node: NodeId) -> Duration {
        self.place(node).map_or(Duration::ZERO, |place| {
            self.members[place].ears.receiving.total()
        })
    }

    /// What the data frame with this sequence number carries that a node has on the air.
    #[must_use]
    pub fn payload(&self, node: NodeId, sequence: u16) -> Option<&Payload> {
        self.members[self.place(node)?].dcf.payload(sequence)
    }

    /// A node sends a packet to another one. Everything that was due must be done: wake it before.
    ///
    /// # Errors
    /// Gives the packet back if too many wait.
    ///
    /// # Panics
    /// If the node is no member.
    pub fn on_send(
        &mut self,
        now: Instant,
        node: NodeId,
        to: NodeId,
        packet: Packet,
    ) -> Result<(), Packet> {
        let place = self.place(node).expect("a member sends");
        self.arrive(now, place);
        let member = &mut self.members[place];
        if member.dcf.is_ready() {
            member.give(now, packet, to);
            self.drain(now, place);
        } else if member.waiting.len() < self.queue {
            member.waiting.push_back((packet, to));
        } else {
            return Err(packet);
        }
        Ok(())
    }

    /// A mobile listens to this cell from now on. Frames that are in the air it only senses; an exchange
    /// that it began before it turned away is one as any other again. Everything that was due must be done.
    pub fn on_tune(&mut self, now: Instant, mobile: NodeId) {
        if let Some(place) = self.place(mobile) {
            self.arrive(now, place);
            let member = &mut self.members[place];
            member.tuned = true;
            member.parting = false;
        }
    }

    /// A mobile is on the frequency from now on.
    fn arrive(&mut self, now: Instant, place: usize) {
        let member = &mut self.members[place];
        if member.is_present() {
            return;
        }
        for flight in &mut self.flights {
            let is_new = flight.from != place && !flight.listeners.contains(&place);
            if is_new && !flight.listeners.is_empty() {
                flight.listeners.push(place);
                member.ears.on_sense(now);
                member.dcf.on_medium(now, true);
            }
        }
    }

    /// The time of a wake has come; without one due, nothing changes. `strong` says whether frames
    /// between the station and a mobile are received now. Everything that [`Cell::poll`] has to say is to
    /// be taken before time goes on.
    pub fn on_wake(&mut self, now: Instant, mut strong: impl FnMut(NodeId) -> bool) {
        loop {
            let at = self.next_edge();
            if at > now || at == Instant::NEVER {
                break;
            }
            while let Some(over) = self.flights.iter().position(|flight| flight.end <= at) {
                let flight = self.flights.swap_remove(over);
                self.end(at, flight, &mut strong);
            }
            for place in 0..self.members.len() {
                if self.members[place].dcf.next_wake() <= at {
                    self.step(place, |dcf| dcf.on_wake(at));
                    self.drain(at, place);
                    self.part_if_over(at, place);
                }
            }
            self.begin(at, &mut strong);
        }
        while let Some(first) = self.climbing.front()
            && first.due <= now
            && let Some(Climbing {
                node, from, packet, ..
            }) = self.climbing.pop_front()
        {
            self.outputs
                .push_back(CellOutput::Deliver { node, from, packet });
        }
    }

    /// Whether [`Cell::poll`] has something.
    #[must_use]
    pub fn asks(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// The next thing that the cell hands over.
    pub fn poll(&mut self) -> Option<CellOutput> {
        self.outputs.pop_front()
    }

    /// The next answer that did not come, and to which node. It is for an observer: nobody needs to wake
    /// the cell for it.
    pub fn take_unanswered(&mut self) -> Option<(NodeId, Unanswered)> {
        self.unanswered.pop_front()
    }

    /// A MAC takes a step.
    pub(super) fn step(&mut self, place: usize, step: impl FnOnce(&mut Dcf)) {
        let dcf = &mut self.members[place].dcf;
        if let Some(unanswered) = dcf.watched(step) {
            self.unanswered.push_back((dcf.id(), unanswered));
        }
    }

    /// When the cell must be woken, if nothing else happens.
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        let up = self
            .climbing
            .front()
            .map_or(Instant::NEVER, |first| first.due);
        self.next_edge().min(up)
    }

    /// When a frame ends or a MAC wants to be woken.
    fn next_edge(&self) -> Instant {
        let ends = self.flights.iter().map(|flight| flight.end);
        let wakes = self.members.iter().map(|member| member.dcf.next_wake());
        ends.chain(wakes).fold(Instant::NEVER, Instant::min)
    }

    /// Does what a MAC asks for.
    pub(super) fn drain(&mut self, now: Instant, place: usize) {
        while let Some(output) = self.members[place].dcf.poll() {
            let node = self.members[place].dcf.id();
            match output {
                Output::Transmit => self.starting.push(place),
                Output::Deliver { from, sequence } => {
                    if let Some(Payload::Ip(packet)) = self.payload(from, sequence).cloned() {
                        let due = now + self.delay;
                        self.climbing.push_back(Climbing {
                            due,
                            node,
                            from,
                            packet,
                        });
                    }
                }
                Output::Failed { next_hop: to } => {
                    if let Some(Payload::Ip(packet)) = self.members[place].dcf.take_failed() {
                        self.outputs
                            .push_back(CellOutput::GivenUp { node, to, packet });
                    }
                }
                Output::Ready => {
                    let member = &mut self.members[place];
                    if let Some((packet, to)) = member.waiting.pop_front() {
                        member.give(now, packet, to);
                    }
                }
                // No MAC here listens to all.
                Output::Overheard { .. } => {}
            }
        }
    }
}
