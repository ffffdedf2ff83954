//! M-TCP at the supervisory host (Brown and Singh 1997): the gateway between a fixed host and a
//! mobile keeps the last byte that the mobile has acknowledged from the sender. When the mobile
//! falls silent, that byte is acknowledged with a window of zero, so that the sender waits with its
//! window and timers as they are; the mobile's next ACK opens it again.
//!
//! It is no split connection as I-TCP is (the paper keeps end-to-end semantics): data passes
//! untouched, nothing is cached or sent again, and no byte is acknowledged that the mobile has not
//! acknowledged. It knows no signal and no handoff: silence alone. Not here: the half at the mobile,
//! which speaks up on reconnection (the crate `tcp`), and the paper's bandwidth module, which shares a
//! cell among connections.
//!
//! One rule is ours: the byte is kept back while ACKs advance, and duplicate ACKs pass whole; so do
//! those that advance to a further hole (partial ACKs). The sender repairs from the first
//! unacknowledged byte; with one byte kept back its repair would begin a byte too early and end a
//! byte too soon.
//!
//! Invariant: what the sender is told lies never beyond what the mobile has acknowledged, and never
//! more than one byte before it.

use crate::Verdict;
use crate::held::{Held, MARK, NUMBER, TIME};
use acklab_base::{Duration, FlowId, Instant, NodeId, Seq32, Smoothed};
use acklab_wire::{Body, Packet, Segment};
use std::collections::VecDeque;

/// Silence that is borne before the first round trip was measured (RFC 6298 §2.1).
const UNMEASURED: Duration = Duration::from_secs(1);
/// Steps around the circle that go one back.
const ONE_BACK: u32 = u32::MAX;

/// Parameters of the supervisory host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SupervisorConfig {
    /// A mobile counts as away after a silence of the mean round trip to it and four mean
    /// deviations, but not before this.
    pub least_silence: Duration,
}

impl Default for SupervisorConfig {
    /// Half of the least timeout of ns-2's senders, so that they wait and do not expire.
    fn default() -> Self {
        Self {
            least_silence: Duration::from_millis(100),
        }
    }
}

/// What the supervisory host hands over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    /// An ACK to the fixed host in the mobile's name; a window of zero closes it.
    Acknowledge {
        /// In whose name.
        mobile: NodeId,
        /// To whom.
        fixed: NodeId,
        /// The ACK.
        segment: Segment,
    },
}

/// What is known of a mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Contact {
    /// It has acknowledged everything, and the sender knows.
    Idle,
    /// Something waits for it: it is away if it is silent until then.
    Waiting {
        /// Until then.
        deadline: Instant,
    },
    /// It fell silent, and the sender's window is closed.
    Away,
}

/// One connection.
#[derive(Clone, Debug)]
struct Connection {
    /// The last ACK of the mobile that was not older than another, with its ends.
    heard: Option<(NodeId, NodeId, Segment)>,
    /// What the sender was told.
    told: Seq32,
    /// The end of the highest data that was passed on.
    passed: Option<Seq32>,
    /// The end of what had been passed on at the last duplicate ACK: until it is acknowledged, more
    /// may be missing.
    repairing: Option<Seq32>,
    /// The end of the data whose round trip is being measured, and when it was passed on.
    timed: Option<(Seq32, Instant)>,
    round_trip: Smoothed,
    contact: Contact,
}

impl Connection {
    fn new() -> Self {
        Self {
            heard: None,
            told: Seq32(0),
            passed: None,
            repairing: None,
            timed: None,
            round_trip: Smoothed::default(),
            contact: Contact::Idle,
        }
    }

    fn patience(&self, config: SupervisorConfig) -> Duration {
        let bound = self.round_trip.bound().unwrap_or(UNMEASURED);
        bound.max(config.least_silence)
    }

    fn on_data(&mut self, now: Instant, segment: &Segment, config: SupervisorConfig) {
        let end = segment.end();
        if self.passed.is_none_or(|passed| passed.before(end)) {
            self.passed = Some(end);
            self.timed.get_or_insert((end, now));
        } else {
            // The ACK of a repetition would measure the first sending (Karn and Partridge 1987).
            self.timed = None;
        }
        if self.contact == Contact::Idle {
            self.wait(now, config);
        }
    }

    fn wait(&mut self, now: Instant, config: SupervisorConfig) {
        let deadline = now + self.patience(config);
        self.contact = Contact::Waiting { deadline };
    }

    fn on_ack(
        &mut self,
        now: Instant,
        packet: &Packet,
        segment: &Segment,
        config: SupervisorConfig,
    ) -> Verdict {
        let ack = segment.ack;
        let before = self.heard.map(|(_, _, heard)| heard.ack);
        if before.is_some_and(|before| ack.before(before)) {
            return Verdict::Pass;
        }
        self.heard = Some((packet.source, packet.destination, plain(segment)));
        if let Some((_, since)) = self.timed.filter(|(end, _)| end.at_or_before(ack)) {
            self.timed = None;
            self.round_trip.add(now - since);
        }
        if before == Some(ack) {
            self.repairing = self.passed;
        }
        self.repairing = self.repairing.filter(|end| ack.before(*end));
        let advances = before.is_some_and(|before| before.before(ack)) && !segment.flags.syn;
        let holds = advances && self.repairing.is_none();
        self.told = if holds { ack.add(ONE_BACK) } else { ack };
        if self.passed.is_some_and(|passed| self.told.before(passed)) {
            self.wait(now, config);
        } else {
            self.contact = Contact::Idle;
        }
        if holds {
            Verdict::HoldByte
        } else {
            Verdict::Pass
        }
    }

    /// The mobile was silent too long, or has nothing more to say: the last byte is acknowledged.
    fn on_wake(&mut self, now: Instant) -> Option<Output> {
        let Contact::Waiting { deadline } = self.contact else {
            return None;
        };
        if now < deadline {
            return None;
        }
        self.timed = None;
        let Some((mobile, fixed, heard)) = self.heard else {
            self.contact = Contact::Idle;
            return None;
        };
        self.told = heard.ack;
        let is_away = self.passed.is_some_and(|passed| heard.ack.before(passed));
        self.contact = if is_away {
            Contact::Away
        } else {
            Contact::Idle
        };
        let window = if is_away { 0 } else { heard.window };
        let segment = Segment { window, ..heard };
        Some(Output::Acknowledge {
            mobile,
            fixed,
            segment,
        })
    }

    const fn next_wake(&self) -> Instant {
        match self.contact {
            Contact::Waiting { deadline } => deadline,
            Contact::Idle | Contact::Away => Instant::NEVER,
        }
    }
}

/// An ACK without SYN, to be said again.
const fn plain(segment: &Segment) -> Segment {
    let mut plain = *segment;
    if plain.flags.syn {
        plain.flags.syn = false;
        plain.seq = plain.seq.add(1);
    }
    plain
}

/// M-TCP on one interface of a supervisory host.
#[derive(Clone, Debug)]
pub struct Supervisor {
    config: SupervisorConfig,
    /// By flow.
    connections: Vec<(FlowId, Connection)>,
    outputs: VecDeque<Output>,
}

impl Supervisor {
    /// A supervisory host that has seen nothing.
    #[must_use]
    pub fn new(config: SupervisorConfig) -> Self {
        Self {
            config,
            connections: Vec::new(),
            outputs: VecDeque::with_capacity(4),
        }
    }

    /// A packet for a mobile was accepted by the interface's queue.
    pub fn on_forward(&mut self, now: Instant, packet: &Packet) {
        if let Body::Tcp(segment) = &packet.body
            && segment.forward
            && segment.len > 0
        {
            let config = self.config;
            self.connection(segment.flow).on_data(now, segment, config);
        }
    }

    /// A packet from a mobile is about to go on.
    pub fn on_return(&mut self, now: Instant, packet: &Packet) -> Verdict {
        match &packet.body {
            Body::Tcp(segment) if !segment.forward && segment.len == 0 && segment.flags.ack => {
                let config = self.config;
                let connection = self.connection(segment.flow);
                connection.on_ack(now, packet, segment, config)
            }
            _ => Verdict::Pass,
        }
    }

    /// The time of a wake has come.
    pub fn on_wake(&mut self, now: Instant) {
        for (_, connection) in &mut self.connections {
            self.outputs.extend(connection.on_wake(now));
        }
    }

    /// The next thing that it hands over.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When it must be woken.
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        let all = self.connections.iter();
        all.map(|(_, connection)| connection.next_wake())
            .min()
            .unwrap_or(Instant::NEVER)
    }

    /// What it holds of each connection: two addresses, the numbers heard, told, passed, repaired
    /// and timed with the window, two times, two means and what is known of the mobile; no data.
    #[must_use]
    pub fn held(&self) -> Held {
        Held {
            data: 0,
            notes: self.connections.len() as u64 * (8 * NUMBER + 4 * TIME + MARK),
        }
    }

    fn connection(&mut self, flow: FlowId) -> &mut Connection {
        let known = self.connections.binary_search_by_key(&flow, |(id, _)| *id);
        let place = known.unwrap_or_else(|place| {
            self.connections.insert(place, (flow, Connection::new()));
            place
        });
        &mut self.connections[place].1
    }
}
