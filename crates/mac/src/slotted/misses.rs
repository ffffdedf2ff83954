//! Reasons for which an echo does not come in time, and how often each was the first.
//!
//! The one invariant: the reasons add up to the packets without echo.

/// What stood in the way of an echo first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    Collided,
    Deaf,
    Undecoded,
    Duplicate,
    EchoBusy,
    EchoListening,
    EchoHeld,
    EchoBehind,
    EchoGone,
    EchoCollided,
    EchoDeaf,
}

/// What a node missed, by reason, and what became of its combined frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SlottedMisses {
    /// The packet met another frame at the next hop.
    pub collided: u64,
    /// The next hop was sending.
    pub deaf: u64,
    /// The next hop could not read the packet's part of a coded frame.
    pub undecoded: u64,
    /// The next hop had been given the packet before and drops it silently.
    pub duplicate: u64,
    /// The next hop found the channel busy.
    pub echo_busy: u64,
    /// The next hop listened for an echo of its own.
    pub echo_listening: u64,
    /// The next hop held back for a combined frame that it had heard.
    pub echo_held: u64,
    /// Another packet or FRN ACK of the next hop went first, or its queue's head barred the way.
    pub echo_behind: u64,
    /// The next hop did not have the packet any more: it learnt that its own next hop has it.
    pub echo_gone: u64,
    /// The echo met another frame here.
    pub echo_collided: u64,
    /// The node was sending an FRN ACK when the echo came.
    pub echo_deaf: u64,
    /// Combined frames both of whose next hops took their part.
    pub pairs_taken: u64,
    /// Combined frames after which both next hops answered in the next slot.
    pub pairs_at_once: u64,
    /// Those of them after which the node heard neither answer.
    pub pairs_met: u64,
    /// Combined frames of which neither echo came in time.
    pub pairs_unechoed: u64,
}

impl SlottedMisses {
    pub(super) fn count(&mut self, reason: Reason) {
        let counter = match reason {
            Reason::Collided => &mut self.collided,
            Reason::Deaf => &mut self.deaf,
            Reason::Undecoded => &mut self.undecoded,
            Reason::Duplicate => &mut self.duplicate,
            Reason::EchoBusy => &mut self.echo_busy,
            Reason::EchoListening => &mut self.echo_listening,
            Reason::EchoHeld => &mut self.echo_held,
            Reason::EchoBehind => &mut self.echo_behind,
            Reason::EchoGone => &mut self.echo_gone,
            Reason::EchoCollided => &mut self.echo_collided,
            Reason::EchoDeaf => &mut self.echo_deaf,
        };
        *counter += 1;
    }

    /// All packets without echo.
    #[must_use]
    pub const fn sum(&self) -> u64 {
        self.collided
            + self.deaf
            + self.undecoded
            + self.duplicate
            + self.echo_busy
            + self.echo_listening
            + self.echo_held
            + self.echo_behind
            + self.echo_gone
            + self.echo_collided
            + self.echo_deaf
    }
}
