//! Random scenarios that resolve, as trees.

mod links;

use acklab_scenario::quantity::{Kind, Number, write};
use links::links;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Times, lengths and the like that the simulator counts.
fn whole(kind: Kind, low: i64, high: i64) -> impl Strategy<Value = Value> {
    (low..high).prop_map(move |n| Value::String(write(kind, Number::Whole(n))))
}

/// A positive quantity over many orders of magnitude.
fn real(kind: Kind, low: i32, high: i32) -> impl Strategy<Value = Value> {
    (1.0..10.0_f64, low..high).prop_map(move |(digits, exponent)| {
        let x: f64 = format!("{digits}e{exponent}").parse().expect("a number");
        Value::String(write(kind, Number::Real(x)))
    })
}

/// A table in which each key is there or not.
fn table(keys: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let maybe = |(name, value): (&'static str, BoxedStrategy<Value>)| {
        prop_oneof![value, Just(Value::Null)].prop_map(move |value| (name.to_owned(), value))
    };
    keys.into_iter()
        .map(maybe)
        .collect::<Vec<_>>()
        .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>()))
        .boxed()
}

/// One of some names.
pub(crate) fn names(names: &'static [&'static str]) -> BoxedStrategy<Value> {
    proptest::sample::select(names)
        .prop_map(Value::from)
        .boxed()
}

fn number(low: u32, high: u32) -> BoxedStrategy<Value> {
    (low..high).prop_map(Value::from).boxed()
}

fn truth() -> BoxedStrategy<Value> {
    any::<bool>().prop_map(Value::from).boxed()
}

fn time(low_ns: i64, high_ns: i64) -> BoxedStrategy<Value> {
    whole(Kind::Time, low_ns, high_ns).boxed()
}

fn with(
    tag: &'static str,
    name: &'static str,
    table: BoxedStrategy<Value>,
) -> BoxedStrategy<Value> {
    table
        .prop_map(move |mut table| {
            table[tag] = json!(name);
            table
        })
        .boxed()
}

fn ack() -> BoxedStrategy<Value> {
    let delay = || ("interval", time(1, 500_000_000));
    let timer = || ("timer", names(&["first-waiting", "every-waiting"]));
    let thresholds =
        (0_u32..9, 1_u32..9, 1_u32..9).prop_map(|(a, b, c)| json!([a, a + b, a + b + c]));
    prop_oneof![
        names(&["every", "delayed", "rfc5681", "dynamic", "oracle-window"]),
        with(
            "policy",
            "delayed",
            table(vec![("count", number(1, 9)), delay(), timer()])
        ),
        with("policy", "rfc5681", table(vec![delay(), timer()])),
        with(
            "policy",
            "dynamic",
            table(vec![
                ("thresholds", thresholds.boxed()),
                (
                    "numbering",
                    names(&["altman2003", "data-is-zero", "elrakabawy2005"])
                ),
                delay(),
                timer(),
            ])
        ),
        with(
            "policy",
            "delayed-dupacks",
            table(vec![("delay", time(0, 500_000_000))])
        ),
        Just(json!({"policy": "delayed-dupacks", "release": "paced", "spacing": "2 ms"})).boxed(),
    ]
    .boxed()
}

const PROFILES: [&str; 4] = ["ns2", "ns2-2.35", "ns2-2.1b9", "standard"];

/// The keys of a TCP connection.
fn connection() -> Vec<(&'static str, BoxedStrategy<Value>)> {
    let rto = || time(1, 60_000_000_000);
    vec![
        ("to", number(1, 3)),
        ("start", time(0, 9_000_000_000)),
        ("start_jitter", time(0, 1_000_000_000)),
        ("profile", names(&PROFILES)),
        (
            "variant",
            names(&[
                "tahoe", "reno", "newreno", "vegas", "sack", "rack", "westwood",
            ]),
        ),
        ("window", number(1, 2_000)),
        ("packet", whole(Kind::Size, 1, 2_256).boxed()),
        ("initial_window", number(1, 100)),
        ("initial_ssthresh", number(1, 100)),
        (
            "rto",
            table(vec![("initial", rto()), ("min", rto()), ("tick", rto())]),
        ),
        ("handshake", truth()),
        // Other schemes need mobiles: `handoffs.rs` reads and writes those.
        ("handoff", names(&["unaware"])),
        ("limited_transmit", truth()),
        ("dupack_threshold", number(1, 9)),
        (
            "halving",
            names(&["window", "whole-window", "threshold", "flight-size"]),
        ),
        ("inflate_unguarded", truth()),
        ("syn_ack_at_once", truth()),
        ("repetition_acked_at_once", truth()),
        (
            "newreno",
            table(vec![
                ("guard", names(&["careful", "less-careful", "off"])),
                ("impatient", truth()),
                ("partial_deflation", truth()),
            ]),
        ),
        ("ack", ack()),
    ]
}

/// A connection without what its variant has no use for.
fn of_use(mut connection: Value) -> Value {
    let variant = connection["variant"]
        .as_str()
        .unwrap_or("newreno")
        .to_owned();
    if let Some(keys) = connection.as_object_mut() {
        let guarded = !["vegas", "sack", "rack"].contains(&&*variant);
        if !guarded || variant == "tahoe" {
            keys.remove("inflate_unguarded");
        }
        if !guarded {
            keys.remove("newreno");
        } else if ["tahoe", "reno"].contains(&&*variant)
            && let Some(options) = keys.get_mut("newreno").and_then(Value::as_object_mut)
        {
            options.retain(|key, _| key == "guard");
        }
    }
    connection
}

fn flow() -> BoxedStrategy<Value> {
    let transfers = [
        ("size", size()),
        ("pause", pause()),
        ("whole_packets", truth()),
    ];
    let sessions = table(connection().into_iter().chain(transfers).collect());
    let [sessions, ftp] = [sessions, table(connection())].map(|flow| flow.prop_map(of_use).boxed());
    let cbr = table(vec![
        ("from", number(1, 3)),
        ("packet", whole(Kind::Size, 1, 2_000).boxed()),
        ("jitter", time(0, 1_000_000_000)),
    ]);
    let pace = prop_oneof![
        time(1, 1_000_000_000).prop_map(|t| ("interval", t)),
        whole(Kind::Rate, 1, 1_000_000_000).prop_map(|r| ("rate", r)),
    ];
    let cbr = (cbr, pace)
        .prop_map(|(mut flow, (key, value))| {
            flow[key] = value;
            flow["to"] = json!(0);
            flow["from"] = if flow["from"].is_null() {
                json!(2)
            } else {
                flow["from"].clone()
            };
            flow
        })
        .boxed();
    prop_oneof![
        with("kind", "ftp", ftp),
        with("kind", "sessions", sessions),
        with("kind", "cbr", cbr)
    ]
    .boxed()
}

fn size() -> BoxedStrategy<Value> {
    let shape = (101_u32..1_000).prop_map(|hundredths| json!(f64::from(hundredths) / 100.0));
    let mean = || whole(Kind::Size, 1, 1_000_000_000);
    let drawn = table(vec![("mean", mean().boxed()), ("shape", shape.boxed())]);
    prop_oneof![mean(), with("law", "pareto", drawn)].boxed()
}

fn pause() -> BoxedStrategy<Value> {
    let drawn = table(vec![("mean", time(0, 60_000_000_000))]);
    prop_oneof![time(0, 60_000_000_000), with("law", "exponential", drawn)].boxed()
}

fn radio() -> BoxedStrategy<Value> {
    table(vec![
        ("propagation", names(&["two-ray", "friis"])),
        ("frequency", real(Kind::Frequency, 3, 11).boxed()),
        ("tx_power", real(Kind::Power, -9, 5).boxed()),
        ("rx_threshold", real(Kind::Power, -10, 2).boxed()),
        ("cs_threshold", real(Kind::Power, -20, -11).boxed()),
        ("antenna_height", whole(Kind::Length, 1, 100_000).boxed()),
        ("capture", names(&["ns2", "none", "strongest"])),
        ("capture_threshold", real(Kind::Ratio, 0, 9).boxed()),
    ])
}

fn mac() -> BoxedStrategy<Value> {
    let limit = || prop_oneof![number(1, 256), Just(json!("off"))].boxed();
    table(vec![
        ("profile", names(&PROFILES)),
        (
            "data_rate",
            names(&["1 Mbit/s", "2 Mbit/s", "5.5 Mbit/s", "11 Mbit/s"]),
        ),
        ("preamble", names(&["long", "short"])),
        (
            "rts_threshold",
            prop_oneof![whole(Kind::Size, 0, 2_348), Just(json!("off"))].boxed(),
        ),
        ("short_retry_limit", limit()),
        ("long_retry_limit", limit()),
        (
            "access",
            names(&["backoff", "immediate", "deferral", "random-deferral"]),
        ),
        ("cts_resets_window", truth()),
        ("data_resets_retries", truth()),
        ("cw_min", number(1, 1_023)),
        ("slot", time(1, 1_000_000)),
        ("sifs", time(1, 1_000_000)),
    ])
}

fn routing() -> BoxedStrategy<Value> {
    let aodv = table(vec![
        ("network_diameter", number(1, 256)),
        ("local_repair", truth()),
        ("active_route_timeout", time(1, 60_000_000_000)),
        ("request_retries", number(0, 9)),
        ("ttl_threshold", number(5, 20)),
        ("node_traversal_time", time(1, 1_000_000_000)),
        ("buffer_capacity", number(1, 100)),
    ]);
    let dsdv = table(vec![
        ("update_period", time(1, 60_000_000_000)),
        ("silent_periods", number(1, 9)),
        ("first_settling", time(0, 60_000_000_000)),
        ("link_detection", truth()),
        ("buffer_capacity", number(1, 100)),
    ]);
    let dsr = table(vec![
        ("primary_routes", number(1, 99)),
        ("overhears", truth()),
        ("flow_state", truth()),
        ("salvages", number(0, 16)),
        ("request_period", time(1, 60_000_000_000)),
        ("buffer_capacity", number(1, 100)),
    ]);
    prop_oneof![
        Just(json!({"protocol": "static"})),
        with("protocol", "aodv", aodv),
        with("protocol", "dsdv", dsdv),
        with("protocol", "dsr", dsr)
    ]
    .boxed()
}

/// A scenario that resolves.
pub(crate) fn scenario() -> impl Strategy<Value = Value> {
    let spots = proptest::collection::btree_set((-1_000_000_i64..1_000_000, 0_i64..3_000), 3..9);
    let metres = |mm: i64| write(Kind::Length, Number::Whole(mm));
    let spots = spots.prop_map(move |spots| {
        let spots: Vec<Value> = spots
            .iter()
            .map(|&(x, y)| json!([metres(x), metres(y)]))
            .collect();
        json!({"kind": "positions", "positions": spots})
    });
    let chain = (3_u32..40, 1_i64..1_000_000).prop_map(
        move |(nodes, mm)| json!({"kind": "chain", "nodes": nodes, "spacing": metres(mm)}),
    );
    let nodes = (3_u32..40).prop_map(|nodes| json!({"kind": "nodes", "nodes": nodes}));
    let topology = prop_oneof![spots, chain, nodes];
    let rest = table(vec![
        ("title", ".{0,20}".prop_map(Value::from).boxed()),
        ("profile", names(&PROFILES)),
        (
            "measure",
            table(vec![
                ("from", time(0, 9_000_000_000)),
                ("sample", time(1_000_000, 1_000_000_000)),
            ]),
        ),
        ("radio", radio()),
        ("mac", mac()),
        (
            "link",
            table(vec![("delay", time(0, 1_000_000)), ("arp", truth())]),
        ),
        (
            "queue",
            table(vec![
                ("kind", names(&["routing-first", "priority"])),
                ("capacity", number(1, 100)),
            ]),
        ),
        ("routing", routing()),
        ("point_to_point", links()),
    ]);
    let duration = time(10_000_000_001, 1_000_000_000_000);
    let flows = proptest::collection::vec(flow(), 1..4);
    (rest, duration, topology, flows).prop_map(|(mut tree, duration, topology, flows)| {
        if topology["kind"] == "nodes" {
            // Nobody has a radio there, and these tables are refused.
            let tables = ["radio", "mac", "link", "queue"];
            let tree = tree.as_object_mut().expect("a table");
            tree.retain(|key, _| !tables.contains(&key.as_str()));
        }
        tree["duration"] = duration;
        tree["topology"] = topology;
        tree["flow"] = json!(flows);
        tree
    })
}
