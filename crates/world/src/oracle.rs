//! An idealised road for ACKs: after a constant time they are at the sender, and no channel, queue
//! or station has seen them. It answers what ACKs cost by contending with data (altman2003 §3.3,
//! §5), and is no scheme that anybody could build.
//!
//! Invariant: ACKs arrive in the order in which they left.

use crate::world::World;
use acklab_base::{Duration, Instant};
use acklab_kernel::Slot;
use acklab_trace::Event;
use acklab_wire::Segment;
use std::collections::VecDeque;

/// The ACKs of one flow that are on their way.
#[derive(Debug)]
pub(crate) struct OracleAckPath {
    pub(crate) delay: Duration,
    pub(crate) slot: Slot,
    /// ACKs that took it.
    pub(crate) taken: u64,
    on_the_way: VecDeque<(Instant, Segment)>,
}

impl OracleAckPath {
    pub(crate) const fn new(delay: Duration, slot: Slot) -> Self {
        Self {
            delay,
            slot,
            taken: 0,
            on_the_way: VecDeque::new(),
        }
    }

    fn next(&self) -> Instant {
        self.on_the_way
            .front()
            .map_or(Instant::NEVER, |&(due, _)| due)
    }
}

impl World {
    /// Takes an ACK of a flow that has such a road; hands back any other segment.
    pub(crate) fn take_oracle_ack(
        &mut self,
        now: Instant,
        flow: usize,
        segment: Segment,
    ) -> Option<Segment> {
        match &mut self.flows[flow].oracle_acks {
            Some(path) if !segment.forward => {
                path.taken += 1;
                path.on_the_way.push_back((now + path.delay, segment));
                let (slot, next) = (path.slot, path.next());
                self.agenda.set(slot, next);
                None
            }
            _ => Some(segment),
        }
    }

    /// ACKs that are due reach the sender.
    pub(crate) fn wake_oracle_acks(&mut self, now: Instant, flow: usize) {
        let node = self.flows[flow].from;
        while let Some(path) = &mut self.flows[flow].oracle_acks
            && path.next() <= now
            && let Some((_, segment)) = path.on_the_way.pop_front()
        {
            self.record(now, node, Event::TcpReceived(segment));
            self.deliver_segment(now, node, flow, &segment);
        }
        if let Some(path) = &self.flows[flow].oracle_acks {
            self.agenda.set(path.slot, path.next());
        }
    }
}
