//! What folded stations put on the air.

use crate::folded::{Folded, Mode, whole_micros};
use crate::folded_frames::Sent;
use crate::world::World;
use acklab_base::{Duration, Instant, NodeId};
use acklab_wire::frame::{ACK_BYTES, CTS_BYTES, RTS_BYTES};
use acklab_wire::{FrameHeader, FrameKind};

impl World {
    pub(crate) fn send_cts(&mut self, j: usize, now: Instant) {
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        if !st.is_idle(now) {
            st.counters.cts_withheld += 1;
            st.mode = Mode::Idle;
            if st.in_hand.is_some() {
                if !st.backoff {
                    st.draw();
                    st.recount(times);
                }
                st.mode = Mode::Contends;
            }
            return self.rekey(j);
        }
        st.mode = Mode::AwaitsData;
        let duration = whole_micros(st.answer_duration);
        let data = duration.saturating_sub(times.sifs + times.ack);
        st.exchange_until = now.after(times.cts + data + times.slack);
        let header = control(j, st, FrameKind::Cts, duration, (CTS_BYTES, times.cts));
        self.send_and_wait(j, now, header, false);
    }

    pub(crate) fn send_data(&mut self, j: usize, now: Instant) {
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        if !st.is_idle(now) {
            st.double_cw(times);
            st.draw();
            st.mode = Mode::Contends;
            st.recount(times);
            return self.rekey(j);
        }
        let Some(in_hand) = &st.in_hand else { return };
        let (header, at_once) = (in_hand.header, in_hand.at_once);
        st.mode = Mode::AwaitsAck;
        let end = now.after(header.airtime);
        st.exchange_until = end.after(times.sifs + times.ack + times.slack);
        self.sampler.on_data_frame(now, end);
        self.send_and_wait(j, now, header, at_once);
    }

    pub(crate) fn take_turn(&mut self, j: usize, now: Instant) {
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        st.backoff = false;
        let Some(in_hand) = &st.in_hand else { return };
        let data = in_hand.header;
        if data.to.is_broadcast() {
            st.mode = Mode::Broadcasts;
            st.exchange_until = now.after(data.airtime);
            return self.send_and_wait(j, now, data, true);
        }
        let rest = times.sifs * 3 + times.cts + data.airtime + times.ack;
        let header = FrameHeader {
            kind: FrameKind::Rts,
            retry: data.retry || st.short_retries > 0,
            sequence: 0,
            to: data.to,
            from: NodeId(j as u32),
            duration: whole_micros(rest),
            bytes: RTS_BYTES,
            airtime: times.rts,
        };
        st.mode = Mode::AwaitsCts;
        st.exchange_until = now.after(times.rts + times.sifs + times.cts + times.slack);
        self.send_and_wait(j, now, header, false);
    }

    /// Puts a frame on the air after which the station waits.
    #[inline(always)]
    fn send_and_wait(&mut self, j: usize, now: Instant, header: FrameHeader, at_once: bool) {
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        st.due = st.exchange_until;
        st.on_own_frame(now, header.airtime, times);
        st.recount(times);
        let wake = st.wake_after_wait(times);
        self.announce_folded(&Sent::new(now, header, at_once), wake);
    }

    pub(crate) fn send_ack(&mut self, j: usize, now: Instant) {
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        st.mode = Mode::Idle;
        let until = now.after(times.ack);
        st.exchange_until = until;
        st.due = Instant::NEVER;
        let airtime = (ACK_BYTES, times.ack);
        let header = control(j, st, FrameKind::Ack, Duration::ZERO, airtime);
        st.on_own_frame(now, times.ack, times);
        st.recount(times);
        if let Some(frame) = st.handed.take() {
            let received = now - times.sifs;
            self.hand_up_folded(received, NodeId(j as u32), frame, until);
        }
        let st = &mut self.folds.stations[j];
        if st.in_hand.is_none()
            && let Some(next) = self.stacks[j].queue.pop()
        {
            self.take_in_hand(j, now, next);
        }
        let (st, times) = (&mut self.folds.stations[j], &self.folds.times);
        let mut wake = Instant::NEVER;
        if st.in_hand.is_some() {
            if !st.backoff {
                st.draw();
            }
            st.mode = Mode::Contends;
            wake = st.turn(times);
        }
        self.announce_folded(&Sent::new(now, header, false), wake);
    }
}

#[inline(always)]
fn control(
    j: usize,
    st: &Folded,
    kind: FrameKind,
    duration: Duration,
    (bytes, airtime): (u32, Duration),
) -> FrameHeader {
    FrameHeader {
        kind,
        retry: false,
        sequence: 0,
        to: st.answer_to,
        from: NodeId(j as u32),
        duration,
        bytes,
        airtime,
    }
}
