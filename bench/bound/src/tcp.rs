//! TCP, in packets: offset 0 is the SYN, packet k has offset k.
const TICK: u64 = 10_000_000;

#[derive(Clone, Copy, PartialEq)]
pub enum Phase { Open, Fast { partial_seen: bool }, Loss }

pub struct Sender {
    pub established: bool,
    again: bool,
    una: u32, nxt: u32, max_sent: u32,
    cwnd: f64, ssthresh: f64, inflation: f64,
    phase: Phase, dupacks: u32, recover: u32,
    timed: Option<(u32, u64)>,
    pub deadline: u64, retx: bool,
    clock_phase: u64, est: Option<(u64, u64)>, base: u64, backoff: u32,
    pub out: [u32; 16], pub n: usize,
    pub retransmissions: u64, pub sent: u64,
}
const LIMIT: f64 = 8.0;

impl Sender {
    pub fn new(clock_phase: u64) -> Self {
        Self { established: false, again: false, una: 0, nxt: 0, max_sent: 0, cwnd: 1.0, ssthresh: 20.0, inflation: 0.0,
            phase: Phase::Open, dupacks: 0, recover: 1, timed: None, deadline: u64::MAX, retx: false, clock_phase,
            est: None, base: 3_000_000_000, backoff: 1, out: [0; 16], n: 0, retransmissions: 0, sent: 0 }
    }
    pub fn open(&mut self, now: u64) { self.nxt = 1; self.transmit(now, 0); }
    fn rto(&self) -> u64 { (self.base.max(200_000_000) * u64::from(self.backoff)).min(60_000_000_000) }
    fn arm(&mut self, now: u64) { self.deadline = now + self.rto(); self.retx = true; }
    fn usable(&self) -> f64 { (self.cwnd + self.inflation).min(LIMIT) }
    fn transmit(&mut self, now: u64, start: u32) {
        if start > 0 {
            self.sent += 1;
            self.retransmissions += u64::from(start < self.max_sent);
        }
        self.out[self.n] = start;
        self.n += 1;
        let nothing = self.una == self.max_sent;
        let end = start + 1;
        if end > self.max_sent {
            self.max_sent = end;
            if self.timed.is_none() { self.timed = Some((end, now)); }
        }
        if nothing || !self.retx { self.arm(now); }
    }
    fn fill(&mut self, now: u64, burst: u32) {
        if !self.established { return; }
        let window = self.usable() as u32;
        let mut left = burst;
        while left > 0 && self.send_next(now, window) { left -= 1; }
    }
    fn send_next(&mut self, now: u64, window: u32) -> bool {
        if self.nxt + 1 - self.una > window { return false; }
        let start = self.nxt;
        self.nxt += 1;
        self.transmit(now, start);
        true
    }
    fn take_sample(&mut self, now: u64, ack: u32) {
        if let Some((end, sent)) = self.timed && ack >= end {
            self.timed = None;
            self.backoff = 1;
            let ticks = |at: u64| (at + self.clock_phase) / TICK;
            let measured = (ticks(now) - ticks(sent)).max(1);
            let (srtt, rttvar) = match self.est {
                Some((srtt, rttvar)) => {
                    let mean = srtt >> 3;
                    let off = measured.abs_diff(mean);
                    ((srtt + measured).saturating_sub(mean).max(1), (rttvar + off).saturating_sub(rttvar >> 2).max(1))
                }
                None => (measured << 3, measured << 1),
            };
            self.est = Some((srtt, rttvar));
            self.base = TICK * (rttvar + (srtt >> 3));
        }
    }
    fn rearm(&mut self, now: u64) {
        self.arm(now);
        self.retx = self.una < self.max_sent;
    }
    /// `new` says whether the ACK is new to recovery's counters.
    pub fn on_ack(&mut self, now: u64, ack: u32, syn: bool) {
        if !self.established {
            if !syn || ack != 1 { return; }
            self.una = 1;
            self.take_sample(now, 1);
            let initial = if self.again { 1.0 } else { 2.0 };
            self.reset_counts(1);
            self.rearm(now);
            self.established = true;
            self.cwnd = initial;
            self.fill(now, u32::MAX);
            return;
        }
        if ack >= self.una {
            if ack > self.max_sent { return; }
            if ack > self.una { self.on_new(now, ack); }
            else if self.una < self.max_sent { self.on_duplicate(now); }
        }
        match self.dupacks {
            0 => self.fill(now, u32::MAX),
            1 | 2 => {}
            _ => self.fill(now, 2),
        }
    }
    fn reset_counts(&mut self, ack: u32) {
        if matches!(self.phase, Phase::Fast { .. }) || ack >= self.recover { self.phase = Phase::Open; }
        self.dupacks = 0;
        self.inflation = 0.0;
    }
    fn on_new(&mut self, now: u64, ack: u32) {
        let acked = f64::from(ack - self.una);
        if let Phase::Fast { partial_seen } = &mut self.phase && ack < self.recover {
            let first = !*partial_seen;
            *partial_seen = true;
            if first { self.arm(now); }
            let rest = if self.inflation > acked { self.inflation -= acked - 1.0; 0.0 }
                else { let rest = acked - self.inflation; self.inflation = 1.0; rest };
            self.cwnd = (self.cwnd - rest).max(1.0);
            self.una = ack;
            self.nxt = self.nxt.max(ack);
            self.retransmit_first(now);
            return;
        }
        self.reset_counts(ack);
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        self.take_sample(now, ack);
        self.rearm(now);
        self.cwnd += if self.cwnd < self.ssthresh { 1.0 } else { 1.0 / self.cwnd };
    }
    fn retransmit_first(&mut self, now: u64) {
        self.nxt = self.nxt.max(self.una + 1);
        self.transmit(now, self.una);
    }
    fn on_duplicate(&mut self, now: u64) {
        self.dupacks += 1;
        if self.dupacks < 3 {
            let allowed = (self.cwnd + f64::from(self.dupacks)).min(LIMIT);
            self.send_next(now, allowed.floor() as u32);
        } else if self.dupacks == 3 {
            if self.una > self.recover || self.una == 1 {
                let half = self.usable() / 2.0;
                self.ssthresh = half.floor().max(2.0);
                self.cwnd = half;
                self.recover = self.max_sent;
                self.phase = Phase::Fast { partial_seen: false };
                self.inflation = 3.0;
                self.timed = None;
                self.arm(now);
                self.retransmit_first(now);
            }
        } else if matches!(self.phase, Phase::Fast { .. }) {
            self.inflation += 1.0;
        }
    }
    pub fn on_timeout(&mut self, now: u64) {
        self.inflation = 0.0;
        let half = self.usable() / 2.0;
        self.ssthresh = half.floor().max(2.0);
        self.cwnd = 1.0;
        self.dupacks = 0;
        self.recover = self.max_sent;
        self.phase = Phase::Loss;
        self.timed = None;
        if self.backoff < 64 || self.rto() < 60_000_000_000 { self.backoff *= 2; }
        if self.backoff > 8 { self.est = None; }
        self.arm(now);
        if self.una == 0 {
            self.again = true;
            self.transmit(now, 0);
        } else {
            self.nxt = self.una;
            self.fill(now, u32::MAX);
        }
    }
}

#[derive(Default)]
pub struct Receiver { pub next: u32, pub mask: u32 }

impl Receiver {
    /// A data packet. Returns how many are delivered.
    pub fn on_data(&mut self, k: u32) -> u32 {
        if k < self.next { return 0; }
        let off = k - self.next;
        if off >= 8 { return 0; }
        self.mask |= 1 << off;
        let n = self.mask.trailing_ones();
        self.mask >>= n;
        self.next += n;
        n
    }
}
