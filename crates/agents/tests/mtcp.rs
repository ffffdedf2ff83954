//! M-TCP's supervisory host against scripts: what the sender is told, one by one.
//!
//! Packets are numbered from 0 and carry 1000 bytes; "ack n" asks for packet n next. The host
//! passes packets on at once; times are in milliseconds.

use acklab_agents::mtcp::Output;
use acklab_agents::{Held, Supervisor, SupervisorConfig, Verdict};
use acklab_base::{Duration, FlowId, Instant, NodeId, Seq32};
use acklab_wire::tcp::Flags;
use acklab_wire::{Options, Packet, Segment};

const LEN: u32 = 1_000;
const WINDOW: u32 = 20_000;
const FIXED: NodeId = NodeId(0);
const MOBILE: NodeId = NodeId(8);

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

struct Host {
    supervisor: Supervisor,
    first: Seq32,
}

impl Host {
    fn new(first: u32) -> Self {
        Self {
            supervisor: Supervisor::new(SupervisorConfig::default()),
            first: Seq32(first),
        }
    }

    fn packet(&self, number: u32, forward: bool) -> Packet {
        let at = self.first.add(number * LEN);
        let segment = Segment {
            flow: FlowId(3),
            forward,
            seq: if forward { at } else { Seq32(7) },
            ack: if forward { Seq32(8) } else { at },
            flags: Flags {
                ack: !forward,
                ..Flags::default()
            },
            window: WINDOW,
            len: if forward { LEN } else { 0 },
            retransmission: false,
            options: Options::NONE,
        };
        let (from, to) = if forward {
            (FIXED, MOBILE)
        } else {
            (MOBILE, FIXED)
        };
        Packet::tcp(number, from, to, 30, segment)
    }

    fn data(&mut self, ms: u64, numbers: impl IntoIterator<Item = u32>) {
        for number in numbers {
            let packet = self.packet(number, true);
            self.supervisor.on_forward(at(ms), &packet);
        }
    }

    /// Whether the last byte of this ACK is kept back.
    fn is_held(&mut self, ms: u64, number: u32) -> bool {
        let packet = self.packet(number, false);
        match self.supervisor.on_return(at(ms), &packet) {
            Verdict::HoldByte => true,
            Verdict::Pass => false,
            other => panic!("{other:?}"),
        }
    }

    /// What it says at its next wake: when, the packet asked for, the window.
    fn says(&mut self) -> Option<(Instant, u32, u32)> {
        let wake = self.supervisor.next_wake();
        if wake == Instant::NEVER {
            return None;
        }
        self.supervisor.on_wake(wake);
        let output = self.supervisor.poll()?;
        assert_eq!(self.supervisor.poll(), None);
        let Output::Acknowledge {
            mobile,
            fixed,
            segment,
        } = output;
        assert_eq!((mobile, fixed), (MOBILE, FIXED));
        assert!(!segment.forward && segment.is_pure_ack());
        let bytes = segment.ack.since(self.first);
        assert_eq!(bytes % LEN, 0, "the whole ACK, its last byte too");
        Some((wake, bytes / LEN, segment.window))
    }
}

/// A round trip of 40 ms, measured once: mean 40, deviation 20, so a silence of 120 ms is borne.
fn after_one_round_trip(first: u32) -> Host {
    let mut host = Host::new(first);
    host.data(0, [0]);
    assert!(
        !host.is_held(0, 0),
        "the first ACK that is heard tells nothing new"
    );
    host.data(0, [1, 2]);
    assert!(host.is_held(40, 1));
    host
}

#[test]
fn the_last_byte_of_each_new_ack_is_kept_back() {
    for first in [1, u32::MAX - 1_500] {
        let mut host = after_one_round_trip(first);
        assert!(host.is_held(41, 2));
        assert!(host.is_held(42, 3));
    }
}

/// The hole is at packet 1: the first ACK that asks for it is a new one, the others pass whole, and
/// the one that ends the repair is new again.
#[test]
fn duplicate_acks_pass_whole() {
    let mut host = after_one_round_trip(1);
    assert!(!host.is_held(44, 1));
    assert!(!host.is_held(48, 1));
    assert!(host.is_held(90, 3));
    assert!(!host.is_held(91, 2), "an older one says nothing");
}

/// Packets 1 and 3 of six are missing: the ACK that the repair of 1 brings asks for 3 and passes whole,
/// for the sender repairs from there at once; the one that covers all that was under way is held again.
#[test]
fn a_partial_ack_passes_whole() {
    let mut host = after_one_round_trip(1);
    host.data(40, [3, 4, 5]);
    for ms in [44, 48, 52] {
        assert!(!host.is_held(ms, 1));
    }
    host.data(60, [1]);
    assert!(!host.is_held(100, 3));
    host.data(120, [3, 6]);
    assert!(host.is_held(160, 6));
    assert!(host.is_held(164, 7));
}

/// Packets 1 and 2 are under way when the mobile goes at 40 ms: 120 ms later the byte is acknowledged
/// with a window of zero, and the sender is left alone until the mobile speaks.
#[test]
fn a_silent_mobile_closes_the_window() {
    let mut host = after_one_round_trip(1);
    assert_eq!(host.says(), Some((at(160), 1, 0)));
    assert_eq!(host.says(), None);
    // A probe of the sender passes and changes nothing.
    host.data(400, [1]);
    assert_eq!(host.says(), None);
    // The mobile is back: what it says passes whole and opens the window.
    assert!(!host.is_held(3_000, 1));
}

/// Everything is acknowledged but the byte: after the same silence it is, and the window stays open.
#[test]
fn the_byte_is_given_back_when_nothing_is_under_way() {
    let mut host = after_one_round_trip(1);
    assert!(host.is_held(45, 3));
    assert_eq!(host.says(), Some((at(165), 3, WINDOW)));
    assert_eq!(host.says(), None);
}

/// Before the first round trip is measured a second is borne; a repetition measures none.
#[test]
fn a_round_trip_is_measured_before_patience_is_short() {
    let mut host = Host::new(1);
    host.data(0, [0]);
    host.data(10, [0]);
    assert_eq!(host.supervisor.next_wake(), at(1_000));
    assert!(!host.is_held(500, 0));
    assert_eq!(host.supervisor.next_wake(), at(1_500));
}

#[test]
fn a_wake_that_is_not_due_changes_nothing() {
    let mut host = after_one_round_trip(1);
    for ms in [50, 100, 159] {
        host.supervisor.on_wake(at(ms));
        assert_eq!(host.supervisor.poll(), None);
    }
    assert_eq!(host.says(), Some((at(160), 1, 0)));
}

/// The SYN and its answer pass; the answer counts as the first ACK.
#[test]
fn a_handshake_passes() {
    let mut host = Host::new(1);
    let mut answer = host.packet(0, false);
    if let acklab_wire::Body::Tcp(segment) = &mut answer.body {
        segment.flags.syn = true;
    }
    assert_eq!(host.supervisor.on_return(at(0), &answer), Verdict::Pass);
    host.data(10, [0]);
    assert_eq!(host.says(), Some((at(1_010), 0, 0)));
}

/// Eight numbers, four times and a mark of a connection, however much is under way.
#[test]
fn it_holds_no_data() {
    let mut host = Host::new(1);
    assert_eq!(host.supervisor.held(), Held::default());
    host.data(0, 0..9);
    let notes = 8 * 4 + 4 * 8 + 1;
    assert_eq!(host.supervisor.held(), Held { data: 0, notes });
}
