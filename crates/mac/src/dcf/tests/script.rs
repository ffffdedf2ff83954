//! The script: what the medium does to a station, and what the station says.

use crate::dcf::{Counters, Dcf, DcfConfig, Output};
use acklab_base::{Address, BitRate, Duration, FlowId, Instant, NodeId, Purpose, Stream};
use acklab_wire::tcp::Datagram;
use acklab_wire::{FrameHeader, FrameKind, Packet, Payload};

/// The station under test.
pub(super) const ME: NodeId = NodeId(1);
/// The neighbour that it talks with.
pub(super) const PEER: NodeId = NodeId(2);
/// A neighbour that talks with somebody else.
pub(super) const OTHER: NodeId = NodeId(3);
/// Somebody else.
pub(super) const ELSE: NodeId = NodeId(4);

/// Airtime of the scripts' data frames, in microseconds.
pub(super) const DATA: u64 = 1_000;

/// ns-2's rules and values.
pub(super) fn ns2() -> DcfConfig {
    DcfConfig::ns2()
}

/// The standard's rules, at 1 Mbit/s and without RTS.
pub(super) fn standard() -> DcfConfig {
    DcfConfig {
        data_rate: BitRate::MBPS_1,
        ..DcfConfig::standard()
    }
}

/// The standard's rules with RTS before every packet.
pub(super) fn standard_with_rts() -> DcfConfig {
    DcfConfig {
        rts_threshold: Some(0),
        ..standard()
    }
}

pub(super) fn us(micros: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(micros)
}

/// A frame of the neighbourhood with the toy airtimes.
pub(super) fn frame(kind: FrameKind, from: NodeId, to: NodeId, duration_us: u64) -> FrameHeader {
    let (bytes, airtime_us) = match kind {
        FrameKind::Rts => (20, 352),
        FrameKind::Cts | FrameKind::Ack => (14, 304),
        FrameKind::Data => (101, DATA),
    };
    FrameHeader {
        kind,
        retry: false,
        sequence: 0,
        to,
        from,
        duration: Duration::from_micros(duration_us),
        bytes,
        airtime: Duration::from_micros(airtime_us),
    }
}

/// A data frame with a sequence number.
pub(super) fn data(from: NodeId, to: NodeId, sequence: u16) -> FrameHeader {
    let duration_us = if to.is_broadcast() { 0 } else { 314 };
    FrameHeader {
        sequence,
        ..frame(FrameKind::Data, from, to, duration_us)
    }
}

/// A stream whose first draws are these: (bound, number below it).
fn stream_drawing(draws: &[(u32, u32)]) -> Stream {
    let mut seeds = 0..10_000_000;
    let open = |seed| {
        Address {
            seed,
            run: 0,
            node: ME,
            purpose: Purpose::Backoff,
        }
        .open()
    };
    let fits = |&seed: &u64| {
        let mut stream = open(seed);
        draws
            .iter()
            .all(|&(bound, drawn)| stream.below(bound) == drawn)
    };
    open(
        seeds
            .find(fits)
            .expect("some stream begins with these draws"),
    )
}

/// A station and its journal.
pub(super) struct Script {
    pub(super) dcf: Dcf,
    /// The station's stream, drawn from in step by [`Script::draws`].
    shadow: Stream,
    /// Bytes of a packet whose data frame takes [`DATA`].
    packet_bytes: u32,
    /// Whether a packet is in hand. Only then "ready" is news.
    has_packet: bool,
    pub(super) journal: Vec<String>,
    /// The frames that it put on the air.
    pub(super) sent: Vec<FrameHeader>,
}

impl Script {
    /// A station that draws what is given first: (bound, slots).
    pub(super) fn new(config: DcfConfig, draws: &[(u32, u32)]) -> Self {
        let stream = stream_drawing(draws);
        Self {
            dcf: Dcf::new(ME, config, stream.clone()),
            shadow: stream,
            packet_bytes: 101 - config.rules.data_overhead,
            has_packet: false,
            journal: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// An ns-2 station whose first backoffs, all from the first contention window, are these.
    pub(super) fn of_ns2(slots: &[u32]) -> Self {
        Self::new(ns2(), &slots.iter().map(|&n| (31, n)).collect::<Vec<_>>())
    }

    /// A station of the standard whose first backoffs are these.
    pub(super) fn of_standard(slots: &[u32]) -> Self {
        let draws: Vec<_> = slots.iter().map(|&n| (32, n)).collect();
        Self::new(standard(), &draws)
    }

    /// What the station draws next if it draws below `bound`.
    pub(super) fn draws(&mut self, bound: u32) -> u64 {
        u64::from(self.shadow.below(bound))
    }

    /// Everything up to this time, this time included.
    pub(super) fn until(&mut self, micros: u64) {
        self.wake_while(|wake| wake <= us(micros));
    }

    /// A packet comes from above.
    pub(super) fn packet(&mut self, micros: u64, to: NodeId) {
        let bytes = self.packet_bytes;
        self.packet_of(micros, to, bytes);
    }

    /// A packet of some bytes comes from above.
    pub(super) fn packet_of(&mut self, micros: u64, to: NodeId, bytes: u32) {
        self.until(micros);
        let datagram = Datagram {
            flow: FlowId(0),
            number: 0,
            len: bytes - 20,
            sent: acklab_base::Instant::ZERO,
        };
        let packet = Packet::udp(0, ME, to, 30, datagram, 20);
        self.has_packet = true;
        self.dcf.on_packet(us(micros), Payload::Ip(packet), to);
        self.drain(us(micros));
        self.until(micros);
    }

    /// The receiver finds energy.
    pub(super) fn busy(&mut self, micros: u64) {
        self.until(micros);
        self.dcf.on_medium(us(micros), true);
        self.drain(us(micros));
    }

    /// The receiver finds none any more.
    pub(super) fn idle(&mut self, micros: u64) {
        self.wake_while(|wake| wake < us(micros));
        self.dcf.on_medium(us(micros), false);
        self.drain(us(micros));
        self.until(micros);
    }

    /// A frame is received, from its first bit at this time to its last.
    pub(super) fn hear(&mut self, micros: u64, frame: FrameHeader) {
        self.receive(micros, frame, |dcf, end| dcf.on_frame(end, &frame));
    }

    /// The same of a broadcast that nobody above the station wants.
    pub(super) fn hear_for_nobody(&mut self, micros: u64, frame: FrameHeader) {
        let (kind, duration) = (frame.kind, frame.duration);
        let done = |dcf: &mut Dcf, end| dcf.on_frame_for_nobody(end, kind, duration);
        self.receive(micros, frame, done);
    }

    fn receive(&mut self, micros: u64, frame: FrameHeader, done: impl Fn(&mut Dcf, Instant)) {
        self.busy(micros);
        let end = us(micros) + frame.airtime;
        self.wake_while(|wake| wake < end);
        done(&mut self.dcf, end);
        self.idle(end.as_nanos() / 1_000);
    }

    /// A frame that cannot be understood, because it collided or because it is only sensed.
    pub(super) fn noise(&mut self, from: u64, to: u64, only_sensed: bool) {
        self.busy(from);
        self.wake_while(|wake| wake < us(to));
        self.dcf.on_lost_frame(us(to), only_sensed);
        self.idle(to);
    }

    /// What the station did since the last look, in lines of "time what".
    pub(super) fn says(&mut self, expected: &[&str]) {
        assert_eq!(std::mem::take(&mut self.journal), expected);
    }

    /// The last thing that it did, whenever that was.
    pub(super) fn says_last(&mut self, what: &str) {
        let journal = std::mem::take(&mut self.journal);
        let last = journal.last().map_or("", String::as_str);
        assert!(last.ends_with(what), "{journal:?}");
    }

    pub(super) fn counters(&self) -> Counters {
        *self.dcf.counters()
    }

    fn wake_while(&mut self, due: impl Fn(Instant) -> bool) {
        while self.dcf.next_wake() != Instant::NEVER && due(self.dcf.next_wake()) {
            let now = self.dcf.next_wake();
            self.dcf.on_wake(now);
            self.drain(now);
        }
    }

    fn drain(&mut self, now: Instant) {
        while let Some(output) = self.dcf.poll() {
            match output {
                Output::Transmit => self.sent.push(*self.dcf.on_air()),
                Output::Ready if !std::mem::take(&mut self.has_packet) => continue,
                _ => {}
            }
            let micros = now.as_nanos() / 1_000;
            assert_eq!(now, us(micros), "scripts keep to whole microseconds");
            self.journal
                .push(format!("{micros} {}", describe(&self.dcf, output)));
        }
    }
}

/// An output in few words.
pub(super) fn describe(dcf: &Dcf, output: Output) -> String {
    match output {
        Output::Transmit => {
            let header = dcf.on_air();
            let to = if header.to.is_broadcast() {
                "all".to_owned()
            } else {
                header.to.0.to_string()
            };
            let again = if header.retry { " again" } else { "" };
            match header.kind {
                FrameKind::Rts => format!("rts to {to}{again}"),
                FrameKind::Cts => format!("cts to {to}"),
                FrameKind::Ack => format!("ack to {to}"),
                FrameKind::Data => format!("data {} to {to}{again}", header.sequence),
            }
        }
        Output::Deliver { from, sequence } => format!("deliver {sequence} from {}", from.0),
        Output::Overheard { from, sequence } => format!("overhear {sequence} from {}", from.0),
        Output::Failed { next_hop, .. } => format!("failed to {}", next_hop.0),
        Output::Ready => "ready".to_owned(),
    }
}
