//! Link failures, errors and dead ends under ns-2's rules, without local repair.

use crate::script::{Script, data, reply, request, stream};
use acklab_base::{Instant, NodeId};
use acklab_routing::{Aodv, AodvConfig, Router, RouterNote};
use acklab_wire::aodv::Message;
use acklab_wire::{Body, Packet};

/// n4 lies between n0 (through n3) and n8 (number 4, four hops, through n5), since 1 s.
fn route_through_n4() -> Script {
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_request(3, 27, request(1, (0, 4), (8, 0), 3));
    node.hears_reply(5, reply((8, 4), 0, 3)).ignore();
    node
}

#[test]
fn a_failure_at_the_source_drops_purges_reports_and_asks_again_at_the_next_packet() {
    let mut node = Script::ns2(0);
    node.at(1000)
        .makes(1, 8)
        .hears_reply(1, reply((8, 4), 0, 7))
        .ignore();
    node.at(1100).loses(1, data(1, 0, 8, 30));
    node.expect(&["drop 1: LinkFailure", "purge n1", "RERR n8#5"]);
    assert_eq!(
        node.notes.last(),
        Some(&RouterNote::ErrorSent { destinations: 1 })
    );
    // Two for the lost neighbour, two for the request: 4 → 8.
    node.at(1200)
        .makes(2, 8)
        .expect(&["RREQ 2 of n0#8 for n8#5, hops 0, ttl 30"]);
}

#[test]
fn one_error_lists_every_route_through_the_lost_neighbour_newest_first() {
    let mut node = route_through_n4();
    node.hears_reply(5, reply((7, 2), 0, 2))
        .hears_reply(3, reply((1, 2), 8, 2))
        .ignore();
    // Three hops have been travelled, four remain: no repair.
    node.at(1100).loses(5, data(1, 0, 8, 27));
    node.expect(&["drop 1: LinkFailure", "purge n5", "RERR n7#3 n8#5"]);
    assert_eq!(
        (node.next_hop(1), node.next_hop(8), node.next_hop(7)),
        (Some(3), None, None)
    );
}

#[test]
fn a_second_failure_of_a_lost_neighbour_reports_nothing_new() {
    let mut node = route_through_n4();
    node.at(1100).loses(5, data(1, 0, 8, 27)).ignore();
    node.loses(5, data(2, 0, 8, 27))
        .expect(&["drop 2: LinkFailure", "purge n5"]);
}

#[test]
fn a_failure_for_an_unknown_destination_only_drops() {
    let mut node = Script::ns2(4);
    node.at(1000)
        .loses(5, data(1, 0, 8, 27))
        .expect(&["drop 1: LinkFailure"]);
}

#[test]
fn a_lost_routing_message_has_no_consequences() {
    let mut node = route_through_n4();
    let body = Body::Aodv(Message::Reply(reply((8, 4), 0, 3)));
    let (source, destination) = (NodeId(4), NodeId(0));
    node.loses(
        3,
        Packet {
            id: 1,
            source,
            destination,
            ttl: 29,
            bytes: 44,
            body,
        },
    );
    node.expect(&["drop message: LinkFailure"]);
    assert_eq!(node.next_hop(0), Some(3));
    assert!(
        !node
            .notes
            .iter()
            .any(|note| matches!(note, RouterNote::LinkFailure { .. }))
    );
}

#[test]
fn data_without_a_route_is_reported_at_once_each_time() {
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_data(3, data(1, 0, 8, 27))
        .expect(&["RERR n8#0", "drop 1: NoRoute"]);
    node.hears_data(3, data(2, 0, 8, 27))
        .expect(&["RERR n8#0", "drop 2: NoRoute"]);
}

#[test]
fn data_that_comes_back_to_its_source_is_dropped() {
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_data(3, data(1, 4, 8, 27))
        .expect(&["drop 1: Loop"]);
}

#[test]
fn data_is_passed_on_as_long_as_it_has_hops_left() {
    let mut node = route_through_n4();
    node.hears_data(3, data(1, 0, 8, 2))
        .expect(&["data 1 to n5, ttl 1"]);
    node.hears_data(3, data(2, 0, 8, 1))
        .expect(&["drop 2: Ttl"]);
}

#[test]
fn an_error_counts_only_from_the_next_hop_and_only_if_not_older() {
    let mut node = route_through_n4();
    node.at(1100).hears_error(3, &[(8, 5)]).expect_nothing();
    node.hears_error(5, &[(8, 3)]).expect_nothing();
    node.hears_error(5, &[(0, 99), (77, 1)]).expect_nothing();
    assert_eq!(node.next_hop(8), Some(5));
    node.hears_error(5, &[(8, 7)])
        .expect(&["purge n5", "RERR n8#7"]);
    assert_eq!(node.next_hop(8), None);
    node.hears_error(5, &[(8, 7)]).expect_nothing();
}

#[test]
fn an_error_is_passed_on_only_if_someone_depends_on_the_route() {
    // n4 answers nobody here: it asked for itself, so it has no precursor.
    let mut node = Script::ns2(4);
    node.at(1000)
        .makes(1, 8)
        .hears_reply(5, reply((8, 4), 4, 3))
        .ignore();
    node.at(1100)
        .hears_error(5, &[(8, 5)])
        .expect(&["purge n5"]);
}

#[test]
fn a_precursor_that_is_lost_needs_no_error() {
    let mut node = route_through_n4();
    node.at(1100).loses(3, data(1, 8, 0, 26)).ignore();
    node.at(1200)
        .hears_error(5, &[(8, 5)])
        .expect(&["purge n5"]);
}

#[test]
fn forwarded_errors_wait_less_than_ten_milliseconds() {
    for seed in 0..50 {
        let mut node = route_through_n4();
        node.router = Router::Aodv(Box::new(Aodv::new(
            NodeId(4),
            AodvConfig::ns2(),
            stream(seed, 4),
        )));
        node.hears_request(3, 27, request(1, (0, 4), (8, 0), 3));
        node.hears_reply(5, reply((8, 4), 0, 3)).at(1100).ignore();
        node.hears_error(5, &[(8, 5)]).expect(&["purge n5"]);
        let said = node.at(1110).take();
        assert_eq!(said.len(), 1, "seed {seed}");
        assert!((1100.0..1110.0).contains(&said[0].0), "seed {seed}");
    }
}

#[test]
fn the_length_of_the_lost_route_is_remembered() {
    // Eight hops are lost, then the search is network-wide although the ring would start at 5.
    let mut node = Script::ns2(0);
    node.at(1000)
        .makes(1, 2)
        .hears_reply(1, reply((2, 4), 0, 1))
        .ignore();
    node.at(1100).hears_error(1, &[(2, 5)]).ignore();
    node.at(1200)
        .makes(2, 2)
        .expect(&["RREQ 2 of n0#6 for n2#5, hops 0, ttl 4"]);
}

#[test]
fn a_wake_that_nobody_asked_for_changes_nothing() {
    let mut node = route_through_n4();
    let before = format!("{:?}", node.router);
    let early = Instant::from_nanos(node.router.next_wake().as_nanos() - 1);
    node.router.on_wake(early);
    assert_eq!(format!("{:?}", node.router), before);
}
