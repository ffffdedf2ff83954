//! Batches of packets, runs that end after so many, and measures with figures worked out by hand.

use crate::common::{options, run, scenario};
use acklab_scenario::Resolved;
use acklab_world::{Batch, RunOptions};

const COUNTED: [&str; 8] = [
    "delivered_packets",
    "acked_packets",
    "sent_packets",
    "retransmissions",
    "rts_sent",
    "missing_cts",
    "airtime_data_s",
    "energy_j",
];

/// Two connections that cross on a chain.
fn crossing(measure: &str) -> Resolved {
    scenario(&format!(
        "duration = \"60 s\"\n[measure]\nfrom = \"2 s\"\n{measure}\n[topology]\nkind = \"chain\"\nnodes = 5\n\
         spacing = \"200 m\"\n[mac]\ndata_rate = \"2 Mbit/s\"\n[[flow]]\nkind = \"ftp\"\n\
         [[flow]]\nkind = \"ftp\"\nvariant = \"vegas\"\nfrom = 4\nto = 0\nack = \"dynamic\"\n"
    ))
}

fn sum(batches: &[Batch], name: &str) -> f64 {
    batches.iter().map(|batch| batch.measures[name]).sum()
}

#[test]
fn the_batches_of_a_run_add_up_to_it() {
    let result = run(&crossing("batch = 100\nstop_after = 500"), &options(3));
    let batches = &result.samples.batches;
    assert_eq!(batches.len(), 5);
    for name in COUNTED {
        let (added, whole) = (sum(batches, name), result.measures[name]);
        assert!(
            (added - whole).abs() <= 1e-9 * whole,
            "{name}: {added} {whole}"
        );
    }
    let delivered = result.measures["delivered_packets"];
    // An ACK may deliver up to a window of packets beyond the last.
    assert!((500.0..520.0).contains(&delivered), "{delivered}");
    let mut at = 2.0;
    let mut area = 0.0;
    for batch in batches {
        assert!((batch.start_s - at).abs() < 1e-12 && batch.end_s > at);
        let of_flows: f64 = batch
            .flows
            .iter()
            .map(|flow| flow["delivered_packets"])
            .sum();
        assert!((of_flows - batch.measures["delivered_packets"]).abs() < 1e-9);
        area += batch.flows[1]["window_mean"] * (batch.end_s - batch.start_s);
        at = batch.end_s;
    }
    assert!(
        (result.simulated_s - at).abs() < 1e-12,
        "the run ends with its last batch"
    );
    let mean = area / (at - 2.0);
    assert!(
        (mean - result.flows[1]["window_mean"]).abs() < 1e-9,
        "{mean}"
    );
}

#[test]
fn counting_batches_changes_nothing() {
    let plain = run(&crossing(""), &options(4));
    let batched = run(&crossing("batch = 1"), &options(4));
    assert_eq!(plain.digest, batched.digest);
    assert_eq!(plain.measures, batched.measures);
    assert!(batched.samples.batches.len() > 500);
    let eager = RunOptions {
        eager: true,
        ..options(4)
    };
    let eager = run(&crossing("batch = 100\nstop_after = 700"), &eager);
    let lazy = run(&crossing("batch = 100\nstop_after = 700"), &options(4));
    assert_eq!(eager.samples, lazy.samples);
    assert_eq!(eager.measures, lazy.measures);
}

#[test]
fn a_run_that_is_too_short_says_so() {
    let result = run(&crossing("stop_after = 1000000"), &options(3));
    assert_eq!(result.samples.batches, []);
    let warning = result
        .warnings
        .iter()
        .find(|w| w.code == "short_run")
        .expect("a warning");
    let missing = 1e6 - result.measures["delivered_packets"];
    assert!((warning.count as f64 - missing).abs() < 1e-9);
}

/// 1460 B at 2 Mbit/s, one slot to choose from: nothing is left to chance.
fn certain(nodes: u32, interval: &str, energy: &str) -> Resolved {
    scenario(&format!(
        "duration = \"12 s\"\n[measure]\nfrom = \"2 s\"\n[topology]\nkind = \"chain\"\nnodes = {nodes}\n\
         spacing = \"200 m\"\n[mac]\ndata_rate = \"2 Mbit/s\"\ncw_min = 1\n[routing]\n\
         protocol = \"static\"\n[link]\narp = false\n{energy}[[flow]]\nkind = \"cbr\"\n\
         packet = \"1460 B\"\ninterval = \"{interval}\"\n"
    ))
}

/// An idle hop takes 7.001001 ms from the packet in the sender's link layer to its last bit at the
/// receiver (`timelines.rs`): its RTS leaves after 25 µs of link layer and DIFS. A relay's leaves
/// after its own ACK and DIFS, 10 + 304 + 50 µs after the data; the last link layer adds 25 µs.
/// Four hops make the 29 ms of elrakabawy2005, table 2.
#[test]
fn the_delay_of_an_idle_chain() {
    for (nodes, expected) in [
        (2, 0.007_026_001),
        (5, 4.0 * 0.007_001_001 + 3.0 * (364e-6 - 75e-6) + 25e-6),
    ] {
        let result = run(&certain(nodes, "100 ms", ""), &options(1));
        let delay = result.measures["delay_mean_s"];
        assert!((delay - expected).abs() < 1e-7, "{nodes} nodes: {delay}");
    }
}

/// A saturated hop: RTS 352, CTS 304, data 6248 and ACK 304 µs, three SIFS, DIFS, four times 667 ns
/// of propagation, with the powers of the card of Feeney and Nilsson, or one's own.
#[test]
fn the_energy_of_a_saturated_hop() {
    let own = "[energy]\ntransmit = \"2 W\"\nreceive = \"1 W\"\nidle = \"100 mW\"\n";
    for (table, [transmit, receive, idle]) in [("", [1.327, 0.967, 0.843]), (own, [2.0, 1.0, 0.1])]
    {
        let result = run(&certain(2, "5 ms", table), &options(1));
        let on_air = 352e-6 + 304e-6 + 6_248e-6 + 304e-6;
        let silent = 3.0 * 10e-6 + 50e-6 + 4.0 * 0.667e-6;
        let expected = on_air * (transmit + receive) + 2.0 * silent * idle;
        let packet = result.measures["energy_per_packet_j"];
        // A cycle of 1372 may be cut at either end.
        assert!(
            (packet / expected - 1.0).abs() < 2e-3,
            "{packet} {expected}"
        );
        let of_nodes: f64 = result.nodes.iter().map(|node| node["energy_j"]).sum();
        assert!((of_nodes - result.measures["energy_j"]).abs() < 1e-9);
    }
}
