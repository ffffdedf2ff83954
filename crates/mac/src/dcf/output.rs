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

/// How many outputs can wait. One input makes two at the most: a packet is given up, and the next one is
/// asked for, or the frame that came instead of an answer is handed up. Another input may come when the
/// first of them is done.
const ASKS: usize = 3;

/// An output as one number, which is written and read at once: what is put together of parts and read as
/// a whole soon after waits until all of them are in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ask(u64);

impl Ask {
    const READY: u8 = 0;
    const TRANSMIT: u8 = 1;
    const DELIVER: u8 = 2;
    const OVERHEARD: u8 = 3;
    const FAILED: u8 = 4;

    const fn new(kind: u8, node: u32, sequence: u16) -> Self {
        Self((node as u64) << 32 | (sequence as u64) << 16 | kind as u64)
    }

    const fn of(output: Output) -> Self {
        match output {
            Output::Ready => Self::new(Self::READY, 0, 0),
            Output::Transmit => Self::new(Self::TRANSMIT, 0, 0),
            Output::Deliver { from, sequence } => Self::new(Self::DELIVER, from.0, sequence),
            Output::Overheard { from, sequence } => Self::new(Self::OVERHEARD, from.0, sequence),
            Output::Failed { next_hop } => Self::new(Self::FAILED, next_hop.0, 0),
        }
    }

    const fn output(self) -> Output {
        let node = NodeId((self.0 >> 32) as u32);
        let sequence = (self.0 >> 16) as u16;
        match self.0 as u8 {
            Self::READY => Output::Ready,
            Self::TRANSMIT => Output::Transmit,
            Self::DELIVER => Output::Deliver {
                from: node,
                sequence,
            },
            Self::OVERHEARD => Output::Overheard {
                from: node,
                sequence,
            },
            _ => Output::Failed { next_hop: node },
        }
    }
}

/// The outputs of a station in their order, in place: it is polled after every input.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(C)]
pub(super) struct Asks {
    first: u8,
    end: u8,
    list: [Ask; ASKS],
}

impl Asks {
    pub(super) const fn new() -> Self {
        Self {
            list: [Ask::of(Output::Ready); ASKS],
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
        if usize::from(self.end) == ASKS {
            self.move_up();
        }
        self.list[usize::from(self.end)] = Ask::of(ask);
        self.end += 1;
    }

    /// What is done makes room for what is to come.
    #[cold]
    #[inline(never)]
    fn move_up(&mut self) {
        self.list.copy_within(usize::from(self.first).., 0);
        self.end -= self.first;
        self.first = 0;
    }

    pub(super) fn pop(&mut self) -> Option<Output> {
        if self.is_empty() {
            return None;
        }
        let ask = self.list[usize::from(self.first)];
        self.first += 1;
        Some(ask.output())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_comes_out_as_it_was() {
        let (from, sequence) = (NodeId(u32::MAX - 1), u16::MAX);
        let all = [
            Output::Transmit,
            Output::Deliver { from, sequence },
            Output::Overheard { from, sequence },
            Output::Failed { next_hop: from },
            Output::Ready,
        ];
        let mut asks = Asks::new();
        for pair in all.windows(2) {
            asks.push(pair[0]);
            asks.push(pair[1]);
            assert_eq!(asks.pop(), Some(pair[0]));
            assert_eq!(asks.pop(), Some(pair[1]));
            assert_eq!(asks.pop(), None);
        }
    }

    #[test]
    fn what_is_done_makes_room() {
        let ask = |sequence| Output::Deliver {
            from: NodeId(1),
            sequence,
        };
        let mut asks = Asks::new();
        asks.push(ask(0));
        asks.push(ask(1));
        for sequence in 0..20 {
            assert_eq!(asks.pop(), Some(ask(sequence)));
            asks.push(ask(sequence + 2));
        }
        assert_eq!([asks.pop(), asks.pop()], [Some(ask(20)), Some(ask(21))]);
        assert_eq!(asks.pop(), None);
    }
}
