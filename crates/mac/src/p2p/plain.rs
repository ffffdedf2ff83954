//! A link by itself, without retransmission: in each direction a queue, a transmitter and a channel,
//! all in order of arrival.
//!
//! Frames stand in one ring from the moment they are queued to their arrival: first those on the
//! channel, then those that wait, so that beginning one moves nothing. The transmitter is worked
//! out late: a frame begins when the one before it ends, whenever somebody looks. That is exact,
//! since what begins at an instant depends only on what was queued by then, and everything that is
//! queued comes through [`Lane::serve`] first.
//!
//! Invariant: behind [`Lane::serve`] either nothing waits or the transmitter is busy.

use super::channel::Channel;
use super::end::End;
use super::full::FullLink;
use super::{Counters, LinkConfig, Lost, Output, Refused, Side, Sight, Sighting, Ways};
use acklab_base::Instant;
use acklab_wire::Packet;
use std::collections::VecDeque;

/// A packet on the channel, or one that waits.
#[derive(Clone, Debug)]
struct Frame {
    packet: Packet,
    /// When its last bit arrives: at the end of time while it waits.
    arrives: Instant,
    destroyed: bool,
}

/// The direction from one end to the other.
#[derive(Clone, Debug)]
struct Lane {
    channel: Channel,
    /// When the transmitter has sent what it has begun.
    free_at: Instant,
    capacity: usize,
    /// Those that have begun, then those that wait, oldest first.
    frames: VecDeque<Frame>,
    /// How many have begun.
    begun: usize,
    /// When the first of those arrives.
    next: Instant,
    /// How many of those a watcher was told of.
    told: usize,
}

impl Lane {
    /// Whether a packet that comes now is taken.
    #[inline]
    fn admits(&mut self, now: Instant, packet: &Packet) -> Result<(), Lost> {
        if self.channel.loses(now, packet) {
            return Err(Lost::Congestion);
        }
        self.serve(now);
        let is_free = self.free_at <= now;
        if !is_free && self.frames.len() - self.begun >= self.capacity {
            self.channel.counters.queue_drops += 1;
            return Err(Lost::QueueFull);
        }
        Ok(())
    }

    /// Takes a packet that was admitted.
    #[inline]
    fn take(&mut self, now: Instant, packet: Packet) {
        self.frames.push_back(Frame {
            packet,
            arrives: Instant::NEVER,
            destroyed: false,
        });
        if self.free_at <= now {
            self.free_at = now;
            self.begin();
        }
    }

    /// Begins every frame that begins by `now`.
    #[inline]
    fn serve(&mut self, now: Instant) {
        while self.begun < self.frames.len() && self.free_at <= now {
            self.begin();
        }
    }

    /// The first frame that waits begins.
    #[inline]
    fn begin(&mut self) {
        let frame = &mut self.frames[self.begun];
        let passage = self.channel.begin(self.free_at, frame.packet.bytes, false);
        self.free_at = passage.ended;
        (frame.arrives, frame.destroyed) = (passage.arrives, passage.destroyed);
        self.channel.counters.frames_sent += 1;
        if self.begun == 0 {
            self.next = passage.arrives;
        }
        self.begun += 1;
    }

    /// When the next frame begins, if one waits.
    fn next_start(&self) -> Instant {
        if self.begun == self.frames.len() {
            Instant::NEVER
        } else {
            self.free_at
        }
    }

    /// The first frame on the channel was taken off it, at its arrival.
    #[inline]
    fn arrived(&mut self, at: Instant, destroyed: bool) {
        self.begun -= 1;
        // One that waits has this at the end of time, and has it set when it begins.
        let first = self.frames.front();
        self.next = first.map_or(Instant::NEVER, |frame| frame.arrives);
        self.told = self.told.saturating_sub(1);
        self.serve(at);
        self.channel.counters.frames_lost += u64::from(destroyed);
    }
}

/// A link by itself, without retransmission.
#[derive(Clone, Debug)]
pub(super) struct PlainLink {
    lanes: [Lane; 2],
    /// What arrives by then is handed over.
    woken: Instant,
    /// What a watcher is told, with the arrivals in between; nothing without a watcher.
    outputs: VecDeque<Output>,
    watched: bool,
    /// Wake at every edge.
    eager: bool,
}

impl PlainLink {
    pub(super) fn new(config: &LinkConfig, ways: Ways) -> Self {
        let lane = |way| Lane {
            channel: Channel::new(config, way),
            free_at: Instant::ZERO,
            capacity: config.queue,
            frames: VecDeque::with_capacity(64),
            begun: 0,
            next: Instant::NEVER,
            told: 0,
        };
        Self {
            lanes: ways.map(lane),
            woken: Instant::ZERO,
            outputs: VecDeque::new(),
            watched: false,
            eager: false,
        }
    }

    /// The same link, before anything was sent, as one that can share its transmitters.
    pub(super) fn into_full(self) -> FullLink {
        let end = |lane: Lane| End::new(lane.channel, lane.capacity, None);
        let mut link = FullLink::between(self.lanes.map(end));
        if self.watched {
            link.watch();
        }
        if self.eager {
            link.wake_eagerly();
        }
        link
    }

    pub(super) fn watch(&mut self) {
        self.watched = true;
    }

    pub(super) fn wake_eagerly(&mut self) {
        self.eager = true;
    }

    #[inline]
    pub(super) fn on_send(
        &mut self,
        now: Instant,
        side: Side,
        packet: Packet,
    ) -> Result<(), Refused> {
        let lane = &mut self.lanes[side.index()];
        let admitted = lane.admits(now, &packet);
        if let Err(why) = admitted {
            if self.watched {
                self.tell_begun(side);
            }
            return Err(Refused { packet, why });
        }
        lane.take(now, packet);
        if self.watched {
            self.tell_begun(side);
        }
        Ok(())
    }

    /// Takes back what waits at `side`, oldest first.
    pub(super) fn take_waiting(&mut self, now: Instant, side: Side) -> Vec<Packet> {
        let lane = &mut self.lanes[side.index()];
        lane.serve(now);
        let waiting = lane.frames.drain(lane.begun..);
        let waiting = waiting.map(|frame| frame.packet).collect();
        if self.watched {
            self.tell_begun(side);
        }
        waiting
    }

    #[inline]
    pub(super) fn on_wake(&mut self, now: Instant) {
        self.woken = now;
        for side in Side::BOTH {
            self.lanes[side.index()].serve(now);
            if self.watched {
                self.tell_begun(side);
            }
        }
    }

    /// The next arrival by the time of the last wake, the first end's before the second's.
    #[inline]
    pub(super) fn poll(&mut self) -> Option<Output> {
        loop {
            if self.watched
                && let Some(told) = self.outputs.pop_front()
            {
                return Some(told);
            }
            let [first, second] = &self.lanes;
            if first.next.min(second.next) > self.woken {
                return None;
            }
            let from = if first.next <= second.next {
                Side::First
            } else {
                Side::Second
            };
            let lane = &mut self.lanes[from.index()];
            let frame = lane.frames.pop_front()?;
            lane.arrived(frame.arrives, frame.destroyed);
            if self.watched {
                self.tell_arrival(from, frame);
            } else if !frame.destroyed {
                let (side, packet) = (from.other(), frame.packet);
                return Some(Output::Deliver { side, packet });
            }
        }
    }

    #[inline]
    pub(super) fn next_wake(&self) -> Instant {
        let [first, second] = &self.lanes;
        let wake = first.next.min(second.next);
        if self.eager {
            wake.min(first.next_start()).min(second.next_start())
        } else {
            wake
        }
    }

    pub(super) fn counters(&self, side: Side) -> &Counters {
        &self.lanes[side.index()].channel.counters
    }

    /// Tells a watcher of frames that have begun since it was last told.
    fn tell_begun(&mut self, side: Side) {
        let lane = &mut self.lanes[side.index()];
        for frame in lane.frames.range(lane.told..lane.begun) {
            let began = lane.channel.began(frame.arrives, frame.packet.bytes);
            let seen = sighting(began, side, Sight::Sent, frame);
            self.outputs.push_back(Output::Seen(Box::new(seen)));
        }
        lane.told = lane.begun;
    }

    /// Tells a watcher of an arrival, and hands it over if it is not destroyed.
    fn tell_arrival(&mut self, from: Side, frame: Frame) {
        self.tell_begun(from);
        let (at, side) = (frame.arrives, from.other());
        let sight = if frame.destroyed {
            Sight::Lost
        } else {
            Sight::Received
        };
        let seen = sighting(at, side, sight, &frame);
        self.outputs.push_back(Output::Seen(Box::new(seen)));
        if !frame.destroyed {
            let packet = frame.packet;
            self.outputs.push_back(Output::Deliver { side, packet });
        }
    }
}

fn sighting(at: Instant, side: Side, sight: Sight, frame: &Frame) -> Sighting {
    Sighting {
        at,
        side,
        sight,
        bytes: frame.packet.bytes,
        number: None,
        again: false,
        packet: Some(frame.packet.clone()),
    }
}
