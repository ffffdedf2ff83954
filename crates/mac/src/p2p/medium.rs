//! A medium that several links share: in each direction one frame at a time.
//!
//! The links of a medium have the same node at their first end, a station with several hosts
//! (vaidya1999 §7: "TCP connections to several destination hosts share the wireless medium"). One
//! transmitter sends to all hosts, and one channel carries what they send. Each takes what came
//! first over all links, within the ranks that a link has by itself (link ACK, retransmission,
//! packet). Rate, delay, queues, errors and retransmission stay each link's own. On the way back
//! that is an ideal scheduler: hosts do not collide and lose no time to taking turns.
//!
//! It is no radio: there is no contention, no capture and no carrier sense; and as the link of the
//! paper is full duplex, the two directions do not disturb each other.
//!
//! The one invariant: between calls all ends of a direction hold the same state of their
//! transmitter, and while something waits, it is busy.

use super::end::Transmitter;
use super::full::Event;
use super::{Link, Refused, Side};
use acklab_base::Instant;
use acklab_wire::Packet;

/// The links of a medium, wherever they are kept.
pub trait Links {
    /// How many there are.
    fn count(&self) -> usize;

    /// One of them, counted from zero.
    fn link(&mut self, place: usize) -> &mut Link;
}

/// What links share. They must be sent to and woken through it, never by themselves.
#[derive(Clone, Debug)]
pub struct Medium {
    /// The station's transmitter, and the channel of its hosts.
    transmitters: [Transmitter; 2],
}

impl Default for Medium {
    fn default() -> Self {
        Self {
            transmitters: [Transmitter::IDLE; 2],
        }
    }
}

impl Medium {
    /// The node at `side` of a link sends a packet over it: as [`Link::on_send`].
    ///
    /// # Errors
    /// Gives the packet back if congestion took it or the queue is full.
    pub fn on_send(
        &mut self,
        links: &mut impl Links,
        now: Instant,
        (place, side): (usize, Side),
        packet: Packet,
    ) -> Result<(), Refused> {
        self.serve(links, now);
        let sent = links.link(place).shared().on_send(now, side, packet);
        self.learn(links, place);
        sent
    }

    /// The time of a wake has come. Ask every link for its outputs then.
    pub fn on_wake(&mut self, links: &mut impl Links, now: Instant) {
        loop {
            let event = next_event(links);
            let at = event.map_or(Instant::NEVER, |(at, ..)| at);
            let at = at.min(next_start(links));
            if at > now {
                return;
            }
            // What can begin at an instant does so before anything else happens then.
            self.serve(links, at);
            if let Some((_, place, event)) = event.filter(|event| event.0 == at) {
                links.link(place).shared().step(at, event);
                self.learn(links, place);
            }
        }
    }

    /// When the medium must be woken.
    pub fn next_wake(&self, links: &mut impl Links) -> Instant {
        (0..links.count()).fold(next_start(links), |wake, place| {
            wake.min(links.link(place).shared().next_wake())
        })
    }

    /// Begins every frame that begins by `now`.
    fn serve(&mut self, links: &mut impl Links, now: Instant) {
        for side in Side::BOTH {
            while self.transmitters[side.index()].free_at <= now {
                let urgent = (0..links.count())
                    .any(|place| links.link(place).shared().has_urgent_repeat(side));
                let bids = (0..links.count()).filter_map(|place| {
                    let bid = links.link(place).shared().bid(side, urgent);
                    bid.map(|bid| (bid, place))
                });
                let Some((_, place)) = bids.min() else { break };
                links.link(place).shared().begin_next(side, urgent);
                self.learn(links, place);
            }
        }
    }

    /// A link was at work: all others learn what its transmitters are at.
    fn learn(&mut self, links: &mut impl Links, place: usize) {
        self.transmitters = links.link(place).shared().transmitters();
        for other in 0..links.count() {
            links
                .link(other)
                .shared()
                .set_transmitters(self.transmitters);
        }
    }
}

/// When a transmitter can take something that waits.
fn next_start(links: &mut impl Links) -> Instant {
    (0..links.count()).fold(Instant::NEVER, |start, place| {
        start.min(links.link(place).shared().next_start())
    })
}

/// The first of what happens next on any link, and on which.
fn next_event(links: &mut impl Links) -> Option<(Instant, usize, Event)> {
    let events = (0..links.count()).filter_map(|place| {
        let (at, event) = links.link(place).shared().next_event()?;
        Some((at, place, event))
    });
    events.min_by_key(|&(at, place, _)| (at, place))
}
