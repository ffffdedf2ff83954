//! The sending half of a one-way TCP connection (RFC 9293, 5681, 6298, 6582, 3042).
//!
//! It is a machine: segments, application writes and time go in, segments and notes come out. It
//! counts stream offsets in 64 bits (the SYN is offset 0, the first byte of data offset 1) and
//! turns them into circular sequence numbers at the door only. It receives no data and sends no
//! FIN. The invariant: `una <= nxt <= max_sent <= written`.

mod eln;
mod input;
mod output;
mod pacer;
mod persist;
mod sack;
mod table;
mod tail;
mod timer;
mod vegas;

use crate::cc::{Bandwidth, Congestion, Load, LossBased, Vegas};
use crate::config::{SenderConfig, Variant};
use crate::recovery::{Phase, Recovery};
use crate::rtt::RttEstimator;
use crate::vegas::Decision;
use acklab_base::{Duration, Instant, Seq32};
use acklab_wire::Segment;
use pacer::DataPacer;
use sack::Selective;
use std::collections::VecDeque;
pub use table::{Standing, TRANSITIONS, Transition};
use timer::Timer;

/// What a sender hands out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SenderOutput {
    /// To be sent to the receiver.
    Segment(Segment),
    /// Something an observer counts.
    Note(SenderNote),
}

/// What an observer of a sender counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SenderNote {
    /// The retransmission timer expired with something outstanding.
    Timeout,
    /// Duplicate ACKs made the sender repair a loss.
    FastRetransmit,
    /// The congestion window was cut because of a loss.
    WindowCut,
    /// Vegas compared the rates in congestion avoidance.
    Vegas(Decision),
    /// The handshake is over.
    Established,
    /// Everything that the application wrote is acknowledged.
    AllAcked,
    /// A round-trip time was measured.
    RttSample(Duration),
    /// A closed window was probed.
    WindowProbe,
    /// Something left that pacing had put off.
    Paced,
    /// The tail of a window was probed (RFC 8985 §7).
    TailProbe,
    /// A segment was sent again because an ACK said that the radio lost it.
    LossNotice,
}

/// Where the connection stands. The phase of loss repair is [`Phase`], beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not opened.
    Closed,
    /// The SYN is out.
    SynSent {
        /// It had to be sent again.
        again: bool,
    },
    /// Data may flow.
    Established,
}

/// The one segment whose round-trip time is being measured.
#[derive(Clone, Copy, Debug)]
struct Timed {
    /// Offset behind the segment.
    end: u64,
    sent: Instant,
}

/// A TCP sender.
#[derive(Clone, Debug)]
pub struct Sender {
    config: SenderConfig,
    state: State,
    /// First offset that is not acknowledged.
    una: u64,
    /// Offset to send next; falls back to `una` when everything is to be sent again.
    nxt: u64,
    /// Offset behind the last byte ever sent.
    max_sent: u64,
    /// Offset behind the last byte that the application wrote; `u64::MAX` has no end.
    written: u64,
    congestion: Congestion,
    /// What Vegas adds to loss detection.
    vegas: vegas::State,
    /// What selective acknowledgements add to it.
    selective: Option<Box<Selective>>,
    recovery: Recovery,
    rtt: RttEstimator,
    timed: Option<Timed>,
    /// The first unacknowledged segment that was sent again last, and when.
    repaired: Option<(u64, Instant)>,
    timer: Timer,
    pacer: DataPacer,
    /// First unacknowledged offset when the timer last expired.
    timed_out_at: Option<u64>,
    /// Bytes that Limited Transmit sent since the last new ACK: they don't count as load.
    limited_bytes: u64,
    /// When something was last sent.
    last_sent: Instant,
    /// Window that the receiver advertised last, in bytes.
    advertised: u64,
    /// What the sender acknowledges in its own segments.
    peer_next: Seq32,
    outputs: VecDeque<SenderOutput>,
}

impl Sender {
    /// A closed sender. Panics if the segment size or the receiver window is zero.
    #[must_use]
    pub fn new(config: SenderConfig) -> Self {
        assert!(config.mss > 0, "a segment holds at least one byte");
        assert!(
            config.receiver_window > 0,
            "the receiver window holds at least one segment"
        );
        let ssthresh = config.initial_ssthresh.unwrap_or(config.receiver_window);
        Self {
            config,
            state: State::Closed,
            una: 0,
            nxt: 0,
            max_sent: 0,
            written: 1,
            congestion: match config.variant {
                Variant::Vegas => {
                    let window = config.receiver_window;
                    Congestion::Vegas(Box::new(Vegas::new(config.vegas, ssthresh, window)))
                }
                _ => Congestion::Loss(loss_based(&config, ssthresh)),
            },
            vegas: vegas::State::default(),
            selective: (config.variant == Variant::Sack)
                .then(|| Box::new(Selective::new(config.sack.detection))),
            recovery: Recovery::new(),
            rtt: RttEstimator::new(config.rto),
            timed: None,
            repaired: None,
            timer: Timer::Off,
            pacer: DataPacer::new(),
            timed_out_at: None,
            limited_bytes: 0,
            last_sent: Instant::ZERO,
            advertised: u64::MAX,
            peer_next: config.peer_iss.add(1),
            outputs: VecDeque::new(),
        }
    }

    /// Opens the connection: sends the SYN, or, without a handshake, what is written already.
    pub fn on_open(&mut self, now: Instant) {
        if self.state != State::Closed {
            return;
        }
        if self.config.handshake {
            self.state = State::SynSent { again: false };
            self.nxt = 1;
            self.transmit(now, 0, 1);
        } else {
            // As if the SYN had been exchanged.
            (self.una, self.nxt, self.max_sent) = (1, 1, 1);
            self.establish(now, self.config.initial_window);
        }
    }

    /// The application wrote `bytes` more; `u64::MAX` makes it a source that never ends.
    pub fn on_data(&mut self, now: Instant, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
        self.restart_if_idle(now);
        self.fill(now, None);
        self.stop_if_closed(now);
        self.keep_awake(now);
    }

    /// A segment of this connection arrived.
    pub fn on_segment(&mut self, now: Instant, segment: &Segment) {
        if segment.flow != self.config.flow || segment.forward || !segment.flags.ack {
            return;
        }
        match self.state {
            State::Closed => {}
            State::SynSent { again } => self.on_syn_ack(now, segment, again),
            State::Established => self.on_ack(now, segment),
        }
    }

    /// Time has come to look at the timer. Does nothing before [`Sender::next_wake`].
    pub fn on_wake(&mut self, now: Instant) {
        // First, because a probe of the tail puts the timer off (RFC 8985 §7.3).
        if now >= self.selective_deadline() {
            self.on_selective_wake(now);
        }
        if now >= self.timer.deadline() {
            self.on_timer(now);
        }
        if now >= self.next_turn() {
            self.on_turn(now);
        }
    }

    /// The next thing to hand out.
    pub fn poll(&mut self) -> Option<SenderOutput> {
        self.outputs.pop_front()
    }

    /// The room for segments on their way out, in bytes.
    #[must_use]
    pub fn room(&self) -> usize {
        self.outputs.capacity() * size_of::<SenderOutput>()
    }

    /// When the sender wants [`Sender::on_wake`].
    #[must_use]
    pub fn next_wake(&self) -> Instant {
        self.timer
            .deadline()
            .min(self.next_turn())
            .min(self.selective_deadline())
    }

    /// The congestion window in segments, without fast recovery's inflation.
    #[must_use]
    pub fn cwnd(&self) -> f64 {
        self.congestion.cwnd()
    }

    /// By how many segments duplicate ACKs have inflated the window.
    #[must_use]
    pub fn inflation(&self) -> f64 {
        self.recovery.inflation
    }

    /// min(cwnd, receiver window) in segments.
    #[must_use]
    pub fn window(&self) -> f64 {
        self.cwnd().min(self.limit())
    }

    /// The slow-start threshold in segments.
    #[must_use]
    pub fn ssthresh(&self) -> f64 {
        self.congestion.ssthresh()
    }

    /// What Westwood estimates the path to carry, in segments a second; nothing for other variants.
    #[must_use]
    pub fn bandwidth_estimate(&self) -> Option<f64> {
        self.congestion.bandwidth()
    }

    /// Segments sent and not acknowledged; after a timeout, those sent since. A SYN is one.
    #[must_use]
    pub fn flight(&self) -> f64 {
        let octets = (self.nxt - self.una) as f64;
        // No data leaves before the SYN, which has a number of its own, is acknowledged.
        let is_syn = self.una == 0;
        if is_syn {
            octets
        } else {
            octets / f64::from(self.config.mss)
        }
    }

    /// Bytes of data that are acknowledged.
    #[must_use]
    pub fn acked_bytes(&self) -> u64 {
        self.una.saturating_sub(1)
    }

    /// Bytes of data that were ever sent, each once.
    #[must_use]
    pub fn sent_bytes(&self) -> u64 {
        self.max_sent.saturating_sub(1)
    }

    /// Whether everything written is acknowledged, and something was written.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.state == State::Established && self.written > 1 && self.una == self.written
    }

    /// Where the connection stands.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// The phase of loss repair.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.recovery.phase
    }

    /// The timeout that a segment sent now would get.
    #[must_use]
    pub fn rto(&self) -> Duration {
        self.rtt.rto()
    }

    /// The round-trip time estimator.
    #[must_use]
    pub fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// The parameters.
    #[must_use]
    pub fn config(&self) -> &SenderConfig {
        &self.config
    }

    /// The receiver's window in segments.
    fn limit(&self) -> f64 {
        let known = f64::from(self.config.receiver_window);
        if self.config.honour_advertised {
            let advertised = self.advertised as f64 / f64::from(self.config.mss);
            // At least one segment, where a closed window is not probed.
            let least = if self.config.window_probes { 0.0 } else { 1.0 };
            known.min(advertised.max(least))
        } else {
            known
        }
    }

    /// The window that is used: min(cwnd + inflation, receiver window), in segments.
    fn usable(&self) -> f64 {
        (self.cwnd() + self.recovery.inflation).min(self.limit())
    }

    /// What is under way when a loss is found.
    fn load(&self) -> Load {
        let outstanding = (self.max_sent - self.una).saturating_sub(self.limited_bytes);
        Load {
            window: self.usable(),
            flight: outstanding as f64 / f64::from(self.config.mss),
        }
    }

    fn note(&mut self, note: SenderNote) {
        self.outputs.push_back(SenderOutput::Note(note));
    }
}

/// The window by losses, with or without Westwood's estimate.
fn loss_based(config: &SenderConfig, ssthresh: u32) -> LossBased {
    let control = LossBased::new(config.growth, config.cut, ssthresh);
    match config.westwood {
        Some(filter) => control.with_bandwidth(Bandwidth::new(filter)),
        None => control,
    }
}
