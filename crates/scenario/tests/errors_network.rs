//! What mistakes in the network say, word for word.

use crate::common::{duration, more, says, topology};
use acklab_base::LAST_TIME;
use acklab_scenario::{parse_json, parse_toml};

#[test]
fn text_that_is_no_toml() {
    says(
        "a = ",
        r#"s.toml:1:5: not TOML: string values must be quoted, expected literal string"#,
    );
    says(
        "duration = 2024-01-01",
        r#"s.toml:1:1: duration = 2024-01-01: no key of a scenario takes a date; accepted: a text in quotes, a number, true or false, a list or a table, by its key"#,
    );
    says(
        "duration = nan",
        r#"s.toml:1:1: duration = nan: not a finite number; accepted: a number below 1.8e308"#,
    );
    says(
        "duration = 99999999999999999999",
        r#"s.toml:1:1: duration = 99999999999999999999: a number out of range; accepted: a whole number of up to 18 digits, or less by its key"#,
    );
}

#[test]
fn missing_keys() {
    says(
        "",
        r#"s.toml: duration: missing key; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    says(
        "duration = \"1 s\"\n[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n",
        r#"s.toml: flow: missing key; accepted: a list, each element a table with kind = "ftp" or "sessions" or "cbr""#,
    );
    says(
        "duration = \"1 s\"\nflow = []\n[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n",
        r#"s.toml:2:1: flow: a list of length 0: at least 1 needed; accepted: a list, each element a table with kind = "ftp" or "sessions" or "cbr""#,
    );
}

#[test]
fn keys_and_names_that_nobody_knows() {
    says(
        "durations = \"10 s\"\n[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n[[flow]]\nkind = \"ftp\"\n",
        r#"s.toml:1:1: durations: unknown key, did you mean "duration"?; accepted: title, profile, duration, measure, topology, moving, wired_nodes, point_to_point, agent, cells, radio, energy, mac, slotted, link, queue, routing, random_flows, flow, sources"#,
    );
    says(
        "profile = \"ns3\"\nduration = \"10 s\"\n[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n[[flow]]\nkind = \"ftp\"\n",
        r#"s.toml:1:1: profile = "ns3": unknown name, did you mean "ns2"?; accepted: "ns2", "ns2-2.35", "ns2-2.1b9", "standard""#,
    );
}

#[test]
fn durations() {
    duration(
        "10",
        r#"s.toml:1:1: duration = 10: missing unit; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    duration(
        r#""10""#,
        r#"s.toml:1:1: duration = "10": missing unit; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    duration(
        r#""10 m""#,
        r#"s.toml:1:1: duration = "10 m": "m" is a unit of length, not of time; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    duration(
        r#""10 sec""#,
        r#"s.toml:1:1: duration = "10 sec": unknown unit "sec"; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    duration(
        r#""ten""#,
        r#"s.toml:1:1: duration = "ten": no number; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    duration(
        r#""""#,
        r#"s.toml:1:1: duration = "": no number; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    duration(
        r#""-1 s""#,
        r#"s.toml:1:1: duration = "-1 s": must not be negative; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    duration(
        r#""0 s""#,
        r#"s.toml:1:1: duration = "0 s": must be greater than zero; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    duration(
        r#""1e12 s""#,
        r#"s.toml:1:1: duration = "1e12 s": too large: at most 1000000000 s; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    duration(
        r#""1e99 s""#,
        r#"s.toml:1:1: duration = "1e99 s": too large: at most 1000000000 s; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    duration(
        r#""1 S""#,
        r#"s.toml:1:1: duration = "1 S": unknown unit "S"; did you mean "s"?; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    duration(
        "true",
        r#"s.toml:1:1: duration = true: true or false does not fit here; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
}

#[test]
fn topologies() {
    topology(
        "kind = \"chian\"\nnodes = 3\nspacing = \"1 m\"",
        r#"s.toml:3:1: topology.kind = "chian": unknown name, did you mean "chain"?; accepted: "chain", "positions", "grid", "random", "nodes", "access-tree", "graph""#,
    );
    topology(
        "nodes = 3",
        r#"s.toml:2:2: topology.kind: missing key; accepted: "chain", "positions", "grid", "random", "nodes", "access-tree", "graph""#,
    );
    topology(
        "kind = 3",
        r#"s.toml:3:1: topology.kind = 3: not a name; accepted: "chain", "positions", "grid", "random", "nodes", "access-tree", "graph""#,
    );
    topology(
        "kind = \"chain\"\nnodes = 3",
        r#"s.toml:2:2: topology.spacing: missing key; accepted: a length such as "200 m" (units: m, mm, cm, km)"#,
    );
    topology(
        "kind = \"chain\"\nnodes = 1\nspacing = \"1 m\"",
        r#"s.toml:4:1: topology.nodes = 1: must be at least 2; accepted: a whole number from 2 to 1000000"#,
    );
    topology(
        "kind = \"chain\"\nnodes = 2000000\nspacing = \"1 m\"",
        r#"s.toml:4:1: topology.nodes = 2000000: must be at most 1000000; accepted: a whole number from 2 to 1000000"#,
    );
    topology(
        "kind = \"chain\"\nnodes = 2.5\nspacing = \"1 m\"",
        r#"s.toml:4:1: topology.nodes = 2.5: not a whole number; accepted: a whole number from 2 to 1000000"#,
    );
    topology(
        "kind = \"chain\"\nnodes = 3\nspacing = \"-200 m\"",
        r#"s.toml:5:1: topology.spacing = "-200 m": must be greater than zero; accepted: a length such as "200 m" (units: m, mm, cm, km)"#,
    );
    topology(
        "kind = \"chain\"\nnodes = 3\nspacing = \"0 m\"",
        r#"s.toml:5:1: topology.spacing = "0 m": must be greater than zero; accepted: a length such as "200 m" (units: m, mm, cm, km)"#,
    );
    topology(
        "kind = \"chain\"\nnodes = 3\nspacing = 200",
        r#"s.toml:5:1: topology.spacing = 200: missing unit; accepted: a length such as "200 m" (units: m, mm, cm, km)"#,
    );
    topology(
        "kind = \"chain\"\nnodes = 3\nspacing = \"200 ms\"",
        r#"s.toml:5:1: topology.spacing = "200 ms": "ms" is a unit of time, not of length; accepted: a length such as "200 m" (units: m, mm, cm, km)"#,
    );
    topology(
        "kind = \"chain\"\nnodes = 9000\nspacing = \"200 m\"",
        r#"s.toml:5:1: topology.spacing = "200 m": 9000 nodes at this distance make a chain of more than 1000 km; accepted: a shorter spacing or fewer nodes"#,
    );
    topology(
        "kind = \"chain\"\nnodes = 3\nspaceing = \"200 m\"",
        r#"s.toml:5:1: topology.spaceing: unknown key, did you mean "spacing"?; accepted: kind, nodes, spacing"#,
    );
    topology(
        "kind = \"positions\"\npositions = [[\"0 m\", \"0 m\"], [\"9 m\", \"0 m\"], [\"0 m\", \"0 m\"]]",
        r#"s.toml:4:46: topology.positions[2] = ["0 m","0 m"]: nodes 0 and 2 are on one spot; accepted: a spot of its own for every node"#,
    );
    topology(
        "kind = \"positions\"\npositions = [[\"0 m\", \"0 m\"]]",
        r#"s.toml:4:1: topology.positions: a list of length 1: at least 2 needed; accepted: a list, each element a list, each element a length such as "200 m" (units: m, mm, cm, km)"#,
    );
    topology(
        "kind = \"positions\"\npositions = [[\"0 m\", \"0 m\"], [\"9 m\"]]",
        r#"s.toml:4:30: topology.positions[1]: a list of length 1: 2 are needed; accepted: a list, each element a length such as "200 m" (units: m, mm, cm, km)"#,
    );
    topology(
        "kind = \"positions\"\npositions = [[\"0 m\", \"0 m\"], [9, 4]]",
        r#"s.toml:4:31: topology.positions[1][0] = 9: missing unit; accepted: a length such as "200 m" (units: m, mm, cm, km)"#,
    );
    topology(
        "kind = \"positions\"\npositions = [[\"0 m\", \"0 m\"], [\"2000 km\", \"0 m\"]]",
        r#"s.toml:4:31: topology.positions[1][0] = "2000 km": too large: at most 1000 km; accepted: a length such as "200 m" (units: m, mm, cm, km)"#,
    );
    topology(
        "kind = \"positions\"\nnodes = 3",
        r#"s.toml:4:1: topology.nodes: a key of kind = "chain", not of kind = "positions"; accepted: kind, positions"#,
    );
}

/// The agenda of a run holds no later time.
#[test]
fn a_run_of_more_than_three_years() {
    let run = |duration: &str| {
        format!(
            "duration = \"{duration}\"\n[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n\
             [[flow]]\nkind = \"ftp\"\n"
        )
    };
    for long in ["100000000.000000001 s", "1000000000 s"] {
        says(
            &run(long),
            &format!(
                r#"s.toml:1:1: duration = "{long}": longer than a run can be; accepted: at most "100000000 s""#
            ),
        );
    }
    let longest = parse_toml("s.toml", &run("100000000 s")).and_then(|scenario| scenario.resolve());
    assert_eq!(longest.map(|resolved| resolved.duration), Ok(LAST_TIME));
}

#[test]
fn measuring() {
    more(
        "[measure]\nfrom = \"10 s\"",
        r#"s.toml:9:1: measure.from = "10 s": nothing is left to measure; accepted: a time before the end of the run at "10 s""#,
    );
    more(
        "[measure]\nsample = \"0 s\"",
        r#"s.toml:9:1: measure.sample = "0 s": must be greater than zero; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    more(
        "[measure]\nsample = \"1 ns\"",
        r#"s.toml:9:1: measure.sample = "1 ns": more than 10000000 samples in a run; accepted: a longer interval"#,
    );
}

#[test]
fn macs() {
    more(
        "[mac]\ndata_rate = \"3 Mbit/s\"",
        r#"s.toml:9:1: mac.data_rate = "3 Mbit/s": not a rate of IEEE 802.11b; accepted: 1 Mbit/s, 2 Mbit/s, 5.5 Mbit/s, 11 Mbit/s"#,
    );
    more(
        "[mac]\ndata_rate = \"0 Mbit/s\"",
        r#"s.toml:9:1: mac.data_rate = "0 Mbit/s": must be greater than zero; accepted: a bit rate such as "2 Mbit/s" (units: Mbit/s, kbit/s, bit/s, Gbit/s, Mbps, kbps, bps, Gbps)"#,
    );
    more(
        "[mac]\ndata_rate = \"2 mbit/s\"",
        r#"s.toml:9:1: mac.data_rate = "2 mbit/s": unknown unit "mbit/s"; did you mean "Mbit/s"?; accepted: a bit rate such as "2 Mbit/s" (units: Mbit/s, kbit/s, bit/s, Gbit/s, Mbps, kbps, bps, Gbps)"#,
    );
    more(
        "[mac]\nbasic_rate = \"2 Mbit/s\"",
        r#"s.toml:9:1: mac.basic_rate = "2 Mbit/s": control frames would be faster than data frames; accepted: at most mac.data_rate = "1 Mbit/s""#,
    );
    more(
        "[mac]\ncw_min = 2000",
        r#"s.toml:9:1: mac.cw_min = 2000: above mac.cw_max; accepted: at most mac.cw_max = 1023"#,
    );
    more(
        "[mac]\ncw_max = 0",
        r#"s.toml:9:1: mac.cw_max = 0: must be at least 1; accepted: a whole number from 1 to 65535"#,
    );
    more(
        "[mac]\nrts_threshold = \"3000 B\"",
        r#"s.toml:9:1: mac.rts_threshold = "3000 B": larger than any frame of IEEE 802.11; accepted: "0 B" to "2347 B", or "off""#,
    );
    more(
        "[mac]\nrts_threshold = 0",
        r#"s.toml:9:1: mac.rts_threshold = 0: missing unit; accepted: "off", a size such as "1000 B" (units: B, kB, MB, KiB, MiB)"#,
    );
    more(
        "[mac]\nrts_threshold = \"of\"",
        r#"s.toml:9:1: mac.rts_threshold = "of": unknown name, did you mean "off"?; accepted: "off", a size such as "1000 B" (units: B, kB, MB, KiB, MiB)"#,
    );
    more(
        "[mac]\nshort_retry_limit = 0",
        r#"s.toml:9:1: mac.short_retry_limit = 0: must be at least 1; accepted: "off", a whole number from 1 to 255"#,
    );
    more(
        "[mac]\nlong_retry_limit = 256",
        r#"s.toml:9:1: mac.long_retry_limit = 256: must be at most 255; accepted: "off", a whole number from 1 to 255"#,
    );
    more(
        "[mac]\nlong_retry_limit = \"none\"",
        r#"s.toml:9:1: mac.long_retry_limit = "none": unknown name; accepted: "off", a whole number from 1 to 255"#,
    );
    more(
        "[mac]\nslot = \"0 us\"",
        r#"s.toml:9:1: mac.slot = "0 us": must be greater than zero; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
}

#[test]
fn spaces_of_a_mac() {
    // What a frame reserves is counted in nanoseconds of 32 bits: a run would end in a panic.
    more(
        "[mac]\nsifs = \"5 s\"",
        r#"s.toml:9:1: mac.sifs = "5 s": no radio waits so long; accepted: at most "1 s""#,
    );
    more(
        "[mac]\nslot = \"1 h\"",
        r#"s.toml:9:1: mac.slot = "1 h": no radio waits so long; accepted: at most "1 s""#,
    );
}

#[test]
fn radios() {
    more(
        "[radio]\ncs_threshold = \"1 W\"",
        r#"s.toml:9:1: radio.cs_threshold = "1 W": a frame that can be decoded must be sensed too; accepted: at most radio.rx_threshold = "3.652e-10 W""#,
    );
    more(
        "[radio]\ncapture_threshold = \"-3 dB\"",
        r#"s.toml:9:1: radio.capture_threshold = "-3 dB": the weaker frame would survive; accepted: 0 dB or more"#,
    );
    more(
        "[radio]\ntx_power = \"24.5 dB\"",
        r#"s.toml:9:1: radio.tx_power = "24.5 dB": "dB" is a unit of power ratio, not of power; accepted: a power such as "24.5 dBm" (units: W, mW, uW, nW, pW, dBm)"#,
    );
    more(
        "[radio]\ntx_power = \"0 W\"",
        r#"s.toml:9:1: radio.tx_power = "0 W": must be greater than zero; accepted: a power such as "24.5 dBm" (units: W, mW, uW, nW, pW, dBm)"#,
    );
    more(
        "[radio]\nfrequency = \"914 MHZ\"",
        r#"s.toml:9:1: radio.frequency = "914 MHZ": unknown unit "MHZ"; did you mean "MHz"?; accepted: a frequency such as "914 MHz" (units: MHz, Hz, kHz, GHz)"#,
    );
    more(
        "[radio]\ncapture = \"strong\"",
        r#"s.toml:9:1: radio.capture = "strong": unknown name; accepted: "ns2", "none", "strongest""#,
    );
}

#[test]
fn links_queues_and_routing() {
    more(
        "[routing]\nprotocol = \"aodv\"\nnode_traversal_time = \"1 h\"",
        r#"s.toml:10:1: routing.node_traversal_time = "1 h": no hop takes so long; accepted: at most "100 s""#,
    );
    more(
        "[link]\narp = \"yes\"",
        r#"s.toml:9:1: link.arp = "yes": text does not fit here; accepted: true or false"#,
    );
    more(
        "[link]\ndelay = \"-1 us\"",
        r#"s.toml:9:1: link.delay = "-1 us": must not be negative; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    more(
        "[queue]\ncapacity = 0",
        r#"s.toml:9:1: queue.capacity = 0: must be at least 1; accepted: a whole number from 1 to 1000000"#,
    );
    more(
        "[routing]\nprotocol = \"aodvv\"",
        r#"s.toml:9:1: routing.protocol = "aodvv": unknown name, did you mean "aodv"?; accepted: "static", "aodv", "dsdv", "dsr""#,
    );
    more(
        "[routing]\nnetwork_diameter = 40",
        r#"s.toml:8:2: routing.protocol: missing key; accepted: "static", "aodv", "dsdv", "dsr""#,
    );
    more(
        "[routing]\nprotocol = \"static\"\nnetwork_diameter = 40",
        r#"s.toml:10:1: routing.network_diameter: a key of protocol = "aodv", not of protocol = "static"; accepted: protocol, separate_acks"#,
    );
    more(
        "[routing]\nprotocol = \"aodv\"\nnetwork_diameter = 300",
        r#"s.toml:10:1: routing.network_diameter = 300: must be at most 255; accepted: a whole number from 1 to 255"#,
    );
    more(
        "[routing]\nprotocol = \"aodv\"\nttl_start = 5",
        r#"s.toml:10:1: routing.ttl_start = 5: with ns-2's rules the first search goes through the whole network; accepted: no such key, or profile = "standard""#,
    );
    says(
        "profile = \"standard\"\nduration = \"10 s\"\n[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n\
         [routing]\nprotocol = \"aodv\"\nttl_start = 9\n[[flow]]\nkind = \"ftp\"",
        r#"s.toml:9:1: routing.ttl_start = 9: above routing.ttl_threshold; accepted: at most routing.ttl_threshold = 7"#,
    );
}

#[test]
fn json_says_the_same_without_a_place() {
    let error = parse_json("s.json", r#"{"duration": 10, "topology": null}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"s.json: duration = 10: missing unit; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#
    );
    let error = parse_json("s.json", "{\n  \"duration\": }").unwrap_err();
    assert_eq!(error.to_string(), "s.json:2:15: not JSON: expected value");
}

#[test]
fn an_error_carries_its_parts() {
    let error = parse_toml("s.toml", "duration = 10").unwrap_err();
    assert_eq!(&*error.file, "s.toml");
    assert_eq!(
        error.place.map(|place| (place.line, place.column)),
        Some((1, 1))
    );
    assert_eq!(&*error.key, "duration");
    assert_eq!(error.value.as_deref(), Some("10"));
    assert_eq!(&*error.message, "missing unit");
}
