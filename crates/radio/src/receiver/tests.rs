use super::*;
use acklab_base::{Duration, NodeId};
use acklab_wire::{FrameHeader, FrameKind};

/// By how much a frame must be stronger than another one to survive it.
const RATIO: f64 = 10.0;

fn rules(capture: CaptureRule) -> Rules {
    Rules {
        capture,
        energy_detection: false,
    }
}

fn us(micros: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(micros)
}

fn frame(number: u32, start: u64, end: u64, power_w: f64) -> (Arrival, f64) {
    let header = FrameHeader {
        kind: FrameKind::Rts,
        retry: false,
        sequence: 0,
        to: NodeId(0),
        from: NodeId(number),
        duration: Duration::ZERO,
        bytes: 20,
        airtime: Duration::from_micros(end - start),
    };
    let mut arrival = Arrival::new(us(start), &header, number);
    arrival.decodable = power_w >= 1.0;
    (arrival, power_w)
}

/// A frame begins; `frames` knows the power of every transmitter.
fn begin(receiver: &mut Receiver, frame: &(Arrival, f64), frames: &[(Arrival, f64)]) -> Start {
    let power_w = |one: &Arrival| {
        let sent_by = |(arrival, _): &&(Arrival, f64)| arrival.from() == one.from();
        let sent = frames.iter().find(sent_by);
        sent.expect("some frame is from there").1
    };
    receiver.on_start(&frame.0, |one, other| {
        power_w(one) >= RATIO * power_w(other)
    })
}

const fn lost(loss: Loss, begun: bool) -> Fate {
    Fate::Lost { loss, begun }
}

/// Plays frames into a receiver in order of time and says which were decoded.
fn decoded(capture: CaptureRule, frames: &[(Arrival, f64)]) -> Vec<u32> {
    let mut receiver = Receiver::new(rules(capture));
    let mut good = Vec::new();
    let mut settle = |receiver: &mut Receiver, until: Instant| {
        while receiver.next_end() <= until {
            let now = receiver.next_end();
            if let Some((arrival, Fate::Decoded { .. })) = receiver.on_end(now) {
                good.push(arrival.number());
            }
        }
    };
    for frame in frames {
        settle(&mut receiver, frame.0.start);
        begin(&mut receiver, frame, frames);
    }
    settle(&mut receiver, us(1_000_000));
    good
}

/// ```text
/// 1 (16)  ==========
/// 2 (1)      ==========     the locked frame is 12 dB stronger and survives
/// ```
#[test]
fn a_strong_locked_frame_survives_a_weak_newcomer() {
    let frames = [frame(1, 0, 10, 16.0), frame(2, 3, 13, 1.0)];
    assert_eq!(decoded(CaptureRule::LockedOnly, &frames), [1]);
    assert_eq!(decoded(CaptureRule::Strongest, &frames), [1]);
    assert_eq!(decoded(CaptureRule::None, &frames), [0_u32; 0]);
}

/// ```text
/// 1 (1)   ==========
/// 2 (16)     ==========     in ns-2 the stronger but later frame destroys both
/// ```
#[test]
fn a_later_stronger_frame_destroys_both_unless_the_strongest_captures() {
    let frames = [frame(1, 0, 10, 1.0), frame(2, 3, 13, 16.0)];
    assert_eq!(decoded(CaptureRule::LockedOnly, &frames), [0_u32; 0]);
    assert_eq!(decoded(CaptureRule::Strongest, &frames), [2]);
}

/// ```text
/// 1  =====
/// 2     ==========      the receiver stays busy to 13, so 3 is lost in the same pile
/// 3            =====
/// ```
#[test]
fn a_pile_lasts_until_its_latest_end() {
    let frames = [
        frame(1, 0, 5, 1.0),
        frame(2, 3, 13, 1.0),
        frame(3, 12, 17, 1.0),
    ];
    assert_eq!(decoded(CaptureRule::LockedOnly, &frames), [0_u32; 0]);
    let apart = [
        frame(1, 0, 5, 1.0),
        frame(2, 3, 13, 1.0),
        frame(3, 13, 17, 1.0),
    ];
    assert_eq!(decoded(CaptureRule::LockedOnly, &apart), [3]);
}

#[test]
fn sensed_frames_are_lost_but_occupy_the_receiver() {
    let mut receiver = Receiver::new(rules(CaptureRule::LockedOnly));
    let weak = frame(1, 0, 10, 0.1);
    assert_eq!(begin(&mut receiver, &weak, &[]), Start::Locked);
    assert!(receiver.is_busy(us(5)));
    assert_eq!(
        receiver.on_end(us(10)),
        Some((weak.0, lost(Loss::TooWeak, false)))
    );
    assert!(!receiver.is_busy(us(10)));
}

#[test]
fn a_transmitting_radio_loses_what_it_hears() {
    let mut receiver = Receiver::new(rules(CaptureRule::LockedOnly));
    receiver.on_transmit(us(5));
    let heard = frame(1, 3, 10, 1.0);
    begin(&mut receiver, &heard, &[]);
    let deaf = Some((heard.0, lost(Loss::Transmitting, false)));
    assert_eq!(receiver.on_end(us(10)), deaf);
    begin(&mut receiver, &frame(2, 20, 30, 1.0), &[]);
    receiver.on_transmit(us(40));
    assert_eq!(
        receiver.on_end(us(30)),
        Some((frame(2, 20, 30, 1.0).0, Fate::Unnoticed))
    );
}

/// What the receiver says at the last bit of a pile of frames; the radio transmits between `sends`.
fn pile(sends: (u64, u64), frames: &[(Arrival, f64)]) -> Fate {
    let mut receiver = Receiver::new(Rules {
        capture: CaptureRule::Strongest,
        energy_detection: true,
    });
    let (transmits, later): (Vec<_>, Vec<_>) =
        (frames.iter()).partition(|frame| frame.0.start < us(sends.0));
    for frame in transmits {
        begin(&mut receiver, frame, frames);
    }
    receiver.on_transmit(us(sends.1));
    for frame in later {
        begin(&mut receiver, frame, frames);
    }
    let (_, fate) = receiver.on_end(receiver.next_end()).expect("locked");
    fate
}

/// Whether there was a frame or only a carrier (clause 9.2.3.4 asks for PHY-RXSTART.indication). The radio
/// sends from 10 to 20.
///
/// ```text
///      10        20
/// me   ==========
/// 1     ===========     the colliders of one slot: nobody heard a beginning
/// 2      ===========
/// 3               ====  begins when the radio is done
/// 4  ==============     the radio was in the middle of it, and then sent
/// 5               ====  too weak to decode
/// ```
#[test]
fn a_lost_frame_has_begun_for_who_did_not_transmit_then() {
    let one = frame(1, 11, 22, 1.0);
    let two = frame(2, 12, 23, 1.0);
    let three = frame(3, 21, 25, 1.0);
    let four = frame(4, 8, 22, 1.0);
    let weak = [frame(5, 21, 25, 0.9), frame(6, 21, 26, 0.9)];
    let begun = |frames: &[(Arrival, f64)]| match pile((10, 20), frames) {
        Fate::Lost { begun, .. } => begun,
        other => panic!("{other:?}"),
    };
    assert!(!begun(&[one]));
    assert!(!begun(&[one, two]));
    assert!(!begun(&[four]));
    assert!(!begun(&[four, one]));
    assert!(!begun(&weak));
    assert!(begun(&[one, three]));
    assert!(begun(&[weak[0], three]));
    assert!(begun(&[three, frame(7, 22, 24, 1.0)]));
}

#[test]
fn energy_keeps_the_medium_busy_after_the_locked_frame() {
    let mut receiver = Receiver::new(Rules {
        capture: CaptureRule::Strongest,
        energy_detection: true,
    });
    let frames = [frame(1, 0, 10, 16.0), frame(2, 5, 15, 1.0)];
    assert_eq!(begin(&mut receiver, &frames[0], &frames), Start::Locked);
    assert_eq!(begin(&mut receiver, &frames[1], &frames), Start::Ignored);
    assert!(matches!(
        receiver.on_end(us(10)),
        Some((
            _,
            Fate::Decoded {
                overlapped: Some(2)
            }
        ))
    ));
    assert!(receiver.is_busy(us(12)));
    assert_eq!(receiver.next_end(), us(15));
    assert_eq!(receiver.on_end(us(15)), None);
    assert!(!receiver.is_busy(us(15)));
    assert_eq!(receiver.next_end(), Instant::NEVER);
}

/// A frame from a node whose power is 1, 4 or 16, drawn at random.
fn drawn_frame(draw: &mut acklab_base::Stream, start: u64) -> Arrival {
    let from = draw.below(12);
    let end = start + 1 + u64::from(draw.below(30));
    let (mut arrival, _) = frame(from, start, end, 1.0);
    arrival.decodable = draw.below(3) > 0;
    arrival
}

fn outlasts(one: &Arrival, other: &Arrival) -> bool {
    let power_w = |arrival: &Arrival| [1.0, 4.0, 16.0][arrival.from().index() % 3];
    power_w(one) >= RATIO * power_w(other)
}

/// What the receiver makes of frames bit by bit until it is quiet: how many began, what became of
/// the locked one, when it ended, and the end of the last one that was ignored.
fn bit_by_bit(receiver: &mut Receiver, frames: &[Arrival]) -> (usize, u32, Fate, Instant) {
    let mut ignored_until = Instant::ZERO;
    for (begun, arrival) in frames.iter().enumerate() {
        if begun > 0 && receiver.next_end() <= arrival.start {
            let (locked, fate) = receiver.on_end(receiver.next_end()).expect("locked");
            return (begun, locked.number(), fate, ignored_until);
        }
        if receiver.on_start(arrival, outlasts) == Start::Ignored {
            ignored_until = ignored_until.max(arrival.end());
        }
    }
    let (locked, fate) = receiver.on_end(receiver.next_end()).expect("locked");
    (frames.len(), locked.number(), fate, ignored_until)
}

/// Frames that overlap are worked out whole as they are bit by bit.
#[test]
fn an_overlap_is_the_sum_of_its_bits() {
    let mut met = 0;
    for seed in 0..2_000 {
        let mut draw = acklab_base::Address {
            seed,
            run: 0,
            node: NodeId(0),
            purpose: acklab_base::Purpose::TieShuffle,
        }
        .open();
        let mut start = 100;
        let frames: Vec<Arrival> = (0..6)
            .map(|_| {
                start += u64::from(draw.below(20));
                drawn_frame(&mut draw, start)
            })
            .collect();
        let mut receiver = Receiver::new(rules(CaptureRule::LockedOnly));
        receiver.on_transmit(us(80 + u64::from(draw.below(80))));
        let whole = receiver
            .on_overlap(&frames, outlasts)
            .expect("ns-2's rules");
        let heard = match whole.heard {
            Alone::Unnoticed => Fate::Unnoticed,
            Alone::Deaf => lost(Loss::Transmitting, false),
            Alone::TooWeak => lost(Loss::TooWeak, false),
            Alone::Decoded => Fate::Decoded { overlapped: None },
        };
        let (begun, locked, fate, ignored_until) = bit_by_bit(&mut receiver, &frames);
        // Which frame spoiled it, or was survived, and whether it had begun, is the step's to tell.
        let fate = match fate {
            Fate::Lost {
                loss: Loss::Collision(_),
                ..
            } => lost(Loss::Transmitting, false),
            Fate::Decoded { .. } => Fate::Decoded { overlapped: None },
            other => other,
        };
        met += usize::from(begun > 1);
        let number = whole.episode.locked().number();
        let whole = (whole.frames, number, heard, whole.episode.ignored_until());
        assert_eq!(whole, (begun, locked, fate, ignored_until), "seed {seed}");
    }
    assert!(met > 1_000, "{met} overlaps");
}

#[test]
fn other_rules_are_worked_out_bit_by_bit() {
    let frames = [frame(1, 0, 10, 1.0).0, frame(2, 3, 13, 1.0).0];
    for capture in [CaptureRule::None, CaptureRule::Strongest] {
        let receiver = Receiver::new(rules(capture));
        assert!(receiver.on_overlap(&frames, outlasts).is_none());
    }
}
