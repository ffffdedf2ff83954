//! One that only listens, frame by frame.

use super::{Bystander, Surroundings};
use crate::assemble::heard;
use acklab_base::{Duration, Instant, NodeId};
use acklab_mac::dcf::{Hush, Listening};
use acklab_radio::{Arrival, Audible, Settle};
use acklab_scenario::parse_toml;
use acklab_wire::{FrameHeader, FrameKind};

/// Every newcomer loses or wins alike, and what is decoded is kept.
#[derive(Default)]
struct Quiet {
    outlasts: bool,
    noted_at_us: Vec<u64>,
}

impl Surroundings for Quiet {
    fn outlasts(&mut self, _: &Arrival, _: &Arrival) -> bool {
        self.outlasts
    }

    fn decoded(&mut self, arrival: &Arrival) {
        self.noted_at_us.push(arrival.end().as_nanos() / 1_000);
    }
}

fn us(micros: u64) -> Instant {
    Instant::from_nanos(micros * 1_000)
}

/// A copy of a flood, 10 µs long.
fn sent(micros: u64) -> Arrival {
    let header = FrameHeader {
        kind: FrameKind::Data,
        retry: false,
        sequence: 0,
        to: NodeId::BROADCAST,
        from: NodeId(1),
        duration: Duration::ZERO,
        bytes: 100,
        airtime: Duration::from_micros(10),
    };
    Arrival::new(us(micros), &header, 0)
}

/// Node 0 as node 1 hears it, 150 m away: half a microsecond later.
fn neighbour() -> Audible {
    let text = "duration = \"2 s\"\n[topology]\nkind = \"chain\"\nnodes = 2\nspacing = \"150 m\"\n\
                [[flow]]\nkind = \"ftp\"\n";
    let scenario = parse_toml("test.toml", text).and_then(|scenario| scenario.resolve());
    let resolved = scenario.expect("a scenario without mistakes");
    let reach = heard(&resolved).expect("neighbours").reach;
    reach.of(NodeId(1))[0]
}

fn listening(free_since: Instant) -> Bystander {
    let nav = Instant::ZERO;
    Bystander::new(Listening { nav, free_since })
}

#[test]
fn a_noted_frame_is_noted_once_when_the_next_is_announced() {
    let (mut one, mut around, mut overlap) = (listening(us(0)), Quiet::default(), None);
    let (hush, who) = (Hush::default(), neighbour());
    for (start, noted) in [(100, 0), (200, 1), (300, 2)] {
        let settle = (&who, Settle::Noted);
        assert!(one.hears(&sent(start), settle, &mut overlap, &hush, &mut around));
        assert_eq!(around.noted_at_us.len(), noted);
        // Not by the way on which nothing is noted.
        assert!(!one.is_free(us(start + 50)));
    }
    assert_eq!(around.noted_at_us, [110, 210]);
    let takeover = one.leaves(us(350), &hush);
    assert_eq!(takeover.last.map(|last| last.settle), Some(Settle::Noted));
    assert_eq!(takeover.memory.free_since.as_nanos() / 1_000, 210);
}

/// The second begins before the first ends: the locked one survives and is noted, or both are lost.
#[test]
fn of_frames_that_overlap_the_one_that_survives_is_noted() {
    for (outlasts, noted) in [(true, vec![110]), (false, vec![])] {
        let mut around = Quiet {
            outlasts,
            ..Quiet::default()
        };
        let (mut one, mut overlap) = (listening(us(0)), None);
        let (hush, who) = (Hush::default(), neighbour());
        for start in [100, 105, 200] {
            let settle = (&who, Settle::Noted);
            assert!(one.hears(&sent(start), settle, &mut overlap, &hush, &mut around));
        }
        assert!(one.hears(
            &sent(300),
            (&who, Settle::AnyTime),
            &mut overlap,
            &hush,
            &mut around
        ));
        let expected: Vec<u64> = noted.into_iter().chain([210]).collect();
        assert_eq!(around.noted_at_us, expected, "outlasts: {outlasts}");
    }
}

/// It begins to listen in the very nanosecond in which a neighbour begins to send.
#[test]
fn that_nothing_was_heard_is_no_frame() {
    let (mut one, mut around, mut overlap) = (listening(us(100)), Quiet::default(), None);
    let (hush, who) = (Hush::default(), neighbour());
    let settle = (&who, Settle::Noted);
    assert!(one.hears(&sent(100), settle, &mut overlap, &hush, &mut around));
    assert!(overlap.is_none());
    let last = one.leaves(us(101), &hush).last;
    assert_eq!(last.map(|last| last.from()), Some(NodeId(1)));
    assert!(around.noted_at_us.is_empty());
}

/// Frames one by one and two that overlap; looked at in between it holds what it would hold otherwise, and
/// says for how long the receiver was busy until then.
#[test]
fn what_has_ended_can_be_taken_in_early() {
    let (hush, who) = (Hush::default(), neighbour());
    // By then so many microseconds of frames have ended: of two that overlap, once both have.
    let looks = [
        (50, 0),
        (105, 0),
        (115, 10),
        (203, 10),
        (212, 10),
        (230, 27),
        (320, 37),
    ];
    for look in 0..=looks.len() {
        let (mut one, mut around, mut overlap) = (listening(us(0)), Quiet::default(), None);
        let mut starts = [100, 200, 207, 300].into_iter().peekable();
        for (place, (at, busy)) in looks.into_iter().enumerate() {
            while let Some(start) = starts.next_if(|start| *start < at) {
                let settle = (&who, Settle::AnyTime);
                assert!(one.hears(&sent(start), settle, &mut overlap, &hush, &mut around));
            }
            if place == look || look == looks.len() {
                one.settles(us(at), &mut overlap, &hush, &mut around);
                let receiving = one.receiving().as_nanos() / 1_000;
                assert_eq!(receiving, busy, "at {at} us, look {look}");
            }
        }
        one.settles(us(400), &mut overlap, &hush, &mut around);
        assert!(overlap.is_none());
        let takeover = one.leaves(us(400), &hush);
        assert_eq!(takeover.receiving.as_nanos() / 1_000, 37, "look {look}");
        assert_eq!(takeover.memory.free_since.as_nanos() / 1_000, 310);
    }
}
