//! What a member of a cell hears of the frames in the air: when its medium is busy, and which frames
//! it could understand.
//!
//! It says nothing of errors, nor of who is addressed. Invariant: the medium is busy for a member as
//! long as a frame is in the air that it hears.

use crate::ReceivingTime;
use acklab_base::Instant;

/// What spoils all that a member hears until its medium is idle again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spoiled {
    /// Nothing.
    No,
    /// It had no beginning of a frame: it turned to this frequency in the middle of one, or sent itself then
    /// or later. It senses a carrier.
    Sensed,
    /// Frames overlapped.
    Lost,
}

/// What became of a frame at a member when it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Heard {
    /// It may be understood.
    Clear,
    /// It was lost.
    Lost {
        /// Since it was sensed alone.
        only_sensed: bool,
    },
    /// Nothing: the member was sending.
    Nothing,
    /// Another frame is still in the air.
    BusyStill,
}

/// The ears of a member.
#[derive(Clone, Debug)]
pub(super) struct Ears {
    /// Frames in the air that it hears.
    hearing: u32,
    spoiled: Spoiled,
    sending_until: Instant,
    /// Time in which it heard something and did not send.
    pub(super) receiving: ReceivingTime,
}

impl Ears {
    pub(super) fn new() -> Self {
        Self {
            hearing: 0,
            spoiled: Spoiled::No,
            sending_until: Instant::ZERO,
            receiving: ReceivingTime::default(),
        }
    }

    /// The member sends from now until then, and understands nothing meanwhile.
    pub(super) fn on_sending(&mut self, now: Instant, until: Instant) {
        self.sending_until = until;
        if self.hearing > 0 {
            self.receiving.on_transmit(until - now);
            self.spoiled = Spoiled::Sensed;
        }
    }

    /// Whether the member has sent since then, or sends.
    pub(super) fn sent_since(&self, start: Instant) -> bool {
        self.sending_until > start
    }

    /// Whether a frame is in the air that it hears.
    pub(super) const fn is_hearing(&self) -> bool {
        self.hearing > 0
    }

    /// A frame begins.
    pub(super) fn on_start(&mut self, now: Instant) {
        let spoiled = if self.sending_until > now {
            Spoiled::Sensed
        } else if self.hearing == 0 {
            Spoiled::No
        } else {
            Spoiled::Lost
        };
        self.begin(now, spoiled);
    }

    /// The member turns to this frequency in the middle of a frame.
    pub(super) fn on_sense(&mut self, now: Instant) {
        self.begin(now, Spoiled::Sensed);
    }

    fn begin(&mut self, now: Instant, spoiled: Spoiled) {
        if self.hearing == 0 {
            self.receiving.begin(now, self.sending_until);
        }
        self.hearing += 1;
        self.spoiled = spoiled;
    }

    /// A frame that it hears ends.
    pub(super) fn on_end(&mut self, now: Instant) -> Heard {
        self.hearing -= 1;
        if self.hearing > 0 {
            return Heard::BusyStill;
        }
        self.receiving.end(now, self.sending_until);
        match self.spoiled {
            _ if now < self.sending_until => Heard::Nothing,
            Spoiled::No => Heard::Clear,
            Spoiled::Sensed => Heard::Lost { only_sensed: true },
            Spoiled::Lost => Heard::Lost { only_sensed: false },
        }
    }
}
