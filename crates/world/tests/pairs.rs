//! Combined frames over 802.11 (`queue.combining`): yuki2004 §3 on a radio that people have.

use acklab_scenario::parse_toml;
use acklab_world::{RunOptions, RunResult, run};

fn chain(nodes: u32, combining: bool, more: &str) -> RunResult {
    let text = format!(
        "duration = \"60 s\"\n[topology]\nkind = \"chain\"\nnodes = {nodes}\nspacing = \"200 m\"\n\
         [routing]\nprotocol = \"static\"\n[queue]\ncombining = {combining}\n{more}\n\
         [[flow]]\nkind = \"ftp\"\nvariant = \"newreno\"\nwindow = 20\n"
    );
    let resolved = parse_toml("pairs", &text)
        .and_then(|scenario| scenario.resolve())
        .expect("a good scenario");
    run(&resolved, &RunOptions::default(), None).expect("runs")
}

/// On the only hop of two nodes nothing can be combined; on three, the relay does, and what is
/// combined arrives. No frame is counted twice: an ACK that was taken came in one frame.
#[test]
fn a_relay_combines_and_ends_do_not() {
    let alone = chain(2, true, "");
    assert!(alone.measures["pair_seconds"] < 0.5);
    assert_eq!(alone.digest, chain(2, false, "").digest);
    let apart = chain(5, false, "");
    assert!(apart.measures["pair_seconds"] < 0.5);
    let joined = chain(5, true, "");
    let taken = joined.measures["pair_seconds"];
    assert!(taken > 50.0, "{taken} packets");
    let warned = |result: &RunResult| {
        let found = result
            .warnings
            .iter()
            .find(|w| w.code == "unconfirmed_part");
        found.map(|warning| warning.count as f64)
    };
    assert_eq!(warned(&apart), None);
    assert!(warned(&joined).is_some_and(|count| count >= taken));
    assert!(joined.measures["delivered_packets"] > 0.5 * apart.measures["delivered_packets"]);
    assert_eq!(joined.digest, chain(5, true, "").digest);
}

/// Without a handshake before the data, too.
#[test]
fn frames_without_rts_are_combined() {
    let joined = chain(5, true, "[mac]\nrts_threshold = \"off\"\n");
    assert!(joined.measures["pair_seconds"] > 20.0);
}
