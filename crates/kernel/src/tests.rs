//! The order of wakes.

use super::*;
use crate::key::NEVER;
use acklab_base::{Address, NodeId, Purpose};

fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

fn drain(agenda: &mut Agenda) -> Vec<(u64, Slot)> {
    let mut order = Vec::new();
    while let Some((when, slot)) = agenda.first() {
        order.push((when.as_nanos(), slot));
        agenda.set(slot, Instant::NEVER);
    }
    order
}

#[test]
fn order_is_time_then_phase_then_slot() {
    let mut agenda = Agenda::new();
    let radios = [
        agenda.add_slot(Phase::Medium),
        agenda.add_slot(Phase::Medium),
    ];
    let stack = agenda.add_slot(Phase::Stack);
    let observer = agenda.add_slot(Phase::Observe);
    agenda.set(observer, at(5));
    agenda.set(stack, at(5));
    agenda.set(radios[1], at(5));
    agenda.set(radios[0], at(5));
    assert_eq!(
        drain(&mut agenda),
        [(5, radios[0]), (5, radios[1]), (5, stack), (5, observer)]
    );
}

#[test]
fn a_timer_is_cancelled_by_moving_it() {
    let mut agenda = Agenda::new();
    let slots: Vec<Slot> = (0..3).map(|_| agenda.add_slot(Phase::Stack)).collect();
    agenda.set(slots[0], at(10));
    agenda.set(slots[1], at(20));
    agenda.set(slots[0], at(30));
    agenda.set_no_later(slots[1], at(25));
    agenda.set_no_later(slots[2], at(25));
    assert_eq!(agenda.len(), 3);
    assert_eq!(drain(&mut agenda), [(20, 1), (25, 2), (30, 0)]);
}

/// Against the plainest model there is: a table of pending times, scanned.
#[test]
fn agrees_with_a_scanned_table() {
    // Few different times make ties.
    let cases = [
        (11, 40, 14),
        (12, 600, 14),
        (13, 40, 2),
        (14, 600, 3),
        // The most that are searched whole, and the fewest that are not.
        (15, 64, 4),
        (16, 65, 4),
        (17, 1, 3),
    ];
    for (seed, slots, bits) in cases {
        compare_with_a_scanned_table(seed, slots, bits, 1);
        compare_with_a_scanned_table(seed + 10, slots, bits, 7);
    }
}

/// Sets some slots between two looks at what is first.
fn compare_with_a_scanned_table(seed: u64, slots: u32, bits: u32, sets: u32) {
    let address = Address {
        seed,
        run: 0,
        node: NodeId(0),
        purpose: Purpose::TieShuffle,
    };
    let mut draw = address.open();
    let mut agenda = Agenda::new();
    let mut table = vec![Instant::NEVER; slots as usize];
    for _ in 0..table.len() {
        agenda.add_slot(Phase::Stack);
    }
    for step in 0..5_000 {
        let slot = draw.below(slots);
        let when = if draw.below(5) == 0 {
            Instant::NEVER
        } else {
            at(draw.bits64() >> (64 - bits))
        };
        agenda.set(slot, when);
        table[slot as usize] = when;
        if step % sets > 0 {
            continue;
        }
        let by = at(draw.bits64() >> (64 - bits));
        let is_due = table.iter().any(|&when| when <= by);
        assert_eq!(agenda.is_due_by(by), is_due, "seed {seed}, step {step}");
        let expected = (0..slots)
            .map(|s| (table[s as usize], s))
            .min()
            .filter(|&(when, _)| when != Instant::NEVER);
        assert_eq!(agenda.first(), expected, "seed {seed}, step {step}");
    }
}

/// The end of what a key can hold is the end of time.
#[test]
fn the_latest_times_are_never() {
    let mut agenda = Agenda::new();
    let slots: Vec<Slot> = (0..2).map(|_| agenda.add_slot(Phase::Stack)).collect();
    agenda.set(slots[0], at(NEVER));
    assert_eq!(agenda.first(), None);
    agenda.set(slots[1], at(NEVER - 1));
    assert_eq!(agenda.first(), Some((at(NEVER - 1), slots[1])));
}

/// What is pending stays so while slots are added, also the one for which levels take the place of rows.
#[test]
fn slots_may_be_added_while_others_are_pending() {
    let mut agenda = Agenda::new();
    let mut expected = Vec::new();
    for slot in 0..200 {
        agenda.add_slot(Phase::Stack);
        let when = u64::from(slot * 37 % 101);
        agenda.set(slot, at(when));
        expected.push((when, slot));
        let first = expected.iter().min().map(|&(when, slot)| (at(when), slot));
        assert_eq!(agenda.first(), first, "{slot}");
        assert_eq!(agenda.len(), expected.len());
    }
    expected.sort_unstable();
    assert_eq!(drain(&mut agenda), expected);
}

/// What comes later than that is not asked for.
#[test]
fn the_first_one_by_a_time() {
    for slots in [3, 100] {
        let mut agenda = Agenda::new();
        for _ in 0..slots {
            agenda.add_slot(Phase::Stack);
        }
        agenda.set(2, at(70));
        assert_eq!(agenda.first_by(at(69)), None);
        assert_eq!(agenda.first_by(at(70)), Some((at(70), 2)));
        agenda.set(1, at(LAST_TIME.as_nanos()));
        agenda.set(2, Instant::NEVER);
        let last = Instant::ZERO + LAST_TIME;
        assert_eq!(agenda.first_by(last), Some((last, 1)));
    }
}

#[test]
fn shuffled_ties_keep_time_and_phase() {
    let address = Address {
        seed: 3,
        run: 0,
        node: NodeId(0),
        purpose: Purpose::TieShuffle,
    };
    let mut agenda = Agenda::new();
    agenda.shuffle_ties(address.open());
    for slot in 0..20 {
        agenda.add_slot(if slot < 10 {
            Phase::Medium
        } else {
            Phase::Stack
        });
    }
    for slot in 0..20 {
        agenda.set(slot, at(7));
    }
    let order: Vec<Slot> = drain(&mut agenda)
        .into_iter()
        .map(|(_, slot)| slot)
        .collect();
    assert!(order[..10].iter().all(|&slot| slot < 10));
    assert!(
        !order[..10].is_sorted(),
        "ten ties in order by chance: 1 in 3.6 million"
    );
}
