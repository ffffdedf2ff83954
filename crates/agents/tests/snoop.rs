//! Snoop against scripts: what passes, what is suppressed, what is sent again, one by one.
//!
//! A script is a list of packets with what must come of them. Packets are numbered from 0 and
//! carry 1000 bytes; "ack n" asks for packet n next.

use acklab_agents::snoop::Output;
use acklab_agents::{Held, Snoop, SnoopConfig, Verdict};
use acklab_base::{Duration, FlowId, Instant, NodeId, Seq32};
use acklab_wire::tcp::Flags;
use acklab_wire::{Body, Options, Packet, Segment};

const LEN: u32 = 1_000;

/// A base station with Snoop, at a time of its own.
struct Station {
    snoop: Snoop,
    now: Instant,
    /// The sequence number of packet 0.
    first: Seq32,
}

impl Station {
    fn new(config: SnoopConfig) -> Self {
        Self::from(config, 1)
    }

    fn from(config: SnoopConfig, first: u32) -> Self {
        Self {
            snoop: Snoop::new(config),
            now: Instant::ZERO,
            first: Seq32(first),
        }
    }

    fn packet(&self, number: u32, forward: bool) -> Packet {
        let at = self.first.add(number.wrapping_mul(LEN));
        let segment = Segment {
            flow: FlowId(3),
            forward,
            seq: if forward { at } else { Seq32(0) },
            ack: if forward { Seq32(0) } else { at },
            flags: Flags {
                ack: !forward,
                ..Flags::default()
            },
            window: 20_000,
            len: if forward { LEN } else { 0 },
            retransmission: false,
            options: Options::NONE,
        };
        Packet::tcp(number, NodeId(0), NodeId(2), 30, segment)
    }

    fn data(&mut self, numbers: impl IntoIterator<Item = u32>) {
        for number in numbers {
            let packet = self.packet(number, true);
            self.snoop.on_forward(self.now, &packet);
        }
        assert_eq!(self.sent_again(), [], "data makes nothing by itself");
    }

    /// An ACK from the wireless host: whether it passes, and the packets sent again.
    fn ack(&mut self, number: u32) -> (Verdict, Vec<u32>) {
        let packet = self.packet(number, false);
        let verdict = self.snoop.on_return(self.now, &packet);
        (verdict, self.sent_again())
    }

    fn wait(&mut self, millis: u64) -> Vec<u32> {
        let until = self.now + Duration::from_millis(millis);
        let mut all = Vec::new();
        while self.snoop.next_wake() <= until {
            self.now = self.snoop.next_wake();
            self.snoop.on_wake(self.now);
            all.extend(self.sent_again());
        }
        self.now = until;
        all
    }

    fn sent_again(&mut self) -> Vec<u32> {
        let mut all = Vec::new();
        while let Some(Output::Transmit { packet, .. }) = self.snoop.poll() {
            let Body::Tcp(segment) = packet.body else {
                panic!("{packet:?}")
            };
            all.push(segment.seq.since(self.first) / LEN);
        }
        all
    }
}

const PASSES: (Verdict, Vec<u32>) = (Verdict::Pass, Vec::new());
const SUPPRESSED: (Verdict, Vec<u32>) = (Verdict::Suppress, Vec::new());

fn repaired(number: u32) -> (Verdict, Vec<u32>) {
    (Verdict::Suppress, vec![number])
}

/// Figure 2 of vaidya1999: packet 2 is lost, the first duplicate ACK brings it again, and the
/// sender sees none of them.
#[test]
fn a_single_loss_is_repaired_and_stays_unknown() {
    let mut station = Station::new(SnoopConfig::paper());
    station.data(0..7);
    assert_eq!(station.ack(1), PASSES);
    assert_eq!(station.ack(2), PASSES);
    assert_eq!(station.ack(2), repaired(2));
    for _ in 0..3 {
        assert_eq!(station.ack(2), SUPPRESSED);
    }
    assert_eq!(station.ack(7), PASSES);
    assert_eq!(station.snoop.cached(), 0);
    assert_eq!(station.snoop.next_wake(), Instant::NEVER);
}

/// Packets 1 and 3 are lost: the second hole shows when the first is filled.
#[test]
fn of_two_losses_the_second_waits_for_the_first() {
    let mut station = Station::new(SnoopConfig::paper());
    station.data(0..6);
    assert_eq!(station.ack(1), PASSES);
    assert_eq!(station.ack(1), repaired(1));
    assert_eq!(station.ack(1), SUPPRESSED);
    assert_eq!(station.ack(1), SUPPRESSED);
    // Packet 1 arrives: a new ACK for everything before packet 3, then nothing until data comes.
    assert_eq!(station.ack(3), PASSES);
    station.data(6..8);
    assert_eq!(station.ack(3), repaired(3));
    assert_eq!(station.ack(3), SUPPRESSED);
    assert_eq!(station.ack(8), PASSES);
}

/// The local copy is lost too: the local timer sends it again, 100 ms after the first copy.
#[test]
fn a_lost_copy_is_sent_again_by_the_timer() {
    let mut station = Station::new(SnoopConfig::paper());
    station.data(0..3);
    assert_eq!(station.ack(1), PASSES);
    station.wait(10);
    assert_eq!(station.ack(1), repaired(1));
    assert_eq!(station.wait(99), []);
    assert_eq!(station.wait(1), [1]);
    assert_eq!(
        station.ack(1),
        SUPPRESSED,
        "one answer to duplicate ACKs is enough"
    );
    assert_eq!(station.ack(3), PASSES);
    assert_eq!(station.wait(1_000), []);
}

/// The timer follows the measured round trip: it swings between 20 and 95 ms, so the mean is
/// 57.5 ms, the mean deviation 37.5 ms, and the timer about 207 ms.
#[test]
fn the_timer_follows_the_round_trip() {
    let mut station = Station::new(SnoopConfig::paper());
    for number in 0..60 {
        station.data([number]);
        let round_trip = if number % 2 == 0 { 20 } else { 95 };
        assert_eq!(station.wait(round_trip), [], "packet {number}");
        assert_eq!(station.ack(number + 1), PASSES);
    }
    station.data([60]);
    assert_eq!(station.wait(190), []);
    assert_eq!(station.wait(40), [60]);
}

/// The sender times out and sends everything again: the packets are flagged, and duplicate ACKs
/// for them pass, so that the sender is not left waiting.
#[test]
fn after_a_sender_timeout_duplicate_acks_pass() {
    let mut station = Station::new(SnoopConfig::paper());
    station.data(0..4);
    assert_eq!(station.ack(1), PASSES);
    assert_eq!(station.ack(1), repaired(1));
    station.wait(50);
    station.data([1]);
    for _ in 0..4 {
        assert_eq!(station.ack(1), PASSES);
    }
    // The sender's copy restarts the timer: at 50 + 100 ms, not at 100.
    assert_eq!(station.wait(99), []);
    assert_eq!(station.wait(1), [1]);
    assert_eq!(station.ack(4), PASSES);
}

/// A packet that congestion took before the base station is not cached: its duplicate ACKs pass, and when
/// it comes later it is known to be the sender's own retransmission.
#[test]
fn congestion_is_left_to_the_sender() {
    let mut station = Station::new(SnoopConfig::paper());
    station.data([0, 2, 3, 4]);
    assert_eq!(station.ack(1), PASSES);
    for _ in 0..3 {
        assert_eq!(station.ack(1), PASSES);
    }
    station.data([1]);
    assert_eq!(station.ack(1), PASSES, "flagged");
    assert_eq!(station.ack(5), PASSES);
}

/// ACKs that the wireless link delivered out of order: an old one passes and changes nothing.
#[test]
fn an_old_ack_passes_and_changes_nothing() {
    let mut station = Station::new(SnoopConfig::paper());
    station.data(0..5);
    assert_eq!(station.ack(3), PASSES);
    assert_eq!(station.ack(2), PASSES);
    assert_eq!(station.ack(1), PASSES);
    assert_eq!(station.snoop.cached(), 2);
    assert_eq!(station.ack(3), repaired(3));
}

/// Sequence numbers wrap inside the cache.
#[test]
fn the_wrap_of_the_sequence_space_is_no_edge() {
    let mut station = Station::from(SnoopConfig::paper(), u32::MAX - 2_500);
    station.data(0..6);
    assert_eq!(station.ack(1), PASSES);
    assert_eq!(station.ack(2), PASSES);
    assert_eq!(station.ack(2), repaired(2));
    assert_eq!(station.ack(5), PASSES);
    assert_eq!(station.ack(5), repaired(5));
    station.data([2]);
    assert_eq!(station.snoop.cached(), 1, "an old packet is not kept");
}

/// With the cache full a packet is forwarded without a copy, and its duplicate ACKs pass.
#[test]
fn what_the_full_cache_could_not_keep_is_left_to_the_sender() {
    let mut station = Station::new(SnoopConfig {
        cache: 2,
        ..SnoopConfig::paper()
    });
    station.data(0..5);
    assert_eq!(station.snoop.cached(), 2);
    assert_eq!(station.ack(2), PASSES);
    assert_eq!(station.ack(2), PASSES, "packet 2 was not kept");
    station.data([5]);
    assert_eq!(station.ack(5), PASSES);
    assert_eq!(station.ack(5), repaired(5));
}

/// ns-2's own: the first duplicate ACK passes, the second is acted upon; with six packets behind
/// the hole it and five more are suppressed.
#[test]
fn the_snoop_of_ns2_lets_the_first_duplicate_ack_pass() {
    let mut station = Station::new(SnoopConfig::ns2());
    station.data(0..8);
    assert_eq!(station.ack(1), PASSES);
    assert_eq!(station.ack(1), PASSES);
    assert_eq!(station.ack(1), repaired(1));
    for _ in 0..5 {
        assert_eq!(station.ack(1), SUPPRESSED);
    }
    assert_eq!(station.ack(1), PASSES);
    assert_eq!(station.ack(8), PASSES);
    // Its timer begins at 0.1 s + 4 × 0.25 s, less what the first samples teach it.
    station.data([8]);
    assert_eq!(station.wait(400), []);
}

/// A packet leaves ten times more and no more; the sender begins the count anew.
#[test]
fn the_snoop_of_ns2_gives_up_after_ten_copies() {
    let mut station = Station::new(SnoopConfig::ns2());
    station.data(0..2);
    assert_eq!(station.ack(1), PASSES);
    assert_eq!(station.wait(60_000), [1; 10]);
    assert_eq!(station.snoop.next_wake(), Instant::NEVER);
    for _ in 0..4 {
        assert_eq!(station.ack(1), PASSES);
    }
    station.data([1]);
    assert_eq!(station.wait(60_000), [1; 10]);
}

/// In ns-2 whatever the sender sends again restarts the timer, of 1.1 s before the first sample; otherwise
/// only the packet that the timer is for does.
#[test]
fn the_snoop_of_ns2_waits_anew_with_each_retransmission_of_the_sender() {
    let mut station = Station::new(SnoopConfig::ns2());
    station.data(0..3);
    station.wait(1_000);
    station.data([1]);
    assert_eq!(station.wait(1_099), []);
    assert_eq!(station.wait(1), [0]);
    let mut station = Station::new(SnoopConfig::paper());
    station.data(0..3);
    station.wait(90);
    station.data([1]);
    assert_eq!(station.wait(9), []);
    assert_eq!(station.wait(1), [0]);
}

/// In ns-2 a packet that was sent again gives a sample, counted from the last time: copies each 1.1 s, then
/// an ACK 20 ms behind the third one. Mean (100 + 7 × 20) / 8 = 30, deviation (10 + 7 × 250) / 8 = 220.
#[test]
fn the_snoop_of_ns2_samples_copies_too() {
    let mut station = Station::new(SnoopConfig::ns2());
    station.data([0]);
    assert_eq!(station.wait(3_320), [0; 3]);
    assert_eq!(station.ack(1), PASSES);
    station.data([1]);
    assert_eq!(station.wait(30 + 4 * 220 - 1), []);
    assert_eq!(station.wait(1), [1]);
}

#[test]
fn connections_are_apart_and_other_packets_do_not_matter() {
    let mut station = Station::new(SnoopConfig::paper());
    station.data(0..3);
    let mut other = station.packet(0, false);
    if let Body::Tcp(segment) = &mut other.body {
        segment.flow = FlowId(1);
    }
    for _ in 0..4 {
        assert_eq!(station.snoop.on_return(station.now, &other), Verdict::Pass);
    }
    assert_eq!(station.sent_again(), []);
    assert_eq!(station.ack(1), PASSES);
    assert_eq!(station.ack(1), repaired(1));
}

/// A wake that is not due changes nothing.
#[test]
fn spurious_wakes_change_nothing() {
    let mut station = Station::new(SnoopConfig::paper());
    station.data(0..3);
    assert_eq!(station.ack(1), PASSES);
    for _ in 0..50 {
        station.now += Duration::from_millis(1);
        station.snoop.on_wake(station.now);
        assert_eq!(station.sent_again(), []);
    }
    assert_eq!(station.wait(50), [1]);
}

/// Five numbers and three times of the connection; of each packet its payload, two numbers, a time and
/// three marks, until it is acknowledged.
#[test]
fn it_holds_the_payload_of_what_is_under_way() {
    let mut station = Station::new(SnoopConfig::paper());
    assert_eq!(station.snoop.held(), Held::default());
    station.data(0..5);
    let held = |packets: u64| Held {
        data: packets * u64::from(LEN),
        notes: 44 + packets * 19,
    };
    assert_eq!(station.snoop.held(), held(5));
    station.ack(3);
    assert_eq!(station.snoop.held(), held(2));
}

/// Transfers one after the other (`kind = "sessions"`): the second one's SYN is two numbers behind
/// the first one's data. Its packet 0 is lost: the timer brings it again, and so does the first
/// duplicate ACK.
#[test]
fn a_second_connection_is_served_from_its_first_packet_on() {
    let second = || {
        let mut station = Station::new(SnoopConfig::paper());
        station.data(0..3);
        assert_eq!(station.ack(3), PASSES);
        station.first = station.first.add(3 * LEN + 2);
        let mut syn = station.packet(0, true);
        if let Body::Tcp(segment) = &mut syn.body {
            segment.flags.syn = true;
            segment.seq = segment.seq.add(u32::MAX);
            segment.len = 0;
        }
        station.snoop.on_forward(station.now, &syn);
        station
    };
    let mut station = second();
    station.data(0..1);
    assert_eq!(station.wait(100), [0]);
    let mut station = second();
    station.data(0..3);
    assert_eq!(station.ack(0), repaired(0));
    assert_eq!(station.ack(0), SUPPRESSED);
}

/// RFC 5681 §2 (e): the ACKs by which Freeze-TCP closes and opens the window are no duplicates,
/// though they ask for a packet that is kept; the repetitions after them are.
#[test]
fn a_change_of_the_window_is_no_duplicate() {
    let mut station = Station::new(SnoopConfig::paper());
    station.data(0..7);
    assert_eq!(station.ack(1), PASSES);
    for window in [0, 20_000] {
        let mut update = station.packet(1, false);
        if let Body::Tcp(segment) = &mut update.body {
            segment.window = window;
        }
        let verdict = station.snoop.on_return(station.now, &update);
        assert_eq!((verdict, station.sent_again()), PASSES);
    }
    assert_eq!(station.ack(1), repaired(1));
}
