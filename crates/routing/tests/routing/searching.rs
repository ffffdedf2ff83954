//! The node that looks for a route: when it asks, how far, how often, and what becomes of its packets.

use crate::script::{Script, reply, request};
use acklab_base::{Duration, Instant, NodeId};
use acklab_routing::{AodvConfig, RouterNote};

/// n0 has found n8, eight hops away through n1, at 1.08 s: 10 ms a hop.
fn route_from_n0_to_n8() -> Script {
    let mut node = Script::ns2(0);
    node.at(1000).makes(1, 8);
    let sent_at = Instant::from_nanos(1_000_000_000);
    let mut answer = reply((8, 4), 0, 7);
    answer.request_sent_at = sent_at;
    node.at(1080).hears_reply(1, answer).ignore();
    node
}

#[test]
fn the_first_search_covers_the_network_at_once() {
    let mut node = Script::ns2(0);
    node.at(1000)
        .makes(1, 8)
        .expect(&["RREQ 1 of n0#4 for n8#0, hops 0, ttl 30"]);
}

#[test]
fn a_packet_during_the_wait_is_buffered_in_silence() {
    let mut node = Script::ns2(0);
    node.at(1000).makes(1, 8).ignore();
    // 2 × 30 hops × 30 ms = 1.8 s; the purge timers before 2.8 s change nothing.
    node.at(2799).makes(2, 8).expect_nothing();
    node.at(2800)
        .makes(3, 8)
        .expect(&["RREQ 2 of n0#6 for n8#0, hops 0, ttl 30"]);
}

#[test]
fn the_purge_timer_repeats_the_request_four_times_in_all_then_gives_up_for_ten_seconds() {
    let mut node = Script::ns2(0);
    node.at(1000).makes(1, 8).makes(2, 8);
    // Waits of 1.8, 3.6, 5.4 and 7.2 s, each rounded up to the timer's half seconds.
    node.at(29_999).expect_at(&[
        (1000.0, "RREQ 1 of n0#4 for n8#0, hops 0, ttl 30"),
        (3000.0, "RREQ 2 of n0#6 for n8#0, hops 0, ttl 30"),
        (7000.0, "RREQ 3 of n0#8 for n8#0, hops 0, ttl 30"),
        (12_500.0, "RREQ 4 of n0#10 for n8#0, hops 0, ttl 30"),
        (20_000.0, "drop 1: DiscoveryFailed"),
        (20_000.0, "drop 2: DiscoveryFailed"),
    ]);
    assert!(node.notes.contains(&RouterNote::DiscoveryFailed {
        destination: NodeId(8)
    }));
}

#[test]
fn after_the_hold_off_the_search_begins_again() {
    let mut node = Script::ns2(0);
    node.at(1000).makes(1, 8);
    node.at(25_000).ignore().makes(2, 8).expect_nothing();
    node.at(30_000)
        .expect_at(&[(30_000.0, "RREQ 5 of n0#12 for n8#0, hops 0, ttl 30")]);
}

#[test]
fn the_reply_frees_the_buffer_ten_milliseconds_apart() {
    let mut node = Script::ns2(0);
    node.at(1000).makes(1, 8).makes(2, 8).makes(3, 8).ignore();
    node.at(1060)
        .hears_reply(1, reply((8, 4), 0, 7))
        .at(1100)
        .expect_at(&[
            (1060.0, "data 1 to n1, ttl 30"),
            (1070.0, "data 2 to n1, ttl 30"),
            (1080.0, "data 3 to n1, ttl 30"),
        ]);
    node.makes(4, 8).expect(&["data 4 to n1, ttl 30"]);
}

#[test]
fn a_request_of_the_destination_itself_frees_the_buffer_at_once() {
    let mut node = Script::ns2(0);
    node.at(1000).makes(1, 8).makes(2, 8).ignore();
    node.at(1010)
        .hears_request(1, 23, request(1, (8, 4), (5, 0), 7))
        .expect_at(&[
            (1010.0, "data 1 to n1, ttl 30"),
            (1010.0, "data 2 to n1, ttl 30"),
            (1010.0, "RREQ 1 of n8#4 for n5#0, hops 8, ttl 22"),
        ]);
}

#[test]
fn the_last_length_sets_the_ring_of_the_next_search() {
    // A route of 3 hops breaks: the rings are 5 and 7 hops, and then the network.
    let mut node = Script::ns2(0);
    node.at(1000).makes(1, 3);
    node.at(1010).hears_reply(1, reply((3, 4), 0, 2)).ignore();
    node.at(1020).makes(2, 3).ignore();
    node.loses(1, crate::script::data(2, 0, 3, 30)).ignore();
    // 2 s passed per try at most: the measured time is 1010 ms / 3 hops, the wait 10 s at most.
    node.at(2000)
        .makes(3, 3)
        .expect(&["RREQ 2 of n0#8 for n3#5, hops 0, ttl 5"]);
    node.at(6000)
        .expect_at(&[(5500.0, "RREQ 3 of n0#10 for n3#5, hops 0, ttl 7")]);
    node.at(11_000)
        .expect_at(&[(10_500.0, "RREQ 4 of n0#12 for n3#5, hops 0, ttl 30")]);
}

#[test]
fn the_wait_comes_from_the_measured_time_per_hop() {
    // 10 ms a hop were measured: a network-wide request is waited for 2 × 30 × 10 ms.
    let mut node = route_from_n0_to_n8();
    node.at(1100)
        .loses(1, crate::script::data(1, 0, 8, 30))
        .ignore();
    node.at(1110)
        .makes(2, 8)
        .expect(&["RREQ 2 of n0#8 for n8#5, hops 0, ttl 30"]);
    node.at(1709).makes(3, 8).expect_nothing();
    node.at(1710)
        .makes(4, 8)
        .expect(&["RREQ 3 of n0#10 for n8#5, hops 0, ttl 30"]);
    // The second network-wide try is waited for twice as long.
    node.at(2909).ignore().makes(5, 8).expect_nothing();
    node.at(2910)
        .makes(6, 8)
        .expect(&["RREQ 4 of n0#12 for n8#5, hops 0, ttl 30"]);
}

#[test]
fn the_buffer_holds_64_packets_and_the_oldest_makes_room() {
    let mut node = Script::ns2(0);
    node.at(1000);
    for id in 1..=64 {
        node.makes(id, 8);
    }
    node.ignore().makes(65, 8).expect(&["drop 1: BufferFull"]);
}

#[test]
fn a_packet_waits_for_thirty_seconds_at_most() {
    // With a hold-off so long that nothing else empties the buffer first.
    let hold_off = Duration::from_secs(100);
    let mut node = Script::new(
        0,
        AodvConfig {
            hold_off,
            ..AodvConfig::ns2()
        },
    );
    node.at(1000).makes(1, 8);
    node.at(21_000)
        .ignore()
        .makes(2, 8)
        .at(51_000)
        .makes(3, 8)
        .expect_nothing();
    node.at(51_001)
        .makes(4, 8)
        .expect(&["drop 2: BufferTimeout"]);
}

#[test]
fn a_route_out_of_use_for_ten_seconds_goes_at_the_next_purge() {
    let mut node = route_from_n0_to_n8();
    node.at(1300).makes(2, 8).ignore();
    node.at(11_300).expect_nothing();
    assert_eq!(node.next_hop(8), Some(1));
    node.at(11_500).expect_nothing();
    assert_eq!(node.next_hop(8), None);
    // Expired, its number counts one up, and its eight hops make the search network-wide.
    node.at(11_600)
        .makes(3, 8)
        .expect(&["RREQ 2 of n0#6 for n8#5, hops 0, ttl 30"]);
}

#[test]
fn data_for_this_node_is_delivered() {
    let mut node = Script::ns2(0);
    node.at(1000)
        .hears_data(1, crate::script::data(9, 8, 0, 1))
        .expect(&["deliver 9"]);
    node.makes(10, 0).expect(&["deliver 10"]);
}
