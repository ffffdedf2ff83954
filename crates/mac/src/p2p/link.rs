//! The link as its user sees it: one of two machines, the plain one or the one with everything.

use super::full::FullLink;
use super::plain::PlainLink;
use super::{Counters, LinkConfig, Output, Refused, Side, Ways};
use acklab_base::Instant;
use acklab_wire::Packet;

/// A full-duplex link between two nodes.
#[derive(Clone, Debug)]
pub struct Link {
    kind: Kind,
}

// A link is one of the two for the whole run, and there are few links.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
enum Kind {
    Plain(PlainLink),
    Full(FullLink),
}

impl Link {
    /// An idle link. `ways` holds what belongs to the direction from each end.
    #[must_use]
    pub fn new(config: &LinkConfig, ways: Ways) -> Self {
        let kind = if ways.iter().all(|way| way.arq.is_none()) {
            Kind::Plain(PlainLink::new(config, ways))
        } else {
            Kind::Full(FullLink::new(config, ways))
        };
        Self { kind }
    }

    /// The machine that can share its transmitters with other links. A link that does so is sent to
    /// and woken through its medium alone, so nothing was sent yet on one that is still plain.
    pub(super) fn shared(&mut self) -> &mut FullLink {
        if let Kind::Plain(link) = &self.kind {
            self.kind = Kind::Full(link.clone().into_full());
        }
        match &mut self.kind {
            Kind::Full(link) => link,
            Kind::Plain(_) => unreachable!("it has just become the other kind"),
        }
    }

    /// Reports every frame as [`Output::Seen`] from now on.
    pub fn watch(&mut self) {
        match &mut self.kind {
            Kind::Plain(link) => link.watch(),
            Kind::Full(link) => link.watch(),
        }
    }

    /// Asks for a wake at every edge: for tests that waking less often changes nothing.
    pub fn wake_eagerly(&mut self) {
        match &mut self.kind {
            Kind::Plain(link) => link.wake_eagerly(),
            Kind::Full(link) => link.wake_eagerly(),
        }
    }

    /// The node at `side` sends a packet over the link.
    ///
    /// # Errors
    /// Gives the packet back if congestion took it or the queue is full.
    #[inline]
    pub fn on_send(&mut self, now: Instant, side: Side, packet: Packet) -> Result<(), Refused> {
        match &mut self.kind {
            Kind::Plain(link) => link.on_send(now, side, packet),
            Kind::Full(link) => link.on_send(now, side, packet),
        }
    }

    /// Takes back what waits at `side`, oldest first: a mobile turns to another station. What has
    /// begun goes on. Only without link-level retransmission, which owns what it has numbered.
    pub fn take_waiting(&mut self, now: Instant, side: Side) -> Vec<Packet> {
        match &mut self.kind {
            Kind::Plain(link) => link.take_waiting(now, side),
            Kind::Full(link) => link.take_waiting(now, side),
        }
    }

    /// The time of a wake has come. Everything that [`Link::poll`] has to say is to be taken
    /// before the next wake.
    #[inline]
    pub fn on_wake(&mut self, now: Instant) {
        match &mut self.kind {
            Kind::Plain(link) => link.on_wake(now),
            Kind::Full(link) => link.on_wake(now),
        }
    }

    /// The next thing that the link hands over.
    #[inline]
    pub fn poll(&mut self) -> Option<Output> {
        match &mut self.kind {
            Kind::Plain(link) => link.poll(),
            Kind::Full(link) => link.poll(),
        }
    }

    /// When the link must be woken.
    #[inline]
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        match &self.kind {
            Kind::Plain(link) => link.next_wake(),
            Kind::Full(link) => link.next_wake(),
        }
    }

    /// What was counted at one end: what it sent, and what became of that.
    #[must_use]
    pub fn counters(&self, side: Side) -> &Counters {
        match &self.kind {
            Kind::Plain(link) => link.counters(side),
            Kind::Full(link) => link.counters(side),
        }
    }
}
