//! Runs of ns-2.35 over a two-node wire, packet by packet against our machines.
//!
//! Each file in `tests/ns2/` holds what ns-2 sent and when, and in its head the arguments of
//! `tests/ns2/one.tcl` that made it. The same set-up must give the same packets at the same
//! times, the same ACKs and the same congestion window.

use crate::common::{Pipe, World, acked_packet, packet};
use acklab_base::{BitRate, Duration, FlowId, Instant};
use acklab_tcp::{AckConfig, Cut, DelayTimer, ReceiverConfig, SackReceiver, SenderConfig, Variant};
use std::collections::BTreeMap;
use std::path::Path;

/// ns-2 draws a clock phase below one tick for each sender, and cannot be asked for it. It is the
/// same in every fixture; over 500 random runs of ns-2 the timeouts agreed with ours exactly where
/// it was taken between 5.5575 and 5.5590 ms.
const CLOCK_PHASE: Duration = Duration::from_nanos(5_558_000);

/// The same for its Vegas agent: 600 random runs agreed exactly where it was below 0.15 ms and not
/// below 0.14 ms.
const CLOCK_PHASE_OF_VEGAS: Duration = Duration::from_micros(149);

/// Largest difference of two times, both having been rounded in print.
const TOLERANCE: Duration = Duration::from_micros(1);

/// A fixture: the arguments of the run, and its rows by kind.
struct Fixture {
    arguments: BTreeMap<String, String>,
    rows: BTreeMap<String, Vec<(Instant, f64)>>,
}

impl Fixture {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a readable fixture");
        let mut arguments = BTreeMap::new();
        let mut rows: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for line in text.lines() {
            if let Some(head) = line.strip_prefix("# ") {
                if let Some((key, value)) = head.split_once('=') {
                    arguments.insert(key.to_string(), value.to_string());
                }
            } else if let [kind, at, value] = line.split(',').collect::<Vec<_>>()[..] {
                let at: f64 = at.parse().expect("a time");
                let at = Instant::ZERO + Duration::from_secs_f64(at);
                let value: f64 = value.parse().expect("a number");
                rows.entry(kind.to_string()).or_default().push((at, value));
            }
        }
        Self { arguments, rows }
    }

    fn get(&self, key: &str) -> &str {
        self.arguments.get(key).map_or("", String::as_str)
    }

    fn list(&self, key: &str) -> Vec<&str> {
        self.get(key).split_whitespace().collect()
    }

    fn number(&self, key: &str, default: u32) -> u32 {
        self.arguments
            .get(key)
            .map_or(default, |text| text.parse().expect("a number"))
    }

    fn rows(&self, kind: &str) -> &[(Instant, f64)] {
        self.rows.get(kind).map_or(&[], Vec::as_slice)
    }
}

fn seconds(text: &str) -> Duration {
    let (digits, unit) =
        text.split_at(text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len()));
    let scale = if unit == "ms" { 0.001 } else { 1.0 };
    Duration::from_secs_f64(digits.parse::<f64>().expect("a time") * scale)
}

fn sender(fixture: &Fixture) -> SenderConfig {
    let mut config = SenderConfig::ns2(FlowId(0), fixture.number("window", 20));
    config.rto.phase = CLOCK_PHASE;
    config.initial_window = fixture.number("init", 2);
    config.variant = match fixture.get("agent") {
        "Agent/TCP" => Variant::Tahoe,
        "Agent/TCP/Reno" => Variant::Reno,
        "Agent/TCP/Vegas" => Variant::Vegas,
        "Agent/TCP/Sack1" => Variant::Sack,
        _ => Variant::NewReno,
    };
    if config.variant == Variant::Vegas {
        config.rto.phase = CLOCK_PHASE_OF_VEGAS;
        // ns-2's Vegas has no Limited Transmit.
        config.limited_transmit = false;
    }
    for pair in fixture.list("set").chunks(2) {
        match pair {
            ["singledup_", value] => config.limited_transmit = *value == "1",
            ["precisionReduce_", _] => config.cut = Cut::Window { fractional: false },
            ["exitFastRetrans_", _] => config.inflate_unguarded = true,
            ["newreno_changes1_", _] => config.newreno.impatient = false,
            ["partial_window_deflation_", _] => config.newreno.deflate = false,
            ["v_alpha_", value] => config.vegas.alpha = value.parse().expect("a number"),
            ["v_beta_", value] => config.vegas.beta = value.parse().expect("a number"),
            ["v_gamma_", value] => config.vegas.gamma = value.parse().expect("a number"),
            ["minrto_", value] => config.rto.min = seconds(value),
            ["rtxcur_init_", value] => config.rto.initial = seconds(value),
            other => panic!("{other:?} is no setting that this test knows"),
        }
    }
    config
}

fn receiver(fixture: &Fixture) -> ReceiverConfig {
    let delayed = |count| AckConfig::Delayed {
        count,
        interval: Duration::from_millis(100),
        timer: DelayTimer::FirstWaiting,
    };
    let ack = match fixture.get("sink") {
        "Agent/TCPSink/DelAck" => delayed(2),
        // ns-2's own with a counter: `bench/peers/ns2_sink.cc`.
        "Agent/TCPSink/DelAck/Counted" => {
            let count = fixture.get("sset").strip_prefix("count_ ");
            delayed(count.expect("a count").parse().expect("a number"))
        }
        _ => AckConfig::EverySegment,
    };
    let mut config = ReceiverConfig::ns2(FlowId(0), ack);
    if fixture.get("sink") == "Agent/TCPSink/Sack1" {
        config.sack = Some(SackReceiver::ns2());
    }
    if fixture.get("sset").contains("SYN_immediate_ack_") {
        config.syn_at_once = false;
    }
    config
}

fn pipe(fixture: &Fixture, losses: &str, spikes: &str) -> Pipe {
    let lost: Vec<usize> = fixture
        .list(losses)
        .iter()
        .map(|n| n.parse().expect("a count"))
        .collect();
    let mut pipe = Pipe::new(seconds(fixture.get("delay"))).with_rate(BitRate::MBPS_1);
    pipe.lost_on_arrival = lost;
    for pair in fixture.list(spikes).chunks(2) {
        pipe.delay
            .push((Instant::ZERO + seconds(pair[0]), seconds(pair[1])));
    }
    pipe
}

fn compare(
    name: &str,
    kind: &str,
    ours: &[(Instant, f64)],
    theirs: &[(Instant, f64)],
) -> Option<String> {
    for (index, pair) in ours.iter().zip(theirs).enumerate() {
        let (our, their) = pair;
        let apart = our
            .0
            .saturating_since(their.0)
            .max(their.0.saturating_since(our.0));
        let slack = if kind == "cwnd" {
            Duration::from_micros(6)
        } else {
            TOLERANCE
        };
        if apart > slack || (our.1 - their.1).abs() > 0.000_6 {
            let from = index.saturating_sub(3);
            return Some(format!(
                "{name}: {kind} row {index}: ours {our:?}, ns-2's {their:?}\n  ours  {:?}\n  ns-2's {:?}",
                &ours[from..(index + 3).min(ours.len())],
                &theirs[from..(index + 3).min(theirs.len())]
            ));
        }
    }
    if ours.len() == theirs.len() {
        None
    } else {
        let last = ours.len().min(theirs.len());
        Some(format!(
            "{name}: {kind}: we have {} rows, ns-2 {}; first extra: {:?}",
            ours.len(),
            theirs.len(),
            ours.get(last).or(theirs.get(last))
        ))
    }
}

/// Runs one fixture; the differences found.
fn run(name: &str, fixture: &Fixture) -> Vec<String> {
    let config = sender(fixture);
    let mut world = World::new(
        config,
        receiver(fixture),
        pipe(fixture, "data", "spikes"),
        pipe(fixture, "acks", "back_spikes"),
    );
    if config.variant == Variant::Vegas {
        // ns-2's Vegas opens with a packet of full size.
        world.forth.syn_bytes = Some(1040);
    }
    let packets: i64 = fixture
        .arguments
        .get("npk")
        .map_or(-1, |n| n.parse().expect("a count"));
    let bytes = if packets < 0 {
        u64::MAX
    } else {
        packets as u64 * 1000
    };
    world.open(Instant::ZERO + Duration::from_millis(100), bytes);
    for pair in fixture.list("again").chunks(2) {
        let more: u64 = pair[1].parse().expect("a count");
        world.write(Instant::ZERO + seconds(pair[0]), more * 1000);
    }
    world.run_until(Instant::ZERO + seconds(fixture.get("stop")));
    let sent: Vec<_> = world
        .log
        .sent
        .iter()
        .map(|(at, s)| (*at, packet(s, &config) as f64))
        .collect();
    let acks: Vec<_> = world
        .log
        .acks
        .iter()
        .map(|(at, s, _)| (*at, acked_packet(s, &config) as f64))
        .collect();
    // ns-2 prints three decimals; what changes behind them is no row.
    let mut cwnd = world.log.cwnd.clone();
    cwnd.dedup_by_key(|row| (row.1 * 1e3).round() as u64);
    [
        compare(name, "sent", &sent, fixture.rows("sent")),
        compare(name, "ack", &acks, fixture.rows("ack")),
        // The first row is the window before anything happened.
        compare(name, "cwnd", &cwnd[1..], &fixture.rows("cwnd")[1..]),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn the_same_packets_at_the_same_times() {
    let folder = std::env::var("NS2_DIR").map_or(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ns2"),
        |d| Path::new(&d).to_path_buf(),
    );
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the fixtures' folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "csv"))
        .collect();
    paths.sort();
    assert!(paths.len() > 10, "fixtures are missing");
    let mut differences = Vec::new();
    for path in &paths {
        let name = path.file_stem().expect("a name").to_string_lossy();
        differences.extend(run(&name, &Fixture::read(path)));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
