//! Rules of the slotted radio from the words of a scenario to what a network does: none is wired to
//! nothing or to another one, and where that can be counted it does what it says. What each one
//! does slot by slot is in the diagrams of `acklab-mac`.

use crate::common::{options, run, scenario};
use acklab_world::RunResult;
use std::collections::BTreeMap;

/// Two connections that cross on a chain of 5 nodes. Not at once: heads of queues that wait for
/// each other would stand still for ever, under any rule.
fn both_ways(radio: &str) -> RunResult {
    let flow = |from: u32, to: u32, start: u32| {
        format!("[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = {to}\nstart = \"{start} s\"\n")
    };
    let text = format!(
        "duration = \"30 s\"\n[topology]\nkind = \"chain\"\nnodes = 5\nspacing = \"200 m\"\n\
         [slotted]\n{radio}\n{}{}",
        flow(0, 4, 0),
        flow(4, 0, 3)
    );
    run(&scenario(&text), &options(1))
}

/// Another value of any rule gives another run, and no two rules do the same.
#[test]
fn every_rule_acts() {
    let combining = "combining = \"data-ack\"\n";
    let fifo = "reading = \"h\"\n";
    let cases = [
        (combining, ""),
        (combining, "reading = \"h\""),
        (combining, "reading = \"p2\""),
        (combining, "slot = \"20 ms\""),
        (combining, "ack_slot = \"2 ms\""),
        (combining, "lifetime = 20"),
        (combining, "lifetime = \"off\""),
        (combining, "retry_min = 7"),
        (combining, "retry_max = 9"),
        (combining, "retry_limit = 2"),
        (combining, "mini_slots = 2"),
        (combining, "relay_access = \"first\""),
        (combining, "relay_access = \"unconditional\""),
        (combining, "sensing = \"two-hops\""),
        (combining, "busy = \"back-off\""),
        (combining, "queue = \"fifo\""),
        (combining, "queue = \"fifo\"\ntwo_queues = false"),
        (combining, "spacing_min = 5"),
        (combining, "spacing_max = 8"),
        (combining, "spaced = \"own\""),
        (combining, "duplicates = \"confirm\""),
        (combining, "late_echoes = false"),
        (combining, "backoff_from = \"echo\""),
        (combining, "combine_relays = false"),
        (combining, "pull_forward = false"),
        (combining, "same_hop = true"),
        (combining, "postpone = false"),
        ("combining = \"xor\"\n", ""),
        ("", ""),
        (fifo, ""),
        (fifo, "two_queues = true"),
    ];
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for (base, rule) in cases {
        let case = format!("{base}{rule}");
        let digest = both_ways(&case).digest;
        if let Some(same) = known.insert(digest, case.clone()) {
            panic!("{case}\nis as\n{same}");
        }
    }
    // Said otherwise, they are the defaults.
    for same in [
        "reading = \"p1\"\nduplicates = \"drop\"\nsensing = \"neighbours\"\nlifetime = 32",
        "queue = \"any\"\nmini_slots = 32\nbusy = \"wait\"\nrelay_access = \"contend\"",
        "slot = \"10 ms\"\nack_slot = \"10 ms\"\nretry_min = 3\nretry_max = 17",
        "retry_limit = \"off\"\nspacing_min = 3\nspacing_max = 5\nspaced = \"own-and-retries\"",
        "late_echoes = true\nbackoff_from = \"transmission\"",
        "combine_relays = true\npull_forward = true\nsame_hop = false\npostpone = true",
    ] {
        let digest = both_ways(&format!("{combining}{same}")).digest;
        assert_eq!(known.get(&digest), Some(&combining.to_owned()), "{same}");
    }
}

/// On a chain with 200 m between nodes the radio senses 550 m, which is two hops; and who senses
/// two hops has no hidden terminals on the way to a node between them.
#[test]
fn sensing_reaches_so_far() {
    let run = |sensing: &str| both_ways(&format!("sensing = \"{sensing}\""));
    let [near, two, radio] = ["neighbours", "two-hops", "radio"].map(run);
    assert_eq!(two.digest, radio.digest);
    let hidden = |result: &RunResult| result.measures["collisions_hidden"];
    assert!(hidden(&near) > 100.0, "{} hidden", hidden(&near));
    assert!(hidden(&two).abs() < 0.5, "{} hidden", hidden(&two));
}

/// Two nodes that sense each other have a packet for a third one in the same slot, 4999 times. A
/// packet lives for that slot alone. Of m mini-slots both draw the same in a m-th of the cases.
#[test]
fn neighbours_draw_the_same_mini_slot_so_often() {
    for mini_slots in [1, 2, 4, 16] {
        let flow = |from: u32| {
            format!(
                "[[flow]]\nkind = \"cbr\"\nfrom = {from}\nto = 1\nstart = \"40 ms\"\n\
                 interval = \"40 ms\"\n"
            )
        };
        let text = format!(
            "duration = \"200 s\"\nmeasure = {{ from = \"0 s\" }}\n[topology]\nkind = \"graph\"\nnodes = 3\n\
             edges = [[0, 1], [1, 2], [0, 2]]\n[slotted]\nmini_slots = {mini_slots}\n\
             lifetime = 2\nspacing_max = 3\n{}{}",
            flow(0),
            flow(2)
        );
        let measures = run(&scenario(&text), &options(1)).measures;
        let (met, took_turns) = (measures["collisions"] / 2.0, measures["slot_busy"]);
        assert!(
            (met + took_turns - 4_999.0).abs() < 0.5,
            "{met}, {took_turns}"
        );
        let share = 1.0 / f64::from(mini_slots);
        let deviation = (4_999.0 * share * (1.0 - share)).sqrt();
        let off = (met - 4_999.0 * share).abs();
        assert!(off <= 4.0 * deviation, "{mini_slots} mini-slots: {met}");
    }
}

/// A slot of twice the length takes twice the time: 100 cycles of 2h + 2 slots.
#[test]
fn slots_have_the_length_that_they_are_given() {
    for (slot, millis) in [("4 ms", 4), ("10 ms", 10), ("25 ms", 25)] {
        for hops in [2, 4] {
            let end = 10_000 + 100 * (2 * hops + 2) * millis;
            let resolved = scenario(&format!(
                "duration = \"{end} ms\"\nmeasure = {{ from = \"10 s\" }}\n[topology]\n\
                 kind = \"chain\"\nnodes = {}\nspacing = \"200 m\"\n[slotted]\nslot = \"{slot}\"\n\
                 [[flow]]\nkind = \"ftp\"\nvariant = \"reno\"\nhandshake = false\nstart = \"0 s\"\n\
                 window = 1\n",
                hops + 1
            ));
            let acked = run(&resolved, &options(1)).measures["acked_packets"];
            assert!((acked - 100.0).abs() < 0.5, "{slot}, {hops} hops: {acked}");
        }
    }
}
