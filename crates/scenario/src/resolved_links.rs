//! Point-to-point links of a resolved scenario.

use crate::document_agents::SnoopRules;
use crate::document_links::Order;
use acklab_base::{BitRate, Duration, NodeId, Share};

/// A full-duplex link between two nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PointToPoint {
    /// Its ends, never the same; forward is from the first to the second.
    pub between: [NodeId; 2],
    /// Rate of each direction.
    pub rate: BitRate,
    /// Propagation delay.
    pub delay: Duration,
    /// Packets that may wait in each direction, at least 1.
    pub queue: u32,
    /// Share of the TCP data packets that congestion takes.
    pub data_loss: Share,
    /// How long each such loss lasts.
    pub data_loss_lasts: Duration,
    /// Error models of the forward and of the backward direction.
    pub errors: [Errors; 2],
    /// Link-level retransmission, if there is any.
    pub arq: Option<Arq>,
    /// The medium that it shares with all links of the same first node that name it too.
    pub medium: Option<String>,
}

impl PointToPoint {
    /// Whether frames are sent again before their link ACKs can come, until one has come all the same.
    #[must_use]
    pub fn repeats_too_soon(&self) -> bool {
        let too_soon =
            |arq: &Arq| arq.min_timer <= time_to_ack(self.rate, self.delay, arq.ack_bytes);
        self.arq.as_ref().is_some_and(too_soon)
    }
}

/// From a frame's last bit to that of its link ACK, if that waits for nothing.
pub(crate) fn time_to_ack(rate: BitRate, delay: Duration, ack_bytes: u32) -> Duration {
    delay * 2 + rate.airtime(u64::from(ack_bytes) * 8)
}

/// A model of transmission errors; the schema says what each one is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Errors {
    /// No errors.
    None,
    /// Exponential gaps in bytes.
    Exponential {
        /// Mean bytes between errors, above zero.
        mean_bytes: u32,
    },
    /// The same probability for every frame.
    Uniform {
        /// The probability.
        loss: Share,
    },
    /// Good and bad times.
    GilbertElliott {
        /// Mean length of good times, above zero.
        good: Duration,
        /// Mean length of bad times, above zero.
        bad: Duration,
        /// Loss probability in good times.
        loss_good: Share,
        /// Loss probability in bad times.
        loss_bad: Share,
    },
    /// Listed frames.
    List {
        /// Frames with packets, ascending, from 1.
        frames: Vec<u32>,
        /// Link ACKs, ascending, from 1.
        link_acks: Vec<u32>,
    },
    /// A recorded sequence, not empty.
    Trace {
        /// Whether each frame is lost.
        lost: Vec<bool>,
    },
}

/// Link-level retransmission; the schema says what each parameter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arq {
    /// In which order packets are handed up.
    pub order: Order,
    /// Transmissions of a packet; `None`: no limit. Always `None` in sequence.
    pub tries: Option<u32>,
    /// Bytes of a link ACK.
    pub ack_bytes: u32,
    /// Link ACKs that may wait; without meaning if they share the queue of the packets.
    pub ack_queue: u32,
    /// Least value of the timer, above zero.
    pub min_timer: Duration,
    /// Link ACKs go first.
    pub acks_first: bool,
    /// Retransmissions go before new packets.
    pub retransmissions_first: bool,
    /// Link ACKs share the queue of the packets.
    pub shared_queue: bool,
}

/// Something on a node that looks at packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Agent {
    /// Where it sits.
    pub node: NodeId,
    /// The neighbour that it watches; never `node`.
    pub toward: NodeId,
    /// What it is.
    pub kind: AgentKind,
}

/// What an agent is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentKind {
    /// Snoop.
    Snoop(SnoopOptions),
    /// Explicit Loss Notification.
    LossNotice {
        /// Packets remembered for one connection.
        memory: u32,
    },
    /// A split connection.
    Split,
    /// M-TCP's supervisory host.
    MTcp {
        /// Least silence of a mobile that counts as away, above zero.
        least_silence: Duration,
    },
}

/// Parameters of Snoop; the schema says what each one is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SnoopOptions {
    /// Whose rules it follows.
    pub rules: SnoopRules,
    /// Packets kept for one connection.
    pub cache: u32,
    /// Least value of the local timer, above zero.
    pub min_timer: Duration,
}
