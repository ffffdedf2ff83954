//! A station that owes somebody an answer while its own exchange ends, or awaits its answer: it announces what
//! it does then.

use crate::spurious_wakes::{Bench, ME, config, frame, packet, stream};
use acklab_base::{Duration, Instant, NodeId, Purpose};
use acklab_wire::{FrameHeader, FrameKind, Payload};

/// Without RTS ns-2's station may be sent data while it awaits the ACK for its own: it owes an ACK then, which
/// goes out SIFS after the one that it awaits, or after the wait for it.
#[test]
fn a_station_that_owes_an_ack_while_it_awaits_one_announces_it() {
    let mut owed = 0;
    for seed in 0..200 {
        let mut draw = stream(seed, Purpose::TieShuffle);
        let mut bench = Bench::new(2);
        let first = Payload::Ip(packet(0, NodeId(1)));
        (bench.dcf).on_packet(bench.now, first, NodeId(1));
        bench.run_to(Instant::ZERO + Duration::from_micros(50 + 31 * 20), &[]);
        bench.run_to(bench.transmits_until.max(bench.now), &[]);
        let left = bench.dcf.answer_deadline().saturating_since(bench.now);
        let mut part = || Duration::from_nanos(u64::from(draw.below(left.as_nanos() as u32 / 3)));
        let (begins, ends) = (bench.now + part(), bench.now + left - part());
        bench.run_to(begins, &[]);
        bench.set_medium(true);
        bench.run_to(ends, &[]);
        let data = FrameHeader {
            kind: FrameKind::Data,
            to: ME,
            ..frame(&mut draw)
        };
        bench.dcf.on_frame(ends, &data);
        bench.set_medium(false);
        bench.drain();
        owed += u32::from(bench.dcf.owes_answer() && bench.dcf.awaits_ack());
        bench.keeps_what_it_announces(seed);
        bench.announces_what_comes_after_an_ack(seed, &mut draw);
    }
    assert!(owed > 100, "{owed} of 200");
}

/// By the standard another frame ends the wait for an ACK. If the packet is then given up and that frame wants an
/// ACK itself, the packet that waits is taken up behind this one, and has its turn after it.
#[test]
fn a_packet_that_is_taken_up_behind_an_owed_ack_is_announced() {
    let mut behind = 0;
    for seed in (1..1_400).step_by(2) {
        let mut draw = stream(seed, Purpose::TieShuffle);
        let mut bench = Bench::new(seed);
        let first = Payload::Ip(packet(0, NodeId(1)));
        bench.dcf.on_packet(bench.now, first, NodeId(1));
        bench.waiting = Some(NodeId(2));
        bench.run_to(Instant::ZERO + Duration::from_millis(1), &[]);
        bench.run_to(bench.transmits_until.max(bench.now), &[]);
        bench.set_medium(true);
        let data = FrameHeader {
            kind: FrameKind::Data,
            to: ME,
            ..frame(&mut draw)
        };
        bench.dcf.on_frame(bench.now, &data);
        bench.set_medium(false);
        bench.drain();
        bench.keeps_what_it_announces(seed);
        bench.run_to(bench.now + config(seed).sifs, &[]);
        bench.keeps_what_it_announces(seed);
        let sends = bench.dcf.sends_ack_until() != Instant::ZERO;
        behind += u32::from(sends && bench.waiting.is_some() && bench.dcf.is_ready());
    }
    assert!(behind > 10, "{behind} of 700");
}
