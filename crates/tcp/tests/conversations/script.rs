//! The language of the scripts, and fixtures named for the phase that they leave the sender in.

use acklab_base::{Duration, FlowId, Instant, Seq32};
use acklab_tcp::{
    AckReason, Receiver, ReceiverConfig, ReceiverNote, ReceiverOutput, Sender, SenderConfig,
    SenderNote, SenderOutput,
};
use acklab_wire::{Flags, Options, Segment};

pub(crate) const FLOW: FlowId = FlowId(0);
pub(crate) const MSS: u32 = 1000;

pub(crate) fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// An ACK for so many bytes of data.
pub(crate) fn answer(config: &SenderConfig, bytes: u32) -> Segment {
    Segment {
        flow: FLOW,
        forward: false,
        seq: Seq32(1),
        ack: config.iss.add(1 + bytes),
        flags: Flags {
            syn: false,
            ack: true,
            fin: false,
        },
        window: 1 << 30,
        len: 0,
        retransmission: false,
        options: Options::NONE,
    }
}

/// The answer to the SYN.
pub(crate) fn syn_ack(config: &SenderConfig) -> Segment {
    let flags = Flags {
        syn: true,
        ack: true,
        fin: false,
    };
    Segment {
        seq: Seq32(0),
        flags,
        ..answer(config, 0)
    }
}

/// A sender and what it has said.
pub(crate) struct Talk {
    pub(crate) sender: Sender,
    pub(crate) sent: Vec<u32>,
    pub(crate) notes: Vec<SenderNote>,
}

impl Talk {
    pub(crate) fn new(config: SenderConfig) -> Self {
        Self {
            sender: Sender::new(config),
            sent: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn listen(&mut self) {
        while let Some(output) = self.sender.poll() {
            match output {
                SenderOutput::Segment(segment) if segment.flags.syn => self.sent.push(0),
                SenderOutput::Segment(segment) => {
                    let offset = segment.seq.since(self.sender.config().iss) - 1;
                    self.sent.push(offset / MSS + 1);
                }
                SenderOutput::Note(note) => self.notes.push(note),
            }
        }
    }

    /// Bytes of data from the first on are acknowledged.
    pub(crate) fn ack_bytes(&mut self, now: u64, bytes: u32) {
        let segment = answer(self.sender.config(), bytes);
        self.hear(now, &segment);
    }

    pub(crate) fn hear(&mut self, now: u64, segment: &Segment) {
        self.sender.on_segment(at(now), segment);
        self.listen();
    }

    pub(crate) fn ack(&mut self, now: u64, packet: u32) {
        self.ack_bytes(now, packet * MSS);
    }

    pub(crate) fn ack_with_window(&mut self, now: u64, packet: u32, window: u32) {
        let segment = Segment {
            window,
            ..answer(self.sender.config(), packet * MSS)
        };
        self.hear(now, &segment);
    }

    /// An ACK up to packet `ack` with blocks of packets, the first and the last of each.
    pub(crate) fn sack(&mut self, now: u64, ack: u32, blocks: &[(u32, u32)]) {
        let mut segment = answer(self.sender.config(), ack * MSS);
        let number = |packets: u32| self.sender.config().iss.add(1 + packets * MSS);
        for &(first, last) in blocks {
            segment.options.sack.push((number(first - 1), number(last)));
        }
        self.hear(now, &segment);
    }

    pub(crate) fn syn_ack(&mut self, now: u64) {
        let segment = syn_ack(self.sender.config());
        self.hear(now, &segment);
    }

    pub(crate) fn wake(&mut self, now: u64) {
        assert_eq!(self.sender.next_wake(), at(now), "the timer");
        self.sender.on_wake(at(now));
        self.listen();
    }

    pub(crate) fn write(&mut self, now: u64, bytes: u64) {
        self.sender.on_data(at(now), bytes);
        self.listen();
    }

    pub(crate) fn count(&self, note: SenderNote) -> usize {
        self.notes.iter().filter(|&&n| n == note).count()
    }

    /// The round-trip times that were measured.
    pub(crate) fn round_trips(&self) -> Vec<Duration> {
        let time = |note: &SenderNote| match note {
            SenderNote::RttSample(time) => Some(*time),
            _ => None,
        };
        self.notes.iter().filter_map(time).collect()
    }
}

/// A receiver and what it has said.
pub(crate) struct Ear {
    pub(crate) receiver: Receiver,
    pub(crate) said: Vec<(u32, AckReason)>,
    /// The windows that it advertised.
    pub(crate) windows: Vec<u32>,
    /// The blocks of its last ACK in packets, and the bytes of the option.
    pub(crate) blocks: Vec<(u32, u32)>,
    pub(crate) option_bytes: u8,
    pub(crate) notes: Vec<ReceiverNote>,
    pub(crate) delivered: u32,
}

impl Ear {
    pub(crate) fn new(config: ReceiverConfig) -> Self {
        Self {
            receiver: Receiver::new(config),
            said: Vec::new(),
            windows: Vec::new(),
            blocks: Vec::new(),
            option_bytes: 0,
            notes: Vec::new(),
            delivered: 0,
        }
    }

    pub(crate) fn listen(&mut self) {
        while let Some(output) = self.receiver.poll() {
            match output {
                ReceiverOutput::Ack(segment, reason) => {
                    self.said.push(((segment.ack.0 - 1).div_ceil(MSS), reason));
                    self.windows.push(segment.window);
                    let packets =
                        |(start, end): (Seq32, Seq32)| ((start.0 - 1) / MSS + 1, (end.0 - 1) / MSS);
                    let blocks = segment.options.sack.as_slice();
                    self.blocks = blocks.iter().map(|&block| packets(block)).collect();
                    self.option_bytes = segment.options.bytes;
                }
                ReceiverOutput::Delivered { segments, .. } => self.delivered += segments,
                ReceiverOutput::Note(note) => self.notes.push(note),
            }
        }
    }

    pub(crate) fn syn(&mut self, now: u64) {
        self.segment(now, 0, 0, true);
    }

    pub(crate) fn packet(&mut self, now: u64, packet: u32) {
        self.segment(now, 1 + (packet - 1) * MSS, MSS, false);
    }

    pub(crate) fn segment(&mut self, now: u64, seq: u32, len: u32, syn: bool) {
        let segment = Segment {
            flow: FLOW,
            forward: true,
            seq: Seq32(seq),
            ack: Seq32(u32::from(!syn)),
            flags: Flags {
                syn,
                ack: !syn,
                fin: false,
            },
            window: 0,
            len,
            retransmission: false,
            options: Options::NONE,
        };
        self.receiver.on_segment(at(now), &segment);
        self.listen();
    }

    pub(crate) fn wake(&mut self, now: u64) {
        assert_eq!(self.receiver.next_wake(), at(now), "the timer");
        self.receiver.on_wake(at(now));
        self.listen();
    }
}

/// `recv!(talk at 100, ack 3)`, `recv!(talk at 100, syn_ack)`,
/// `recv!(ear at 100, packet 3)`, `recv!(ear at 0, syn)`.
macro_rules! recv {
    ($talk:ident at $now:expr, syn_ack) => {
        $talk.syn_ack($now)
    };
    ($ear:ident at $now:expr, syn) => {
        $ear.syn($now)
    };
    ($talk:ident at $now:expr, ack $($packet:expr),+) => {
        $($talk.ack($now, $packet);)+
    };
    ($ear:ident at $now:expr, packet $($packet:expr),+) => {
        $($ear.packet($now, $packet);)+
    };
}

/// `send!(talk, 4, 5)`: exactly these packets left since the last `send!`.
/// `send!(ear, ack 4 Count)`: exactly this ACK left. Without any: nothing left.
macro_rules! send {
    ($ear:ident, $(ack $packet:literal $reason:ident),+) => {
        assert_eq!(std::mem::take(&mut $ear.said), [$(($packet, AckReason::$reason)),+])
    };
    ($talk:ident, $($packet:expr),+) => {
        assert_eq!(std::mem::take(&mut $talk.sent), [$($packet),+])
    };
    ($talk:ident) => {
        assert_eq!(std::mem::take(&mut $talk.sent), [0_u32; 0])
    };
}

/// `silent!(ear)`: no ACK left.
macro_rules! silent {
    ($ear:ident) => {
        assert_eq!($ear.said, [])
    };
}

/// `cwnd!(talk, 2.5)`: the congestion window in segments.
macro_rules! cwnd {
    ($talk:ident, $value:expr) => {
        assert!(
            ($talk.sender.cwnd() - $value).abs() < 1e-9,
            "cwnd {}",
            $talk.sender.cwnd()
        )
    };
}

/// `ssthresh!(talk, 2.0)`: the slow-start threshold in segments.
macro_rules! ssthresh {
    ($talk:ident, $value:expr) => {
        assert!(
            ($talk.sender.ssthresh() - $value).abs() < 1e-9,
            "ssthresh {}",
            $talk.sender.ssthresh()
        )
    };
}

/// The SYN is out, since 0 ms; the source never ends.
pub(crate) fn syn_sent(config: SenderConfig) -> Talk {
    let mut talk = Talk::new(config);
    talk.sender.on_data(at(0), u64::MAX);
    talk.sender.on_open(at(0));
    talk.listen();
    send!(talk, 0);
    talk
}

/// The SYN-ACK came at 100 ms, and the initial window is out.
pub(crate) fn established(config: SenderConfig) -> Talk {
    let mut talk = syn_sent(config);
    recv!(talk at 100, syn_ack);
    let first: Vec<u32> = (1..=config.initial_window.min(config.receiver_window)).collect();
    assert_eq!(std::mem::take(&mut talk.sent), first);
    talk
}

/// Eight packets are out since 100 ms, in a window of eight; whether the threshold is above or
/// below is the configuration's choice.
pub(crate) fn eight_out(mut config: SenderConfig) -> Talk {
    config.initial_window = 8;
    established(config)
}

/// Packet 1 of eight is lost; three duplicates, at 201 to 203 ms, made the sender repeat it.
/// Limited Transmit sent 9 and 10 before.
pub(crate) fn in_fast_recovery(config: SenderConfig) -> Talk {
    let mut talk = eight_out(config);
    recv!(talk at 201, ack 0);
    send!(talk, 9);
    recv!(talk at 202, ack 0);
    send!(talk, 10);
    recv!(talk at 203, ack 0);
    send!(talk, 1);
    talk
}

/// Eight packets went out at 100 ms, and nothing came back.
pub(crate) fn after_a_timeout(config: SenderConfig) -> (Talk, u64) {
    let mut talk = eight_out(config);
    let when = talk.sender.next_wake().as_nanos() / 1_000_000;
    talk.wake(when);
    send!(talk, 1);
    (talk, when)
}

/// ns-2's profile with a window of 20.
pub(crate) fn ns2() -> SenderConfig {
    SenderConfig::ns2(FLOW, 20)
}

/// The standard's with a window of 20.
pub(crate) fn standard() -> SenderConfig {
    SenderConfig::standard(FLOW, 20)
}
