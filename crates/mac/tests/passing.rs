//! Frames that are worked out whole leave a station as their first and last bits would, one after
//! the other.
//!
//! Each case has a seed, which a failure prints.

use acklab_base::{Address, Duration, FlowId, Instant, NodeId, Purpose, Stream};
use acklab_mac::dcf::{Heard, Passing};
use acklab_mac::{Dcf, DcfConfig, Output};
use acklab_wire::tcp::Datagram;
use acklab_wire::{FrameHeader, FrameKind, Packet, Payload};

const ME: NodeId = NodeId(0);

fn stream(seed: u64, purpose: Purpose) -> Stream {
    Address {
        seed,
        run: 0,
        node: ME,
        purpose,
    }
    .open()
}

fn config(seed: u64) -> DcfConfig {
    let base = [
        DcfConfig::ns2(),
        DcfConfig::ns2_of_2002(),
        DcfConfig::standard(),
    ][seed as usize % 3];
    DcfConfig {
        rts_threshold: [Some(0), None][seed as usize / 3 % 2],
        ..base
    }
}

fn micros(draw: &mut Stream, below: u32) -> Duration {
    Duration::from_micros(u64::from(draw.below(below)))
}

fn give_packet(dcf: &mut Dcf, now: Instant, to: NodeId) {
    let datagram = Datagram {
        flow: FlowId(0),
        number: 0,
        len: 80,
        sent: Instant::ZERO,
    };
    let packet = Packet::udp(1, ME, to, 30, datagram, 20);
    dcf.on_packet(now, Payload::Ip(packet), to);
}

/// A frame of the neighbourhood, for this station or for another one.
fn frame(draw: &mut Stream) -> FrameHeader {
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
        to: NodeId(draw.below(4)),
        from: NodeId(1 + draw.below(4)),
        duration: Duration::from_micros(u64::from(draw.below(3) * draw.below(900))),
        bytes: 150,
        airtime: Duration::from_micros(u64::from(200 + draw.below(300))),
    }
}

/// What is due up to `until` happens.
fn wake_until(dcf: &mut Dcf, until: Instant) {
    while dcf.next_wake() <= until {
        dcf.on_wake(dcf.next_wake());
        while dcf.poll().is_some() {}
    }
}

fn heard(draw: &mut Stream, header: &FrameHeader) -> Heard {
    match draw.below(8) {
        0 => Heard::Nothing,
        1..4 => Heard::Sensed,
        _ if header.to == ME => Heard::Sensed,
        _ => Heard::Decoded,
    }
}

/// The frame, bit by bit; its first bit comes after what is due then.
fn step_by_step(dcf: &mut Dcf, frame: &Passing, header: &FrameHeader) {
    wake_until(dcf, frame.start);
    dcf.on_medium(frame.start, true);
    if dcf.next_wake() <= frame.end {
        // A backoff that nothing stops any more ends without a packet.
        assert!(dcf.is_ready(), "it does not only pass");
        wake_until(dcf, frame.end);
    }
    if frame.ignored_until > Instant::ZERO {
        let airtime = frame.ignored_until.saturating_since(frame.start);
        dcf.on_captured_frame(frame.start, airtime);
    }
    match frame.heard {
        Heard::Nothing => {}
        Heard::Sensed => dcf.on_lost_frame(frame.end, true),
        Heard::Decoded => dcf.on_frame(frame.end, header),
    }
    dcf.on_medium(frame.end, false);
}

fn state(dcf: &Dcf) -> String {
    format!("{dcf:?}")
}

/// One frame; returns how it was worked out: not whole, as a passing one, calmly, or as a frame that
/// is decoded.
fn one_frame(seed: u64, dcf: &mut Dcf, start: Instant, draw: &mut Stream) -> usize {
    let header = frame(draw);
    let end = start + header.airtime;
    let ignored = draw.below(6) == 0;
    let passing = Passing {
        start,
        end,
        kind: header.kind,
        duration: header.duration,
        heard: heard(draw, &header),
        ignored_until: if ignored {
            start + micros(draw, 900)
        } else {
            Instant::ZERO
        },
    };
    let (mut whole, before) = (dcf.clone(), dcf.clone());
    let way = if header.to == ME && draw.below(2) == 0 {
        let decoded = Passing {
            heard: Heard::Decoded,
            ignored_until: Instant::ZERO,
            ..passing
        };
        if whole.on_whole_frame(start, end, &header) {
            step_by_step(dcf, &decoded, &header);
            3
        } else {
            0
        }
    } else if whole.on_passing(&passing) {
        step_by_step(dcf, &passing, &header);
        is_remembered(seed, before.clone(), &passing, dcf);
        1 + usize::from(passes_calmly(seed, before.clone(), &passing, dcf))
    } else {
        0
    };
    if way == 0 {
        assert_eq!(state(&whole), state(&before), "seed {seed}: it changed");
        wake_until(dcf, end);
    } else {
        assert_eq!(state(&whole), state(dcf), "seed {seed}, way {way}");
    }
    while dcf.poll().is_some() {}
    way
}

/// The same frame by the shortest way, if the station and the frame are plain enough for it.
fn passes_calmly(seed: u64, mut dcf: Dcf, frame: &Passing, after: &Dcf) -> bool {
    let Some(mut calm) = dcf.calm().filter(|_| frame.ignored_until == Instant::ZERO) else {
        return false;
    };
    let silence = match frame.heard {
        Heard::Decoded => frame.duration,
        Heard::Sensed => calm.sensed(),
        Heard::Nothing => return false,
    };
    if !calm.passes(frame.start, frame.end, silence) {
        assert!(dcf.is_ready(), "seed {seed}: it only counts down");
        return false;
    }
    dcf.set_calm(&calm);
    assert_eq!(state(&dcf), state(after), "seed {seed}");
    true
}

/// The same frame as a station remembers it that only listens, if this one does.
fn is_remembered(seed: u64, mut dcf: Dcf, frame: &Passing, after: &Dcf) {
    let Some(mut memory) = dcf.listening().filter(|_| frame.heard != Heard::Nothing) else {
        return;
    };
    memory.passes(frame, &dcf.hush());
    dcf.set_listening(memory);
    assert_eq!(state(&dcf), state(after), "seed {seed}");
}

#[test]
fn a_whole_frame_is_its_first_and_its_last_bit() {
    let mut ways = [0; 4];
    for seed in 0..600 {
        let mut draw = stream(seed, Purpose::TieShuffle);
        let mut dcf = Dcf::new(ME, config(seed), stream(seed, Purpose::Backoff));
        let mut now = Instant::ZERO;
        for _ in 0..60 {
            now += micros(&mut draw, 700);
            wake_until(&mut dcf, now);
            if dcf.is_ready() && draw.below(3) > 0 {
                give_packet(&mut dcf, now, NodeId(1));
            }
            let start = now + micros(&mut draw, 300);
            ways[one_frame(seed, &mut dcf, start, &mut draw)] += 1;
            now = start + Duration::from_micros(500);
            wake_until(&mut dcf, now);
        }
    }
    println!("{ways:?}");
    assert!(ways.iter().all(|&count| count > 1_000), "{ways:?}");
}

/// A broadcast is over at its end; then the station asks for the next packet, if there may be one.
#[test]
fn a_station_asks_for_a_packet_only_if_one_may_wait() {
    for has_more in [None, Some(true), Some(false)] {
        let mut dcf = Dcf::new(ME, config(0), stream(0, Purpose::Backoff));
        give_packet(&mut dcf, Instant::ZERO, NodeId::BROADCAST);
        if let Some(has_more) = has_more {
            dcf.set_has_more(has_more);
        }
        let mut asked = Vec::new();
        while dcf.next_wake() < Instant::NEVER {
            dcf.on_wake(dcf.next_wake());
            asked.extend(std::iter::from_fn(|| dcf.poll()));
        }
        let ready = (has_more != Some(false)).then_some(Output::Ready);
        let expected: Vec<Output> = [Output::Transmit].into_iter().chain(ready).collect();
        assert_eq!(asked, expected);
    }
}
