//! How frames come to folded stations, and what they do to them.

use crate::folded::{Folded, Mode, Times};
use crate::folded_frames::{Heard, Pending, Received, Sent};
use crate::hearers::Hearers;
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_radio::Audible;
use std::hint::select_unpredictable;
use std::ops::Range;

impl World {
    /// All who hear it learn of a frame, after which its sender is to be woken at `wake`.
    #[inline(never)]
    pub(crate) fn announce_folded(&mut self, sent: &Sent, wake: Instant) {
        let last = sent.at.after(self.folds.times.farthest);
        // Asked before the sender's wake is set: a search may wait for what was just written.
        let somebody_acts = self.agenda.is_due_by(last) | (wake <= last);
        self.agenda.set(sent.header.from.0, wake);
        let st = &mut self.folds.stations[sent.header.from.index()];
        let kind = sent.header.kind as u16;
        st.digest.mix(sent.at, kind, sent.print);
        st.sent.count(&sent.header);
        let hearers = self.folds.hearing.of(sent.header.from, sent.header.to);
        // What comes after the end of the run is not to be counted.
        let is_whole = last <= self.end && self.folds.pending.is_empty();
        if !is_whole || somebody_acts {
            return self.put_folding_off(sent, hearers);
        }
        let left = if sent.header.to.is_broadcast() {
            u64::MAX
        } else {
            self.fold_into_others(hearers.others(), sent)
        };
        if let Some(listener) = hearers.meant {
            self.fold_into_meant(&listener, sent);
        }
        if left != 0 {
            self.fold_into_some(left, hearers.others(), sent);
        }
    }

    /// Folds a frame for one station into others but those where there is more to it: at which something is due before,
    /// that send when it begins, or that wait for what it meets. Returns these, a bit each.
    #[inline(always)]
    fn fold_into_others(&mut self, row: Range<usize>, sent: &Sent) -> u64 {
        let times = &self.folds.times;
        let stations = &mut *self.folds.stations;
        let (mut left, mut bit) = (0, 1_u64);
        for listener in self.folds.hearing.list(row) {
            let mine = bit;
            bit <<= 1;
            let node = listener.node;
            let (st, heard) = (&mut stations[node.index()], Heard::new(sent, listener));
            if st.has_more_to_do(heard.start) {
                left |= mine;
                continue;
            }
            if heard.start < st.lock.end {
                let outlasts = self.strengths.told_by((st.lock.delay_ns, heard.delay_ns));
                if st.tells_more_of(outlasts) {
                    left |= mine;
                    continue;
                }
                st.on_overlap(outlasts == Some(true), &heard, sent, times);
                if st.receives {
                    continue;
                }
            } else {
                st.on_other::<false>(&heard, sent, times);
            }
            let turn = st.turn(times);
            self.agenda.set_if(st.mode == Mode::Contends, node.0, turn);
        }
        left
    }

    /// Folds a frame into the listener that it is for.
    #[inline(always)]
    fn fold_into_meant(&mut self, listener: &Audible, sent: &Sent) {
        let (node, heard) = (listener.node, Heard::new(sent, listener));
        let (st, times) = (&mut self.folds.stations[node.index()], &self.folds.times);
        if st.has_more_to_do(heard.start) || heard.start < st.lock.end || !heard.decodable {
            return self.fold(listener, sent);
        }
        st.on_meant::<false>(&heard, sent, times);
        if st.mode != Mode::Answers {
            let has_more = || !self.stacks[node.index()].queue.is_empty();
            let wake = st.wake_after_received(times, has_more);
            self.set_wake(node.index(), wake);
        }
    }

    /// Folds a frame into those of some listeners that have a bit set.
    #[inline(never)]
    fn fold_into_some(&mut self, mut those: u64, row: Range<usize>, sent: &Sent) {
        while those != 0 {
            let place = those.trailing_zeros() as usize;
            those &= those - 1;
            let Some(&listener) = self.folds.hearing.list(row.clone()).get(place) else {
                return;
            };
            self.fold(&listener, sent);
        }
    }

    /// Somebody acts before all have heard it.
    #[cold]
    #[inline(never)]
    fn put_folding_off(&mut self, sent: &Sent, hearers: Hearers) {
        let others = self.folds.hearing.list(hearers.others());
        let list = &mut self.folds.pending;
        let order = |one: &Pending| (one.start, one.sent.header.from);
        for listener in others.iter().copied().chain(hearers.meant) {
            let pending = Pending {
                start: Heard::new(sent, &listener).start,
                listener,
                sent: *sent,
            };
            let place = list.partition_point(|one| order(one) <= order(&pending));
            list.insert(place, pending);
        }
    }

    /// Folds the first frame that waits, if it begins before `now`.
    #[cold]
    #[inline(never)]
    pub(crate) fn fold_pending(&mut self, now: Instant) -> bool {
        if self.folds.pending[0].start >= now {
            return false;
        }
        let Pending { listener, sent, .. } = self.folds.pending.remove(0);
        self.fold(&listener, &sent);
        true
    }

    /// A frame comes to a station.
    #[inline(never)]
    fn fold(&mut self, listener: &Audible, sent: &Sent) {
        let node = listener.node;
        let (j, heard) = (node.index(), Heard::new(sent, listener));
        self.settle_folded(j, heard.start);
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        let is_meant = heard.decodable && (sent.header.to == node || sent.header.to.is_broadcast());
        if heard.start < st.lock.end {
            self.meet(node, heard, sent);
        } else if is_meant {
            st.on_meant::<true>(&heard, sent, times);
        } else {
            st.on_other::<true>(&heard, sent, times);
        }
        self.rekey(j);
    }

    /// Two frames meet.
    fn meet(&mut self, node: NodeId, heard: Heard, sent: &Sent) {
        let (st, times) = (&mut self.folds.stations[node.index()], &self.folds.times);
        let is_own = heard.decodable && sent.header.to == node;
        let locked = (st.lock.delay_ns, st.lock.from);
        let late = (heard.delay_ns, sent.header.from);
        let outlasts = self.strengths.outlasts_of(&self.reach, locked, late, node);
        let counters = &mut self.stacks[node.index()].counters;
        if outlasts {
            counters.capture_lost += u32::from(is_own);
        } else {
            let lost = u32::from(is_own) + u32::from(st.receives && st.received.to == node);
            counters.collisions += lost;
            if (self.reach.between(locked.1, late.1, Instant::ZERO)).is_none() {
                counters.collisions_hidden += lost;
            } else if heard.start - st.lock.start < times.slot {
                counters.collisions_same_slot += lost;
            }
        }
        st.on_overlap(outlasts, &heard, sent, times);
    }
}

/// What frames do to a station.
impl Folded {
    /// Whether something is due at the station before a frame begins, or it sends then.
    #[inline(always)]
    fn has_more_to_do(&self, start: Instant) -> bool {
        (self.due <= start) | (start < self.sends_until)
    }

    /// Whether there is more to a frame for others that meets the locked one than what it leaves of the NAV, and of the
    /// turn of a station that receives nothing.
    #[inline(always)]
    fn tells_more_of(&self, outlasts: Option<bool>) -> bool {
        match outlasts {
            Some(true) => self.receives && self.mode == Mode::AwaitsAck,
            Some(false) => self.receives,
            None => true,
        }
    }

    /// The station itself begins to send.
    #[inline(always)]
    pub(crate) fn on_own_frame(&mut self, at: Instant, airtime: Duration, times: &Times) {
        self.sends_until = at.after(airtime);
        if self.lock.end > at {
            if self.receives {
                self.receives = false;
                self.set_due();
            }
            let deaf = self.lock.end.min(self.sends_until) - at;
            self.odd_lock = (self.lock.start, self.busy_now() - deaf);
            self.busy = self.busy - deaf;
            self.lock.nav = self.nav_of_lost(times);
        }
    }

    /// The NAV that the locked frame leaves if it is lost.
    #[inline(always)]
    fn nav_of_lost(&self, times: &Times) -> Instant {
        if self.lock.end < self.sends_until {
            Instant::ZERO
        } else {
            self.lock.end.after(times.eifs)
        }
    }

    /// A frame that somebody else is meant to get, or that is too weak, on a quiet medium.
    #[inline(always)]
    pub(crate) fn on_other<const MAY_SEND: bool>(
        &mut self,
        heard: &Heard,
        sent: &Sent,
        times: &Times,
    ) {
        self.lock::<MAY_SEND>(heard, sent);
        if MAY_SEND && heard.start < self.sends_until {
            self.lock.nav = self.nav_of_lost(times);
            self.freeze(heard, heard.end.max(self.lock.nav), times);
        } else {
            let duration = sent.header.duration;
            let left = select_unpredictable(heard.decodable, duration, times.eifs);
            self.lock.nav = heard.end.after(left);
            self.freeze(heard, self.lock.nav, times);
        }
    }

    /// A frame for the station on a quiet medium: it is decoded unless another one meets it.
    #[inline(always)]
    pub(crate) fn on_meant<const MAY_SEND: bool>(
        &mut self,
        heard: &Heard,
        sent: &Sent,
        times: &Times,
    ) {
        self.lock::<MAY_SEND>(heard, sent);
        if MAY_SEND && heard.start < self.sends_until {
            self.lock.nav = self.nav_of_lost(times);
        } else {
            self.lock.nav = Instant::ZERO;
            self.receives = true;
            self.received = Received::new(sent);
            self.at_once = sent.at_once;
            self.due = self.due.min(heard.end);
        }
        let free = heard.end.max(self.lock.nav);
        self.freeze(heard, free, times);
    }

    #[inline(always)]
    fn lock<const MAY_SEND: bool>(&mut self, heard: &Heard, sent: &Sent) {
        self.nav = self.nav.max(self.lock.nav);
        self.lock_on(heard, sent);
        if MAY_SEND && heard.start < self.sends_until {
            let busy = heard.end.saturating_since(self.sends_until);
            self.odd_lock = (heard.start, busy);
            self.busy += busy;
        } else {
            self.busy += sent.header.airtime;
        }
    }

    /// A backoff stops until the locked frame and the NAV that it leaves are over, unless it ends before without a packet
    /// in hand. Nobody can predict whether one runs, so nothing here branches: without one what is counted is of no
    /// consequence.
    #[inline(always)]
    fn freeze(&mut self, heard: &Heard, free: Instant, times: &Times) {
        self.backoff &= heard.start < self.turn(times);
        let waited = heard.start.saturating_since(self.counting);
        self.slots = self.slots.wrapping_sub(times.slots_in(waited));
        self.count_behind(free, times);
    }

    #[inline(always)]
    fn lock_on(&mut self, heard: &Heard, sent: &Sent) {
        self.lock.start = heard.start;
        self.lock.end = heard.end;
        self.lock.from = sent.header.from;
        self.lock.delay_ns = heard.delay_ns;
    }

    /// A frame meets the locked one, which either outlasts it, or is lost with it: the receiver then stays with the one
    /// that ends later.
    #[inline(always)]
    pub(crate) fn on_overlap(&mut self, outlasts: bool, heard: &Heard, sent: &Sent, times: &Times) {
        if outlasts {
            let nav = heard.end.after(times.eifs);
            self.nav = self.nav.max(nav);
            self.count_behind(nav, times);
        } else {
            self.on_collision(heard, sent, times);
        }
    }

    #[inline(always)]
    fn on_collision(&mut self, heard: &Heard, sent: &Sent, times: &Times) {
        if self.receives {
            self.receives = false;
            self.set_due();
        }
        if heard.end > self.lock.end {
            let deaf_until = self.lock.end.max(self.sends_until);
            let more = heard.end.saturating_since(deaf_until);
            self.odd_lock = (heard.start, self.busy_now() + more);
            self.busy += more;
            self.lock_on(heard, sent);
        }
        self.lock.nav = self.nav_of_lost(times);
        self.recount(times);
    }
}
