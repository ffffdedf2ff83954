//! Nodes that hear requests and replies of others.

use crate::script::{Script, data, reply, request, stream};
use acklab_base::{Duration, NodeId};
use acklab_routing::{Aodv, AodvConfig, Router};

#[test]
fn a_request_goes_on_with_one_hop_more_and_one_less_to_travel() {
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_request(3, 27, request(1, (0, 4), (8, 0), 3));
    node.expect(&["RREQ 1 of n0#4 for n8#0, hops 4, ttl 26"]);
    assert_eq!(node.next_hop(0), Some(3), "and leaves the way back");
}

#[test]
fn a_request_is_heard_once() {
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_request(3, 27, request(1, (0, 4), (8, 0), 3))
        .ignore();
    node.at(1010)
        .hears_request(5, 25, request(1, (0, 4), (8, 0), 5))
        .expect_nothing();
    assert_eq!(
        node.next_hop(0),
        Some(3),
        "the copy that came around is not believed"
    );
}

#[test]
fn a_node_ignores_its_own_request() {
    let mut node = Script::ns2(0);
    node.at(1000).makes(1, 8).ignore();
    node.at(1010)
        .hears_request(1, 29, request(1, (0, 4), (8, 0), 1))
        .expect_nothing();
}

#[test]
fn a_request_with_no_hop_left_ends_here() {
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_request(3, 1, request(1, (0, 4), (8, 0), 3));
    node.expect(&["drop message: Ttl"]);
    assert_eq!(node.next_hop(0), Some(3), "but the way back is learned");
}

#[test]
fn the_highest_number_seen_on_the_way_is_asked_for() {
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_request(3, 27, request(1, (0, 4), (8, 0), 3));
    node.hears_reply(5, reply((8, 4), 0, 3));
    node.at(1010).loses(5, data(1, 0, 8, 30)).ignore();
    node.at(1020)
        .hears_request(3, 27, request(2, (0, 6), (8, 4), 3));
    node.expect(&["RREQ 2 of n0#6 for n8#5, hops 4, ttl 26"]);
}

#[test]
fn the_destination_answers_with_an_even_number_above_both() {
    let mut node = Script::ns2(8);
    node.at(1000)
        .hears_request(7, 23, request(1, (0, 4), (8, 0), 7));
    node.expect(&["RREP n8#4 for n0 via n7, hops 0, 10 s"]);
    node.at(1010)
        .hears_request(7, 23, request(2, (0, 6), (8, 4), 7));
    node.expect(&["RREP n8#6 for n0 via n7, hops 0, 10 s"]);
    node.at(1020)
        .hears_request(7, 23, request(3, (0, 8), (8, 11), 7));
    node.expect(&["RREP n8#12 for n0 via n7, hops 0, 10 s"]);
}

/// n4 knows n8 (number 4, four hops, through n5) and n0 (through n3) since 1 s.
fn route_through_n4() -> Script {
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_request(3, 27, request(1, (0, 4), (8, 0), 3));
    node.hears_reply(5, reply((8, 4), 0, 3)).ignore();
    node
}

#[test]
fn a_reply_goes_back_along_the_reverse_route() {
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_request(3, 27, request(1, (0, 4), (8, 0), 3))
        .ignore();
    node.at(1010).hears_reply(5, reply((8, 4), 0, 3));
    node.expect(&["RREP n8#4 for n0 via n3, hops 4, 10 s"]);
    assert_eq!(node.next_hop(8), Some(5));
}

#[test]
fn a_reply_that_is_neither_newer_nor_shorter_dies() {
    let mut node = route_through_n4();
    node.at(1010)
        .hears_reply(9, reply((8, 4), 0, 3))
        .expect_nothing();
    node.at(1010)
        .hears_reply(9, reply((8, 2), 0, 0))
        .expect_nothing();
    assert_eq!(node.next_hop(8), Some(5));
    node.hears_reply(9, reply((8, 4), 0, 2))
        .expect(&["RREP n8#4 for n0 via n3, hops 3, 10 s"]);
    assert_eq!(node.next_hop(8), Some(9), "shorter is believed");
    node.hears_reply(5, reply((8, 6), 0, 5))
        .expect(&["RREP n8#6 for n0 via n3, hops 6, 10 s"]);
    assert_eq!(
        node.next_hop(8),
        Some(5),
        "newer is believed, even if longer"
    );
}

#[test]
fn a_reply_whose_way_back_is_gone_is_dropped() {
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_reply(5, reply((8, 4), 0, 3))
        .expect(&["drop message: NoRoute"]);
    assert_eq!(node.next_hop(8), Some(5), "though the way ahead is learned");
}

#[test]
fn a_reply_refreshes_the_way_back_for_ten_seconds() {
    // The reverse route of a request lives for 6 s, until a reply has used it.
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_request(3, 27, request(1, (0, 4), (8, 0), 3));
    node.at(7500);
    assert_eq!(node.next_hop(0), None);
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_request(3, 27, request(1, (0, 4), (8, 0), 3));
    node.hears_reply(5, reply((8, 4), 0, 3)).at(11_000);
    assert_eq!(node.next_hop(0), Some(3));
    node.at(11_500);
    assert_eq!(node.next_hop(0), None);
}

#[test]
fn a_node_that_knows_the_way_answers_with_whole_seconds_of_life() {
    let mut node = route_through_n4();
    node.at(3400)
        .hears_request(2, 28, request(1, (2, 4), (8, 4), 0));
    node.expect(&["RREP n8#4 for n2 via n2, hops 4, 7 s"]);
}

#[test]
fn an_older_number_is_no_answer() {
    let mut node = route_through_n4();
    node.at(3400)
        .hears_request(2, 28, request(1, (2, 4), (8, 5), 0));
    node.expect(&["RREQ 1 of n2#4 for n8#5, hops 1, ttl 27"]);
}

#[test]
fn an_older_number_of_the_originator_changes_no_route() {
    let mut node = route_through_n4();
    node.at(1500)
        .hears_request(5, 28, request(7, (0, 2), (9, 0), 0));
    node.expect(&["RREQ 7 of n0#2 for n9#0, hops 1, ttl 27"]);
    assert_eq!(node.next_hop(0), Some(3));
}

#[test]
fn being_asked_by_the_node_one_looks_for_ends_the_search() {
    // n4 looks for n0 and is asked by n0: the route lives for 10 s, not 6, and the search starts anew.
    let mut node = Script::ns2(4);
    node.at(1000).makes(1, 0);
    node.at(1010)
        .hears_request(3, 27, request(1, (0, 4), (8, 0), 3))
        .ignore();
    node.at(11_000);
    assert_eq!(node.next_hop(0), Some(3));
    node.at(11_100);
    node.at(11_600).makes(2, 0);
    assert_eq!(node.take().len(), 1, "no wait is left over");
}

#[test]
fn forwarded_requests_wait_less_than_ten_milliseconds() {
    let mut jitters = Vec::new();
    for seed in 0..200 {
        let mut script = Script::ns2(4);
        script.router = Router::Aodv(Box::new(Aodv::new(
            NodeId(4),
            AodvConfig::ns2(),
            stream(seed, 4),
        )));
        script
            .at(1000)
            .hears_request(3, 27, request(1, (0, 4), (8, 0), 3))
            .expect_nothing();
        let said = script.at(1010).take();
        assert_eq!(said.len(), 1, "seed {seed}");
        jitters.push(said[0].0 - 1000.0);
    }
    let mean = jitters.iter().sum::<f64>() / 200.0;
    assert!((mean - 5.0).abs() < 0.7, "mean {mean} ms");
    assert!(jitters.iter().all(|&jitter| (0.0..10.0).contains(&jitter)));
}

#[test]
fn the_answering_node_tells_both_neighbours_when_the_route_breaks() {
    // n4 answered n2 from its table, so n2 is a precursor: n5's error is passed on.
    let mut node = route_through_n4();
    node.at(1100)
        .hears_request(2, 28, request(1, (2, 4), (8, 4), 0))
        .ignore();
    node.at(1200)
        .hears_error(5, &[(8, 5)])
        .expect(&["purge n5", "RERR n8#5"]);
}

#[test]
fn messages_have_the_sizes_of_ns2() {
    let config = AodvConfig::ns2();
    let sizes = (config.request_bytes, config.reply_bytes, config.error_bytes);
    assert_eq!((sizes, config.error_entry_bytes), ((48, 44, 24), 8));
    assert_eq!(config.network_diameter, 30);
    assert_eq!(config.reverse_route_life, Duration::from_secs(6));
}
