//! The defaults of DSDV and DSR under both profiles, and of the queue that goes with them.

use acklab_base::Duration;
use acklab_scenario::{QueueKind, Resolved, Routing, parse_toml};

fn under(profile: &str, protocol: &str, more: &str) -> Resolved {
    let text = format!(
        "profile = \"{profile}\"\nduration = \"150 s\"\n\
         [topology]\nkind = \"chain\"\nnodes = 9\nspacing = \"200 m\"\n\
         [routing]\nprotocol = \"{protocol}\"\n{more}\n[[flow]]\nkind = \"ftp\"\n"
    );
    parse_toml("s.toml", &text)
        .and_then(|scenario| scenario.resolve())
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn dsdv_ignores_the_mac_in_ns2_only() {
    for (profile, detects) in [("ns2", false), ("standard", true)] {
        let resolved = under(profile, "dsdv", "");
        let Routing::Dsdv(dsdv) = resolved.routing else {
            panic!("DSDV")
        };
        let secs = Duration::from_secs;
        assert_eq!(dsdv.link_detection, detects);
        assert_eq!(
            (dsdv.update_period, dsdv.silent_periods, dsdv.first_settling),
            (secs(15), 3, secs(6))
        );
        assert_eq!(
            (dsdv.trigger_spacing, dsdv.start_jitter),
            (secs(1), secs(2))
        );
        assert_eq!(
            (dsdv.broadcast_jitter, dsdv.buffer_capacity),
            (Duration::from_millis(10), 5)
        );
        assert_eq!(resolved.queue.kind, QueueKind::RoutingFirst);
    }
}

#[test]
fn dsr_has_flow_state_and_its_queue_in_ns2_only() {
    let kinds = [
        ("ns2", true, QueueKind::Priority),
        ("standard", false, QueueKind::RoutingFirst),
    ];
    for (profile, flow_state, kind) in kinds {
        let resolved = under(profile, "dsr", "");
        let Routing::Dsr(dsr) = resolved.routing else {
            panic!("DSR")
        };
        assert_eq!((dsr.flow_state, resolved.queue.kind), (flow_state, kind));
        assert_eq!((dsr.primary_routes, dsr.secondary_routes), (30, 64));
        assert_eq!(
            (dsr.buffer_capacity, dsr.buffer_timeout, dsr.salvages),
            (64, Duration::from_secs(30), 15)
        );
        assert_eq!(
            (dsr.request_period, dsr.max_request_period),
            (Duration::from_millis(500), Duration::from_secs(10))
        );
        assert!(dsr.replies_from_cache && dsr.overhears && dsr.asks_neighbours_first);
    }
}

#[test]
fn a_queue_is_what_the_scenario_says() {
    let given = under("ns2", "dsr", "[queue]\nkind = \"routing-first\"");
    assert_eq!(given.queue.kind, QueueKind::RoutingFirst);
    let given = under("ns2", "aodv", "[queue]\nkind = \"priority\"");
    assert_eq!(given.queue.kind, QueueKind::Priority);
}

#[test]
fn the_longest_wait_of_the_standard_is_doubled_with_each_retry() {
    // RFC 3561 §6.3: 2.8 s across the network at first. The last is the longest that can be written.
    let waits = [
        ("", 11_200),
        ("request_retries = 0", 2_800),
        ("request_retries = 4", 44_800),
        (
            "request_retries = 4\nnode_traversal_time = \"20 ms\"",
            22_400,
        ),
        (
            "request_retries = 255\nnode_traversal_time = \"100 s\"\nnetwork_diameter = 255",
            835_584_000_000,
        ),
    ];
    for (given, wait) in waits {
        let resolved = under("standard", "aodv", given);
        let Routing::Aodv(aodv) = resolved.routing else {
            panic!("AODV")
        };
        assert_eq!(
            aodv.max_request_wait,
            Duration::from_millis(wait),
            "{given}"
        );
        let again = parse_toml("s.toml", &resolved.to_toml()).and_then(|text| text.resolve());
        assert_eq!(
            again.as_ref().map(|one| &one.routing),
            Ok(&resolved.routing)
        );
    }
}

#[test]
fn a_first_ring_is_shown_where_there_is_one() {
    // ns-2's first search goes through the whole network. Its value in scenarios that were resolved when it was
    // shown is no wish of anybody.
    let standard = under("standard", "aodv", "").to_toml();
    assert!(standard.contains("ttl_start = 1\n"), "{standard}");
    for profile in ["ns2", "ns2-2.1b9"] {
        let resolved = under(profile, "aodv", "");
        let text = resolved.to_toml();
        assert!(!text.contains("ttl_start"), "{text}");
        let shown = text.replace("ttl_increment = 2\n", "ttl_increment = 2\nttl_start = 5\n")
            + &format!("\"routing.ttl_start\" = \"profile {profile}: TTL_START\"\n");
        let again = parse_toml("s.toml", &shown).and_then(|text| text.resolve());
        assert_eq!(again.map(|one| one.routing), Ok(resolved.routing));
    }
}
