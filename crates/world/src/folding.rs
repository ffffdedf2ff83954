//! How frames come to folded stations, and what they do to them.

use crate::folded::{Folded, Heard, Mode, Pending, Sent, Times, instant};
use crate::stack::Stack;
use crate::station::fingerprint;
use crate::world::World;
use acklab_base::{Instant, NodeId};
use acklab_kernel::Agenda;
use acklab_radio::{Audible, Reach, Strengths};
use std::ops::Range;

/// What hearing a frame needs and changes beside the station.
struct Hearing<'a> {
    reach: &'a Reach,
    strengths: &'a mut Strengths,
    agenda: &'a mut Agenda,
    times: &'a Times,
    stacks: &'a mut [Stack],
}

impl World {
    /// All who hear it learn of a frame.
    #[inline(never)]
    pub(crate) fn announce_folded(&mut self, sent: &Sent) {
        let (from, at) = (sent.header.from, Instant::from_nanos(sent.at));
        let st = &mut self.folds.stations[from.index()];
        let (kind, print) = (sent.header.kind as u16, fingerprint(&sent.header));
        st.digest.mix(at, kind, print);
        st.sent.count(&sent.header);
        self.frames_sent = self.frames_sent.wrapping_add(1);
        let row = self.reach.row(from, at);
        let last = instant(sent.at + self.folds.times.farthest);
        if self.agenda.is_due_by(last) || !self.folds.pending.is_empty() {
            self.put_folding_off(sent, row);
        } else if let Some(busy) = self.fold_into_all(row.clone(), sent) {
            self.fold_into_rest(busy, row, sent);
        }
    }

    /// Folds a frame into all of these listeners but those at which something is due before, or that send when it
    /// begins. Returns them, a bit each.
    #[inline(always)]
    fn fold_into_all(&mut self, row: Range<usize>, sent: &Sent) -> Option<u64> {
        let stations = &mut *self.folds.stations;
        let mut hearing = Hearing {
            reach: &self.reach,
            strengths: &mut self.strengths,
            agenda: &mut self.agenda,
            times: &self.folds.times,
            stacks: &mut self.stacks,
        };
        let mut busy = 0;
        for (place, listener) in self.reach.list(row).iter().enumerate() {
            let (st, heard) = (
                &mut stations[listener.node.index()],
                Heard::new(sent, listener),
            );
            if st.due <= heard.start || heard.start < st.sends_until {
                busy |= 1 << place;
            } else {
                hearing.hear::<false>(st, listener.node, heard, sent);
            }
        }
        (busy != 0).then_some(busy)
    }

    /// The same for those.
    #[inline(never)]
    fn fold_into_rest(&mut self, mut busy: u64, row: Range<usize>, sent: &Sent) {
        while busy != 0 {
            let place = row.start + busy.trailing_zeros() as usize;
            busy &= busy - 1;
            let listener = self.reach.list(place..place + 1)[0];
            self.fold(&listener, sent);
        }
    }

    /// Somebody acts before all have heard it.
    #[cold]
    #[inline(never)]
    fn put_folding_off(&mut self, sent: &Sent, row: Range<usize>) {
        for listener in self.reach.list(row) {
            let pending = Pending {
                start: Heard::new(sent, listener).start,
                listener: *listener,
                sent: *sent,
            };
            let list = &mut self.folds.pending;
            let order = |one: &Pending| (one.start, one.sent.header.from);
            let place = list.partition_point(|one| order(one) <= order(&pending));
            list.insert(place, pending);
        }
    }

    /// Folds the first frame that waits, if it begins before `now`.
    #[cold]
    #[inline(never)]
    pub(crate) fn fold_pending(&mut self, now: Instant) -> bool {
        if self.folds.pending[0].start >= now.as_nanos() {
            return false;
        }
        let Pending { listener, sent, .. } = self.folds.pending.remove(0);
        self.fold(&listener, &sent);
        true
    }

    fn fold(&mut self, listener: &Audible, sent: &Sent) {
        let (j, heard) = (listener.node.index(), Heard::new(sent, listener));
        self.settle_folded(j, heard.start);
        let mut hearing = Hearing {
            reach: &self.reach,
            strengths: &mut self.strengths,
            agenda: &mut self.agenda,
            times: &self.folds.times,
            stacks: &mut self.stacks,
        };
        hearing.hear::<true>(&mut self.folds.stations[j], listener.node, heard, sent);
    }
}

impl Hearing<'_> {
    /// A frame comes to a station at which nothing is due before, and which sends when it begins only if it
    /// `MAY_SEND`.
    #[inline(always)]
    fn hear<const MAY_SEND: bool>(
        &mut self,
        st: &mut Folded,
        node: NodeId,
        heard: Heard,
        sent: &Sent,
    ) {
        let for_all = sent.header.to.is_broadcast();
        let is_meant = heard.decodable & (for_all | (sent.header.to == node));
        if heard.start < st.lock_end {
            if is_meant | st.receives {
                return self.meet(st, node, heard, sent);
            }
            if self.is_outlasted(st, node, heard, sent) {
                st.on_ignored(heard.end, self.times);
            } else {
                st.on_collision(&heard, sent, self.times);
            }
        } else if !is_meant {
            st.on_other::<MAY_SEND>(&heard, sent, self.times);
        } else if st.on_meant::<MAY_SEND>(&heard, sent, self.times) {
            if st.mode != Mode::Answers {
                let stacks = &self.stacks;
                let has_more = || !stacks[node.index()].queue.is_empty();
                let wake = st.wake_after_received(self.times, has_more);
                self.agenda.set(node.0, instant(wake));
            }
            return;
        }
        if st.mode == Mode::Contends {
            let turn = st.turn(self.times);
            self.agenda.set(node.0, Instant::from_nanos(turn));
        }
    }

    /// Whether what is locked survives this frame.
    #[inline(always)]
    fn is_outlasted(&mut self, st: &Folded, node: NodeId, heard: Heard, sent: &Sent) -> bool {
        let locked = (st.lock_delay, st.lock_from);
        let late = (heard.delay, sent.header.from);
        self.strengths.outlasts_of(self.reach, locked, late, node)
    }

    /// Two frames meet, one of which is for this station or all.
    #[inline(never)]
    fn meet(&mut self, st: &mut Folded, node: NodeId, heard: Heard, sent: &Sent) {
        let is_own = heard.decodable && sent.header.to == node;
        let outlasted = self.is_outlasted(st, node, heard, sent);
        let stack = &mut self.stacks[node.index()];
        if outlasted {
            stack.counters.capture_lost += u32::from(is_own);
            st.on_ignored(heard.end, self.times);
        } else {
            let lost = u32::from(is_own) + u32::from(st.receives && st.received.to == node);
            let (first, second) = (st.lock_from, sent.header.from);
            let same_slot = heard.start - st.lock_start < self.times.slot;
            st.on_collision(&heard, sent, self.times);
            stack.counters.collisions += lost;
            if (self.reach.between(first, second, Instant::ZERO)).is_none() {
                stack.counters.collisions_hidden += lost;
            } else if same_slot {
                stack.counters.collisions_same_slot += lost;
            }
        }
        let wake = st.next_wake(self.times, || !stack.queue.is_empty());
        self.agenda.set(node.0, instant(wake));
    }
}

/// What frames do to a station.
impl Folded {
    /// The station itself begins to send.
    #[inline(always)]
    pub(crate) fn on_own_frame(&mut self, at: u64, airtime: u64, times: &Times) {
        self.sends_until = at + airtime;
        if self.lock_end > at {
            if self.receives {
                self.receives = false;
                self.set_due();
            }
            self.busy_now -= self.lock_end.min(self.sends_until) - at;
            self.lock_nav = self.nav_of_lost(times);
        }
    }

    /// The NAV that the locked frame leaves if it is lost.
    #[inline(always)]
    fn nav_of_lost(&self, times: &Times) -> u64 {
        if self.lock_end < self.sends_until {
            0
        } else {
            self.lock_end + times.eifs
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
        self.lock::<MAY_SEND>(heard, sent, times);
        self.lock_nav = if MAY_SEND && heard.start < self.sends_until {
            self.nav_of_lost(times)
        } else {
            // A table spares a branch that nobody can predict.
            heard.end + [times.eifs, sent.duration][usize::from(heard.decodable)]
        };
        self.recount(times);
    }

    /// A frame for the station on a quiet medium. Returns whether it is decoded unless another one meets it.
    #[inline(always)]
    pub(crate) fn on_meant<const MAY_SEND: bool>(
        &mut self,
        heard: &Heard,
        sent: &Sent,
        times: &Times,
    ) -> bool {
        self.lock::<MAY_SEND>(heard, sent, times);
        let hears = !MAY_SEND || heard.start >= self.sends_until;
        if hears {
            self.lock_nav = 0;
            self.receives = true;
            self.received = sent.header;
            self.at_once = sent.at_once;
            self.due = self.due.min(heard.end);
        } else {
            self.lock_nav = self.nav_of_lost(times);
        }
        self.recount(times);
        hears
    }

    #[inline(always)]
    fn lock<const MAY_SEND: bool>(&mut self, heard: &Heard, sent: &Sent, times: &Times) {
        self.nav = self.nav.max(self.lock_nav);
        self.busy += self.busy_now;
        self.busy_now = if MAY_SEND {
            (heard.end).saturating_sub(heard.start.max(self.sends_until))
        } else {
            sent.airtime
        };
        self.lock_on(heard, sent);
        if self.backoff && heard.start >= self.counting {
            let counted = ((heard.start - self.counting) / times.slot) as u32;
            if counted >= self.slots {
                // A backoff that ends without a packet in hand ends unnoticed.
                self.backoff = false;
            } else {
                self.slots -= counted;
            }
        }
    }

    #[inline(always)]
    fn lock_on(&mut self, heard: &Heard, sent: &Sent) {
        self.lock_start = heard.start;
        self.lock_end = heard.end;
        self.lock_from = sent.header.from;
        self.lock_delay = heard.delay;
    }

    /// A frame meets the locked one, which survives it.
    pub(crate) fn on_ignored(&mut self, end: u64, times: &Times) {
        self.nav = self.nav.max(end + times.eifs);
        self.recount(times);
    }

    /// A frame meets the locked one, and both are lost: the receiver stays with the one that ends later.
    #[inline(always)]
    pub(crate) fn on_collision(&mut self, heard: &Heard, sent: &Sent, times: &Times) {
        if self.receives {
            self.receives = false;
            self.set_due();
        }
        if heard.end > self.lock_end {
            self.busy_now += (heard.end).saturating_sub(self.lock_end.max(self.sends_until));
            self.lock_on(heard, sent);
        }
        self.lock_nav = self.nav_of_lost(times);
        self.recount(times);
    }
}
