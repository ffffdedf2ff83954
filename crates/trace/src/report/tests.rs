//! What reports give, and that it is what was declared.

use super::*;
use crate::MEASURES;

const SECONDS: Duration = Duration::from_secs(10);
const END: Instant = Instant::from_nanos(12_000_000_000);

fn names(scope: Scope) -> Vec<&'static str> {
    MEASURES
        .iter()
        .filter(|measure| measure.scope == scope)
        .map(|measure| measure.name)
        .collect()
}

fn node(counters: &NodeCounters) -> NodeReport {
    NodeReport {
        counters: *counters,
        elapsed: SECONDS,
        powers: Powers {
            transmit_w: 1.327,
            receive_w: 0.967,
            idle_w: 0.843,
        },
    }
}

fn flow<'a>(counters: &'a FlowCounters, windows: &'a WindowMeter) -> FlowReport<'a> {
    FlowReport {
        counters,
        windows: Some(windows),
        end: END,
        elapsed: SECONDS,
        active: SECONDS,
    }
}

fn meter() -> WindowMeter {
    WindowMeter::new(Instant::from_nanos(2_000_000_000), 4.0, 2.0)
}

#[test]
fn reports_give_exactly_what_is_declared() {
    let (mut of_node, mut of_flow, mut of_network) = (Vec::new(), Vec::new(), Vec::new());
    let counters = FlowCounters {
        delivered_packets: 1,
        delivered_bytes: 1,
        sessions_completed: 1,
        ..Default::default()
    };
    let busy = NodeCounters {
        unicast_done: 1,
        ..Default::default()
    };
    let windows = meter();
    let (node, flow) = (node(&busy), flow(&counters, &windows));
    // A flow of datagrams has a delay, and no windows.
    let datagrams = FlowReport {
        windows: None,
        ..flow
    };
    node.visit(|name, _| of_node.push(name));
    flow.visit(|name, _| of_flow.push(name));
    datagrams.visit(|name, _| {
        let place = names(Scope::Flow).iter().position(|&all| all == name);
        let place = place.expect("only declared measures");
        if of_flow.get(place) != Some(&name) {
            of_flow.insert(place, name);
        }
    });
    NetworkReport {
        nodes: 1,
        node: &|_| node,
        flows: &[flow, datagrams],
    }
    .visit(|name, _| of_network.push(name));
    assert_eq!(of_node, names(Scope::Node));
    assert_eq!(of_flow, names(Scope::Flow));
    let all: Vec<&str> = MEASURES.iter().map(|measure| measure.name).collect();
    assert_eq!(of_network, all);
}

#[test]
fn energy_is_power_times_time() {
    let counters = NodeCounters {
        airtime_data: Duration::from_secs(1),
        airtime_rts: Duration::from_secs(1),
        receiving: Duration::from_secs(3),
        ..Default::default()
    };
    // 2 s sending, 3 s receiving, 5 s idle.
    let expected = 2.0 * 1.327 + 3.0 * 0.967 + 5.0 * 0.843;
    assert!((node(&counters).energy_j() - expected).abs() < 1e-9);
}

#[test]
fn the_network_pools_as_declared() {
    let one = FlowCounters {
        delivered_packets: 30,
        delivered_bytes: 30_000,
        ..Default::default()
    };
    let two = FlowCounters {
        delivered_packets: 10,
        delivered_bytes: 10_000,
        ..Default::default()
    };
    let small = meter();
    let large = WindowMeter::new(Instant::from_nanos(2_000_000_000), 8.0, 6.0);
    let flows = [flow(&one, &small), flow(&two, &large)];
    let mut found = std::collections::BTreeMap::new();
    NetworkReport {
        nodes: 0,
        node: &|_| node(&NodeCounters::default()),
        flows: &flows,
    }
    .visit(|name, value| {
        found.insert(name, value);
    });
    for (name, value) in [
        ("delivered_packets", 40.0),
        ("goodput_pps", 4.0),
        ("goodput_bps", 32_000.0),
        ("cwnd_max", 8.0),
        ("cwnd_mean", 6.0),
        ("window_mean", 4.0),
        // (3 + 1)² / (2 × (9 + 1))
        ("fairness", 0.8),
    ] {
        assert!(
            (found[name] - value).abs() < 1e-9,
            "{name}: {}",
            found[name]
        );
    }
}

/// Three transfers took 1 s together, a fourth took 2 s: the mean over all is 0.75 s, not the
/// mean of the flows' means.
#[test]
fn the_delay_of_the_network_is_that_of_all_transfers() {
    let counted = |completed, seconds| FlowCounters {
        sessions_completed: completed,
        session_time: Duration::from_secs(seconds),
        ..Default::default()
    };
    let (one, two, none) = (counted(3, 1), counted(1, 2), counted(0, 0));
    let windows = meter();
    let flows = [&one, &two, &none].map(|counters| flow(counters, &windows));
    let network = NetworkReport {
        nodes: 0,
        node: &|_| node(&NodeCounters::default()),
        flows: &flows,
    };
    let mut found = Vec::new();
    let mut take = |name: &str, value: f64| {
        if name == "session_delay_mean_s" {
            found.push(value);
        }
    };
    network.visit(&mut take);
    flows.iter().for_each(|flow| flow.visit(&mut take));
    // The last flow has none.
    assert_eq!(found, [0.75, 1.0 / 3.0, 2.0]);
}

#[test]
fn without_deliveries_there_is_no_quotient() {
    let counters = FlowCounters::default();
    let flows = [FlowReport {
        counters: &counters,
        windows: None,
        end: END,
        elapsed: SECONDS,
        active: SECONDS,
    }];
    NetworkReport {
        nodes: 0,
        node: &|_| node(&NodeCounters::default()),
        flows: &flows,
    }
    .visit(|name, _| assert!(!names(Scope::Network).contains(&name)));
    assert_eq!(jain(std::iter::empty()), None);
}

/// 2 of 10 packets given up; 12 attempts failed and 8 were answered; 3 packets sent again for 30.
#[test]
fn quotients_of_the_network_are_of_its_sums() {
    let one = NodeCounters {
        unicast_done: 8,
        retry_drops: 1,
        missing_cts: 7,
        ..Default::default()
    };
    let two = NodeCounters {
        retry_drops: 1,
        missing_ack: 5,
        ..Default::default()
    };
    let sent = FlowCounters {
        delivered_packets: 30,
        retransmissions: 3,
        ..Default::default()
    };
    let datagrams = FlowCounters {
        delivered_packets: 5,
        datagram_delay: Duration::from_millis(100),
        ..Default::default()
    };
    let windows = meter();
    let udp = FlowReport {
        windows: None,
        ..flow(&datagrams, &windows)
    };
    let mut found = std::collections::BTreeMap::new();
    NetworkReport {
        nodes: 2,
        node: &|number| node([&one, &two][number]),
        flows: &[flow(&sent, &windows), udp],
    }
    .visit(|name, value| {
        found.insert(name, value);
    });
    for (name, value) in [
        ("drop_probability", 0.2),
        ("attempt_failure_probability", 0.6),
        ("delay_mean_s", 0.02),
        ("retransmissions_per_packet", 3.0 / 30.0),
        // Of the flow that has one.
        ("cwnd_mean", 4.0),
    ] {
        assert!(
            (found[name] - value).abs() < 1e-12,
            "{name}: {}",
            found[name]
        );
    }
    let mut of_second = Vec::new();
    node(&two).visit(|name, value| of_second.push((name, value)));
    assert!(of_second.contains(&("drop_probability", 1.0)));
}
