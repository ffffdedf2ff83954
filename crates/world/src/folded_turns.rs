//! What folded stations do of their own accord, when what is due at them is due.
//!
//! The rules are ns-2's, and each step that of `acklab_mac::dcf` under them; the invariant is that of
//! [`crate::folded`].

use crate::folded::{Folded, InHand, Mode, Times};
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_mac::Queued;
use acklab_trace::DropReason;
use acklab_wire::{Class, FrameHeader, FrameKind, Payload};

impl World {
    /// The agenda wakes a station, mostly to answer what it received: so what it does with that stands here once more, and
    /// goes over into the answer.
    #[inline]
    pub(crate) fn wake_folded(&mut self, node: NodeId) {
        let (j, now) = (node.index(), self.now);
        // So that what is due besides can be asked for before its next wake is set (`World::announce_folded`).
        self.set_wake(j, Instant::NEVER);
        if self.folds.stations[j].due <= now {
            self.settle_step(j);
            self.settle_folded(j, now);
        }
        let (st, times) = (&self.folds.stations[j], &self.folds.times);
        match st.mode {
            Mode::Answers if st.sifs_ends <= now => match st.answer {
                FrameKind::Cts => self.send_cts(j, now),
                FrameKind::Ack => self.send_ack(j, now),
                _ => self.send_data(j, now),
            },
            Mode::Contends if st.turn(times) <= now => self.take_turn(j, now),
            _ => self.rekey(j),
        }
    }

    #[inline(always)]
    pub(crate) fn set_wake(&mut self, j: usize, at: Instant) {
        self.agenda.set(j as u32, at);
    }

    /// Says when a station is to be woken next.
    pub(crate) fn rekey(&mut self, j: usize) {
        let queue = &self.stacks[j].queue;
        let at = self.folds.stations[j].next_wake(&self.folds.times, || !queue.is_empty());
        self.set_wake(j, at);
    }

    /// Does what is due at a station up to `until`.
    #[inline(always)]
    pub(crate) fn settle_folded(&mut self, j: usize, until: Instant) {
        while self.folds.stations[j].due <= until {
            self.settle_once(j);
        }
    }

    #[inline(never)]
    fn settle_once(&mut self, j: usize) {
        self.settle_step(j);
    }

    /// Does the first thing that is due.
    #[inline(always)]
    fn settle_step(&mut self, j: usize) {
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        if !st.receives || (st.waits() && st.exchange_until < st.lock.end) {
            return self.wait_is_over(j);
        }
        let (received, end) = (st.received, st.lock.end);
        st.receives = false;
        let kind = 8 + received.kind as u16;
        st.digest.mix(end, kind, received.print);
        match received.kind {
            FrameKind::Rts if st.mode < Mode::Answers => {
                let spent = times.sifs + times.cts;
                st.answer_duration = received.duration.saturating_sub(spent);
                st.answer_to = st.lock.from;
                st.answer_behind(end, FrameKind::Cts, times);
            }
            FrameKind::Cts if st.mode == Mode::AwaitsCts => {
                st.short_retries = 0;
                st.exchange_until = end;
                st.answer_behind(end, FrameKind::Data, times);
            }
            FrameKind::Ack if st.mode == Mode::AwaitsAck => self.acked(j, end),
            FrameKind::Data => self.receive_data(j, end),
            _ => st.set_due(),
        }
    }

    #[inline(never)]
    fn acked(&mut self, j: usize, end: Instant) {
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        st.long_retries = 0;
        if let Some(done) = &st.in_hand {
            match done.payload.class() {
                Class::TcpData => st.counters.done_tcp_data += 1,
                Class::TcpAck => st.counters.done_tcp_ack += 1,
                _ => st.counters.done_other += 1,
            }
        }
        st.in_hand = None;
        st.cw = times.cw_min;
        st.draw();
        self.resume(j, end);
    }

    fn receive_data(&mut self, j: usize, end: Instant) {
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        let (received, from) = (st.received, st.lock.from);
        if received.to.is_broadcast() {
            st.set_due();
        } else if st.mode == Mode::AwaitsData {
            st.answer_to = from;
            st.answer_duration = Duration::ZERO;
            st.exchange_until = end;
            st.answer_behind(end, FrameKind::Ack, times);
        } else {
            return st.set_due();
        }
        if !received.to.is_broadcast() && !st.is_new() {
            st.counters.duplicates += 1;
            return;
        }
        let frame = (from, received.sequence);
        if st.at_once {
            self.hand_up_at_once(end, NodeId(j as u32), frame);
        } else {
            st.handed = Some(frame);
        }
    }

    /// Broadcasts and what ARP sends go up when they end.
    fn hand_up_at_once(&mut self, at: Instant, node: NodeId, (from, number): (NodeId, u16)) {
        let Some(payload) = self.folds.stations[from.index()].payload(number) else {
            return;
        };
        if let Payload::Ip(packet) = payload
            && packet.destination.is_broadcast()
            && self.is_old_news(at, node, packet)
        {
            return;
        }
        self.stacks[node.index()].link.on_payload(at, payload, from);
        self.reschedule_link(node);
    }

    /// The answer has not come, or the broadcast is out.
    #[inline(never)]
    fn wait_is_over(&mut self, j: usize) {
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        let at = st.exchange_until;
        let mut spent = false;
        match st.mode {
            Mode::AwaitsCts => {
                st.counters.missing_cts += 1;
                st.short_retries += 1;
                spent = st.short_retries >= times.short_limit;
                if spent {
                    st.short_retries = 0;
                }
            }
            Mode::AwaitsAck => {
                st.counters.missing_ack += 1;
                st.long_retries += 1;
                spent = st.long_retries >= times.long_limit;
                if spent {
                    st.long_retries = 0;
                } else if let Some(in_hand) = &mut st.in_hand {
                    in_hand.header.retry = true;
                }
            }
            Mode::Broadcasts => {
                st.set_broadcast_aside();
                st.cw = times.cw_min;
                st.draw();
            }
            _ => {}
        }
        if spent {
            self.give_up(j, at);
        } else if matches!(st.mode, Mode::AwaitsCts | Mode::AwaitsAck) {
            st.double_cw(times);
            st.draw();
        }
        self.resume(j, at);
        let st = &mut self.folds.stations[j];
        if st.receives {
            st.due = st.lock.end;
        }
    }

    fn give_up(&mut self, j: usize, at: Instant) {
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        st.cw = times.cw_min;
        st.counters.retry_drops += 1;
        if let Some(lost) = st.in_hand.take() {
            let node = NodeId(j as u32);
            self.packet_failed(at, node, lost.payload, lost.header.to);
            self.reschedule_stack(node);
        }
    }

    /// The exchange is over.
    fn resume(&mut self, j: usize, at: Instant) {
        let st = &mut self.folds.stations[j];
        st.exchange_until = at;
        st.mode = Mode::Idle;
        st.due = Instant::NEVER;
        if st.in_hand.is_none()
            && let Some(next) = self.stacks[j].queue.pop()
        {
            self.take_in_hand(j, at, next);
        }
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        if st.in_hand.is_some() {
            if !st.backoff {
                st.draw();
            }
            st.mode = Mode::Contends;
        }
        st.recount(times);
    }

    /// A packet for a station that has none.
    pub(crate) fn take_in_hand(&mut self, j: usize, at: Instant, packet: Queued) {
        let Queued { payload, next_hop } = packet;
        let broadcast = next_hop.is_broadcast();
        let bytes = payload.bytes() + self.folds.config.rules.data_overhead;
        let (duration, airtime) = if broadcast {
            let airtime = self.folds.config.data_airtime(bytes, true);
            (Duration::ZERO, airtime)
        } else {
            let airtime = self.folds.data_airtime(bytes);
            (self.folds.times.data_duration, airtime)
        };
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        let header = FrameHeader {
            kind: FrameKind::Data,
            retry: false,
            sequence: st.sequence,
            to: next_hop,
            from: NodeId(j as u32),
            duration,
            bytes,
            airtime,
        };
        st.sequence = (st.sequence + 1) % 4096;
        let at_once = broadcast || matches!(payload, Payload::Arp(_));
        st.in_hand = Some(InHand {
            payload,
            header,
            at_once,
        });
        let answers = st.mode == Mode::Answers && st.is_idle(at);
        if !st.backoff && !answers {
            st.draw();
            st.recount(times);
            st.counting = st.counting.max(at.after(times.difs));
        }
        if st.mode == Mode::Idle && st.backoff {
            st.mode = Mode::Contends;
        }
    }

    /// The interface queue gets a packet. Whoever lets it says when the station is to be woken.
    #[inline]
    pub(crate) fn enqueue_folded(
        &mut self,
        at: Instant,
        node: NodeId,
        packet: Queued,
        first: bool,
    ) {
        let j = node.index();
        self.settle_folded(j, at);
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        if st.mode == Mode::Idle && st.backoff && st.turn(times) <= at {
            st.backoff = false;
        }
        let ready = st.in_hand.is_none();
        let queue = &mut self.stacks[j].queue;
        if ready && queue.is_open() {
            return self.take_in_hand(j, at, packet);
        }
        self.wait_in_queue(at, node, packet, first);
        if ready && let Some(next) = self.stacks[j].queue.pop() {
            self.take_in_hand(j, at, next);
        }
    }

    #[inline(never)]
    fn wait_in_queue(&mut self, at: Instant, node: NodeId, packet: Queued, first: bool) {
        let queue = &mut self.stacks[node.index()].queue;
        let lost = if first {
            queue.push_front(packet)
        } else {
            queue.push_back(packet)
        };
        if let Some(lost) = lost {
            self.stacks[node.index()].counters.queue_drops += 1;
            self.dropped(at, node, lost.payload.class(), DropReason::QueueFull);
        }
    }

    /// At the end of an interval: everything up to now.
    pub(crate) fn settle_all_folded(&mut self) {
        let (now, beyond) = (self.now, self.now + Duration::from_nanos(1));
        while !self.folds.pending.is_empty() && self.fold_pending(beyond) {}
        for j in 0..self.folds.stations.len() {
            self.settle_folded(j, now);
            self.rekey(j);
        }
        self.hand_in();
    }

    /// What folded stations counted goes where others look for it.
    pub(crate) fn hand_in(&mut self) {
        for (st, station) in self.folds.stations.iter().zip(&mut self.stations) {
            let still = if st.lock.end > self.now {
                st.busy_now()
            } else {
                Duration::ZERO
            };
            station.digest = st.digest;
            station.sent = st.sent;
            station.receiving.set_total(st.busy - still);
            station.dcf.set_counters(st.counters);
        }
    }
}

impl Folded {
    /// The station owes an answer to the frame that ends then.
    #[inline(always)]
    fn answer_behind(&mut self, end: Instant, answer: FrameKind, times: &Times) {
        self.mode = Mode::Answers;
        self.answer = answer;
        self.sifs_ends = end.after(times.sifs);
        self.due = Instant::NEVER;
    }
}
