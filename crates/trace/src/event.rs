//! What the recorder is told: how receptions end, and the typed events above the MAC.

use crate::cell_event::CellEvent;
use acklab_base::{FlowId, NodeId};
use acklab_wire::slotted::Uid;
use acklab_wire::tcp::Datagram;
use acklab_wire::{Class, Segment};

/// How the reception of a frame at one node ended. Frames are named by the number that
/// [`crate::Recorder::frame_sent`] gave out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reception {
    /// Decoded, undisturbed.
    Decoded,
    /// Too weak to decode: it only kept the receiver busy.
    Sensed,
    /// Destroyed by an overlapping frame.
    Collided {
        /// That frame, if known.
        with: Option<u32>,
    },
    /// Decoded although another frame overlapped it.
    Captured {
        /// That frame, if known.
        over: Option<u32>,
    },
    /// Ignored: the receiver stayed with a stronger frame.
    CaptureLost,
    /// Missed: the node was sending itself.
    WhileTransmitting,
}

impl Reception {
    /// The outcome's name in event logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decoded => "decoded",
            Self::Sensed => "sensed",
            Self::Collided { .. } => "collided",
            Self::Captured { .. } => "captured",
            Self::CaptureLost => "capture_lost",
            Self::WhileTransmitting => "while_transmitting",
        }
    }
}

/// Why a packet was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropReason {
    /// The interface queue was full.
    QueueFull,
    /// The MAC gave it up at a retry limit.
    RetryLimit,
    /// Another packet took its place while it waited for address resolution.
    ArpReplaced,
    /// Its next hop did not answer address resolution.
    ArpFailed,
    /// There was no route.
    NoRoute,
    /// It waited too long for a route, or too many packets waited.
    RouteBuffer,
    /// It came back to its source.
    Loop,
    /// Its time to live ran out.
    TimeToLive,
    /// Its next hop was declared lost while it waited in the interface queue.
    Purged,
    /// No application listens for it.
    Unclaimed,
    /// The queue of a point-to-point link was full.
    LinkQueueFull,
    /// The congestion loss of a point-to-point link took it.
    Congestion,
    /// A point-to-point link gave it up at its retry limit.
    LinkRetryLimit,
    /// Its lifetime in slots was over.
    Lifetime,
    /// The mobile listened to another base station.
    NotListening,
    /// The signal between mobile and base station was too weak, or the station was off.
    TooWeak,
}

impl DropReason {
    /// The reason's name in event logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::RetryLimit => "retry_limit",
            Self::ArpReplaced => "arp_replaced",
            Self::ArpFailed => "arp_failed",
            Self::NoRoute => "no_route",
            Self::RouteBuffer => "route_buffer",
            Self::Loop => "loop",
            Self::TimeToLive => "time_to_live",
            Self::Purged => "purged",
            Self::Unclaimed => "unclaimed",
            Self::LinkQueueFull => "link_queue_full",
            Self::Congestion => "congestion",
            Self::LinkRetryLimit => "link_retry_limit",
            Self::Lifetime => "lifetime",
            Self::NotListening => "not_listening",
            Self::TooWeak => "too_weak",
        }
    }
}

/// What a slot carries for one receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotPart {
    /// What it is.
    pub what: SlotContent,
    /// The packet.
    pub uid: Uid,
    /// For whom.
    pub to: NodeId,
}

/// What is in a part of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotContent {
    /// A data packet.
    Data,
    /// An ACK packet.
    Ack,
    /// An FRN ACK.
    Confirm,
}

impl SlotContent {
    /// Its name in event logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Ack => "ack",
            Self::Confirm => "frn_ack",
        }
    }
}

/// What an agent did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentAct {
    /// It sent a copy again.
    Retransmitted,
    /// It kept the segment from going on.
    Suppressed,
    /// It marked an ACK.
    Marked,
    /// It kept the last byte of an ACK back.
    HeldBack,
    /// It acknowledged data by itself, in another node's name.
    Acknowledged,
    /// It sent data of its own connection for the first time, in another node's name.
    PassedOn,
}

impl AgentAct {
    /// The act's name in event logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retransmitted => "retransmitted",
            Self::Suppressed => "suppressed",
            Self::Marked => "marked",
            Self::HeldBack => "held_back",
            Self::Acknowledged => "acknowledged",
            Self::PassedOn => "passed_on",
        }
    }
}

/// How a frame of a point-to-point link was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkSight {
    /// Its first bit left this node.
    Sent,
    /// It arrived here.
    Received,
    /// It arrived here, a second copy that is not handed up.
    Duplicate,
    /// It arrived here damaged and was dropped.
    Lost,
}

impl LinkSight {
    /// The sight's name in event logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Received => "received",
            Self::Duplicate => "duplicate",
            Self::Lost => "lost",
        }
    }
}

/// A frame on a point-to-point link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkFrame {
    /// How it was seen.
    pub sight: LinkSight,
    /// The node at the other end.
    pub peer: NodeId,
    /// Bytes of the frame.
    pub bytes: u32,
    /// Its link number, or the one that it acknowledges, if the link retransmits.
    pub number: Option<u64>,
    /// Whether it is a link-level retransmission.
    pub again: bool,
    /// What it carries, and the packet's source and id; nothing in a link ACK.
    pub packet: Option<(Class, NodeId, u32)>,
    /// The TCP segment inside.
    pub segment: Option<Segment>,
}

/// Something that happened at a node, above what the air shows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// TCP handed a segment to the network.
    TcpSent(Segment),
    /// TCP took a segment from the network.
    TcpReceived(Segment),
    /// UDP handed a datagram to the network, `bytes` with all headers down to IP.
    UdpSent {
        /// The datagram.
        datagram: Datagram,
        /// Bytes of its IP packet.
        bytes: u32,
    },
    /// UDP took a datagram from the network, `bytes` with all headers down to IP.
    UdpReceived {
        /// The datagram.
        datagram: Datagram,
        /// Bytes of its IP packet.
        bytes: u32,
    },
    /// The connection is open.
    Established {
        /// The flow.
        flow: FlowId,
    },
    /// The retransmission timer expired.
    Timeout {
        /// The flow.
        flow: FlowId,
    },
    /// A fast retransmit began a recovery.
    FastRetransmit {
        /// The flow.
        flow: FlowId,
    },
    /// The congestion window was reduced.
    WindowCut {
        /// The flow.
        flow: FlowId,
    },
    /// The sender's windows changed.
    Window {
        /// The flow.
        flow: FlowId,
        /// Congestion window, in segments.
        cwnd: f64,
        /// Smaller of congestion and receiver window, in segments.
        window: f64,
        /// Slow-start threshold, in segments.
        ssthresh: f64,
    },
    /// In-order data reached the receiving application.
    Delivered {
        /// The flow.
        flow: FlowId,
        /// Payload bytes.
        bytes: u32,
    },
    /// A packet was dropped.
    PacketDropped {
        /// Its kind.
        class: Class,
        /// Why.
        reason: DropReason,
    },
    /// A frame on a point-to-point link, as this node sees it.
    LinkFrame(LinkFrame),
    /// A mobile among base stations heard or did something.
    Cell(CellEvent),
    /// An agent on this node acted upon a segment.
    Agent {
        /// What it did.
        act: AgentAct,
        /// The segment.
        segment: Segment,
    },
    /// What an agent on this node holds of connections has changed, in bytes.
    AgentHolds {
        /// Payload of packets that it keeps.
        data: u64,
        /// What it noted of connections and packets.
        notes: u64,
    },
    /// A CTS or ACK did not come.
    MacRetry {
        /// From whom it was awaited.
        to: NodeId,
        /// The station's retry counter, with this one.
        tries: u32,
        /// Whether an RTS went unanswered (else a data frame).
        rts: bool,
    },
    /// The MAC reported a neighbour lost.
    LinkFailure {
        /// The neighbour.
        next_hop: NodeId,
        /// Whether the neighbour is in fact in range.
        is_false: bool,
    },
    /// Routing sent a route request, its own one or one that it passes on.
    RouteRequest {
        /// Wanted.
        destination: NodeId,
        /// Who asks.
        origin: NodeId,
        /// How far it may travel from here.
        ttl: u8,
    },
    /// Routing sent a route reply, its own one or one that it passes on.
    RouteReply {
        /// Where the route leads to.
        destination: NodeId,
        /// Who asked.
        origin: NodeId,
    },
    /// Routing sent a route error, its own one or one that it passes on.
    RouteError {
        /// How many destinations it lists; broken links under DSR.
        destinations: u32,
    },
    /// Routing began to repair a route in place.
    LocalRepair {
        /// Where the route leads to.
        destination: NodeId,
    },
    /// Routing gave up the search for a route.
    DiscoveryFailed {
        /// Wanted.
        destination: NodeId,
    },
    /// The node sent a frame in the slot that begins now (slotted radio).
    SlotSent {
        /// What it carries.
        first: SlotPart,
        /// What it carries beside that.
        second: Option<SlotPart>,
    },
    /// The node received the frame of the slot that is over now (slotted radio).
    SlotHeard {
        /// Who sent it.
        from: NodeId,
    },
    /// Frames of several neighbours met at the node in the slot that is over now, or one found it
    /// sending (slotted radio).
    SlotCollided {
        /// How many neighbours sent.
        senders: u32,
    },
}
