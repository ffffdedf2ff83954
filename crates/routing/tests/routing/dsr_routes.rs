//! DSR, rule by rule: conversations with node n4.

use crate::dsr_script::{message, node, ns2, route, routed};
use crate::script::data;
use acklab_base::NodeId;
use acklab_routing::DsrConfig;
use acklab_wire::Body;
use acklab_wire::dsr::{BrokenLink, FlowHeader, Header, UnknownFlow};

#[test]
fn the_neighbours_are_asked_first_and_then_the_network() {
    let mut node = ns2();
    node.makes(1, 8);
    node.expect(&["message to n*, 32 B, request 1 for n8, reach 0, route 4"]);
    // The buffer is looked at each 30 to 60 ms; the neighbours have 30 ms.
    node.at(95);
    node.expect(&["message to n*, 32 B, request 2 for n8, reach 16, route 4"]);
    // 500 ms after the first, times 4 for each discovery without an answer: 2 s.
    node.at(1_990).expect(&[]);
    node.at(2_065);
    node.expect(&["message to n*, 32 B, request 3 for n8, reach 0, route 4"]);
}

#[test]
fn an_answer_frees_what_waits_thirty_milliseconds_apart() {
    let mut node = ns2();
    node.makes(1, 8).makes(2, 8).makes(3, 7).said.clear();
    node.hears_reply(&[4, 5, 6, 7, 8]);
    node.expect(&["data 1 to n5, 1088 B, route 4-5-6-7-8, flow 1"]);
    node.at(30);
    node.expect(&["data 2 to n5, 1088 B, route 4-5-6-7-8, flow 1"]);
    // The same route leads to n7.
    node.at(60);
    node.expect(&["data 3 to n5, 1084 B, route 4-5-6-7, flow 3"]);
}

#[test]
fn established_flows_need_no_route() {
    let mut node = ns2();
    node.hears_reply(&[4, 5, 6]);
    for id in 1..=4 {
        node.makes(id, 6);
    }
    node.expect(&[
        "data 1 to n5, 1080 B, route 4-5-6, flow 1",
        "data 2 to n5, 1080 B, route 4-5-6, flow 1",
        "data 3 to n5, 1080 B, route 4-5-6, flow 1",
        "data 4 to n5, 1060 B",
    ]);
    // From time to time the route is shown again.
    node.at(5_001).makes(5, 6).makes(6, 6);
    node.expect(&[
        "data 5 to n5, 1080 B, route 4-5-6, flow 1",
        "data 6 to n5, 1060 B",
    ]);
    // A node on the way has forgotten the flow: three more packets show it.
    let unknown = UnknownFlow {
        source: NodeId(4),
        destination: NodeId(6),
        id: Some(1),
    };
    let header = Header {
        route: route(&[5, 4]),
        at: 1,
        unknown_flows: vec![unknown],
        ..Header::new()
    };
    node.hears(5, message(5, 4, header)).makes(7, 6);
    node.expect(&["data 7 to n5, 1080 B, route 4-5-6, flow 1"]);
}

#[test]
fn without_flow_state_every_packet_shows_its_route() {
    let mut node = node(&DsrConfig::standard());
    node.hears_reply(&[4, 5, 6]);
    for id in 1..=4 {
        node.makes(id, 6);
    }
    // RFC 4728: 4 bytes, and an option of 4 bytes and 4 for each node in between.
    node.expect(&[
        "data 1 to n5, 1052 B, route 4-5-6",
        "data 2 to n5, 1052 B, route 4-5-6",
        "data 3 to n5, 1052 B, route 4-5-6",
        "data 4 to n5, 1052 B, route 4-5-6",
    ]);
}

#[test]
fn a_flow_on_its_way_is_remembered_and_an_unknown_one_reported() {
    let mut node = ns2();
    let mut first = routed(1, &[2, 3, 4, 5, 6], 2);
    if let Body::Dsr(message) = &mut first.body {
        message.header.flow = Some(FlowHeader { id: 1, hops: 2 });
        message.header.establishes_flow = true;
    }
    node.hears(3, first);
    node.expect(&["data 1 to n5, 1060 B, route 2-3-4-5-6, flow 1"]);
    node.hears(3, data(2, 2, 6, 30));
    node.expect(&["data 2 to n5, 1040 B"]);
    // A packet with another number of hops behind it is not of that flow. The cache knows the way,
    // and the way back.
    node.hears(3, data(3, 2, 6, 29));
    assert!(node.said[0].starts_with("data 3 to n5"), "{:?}", node.said);
    assert!(node.said[1].contains("request"), "{:?}", node.said);
}

#[test]
fn a_request_is_passed_on_once_and_grows_by_its_header() {
    let mut node = ns2();
    node.hears_request(5, 16, &[2, 3], 8);
    node.expect(&["message to n*, 120 B, request 5 for n8, reach 16, route 2-3-4"]);
    node.hears_request(5, 16, &[2, 1, 3], 8).expect(&[]);
    node.hears_request(6, 0, &[2, 3], 8).expect(&[]);
    node.hears_request(7, 16, &[3, 4], 8).expect(&[]);
}

#[test]
fn the_destination_answers_every_copy() {
    let mut node = ns2();
    node.hears_request(5, 16, &[2, 3], 4);
    node.hears_request(5, 16, &[2, 9], 4);
    // 20 IP, 4 fixed, 8 for the route, 5 + 12 for the reply, padded.
    node.expect(&[
        "message to n3, 52 B, route 4-3-2, reply 2-3-4",
        "message to n9, 52 B, route 4-9-2, reply 2-9-4",
    ]);
}

#[test]
fn the_cache_answers_unless_the_way_would_come_back() {
    let mut node = ns2();
    node.hears_reply(&[4, 5, 6, 7]);
    node.hears_request(5, 0, &[2, 3], 7);
    node.expect(&["message to n3, 64 B, route 4-3-2, reply 2-3-4-5-6-7"]);
    // The request has passed n5 already: this node is not on the way.
    node.hears_request(6, 16, &[2, 5, 3], 7);
    node.expect(&["message to n*, 124 B, request 6 for n7, reach 16, route 2-5-3-4"]);
}

#[test]
fn a_lost_link_is_told_to_the_source_and_the_queue_comes_back() {
    let mut node = ns2();
    node.loses(5, routed(1, &[2, 3, 4, 5, 6], 3));
    node.expect(&[
        "reclaim n5",
        "message to n3, 48 B, route 4-3-2, error 4-5 for n2",
    ]);
    // The packet itself waits here, and the neighbours are asked for its destination.
    node.at(100);
    node.expect(&["message to n*, 32 B, request 1 for n6, reach 0, route 4"]);
    node.hears_reply(&[4, 9, 6]);
    node.expect(&["data 1 to n9, 1052 B, route 4-9-6"]);
}

#[test]
fn another_route_in_the_cache_saves_the_packet() {
    let mut node = ns2();
    node.hears_reply(&[4, 9, 6]);
    node.loses(5, routed(1, &[2, 3, 4, 5, 6], 3));
    node.expect(&[
        "data 1 to n9, 1052 B, route 4-9-6",
        "reclaim n5",
        "message to n3, 48 B, route 4-3-2, error 4-5 for n2",
    ]);
}

#[test]
fn a_broken_link_is_forgotten_by_all_who_hear_of_it() {
    let mut node = ns2();
    node.hears_reply(&[4, 5, 6, 7, 8]);
    let link = BrokenLink {
        tell: NodeId(2),
        from: NodeId(6),
        to: NodeId(7),
    };
    let header = Header {
        route: route(&[6, 5, 4, 3, 2]),
        at: 2,
        errors: vec![link],
        ..Header::new()
    };
    node.hears(5, message(6, 2, header)).said.clear();
    node.makes(1, 6).makes(2, 8);
    // The route up to the broken link stays.
    node.expect(&[
        "data 1 to n5, 1080 B, route 4-5-6, flow 1",
        "message to n*, 32 B, request 1 for n8, reach 0, route 4",
    ]);
}

#[test]
fn an_error_for_this_node_travels_on_with_its_next_request() {
    let mut node = ns2();
    let link = BrokenLink {
        tell: NodeId(4),
        from: NodeId(6),
        to: NodeId(7),
    };
    let header = Header {
        route: route(&[6, 5, 4]),
        at: 2,
        errors: vec![link],
        ..Header::new()
    };
    node.hears(5, message(6, 4, header)).expect(&[]);
    node.makes(1, 8);
    node.expect(&["message to n*, 48 B, request 1 for n8, reach 0, route 4, error 6-7 for n0"]);
}

#[test]
fn routes_are_overheard_and_shortened() {
    let mut node = ns2();
    // n3 sends to n9 what n4 will get from n9: n9 may be left out.
    let early = routed(1, &[2, 3, 9, 4, 5], 2);
    node.overhears(&early);
    node.expect(&["message to n3, 56 B, route 4-3-2, reply 2-3-4-5"]);
    // A packet is looked at once; and a route once a second, from the second time on.
    node.overhears(&early).expect(&[]);
    node.overhears(&routed(2, &[2, 3, 9, 4, 5], 2));
    node.overhears(&routed(3, &[2, 3, 9, 4, 5], 2));
    assert_eq!(node.said.len(), 1, "{:?}", node.said);
    node.said.clear();
    // Whoever sends a packet is a neighbour, and knows the rest of the way.
    node.overhears(&routed(4, &[1, 3, 6, 7], 2));
    node.makes(5, 7);
    node.expect(&["data 5 to n3, 1084 B, route 4-3-6-7, flow 1"]);
}

#[test]
fn a_full_buffer_loses_the_oldest_and_old_packets_go() {
    let mut node = ns2();
    for id in 1..=65 {
        node.makes(id, 8);
    }
    assert_eq!(node.said[1], "drop 1: BufferFull");
    node.said.clear();
    node.at(30_100);
    let lost = node
        .said
        .iter()
        .filter(|said| said.ends_with("BufferTimeout"));
    assert_eq!(lost.count(), 64);
}
