//! Local repair under ns-2's rules: with its guard that comes too late, and the answers it cannot use.

use crate::script::{Script, data, reply, request};
use acklab_base::NodeId;
use acklab_routing::{AodvConfig, LocalRepair, RepairGuard, RouterNote};

/// n6 of the chain: n8 (number 4) is two hops ahead through n7, n0 six hops back through n5; since 1 s,
/// the jitter of the forwarded request being over.
fn route_through(mut node: Script) -> Script {
    node.at(1000)
        .hears_request(5, 25, request(1, (0, 4), (8, 0), 5));
    node.hears_reply(7, reply((8, 4), 0, 1)).at(1010).ignore();
    node
}

fn n6() -> Script {
    route_through(Script::ns2(6))
}

#[test]
fn past_halfway_the_packet_is_kept_and_the_route_searched_from_here() {
    let mut node = n6();
    node.at(1100).loses(7, data(1, 0, 8, 24));
    node.expect(&["RREQ 1 of n6#4 for n8#4, hops 0, ttl 30"]);
    assert!(node.notes.contains(&RouterNote::LocalRepair {
        destination: NodeId(8)
    }));
    assert_eq!(node.next_hop(8), None);
    node.at(1200)
        .hears_data(5, data(2, 0, 8, 25))
        .expect_nothing();
    node.at(1300)
        .hears_reply(9, reply((8, 6), 6, 2))
        .at(1400)
        .expect_at(&[
            (1300.0, "data 1 to n9, ttl 24"),
            (1310.0, "data 2 to n9, ttl 24"),
        ]);
}

#[test]
fn halfway_and_before_the_route_is_given_up() {
    let mut node = Script::ns2(4);
    node.at(1000)
        .hears_request(3, 27, request(1, (0, 4), (8, 0), 3));
    node.hears_reply(5, reply((8, 4), 0, 3)).ignore();
    // Four hops travelled, four to go.
    node.at(1100).loses(5, data(1, 0, 8, 26));
    node.expect(&["drop 1: LinkFailure", "purge n5", "RERR n8#5"]);
}

#[test]
fn further_losses_on_a_route_under_repair_join_the_buffer() {
    let mut node = n6();
    node.at(1100).loses(7, data(1, 0, 8, 24)).ignore();
    node.at(1110).loses(7, data(2, 0, 8, 24)).expect_nothing();
}

#[test]
fn a_neighbours_answer_with_the_old_number_does_not_mend_the_route() {
    // n7 still has its own one-hop route, n5 believes in n6: neither is newer nor shorter.
    let mut node = n6();
    node.at(1100).loses(7, data(1, 0, 8, 24)).ignore();
    node.at(1110)
        .hears_reply(7, reply((8, 4), 6, 1))
        .expect_nothing();
    node.at(1120)
        .hears_reply(5, reply((8, 4), 6, 3))
        .expect_nothing();
    assert_eq!(node.next_hop(8), None);
    // The purge timer goes on until the tries are used up, even behind the back of the guard.
    node.at(25_000).expect_at(&[
        (3000.0, "RREQ 2 of n6#6 for n8#4, hops 0, ttl 30"),
        (7000.0, "RREQ 3 of n6#8 for n8#4, hops 0, ttl 30"),
        (12_500.0, "RREQ 4 of n6#10 for n8#4, hops 0, ttl 30"),
        (20_000.0, "drop 1: DiscoveryFailed"),
    ]);
}

#[test]
fn the_guard_fires_at_about_twice_the_present_and_takes_the_route_down_in_silence() {
    // The repair at 1.1 s waits until 2.9 s; the timer gets these 2.9 s as a delay: 4.0 s.
    let mut node = n6();
    node.at(1100).loses(7, data(1, 0, 8, 24)).ignore();
    node.at(3999)
        .ignore()
        .hears_data(5, data(2, 0, 8, 25))
        .expect_nothing();
    node.at(4000)
        .hears_data(5, data(3, 0, 8, 25))
        .expect(&["RERR n8#4", "drop 3: NoRoute"]);
}

#[test]
fn the_guard_of_an_old_repair_ends_a_later_one() {
    let mut node = n6();
    node.at(1100).loses(7, data(1, 0, 8, 24));
    node.at(1200).hears_reply(7, reply((8, 6), 6, 1));
    node.at(3900).loses(7, data(2, 0, 8, 24)).ignore();
    node.at(3950)
        .hears_data(5, data(3, 0, 8, 25))
        .expect_nothing();
    node.at(4000)
        .hears_data(5, data(4, 0, 8, 25))
        .expect(&["RERR n8#6", "drop 4: NoRoute"]);
}

#[test]
fn without_a_guard_the_repair_lasts() {
    let config = AodvConfig {
        repair_guard: RepairGuard::Never,
        ..AodvConfig::ns2()
    };
    let mut node = route_through(Script::new(6, config));
    node.at(1100).loses(7, data(1, 0, 8, 24)).at(4000).ignore();
    node.hears_data(5, data(2, 0, 8, 25)).expect_nothing();
}

#[test]
fn with_repair_off_every_failure_is_reported() {
    let config = AodvConfig {
        local_repair: LocalRepair::Off,
        ..AodvConfig::ns2()
    };
    let mut node = route_through(Script::new(6, config));
    node.at(1100).loses(7, data(1, 0, 8, 24));
    node.expect(&["drop 1: LinkFailure", "purge n7", "RERR n8#5"]);
}

#[test]
fn a_node_under_repair_still_answers_and_its_reply_lives_almost_for_ever() {
    let mut node = n6();
    node.at(1100).loses(7, data(1, 0, 8, 24)).ignore();
    node.at(3100)
        .ignore()
        .hears_request(5, 29, request(1, (5, 4), (8, 4), 0));
    // The expiry was set to zero: -3 s left, without a sign.
    node.expect(&["RREP n8#4 for n5 via n5, hops 2, 4294967293 s"]);
}
