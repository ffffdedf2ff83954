//! One radio with its MAC: the receiver and the DCF, brought up to date only when somebody asks.
//!
//! Frames that arrive are put into the station's [`Ear`] when their transmission begins; what they
//! do to the receiver and the DCF is worked out later, in order of time, when the node is woken or
//! touched ("settled"). That is exact, since nothing a station does before its next agenda time
//! can be noticed by anyone else. Ties: an end comes before a timer, a timer before a start, and
//! of two starts the one from the lower node.
//!
//! Invariant: the agenda time of a station is never later than its next transmission, its next
//! delivery of a payload, or the next packet that it gives up.

use crate::ear::Ear;
use acklab_base::{Duration, Instant, NodeId};
use acklab_mac::{Dcf, ReceivingTime, Unanswered};
use acklab_radio::receiver::{Fate, Start};
use acklab_radio::{Arrival, Episode, Reach, Receiver, Settle, Strengths};
use acklab_trace::{Digest, FramesSent};
use acklab_wire::FrameHeader;
use std::mem::offset_of;

/// Why a station stops on its way to being settled: somebody else has a part in what happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// The DCF asks for something.
    Asks,
    /// A frame met another one, and somebody counts it: [`Told::met`].
    Met,
    /// The last bit of something, for a recorder: [`Told::heard`], and perhaps [`Told::unanswered`].
    Ended,
    /// A CTS or ACK has not come, for a recorder: [`Told::unanswered`].
    Unanswered,
}

/// A frame that began while the receiver was locked on another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub(crate) newcomer: Arrival,
    pub(crate) locked: Arrival,
    pub(crate) outcome: Start,
}

/// What a station that stops has to tell.
#[derive(Debug)]
pub(crate) struct Told {
    /// Whether somebody listens.
    pub(crate) recording: bool,
    /// The last newcomer that met another frame, if somebody counts it.
    pub(crate) met: Option<Meeting>,
    /// What the receiver heard last, if a recorder listens.
    pub(crate) heard: Option<(Arrival, Fate)>,
    /// The answer that has not come, if a recorder listens.
    pub(crate) unanswered: Option<Unanswered>,
}

impl Told {
    /// Nothing yet.
    pub(crate) const fn new(recording: bool) -> Self {
        Self {
            recording,
            met: None,
            heard: None,
            unanswered: None,
        }
    }
}

/// Who is heard how where frames meet, and where a station leaves what it has to tell.
pub(crate) struct Air<'a> {
    pub(crate) reach: &'a Reach,
    pub(crate) strengths: &'a mut Strengths,
    pub(crate) told: &'a mut Told,
}

impl Air<'_> {
    /// Whether one frame is so much stronger than another one at node `at` that it survives.
    pub(crate) fn outlasts(&mut self, one: &Arrival, other: &Arrival, at: NodeId) -> bool {
        self.strengths.outlasts(self.reach, one, other, at)
    }
}

/// A radio and its MAC. What frames for others need of them are the end of the one and the beginning of
/// the other.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Station {
    // Both are packed: side by side they leave no gap, and the DCF begins with a line of memory.
    /// What this radio sent.
    pub(crate) sent: FramesSent,
    /// The digest of what this radio sent, and received for its node.
    pub(crate) digest: Digest,
    pub(crate) receiver: Receiver,
    /// How long it was busy while this radio did not send.
    pub(crate) receiving: ReceivingTime,
    pub(crate) dcf: Dcf,
    /// The time of the last step.
    pub(crate) at: Instant,
}

// Whole lines: a byte more would take another one from each station of a large network.
const _: () = assert!(size_of::<Station>() <= 640 && offset_of!(Station, dcf) % 64 == 0);

impl Station {
    pub(crate) fn new(receiver: Receiver, dcf: Dcf) -> Self {
        Self {
            receiver,
            dcf,
            receiving: ReceivingTime::default(),
            sent: FramesSent::default(),
            digest: Digest::default(),
            at: Instant::ZERO,
        }
    }

    /// Works out what happens up to `until`, `until` included, or until somebody else has a part
    /// in it (`at` then says when); `None` when all is done.
    #[inline]
    pub(crate) fn advance(
        &mut self,
        ear: &mut Ear,
        air: &mut Air<'_>,
        until: Instant,
    ) -> Option<Halt> {
        debug_assert!(until < Instant::NEVER, "there is always more to come");
        loop {
            if self.dcf.asks() {
                return Some(Halt::Asks);
            }
            if ear.begins() <= until
                && self.receiver.is_quiet()
                && !air.told.recording
                && self.let_pass(ear, air, until)
            {
                continue;
            }
            let end = self.receiver.next_end();
            let wake = self.dcf.next_wake();
            let at = end.min(wake).min(ear.begins());
            if at > until {
                return None;
            }
            self.at = at;
            let halt = if end == at {
                self.end(at, air.told)
            } else if wake == at {
                self.wake(at, air.told)
            } else {
                self.start(ear, air)
            };
            if halt.is_some() {
                return halt;
            }
        }
    }

    /// The DCF is woken.
    #[inline]
    fn wake(&mut self, at: Instant, told: &mut Told) -> Option<Halt> {
        if told.recording {
            return self.watched(told, |dcf| dcf.on_wake(at));
        }
        self.dcf.on_wake(at);
        None
    }

    /// The DCF takes a step while a recorder listens. Out of the way of those without one.
    #[cold]
    #[inline(never)]
    fn watched(&mut self, told: &mut Told, step: impl FnOnce(&mut Dcf)) -> Option<Halt> {
        told.unanswered = self.dcf.watched(step);
        told.unanswered.map(|_| Halt::Unanswered)
    }

    pub(crate) fn mix_received(&mut self, at: Instant, header: &FrameHeader) {
        if header.to == self.dcf.id() || header.to.is_broadcast() {
            self.digest
                .mix(at, 8 + header.kind as u16, fingerprint(header));
        }
    }

    /// A frame that nobody waits for was decoded.
    #[inline]
    pub(crate) fn note_decoded(&mut self, arrival: &Arrival) {
        if arrival.settle == Settle::Noted {
            self.mix_received(arrival.end(), &arrival.header());
        }
    }

    /// The first bit of a frame.
    fn start(&mut self, ear: &mut Ear, air: &mut Air<'_>) -> Option<Halt> {
        let arrival = ear.take();
        if !self.receiver.is_quiet() {
            return self.meet(&arrival, air);
        }
        (self.receiving).begin(arrival.start, self.receiver.deaf_until());
        self.dcf.on_medium(arrival.start, true);
        self.receiver.on_start(&arrival, |_, _| false);
        None
    }

    /// The first bit of a frame while the medium is busy.
    #[inline(never)]
    fn meet(&mut self, arrival: &Arrival, air: &mut Air<'_>) -> Option<Halt> {
        let (at, id) = (arrival.start, self.dcf.id());
        let locked = self.receiver.locked().map(|(locked, _)| locked);
        let counts = air.told.recording || arrival.to() == id;
        let locked = locked.filter(|locked| counts || locked.to() == id).copied();
        let outcome = self
            .receiver
            .on_start(arrival, |one, other| air.outlasts(one, other, id));
        if outcome == Start::Ignored {
            self.dcf.on_captured_frame(at, arrival.airtime());
        }
        self.dcf.on_medium(at, true);
        let locked = locked?;
        air.told.met = Some(Meeting {
            newcomer: *arrival,
            locked,
            outcome,
        });
        Some(Halt::Met)
    }

    /// The locked frame, or energy in the air, ends.
    #[inline(never)]
    fn end(&mut self, at: Instant, told: &mut Told) -> Option<Halt> {
        let end = self.receiver.on_end(at);
        let busy = self.receiver.is_busy(at);
        let Some((arrival, fate)) = end else {
            self.medium_after(at, busy);
            return None;
        };
        self.ended((&arrival, fate), busy, told)
    }

    /// The last bit of a frame: `busy` says whether more is in the air.
    fn ended(
        &mut self,
        (arrival, fate): (&Arrival, Fate),
        busy: bool,
        told: &mut Told,
    ) -> Option<Halt> {
        let at = arrival.end();
        match fate {
            Fate::Decoded { .. } => {
                let header = arrival.header();
                if arrival.settle == Settle::Noted {
                    (self.dcf).on_frame_for_nobody(at, header.kind, header.duration);
                } else if told.recording {
                    self.watched(told, |dcf| dcf.on_frame(at, &header));
                } else {
                    self.dcf.on_frame(at, &header);
                }
                self.mix_received(at, &header);
            }
            Fate::Lost { begun, .. } => self.dcf.on_lost_frame(at, !begun),
            Fate::Unnoticed => {}
        }
        self.medium_after(at, busy);
        if !told.recording {
            return None;
        }
        told.heard = Some((*arrival, fate));
        Some(Halt::Ended)
    }

    /// The radio begins to send.
    pub(crate) fn on_transmit(&mut self, at: Instant, airtime: Duration) {
        self.receiver.on_transmit(at.after(airtime));
        if !self.receiver.is_quiet() {
            self.receiving.on_transmit(airtime);
        }
    }

    /// What is in the air, if the station hears something.
    pub(crate) fn overlap(&self) -> Option<Episode> {
        self.receiver.episode(self.receiving.busy_since())
    }

    /// Frames that overlap are in the air, of which the station learns only now.
    pub(crate) fn takes_over(&mut self, episode: &Episode) {
        // Who sends, or has sent since it began, does not stand by.
        debug_assert!(self.receiver.deaf_until() <= episode.start());
        self.receiving.begin(episode.start(), Instant::ZERO);
        if episode.ignored_until() > Instant::ZERO {
            self.dcf
                .on_captured_frame(episode.ignored_until(), Duration::ZERO);
        }
        self.dcf.on_medium(episode.start(), true);
        self.receiver.take_over(episode);
    }

    fn medium_after(&mut self, at: Instant, busy: bool) {
        if !busy {
            self.receiving.end(at, self.receiver.deaf_until());
        }
        self.dcf.on_medium(at, busy);
    }

    /// When the next step is due.
    pub(crate) fn next_edge(&self, ear: &Ear) -> Instant {
        self.receiver
            .next_end()
            .min(self.dcf.next_wake())
            .min(ear.begins())
    }
}

/// A value that tells a frame from others of its kind.
pub(crate) fn fingerprint(header: &FrameHeader) -> u64 {
    u64::from(header.to.0) << 32 ^ u64::from(header.bytes) << 12 ^ u64::from(header.sequence)
}
