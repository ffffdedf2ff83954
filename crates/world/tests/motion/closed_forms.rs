//! What a node hears on its way, against x² + y² = r².

use super::geometry::{check, decoded_m, outcome, sensed_m};
use crate::common::{integer, log, options, scenario};
use acklab_base::{Duration, Instant};
use acklab_scenario::Resolved;

/// Datagrams from node 0 to node 1 every 36 ms, routes and addresses known, one slot to choose
/// from: while node 1 answers, RTS number k begins 75 µs after the start of packet k.
fn certain(seconds: u32, places: &str, moving: &str) -> Resolved {
    scenario(&format!(
        "duration = \"{seconds} s\"\n{moving}[topology]\nkind = \"positions\"\npositions = {places}\n\
         [mac]\ndata_rate = \"2 Mbit/s\"\ncw_min = 1\n[routing]\nprotocol = \"static\"\n\
         [link]\narp = false\n[[flow]]\nkind = \"cbr\"\nfrom = 0\nto = 1\nstart = \"1 s\"\n\
         packet = \"1000 B\"\ninterval = \"36 ms\"\n"
    ))
}

const CERTAIN_RTS: Duration = Duration::from_nanos(1_000_075_000 + 100 * 36_000_000);

/// A node that passes a distance from node 0 at an instant, at 20 m/s, and what it hears of an RTS
/// that begins then. It starts 50 m before and ends 50 m behind.
fn passing(node: u32, places: &str, range_m: f64, at: Duration) -> Option<String> {
    let start = (range_m - 50.0).round();
    let nanos = at.as_nanos() as f64 - (range_m - start) / 20.0 * 1e9;
    let from = nanos.round() as u64;
    let moving = format!(
        "[[moving]]\nnodes = [{node}]\nmotion = {{ kind = \"waypoints\", \
         times = [\"{from} ns\", \"{} ns\"], places = [[\"{start} m\", \"0 m\"], [\"{} m\", \"0 m\"]] }}\n",
        from + 5_000_000_000,
        start + 100.0
    );
    let resolved = certain(6, places, &moving);
    let events = log(&resolved, &options(1));
    outcome(&events, 0, CERTAIN_RTS, u64::from(node))
}

fn micros(shift: i64) -> Duration {
    Duration::from_nanos(CERTAIN_RTS.as_nanos().saturating_add_signed(shift * 1_000))
}

/// The receiver drives off. It passes 250 m a microsecond after an RTS begins, and decodes it; a
/// microsecond before, and does not.
#[test]
fn the_last_frame_decoded_begins_before_the_range_is_passed_to_a_microsecond() {
    let heard = |shift| {
        let places = "[[\"0 m\", \"0 m\"], [\"200 m\", \"0 m\"]]";
        passing(1, places, decoded_m(), micros(shift))
    };
    assert_eq!(heard(1).as_deref(), Some("decoded"));
    assert_eq!(heard(-1).as_deref(), Some("sensed"));
}

/// A third node passes 550 m.
#[test]
fn the_last_frame_sensed_begins_before_the_range_is_passed_to_a_microsecond() {
    let heard = |shift| {
        let places = "[[\"0 m\", \"0 m\"], [\"200 m\", \"0 m\"], [\"500 m\", \"0 m\"]]";
        passing(2, places, sensed_m(), micros(shift))
    };
    assert_eq!(heard(1).as_deref(), Some("sensed"));
    assert_eq!(heard(-1), None);
}

/// Behind the range nothing arrives at all: the last RTS that is decoded is the last one before
/// 2.5 s of driving are over, and every later one is tried in vain.
#[test]
fn a_node_that_drives_off_is_heard_until_it_is_out_of_range() {
    let drive = "[[moving]]\nnodes = [1]\n\
                 motion = { kind = \"straight\", to = [\"900 m\", \"0 m\"], speed = \"20 m/s\" }\n";
    let resolved = certain(34, "[[\"0 m\", \"0 m\"], [\"200 m\", \"0 m\"]]", drive);
    let events = log(&resolved, &options(1));
    let metres = |at: Instant| 200.0 + 20.0 * at.as_secs_f64();
    let place = |node: usize, at: Instant| [[0.0, metres(at)][node], 0.0];
    let tally = check(&resolved, &events, &place);
    assert!(
        tally.near > 50 && tally.far > 500 && tally.beyond > 500,
        "{tally:?}"
    );
    assert_eq!(tally.decoded, tally.near, "nothing else is on the air");
    let decoded = |event: &&serde_json::Value| {
        event["kind"] == "frame_received" && event["outcome"] == "decoded" && event["node"] == 1
    };
    let last = events
        .iter()
        .filter(decoded)
        .map(|event| integer(event, "time_ns"))
        .max();
    let crossing = (decoded_m() - 200.0) / 20.0 * 1e9;
    let before = crossing - last.expect("one at least") as f64;
    assert!(
        (0.0..36e6).contains(&before),
        "{before} ns before the crossing"
    );
    let received = events
        .iter()
        .filter(|event| event["kind"] == "udp_received")
        .count();
    assert_eq!(received, ((crossing - 1e9) / 36e6) as usize + 1);
}

/// ```text
///        0         1              the mobile 2 drives past both, 30 m away from their line,
///        o         o              at 80 m/s; both send to it all the time
///  <----------2-------------->
/// ```
#[test]
fn a_node_that_passes_between_two_hears_each_while_it_is_in_its_circle() {
    let sends = |from: u32, packet: u32| {
        format!(
            "[[flow]]\nkind = \"cbr\"\nfrom = {from}\nto = 2\nstart = \"100 ms\"\n\
             packet = \"{packet} B\"\ninterval = \"19 ms\"\njitter = \"9 ms\"\n"
        )
    };
    let resolved = scenario(&format!(
        "duration = \"55 s\"\n[topology]\nkind = \"positions\"\n\
         positions = [[\"0 m\", \"0 m\"], [\"400 m\", \"0 m\"], [\"200 m\", \"30 m\"]]\n\
         [mac]\nrts_threshold = \"off\"\n[routing]\nprotocol = \"static\"\n[link]\narp = false\n\
         [[moving]]\nnodes = [2]\nmotion = {{ kind = \"waypoints\", \
         times = [\"0 s\", \"13.75 s\", \"41.25 s\", \"55 s\"], places = [[\"200 m\", \"30 m\"], \
         [\"1300 m\", \"30 m\"], [\"-900 m\", \"30 m\"], [\"200 m\", \"30 m\"]] }}\n{}{}",
        sends(0, 200),
        sends(1, 300)
    ));
    let events = log(&resolved, &options(3));
    let place = |node: usize, at: Instant| {
        let gone = at.as_secs_f64() * 80.0;
        let mobile = match gone {
            _ if gone < 1_100.0 => 200.0 + gone,
            _ if gone < 3_300.0 => 2_400.0 - gone,
            _ => gone - 4_200.0,
        };
        [[0.0, 0.0], [400.0, 0.0], [mobile, 30.0]][node]
    };
    let tally = check(&resolved, &events, &place);
    assert!(
        tally.near > 1_000 && tally.far > 1_000 && tally.beyond > 1_000,
        "{tally:?}"
    );
    assert!(tally.decoded > 1_000, "{tally:?}");
    // Each sender is heard only where its circle is, and nearly up to its edges.
    let half = (decoded_m() * decoded_m() - 900.0).sqrt();
    for (flow, centre) in [(0, 0.0), (1, 400.0)] {
        let received = events
            .iter()
            .filter(|event| event["kind"] == "udp_received" && integer(event, "flow") == flow);
        let from_centre: Vec<f64> = received
            .map(|event| place(2, Instant::from_nanos(integer(event, "time_ns")))[0] - centre)
            .collect();
        assert!(
            from_centre.len() > 300,
            "flow {flow}: {}",
            from_centre.len()
        );
        let west = from_centre.iter().copied().fold(0.0, f64::min);
        let east = from_centre.iter().copied().fold(0.0, f64::max);
        for edge in [-west, east] {
            // A frame and the link layer are up to half a metre of road.
            assert!(
                (half - 40.0..half + 0.5).contains(&edge),
                "flow {flow}: {edge} of {half} m"
            );
        }
    }
}
