//! A cell of 802.11: a base station and the mobiles on its frequency, each with a [`Dcf`], and the
//! medium between them.
//!
//! Access to the medium is the DCF's alone (IEEE 802.11-1999 clause 9); here is what surrounds it,
//! as small as one cell is: a frame takes no time from antenna to antenna, everyone on the frequency
//! hears everyone else (no hidden stations) unless the signal between station and mobile is too
//! weak, of frames that overlap none is understood (no capture), and who sends hears nothing.
//! Errors of the cell strike a frame of any kind where it is addressed to, each on its own. In front
//! of each MAC is a drop-tail queue, one for all that the station has to send.
//!
//! It is no association, no beacons and no scanning: [`Cell::on_tune`] and [`Cell::on_leave`] say who
//! listens. A mobile that leaves takes back what was never on the air and finishes an exchange whose
//! data frame is out; what was on the air in vain is given up. The update that it sends ahead into a
//! new cell is contended for there while it listens to the old one.
//!
//! Ties as among the radio's stations: an end comes before a timer, a timer before a start. The one
//! invariant: every packet that [`Cell::on_send`] took is delivered, given up or handed back by
//! [`Cell::on_leave`], unless it still waits or is in hand; and none is delivered twice.
//!
//! [`Dcf`]: crate::Dcf

mod air;
mod ears;
mod leave;
mod machine;

pub use machine::Cell;

use crate::dcf::DcfConfig;
use acklab_base::{Duration, NodeId, Share, Stream};
use acklab_wire::{FrameHeader, Packet};

/// What all stations of a cell have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellConfig {
    /// Their MAC.
    pub dcf: DcfConfig,
    /// Packets that may wait in front of a MAC; the one in hand does not count.
    pub queue: usize,
    /// Share of the frames that errors destroy where they are addressed to.
    pub loss: Share,
    /// From a packet's last bit until it is handed up.
    pub delay: Duration,
}

/// A mobile that may listen to the cell's station.
#[derive(Clone, Debug)]
pub struct CellMobile {
    /// Which node it is.
    pub node: NodeId,
    /// Its backoffs in this cell.
    pub backoff: Stream,
    /// Errors of what it receives, and of what the station receives from it.
    pub errors: [Stream; 2],
    /// Whether it listens from the start.
    pub tuned: bool,
}

/// What a cell hands over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CellOutput {
    /// A node puts this frame on the air; [`Cell::payload`] has what a data frame carries.
    Sent {
        /// The transmitter.
        node: NodeId,
        /// The frame.
        header: FrameHeader,
    },
    /// A frame was understood where it was addressed to.
    Decoded {
        /// The receiver.
        node: NodeId,
        /// The frame.
        header: FrameHeader,
    },
    /// Errors destroyed a frame where it was addressed to.
    Destroyed {
        /// The receiver.
        node: NodeId,
    },
    /// An overlapping frame destroyed a frame where it was addressed to.
    Collided {
        /// The receiver.
        node: NodeId,
    },
    /// A packet arrived.
    Deliver {
        /// Where.
        node: NodeId,
        /// From whom.
        from: NodeId,
        /// The packet.
        packet: Packet,
    },
    /// A packet was given up at a retry limit.
    GivenUp {
        /// By whom.
        node: NodeId,
        /// Where it was to go.
        to: NodeId,
        /// The packet.
        packet: Packet,
    },
}
