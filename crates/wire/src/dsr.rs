//! DSR headers (RFC 4728 §6, flow state §7) with the fields that ns-2 carries.

use crate::packet::Class;
use crate::tcp::{Datagram, Segment};
use acklab_base::NodeId;
use std::fmt;
use std::ops::Deref;

/// The most nodes that a source route holds, both ends included.
pub const MAX_ROUTE_NODES: usize = 16;

/// A source route: nodes in order, both ends included. At most [`MAX_ROUTE_NODES`].
#[derive(Clone, Copy)]
pub struct Route {
    nodes: [NodeId; MAX_ROUTE_NODES],
    len: u8,
}

impl Route {
    /// The route without nodes.
    pub const EMPTY: Self = Self {
        nodes: [NodeId::BROADCAST; MAX_ROUTE_NODES],
        len: 0,
    };

    /// A route over these nodes; those beyond the most that fit are cut.
    #[must_use]
    pub fn of(nodes: &[NodeId]) -> Self {
        let mut route = Self::EMPTY;
        for &node in nodes {
            route.push(node);
        }
        route
    }

    /// Appends a node; says whether there was room.
    pub fn push(&mut self, node: NodeId) -> bool {
        let room = !self.is_full();
        if room {
            self.nodes[usize::from(self.len)] = node;
            self.len += 1;
        }
        room
    }

    /// Whether no further node fits.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.len as usize == MAX_ROUTE_NODES
    }

    /// Cuts everything behind the first `len` nodes.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len as u8);
    }

    /// The same way back.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.nodes[..usize::from(self.len)].reverse();
        self
    }
}

impl Deref for Route {
    type Target = [NodeId];

    fn deref(&self) -> &[NodeId] {
        &self.nodes[..usize::from(self.len)]
    }
}

impl PartialEq for Route {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Route {}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A DSR header and what follows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The options.
    pub header: Header,
    /// The transport's data; a packet of the protocol itself has none.
    pub data: Option<Data>,
}

/// What the transport sends under a DSR header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Data {
    /// A TCP segment.
    Tcp(Segment),
    /// A UDP datagram.
    Udp(Datagram),
}

/// The options of a DSR header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The source route; empty without one. For a request: the nodes that it has passed.
    pub route: Route,
    /// The place in `route` of the node that the packet is sent to.
    pub at: u8,
    /// How often the packet was given a new route on its way.
    pub salvaged: u8,
    /// Route request.
    pub request: Option<Request>,
    /// Route reply: the route that was found.
    pub reply: Option<Route>,
    /// Route errors, the innermost first.
    pub errors: Vec<BrokenLink>,
    /// The flow that the packet belongs to.
    pub flow: Option<FlowHeader>,
    /// Whether nodes on the source route are to remember the flow.
    pub establishes_flow: bool,
    /// Flows that a node did not know, the innermost first.
    pub unknown_flows: Vec<UnknownFlow>,
}

/// A route request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// With the packet's source, the identity of the flood.
    pub id: u32,
    /// How many nodes may pass it on.
    pub reach: u8,
}

/// A link that a route error declares broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BrokenLink {
    /// The node that is to be told.
    pub tell: NodeId,
    /// The end of the link that found out.
    pub from: NodeId,
    /// The other end.
    pub to: NodeId,
}

/// The flow-state header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlowHeader {
    /// The flow's number at its source.
    pub id: u16,
    /// Hops from the source.
    pub hops: u8,
}

/// A flow that a node on its way does not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownFlow {
    /// Its source.
    pub source: NodeId,
    /// Its destination.
    pub destination: NodeId,
    /// Its number; `None`: the default flow of the two.
    pub id: Option<u16>,
}

impl Header {
    /// A header without options.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            route: Route::EMPTY,
            at: 0,
            salvaged: 0,
            request: None,
            reply: None,
            errors: Vec::new(),
            flow: None,
            establishes_flow: false,
            unknown_flows: Vec::new(),
        }
    }

    /// Whether there is nothing to tell: such a packet travels without a header.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.route.is_empty()
            && self.request.is_none()
            && self.reply.is_none()
            && self.errors.is_empty()
            && self.flow.is_none()
            && !self.establishes_flow
            && self.unknown_flows.is_empty()
    }
}

impl Default for Header {
    fn default() -> Self {
        Self::new()
    }
}

impl Message {
    /// The kind of packet that it is for queues and counters: what it carries.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self.data {
            Some(Data::Tcp(segment)) if segment.forward => Class::TcpData,
            Some(Data::Tcp(_)) => Class::TcpAck,
            Some(Data::Udp(_)) => Class::Udp,
            None => Class::Routing,
        }
    }
}
