//! Short transfers: a session to the nanosecond, the laws of their sizes and pauses, and that no
//! scheme moves them.

use crate::common::{options, run, scenario};
use acklab_scenario::Resolved;
use acklab_world::{RunResult, SessionSamples};

/// Two nodes at 1 Mbit/s, routes and addresses known, one slot to choose from: nothing is left to
/// chance. A transfer of two packets, then a pause of 10 ms.
fn certain(duration: &str, more: &str) -> Resolved {
    scenario(&format!(
        "duration = \"{duration}\"\n[topology]\nkind = \"chain\"\nnodes = 2\n\
         spacing = \"200 m\"\n[mac]\ncw_min = 1\n[routing]\nprotocol = \"static\"\n\
         [link]\narp = false\n[[flow]]\nkind = \"sessions\"\nsize = \"1500 B\"\n\
         pause = \"10 ms\"\nstart = \"1 s\"\n{more}\n"
    ))
}

fn sessions(result: &RunResult) -> &SessionSamples {
    &result.samples.sessions[0]
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

/// One session. Propagation takes 667 ns, a DIFS 50 µs, SIFS 10 µs, the link layer 25 µs each
/// way; RTS 352, CTS 304, ACK 304 µs; 40 B 784 µs (SYN and TCP ACKs), 1040 B 8784 µs. `cost(x)`
/// is what an exchange with a frame of x takes from its RTS to the end of the data at the other
/// end: RTS 352 + CTS 304 + x + two SIFS + three propagations.
///
/// ```text
///      SYN at 0, LL 25, DIFS 50                                          75.000
/// 1:   has the SYN       75 + 352 + 10 + 304 + 10 + 784 + 2.001 =      1537.001
///      up 25: SYN-ACK at                                               1562.001, down 25
///      0's MAC heard the ACK (304) end at 1537.001 + 10 + 304.667 =    1851.668; 1 sent it till 1851.001
///      DIFS, RTS         1851.001 + 50 =                               1901.001
/// 0:   has the SYN-ACK   + 352 + 10 + 304 + 10 + 784 + 2.001 =         3363.002, up 25:
///      both packets at                                                 3388.002, down 25; 0 sends its ACK till 3677.002
///      DIFS, RTS         3677.002 + 50 =                               3727.002
/// 1:   has packet 1      + 676 + 8784 + 2.001 =                       13189.003, up 25
///      TCP ACK 1 at                                                   13214.003, down 25
///      1 sends its ACK till 13189.003 + 10 + 304 =                    13503.003, 0 hears it end at 13503.670
///      Both contend: 1 DIFS after 13503.003, 0 after 13503.670; 1's RTS at 13553.003 reaches 0 at
///      13553.670, the instant of 0's own RTS
/// ```
///
/// The last tie would decide the rest, so the test takes one packet at a time: a window of 1, where
/// nobody contends with anybody.
///
/// ```text
///      packet 1 at                                                     3388.002, RTS 3727.002
/// 1:   has it                                                         13189.003, TCP ACK RTS 13503.003 + 50 = 13553.003
/// 0:   has the TCP ACK   + 352 + 304 + 784 + 20 + 2.001 =             15015.004, up 25 =  15040.004
///      packet 2 goes to the MAC at 15065.004; 0 sends its ACK till    15329.004, RTS      15379.004
/// 1:   has it            + 676 + 8784 + 2.001 =                       24841.005, ACK till 25155.005
///      RTS of the last TCP ACK                                        25205.005
/// 0:   has it            + 1460 + 2.001 =                             26667.006, up 25 =  26692.006
/// ```
#[test]
fn a_session_over_one_hop_to_the_nanosecond() {
    let result = run(&certain("1.03 s", "window = 1"), &options(1));
    let found = sessions(&result);
    assert_eq!(found.bytes, [2000], "whole packets");
    assert!(close(found.start_s[0], 1.0));
    let delay = found.delay_s[0].expect("the session is over");
    assert!(close(delay, 0.026_692_006), "{delay}");
}

/// The next session begins 10 ms after the end of the first, and takes exactly as long.
#[test]
fn the_next_session_opens_after_the_pause_and_starts_afresh() {
    let result = run(&certain("1.0734 s", "window = 1"), &options(1));
    let found = sessions(&result);
    let starts = [1.0, 1.036_692_006, 1.073_384_012];
    assert_eq!(found.start_s.len(), 3, "{found:?}");
    for (start, expected) in found.start_s.iter().zip(starts) {
        assert!(close(*start, expected), "{start}");
    }
    assert!(found.delay_s[..2] == [found.delay_s[0]; 2], "{found:?}");
    assert_eq!(found.delay_s[2], None, "the run ends first");
    let measures = &result.flows[0];
    for (name, expected) in [
        ("sessions_completed", 2.0),
        ("delivered_packets", 4.0),
        ("acked_packets", 4.0),
        ("session_delay_mean_s", 0.026_692_006),
    ] {
        assert!(close(measures[name], expected), "{name}: {measures:?}");
    }
    assert!(close(
        result.measures["session_delay_mean_s"],
        0.026_692_006
    ));
}

/// Without a completed session there is no mean, and sizes need not be whole packets.
#[test]
fn an_unfinished_session_has_no_delay() {
    let result = run(&certain("1.02 s", "whole_packets = false"), &options(1));
    let found = sessions(&result);
    assert_eq!(
        (&found.bytes[..], &found.delay_s[..]),
        (&[1500][..], &[None][..])
    );
    assert!(!result.flows[0].contains_key("session_delay_mean_s"));
    assert!(!result.measures.contains_key("session_delay_mean_s"));
}

/// A last packet that is not full is sent as it is.
#[test]
fn a_transfer_of_odd_size_delivers_every_byte() {
    let result = run(&certain("2 s", "whole_packets = false"), &options(1));
    let measures = &result.flows[0];
    let completed = measures["sessions_completed"];
    assert!(completed > 20.0, "{measures:?}");
    let opened = sessions(&result).bytes.len() as f64;
    let bytes = measures["delivered_bytes"];
    assert!(bytes >= 1500.0 * completed && bytes <= 1500.0 * opened);
}

/// Short transfers over two hops with an ACK policy; nearly nothing of a session takes long, so
/// that there are many draws.
fn many(ack: &str, seconds: u32) -> Resolved {
    scenario(&format!(
        "duration = \"{seconds} s\"\n[topology]\nkind = \"chain\"\nnodes = 3\n\
         spacing = \"200 m\"\n[mac]\ndata_rate = \"11 Mbit/s\"\n[[flow]]\nkind = \"sessions\"\n\
         size = {{ law = \"pareto\", mean = \"6 kB\", shape = 2.5 }}\n\
         pause = {{ law = \"exponential\", mean = \"200 ms\" }}\nack = {ack}\n[[flow]]\n\
         kind = \"sessions\"\nfrom = 2\nto = 0\nsize = {{ law = \"pareto\", mean = \"6 kB\", \
         shape = 2.5 }}\npause = {{ law = \"exponential\", mean = \"200 ms\" }}\nack = {ack}\n"
    ))
}

/// Pauses of a flow: from the end of each session to the next opening.
fn pauses(samples: &SessionSamples) -> Vec<f64> {
    let ends = samples.start_s.iter().zip(&samples.delay_s);
    let ends = ends.filter_map(|(start, delay)| delay.map(|delay| start + delay));
    let next = samples.start_s.iter().skip(1);
    ends.zip(next).map(|(end, next)| next - end).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sizes are rounded up to whole packets of 1000 B. With shape 2.5 the least size is 3600 B, so a
/// transfer has at least 4 packets, and more than k ≥ 4 with probability (3.6/k)^2.5. The mean
/// is 4 + Σ (3.6/k)^2.5 from 4 on: 4 + 24.59 × 0.1001 = 6.46 packets.
#[test]
fn sizes_and_pauses_follow_their_laws() {
    let resolved = many("\"every\"", 150);
    let (mut packets, mut waits) = (Vec::new(), Vec::new());
    for seed in 1..=4 {
        let result = run(&resolved, &options(seed));
        for samples in &result.samples.sessions {
            packets.extend(samples.bytes.iter().map(|&bytes| bytes as f64 / 1000.0));
            waits.extend(pauses(samples));
        }
    }
    assert!(packets.len() > 3000, "{}", packets.len());
    let tail: f64 = (4..200_000)
        .map(|k| acklab_base::math::pow(3.6 / f64::from(k), 2.5))
        .sum();
    // Four standard errors: the variance is that of the law, 5 × 3.6² / (1.5² × 0.5), about 58.
    let allowed = 4.0 * (58.0 / packets.len() as f64).sqrt();
    let found = mean(&packets);
    assert!((found - 4.0 - tail).abs() < allowed, "{found} packets");
    let found = mean(&waits);
    let allowed = 4.0 * 0.2 / (waits.len() as f64).sqrt();
    assert!((found - 0.2).abs() < allowed, "pauses of {found} s");
}

/// Common random numbers: the k-th size and the k-th pause of a flow are the same under every
/// ACK policy and for every user beside it, but other flows and other seeds draw others.
#[test]
fn a_scheme_moves_no_draw() {
    let of = |ack: &str, seed| run(&many(ack, 12), &options(seed)).samples.sessions;
    let every = of("\"every\"", 1);
    let pairs = [
        of("\"dynamic\"", 1),
        of("{ policy = \"delayed\", count = 4 }", 1),
    ];
    for other in &pairs {
        for (one, two) in every.iter().zip(other) {
            let both = one.bytes.len().min(two.bytes.len());
            assert!(both > 10);
            assert_eq!(one.bytes[..both], two.bytes[..both]);
            for (a, b) in pauses(one).iter().zip(pauses(two)) {
                // Instants are printed in seconds: exact to the nanosecond of the clock.
                assert!((a - b).abs() < 2e-9, "{a} and {b}");
            }
            assert_ne!(one.delay_s, two.delay_s, "the policies differ");
        }
    }
    assert_ne!(every[0].bytes[..5], every[1].bytes[..5]);
    assert_ne!(every[0].bytes[..5], of("\"every\"", 2)[0].bytes[..5]);
}

/// Two nodes and a link that loses a share of what it is given, with one flow.
fn lossy(loss: &str, flow: &str) -> Resolved {
    scenario(&format!(
        "duration = \"200 s\"\nmeasure = {{ from = \"0 s\" }}\n[topology]\nkind = \"nodes\"\n\
         nodes = 2\n[[point_to_point]]\nbetween = [0, 1]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
         errors = {{ kind = \"uniform\", loss = \"{loss}\" }}\n[[flow]]\n{flow}\n"
    ))
}

/// Where nothing comes through, the sender waits from its SYN on: 3 s and twice as long each time,
/// until the run ends.
#[test]
fn waiting_for_timeouts_begins_with_the_syn() {
    for kind in ["ftp", "sessions"] {
        let flow = format!("kind = \"{kind}\"\nstart = \"100 s\"");
        let result = run(&lossy("100 %", &flow), &options(1));
        let flow = &result.flows[0];
        let waited: f64 = (0..).map(|n| 3.0 * f64::from(1 << n)).take(5).sum();
        assert!(close(flow["timeouts"], 5.0), "{kind}: {flow:?}");
        assert!(close(flow["timeout_wait_s"], waited), "{kind}: {flow:?}");
        assert!(flow["timeout_wait_s"] <= flow["active_s"], "{kind}");
    }
}

/// What a sender waits for its timer is part of the time in which a transfer is under way: pauses
/// do not count, and nothing counts twice.
#[test]
fn waiting_for_timeouts_is_part_of_the_transfers() {
    for seed in 1..=8 {
        for more in ["", "handshake = false"] {
            let flow = format!("kind = \"sessions\"\nsize = \"9 kB\"\npause = \"9 s\"\n{more}");
            let result = run(&lossy("30 %", &flow), &options(seed));
            let found = sessions(&result);
            let spans = found.start_s.iter().zip(&found.delay_s);
            let open: f64 = spans
                .map(|(start, delay)| delay.unwrap_or(200.0 - start))
                .sum();
            let waited = result.flows[0]["timeout_wait_s"];
            assert!(waited > 1.0, "seed {seed}, {more}: {waited}");
            assert!(waited <= open, "seed {seed}, {more}: {waited} of {open}");
        }
    }
}
