//! Idealised variants: ACKs over no channel to the nanosecond, and a policy that sees the sender's
//! window; and how many data frames are on the air.

// Counts are whole numbers, which f64 holds exactly.
#![allow(clippy::float_cmp)]

use crate::common::{options, run, scenario};
use acklab_world::RunResult;

/// Two nodes at 1 Mbit/s, routes and addresses known, one slot to choose from: nothing is left to
/// chance.
fn pair(measure: &str, flow: &str) -> RunResult {
    let resolved = scenario(&format!(
        "duration = \"2 s\"\n[measure]\nfrom = \"1 s\"\n{measure}\n[topology]\nkind = \"chain\"\n\
         nodes = 2\nspacing = \"200 m\"\n[mac]\ncw_min = 1\n[routing]\nprotocol = \"static\"\n\
         [link]\narp = false\n[[flow]]\nkind = \"ftp\"\nstart = \"1 s\"\n{flow}\n"
    ));
    run(&resolved, &options(1))
}

/// A window of 1, and ACKs that take 1 ms and no air. Link layer 25 µs each way, DIFS 50; RTS 352
/// + CTS 304 + two SIFS + data 8784 + three propagations of 667 ns = 9462.001 µs.
///
/// ```text
///      SYN: RTS 75.000, at 1: 1537.001, up 25: SYN-ACK               1562.001
///      + 1000: both know                                             2562.001
/// 1st  down 25, DIFS 50: RTS 2637.001, at 1: 12099.002, up 25:       12124.002 delivered, ACK
///      + 1000 = 13124.002, RTS 13199.002, at 1: 22661.003, up 25:    22686.003 delivered: 10562.001 a packet
/// ```
///
/// By the end of the second 12124.002 + 93 × 10562.001 = 994390.095 µs is the 94th.
#[test]
fn acks_without_a_channel_take_their_time_and_no_air() {
    let found = pair("", "window = 1\noracle_ack_path = \"1 ms\"");
    assert_eq!(found.measures["delivered_packets"], 94.0);
    assert_eq!(found.measures["acks_sent"], 95.0, "one of them for the SYN");
    assert_eq!(found.measures["unicast_done_tcp_ack"], 0.0);
    let later = pair("", "window = 1\noracle_ack_path = \"2 ms\"");
    // 13124.002 + 85 × 11562.001 = 995894.087 µs is the 86th.
    assert_eq!(later.measures["delivered_packets"], 86.0);
}

/// How often a run warns of what this code names.
fn warned(found: &RunResult, code: &str) -> u64 {
    let told = found.warnings.iter().filter(|told| told.code == code);
    told.map(|told| told.count).sum()
}

#[test]
fn idealisations_are_told() {
    let codes = ["oracle_ack_path", "oracle_ack_policy"];
    let counts = |flow: &str| {
        let found = pair("", flow);
        (
            codes.map(|code| warned(&found, code)),
            found.measures["acks_sent"] as u64,
        )
    };
    let (none, _) = counts("window = 1");
    assert_eq!(none, [0, 0], "a network that could be built");
    let (road, acks) = counts("window = 1\noracle_ack_path = \"1 ms\"");
    assert_eq!(road, [acks, 0], "each of its ACKs takes the ideal road");
    let oracle = "ack = { policy = \"oracle-window\", thresholds = [2, 3, 4] }";
    let (policy, acks) = counts(oracle);
    assert_eq!(
        policy,
        [0, acks],
        "each of its ACKs is decided by what no receiver knows"
    );
}

#[test]
fn data_on_the_air_are_counted_at_samples() {
    let found = pair(
        "sample = \"1 ms\"",
        "window = 1\noracle_ack_path = \"1 ms\"",
    );
    let counts = &found.samples.data_on_air_frames;
    assert_eq!(counts.len(), found.samples.time_s.len());
    assert_eq!(counts.iter().max(), Some(&1), "one sender sends one frame");
    // 8784 µs of each 10562.001 are data, in the second half of the run.
    let share = f64::from(counts.iter().sum::<u32>()) / 1000.0;
    assert!((share - 8784.0 / 10562.0).abs() < 0.02, "{share}");
}

/// With a window of 1 the count is 1, so nothing waits; a fixed count of 4 waits for the timer.
#[test]
fn the_oracle_policy_sees_the_window() {
    let oracle = "window = 1\nack = { policy = \"oracle-window\", thresholds = [2, 3, 4] }";
    let found = pair("", oracle);
    assert_eq!(found.measures["acks_by_timer"], 0.0);
    assert!(found.measures["acks_by_count"] > 60.0);
    let fixed = pair("", "window = 1\nack = { policy = \"delayed\", count = 4 }");
    assert_eq!(fixed.measures["acks_by_count"], 0.0);
    let wide = pair("", &oracle.replace("window = 1", "window = 8"));
    let (acks, packets) = (
        wide.measures["acks_sent"],
        wide.measures["delivered_packets"],
    );
    assert!(
        acks < 0.3 * packets,
        "{acks} ACKs for {packets} packets at a count of 4"
    );
}
