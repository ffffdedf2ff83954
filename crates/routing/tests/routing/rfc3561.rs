//! Where the standard profile follows RFC 3561 instead of ns-2.

use crate::script::{Script, data, reply, request};
use acklab_base::Duration;
use acklab_routing::AodvConfig;

#[test]
fn the_rings_grow_with_their_own_timers() {
    // §6.4: TTL 1, 3, 5, 7 and the network; a ring is waited for 2 × 40 ms × (TTL + 2), the network
    // 2 × 40 ms × 35 = 2.8 s, then twice and four times as long (§6.3).
    let mut node = Script::standard(0);
    node.at(1000).makes(1, 8).at(40_000).expect_at(&[
        (1000.0, "RREQ 1 of n0#3 for n8#0, hops 0, ttl 1"),
        (1240.0, "RREQ 2 of n0#4 for n8#0, hops 0, ttl 3"),
        (1640.0, "RREQ 3 of n0#5 for n8#0, hops 0, ttl 5"),
        (2200.0, "RREQ 4 of n0#6 for n8#0, hops 0, ttl 7"),
        (2920.0, "RREQ 5 of n0#7 for n8#0, hops 0, ttl 35"),
        (5720.0, "RREQ 6 of n0#8 for n8#0, hops 0, ttl 35"),
        (11_320.0, "RREQ 7 of n0#9 for n8#0, hops 0, ttl 35"),
        (22_520.0, "drop 1: DiscoveryFailed"),
    ]);
}

#[test]
fn nobody_asks_for_packets_that_have_waited_too_long() {
    // Half a second: the ring of TTL 5, at 1.64 s, comes too late, and whoever is about to ask sees it.
    let config = AodvConfig {
        buffer_timeout: Duration::from_millis(500),
        ..AodvConfig::standard()
    };
    let mut node = Script::new(0, config);
    node.at(1000).makes(1, 8).at(20_000).expect_at(&[
        (1000.0, "RREQ 1 of n0#3 for n8#0, hops 0, ttl 1"),
        (1240.0, "RREQ 2 of n0#4 for n8#0, hops 0, ttl 3"),
        (1640.0, "drop 1: BufferTimeout"),
    ]);
}

#[test]
fn a_search_that_nobody_waits_for_does_not_count_against_the_next_one() {
    // The third and last request across the network is out, for 11.2 s, when the packet's time ends. A
    // packet after that has three of its own.
    let config = AodvConfig {
        buffer_timeout: Duration::from_secs(12),
        ..AodvConfig::standard()
    };
    let mut node = Script::new(0, config);
    node.at(1000).makes(1, 8).at(11_400).ignore();
    node.at(30_000)
        .expect_at(&[(13_500.0, "drop 1: BufferTimeout")]);
    node.makes(2, 8).at(41_999).expect_at(&[
        (30_000.0, "RREQ 8 of n0#10 for n8#0, hops 0, ttl 35"),
        (32_800.0, "RREQ 9 of n0#11 for n8#0, hops 0, ttl 35"),
        (38_400.0, "RREQ 10 of n0#12 for n8#0, hops 0, ttl 35"),
    ]);
}

#[test]
fn the_destination_answers_with_the_higher_of_both_numbers() {
    let mut node = Script::standard(8);
    node.at(1000)
        .hears_request(7, 23, request(1, (0, 3), (8, 0), 7));
    node.expect(&["RREP n8#2 for n0 via n7, hops 0, 6 s"]);
    node.at(1010)
        .hears_request(7, 23, request(2, (0, 4), (8, 7), 7));
    node.expect(&["RREP n8#7 for n0 via n7, hops 0, 6 s"]);
}

/// n6: n8 (number 4) two hops ahead through n7, n0 six hops back through n5; since 1 s.
fn n6() -> Script {
    let mut node = Script::standard(6);
    node.at(1000)
        .hears_request(5, 25, request(1, (0, 4), (8, 0), 5));
    node.hears_reply(7, reply((8, 4), 0, 1)).ignore();
    node
}

#[test]
fn a_repair_asks_for_a_newer_number_within_a_limited_reach() {
    // §6.12: max(2 hops, half of the 6 hops back) + 2.
    let mut node = n6();
    node.at(1100).loses(7, data(1, 0, 8, 29));
    node.expect(&["RREQ 1 of n6#3 for n8#5, hops 0, ttl 5", "reclaim n7"]);
    node.at(1150)
        .hears_reply(7, reply((8, 5), 6, 3))
        .expect(&["data 1 to n7, ttl 29"]);
}

#[test]
fn a_repair_takes_the_other_routes_over_the_broken_link_down() {
    // §6.12: "Other routes using the same link MUST also be marked as invalid"; n7 itself and n9 are
    // reported as in §6.11, n8 is not: its repair is under way.
    let mut node = n6();
    node.at(1010)
        .hears_request(5, 25, request(2, (0, 5), (9, 0), 5));
    node.hears_reply(7, reply((9, 4), 0, 2))
        .hears_reply(7, reply((7, 2), 0, 0))
        .at(1020)
        .ignore();
    node.at(1100).loses(7, data(1, 0, 8, 29));
    node.expect(&[
        "RREQ 1 of n6#3 for n8#5, hops 0, ttl 5",
        "reclaim n7",
        "RERR n7#3 n9#5",
    ]);
    assert_eq!((node.next_hop(7), node.next_hop(9)), (None, None));
    assert_eq!(node.next_hop(0), Some(5), "another link");
    // What waited in the queue comes back. "During local repair data packets SHOULD be buffered."
    node.gets_back(data(2, 0, 8, 29))
        .gets_back(data(3, 0, 9, 29))
        .expect(&["drop 3: LinkFailure"]);
    node.at(1150)
        .hears_reply(5, reply((8, 5), 6, 3))
        .expect(&["data 1 to n5, ttl 29", "data 2 to n5, ttl 29"]);
}

#[test]
fn data_without_a_route_is_reported_with_a_higher_number_each_time() {
    // §6.11: a known number "is incremented for cases (i) and (ii)", the second of which is data
    // without a route. n5, which still believes in its route of number 5, must not find an older one.
    let mut node = n6();
    node.at(1100).hears_error(7, &[(8, 5)]).at(1110).ignore();
    node.hears_data(5, data(1, 0, 8, 30))
        .expect(&["RERR n8#6", "drop 1: NoRoute"]);
    node.hears_data(5, data(2, 0, 8, 30))
        .expect(&["RERR n8#7", "drop 2: NoRoute"]);
    node.hears_data(5, data(3, 0, 9, 30))
        .expect(&["RERR n9#0", "drop 3: NoRoute"]);
}

#[test]
fn an_error_with_an_older_number_is_stale() {
    // §6.1: "the information related to that destination in the AODV message MUST be discarded".
    let mut node = n6();
    node.at(1100).hears_error(7, &[(8, 3)]).expect_nothing();
    assert_eq!(node.next_hop(8), Some(7));
    node.hears_error(7, &[(8, 4)])
        .expect(&["purge n7", "RERR n8#4"]);
}

#[test]
fn news_of_the_broken_link_does_not_end_the_repair() {
    // §6.11 speaks of active routes; that of n8 is none any more. Data for n9 was with the MAC already.
    let mut node = n6();
    node.at(1100).loses(7, data(1, 0, 8, 29)).ignore();
    node.at(1110).hears_error(7, &[(8, 5)]).expect_nothing();
    node.at(1120)
        .loses(7, data(2, 0, 9, 29))
        .expect(&["drop 2: LinkFailure"]);
    node.hears_reply(7, reply((9, 4), 0, 2)).ignore();
    node.at(1130).loses(7, data(3, 6, 9, 35)).expect(&[
        "drop 3: LinkFailure",
        "purge n7",
        "RERR n9#5",
    ]);
    node.at(1150)
        .hears_reply(5, reply((8, 5), 6, 3))
        .expect(&["data 1 to n5, ttl 29"]);
}

#[test]
fn the_reach_of_repairs_grows_with_the_network() {
    // §10: MAX_REPAIR_TTL = 0.3 × NET_DIAMETER.
    for (diameter, hops, repairs) in [
        (35, 10, true),
        (35, 11, false),
        (60, 18, true),
        (60, 19, false),
    ] {
        let config = AodvConfig {
            network_diameter: diameter,
            ..AodvConfig::standard()
        };
        let mut node = Script::new(6, config);
        node.at(1000).hears_reply(7, reply((80, 4), 6, hops - 1));
        node.loses(7, data(1, 0, 80, diameter - 6));
        let said = node.take();
        let asks = said.iter().any(|(_, what)| what.starts_with("RREQ"));
        assert_eq!(asks, repairs, "{hops} hops of {diameter}: {said:?}");
    }
}

#[test]
fn the_way_back_lives_shorter_the_longer_the_request_was_on_its_way() {
    // §6.5: 2 × 2.8 s − 2 × HopCount × 40 ms: 5.52 s after one hop, 4 s after 20. Routes are looked at
    // twice a second.
    for (hops_before, ends) in [(0, 7000), (19, 5500)] {
        let mut node = Script::standard(20);
        node.at(1000)
            .hears_request(19, 15, request(1, (0, 4), (30, 0), hops_before));
        assert_eq!(node.at(ends - 1).next_hop(0), Some(19));
        assert_eq!(node.at(ends).next_hop(0), None, "after {hops_before} hops");
    }
}

#[test]
fn a_packet_that_was_lost_on_an_earlier_way_needs_no_repair() {
    let mut node = n6();
    node.at(1050).hears_reply(9, reply((8, 6), 0, 1)).ignore();
    node.at(1100)
        .loses(7, data(1, 0, 8, 29))
        .expect(&["drop 1: LinkFailure", "purge n7"]);
    assert_eq!(node.next_hop(8), Some(9));
}

#[test]
fn a_repair_that_finds_nothing_is_reported() {
    let mut node = n6();
    node.at(1100).loses(7, data(1, 0, 8, 29)).ignore();
    node.at(1200)
        .hears_data(5, data(2, 0, 8, 30))
        .expect_nothing();
    // The request of TTL 5 is waited for 2 × 40 ms × 7 = 560 ms.
    node.at(1700).expect_at(&[
        (1660.0, "drop 1: DiscoveryFailed"),
        (1660.0, "drop 2: DiscoveryFailed"),
        (1660.0, "RERR n8#5"),
    ]);
}

#[test]
fn the_guard_of_a_repair_that_succeeded_is_void() {
    let mut node = n6();
    node.at(1100).loses(7, data(1, 0, 8, 29));
    node.at(1150).hears_reply(7, reply((8, 5), 6, 1));
    node.at(1200).loses(7, data(2, 0, 8, 29)).ignore();
    node.at(1700).expect_nothing();
    node.at(1800)
        .expect(&["drop 2: DiscoveryFailed", "RERR n8#6"]);
}

#[test]
fn the_source_does_not_repair() {
    let mut node = Script::standard(0);
    node.at(1000)
        .makes(1, 2)
        .hears_reply(1, reply((2, 4), 0, 1))
        .ignore();
    node.at(1100).loses(1, data(1, 0, 2, 35));
    node.expect(&["drop 1: LinkFailure", "purge n1", "RERR n2#5"]);
}

#[test]
fn a_node_under_repair_does_not_answer() {
    let mut node = n6();
    node.at(1100).loses(7, data(1, 0, 8, 29)).ignore();
    node.at(1110)
        .hears_request(5, 29, request(2, (5, 4), (8, 4), 0));
    node.expect(&["RREQ 2 of n5#4 for n8#5, hops 1, ttl 28"]);
}

#[test]
fn data_refreshes_the_way_back_too() {
    // §6.2. Without data both ways go after 3 s.
    let mut node = n6();
    for at in [3000, 5000, 7000] {
        node.at(at).hears_data(5, data(1, 0, 8, 30));
    }
    assert_eq!((node.next_hop(8), node.next_hop(0)), (Some(7), Some(5)));
}

#[test]
fn data_does_not_shorten_the_life_of_a_route() {
    // §6.2: "updated to be no less than the current time plus ACTIVE_ROUTE_TIMEOUT". The reply gives
    // 10 s; packets that had waited for it, and one more, promise 3 s only.
    let mut node = Script::standard(0);
    node.at(1000)
        .makes(1, 8)
        .hears_reply(1, reply((8, 4), 0, 1))
        .at(2000)
        .makes(2, 8)
        .at(10_900);
    assert_eq!(node.next_hop(8), Some(1));
    assert_eq!(node.at(11_600).next_hop(8), None);
}

#[test]
fn a_forwarded_reply_does_not_shorten_the_life_of_the_way_back() {
    // §6.7: the maximum of the existing lifetime and ACTIVE_ROUTE_TIMEOUT from now; with the longer
    // memory of a request here the way back lives for 20 s.
    let config = AodvConfig {
        reverse_route_life: Duration::from_secs(20),
        ..AodvConfig::standard()
    };
    let mut node = Script::new(6, config);
    node.at(1000)
        .hears_request(5, 25, request(1, (0, 4), (8, 0), 0));
    node.hears_reply(7, reply((8, 4), 0, 1)).at(19_000);
    assert_eq!(node.next_hop(0), Some(5));
}

#[test]
fn a_request_of_a_node_that_is_looked_for_does_not_shorten_the_life_of_its_route() {
    // n8 asks for n0 while n0 asks for it: §6.5 gives 5.6 s, which ACTIVE_ROUTE_TIMEOUT does not cut.
    let mut node = Script::standard(0);
    node.at(1000)
        .makes(1, 8)
        .at(1010)
        .hears_request(1, 34, request(1, (8, 4), (0, 0), 0))
        .at(5500);
    assert_eq!(node.next_hop(8), Some(1));
}

#[test]
fn messages_have_the_sizes_of_the_rfc_over_udp() {
    // §5.1 to §5.3: 24, 20 and 4 + 8 k bytes.
    let config = AodvConfig::standard();
    let headers = 28;
    assert_eq!(config.request_bytes, 24 + headers);
    assert_eq!(config.reply_bytes, 20 + headers);
    assert_eq!(
        (config.error_bytes, config.error_entry_bytes),
        (4 + headers, 8)
    );
}
