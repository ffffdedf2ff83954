//! Links that share a medium: timelines worked out by hand, and laws under random weather.

use crate::p2p_common::{Bench, WIRELESS, ack, data, ms, tenths};
use acklab_base::{Address, Duration, Instant, NodeId, Purpose, Share};
use acklab_mac::p2p::{
    ArqConfig, Direction, ErrorDraws, ErrorModel, Link, LinkConfig, Links, Lost, Medium, Output,
    Side, Sight,
};
use acklab_wire::Packet;

struct Hosts(Vec<Link>);

impl Links for Hosts {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn link(&mut self, place: usize) -> &mut Link {
        &mut self.0[place]
    }
}

/// When a packet arrived, over which link, at which end, and which.
type Arrival = (Instant, usize, Side, u32);

/// A station with its hosts.
struct Air {
    medium: Medium,
    hosts: Hosts,
    delivered: Vec<Arrival>,
    /// Link, end, and time on the air of everything that was sent.
    sent: Vec<(usize, Side, Instant, Instant)>,
    refused: Vec<(Lost, usize, u32)>,
}

impl Air {
    fn new(links: Vec<(LinkConfig, [ErrorModel; 2], Option<ArqConfig>)>) -> Self {
        let links = links.into_iter().map(|(config, errors, arq)| {
            let mut node = 0;
            let mut link = Link::new(&config, errors.map(|errors| way(&mut node, errors, arq)));
            link.watch();
            link
        });
        Self {
            medium: Medium::default(),
            hosts: Hosts(links.collect()),
            delivered: Vec::new(),
            sent: Vec::new(),
            refused: Vec::new(),
        }
    }

    fn send(&mut self, at: Instant, place: usize, side: Side, packet: Packet) {
        self.run(at);
        let id = packet.id;
        let sent = self
            .medium
            .on_send(&mut self.hosts, at, (place, side), packet);
        if let Err(refused) = sent {
            self.refused.push((refused.why, place, id));
        }
        self.drain(at);
    }

    fn run(&mut self, until: Instant) {
        loop {
            let now = self.medium.next_wake(&mut self.hosts);
            if now > until {
                return;
            }
            self.wake(now);
        }
    }

    fn wake(&mut self, at: Instant) {
        self.medium.on_wake(&mut self.hosts, at);
        self.drain(at);
    }

    fn drain(&mut self, now: Instant) {
        for (place, link) in self.hosts.0.iter_mut().enumerate() {
            while let Some(output) = link.poll() {
                match output {
                    Output::Deliver { side, packet } => {
                        self.delivered.push((now, place, side, packet.id));
                    }
                    Output::Seen(seen) if seen.sight == Sight::Sent => {
                        let airtime = WIRELESS.rate.airtime(u64::from(seen.bytes) * 8);
                        self.sent
                            .push((place, seen.side, seen.at, seen.at + airtime));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Draws as [`Bench`] has them with seed 1.
fn way(node: &mut u32, errors: ErrorModel, arq: Option<ArqConfig>) -> Direction {
    let at = NodeId(*node);
    *node += 1;
    let open = |purpose| {
        Address {
            seed: 1,
            run: 0,
            node: at,
            purpose,
        }
        .open()
    };
    Direction {
        data_loss: Share::NONE,
        data_loss_lasts: Duration::ZERO,
        losses: open(Purpose::CongestionLoss),
        errors,
        draws: ErrorDraws {
            fates: open(Purpose::LinkErrors),
            bursts: open(Purpose::LinkBursts),
        },
        arq,
    }
}

const CLEAR: [ErrorModel; 2] = [ErrorModel::None, ErrorModel::None];

fn loses(frames: &[u32]) -> [ErrorModel; 2] {
    let frames = frames.to_vec();
    let acks = Vec::new();
    [ErrorModel::List { frames, acks }, ErrorModel::None]
}

/// The station has packets for host A, B, A, in this order; both hosts have an ACK of 0.16 ms.
///
/// ```text
/// time/ms   0       4       8      12
/// station   [ A p0 ][ B p1 ][ A p2 ]
/// A                    p0               p2      (1 ms after the last bit: 5 and 13)
/// B                            p1               (9)
/// hosts     [A a3][B a4]
/// station             a3 at 1.16, a4 at 1.32
/// ```
#[test]
fn one_frame_at_a_time_in_the_order_of_arrival() {
    let mut air = Air::new(vec![(WIRELESS, CLEAR, None), (WIRELESS, CLEAR, None)]);
    for (id, place) in [(0, 0), (1, 1), (2, 0)] {
        air.send(ms(0), place, Side::First, data(id));
    }
    air.send(ms(0), 0, Side::Second, ack(3));
    air.send(ms(0), 1, Side::Second, ack(4));
    air.run(ms(100));
    let hundredths = |n: u64| Instant::ZERO + Duration::from_nanos(n * 10_000);
    assert_eq!(
        air.delivered,
        [
            (hundredths(116), 0, Side::First, 3),
            (hundredths(132), 1, Side::First, 4),
            (ms(5), 0, Side::Second, 0),
            (ms(9), 1, Side::Second, 1),
            (ms(13), 0, Side::Second, 2),
        ]
    );
}

/// Packets for A, B, A, B, B; the first one for A is lost. A link ACK takes 0.056 ms.
///
/// ```text
/// time/ms   0         4       8      12      16      20      24
/// station   [ A p0 x ][ B p1 ][ A p2 ][ B p3 ][ A p0 ][ B p4 ]
/// ```
/// The ACK of p1 says nothing of A's frames. That of p2 is back at 13 + 0.056 + 1 = 14.056: p0 goes
/// next, at 16, before p4, which has waited since 0.
#[test]
fn a_retransmission_goes_before_packets_of_all_hosts() {
    let arq = Some(ArqConfig::vaidya1999());
    let mut air = Air::new(vec![(WIRELESS, loses(&[1]), arq), (WIRELESS, CLEAR, arq)]);
    for (id, place) in [(0, 0), (1, 1), (2, 0), (3, 1), (4, 1)] {
        air.send(ms(0), place, Side::First, data(id));
    }
    air.run(ms(1_000));
    let down: Vec<_> = air.delivered.iter().map(|a| (a.0, a.1, a.3)).collect();
    assert_eq!(
        down,
        [
            (ms(9), 1, 1),
            (ms(13), 0, 2),
            (ms(17), 1, 3),
            (ms(21), 0, 0),
            (ms(25), 1, 4)
        ]
    );
    let counters = air.hosts.0[0].counters(Side::First);
    assert_eq!(
        (counters.retransmissions, counters.timer_retransmissions),
        (1, 0)
    );
}

/// A is 10 ms away, B 1 ms: p1 leaves for B at 4 and is there at 9, while p0 for A comes at 14.
#[test]
fn hosts_may_be_at_different_distances() {
    let far = LinkConfig {
        delay: Duration::from_millis(10),
        ..WIRELESS
    };
    let mut air = Air::new(vec![(far, CLEAR, None), (WIRELESS, CLEAR, None)]);
    air.send(ms(0), 0, Side::First, data(0));
    air.send(ms(0), 1, Side::First, data(1));
    // Somebody looks long after: nothing is late.
    air.medium.on_wake(&mut air.hosts, ms(50));
    air.drain(ms(50));
    let order: Vec<_> = air.delivered.iter().map(|a| a.1).collect();
    assert_eq!(order, [0, 1], "asked link by link");
    let mut air = Air::new(vec![(far, CLEAR, None), (WIRELESS, CLEAR, None)]);
    air.send(ms(0), 0, Side::First, data(0));
    air.send(ms(0), 1, Side::First, data(1));
    air.run(ms(50));
    let times: Vec<_> = air.delivered.iter().map(|a| (a.0, a.1)).collect();
    assert_eq!(times, [(ms(9), 1), (ms(14), 0)]);
}

/// Each host has a queue of its own: 41 packets for A fill hers, and one for B waits behind them:
/// it leaves at 41 × 4 ms.
#[test]
fn queues_are_each_hosts_own() {
    let mut air = Air::new(vec![(WIRELESS, CLEAR, None), (WIRELESS, CLEAR, None)]);
    for id in 0..42 {
        air.send(ms(0), 0, Side::First, data(id));
    }
    air.send(ms(0), 1, Side::First, data(50));
    assert_eq!(air.refused, [(Lost::QueueFull, 0, 41)]);
    air.run(ms(1_000));
    assert_eq!(
        air.delivered.last(),
        Some(&(ms(41 * 4 + 5), 1, Side::Second, 50))
    );
}

fn weather(percent: u32) -> [ErrorModel; 2] {
    let loss = Share::from_percent(percent);
    [ErrorModel::Uniform { loss }, ErrorModel::Uniform { loss }]
}

/// Alone on its medium, a link does what it does without one. Without retransmission that is a
/// comparison of two machines.
#[test]
fn a_medium_of_one_link_is_that_link() {
    let arq = |shared_queue| {
        Some(ArqConfig {
            shared_queue,
            acks_first: !shared_queue,
            retransmissions_first: !shared_queue,
            ..ArqConfig::vaidya1999()
        })
    };
    for arq in [None, arq(false), arq(true)] {
        let mut bench = Bench::new(WIRELESS, weather(20), arq);
        let mut air = Air::new(vec![(WIRELESS, weather(20), arq)]);
        for id in 0..400 {
            let at = Instant::ZERO + Duration::from_nanos(u64::from(id) * tenths(48));
            for (side, packet) in [(Side::First, data(id)), (Side::Second, ack(id))] {
                bench.send(at, side, packet.clone());
                air.send(at, 0, side, packet);
            }
        }
        bench.run(ms(60_000));
        air.run(ms(60_000));
        assert!(bench.delivered.len() > 600, "{}", bench.delivered.len());
        let alone: Vec<_> = bench.delivered.iter().map(|a| (a.0, 0, a.1, a.2)).collect();
        assert_eq!(air.delivered, alone);
        for side in Side::BOTH {
            assert_eq!(air.hosts.0[0].counters(side), bench.link.counters(side));
        }
    }
}

/// Three hosts in bad weather, two of them with retransmission, more load than the medium carries
/// for a while. Wakes for nothing change nothing; no two frames of a direction overlap; nothing
/// waits while the transmitter is free; every packet of the links with retransmission arrives once.
#[test]
fn laws_under_random_weather() {
    let arq = Some(ArqConfig::vaidya1999());
    let far = LinkConfig {
        delay: Duration::from_millis(7),
        queue: 400,
        ..WIRELESS
    };
    let near = LinkConfig {
        queue: 400,
        ..WIRELESS
    };
    let make = || {
        Air::new(vec![
            (far, weather(30), arq),
            (near, weather(10), None),
            (near, weather(5), arq),
        ])
    };
    let (mut air, mut restless) = (make(), make());
    for id in 0..300 {
        let at = Instant::ZERO + Duration::from_nanos(u64::from(id) * tenths(35));
        let place = (id * 7 % 3) as usize;
        air.send(at, place, Side::First, data(id));
        air.send(at, place, Side::Second, ack(id));
        restless.run(at);
        restless.wake(at);
        restless.send(at, place, Side::First, data(id));
        restless.wake(at);
        restless.send(at, place, Side::Second, ack(id));
    }
    for at in 0..30_000 {
        restless.run(ms(at));
        restless.wake(ms(at));
    }
    air.run(ms(30_000));
    assert_eq!(air.delivered, restless.delivered);
    for side in Side::BOTH {
        let mut sent: Vec<_> = air.sent.iter().filter(|s| s.1 == side).collect();
        sent.sort_by_key(|s| s.2);
        assert!(sent.windows(2).all(|pair| pair[0].3 <= pair[1].2));
        for place in [0, 2] {
            let here = air.delivered.iter().filter(|a| a.1 == place && a.2 == side);
            let mut ids: Vec<_> = here.map(|a| a.3).collect();
            ids.sort_unstable();
            let wanted: Vec<_> = (0..300)
                .filter(|id| (id * 7 % 3) as usize == place)
                .collect();
            assert_eq!(ids, wanted, "link {place}, {side:?}");
        }
    }
    // While the backlog lasts, one frame follows the other without a gap.
    let mut down: Vec<_> = air.sent.iter().filter(|s| s.1 == Side::First).collect();
    down.sort_by_key(|s| s.2);
    let busy = down.iter().take_while(|s| s.3 <= ms(1_000));
    let gaps = busy.clone().zip(busy.skip(1)).filter(|(a, b)| a.3 < b.2);
    assert_eq!(gaps.count(), 0);
}
