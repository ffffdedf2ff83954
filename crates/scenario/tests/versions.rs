//! The profile of an older ns-2, rule by rule, beside that of ns-2.35.

use acklab_base::Duration;
use acklab_scenario::{
    Access, FlowKind, Halving, Mac, Profile, Resolved, SenderOptions, parse_toml,
};

fn resolved(profile: &str, more: &str) -> Resolved {
    let text = format!(
        "profile = \"{profile}\"\nduration = \"10 s\"\n{more}\n[topology]\nkind = \"chain\"\n\
         nodes = 3\nspacing = \"200 m\"\n[[flow]]\nkind = \"ftp\"\n"
    );
    parse_toml("s.toml", &text)
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn sender(resolved: &Resolved) -> SenderOptions {
    match resolved.flows[0].kind {
        FlowKind::Ftp(ftp) => ftp.sender,
        FlowKind::Sessions(_) | FlowKind::Cbr(_) => panic!("an FTP flow"),
    }
}

#[test]
fn the_full_name_of_ns2_means_the_same() {
    let (short, full) = (resolved("ns2", ""), resolved("ns2-2.35", ""));
    assert_eq!(full.profile, Profile::Ns2);
    assert_eq!((full.mac, full.flows), (short.mac, short.flows));
}

#[test]
fn the_mac_of_2002_defers_resets_and_tries_once_more() {
    let (now, then) = (resolved("ns2", "").mac, resolved("ns2-2.1b9", "").mac);
    let rules = |mac: &Mac| {
        let resets = (mac.cts_resets_window, mac.data_resets_retries);
        (mac.access, resets, mac.long_retry_limit)
    };
    assert_eq!(rules(&now), (Access::Backoff, (false, false), Some(4)));
    assert_eq!(rules(&then), (Access::Deferral, (true, true), Some(5)));
    // Everything else is as it is now.
    let rest = Mac {
        profile: now.profile,
        access: now.access,
        cts_resets_window: false,
        data_resets_retries: false,
        long_retry_limit: Some(4),
        ..then
    };
    assert_eq!(rest, now);
    assert_eq!(
        rules(&resolved("standard", "").mac),
        (Access::Immediate, (false, false), Some(4))
    );
}

#[test]
fn the_tcp_of_2002_is_slower_to_time_out_and_less_precise() {
    let (now, then) = (
        sender(&resolved("ns2", "")),
        sender(&resolved("ns2-2.1b9", "")),
    );
    let secs = Duration::from_secs;
    assert_eq!(
        (then.min_rto, then.initial_rto, then.max_rto),
        (secs(1), secs(6), secs(100_000))
    );
    assert_eq!(
        (now.halving, then.halving),
        (Halving::Window, Halving::WholeWindow)
    );
    assert!(then.inflate_unguarded && !now.inflate_unguarded);
    assert!(!then.syn_ack_at_once && now.syn_ack_at_once);
    assert!(!then.repetition_acked_at_once && !now.repetition_acked_at_once);
    assert!(sender(&resolved("standard", "")).repetition_acked_at_once);
    assert!(!then.newreno.impatient && !then.newreno.partial_deflation);
    assert_eq!(
        (then.tick, then.initial_window, then.limited_transmit),
        (now.tick, now.initial_window, now.limited_transmit)
    );
}

/// MAC and TCP can be of different years.
#[test]
fn each_part_may_have_a_profile_of_its_own() {
    let mixed = resolved(
        "ns2",
        "[mac]\nprofile = \"ns2-2.1b9\"\naccess = \"random-deferral\"",
    );
    assert_eq!(mixed.mac.access, Access::RandomDeferral);
    assert!(mixed.mac.data_resets_retries);
    assert_eq!(sender(&mixed).profile, Profile::Ns2);
    let source = mixed.sources["mac.long_retry_limit"].to_string();
    assert_eq!(
        source,
        "profile ns2-2.1b9: LongRetryLimit_ 4, which had to be exceeded"
    );
}
