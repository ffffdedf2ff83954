//! Measures that hang on when a flow starts, on what kind it is, and on whose handoff it was.

use crate::common::{options, run, scenario};
use acklab_world::RunResult;

fn measured(text: &str) -> RunResult {
    run(&scenario(text), &options(1))
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9 * one.abs().max(1.0)
}

/// Windows are means from the flow's start on, whenever measuring begins before that.
#[test]
fn windows_are_measured_from_the_start_of_the_flow() {
    let late = |measure: &str| {
        measured(&format!(
            "duration = \"10 s\"\n{measure}\ntopology = {{kind = \"chain\", nodes = 2, spacing = \"200 m\"}}\n\
             routing = {{protocol = \"static\"}}\n[[flow]]\nkind = \"ftp\"\nstart = \"8 s\"\n"
        ))
    };
    let (by_default, from_zero) = (late(""), late("measure = {from = \"0 s\"}"));
    for name in [
        "cwnd_mean",
        "window_mean",
        "slow_start_share",
        "small_window_share",
    ] {
        let (one, other) = (by_default.flows[0][name], from_zero.flows[0][name]);
        assert!(close(one, other), "{name}: {one} and {other}");
        assert!(close(one, from_zero.measures[name]), "{name}");
    }
    assert!(from_zero.flows[0]["cwnd_mean"] > 10.0);
}

/// A flow of datagrams has no window, and takes no part in those of the network.
#[test]
fn windows_of_the_network_are_those_of_its_tcp_flows() {
    let result = measured(
        "duration = \"10 s\"\ntopology = {kind = \"chain\", nodes = 2, spacing = \"200 m\"}\n\
         routing = {protocol = \"static\"}\n\
         flow = [{kind = \"ftp\", window = 8}, {kind = \"cbr\", interval = \"50 ms\"}]\n",
    );
    for name in [
        "cwnd_max",
        "cwnd_mean",
        "window_mean",
        "slow_start_share",
        "small_window_share",
    ] {
        assert!(
            close(result.measures[name], result.flows[0][name]),
            "{name}"
        );
        assert!(!result.flows[1].contains_key(name), "{name}");
    }
}

/// Packets whose next hop answers no ARP are told as any others that are lost on their way.
#[test]
fn packets_that_nobody_resolves_are_dropped() {
    let result = measured(
        "duration = \"30 s\"\ntopology = {kind = \"chain\", nodes = 3, spacing = \"200 m\"}\n\
         routing = {protocol = \"static\"}\n\
         moving = [{nodes = [1], motion = {kind = \"waypoints\", times = [\"0.2 s\", \"0.3 s\"], \
         places = [[\"200 m\", \"0 m\"], [\"200 m\", \"1000 m\"]]}}]\n\
         flow = [{kind = \"cbr\", interval = \"100 ms\"}]\n",
    );
    let (sent, lost) = (
        result.measures["sent_packets"],
        result.measures["arp_drops"],
    );
    // The last one may still wait.
    assert!(
        sent > 200.0 && lost <= sent && lost >= sent - 2.0,
        "{lost} of {sent}"
    );
}

/// What a slotted radio gives up is a share of what it took up.
#[test]
fn a_slotted_radio_gives_up_a_share_of_its_packets() {
    let result = measured(
        "duration = \"60 s\"\nmeasure = {from = \"5 s\"}\n\
         topology = {kind = \"graph\", nodes = 5, edges = [[0,1],[1,2],[2,3],[3,4]]}\n\
         slotted = {retry_limit = 2}\nflow = [{kind = \"ftp\", variant = \"reno\"}]\n",
    );
    let (given_up, hops) = (result.measures["retry_drops"], result.measures["slot_hops"]);
    assert!(given_up > 0.0 && hops > given_up);
    assert!(close(
        result.measures["drop_probability"],
        given_up / (given_up + hops)
    ));
}

/// Two mobiles that go to and fro between two stations, the second a little behind.
fn cells(flow: &str) -> RunResult {
    let motion = |from: u32| {
        format!(
            "motion = {{kind = \"back-and-forth\", from = [\"{from} m\", \"0 m\"], \
             to = [\"230 m\", \"0 m\"], speed = \"70 km/h\"}}"
        )
    };
    measured(&format!(
        "flow = [{flow}]\nduration = \"40 s\"\ntopology = {{kind = \"access-tree\", branches = [1, 1], \
         mobiles = 2, rate = \"10 Mbit/s\", delay = \"5 ms\"}}\n[cells]\ngateway = 1\n\
         rate = \"2 Mbit/s\"\nstation = [{{node = 2, position = [\"0 m\", \"0 m\"]}}, \
         {{node = 3, position = [\"230 m\", \"0 m\"]}}]\n\
         mobile = [{{node = 4, {}}}, {{node = 5, {}}}]\n",
        motion(0),
        motion(10)
    ))
}

/// 3 s after a handoff and 1 s before it, at 20 packets a second, but for what is lost on the old way.
#[test]
fn datagrams_count_around_handoffs() {
    let result = cells("{kind = \"cbr\", from = 0, to = 4, interval = \"50 ms\"}");
    let node = result.nodes.get(4);
    assert!(close(node["handoffs"], 3.0));
    assert!((node["handoff_delivered_packets"] - 180.0).abs() <= 6.0);
    assert!((node["handoff_delivered_before_packets"] - 60.0).abs() <= 6.0);
}

/// A flow from one mobile to the other counts at both.
#[test]
fn a_flow_between_two_mobiles_counts_at_both() {
    let result = cells("{kind = \"cbr\", from = 4, to = 5, interval = \"50 ms\"}");
    for node in [4, 5] {
        let counted = result.nodes.get(node);
        assert!(close(counted["handoffs"], 3.0), "{node}");
        let near = counted["handoff_delivered_packets"];
        assert!((near - 180.0).abs() <= 12.0, "{node}: {near}");
    }
}

/// The mobile leaves for good: its signal is low until the run ends, which batches and the measured interval
/// share among them.
#[test]
fn a_low_signal_counts_for_as_long_as_it_lasts() {
    let away = |measure: &str| {
        measured(&format!(
            "flow = [{{kind = \"cbr\", from = 0, to = 3, interval = \"50 ms\"}}]\nduration = \"40 s\"\n\
             {measure}\ntopology = {{kind = \"access-tree\", branches = [1], rate = \"10 Mbit/s\", \
             delay = \"5 ms\"}}\n[cells]\ngateway = 1\nrate = \"2 Mbit/s\"\n\
             station = [{{node = 2, position = [\"0 m\", \"0 m\"]}}]\n\
             mobile = [{{node = 3, motion = {{kind = \"straight\", from = [\"0 m\", \"0 m\"], \
             to = [\"1000 m\", \"0 m\"], speed = \"70 km/h\"}}}}]\n"
        ))
    };
    let low = |result: &RunResult| result.nodes.get(3)["low_signal_s"];
    let all = low(&away("measure = {from = \"0 s\"}"));
    assert!((34.0..36.0).contains(&all), "{all}");
    assert!((low(&away("measure = {from = \"30 s\"}")) - 10.0).abs() < 1e-6);
}

/// Two mobiles and a station that hear each other: what collides began in the same slot, and a frame whose
/// receiver sends itself, as in most of these collisions, is no collision there.
#[test]
fn collisions_in_a_cell_are_those_of_listeners() {
    let resting = |node: u32, y: u32| {
        format!(
            "{{node = {node}, motion = {{kind = \"resting\", position = [\"5 m\", \"{y} m\"]}}}}"
        )
    };
    let result = measured(&format!(
        "flow = [{{kind = \"ftp\", from = 3, to = 0}}, {{kind = \"ftp\", from = 4, to = 0}}]\n\
         duration = \"10 s\"\ntopology = {{kind = \"access-tree\", branches = [1], mobiles = 2, \
         rate = \"10 Mbit/s\", delay = \"5 ms\"}}\n[cells]\ngateway = 1\nmac = \"802.11\"\n\
         rate = \"2 Mbit/s\"\nstation = [{{node = 2, position = [\"0 m\", \"0 m\"]}}]\n\
         mobile = [{}, {}]\n",
        resting(3, 0),
        resting(4, 5)
    ));
    let of = |name: &str| result.measures[name];
    assert!(of("collisions") > 20.0);
    assert!(close(of("collisions"), of("collisions_same_slot")));
    // Each frame that finds its receiver silent is missed by its sender, as the deaf ones are too.
    assert!(of("collisions") < 0.6 * (of("missing_cts") + of("missing_ack")));
}

/// Two hidden senders in step: their ARP requests collide for ever, and the result says so. With ARP off data
/// comes through now and then.
#[test]
fn flows_that_deliver_nothing_are_named_with_the_reason() {
    let warned = |link: &str| {
        let resolved = scenario(&format!(
            "duration = \"5 s\"\n[topology]\nkind = \"positions\"\n\
             positions = [[\"0 m\", \"0 m\"], [\"200 m\", \"0 m\"], [\"400 m\", \"0 m\"]]\n\
             [radio]\ncs_threshold = \"3.652e-10 W\"\n[mac]\nrts_threshold = \"off\"\n\
             [routing]\nprotocol = \"static\"\n{link}\n\
             [[flow]]\nkind = \"cbr\"\nfrom = 0\nto = 1\nstart = \"1 s\"\npacket = \"500 B\"\ninterval = \"8 ms\"\n\
             [[flow]]\nkind = \"cbr\"\nfrom = 2\nto = 1\nstart = \"1 s\"\npacket = \"500 B\"\ninterval = \"8 ms\"\n"
        ));
        let warnings = run(&resolved, &options(1)).warnings;
        let told = warnings
            .iter()
            .map(|one| (one.code, one.count, one.message.clone()));
        told.filter(|(code, ..)| ["silent_flow", "arp_unanswered"].contains(code))
            .collect::<Vec<_>>()
    };
    let [silent, unanswered] = &warned("")[..] else {
        panic!("both are told");
    };
    let named = "flows that delivered nothing at all: 0 from node 0 to 1, 1 from node 2 to 1";
    assert_eq!(*silent, ("silent_flow", 2, named.to_owned()));
    assert!(unanswered.1 > 400, "{unanswered:?}");
    assert!(warned("[link]\narp = false").is_empty());
}
