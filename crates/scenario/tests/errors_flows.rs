//! What mistakes in flows say, word for word.

use crate::common::{accepts, access, cbr, more, says};
use acklab_scenario::quantity::{Kind, Number, read};

#[test]
fn ends_and_starts_of_flows() {
    more(
        "from = 7",
        r#"s.toml:8:1: flow[0].from = 7: there is no such node: the topology has 3 nodes; accepted: 0 to 2"#,
    );
    more(
        "to = -1",
        r#"s.toml:8:1: flow[0].to = -1: must be at least 0; accepted: a whole number from 0 to 4294967295"#,
    );
    more(
        "from = 1\nto = 1",
        r#"s.toml:9:1: flow[0].to = 1: the flow would end at node 1, where it starts; accepted: another node than the one in "from""#,
    );
    more(
        "from = 2",
        r#"s.toml:6:1: flow[0].to = 2: the flow would end at node 2, where it starts; accepted: another node than the one in "from""#,
    );
    more(
        r#"start = "10 s""#,
        r#"s.toml:8:1: flow[0].start = "10 s": the flow would start after the end of the run; accepted: a time before "10 s""#,
    );
    more(
        r#"start_jitter = "20 s""#,
        r#"s.toml:8:1: flow[0].start_jitter = "20 s": the flow could start after the end of the run; accepted: at most "9 s""#,
    );
}

#[test]
fn tcp_options() {
    more(
        "window = 0",
        r#"s.toml:8:1: flow[0].window = 0: must be at least 1; accepted: a whole number from 1 to 1000000"#,
    );
    more(
        r#"window = "8""#,
        r#"s.toml:8:1: flow[0].window = "8": text does not fit here; accepted: a whole number from 1 to 1000000"#,
    );
    more(
        "windw = 8",
        r#"s.toml:8:1: flow[0].windw: unknown key, did you mean "window"?; accepted: kind, from, to, start, start_jitter, profile, variant, window, packet, initial_window, initial_ssthresh, rto, handshake, recovery_exit, limited_transmit, dupack_threshold, halving, inflate_unguarded, syn_ack_at_once, repetition_acked_at_once, newreno, vegas, sack, westwood, eln, ack, handoff, window_probes, encrypted, oracle_ack_path"#,
    );
    more(
        r#"packet = "0 B""#,
        r#"s.toml:8:1: flow[0].packet = "0 B": must be greater than zero; accepted: a size such as "1000 B" (units: B, kB, MB, KiB, MiB)"#,
    );
    more(
        "packet = 1000",
        r#"s.toml:8:1: flow[0].packet = 1000: missing unit; accepted: a size such as "1000 B" (units: B, kB, MB, KiB, MiB)"#,
    );
    more(
        r#"packet = "70000 B""#,
        r#"s.toml:8:1: flow[0].packet = "70000 B": larger than an IP packet can carry; accepted: "1 B" to "65495 B""#,
    );
    more(
        "window = 1000000\npacket = \"60000 B\"",
        r#"s.toml:8:1: flow[0].window = 1000000: the window would be larger than the 1 GiB that TCP can number (RFC 7323 §2.3); accepted: 1 to 17895"#,
    );
    more(
        r#"variant = "new-reno""#,
        r#"s.toml:8:1: flow[0].variant = "new-reno": unknown name, did you mean "newreno"?; accepted: "tahoe", "reno", "newreno", "vegas", "sack", "rack", "westwood""#,
    );
    more(
        r#"variant = "cubic""#,
        r#"s.toml:8:1: flow[0].variant = "cubic": unknown name; accepted: "tahoe", "reno", "newreno", "vegas", "sack", "rack", "westwood""#,
    );
    more(
        r#"rto = "1 s""#,
        r#"s.toml:8:1: flow[0].rto = "1 s": text does not fit here; accepted: a table"#,
    );
    more(
        r#"rto = { min = "2 s", max = "1 s" }"#,
        r#"s.toml:8:9: flow[0].rto.min = "2 s": above the largest timeout; accepted: at most flow[0].rto.max = "1 s""#,
    );
    more(
        r#"interval = "1 s""#,
        r#"s.toml:8:1: flow[0].interval: a key of kind = "cbr", not of kind = "ftp"; accepted: kind, from, to, start, start_jitter, profile, variant, window, packet, initial_window, initial_ssthresh, rto, handshake, recovery_exit, limited_transmit, dupack_threshold, halving, inflate_unguarded, syn_ack_at_once, repetition_acked_at_once, newreno, vegas, sack, westwood, eln, ack, handoff, window_probes, encrypted, oracle_ack_path"#,
    );
}

#[test]
fn ack_policies() {
    more(
        r#"ack = "delay""#,
        r#"s.toml:8:1: flow[0].ack = "delay": unknown name, did you mean "delayed"?; accepted: "every", "delayed", "rfc5681", "dynamic", "oracle-window", "delayed-dupacks", "own", a table with policy = "every" or "delayed" or "rfc5681" or "dynamic" or "oracle-window" or "delayed-dupacks" or "own""#,
    );
    more(
        "ack = 2",
        r#"s.toml:8:1: flow[0].ack = 2: a number does not fit here; accepted: "every", "delayed", "rfc5681", "dynamic", "oracle-window", "delayed-dupacks", "own", a table with policy = "every" or "delayed" or "rfc5681" or "dynamic" or "oracle-window" or "delayed-dupacks" or "own""#,
    );
    more(
        "ack = { count = 2 }",
        r#"s.toml:8:1: flow[0].ack.policy: missing key; accepted: "every", "delayed", "rfc5681", "dynamic", "oracle-window", "delayed-dupacks", "own""#,
    );
    more(
        r#"ack = { policy = "delayed", count = 0 }"#,
        r#"s.toml:8:29: flow[0].ack.count = 0: must be at least 1; accepted: a whole number from 1 to 1000000"#,
    );
    more(
        r#"ack = { policy = "delayed", timer = "first" }"#,
        r#"s.toml:8:29: flow[0].ack.timer = "first": unknown name; accepted: "first-waiting", "every-waiting""#,
    );
    more(
        r#"ack = { policy = "every", count = 2 }"#,
        r#"s.toml:8:27: flow[0].ack.count: a key of policy = "delayed", not of policy = "every"; accepted: policy"#,
    );
    more(
        r#"ack = { policy = "dynamic", thresholds = [5, 2, 9] }"#,
        r#"s.toml:8:29: flow[0].ack.thresholds = [5,2,9]: not increasing; accepted: three increasing numbers such as [2, 5, 9]"#,
    );
    more(
        r#"ack = { policy = "dynamic", thresholds = [5, 9] }"#,
        r#"s.toml:8:29: flow[0].ack.thresholds: a list of length 2: 3 are needed; accepted: a list, each element a whole number from 0 to 4294967295"#,
    );
    more(
        r#"ack = "own""#,
        r#"s.toml:8:1: flow[0].ack.name: missing key; accepted: the name of the policy that is handed over, of 1 to 63 ASCII characters"#,
    );
    more(
        r#"ack = { policy = "own", name = "two words" }"#,
        r#"s.toml:8:25: flow[0].ack.name = "two words": is no name of a policy; accepted: the name of the policy that is handed over, of 1 to 63 ASCII characters"#,
    );
    more(
        r#"ack = { policy = "rfc5681", interval = "1 s" }"#,
        r#"s.toml:8:29: flow[0].ack.interval = "1 s": longer than RFC 5681 §4.2 allows; accepted: at most "500 ms"; the policy "delayed" has no such limit"#,
    );
}

#[test]
fn options_of_other_variants() {
    more(
        "sack = { duplicates = true }",
        r#"s.toml:8:1: flow[0].sack = {"duplicates":true}: options of another variant; accepted: variant = "sack" or "rack", or no such table"#,
    );
    more(
        "westwood = { estimate = \"plus\" }\nvariant = \"sack\"",
        r#"s.toml:8:1: flow[0].westwood = {"estimate":"plus"}: options of another variant; accepted: variant = "westwood", or no such table"#,
    );
    more(
        "variant = \"westwood\"\nwestwood = { estimate = \"plus\", tau = \"1 s\" }",
        r#"s.toml:9:33: flow[0].westwood.tau = "1 s": has an effect only with estimate = "original"; accepted: estimate = "original", or this key left out"#,
    );
}

#[test]
fn handoffs() {
    more(
        r#"handoff = "frieze""#,
        r#"s.toml:8:1: flow[0].handoff = "frieze": unknown name, did you mean "freeze"?; accepted: "unaware", "pacing", "freeze", "m-tcp", a table with scheme = "unaware" or "pacing" or "freeze" or "m-tcp""#,
    );
    more(
        "handoff = \"freeze\"\nwindow_probes = false",
        "s.toml:9:1: flow[0].window_probes = false: Freeze-TCP needs a sender that respects a closed window; accepted: true, or another handoff scheme",
    );
    more(
        "handoff = \"m-tcp\"\nwindow_probes = false",
        "s.toml:9:1: flow[0].window_probes = false: M-TCP needs a sender that respects a closed window; accepted: true, or another handoff scheme",
    );
    more(
        r#"handoff = { scheme = "pacing", interval = "0 s" }"#,
        r#"s.toml:8:32: flow[0].handoff.interval = "0 s": must be greater than zero; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
}

#[test]
fn delayed_dupacks() {
    let dupacks = |keys: &str, expected: &str| {
        more(
            &format!(r#"ack = {{ policy = "delayed-dupacks", {keys} }}"#),
            &format!("s.toml:8:37: flow[0].ack.{expected}"),
        );
    };
    dupacks(
        r#"delay = "adapt""#,
        r#"delay = "adapt": unknown name; accepted: "adaptive", a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    dupacks(
        r#"spacing = "1 ms""#,
        r#"spacing = "1 ms": has an effect only with release = "paced"; accepted: release = "paced", or this key left out"#,
    );
    dupacks(
        r#"min = "1 ms""#,
        r#"min = "1 ms": has an effect only with delay = "adaptive"; accepted: delay = "adaptive", or this key left out"#,
    );
    dupacks(
        r#"min = "1 s", delay = "adaptive""#,
        r#"min = "1 s": above the longest delay; accepted: at most flow[0].ack.max = "200 ms""#,
    );
}

#[test]
fn cbr_options() {
    cbr(
        "",
        r#"s.toml:6:1: flow[0].interval: missing key; accepted: either "interval" such as "36 ms" or "rate" such as "300 kbit/s""#,
    );
    cbr(
        r#"interval = "0 s""#,
        r#"s.toml:8:1: flow[0].interval = "0 s": must be greater than zero; accepted: a time such as "100 ms" (units: s, ms, us, ns, µs, min, h)"#,
    );
    cbr(
        "interval = \"1 s\"\nrate = \"1 Mbit/s\"",
        r#"s.toml:9:1: flow[0].rate = "1 Mbit/s": given together with "interval"; accepted: either "interval" such as "36 ms" or "rate" such as "300 kbit/s""#,
    );
    cbr(
        "packet = \"1 B\"\nrate = \"900 Gbit/s\"",
        r#"s.toml:9:1: flow[0].rate = "900 Gbit/s": less than a nanosecond between packets; accepted: a lower rate"#,
    );
    cbr(
        "window = 3",
        r#"s.toml:8:1: flow[0].window: a key of kind = "ftp", not of kind = "cbr"; accepted: kind, from, to, start, start_jitter, packet, interval, rate, jitter"#,
    );
}

#[test]
fn the_standard_limits_packets_to_what_a_frame_carries() {
    says(
        "profile = \"standard\"\nduration = \"10 s\"\n[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n[[flow]]\nkind = \"ftp\"\npacket = \"2300 B\"\n",
        r#"s.toml:9:1: flow[0].packet = "2300 B": larger than a frame of IEEE 802.11 can carry; accepted: "1 B" to "2256 B""#,
    );
}

/// 1.5 bytes became two, and 0.4 bytes were none, without a word.
#[test]
fn a_part_of_a_byte_is_no_size() {
    for size in ["1.5 B", "0.4 B", "0.0015 kB", "0.3 KiB", "1e-60 MB"] {
        let line = format!("packet = \"{size}\"");
        more(
            &line,
            &format!(
                r#"s.toml:8:1: flow[0].{line}: not a whole number of bytes; accepted: a size such as "1000 B" (units: B, kB, MB, KiB, MiB)"#
            ),
        );
    }
    for (size, bytes) in [
        ("1.5 kB", 1_500),
        ("0.5 KiB", 512),
        ("1000.0 B", 1_000),
        ("1e-3 MB", 1_000),
        ("0e-60 B", 0),
    ] {
        assert_eq!(read(Kind::Size, size), Ok(Number::Whole(bytes)), "{size}");
    }
}

const WIRES: &str = "topology = { kind = \"nodes\", nodes = 2 }\n\
    point_to_point = [{ between = [0, 1], rate = \"10 Mbit/s\", delay = \"5 ms\" }]\n";
const SLOTS: &str = "slotted = {}\ntopology = { kind = \"graph\", nodes = 2, edges = [[0, 1]] }\n";
const MIXED: &str = "topology = { kind = \"chain\", nodes = 2, spacing = \"200 m\" }\nwired_nodes = 1\n\
    point_to_point = [{ between = [1, 2], rate = \"10 Mbit/s\", delay = \"5 ms\" }]\n";

/// A network in profile `standard` with a flow whose packets are that large.
fn of_the_standard(network: &str, bytes: u32) -> String {
    let head = "profile = \"standard\"\nduration = \"10 s\"\n";
    format!("{head}{network}[[flow]]\nkind = \"ftp\"\npacket = \"{bytes} B\"\n")
}

/// The same with cells below which this MAC is.
fn cells_of_the_standard(mac: &str, bytes: u32) -> String {
    access(&[
        ("duration", "profile = \"standard\"\nduration"),
        ("to = 4\n", &format!("to = 4\npacket = \"{bytes} B\"\n")),
        ("[cells]\n", &format!("[cells]\nmac = \"{mac}\"\n")),
    ])
}

/// Wires, slots and cells without a MAC were held to what a frame of 802.11 carries.
#[test]
fn the_limit_of_802_11_holds_where_802_11_runs() {
    for text in [
        of_the_standard(WIRES, 65_495),
        of_the_standard(SLOTS, 2_300),
        cells_of_the_standard("none", 2_300),
        cells_of_the_standard("802.11", 2_256),
        of_the_standard(MIXED, 2_256),
    ] {
        accepts(&text);
    }
    says(
        &of_the_standard(WIRES, 65_496),
        r#"s.toml:7:1: flow[0].packet = "65496 B": larger than an IP packet can carry; accepted: "1 B" to "65495 B""#,
    );
    let too_large = r#"flow[0].packet = "2257 B": larger than a frame of IEEE 802.11 can carry; accepted: "1 B" to "2256 B""#;
    let of_cells = cells_of_the_standard("802.11", 2_257);
    says(&of_cells, &format!("s.toml:7:1: {too_large}"));
    let mixed = of_the_standard(MIXED, 2_257);
    says(&mixed, &format!("s.toml:8:1: {too_large}"));
}

#[test]
fn options_of_vegas() {
    more(
        "vegas = { alpha = 2 }",
        r#"s.toml:8:1: flow[0].vegas = {"alpha":2}: options of Vegas for the variant "newreno"; accepted: variant = "vegas", or no such table"#,
    );
    more(
        "variant = \"vegas\"\nvegas = { alpha = 4 }",
        r#"s.toml:9:1: flow[0].vegas.beta = 3: below alpha: the window would grow and shrink at once; accepted: at least flow[0].vegas.alpha = 4"#,
    );
    more(
        "variant = \"vegas\"\nvegas = { rules = \"linux\" }",
        r#"s.toml:9:11: flow[0].vegas.rules = "linux": unknown name; accepted: "published", "ns2""#,
    );
    more(
        "variant = \"vegas\"\nvegas = { alpha = 1.5 }",
        r#"s.toml:9:11: flow[0].vegas.alpha = 1.5: not a whole number; accepted: a whole number from 0 to 1000000"#,
    );
}
