//! AODV messages (draft-ietf-manet-aodv-11, later RFC 3561 §5) with the fields that ns-2 carries.

use acklab_base::{Duration, Instant, NodeId};
use smallvec::SmallVec;

/// An AODV message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// Route request.
    Request(Request),
    /// Route reply.
    Reply(Reply),
    /// Route error.
    Error(Unreachables),
}

/// A route request (RREQ).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// Hops from the originator so far.
    pub hop_count: u8,
    /// With `origin`, the identity of the flood.
    pub broadcast_id: u32,
    /// The node that a route is wanted to.
    pub destination: NodeId,
    /// The last sequence number known for the destination, 0 for none.
    pub destination_seq: u32,
    /// The node that wants the route.
    pub origin: NodeId,
    /// The originator's own sequence number.
    pub origin_seq: u32,
    /// When the originator sent it: the reply echoes it, for the measured discovery latency.
    pub sent_at: Instant,
}

/// A route reply (RREP).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reply {
    /// Hops from the destination so far.
    pub hop_count: u8,
    /// The node that the route leads to.
    pub destination: NodeId,
    /// Its sequence number.
    pub destination_seq: u32,
    /// The node that asked.
    pub origin: NodeId,
    /// How long the route may be used.
    pub lifetime: Duration,
    /// Copied from the request.
    pub request_sent_at: Instant,
}

/// A destination that a route error (RERR) declares unreachable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unreachable {
    /// The destination.
    pub destination: NodeId,
    /// Its sequence number, already incremented.
    pub destination_seq: u32,
}

/// The list of a route error. A flow's two directions fit in place, so that the errors of a short
/// list take no memory of their own wherever they are copied to.
pub type Unreachables = SmallVec<[Unreachable; 3]>;
