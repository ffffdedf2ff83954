//! The contract of the DCF under random treatment: a spurious wake changes nothing, nobody acts sooner than
//! announced, and nobody stalls.
//!
//! Each case has a seed, which a failure prints.

use acklab_base::{Address, Duration, FlowId, Instant, NodeId, Purpose, Stream};
use acklab_mac::dcf::Act;
use acklab_mac::{Dcf, DcfConfig, Output};
use acklab_wire::tcp::Datagram;
use acklab_wire::{FrameHeader, FrameKind, Packet, Payload};

pub(crate) const ME: NodeId = NodeId(0);

pub(crate) fn stream(seed: u64, purpose: Purpose) -> Stream {
    Address {
        seed,
        run: 0,
        node: ME,
        purpose,
    }
    .open()
}

pub(crate) fn packet(id: u32, to: NodeId) -> Packet {
    let datagram = Datagram {
        flow: FlowId(0),
        number: u64::from(id),
        len: 80,
        sent: acklab_base::Instant::ZERO,
    };
    Packet::udp(id, ME, to, 30, datagram, 20)
}

/// Me, one of four neighbours, or everyone.
fn anyone(draw: &mut Stream) -> NodeId {
    match draw.below(8) {
        0..=3 => ME,
        4 => NodeId::BROADCAST,
        n => NodeId(n - 4),
    }
}

pub(crate) fn frame(draw: &mut Stream) -> FrameHeader {
    let kinds = [
        FrameKind::Rts,
        FrameKind::Cts,
        FrameKind::Ack,
        FrameKind::Data,
    ];
    FrameHeader {
        kind: kinds[draw.below(4) as usize],
        retry: draw.below(2) == 0,
        sequence: draw.below(3) as u16,
        to: anyone(draw),
        from: NodeId(1 + draw.below(4)),
        duration: Duration::from_micros(u64::from(draw.below(3) * draw.below(2_000))),
        bytes: 150,
        airtime: Duration::from_micros(304),
    }
}

pub(crate) fn config(seed: u64) -> DcfConfig {
    let base = match seed % 6 {
        0 | 2 => DcfConfig::ns2(),
        4 => DcfConfig::ns2_of_2002(),
        _ => DcfConfig::standard(),
    };
    DcfConfig {
        rts_threshold: if seed % 4 < 2 { Some(0) } else { None },
        cw_max: 127,
        short_retry_limit: Some(1 + seed as u32 % 7),
        long_retry_limit: Some(1 + seed as u32 % 5),
        slot: Duration::from_micros(if seed % 11 == 3 { 1 } else { 20 }),
        ..base
    }
}

/// A station, what surrounds it, and a check at every step.
#[derive(Clone)]
pub(crate) struct Bench {
    pub(crate) dcf: Dcf,
    pub(crate) now: Instant,
    medium_busy: bool,
    busy_since: Instant,
    pub(crate) transmits_until: Instant,
    outputs: Vec<(Instant, Output)>,
    sent: Vec<FrameHeader>,
    /// Where a packet is for that waits for the station to be ready.
    pub(crate) waiting: Option<NodeId>,
}

/// The station is ready for a packet: it gets the one that waits.
fn is_ready(dcf: &mut Dcf, now: Instant, waiting: &mut Option<NodeId>) {
    if let Some(to) = waiting.take() {
        dcf.on_packet(now, Payload::Ip(packet(7, to)), to);
    }
    dcf.set_has_more(false);
}

impl Bench {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            dcf: Dcf::new(ME, config(seed), stream(seed, Purpose::Backoff)),
            now: Instant::ZERO,
            medium_busy: false,
            busy_since: Instant::ZERO,
            transmits_until: Instant::ZERO,
            outputs: Vec::new(),
            sent: Vec::new(),
            waiting: None,
        }
    }

    pub(crate) fn drain(&mut self) {
        while let Some(output) = self.dcf.poll() {
            if output == Output::Transmit {
                let header = *self.dcf.on_air();
                self.transmits_until = self.now + header.airtime;
                self.sent.push(header);
            } else if output == Output::Ready {
                is_ready(&mut self.dcf, self.now, &mut self.waiting);
            }
            self.outputs.push((self.now, output));
        }
    }

    /// Goes on to `until`, waking the station when it asks for it, and at the `extra` instants,
    /// when it does not.
    pub(crate) fn run_to(&mut self, until: Instant, extra: &[Instant]) {
        let mut extra = extra.iter().copied().peekable();
        loop {
            let due = self.dcf.next_wake();
            let next = extra.peek().map_or(due, |&at| at.min(due));
            if next > until {
                break;
            }
            self.now = self.now.max(next);
            self.dcf.on_wake(self.now);
            self.drain();
            if extra.peek() == Some(&next) {
                extra.next();
            }
        }
        self.now = until;
    }

    /// One random thing happens to the station.
    fn disturb(&mut self, number: u32, draw: &mut Stream) {
        match draw.below(6) {
            0 => {
                let to = match draw.below(4) {
                    0 => NodeId::BROADCAST,
                    n => NodeId(n),
                };
                if self.dcf.is_ready() {
                    let packet = Payload::Ip(packet(number, to));
                    self.dcf.on_packet(self.now, packet, to);
                } else {
                    self.waiting = Some(to);
                    self.dcf.set_has_more(true);
                }
            }
            // Nobody decodes a frame while the own one is on the air.
            1 | 2 if self.medium_busy && self.transmits_until <= self.busy_since => {
                self.dcf.on_frame(self.now, &frame(draw));
                self.set_medium(false);
            }
            3 if self.medium_busy => {
                self.dcf.on_lost_frame(self.now, draw.below(2) == 0);
                self.set_medium(draw.below(4) == 0);
            }
            4 if self.medium_busy => {
                let airtime = Duration::from_micros(u64::from(draw.below(1_000)));
                self.dcf.on_captured_frame(self.now, airtime);
            }
            _ => self.set_medium(true),
        }
        self.drain();
    }

    pub(crate) fn set_medium(&mut self, busy: bool) {
        if busy && !self.medium_busy {
            self.busy_since = self.now;
        }
        self.medium_busy = busy;
        self.dcf.on_medium(self.now, busy);
    }

    /// It does nothing of its own accord before it says so.
    pub(crate) fn keeps_what_it_announces(&self, seed: u64) {
        let act = (self.dcf).next_act((Instant::NEVER, Instant::ZERO), Instant::NEVER);
        self.keeps(seed, act);
    }

    fn keeps(&self, seed: u64, announced: Act) {
        let (announced, speaks) = (announced.at(config(seed).slot), self.speaks_at());
        assert!(
            announced <= speaks,
            "seed {seed}: announced {announced:?}, acts at {speaks:?}"
        );
    }

    /// Nor does it if it knows that the ACK for which it waits is on its way, which may still be spoiled, and
    /// nothing else.
    pub(crate) fn announces_what_comes_after_an_ack(&self, seed: u64, draw: &mut Stream) {
        let begins = self.now.max(self.transmits_until);
        let left = (self.dcf.answer_deadline().saturating_since(begins)).as_nanos();
        if left == 0 || self.medium_busy || !self.dcf.awaits_ack() {
            return;
        }
        let ends = begins + Duration::from_nanos(1 + u64::from(draw.below(left as u32)));
        let mut bench = self.clone();
        bench.run_to(begins, &[]);
        bench.set_medium(true);
        bench.run_to(ends, &[]);
        let ack = FrameHeader {
            kind: FrameKind::Ack,
            to: ME,
            ..frame(draw)
        };
        match draw.below(2) {
            0 => bench.dcf.on_frame(ends, &ack),
            _ => bench.dcf.on_lost_frame(ends, false),
        }
        bench.set_medium(false);
        bench.keeps(seed, self.dcf.next_act((begins, ends), ends));
    }

    /// Nor does it if it knows that somebody else's frame is on its way.
    fn announces_what_comes_before_a_frame(&self, seed: u64, draw: &mut Stream) {
        let mut bench = self.clone();
        // What is put off ends soon.
        let wake = self.dcf.next_wake();
        if wake != Instant::NEVER && wake > self.now {
            bench.run_to(self.now.max(wake - Duration::from_micros(1)), &[]);
        }
        if bench.medium_busy || bench.transmits_until > bench.now {
            return;
        }
        let begins = bench.now + Duration::from_nanos(1 + u64::from(draw.below(2_000)));
        let ends = begins + Duration::from_micros(200 + u64::from(draw.below(400)));
        let announced = bench.dcf.next_act((begins, ends), Instant::NEVER);
        let spoke_at = bench.outputs.len();
        bench.run_to(begins, &[]);
        bench.set_medium(true);
        bench.drain();
        bench.run_to(ends, &[]);
        if let Some(&(at, _)) = bench.outputs.get(spoke_at) {
            let announced = announced.at(config(seed).slot);
            assert!(
                announced <= at,
                "seed {seed}: announced {announced:?}, acts at {at:?}"
            );
        } else {
            bench.dcf.on_lost_frame(ends, true);
            bench.set_medium(false);
            bench.keeps(seed, announced);
        }
    }

    /// When the station would first say anything if nothing more happened.
    fn speaks_at(&self) -> Instant {
        let (mut dcf, mut waiting) = (self.dcf.clone(), self.waiting);
        let mut now = self.now;
        loop {
            match dcf.poll() {
                None => {}
                Some(Output::Ready) => {
                    is_ready(&mut dcf, now, &mut waiting);
                    continue;
                }
                Some(_) => return now,
            }
            let wake = dcf.next_wake();
            if wake == Instant::NEVER {
                return wake;
            }
            now = now.max(wake);
            dcf.on_wake(now);
        }
    }
}

#[test]
fn a_spurious_wake_changes_nothing_in_the_dcf() {
    for seed in 0..400 {
        let mut draw = stream(seed, Purpose::TieShuffle);
        let (mut plain, mut woken) = (Bench::new(seed), Bench::new(seed));
        for step in 0..120 {
            let until = plain.now + Duration::from_micros(u64::from(draw.below(900)));
            let mut extra: Vec<Instant> = (0..draw.below(4))
                .map(|_| plain.now + Duration::from_micros(u64::from(draw.below(900))))
                .filter(|&at| at <= until)
                .collect();
            extra.sort_unstable();
            plain.run_to(until, &[]);
            woken.run_to(until, &extra);
            let mut same = draw.clone();
            plain.disturb(step, &mut draw);
            woken.disturb(step, &mut same);
            assert_eq!(plain.outputs, woken.outputs, "seed {seed}, step {step}");
            assert_eq!(plain.sent, woken.sent, "seed {seed}, step {step}");
            let state = |bench: &Bench| format!("{:?}", bench.dcf);
            assert_eq!(state(&plain), state(&woken), "seed {seed}, step {step}");
        }
    }
}

#[test]
fn a_station_never_acts_sooner_than_it_announces() {
    for seed in 0..400 {
        let mut draw = stream(seed, Purpose::TieShuffle);
        let mut bench = Bench::new(seed);
        for step in 0..120 {
            let until = bench.now + Duration::from_micros(u64::from(draw.below(900)));
            bench.run_to(until, &[]);
            bench.disturb(step, &mut draw);
            bench.keeps_what_it_announces(seed);
            bench.announces_what_comes_after_an_ack(seed, &mut draw);
            bench.announces_what_comes_before_a_frame(seed, &mut draw);
        }
    }
}

/// Left alone on an idle medium, a station gets rid of its packet within a second, whatever
/// happened to it before.
#[test]
fn a_station_never_stalls() {
    for seed in 0..400 {
        let mut draw = stream(seed, Purpose::TieShuffle);
        let mut bench = Bench::new(seed);
        for step in 0..80 {
            let until = bench.now + Duration::from_micros(u64::from(draw.below(900)));
            bench.run_to(until, &[]);
            bench.disturb(step, &mut draw);
        }
        bench.set_medium(false);
        bench.drain();
        bench.run_to(bench.now + Duration::from_secs(1), &[]);
        assert!(bench.dcf.is_ready(), "seed {seed}: {:?}", bench.dcf);
        let last = Payload::Ip(packet(99, NodeId(1)));
        bench.dcf.on_packet(bench.now, last, NodeId(1));
        let sent = |bench: &Bench| {
            let is_sent = |(_, output): &&(Instant, Output)| *output == Output::Transmit;
            bench.outputs.iter().filter(is_sent).count()
        };
        let before = sent(&bench);
        bench.run_to(bench.now + Duration::from_secs(1), &[]);
        assert!(sent(&bench) > before, "seed {seed}: nothing was sent");
        assert!(bench.dcf.is_ready(), "seed {seed}: {:?}", bench.dcf);
    }
}
