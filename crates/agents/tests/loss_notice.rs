//! Explicit Loss Notification against scripts: which ACKs are marked, one by one.
//!
//! Packets are numbered from 0 and carry 1000 bytes; "ack n" asks for packet n next.

use acklab_agents::loss_notice::LossNotifierConfig;
use acklab_agents::{Held, LossNotifier, Verdict};
use acklab_base::{FlowId, NodeId, Seq32};
use acklab_wire::tcp::Flags;
use acklab_wire::{Body, Options, Packet, Segment};

const LEN: u32 = 1_000;

struct Station {
    notifier: LossNotifier,
    first: Seq32,
}

impl Station {
    fn new(memory: usize, first: u32) -> Self {
        Self {
            notifier: LossNotifier::new(LossNotifierConfig { memory }),
            first: Seq32(first),
        }
    }

    fn packet(&self, flow: u16, number: u32, forward: bool) -> Packet {
        let at = self.first.add(number * LEN);
        let segment = Segment {
            flow: FlowId(flow),
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
            let packet = self.packet(3, number, true);
            self.notifier.on_forward(&packet);
        }
    }

    /// Whether each of these ACKs is marked.
    fn acks(&mut self, numbers: &[u32]) -> Vec<bool> {
        let mark = |&number: &u32| {
            let packet = self.packet(3, number, false);
            self.notifier.on_return(&packet) == Verdict::Mark
        };
        numbers.iter().map(mark).collect()
    }
}

/// Packet 2 came by and is lost behind the base station: every duplicate ACK for it is marked,
/// the first ACK that asks for it is none.
#[test]
fn a_loss_of_the_wireless_link_is_told() {
    let mut station = Station::new(100, 1);
    station.data(0..6);
    assert_eq!(
        station.acks(&[1, 2, 2, 2, 2]),
        [false, false, true, true, true]
    );
    // The sender's repair is lost too: still the radio's fault.
    station.data([2]);
    assert_eq!(station.acks(&[2, 2, 6]), [true, true, false]);
}

/// Packet 2 never came: congestion. The sender's repair comes by, and nothing is marked, although
/// duplicate ACKs of what was under way still come.
#[test]
fn a_loss_before_the_base_station_is_not_told() {
    let mut station = Station::new(100, 1);
    station.data([0, 1, 3, 4, 5]);
    assert_eq!(station.acks(&[1, 2, 2, 2]), [false; 4]);
    station.data([2]);
    assert_eq!(station.acks(&[2, 2, 6]), [false; 3]);
}

/// One loss of each kind in a window: each ACK is judged by the packet that it asks for.
#[test]
fn both_kinds_in_one_window_are_told_apart() {
    let mut station = Station::new(100, 1);
    station.data([0, 1, 2, 4, 5, 6]);
    // Packet 1 is lost on the air, packet 3 before.
    assert_eq!(station.acks(&[1, 1]), [false, true]);
    station.data([1]);
    assert_eq!(station.acks(&[3, 3, 3]), [false; 3]);
    station.data([3]);
    assert_eq!(station.acks(&[3, 7]), [false; 2]);
}

/// The sequence space wraps between packets 1 and 2.
#[test]
fn the_sequence_space_may_wrap() {
    let mut station = Station::new(100, u32::MAX - 1_500);
    station.data(0..5);
    assert_eq!(station.acks(&[1, 1, 2, 2]), [false, true, false, true]);
}

/// What was not remembered is not marked; reordered old ACKs and other flows change nothing.
#[test]
fn memory_old_acks_and_other_flows() {
    let mut station = Station::new(2, 1);
    station.data(0..4);
    assert_eq!(station.acks(&[2, 2]), [false; 2], "packet 2 found no place");
    station.data(4..6);
    assert_eq!(station.acks(&[4, 4, 3, 4]), [false, true, false, true]);
    let other = station.packet(1, 4, false);
    assert_eq!(station.notifier.on_return(&other), Verdict::Pass);
    assert_eq!(station.notifier.on_return(&other), Verdict::Pass);
}

/// Two numbers of the connection; two and a mark of each packet that is not acknowledged yet.
#[test]
fn it_holds_numbers_and_no_data() {
    let mut station = Station::new(100, 1);
    assert_eq!(station.notifier.held(), Held::default());
    station.data(0..5);
    let notes = 8 + 5 * 9;
    assert_eq!(station.notifier.held(), Held { data: 0, notes });
    station.acks(&[4]);
    let notes = 8 + 9;
    assert_eq!(station.notifier.held(), Held { data: 0, notes });
}

/// The second of two transfers, whose SYN is two numbers behind the first one's data: its first
/// packet is lost, and the first duplicate ACK is marked already.
#[test]
fn a_second_connection_is_told_of_its_first_packet() {
    let mut station = Station::new(100, 1);
    station.data(0..3);
    assert_eq!(station.acks(&[3]), [false]);
    station.first = station.first.add(3 * LEN + 2);
    let mut syn = station.packet(3, 0, true);
    if let Body::Tcp(segment) = &mut syn.body {
        segment.flags.syn = true;
        segment.seq = segment.seq.add(u32::MAX);
        segment.len = 0;
    }
    station.notifier.on_forward(&syn);
    station.data(0..3);
    assert_eq!(station.acks(&[0, 0, 3]), [true, true, false]);
}
