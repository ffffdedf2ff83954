//! A relay drives off while another one arrives: routing finds the new way.
//!
//! ```text
//!              1 drives north from 10 s on, and is out of range at 17.5 s
//!   0          1          3
//!
//!              2 comes from the south and is in range from 13.8 s on
//! ```

use crate::common::{integer, log, options, scenario};
use serde_json::Value;

/// Datagrams from 0 to 3 every 100 ms from 3 s on, for 40 s.
pub(crate) fn network(routing: &str) -> String {
    format!(
        "duration = \"40 s\"\n[topology]\nkind = \"positions\"\npositions = [[\"0 m\", \"0 m\"], \
         [\"200 m\", \"0 m\"], [\"200 m\", \"-900 m\"], [\"400 m\", \"0 m\"]]\n\
         [[moving]]\nnodes = [1]\nmotion = {{ kind = \"waypoints\", times = [\"10 s\", \"60 s\"], \
         places = [[\"200 m\", \"0 m\"], [\"200 m\", \"1000 m\"]] }}\n\
         [[moving]]\nnodes = [2]\nmotion = {{ kind = \"waypoints\", times = [\"5 s\", \"15 s\"], \
         places = [[\"200 m\", \"-900 m\"], [\"200 m\", \"-50 m\"]] }}\n\
         [routing]\n{routing}\n\
         [[flow]]\nkind = \"cbr\"\nfrom = 0\nto = 3\nstart = \"3 s\"\npacket = \"512 B\"\n\
         interval = \"100 ms\"\n"
    )
}

fn events(routing: &str) -> Vec<Value> {
    log(&scenario(&network(routing)), &options(4))
}

fn secs(event: &Value) -> f64 {
    integer(event, "time_ns") as f64 / 1e9
}

/// Frames with datagrams that a relay sent.
fn carried(events: &[Value], relay: u64) -> Vec<f64> {
    let is_one = |event: &&Value| {
        event["kind"] == "frame_sent"
            && event["type"] == "data"
            && event["number"].is_u64()
            && integer(event, "node") == relay
    };
    events.iter().filter(is_one).map(secs).collect()
}

/// Checks that the network is whole again soon after the break at 17.5 s, and returns the datagrams
/// that arrived, of 370.
fn heals(routing: &str) -> usize {
    let events = events(routing);
    let (first, second) = (carried(&events, 1), carried(&events, 2));
    assert!(
        first.len() > 100,
        "{routing}: {} frames by the first",
        first.len()
    );
    let late = |times: &[f64]| times.iter().filter(|&&at| at >= 25.0).count();
    assert_eq!(late(&first), 0, "{routing}");
    assert!(second.iter().all(|&at| at > 13.7), "{routing}: {second:?}");
    let received: Vec<f64> = (events.iter())
        .filter(|event| event["kind"] == "udp_received")
        .map(secs)
        .collect();
    // 150 are sent from 25 s on; the last may be under way.
    assert!(late(&second) >= 149, "{routing}: {}", late(&second));
    assert!(late(&received) >= 149, "{routing}: {}", late(&received));
    received.len()
}

#[test]
fn aodv_heals() {
    let received = heals("protocol = \"aodv\"");
    assert!(received >= 360, "{received}");
}

#[test]
fn dsr_heals() {
    let received = heals("protocol = \"dsr\"");
    assert!(received >= 360, "{received}");
}

#[test]
fn dsdv_heals() {
    let received =
        heals("protocol = \"dsdv\"\nupdate_period = \"1 s\"\nfirst_settling = \"100 ms\"");
    assert!(received >= 330, "{received}");
}

/// Static routes are those of the start: nothing heals.
#[test]
fn static_routes_stay_those_of_the_start() {
    let events = events("protocol = \"static\"");
    assert!(carried(&events, 2).is_empty());
    let received = events
        .iter()
        .filter(|event| event["kind"] == "udp_received");
    let last = received.map(secs).fold(0.0, f64::max);
    assert!(
        (17.3..17.55).contains(&last),
        "the last one arrives at {last} s"
    );
}
