//! What a station asks its surroundings for.

use acklab_base::NodeId;

/// What a station asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    /// Put the frame [`Dcf::on_air`] on the air now. [`Dcf::payload`] has the payload of a data
    /// frame.
    ///
    /// [`Dcf::on_air`]: super::Dcf::on_air
    /// [`Dcf::payload`]: super::Dcf::payload
    Transmit,
    /// Take the payload of the data frame that was just received from this neighbour.
    Deliver {
        /// The transmitter.
        from: NodeId,
        /// Its frame's sequence number.
        sequence: u16,
    },
    /// A unicast data frame for another station was decoded ([`Dcf::listen_to_all`]): look at its
    /// payload.
    Overheard {
        /// The transmitter.
        from: NodeId,
        /// Its frame's sequence number.
        sequence: u16,
    },
    /// A packet was given up at a retry limit: [`Dcf::take_failed`] hands it out.
    Failed {
        /// Where it was to go.
        next_hop: NodeId,
    },
    /// The station can take the next packet ([`Dcf::set_has_more`]).
    ///
    /// [`Dcf::set_has_more`]: super::Dcf::set_has_more
    Ready,
}

/// How many outputs can wait. One input makes three at the most: an answer failed, its packet is
/// given up, and the frame that came instead is handed up.
const ASKS: usize = 4;

/// The outputs of a station in their order, in place: it is polled after every input.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(C)]
pub(super) struct Asks {
    first: u8,
    end: u8,
    list: [Output; ASKS],
}

impl Asks {
    pub(super) const fn new() -> Self {
        Self {
            list: [Output::Ready; ASKS],
            first: 0,
            end: 0,
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// Panics if the station was not polled for so long that the list is full.
    pub(super) fn push(&mut self, ask: Output) {
        if self.is_empty() {
            (self.first, self.end) = (0, 0);
        }
        self.list[usize::from(self.end)] = ask;
        self.end += 1;
    }

    pub(super) fn pop(&mut self) -> Option<Output> {
        if self.is_empty() {
            return None;
        }
        let ask = self.list[usize::from(self.first)];
        self.first += 1;
        Some(ask)
    }
}
