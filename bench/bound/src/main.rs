//! Throw-away: the chain of nine, static routes, ns-2's rules, as fast as can be. Every frame is folded
//! into its listeners when it is announced; nothing is kept for later.
mod tcp;
use acklab_base::{Address, NodeId, Purpose, Stream, ThinStream};

const N: usize = 9;
const SLOT: u64 = 20_000;
const SIFS: u64 = 10_000;
const DIFS: u64 = 50_000;
const EIFS: u64 = 364_000;
const T_RTS: u64 = 352_000;
const T_CTS: u64 = 304_000;
const T_ACK: u64 = 304_000;
const SLACK: u64 = 4_000;
const NEVER: u64 = 1 << 59;
const FARTHEST: u64 = 1333;
const BCAST: u32 = u32::MAX;

// What a packet is: three bits of kind and a number.
const DATA: u32 = 0;
const ACK: u32 = 1;
const SYN: u32 = 2;
const SYNACK: u32 = 3;
const ARPREQ: u32 = 4;
const ARPREP: u32 = 5;
const fn word(kind: u32, number: u32) -> u32 { kind << 29 | number }

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Mode { Idle, Contend, Resp, AwaitCts, AwaitAck, AwaitData, Bcast }

/// Frame kinds as in acklab.
const RTS_F: u8 = 0;
const CTS_F: u8 = 1;
const ACK_F: u8 = 2;
const DATA_F: u8 = 3;
const NONE_F: u8 = 255;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct St {
    lock_end: u64,
    due: u64,
    lock_nav: u64,
    nav0: u64,
    counting: u64,
    ex_until: u64,
    tx_until: u64,
    slots: u32,
    mode: Mode,
    near: bool,
    backoff: bool,
    rx: u8,
    // Second line.
    rx_dur: u64,
    sifs_at: u64,
    resp_dur: u64,
    rx_word: u32,
    rx_to: u32,
    rx_from: u8,
    resp: u8,
    resp_to: u8,
    rx_retry: bool,
    rx_seq: u16,
    rx_bytes: u16,
    has: bool,
    cur_retry: bool,
    cur_seq: u16,
    cur_word: u32,
    cur_hop: u32,
    cur_bytes: u32,
    cw: u32,
    short: u32,
    long: u32,
    ahead: u32,
    seq: u16,
    deliver: bool,
    deliver_word: u32,
    digest: u64,
    stack_digest: u64,
}

#[derive(Default, Debug)]
struct Counts { kinds: [u64; 4], bcast: u64, missing_cts: u64, missing_ack: u64, drops: u64, qdrops: u64, withheld: u64, events: u64, slow: u64, overlaps: u64, settles: u64 }

#[derive(Clone, Copy)]
struct Frame { t: u64, airtime: u64, dur: u64, from: u8, kind: u8, to: u32, word: u32, seq: u16, retry: bool, bytes: u16 }

#[derive(Clone, Copy)]
enum Link { Up(u32), Down(u32, u32) }

struct World {
    keys: [u64; 12],
    st: [St; 16],
    lists: [[(u8, bool, u16); 4]; 16],
    list_len: [u8; 16],
    queue: Vec<std::collections::VecDeque<(u32, u32)>>,
    last_seq: [[u32; 16]; 16],
    draws: Vec<ThinStream>,
    pending: Vec<(u64, u8, u8, bool, Frame)>,
    links: Vec<(u64, u8, Link)>,
    known: [[bool; 16]; 16],
    asked: [[u32; 16]; 16],
    held: [[Option<u32>; 16]; 16],
    src: tcp::Sender,
    snk: tcp::Receiver,
    delivered: u64,
    end: u64,
    c: Counts,
}

#[inline(always)]
fn mix(digest: &mut u64, at: u64, kind: u16, value: u64) {
    if cfg!(feature = "digest") {
        let w = (value ^ u64::from(kind) << 48).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ at;
        let s = (*digest ^ w).wrapping_mul(0x6A09_E667_F3BC_C909);
        *digest = s ^ s >> 32;
    }
}
#[inline(always)]
fn fp(to: u32, bytes: u16, seq: u16) -> u64 { u64::from(to) << 32 ^ u64::from(bytes) << 12 ^ u64::from(seq) }

fn ip_bytes(w: u32) -> u32 { match w >> 29 { DATA => 1040, ARPREQ | ARPREP => 28, _ => 40 } }

impl St {
    #[inline(always)]
    fn waits(&self) -> bool { self.mode as u8 >= Mode::AwaitCts as u8 }
    #[inline(always)]
    fn nav(&self) -> u64 { self.nav0.max(self.lock_nav) }
    #[inline(always)]
    fn recount(&mut self) { self.counting = self.ex_until.max(self.lock_end).max(self.nav()) + DIFS; }
    #[inline(always)]
    fn turn(&self) -> u64 { self.counting + u64::from(self.slots) * SLOT }
    #[inline(always)]
    fn freeze(&mut self, s: u64) {
        if self.backoff && s >= self.counting {
            let n = ((s - self.counting) / SLOT) as u32;
            if n >= self.slots { self.backoff = false; } else { self.slots -= n; }
        }
    }
    #[inline(always)]
    fn is_idle(&self, t: u64) -> bool { self.lock_end <= t && self.nav() <= t }
    #[inline(always)]
    fn set_due(&mut self) { self.due = if self.waits() { self.ex_until } else { NEVER }; }
}

impl World {
    fn new(seed: u64) -> Self {
        let open = |node: u32, purpose| Address { seed, run: 0, node: NodeId(node), purpose }.open();
        let mut start = open(0, Purpose::StartJitter);
        let t0 = 1_000_000_000;
        start.interval_below(acklab_base::Duration::ZERO);
        let phase = start.interval_below(acklab_base::Duration::from_millis(10)).as_nanos();
        let st = St { lock_end: 0, due: NEVER, lock_nav: 0, nav0: 0, counting: DIFS, ex_until: 0, tx_until: 0, slots: 0, mode: Mode::Idle,
            near: false, backoff: false, rx: NONE_F, rx_dur: 0, sifs_at: 0, resp_dur: 0, rx_word: 0, rx_to: 0, rx_from: 0, resp: NONE_F, resp_to: 0,
            rx_retry: false, rx_seq: 0, rx_bytes: 0, has: false, cur_retry: false, cur_seq: 0, cur_word: 0, cur_hop: 0, cur_bytes: 0,
            cw: 31, short: 0, long: 0, ahead: 0, seq: 0, deliver: false, deliver_word: 0, digest: 0, stack_digest: 0 };
        let mut w = World {
            keys: std::array::from_fn(|j| NEVER << 4 | j as u64), st: [st; 16], lists: [[(0, false, 0); 4]; 16], list_len: [0; 16],
            queue: (0..16).map(|_| std::collections::VecDeque::with_capacity(64)).collect(), last_seq: [[u32::MAX; 16]; 16],
            draws: Vec::new(), pending: Vec::new(), links: Vec::new(), known: [[false; 16]; 16], asked: [[0; 16]; 16], held: [[None; 16]; 16],
            src: tcp::Sender::new(phase), snk: tcp::Receiver { next: 1, ..Default::default() }, delivered: 0, end: 150_000_000_000, c: Counts::default(),
        };
        for j in 0..N {
            let mut s = open(j as u32, Purpose::Backoff);
            w.st[j].ahead = s.bits32();
            w.draws.push(s.into());
            for k in 0..N {
                let d = j.abs_diff(k);
                if d == 1 || d == 2 {
                    w.lists[j][w.list_len[j] as usize] = (k as u8, d == 1, if d == 1 { 667 } else { 1333 });
                    w.list_len[j] += 1;
                }
            }
        }
        w.set_key(10, t0);
        w
    }
    #[inline(always)]
    fn set_key(&mut self, j: usize, at: u64) { self.keys[j] = at << 4 | j as u64; }

    fn run(&mut self) {
        loop {
            let mut m = self.keys[0];
            for &k in &self.keys[1..] { m = if k < m { k } else { m }; }
            let (t, j) = (m >> 4, (m & 15) as usize);
            if t > self.end { break; }
            if !self.pending.is_empty() && self.fold_pending(t) { continue; }
            self.c.events += 1;
            if j < N { self.wake(j, t); } else { self.wake_other(j, t); }
        }
        while !self.pending.is_empty() && self.fold_pending(self.end + 1) {}
        for j in 0..N { self.settle_until(j, self.end); }
    }

    #[inline(never)]
    fn wake_other(&mut self, j: usize, t: u64) {
        if j == 9 {
            let (at, node, what) = self.links.remove(0);
            let next = self.links.first().map_or(NEVER, |l| l.0);
            self.set_key(9, next);
            match what {
                Link::Up(w) => self.up(node as usize, at, w, false),
                Link::Down(w, hop) => self.enqueue(node as usize, at, w, hop),
            }
        } else {
            if self.src.deadline == u64::MAX { self.src.open(t); } else if self.src.deadline <= t { self.src.on_timeout(t); }
            self.drain_source(t, false);
        }
    }

    fn drain_source(&mut self, at: u64, ahead: bool) {
        let n = std::mem::take(&mut self.src.n);
        for i in 0..n {
            let k = self.src.out[i];
            self.send(0, at, word(if k == 0 { SYN } else { DATA }, k), 1, ahead);
        }
        self.set_key(10, self.src.deadline);
    }

    fn push_link(&mut self, at: u64, node: usize, what: Link) {
        let place = self.links.partition_point(|l| (l.0, l.1) <= (at, node as u8));
        self.links.insert(place, (at, node as u8, what));
        let first = self.links[0].0;
        self.set_key(9, first);
    }

    /// The router sends.
    fn send(&mut self, j: usize, at: u64, w: u32, hop: u32, ahead: bool) {
        if self.known[j][hop as usize] {
            if ahead { self.enqueue(j, at + 25_000, w, hop); } else { self.push_link(at + 25_000, j, Link::Down(w, hop)); }
            return;
        }
        assert!(self.asked[j][hop as usize] < 3, "ARP failed");
        self.asked[j][hop as usize] += 1;
        self.held[j][hop as usize] = Some(w);
        self.push_link(at + 5_000, j, Link::Down(word(ARPREQ, hop), BCAST));
    }

    /// A packet reaches the router of `j` at `at`.
    fn up(&mut self, j: usize, at: u64, w: u32, ahead: bool) {
        let (kind, number) = (w >> 29, w & (1 << 29) - 1);
        let forward = kind == DATA || kind == SYN;
        if j > 0 && j < N - 1 {
            return self.send(j, at, w, if forward { j as u32 + 1 } else { j as u32 - 1 }, ahead);
        }
        if j == 0 {
            self.src.on_ack(at, number, kind == SYNACK);
            self.drain_source(at, ahead);
        } else {
            let answer = if kind == SYN { word(SYNACK, self.snk.next) } else {
                let n = self.snk.on_data(number);
                if n > 0 {
                    self.delivered += u64::from(n);
                    mix(&mut self.st[j].stack_digest, at, 65, self.delivered * 1000);
                }
                word(ACK, self.snk.next)
            };
            self.send(j, at, answer, j as u32 - 1, ahead);
        }
    }

    fn on_arp(&mut self, j: usize, at: u64, w: u32, from: usize) {
        let (kind, target) = (w >> 29, (w & 31) as usize);
        self.known[j][from] = true;
        if let Some(held) = self.held[j][from].take() { self.push_link(at + 5_000, j, Link::Down(held, from as u32)); }
        if kind == ARPREQ && target == j { self.push_link(at + 5_000, j, Link::Down(word(ARPREP, from as u32), from as u32)); }
    }

    fn enqueue(&mut self, j: usize, at: u64, w: u32, hop: u32) {
        self.settle_until(j, at);
        let st = &mut self.st[j];
        if st.mode == Mode::Idle && st.backoff && st.turn() <= at { st.backoff = false; }
        if !st.has && self.queue[j].is_empty() {
            self.on_packet(j, at, w, hop);
        } else {
            if self.queue[j].len() >= 49 {
                self.c.qdrops += 1;
                let class = class_of(w);
                mix(&mut self.st[j].stack_digest, at, 32 + class, 0);
            } else { self.queue[j].push_back((w, hop)); }
            if !self.st[j].has && let Some((w, hop)) = self.queue[j].pop_front() { self.on_packet(j, at, w, hop); }
        }
        self.rekey(j);
    }

    #[inline]
    fn draw(&mut self, j: usize) {
        let st = &mut self.st[j];
        st.slots = Stream::scaled(st.ahead, st.cw);
        st.backoff = true;
        st.ahead = self.draws[j].bits32();
    }

    fn on_packet(&mut self, j: usize, at: u64, w: u32, hop: u32) {
        let st = &mut self.st[j];
        st.has = true;
        st.cur_word = w;
        st.cur_hop = hop;
        st.cur_bytes = ip_bytes(w) + 34;
        st.cur_retry = false;
        st.cur_seq = st.seq;
        st.seq = (st.seq + 1) % 4096;
        let answering = st.mode == Mode::Resp && st.is_idle(at);
        if !st.backoff && !answering {
            self.draw(j);
            let st = &mut self.st[j];
            st.recount();
            st.counting = st.counting.max(at + DIFS);
        }
        let st = &mut self.st[j];
        if st.mode == Mode::Idle && st.backoff { st.mode = Mode::Contend; }
    }

    /// When it is to be woken, from scratch.
    fn rekey(&mut self, j: usize) {
        let st = &self.st[j];
        let at = match st.mode {
            Mode::Resp => st.sifs_at,
            _ if st.rx != NONE_F => {
                if st.rx == ACK_F && st.mode == Mode::AwaitAck && st.lock_end <= st.ex_until { self.after_ack(j) }
                else if st.rx_to == BCAST || st.rx_word >> 29 >= ARPREQ { st.lock_end }
                else { st.lock_end + SIFS }
            }
            Mode::Contend => st.turn(),
            Mode::Idle => NEVER,
            _ => st.ex_until,
        };
        self.set_key(j, at);
    }

    fn after_ack(&self, j: usize) -> u64 {
        if self.queue[j].is_empty() { return NEVER; }
        let st = &self.st[j];
        st.lock_end.max(st.nav()) + DIFS + u64::from(Stream::scaled(st.ahead, 31)) * SLOT
    }

    /// The exchange is over at `at`.
    fn resume(&mut self, j: usize, at: u64) {
        let st = &mut self.st[j];
        st.ex_until = at;
        st.mode = Mode::Idle;
        st.due = NEVER;
        if !st.has && let Some((w, hop)) = self.queue[j].pop_front() { self.on_packet(j, at, w, hop); }
        if self.st[j].has && !self.st[j].backoff { self.draw(j); }
        let st = &mut self.st[j];
        if st.has { st.mode = Mode::Contend; }
        st.recount();
    }

    #[inline(never)]
    fn settle_until(&mut self, j: usize, t: u64) {
        while self.st[j].due <= t {
            self.c.settles += 1;
            let st = &self.st[j];
            if st.rx != NONE_F && !(st.waits() && st.ex_until < st.lock_end) { self.on_rx(j); } else { self.timed_out(j); }
        }
    }

    fn timed_out(&mut self, j: usize) {
        let st = &mut self.st[j];
        let at = st.ex_until;
        match st.mode {
            Mode::AwaitCts => {
                self.c.missing_cts += 1;
                st.short += 1;
                if st.short >= 7 { st.short = 0; self.give_up(j, at); } else { st.cw = (2 * st.cw + 1).min(1023); self.draw(j); }
            }
            Mode::AwaitAck => {
                self.c.missing_ack += 1;
                st.long += 1;
                if st.long >= 4 { st.long = 0; self.give_up(j, at); } else {
                    st.cur_retry = true;
                    st.cw = (2 * st.cw + 1).min(1023);
                    self.draw(j);
                }
            }
            Mode::Bcast => {
                st.has = false;
                st.cw = 31;
                self.draw(j);
            }
            _ => {}
        }
        self.resume(j, at);
        if self.st[j].rx != NONE_F { self.st[j].due = self.st[j].lock_end; }
    }

    fn give_up(&mut self, j: usize, at: u64) {
        self.c.drops += 1;
        let st = &mut self.st[j];
        st.cw = 31;
        st.has = false;
        let class = class_of(st.cur_word);
        mix(&mut st.stack_digest, at, 32 + class, 1);
    }

    #[inline]
    fn on_rx(&mut self, j: usize) {
        let st = &mut self.st[j];
        let (kind, e) = (st.rx, st.lock_end);
        st.rx = NONE_F;
        mix(&mut st.digest, e, 8 + kind as u16, fp(st.rx_to, st.rx_bytes, st.rx_seq));
        match kind {
            RTS_F => {
                if (st.mode as u8) < Mode::Resp as u8 {
                    st.mode = Mode::Resp;
                    st.resp = CTS_F;
                    st.resp_to = st.rx_from;
                    st.resp_dur = st.rx_dur - (SIFS + T_CTS);
                    st.sifs_at = e + SIFS;
                    st.due = NEVER;
                    return;
                }
            }
            CTS_F => {
                if st.mode == Mode::AwaitCts {
                    st.short = 0;
                    st.mode = Mode::Resp;
                    st.resp = DATA_F;
                    st.ex_until = e;
                    st.sifs_at = e + SIFS;
                    st.due = NEVER;
                    return;
                }
            }
            ACK_F => {
                if st.mode == Mode::AwaitAck {
                    st.long = 0;
                    st.has = false;
                    st.cw = 31;
                    self.draw(j);
                    return self.resume(j, e);
                }
            }
            _ => {
                let (w, from) = (st.rx_word, st.rx_from as usize);
                if st.rx_to == BCAST {
                    st.set_due();
                    return self.on_arp(j, e, w, from);
                }
                if st.mode == Mode::AwaitData {
                    st.mode = Mode::Resp;
                    st.resp = ACK_F;
                    st.resp_to = st.rx_from;
                    st.ex_until = e;
                    st.sifs_at = e + SIFS;
                    st.due = NEVER;
                    let (seq, retry) = (st.rx_seq, st.rx_retry);
                    let known = self.last_seq[j][from] == u32::from(seq);
                    self.last_seq[j][from] = u32::from(seq);
                    let fresh = !(known && retry);
                    let arp = w >> 29 >= ARPREQ;
                    self.st[j].deliver = fresh && !arp;
                    self.st[j].deliver_word = w;
                    if fresh && arp { self.on_arp(j, e, w, from); }
                    return;
                }
            }
        }
        st.set_due();
    }

    fn wake(&mut self, j: usize, t: u64) {
        if self.st[j].due <= t { self.settle_until(j, t); }
        let st = &self.st[j];
        match st.mode {
            Mode::Resp if st.sifs_at <= t => match st.resp {
                CTS_F => self.send_cts(j, t),
                ACK_F => self.send_ack(j, t),
                _ => self.send_data(j, t),
            },
            Mode::Contend if st.turn() <= t => self.has_turn(j, t),
            _ => self.rekey(j),
        }
    }

    fn send_cts(&mut self, j: usize, t: u64) {
        let st = &mut self.st[j];
        if !st.is_idle(t) {
            self.c.withheld += 1;
            st.mode = Mode::Idle;
            if st.has {
                if !st.backoff {
                    self.draw(j);
                    self.st[j].recount();
                }
                self.st[j].mode = Mode::Contend;
            }
            return self.rekey(j);
        }
        st.mode = Mode::AwaitData;
        st.ex_until = t + T_CTS + (st.resp_dur - (SIFS + T_ACK)) + SLACK;
        st.due = st.ex_until;
        st.recount();
        let (to, dur, key) = (u32::from(st.resp_to), st.resp_dur, st.ex_until);
        self.set_key(j, key);
        self.transmit(&Frame { t, airtime: T_CTS, dur, from: j as u8, kind: CTS_F, to, word: 0, seq: 0, retry: false, bytes: 14 });
    }

    fn send_data(&mut self, j: usize, t: u64) {
        let st = &mut self.st[j];
        if !st.is_idle(t) {
            st.cw = (2 * st.cw + 1).min(1023);
            self.draw(j);
            let st = &mut self.st[j];
            st.mode = Mode::Contend;
            st.recount();
            return self.rekey(j);
        }
        let airtime = 192_000 + u64::from(st.cur_bytes) * 8_000;
        st.mode = Mode::AwaitAck;
        st.ex_until = t + airtime + SIFS + T_ACK + SLACK;
        st.due = st.ex_until;
        let key = st.ex_until;
        let frame = Frame { t, airtime, dur: SIFS + T_ACK, from: j as u8, kind: DATA_F, to: st.cur_hop, word: st.cur_word, seq: st.cur_seq,
            retry: st.cur_retry, bytes: st.cur_bytes as u16 };
        self.set_key(j, key);
        self.transmit(&frame);
    }

    fn send_ack(&mut self, j: usize, t: u64) {
        let st = &mut self.st[j];
        st.mode = Mode::Idle;
        st.ex_until = t + T_ACK;
        st.due = NEVER;
        let to = u32::from(st.resp_to);
        let (deliver, w) = (std::mem::take(&mut st.deliver), st.deliver_word);
        // The lock that this spoils, before anything counts from it.
        self.own_frame(j, t, T_ACK);
        self.st[j].recount();
        self.keys[j] = NEVER << 4 | j as u64;
        if deliver {
            let up = t + 15_000;
            let ahead = self.links.is_empty() && up + 25_000 < self.end && (j != 0 || self.src.deadline > up + 25_000);
            if ahead { self.up(j, up, w, true); } else { self.push_link(up, j, Link::Up(w)); }
        }
        let st = &mut self.st[j];
        if !st.has && let Some((w, hop)) = self.queue[j].pop_front() { self.on_packet(j, t, w, hop); }
        let st = &mut self.st[j];
        if st.has {
            if !st.backoff { self.draw(j); }
            let st = &mut self.st[j];
            st.mode = Mode::Contend;
            let turn = st.turn();
            self.set_key(j, turn);
        }
        self.announce(&Frame { t, airtime: T_ACK, dur: 0, from: j as u8, kind: ACK_F, to, word: 0, seq: 0, retry: false, bytes: 14 });
    }

    fn has_turn(&mut self, j: usize, t: u64) {
        let st = &mut self.st[j];
        st.backoff = false;
        let airtime = 192_000 + u64::from(st.cur_bytes) * 8_000;
        let frame = if st.cur_hop == BCAST {
            st.mode = Mode::Bcast;
            st.ex_until = t + airtime;
            Frame { t, airtime, dur: 0, from: j as u8, kind: DATA_F, to: BCAST, word: st.cur_word, seq: st.cur_seq, retry: false, bytes: st.cur_bytes as u16 }
        } else {
            st.mode = Mode::AwaitCts;
            st.ex_until = t + T_RTS + SIFS + T_CTS + SLACK;
            let dur = 3 * SIFS + T_CTS + airtime + T_ACK;
            Frame { t, airtime: T_RTS, dur, from: j as u8, kind: RTS_F, to: st.cur_hop, word: 0, seq: 0, retry: false, bytes: 20 }
        };
        st.due = st.ex_until;
        let key = st.ex_until;
        self.set_key(j, key);
        self.transmit(&frame);
    }

    #[inline(always)]
    fn own_frame(&mut self, j: usize, t: u64, airtime: u64) {
        let st = &mut self.st[j];
        st.tx_until = t + airtime;
        if st.lock_end > t {
            if st.rx != NONE_F { st.rx = NONE_F; st.set_due(); }
            st.lock_nav = if st.lock_end < st.tx_until { 0 } else { st.lock_end + EIFS };
        }
    }

    #[inline(always)]
    fn transmit(&mut self, f: &Frame) {
        self.own_frame(f.from as usize, f.t, f.airtime);
        self.announce(f);
    }

    #[inline(never)]
    fn announce(&mut self, f: &Frame) {
        let i = f.from as usize & 15;
        mix(&mut self.st[i].digest, f.t, f.kind as u16, fp(f.to, f.bytes, f.seq));
        self.c.kinds[f.kind as usize & 3] += 1;
        // Somebody acts before all have heard it: in order, then.
        let limit = (f.t + FARTHEST + 1) << 4;
        let mut sign = 0;
        for &k in &self.keys { sign |= k.wrapping_sub(limit); }
        if (sign as i64) < 0 || !self.pending.is_empty() { return self.put_off(f); }
        for n in 0..self.list_len[i] as usize {
            let (j, near, delay) = self.lists[i][n & 3];
            self.hear(j as usize & 15, near, f.t + u64::from(delay), f);
        }
    }

    #[inline(always)]
    fn hear(&mut self, j: usize, near: bool, s: u64, f: &Frame) {
        if near && (f.to == j as u32 || f.to == BCAST) { self.fold_meant(j, s, f); } else { self.fold(j, near, s, f); }
    }

    #[cold]
    #[inline(never)]
    fn put_off(&mut self, f: &Frame) {
        self.c.slow += 1;
        let i = f.from as usize;
        for n in 0..self.list_len[i] as usize {
            let (j, near, delay) = self.lists[i][n];
            let s = f.t + u64::from(delay);
            let place = self.pending.partition_point(|p| (p.0, p.1) <= (s, i as u8));
            self.pending.insert(place, (s, i as u8, j, near, *f));
        }
    }

    /// The first frame that is put off, if it begins before `t`.
    #[cold]
    #[inline(never)]
    fn fold_pending(&mut self, t: u64) -> bool {
        if self.pending[0].0 >= t { return false; }
        let (s, _, j, near, f) = self.pending.remove(0);
        self.hear(j as usize, near, s, &f);
        true
    }

    #[inline(always)]
    fn fold(&mut self, j: usize, near: bool, s: u64, f: &Frame) {
        if self.st[j].due <= s { self.settle_until(j, s); }
        let st = &mut self.st[j];
        let e = s + f.airtime;
        if s < st.lock_end { return self.overlap(j, near, e); }
        st.nav0 = st.nav0.max(st.lock_nav);
        st.lock_end = e;
        st.near = near;
        st.lock_nav = if s >= st.tx_until { e + if near { f.dur } else { EIFS } } else if e < st.tx_until { 0 } else { e + EIFS };
        st.freeze(s);
        st.recount();
        if st.mode == Mode::Contend {
            let turn = st.turn();
            self.keys[j] = turn << 4 | j as u64;
        }
    }

    #[inline(never)]
    fn overlap(&mut self, j: usize, near: bool, e: u64) {
        self.c.overlaps += 1;
        let st = &mut self.st[j];
        if st.near && !near {
            st.nav0 = st.nav0.max(e + EIFS);
        } else {
            if st.rx != NONE_F { st.rx = NONE_F; st.set_due(); }
            if e > st.lock_end { st.lock_end = e; st.near = near; }
            st.lock_nav = if st.lock_end < st.tx_until { 0 } else { st.lock_end + EIFS };
        }
        st.recount();
        self.rekey(j);
    }

    #[inline(always)]
    fn fold_meant(&mut self, j: usize, s: u64, f: &Frame) {
        if self.st[j].due <= s { self.settle_until(j, s); }
        let st = &mut self.st[j];
        let e = s + f.airtime;
        if s < st.lock_end { return self.overlap(j, true, e); }
        st.nav0 = st.nav0.max(st.lock_nav);
        st.lock_end = e;
        st.near = true;
        st.freeze(s);
        if s < st.tx_until {
            st.lock_nav = if e < st.tx_until { 0 } else { e + EIFS };
            st.recount();
            if st.mode == Mode::Contend { self.rekey(j); }
            return;
        }
        st.lock_nav = 0;
        st.rx = f.kind;
        st.rx_from = f.from;
        st.rx_dur = f.dur;
        st.rx_to = f.to;
        st.rx_word = f.word;
        st.rx_seq = f.seq;
        st.rx_retry = f.retry;
        st.rx_bytes = f.bytes;
        st.due = st.due.min(e);
        st.recount();
        self.rekey(j);
    }
}

fn class_of(w: u32) -> u16 { match w >> 29 { DATA | SYN => 0, ACK | SYNACK => 1, _ => 4 } }

fn main() {
    let seed: u64 = std::env::args().nth(1).map_or(1, |s| s.parse().unwrap());
    let times: u32 = std::env::args().nth(2).map_or(1, |s| s.parse().unwrap());
    for _ in 0..times {
        let start = std::time::Instant::now();
        let mut w = World::new(seed);
        w.run();
        let wall = start.elapsed().as_secs_f64();
        let mut all = 0;
        let mut n = 0;
        let ds: Vec<u64> = (0..N).map(|j| w.st[j].digest).chain((0..N).map(|j| w.st[j].stack_digest)).collect();
        for d in ds { mix(&mut all, n, 0, d); n += 1; }
        let k = w.c.kinds;
        let frames: u64 = k.iter().sum();
        println!("{{\"seed\":{seed},\"wall_s\":{wall:.6},\"frames\":{frames},\"rts\":{},\"cts\":{},\"data_all\":{},\"ack\":{},\"delivered\":{},\"retx\":{},\"sent\":{},\"digest\":\"{all:016x}\",\"ns_frame\":{:.1},\"c\":\"{:?}\"}}",
            k[0], k[1], k[3], k[2], w.delivered, w.src.retransmissions, w.src.sent, wall * 1e9 / frames as f64, w.c);
    }
}
