//! Small networks that many tests run, and the event log as values.

pub(crate) mod cells;
mod moving;
mod wires;

use acklab_base::{Address, Duration, NodeId, Purpose, Stream};
use acklab_scenario::{Resolved, parse_toml};
use acklab_world::{RunOptions, RunResult};
pub(crate) use moving::moving_networks;
use serde_json::Value;
pub(crate) use wires::wired_networks;

/// A scenario from its text. Panics on a mistake in it.
pub(crate) fn scenario(text: &str) -> Resolved {
    match parse_toml("test.toml", text).and_then(|scenario| scenario.resolve()) {
        Ok(resolved) => resolved,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// How many random networks a swarm tries: so many, unless the variable `ACKLAB_SWARM` asks for another number.
pub(crate) fn tries(usual: u64) -> u64 {
    let asked = std::env::var("ACKLAB_SWARM").ok();
    asked
        .and_then(|number| number.parse().ok())
        .unwrap_or(usual)
}

/// One of these words.
pub(crate) fn one_of<'a>(draw: &mut Stream, choices: &[&'a str]) -> &'a str {
    choices[draw.below(choices.len() as u32) as usize]
}

/// One of the repository's examples, cut to some seconds.
pub(crate) fn example(name: &str, seconds: u64) -> Resolved {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the example is there");
    let mut resolved = scenario(&text);
    resolved.duration = Duration::from_secs(seconds);
    resolved.measure_from = resolved.measure_from.min(resolved.duration / 2);
    resolved
}

pub(crate) fn options(seed: u64) -> RunOptions {
    RunOptions {
        seed,
        ..RunOptions::default()
    }
}

/// Runs a scenario to its end.
pub(crate) fn run(resolved: &Resolved, options: &RunOptions) -> RunResult {
    acklab_world::run(resolved, options, None).expect("the scenario can be built")
}

/// The event log of a run, one line an event.
pub(crate) fn log_text(resolved: &Resolved, options: &RunOptions) -> String {
    let options = RunOptions {
        trace: true,
        ..options.clone()
    };
    let mut world = acklab_world::build(resolved, &options).expect("the scenario can be built");
    world.run(None);
    let mut out = Vec::new();
    let recorder = world.recorder().expect("a trace was asked for");
    assert!(!recorder.is_truncated());
    recorder
        .write_events(&mut out)
        .expect("memory can be written");
    String::from_utf8(out).expect("the log is text")
}

/// The event log of a run as values.
pub(crate) fn log(resolved: &Resolved, options: &RunOptions) -> Vec<Value> {
    log_text(resolved, options)
        .lines()
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect()
}

pub(crate) fn integer(event: &Value, key: &str) -> u64 {
    event[key]
        .as_u64()
        .unwrap_or_else(|| panic!("no number {key:?} in {event}"))
}

/// A stream for random scenarios.
pub(crate) fn draws(seed: u64) -> Stream {
    Address {
        seed,
        run: 0,
        node: NodeId(0),
        purpose: Purpose::Placement,
    }
    .open()
}

/// A chain of nodes 200 m apart with one TCP flow; `rest` holds what is special.
pub(crate) fn chain(nodes: u32, seconds: u32, flow: &str, rest: &str) -> Resolved {
    scenario(&format!(
        "duration = \"{seconds} s\"\n{rest}\n[topology]\nkind = \"chain\"\nnodes = {nodes}\n\
         spacing = \"200 m\"\n[[flow]]\nkind = \"ftp\"\n{flow}\n"
    ))
}

/// A field of 30 nodes, 1000 m by 600 m, on a grid that was shaken, with four flows.
pub(crate) fn field(seconds: u32) -> Resolved {
    let mut draw = draws(30);
    let positions: Vec<String> = (0..30)
        .map(|index| {
            let x = (index % 6) * 190 + draw.below(60);
            let y = (index / 6) * 140 + draw.below(60);
            format!("[\"{x} m\", \"{y} m\"]")
        })
        .collect();
    let flows = [(0, 29, 8), (5, 24, 2), (12, 3, 20), (17, 20, 4)];
    let flows: String = flows
        .iter()
        .map(|(from, to, window)| {
            format!(
                "[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = {to}\nwindow = {window}\n\
                 start_jitter = \"500 ms\"\n"
            )
        })
        .collect();
    scenario(&format!(
        "duration = \"{seconds} s\"\n[topology]\nkind = \"positions\"\npositions = [{}]\n{flows}",
        positions.join(", ")
    ))
}

/// Four flows over a station in the middle, whose outer neighbours do not hear each other.
fn star() -> Resolved {
    let star_flow = |from: u32, to: u32| {
        format!(
            "[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = {to}\nstart = \"100 ms\"\n\
             start_jitter = \"200 ms\"\n"
        )
    };
    let star: String = [(1, 0), (2, 0), (3, 0), (0, 4)]
        .map(|(from, to)| star_flow(from, to))
        .concat();
    let star = format!(
        "duration = \"3 s\"\nprofile = \"standard\"\n[topology]\nkind = \"positions\"\n\
         positions = [[\"0 m\", \"0 m\"], [\"60 m\", \"0 m\"], [\"0 m\", \"60 m\"], \
         [\"-240 m\", \"0 m\"], [\"0 m\", \"-245 m\"]]\n[routing]\nprotocol = \"static\"\n{star}"
    );
    scenario(&star)
}

/// A dozen small networks that between them use every rule.
pub(crate) fn networks() -> Vec<(&'static str, Resolved)> {
    let cbr = "duration = \"4 s\"\n[topology]\nkind = \"chain\"\nnodes = 5\nspacing = \"200 m\"\n\
               [[flow]]\nkind = \"cbr\"\nstart = \"500 ms\"\npacket = \"500 B\"\ninterval = \"9 ms\"\n\
               jitter = \"4 ms\"\n[[flow]]\nkind = \"ftp\"\nfrom = 4\nto = 0\nwindow = 6\n";
    let standard = "profile = \"standard\"";
    let rts = "profile = \"standard\"\n[mac]\nrts_threshold = \"0 B\"";
    let delayed =
        "window = 20\nack = { policy = \"delayed\", count = 3, timer = \"every-waiting\" }";
    let dynamic = "window = 10\nvariant = \"reno\"\nack = \"dynamic\"";
    let no_capture = "[radio]\ncapture = \"none\"";
    let strongest = "[radio]\ncapture = \"strongest\"";
    let strongest_standard = "profile = \"standard\"\n[radio]\ncapture = \"strongest\"\n[routing]\nprotocol = \"static\"";
    let plain = "[mac]\nrts_threshold = \"off\"";
    let fast = "[mac]\ndata_rate = \"11 Mbit/s\"\nbasic_rate = \"2 Mbit/s\"\npreamble = \"short\"";
    let at_once = "[link]\ndelay = \"0 us\"";
    let dsdv = "[routing]\nprotocol = \"dsdv\"";
    let old = "profile = \"ns2-2.1b9\"";
    let random = "profile = \"ns2-2.1b9\"\n[mac]\naccess = \"random-deferral\"";
    let old_plain = "profile = \"ns2-2.1b9\"\n[mac]\nrts_threshold = \"off\"";
    let fixed = "[routing]\nprotocol = \"static\"\n[link]\narp = false";
    vec![
        ("nine nodes", chain(9, 6, "window = 20", "")),
        ("delayed ACKs", chain(9, 6, delayed, "")),
        ("dynamic ACKs", chain(4, 4, dynamic, "")),
        ("standard", chain(6, 3, "window = 8", standard)),
        ("standard with RTS", chain(6, 4, "window = 8", rts)),
        ("no capture", chain(7, 4, "window = 8", no_capture)),
        ("strongest captures", chain(7, 4, "window = 8", strongest)),
        (
            "strongest, standard",
            chain(7, 3, "window = 8", strongest_standard),
        ),
        ("without RTS", chain(6, 4, "window = 8", plain)),
        ("short preamble", chain(6, 3, "window = 8", fast)),
        ("ns-2 of 2002", chain(7, 4, "window = 20", old)),
        ("ns-2 of 2002, random", chain(6, 3, "window = 8", random)),
        ("ns-2 of 2002, no RTS", chain(6, 3, "window = 8", old_plain)),
        ("no link delay", chain(5, 4, "window = 8", at_once)),
        ("static, no ARP", chain(9, 4, "window = 8", fixed)),
        ("DSDV", chain(2, 16, "start = \"14 s\"", dsdv)),
        ("CBR and TCP", scenario(cbr)),
        ("star", star()),
        ("field of 30", field(4)),
        ("example cbr-chain", example("cbr-chain.toml", 3)),
        ("example cell-saturated", example("cell-saturated.toml", 3)),
        ("example chain3-table1", example("chain3-table1.toml", 4)),
        ("example chain9", example("chain9.toml", 5)),
        (
            "example chain9-delayed-ack",
            example("chain9-delayed-ack.toml", 5),
        ),
    ]
}

/// Networks whose routing writes more into packets, and so allocates for them, and one on another
/// radio.
fn networks_of_other_protocols() -> Vec<(&'static str, Resolved)> {
    let dsr = "[routing]\nprotocol = \"dsr\"";
    let dsr_standard = "profile = \"standard\"\n[routing]\nprotocol = \"dsr\"";
    let dsdv =
        "[routing]\nprotocol = \"dsdv\"\nfirst_settling = \"20 ms\"\nupdate_period = \"1 s\"";
    vec![
        ("DSR", chain(9, 6, "window = 20", dsr)),
        ("DSR, standard", chain(6, 4, "window = 8", dsr_standard)),
        ("DSDV over hops", chain(5, 6, "window = 8", dsdv)),
        ("example slotted-cross", example("slotted-cross.toml", 30)),
    ]
}

/// Every network.
pub(crate) fn all_networks() -> Vec<(&'static str, Resolved)> {
    let mut all = networks();
    all.extend(networks_of_other_protocols());
    all.extend(wired_networks());
    all.extend(moving_networks());
    all
}
