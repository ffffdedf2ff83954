//! Side by side with ns-2.35: nodes that drive away. `facts/README.md` tells where the rows come from.
//!
//! How many datagrams arrive hangs on the crossing of 250 m alone, where no datagram is sent within
//! the few milliseconds that chance moves it: there the counts must be the same.

use crate::common::{integer, log, options, scenario};
use serde_json::Value;

const FACTS: &str = include_str!("facts/facts.txt");

/// One run of ns-2: how many packets arrived, when the last of them did, and when the MAC first
/// gave a packet up, in seconds.
struct Fact {
    received: usize,
    last: f64,
    gave_up: f64,
}

fn facts(kind: &str, value: &str) -> Vec<Fact> {
    let rows = FACTS.lines().filter(|line| !line.starts_with('#'));
    let rows = rows.map(|line| line.split(' ').collect::<Vec<_>>());
    rows.filter(|row| row[0] == kind && row[1] == value)
        .map(|row| Fact {
            received: row[3].parse().expect("a number"),
            last: row[4].parse().expect("a time"),
            gave_up: row[5].parse().expect("a time"),
        })
        .collect()
}

/// The same of a run of ours.
fn ours(text: &str, arrival: &str, seed: u64) -> Fact {
    let events = log(&scenario(text), &options(seed));
    let secs = |event: &Value| integer(event, "time_ns") as f64 / 1e9;
    let times = |kind: &str| -> Vec<f64> {
        let of_kind = events.iter().filter(|event| event["kind"] == kind);
        of_kind.map(secs).collect()
    };
    let arrived = times(arrival);
    Fact {
        received: arrived.len(),
        last: arrived.last().copied().expect("one at least"),
        gave_up: times("link_failure")[0],
    }
}

fn lowest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}

fn highest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

/// Whether a time lies among those of ns-2's runs, within `slack` on each side.
fn among(time: f64, theirs: &[Fact], slack: f64, of: impl Fn(&Fact) -> f64) -> bool {
    let [low, high] = [
        lowest(theirs.iter().map(&of)),
        highest(theirs.iter().map(&of)),
    ];
    (low - slack..=high + slack).contains(&time)
}

#[test]
fn a_receiver_that_drives_off_gets_as_many_datagrams_as_in_ns2() {
    for speed in ["5", "10", "20", "40"] {
        let theirs = facts("away", speed);
        assert_eq!(theirs.len(), 5);
        // From 2 s on, 2700 m east of where it stands.
        let arrival = 2.0 + 2700.0 / speed.parse::<f64>().expect("a speed");
        let text = format!(
            "duration = \"30 s\"\n[topology]\nkind = \"chain\"\nnodes = 2\nspacing = \"200 m\"\n\
             [[moving]]\nnodes = [1]\nmotion = {{ kind = \"waypoints\", \
             times = [\"2 s\", \"{arrival} s\"], places = [[\"200 m\", \"0 m\"], [\"2900 m\", \"0 m\"]] }}\n\
             [[flow]]\nkind = \"cbr\"\nstart = \"1 s\"\npacket = \"512 B\"\ninterval = \"50 ms\"\n"
        );
        for seed in 1..=5 {
            let run = ours(&text, "udp_received", seed);
            let same = theirs.iter().find(|fact| fact.received == run.received);
            let same = same.unwrap_or_else(|| panic!("{speed} m/s: {}", run.received));
            // Up to 31 slots of backoff; and seven of them until the MAC gives up.
            let apart = (run.last - same.last).abs();
            println!(
                "{speed} m/s, seed {seed}: {} {} {}",
                run.received, run.last, run.gave_up
            );
            assert!(apart < 1e-3, "{speed} m/s: {} and {}", run.last, same.last);
            assert!(
                among(run.gave_up, &theirs, 0.06, |fact| fact.gave_up),
                "{speed} m/s, seed {seed}: {}",
                run.gave_up
            );
        }
    }
}

/// TCP over a relay that drives off: as many packets, to one in two hundred.
#[test]
fn tcp_over_a_relay_that_drives_off_gets_as_far_as_in_ns2() {
    for speed in ["10", "20"] {
        let theirs = facts("relay", speed);
        assert_eq!(theirs.len(), 5);
        let text = format!(
            "duration = \"40 s\"\n[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n\
             [[moving]]\nnodes = [1]\nmotion = {{ kind = \"setdest\", \
             script = '$ns_ at 10.0 \"$node_(1) setdest 200.0 2900.0 {speed}.0\"' }}\n\
             [[flow]]\nkind = \"ftp\"\nwindow = 2\npacket = \"1000 B\"\nstart = \"1 s\"\n"
        );
        let of = |fact: &Fact| fact.received as f64;
        for seed in 1..=2 {
            let run = ours(&text, "delivered", seed);
            println!(
                "{speed} m/s, seed {seed}: {} {} {}",
                run.received, run.last, run.gave_up
            );
            let slack = of(&run) / 200.0;
            assert!(
                among(of(&run), &theirs, slack, of),
                "{speed} m/s: {}",
                run.received
            );
            assert!(
                among(run.last, &theirs, 0.02, |fact| fact.last),
                "{speed} m/s: {}",
                run.last
            );
            assert!(
                among(run.gave_up, &theirs, 0.06, |fact| fact.gave_up),
                "{speed} m/s, seed {seed}: {}",
                run.gave_up
            );
        }
    }
}

/// The network of `healing`: AODV loses the datagram that is under way when the relay is gone, DSR
/// sends it another way.
#[test]
fn routing_finds_the_other_relay_with_as_few_losses_as_in_ns2() {
    for protocol in ["aodv", "dsr"] {
        let theirs = facts("heal", &protocol.to_uppercase());
        assert_eq!(theirs.len(), 5);
        let text = super::healing::network(&format!("protocol = \"{protocol}\""));
        for seed in 1..=3 {
            let run = ours(&text, "udp_received", seed);
            println!("{protocol}, seed {seed}: {} {}", run.received, run.gave_up);
            assert!(
                among(run.received as f64, &theirs, 1.0, |fact| fact.received
                    as f64),
                "{protocol}, seed {seed}: {}",
                run.received
            );
            assert!(
                among(run.gave_up, &theirs, 0.06, |fact| fact.gave_up),
                "{protocol}, seed {seed}: {}",
                run.gave_up
            );
        }
    }
}
