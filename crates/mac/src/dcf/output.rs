//! What a station asks its surroundings for.

use acklab_base::NodeId;
use acklab_wire::FrameHeader;

/// What a station asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    /// Put this frame on the air now. [`Dcf::payload`] has the payload of a data frame.
    Transmit(FrameHeader),
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
    /// The station can take the next packet.
    Ready,
}
