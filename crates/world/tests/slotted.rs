//! Whole networks on the slotted radio: the rates that can be counted by hand, and the house's
//! promises of repeatability.

use crate::common::scenario;
use acklab_scenario::Resolved;
use acklab_world::{RunOptions, run};

/// A connection over a chain of `hops`, after ten seconds, for `slots` slots of 10 ms.
fn chain(hops: u32, slots: u32, radio: &str, flow: &str) -> Resolved {
    let end = 10_000 + 10 * slots;
    scenario(&format!(
        "duration = \"{end} ms\"\nmeasure = {{ from = \"10 s\" }}\n\
         [topology]\nkind = \"chain\"\nnodes = {}\nspacing = \"200 m\"\n\
         [slotted]\n{radio}\n\
         [[flow]]\nkind = \"ftp\"\nvariant = \"reno\"\nhandshake = false\nstart = \"0 s\"\n{flow}\n",
        hops + 1
    ))
}

fn measured(resolved: &Resolved, measure: &str) -> f64 {
    let result = run(resolved, &RunOptions::default(), None).expect("runs");
    result.measures[measure]
}

/// Acknowledged packets, which are counted and not estimated.
fn acked(resolved: &Resolved) -> u64 {
    measured(resolved, "acked_packets").round() as u64
}

/// One packet under way: a hop takes a slot, both ends send an FRN ACK before they answer, so a
/// cycle takes 2h + 2 slots.
#[test]
fn a_window_of_one_takes_two_slots_a_hop_and_two() {
    for hops in [2, 4, 6] {
        let cycle = 2 * hops + 2;
        for radio in ["", "reading = \"h\"", "combining = \"data-ack\""] {
            let resolved = chain(hops, 500 * cycle, radio, "window = 1");
            assert_eq!(acked(&resolved), 500, "{hops} hops, {radio}");
        }
    }
    // One hop: 4 slots, unless a longer pause of one of the two ends puts a packet off.
    let resolved = chain(1, 2_000, "spacing_max = 3", "window = 1");
    assert_eq!(acked(&resolved), 500);
    let resolved = chain(1, 100_000, "", "window = 1");
    let rate = measured(&resolved, "acked_packets") / 100_000.0;
    assert!((rate - 2.0 / 9.0).abs() < 0.002, "{rate} packets per slot");
}

/// The delayed ACK leaves D = 20 slots after its packet, and no FRN ACK goes before it.
#[test]
fn a_delayed_ack_adds_its_timer() {
    for hops in [2, 4, 6] {
        let cycle = 2 * hops + 21;
        let ack = "window = 1\nack = { policy = \"delayed\", interval = \"200 ms\" }";
        let resolved = chain(hops, 300 * cycle, "", ack);
        assert_eq!(acked(&resolved), 300, "{hops} hops");
    }
}

/// Slots without data take a fifth of the time: of the 2h + 2 slots of a cycle, h carry data.
#[test]
fn short_slots_shorten_the_cycle() {
    // 4 data slots of 10 ms and 6 others of 2 ms make 52 ms.
    let resolved = chain(4, 520, "ack_slot = \"2 ms\"", "window = 1");
    assert_eq!(acked(&resolved), 100);
}

/// Around a ring of 7 nodes data take 3 hops and their ACKs the 4 others: 3 + 4 + 2 slots.
#[test]
fn acks_on_a_path_of_their_own() {
    for (option, cycle) in [("true", 9), ("false", 8)] {
        let resolved = scenario(&format!(
            "duration = \"{} ms\"\nmeasure = {{ from = \"10 s\" }}\n\
             [topology]\nkind = \"graph\"\nnodes = 7\n\
             edges = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 0]]\n\
             [slotted]\n[routing]\nprotocol = \"static\"\nseparate_acks = {option}\n\
             [[flow]]\nkind = \"ftp\"\nvariant = \"reno\"\nhandshake = false\n\
             from = 0\nto = 3\nstart = \"0 s\"\nwindow = 1\n",
            10_000 + 100 * cycle * 10
        ));
        assert_eq!(acked(&resolved), 100, "separate_acks = {option}");
    }
}

const BUSY: &str = "window = 20\nack = { policy = \"delayed\", interval = \"200 ms\" }";

#[test]
fn the_same_seed_gives_the_same_run_with_and_without_trace() {
    for radio in [
        "combining = \"data-ack\"",
        "reading = \"h\"",
        "combining = \"xor\"",
    ] {
        let resolved = chain(4, 3_000, radio, BUSY);
        let digest = |options: RunOptions| run(&resolved, &options, None).expect("runs").digest;
        let plain = digest(RunOptions::default());
        let traced = RunOptions {
            trace: true,
            ..RunOptions::default()
        };
        assert_eq!(plain, digest(RunOptions::default()));
        assert_eq!(plain, digest(traced));
        let other = RunOptions {
            seed: 1,
            ..RunOptions::default()
        };
        assert_ne!(plain, digest(other));
    }
}

/// A packet crosses a graph as it crosses a chain of the same links.
#[test]
fn a_graph_is_a_network_too() {
    let flow = "[[flow]]\nkind = \"ftp\"\nvariant = \"reno\"\nstart = \"0 s\"\n";
    let graph = scenario(&format!(
        "duration = \"60 s\"\n[topology]\nkind = \"graph\"\nnodes = 5\n\
         edges = [[0, 1], [1, 2], [2, 3], [3, 4]]\n[slotted]\n{flow}"
    ));
    let line = scenario(&format!(
        "duration = \"60 s\"\n[topology]\nkind = \"chain\"\nnodes = 5\nspacing = \"200 m\"\n\
         [slotted]\n{flow}"
    ));
    let digest = |resolved| {
        run(resolved, &RunOptions::default(), None)
            .expect("runs")
            .digest
    };
    assert_eq!(digest(&graph), digest(&line));
    assert!(measured(&graph, "acked_packets") > 200.0);
}

/// Tables that are exchanged rarely change nothing that counts (yuki2004 §4.1).
#[test]
fn dsdv_runs_over_slots() {
    let with = |routing: &str| {
        let text = format!(
            "duration = \"200 s\"\n[topology]\nkind = \"chain\"\nnodes = 5\nspacing = \"200 m\"\n\
             [slotted]\n[routing]\n{routing}\n\
             [[flow]]\nkind = \"ftp\"\nvariant = \"reno\"\nstart = \"100 s\"\n"
        );
        measured(&scenario(&text), "acked_packets")
    };
    let tables = with("protocol = \"dsdv\"\nupdate_period = \"30 s\"\nlink_detection = false");
    assert!(tables > 200.0, "{tables} packets");
    assert!((tables / with("protocol = \"static\"") - 1.0).abs() < 0.2);
}

/// Every packet without an echo has one reason (see the hand-made ones of `acklab-mac`), in every
/// node's counts and in the network's.
#[test]
fn the_reasons_of_missed_echoes_add_up() {
    for radio in [
        "",
        "combining = \"data-ack\"",
        "combining = \"data-ack\"\npostpone = false",
        "combining = \"data-ack\"\nsame_hop = true\nmini_slots = 2",
        "combining = \"xor\"\nbusy = \"back-off\"",
        "reading = \"h\"",
        "reading = \"h\"\ncombining = \"data-ack\"",
        "reading = \"p2\"\ncombining = \"data-ack\"\nlifetime = 12",
    ] {
        let result = run(&chain(4, 3_000, radio, BUSY), &RunOptions::default(), None);
        let result = result.expect("runs");
        for measures in result.nodes.iter().chain([result.measures.clone()]) {
            let reasons = measures.iter();
            let reasons = reasons.filter(|(name, _)| name.starts_with("slot_missed_"));
            let sum: f64 = reasons.map(|(_, count)| count).sum();
            assert!(
                (sum - measures["slot_unechoed"]).abs() < 0.5,
                "{radio}: {measures:?}"
            );
        }
        assert!(result.measures["slot_unechoed"] > 100.0, "{radio}");
        let pairs = result.measures["slot_pairs_at_once"];
        assert_eq!(pairs > 0.0, radio.contains("postpone"), "{radio}: {pairs}");
        assert!((pairs - result.measures["slot_pairs_met"]).abs() < 0.5);
    }
}

/// A node's time in a state, in milliseconds.
fn spent(node: &std::collections::BTreeMap<&str, f64>, state: &str) -> f64 {
    (node[state] * 1e6).round() / 1e3
}

/// A cycle of [`short_slots_shorten_the_cycle`] by hand, in milliseconds. Node 0 sends data (10)
/// and the FRN ACK of a TCP ACK (2), hears node 1 send both on (10 + 2). Nodes 1 to 3 send data
/// and a TCP ACK and hear both from both sides, where the ends' FRN ACKs stand for their echoes:
/// 10 + 2 from one side, 10 + 2 from the other, and node 3 10 from node 2 and 2 + 2 from node 4.
#[test]
fn short_frames_take_their_own_time() {
    let resolved = chain(4, 520, "ack_slot = \"2 ms\"", "window = 1");
    let result = run(&resolved, &RunOptions::default(), None).expect("runs");
    let cycle = |node: usize, state: &str| spent(&result.nodes.get(node), state) / 100.0;
    let sending = [12.0, 12.0, 12.0, 12.0, 4.0];
    let receiving = [12.0, 24.0, 24.0, 16.0, 12.0];
    for node in 0..5 {
        let found = (cycle(node, "airtime_s"), cycle(node, "receiving_s"));
        assert_eq!(found, (sending[node], receiving[node]), "node {node}");
    }
    let powers = &resolved.energy;
    let (sends, receives) = (12.0 * 0.1, 24.0 * 0.1);
    let joules = powers.transmit_w * sends
        + powers.receive_w * receives
        + powers.idle_w * (5.2 - sends - receives);
    assert!((result.nodes.get(1)["energy_j"] - joules).abs() < 1e-6);
}

/// No node is in two states at once: sending and receiving leave time to be idle, also where
/// frames meet in the air and slots are of every length. The last frame may end behind the run.
#[test]
fn states_do_not_overlap() {
    for coding in ["none", "data-ack", "xor"] {
        let flow = |from: u32, to: u32| {
            format!("[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = {to}\nstart = \"0 s\"\n")
        };
        let resolved = scenario(&format!(
            "duration = \"20 s\"\n[topology]\nkind = \"chain\"\nnodes = 5\nspacing = \"200 m\"\n\
             [slotted]\nack_slot = \"1 ms\"\nmini_slots = 2\ncombining = \"{coding}\"\n{}{}",
            flow(0, 4),
            flow(4, 0)
        ));
        let result = run(&resolved, &RunOptions::default(), None).expect("runs");
        for node in result.nodes.iter() {
            let busy = spent(&node, "airtime_s") + spent(&node, "receiving_s");
            assert!(busy <= 20_010.0, "{coding}: {busy} ms of 20 s");
        }
        let frames = |name: &str| result.measures[name];
        let whole = frames("slot_data_frames") + frames("slot_combined_frames");
        let short = frames("slot_ack_frames");
        let sent = result.measures["airtime_data_s"];
        if coding == "xor" {
            // Two ACKs that cross share a short frame.
            assert!(sent < 0.010 * whole + 0.001 * short - 0.1, "{sent} s");
        } else {
            assert!((sent - 0.010 * whole - 0.001 * short).abs() < 1e-6);
        }
    }
}
