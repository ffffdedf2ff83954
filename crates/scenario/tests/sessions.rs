//! Short transfers: defaults with their sources, what may be written, and what mistakes say.

use crate::common::says;
use acklab_base::Duration;
use acklab_scenario::{FlowKind, PauseLaw, Resolved, Sessions, SizeLaw, parse_toml};

fn text(profile: &str, more: &str) -> String {
    format!(
        "profile = \"{profile}\"\nduration = \"10 s\"\n[topology]\nkind = \"chain\"\nnodes = 3\n\
         spacing = \"200 m\"\n[[flow]]\nkind = \"sessions\"\n{more}\n"
    )
}

fn resolved(profile: &str, more: &str) -> Resolved {
    parse_toml("s.toml", &text(profile, more))
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn sessions(resolved: &Resolved) -> Sessions {
    match resolved.flows[0].kind {
        FlowKind::Sessions(sessions) => sessions,
        FlowKind::Ftp(_) | FlowKind::Cbr(_) => panic!("short transfers"),
    }
}

fn source(resolved: &Resolved, key: &str) -> String {
    resolved.sources[&format!("flow[0].{key}")].to_string()
}

/// Sizes and pauses as in altman2003 §4.1; only ns-2 counts in whole packets.
#[test]
fn the_defaults_are_those_of_the_paper() {
    for (profile, whole, window) in [("ns2", true, 20), ("standard", false, 44)] {
        let resolved = resolved(profile, "");
        let found = sessions(&resolved);
        let paper = SizeLaw::Pareto {
            mean: 30_000,
            shape: 1.5,
        };
        assert_eq!(found.size, paper);
        assert_eq!(
            found.pause,
            PauseLaw::Exponential(Duration::from_millis(500))
        );
        assert_eq!(found.whole_packets, whole);
        assert_eq!(found.connection.sender.window, window);
        assert_eq!(source(&resolved, "size.shape"), "default: altman2003 §4.1");
    }
}

#[test]
fn sizes_and_pauses_may_be_constant_or_drawn_otherwise() {
    let constant = resolved("ns2", "size = \"5 kB\"\npause = \"0 s\"");
    assert_eq!(sessions(&constant).size, SizeLaw::Constant(5_000));
    assert_eq!(
        sessions(&constant).pause,
        PauseLaw::Constant(Duration::ZERO)
    );
    assert_eq!(source(&constant, "size"), "given");
    let drawn = resolved(
        "ns2",
        "size = { law = \"pareto\", mean = \"9 kB\" }\npause = { law = \"exponential\", mean = \"2 s\" }",
    );
    let size = SizeLaw::Pareto {
        mean: 9_000,
        shape: 1.5,
    };
    assert_eq!(sessions(&drawn).size, size);
    assert_eq!(
        sessions(&drawn).pause,
        PauseLaw::Exponential(Duration::from_secs(2))
    );
    assert_eq!(source(&drawn, "size.mean"), "given");
}

#[test]
fn mistakes_say_what_is_accepted() {
    let refused = |lines: &str, expected: &str| says(&text("ns2", lines), expected);
    refused(
        "size = { law = \"pareto\", shape = 1 }",
        r#"s.toml:9:26: flow[0].size.shape = 1: must be at least 1.01; accepted: a number from 1.01 to 1000"#,
    );
    refused(
        "size = { law = \"pareto\", shape = \"1.5\" }",
        r#"s.toml:9:26: flow[0].size.shape = "1.5": text does not fit here; accepted: a number from 1.01 to 1000"#,
    );
    refused(
        "size = { law = \"normal\" }",
        r#"s.toml:9:10: flow[0].size.law = "normal": unknown name; accepted: "pareto""#,
    );
    refused(
        "size = \"0 B\"",
        r#"s.toml:9:1: flow[0].size = "0 B": must be greater than zero; accepted: a size such as "1000 B" (units: B, kB, MB, KiB, MiB), a table with law = "pareto""#,
    );
    refused(
        "pause = { law = \"exponential\", shape = 2 }",
        r#"s.toml:9:32: flow[0].pause.shape: unknown key; accepted: law, mean"#,
    );
    refused(
        "interval = \"1 s\"",
        r#"s.toml:9:1: flow[0].interval: a key of kind = "cbr", not of kind = "sessions"; accepted: kind, from, to, start, start_jitter, profile, variant, window, packet, initial_window, initial_ssthresh, rto, handshake, recovery_exit, limited_transmit, dupack_threshold, halving, inflate_unguarded, syn_ack_at_once, repetition_acked_at_once, newreno, vegas, sack, westwood, eln, ack, handoff, window_probes, encrypted, oracle_ack_path, size, pause, whole_packets"#,
    );
}
