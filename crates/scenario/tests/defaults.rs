//! The defaults of both profiles, against the values of ns-2.35 and of the standards, and the
//! source that each one names.

use acklab_base::{BitRate, Duration, NodeId};
use acklab_scenario::{
    AckOptions, CaptureRule, DelayTimer, DupackDelay, DupackRelease, FlowKind, Ftp, Guard,
    Numbering, Preamble, Profile, Resolved, Routing, Variant, VegasDiff, VegasOptions, parse_toml,
};

fn chain(profile: &str, flow: &str) -> Resolved {
    let text = format!(
        "profile = \"{profile}\"\nduration = \"150 s\"\n\
         [topology]\nkind = \"chain\"\nnodes = 9\nspacing = \"200 m\"\n\
         [[flow]]\nkind = \"ftp\"\n{flow}\n"
    );
    parse_toml("s.toml", &text)
        .and_then(|s| s.resolve())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn ftp(resolved: &Resolved) -> &Ftp {
    match &resolved.flows[0].kind {
        FlowKind::Ftp(ftp) => ftp,
        FlowKind::Sessions(_) | FlowKind::Cbr(_) => panic!("an FTP flow"),
    }
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn the_ns2_radio_and_mac() {
    let resolved = chain("ns2", "");
    let radio = &resolved.radio;
    let values = [
        radio.frequency_hz,
        radio.tx_power_w,
        radio.rx_threshold_w,
        radio.cs_threshold_w,
    ];
    for (value, expected) in values
        .into_iter()
        .zip([914e6, 0.281_838_15, 3.652e-10, 1.559e-11])
    {
        assert!(
            (value / expected - 1.0).abs() < 1e-12,
            "{value} instead of {expected}"
        );
    }
    assert!((radio.antenna_height_m - 1.5).abs() < 1e-12);
    assert!((radio.capture_ratio - 10.0).abs() < 1e-12);
    assert_eq!(radio.capture, CaptureRule::Ns2);
    let mac = &resolved.mac;
    assert_eq!((mac.profile, mac.preamble), (Profile::Ns2, Preamble::Long));
    assert_eq!(
        (mac.data_rate, mac.basic_rate),
        (BitRate::MBPS_1, BitRate::MBPS_1)
    );
    assert_eq!(mac.rts_threshold, Some(0));
    assert_eq!(
        (mac.short_retry_limit, mac.long_retry_limit),
        (Some(7), Some(4))
    );
    assert_eq!((mac.cw_min, mac.cw_max), (31, 1_023));
    assert_eq!(
        (mac.slot, mac.sifs),
        (Duration::from_micros(20), Duration::from_micros(10))
    );
}

#[test]
fn the_ns2_link_queue_and_routing() {
    let resolved = chain("ns2", "");
    assert_eq!(resolved.link.delay, Duration::from_micros(25));
    assert!(resolved.link.arp);
    assert_eq!(resolved.queue.capacity, 50);
    let Routing::Aodv(aodv) = resolved.routing else {
        panic!("AODV")
    };
    assert_eq!((aodv.network_diameter, aodv.request_retries), (30, 3));
    assert_eq!(
        (aodv.ttl_start, aodv.ttl_increment, aodv.ttl_threshold),
        (None, 2, 7)
    );
    assert_eq!(
        (aodv.active_route_timeout, aodv.my_route_timeout),
        (millis(10_000), millis(10_000))
    );
    assert_eq!(
        (aodv.reverse_route_life, aodv.request_memory),
        (millis(6_000), millis(6_000))
    );
    assert_eq!(
        (aodv.max_request_wait, aodv.node_traversal_time),
        (millis(10_000), millis(30))
    );
    assert_eq!(
        (aodv.buffer_capacity, aodv.buffer_timeout),
        (64, millis(30_000))
    );
    assert_eq!(aodv.broadcast_jitter, millis(10));
    assert!(aodv.local_repair);
}

#[test]
fn the_ns2_flow() {
    let resolved = chain("ns2", "window = 8");
    let flow = &resolved.flows[0];
    assert_eq!((flow.from, flow.to), (NodeId(0), NodeId(8)));
    assert_eq!(
        (flow.start, flow.start_jitter),
        (millis(1_000), Duration::ZERO)
    );
    assert_eq!(resolved.measure_from, millis(1_000));
    let Ftp { sender, ack, .. } = ftp(&resolved);
    assert_eq!(
        (sender.profile, sender.variant),
        (Profile::Ns2, Variant::NewReno)
    );
    assert_eq!(
        (sender.window, sender.packet, sender.initial_window),
        (8, 1_000, 2)
    );
    assert_eq!(
        sender.initial_ssthresh, 20,
        "not the window: the agent's class default"
    );
    assert_eq!(
        (sender.initial_rto, sender.min_rto),
        (millis(3_000), millis(200))
    );
    assert_eq!((sender.max_rto, sender.tick), (millis(60_000), millis(10)));
    assert!(sender.handshake && sender.limited_transmit);
    assert!(sender.newreno.impatient && sender.newreno.partial_deflation);
    assert_eq!(sender.newreno.guard, Guard::Careful);
    assert_eq!(sender.dupack_threshold, 3);
    assert_eq!(*ack, AckOptions::Every);
}

#[test]
fn short_forms_of_ack_policies() {
    let ack = |lines: &str| ftp(&chain("ns2", lines)).ack;
    let (interval, timer) = (millis(100), DelayTimer::FirstWaiting);
    assert_eq!(ack("ack = \"every\""), AckOptions::Every);
    let delayed = AckOptions::Delayed {
        count: 2,
        interval,
        timer,
    };
    assert_eq!(ack("ack = \"delayed\""), delayed);
    assert_eq!(ack("ack = { policy = \"delayed\" }"), delayed);
    assert_eq!(
        ack("ack = \"rfc5681\""),
        AckOptions::Rfc5681 { interval, timer }
    );
    let (thresholds, numbering) = ([2, 5, 9], Numbering::Altman2003);
    let dynamic = AckOptions::Dynamic {
        thresholds,
        interval,
        timer,
        numbering,
    };
    assert_eq!(ack("ack = \"dynamic\""), dynamic);
    let oracle = AckOptions::OracleWindow {
        thresholds: [2, 5, 9],
        interval,
        timer,
    };
    assert_eq!(ack("ack = \"oracle-window\""), oracle);
    let held = AckOptions::DelayedDupacks {
        delay: DupackDelay::Fixed(millis(80)),
        release: DupackRelease::AtOnce,
    };
    assert_eq!(ack("ack = \"delayed-dupacks\""), held);
}

#[test]
fn the_standard_profile() {
    let resolved = chain("standard", "");
    let mac = &resolved.mac;
    assert_eq!(
        (mac.data_rate, mac.basic_rate),
        (BitRate::MBPS_11, BitRate::MBPS_1)
    );
    assert_eq!(mac.rts_threshold, Some(2_347));
    assert_eq!(resolved.radio.capture, CaptureRule::Strongest);
    let Routing::Aodv(aodv) = resolved.routing else {
        panic!("AODV")
    };
    // RFC 3561 §10: 2 × 40 ms × 35 hops to cross the network, twice that for a path discovery.
    assert_eq!(
        (aodv.network_diameter, aodv.request_memory),
        (35, millis(5_600))
    );
    assert_eq!(
        (aodv.active_route_timeout, aodv.my_route_timeout),
        (millis(3_000), millis(6_000))
    );
    let Ftp { sender, ack, .. } = ftp(&resolved);
    assert_eq!((sender.packet, sender.window), (1_460, 44));
    assert_eq!(
        (sender.initial_rto, sender.min_rto),
        (millis(1_000), millis(1_000))
    );
    let (interval, timer) = (millis(200), DelayTimer::FirstWaiting);
    assert_eq!(*ack, AckOptions::Rfc5681 { interval, timer });
}

/// RFC 6928 §2: min(10 MSS, max(2 MSS, 14600 B)).
#[test]
fn the_initial_window_of_the_standard_profile_depends_on_the_packet() {
    for (packet, segments) in [(100, 10), (1_460, 10), (1_461, 9), (2_000, 7), (2_256, 6)] {
        let resolved = chain("standard", &format!("packet = \"{packet} B\""));
        assert_eq!(ftp(&resolved).sender.initial_window, segments, "{packet} B");
    }
}

#[test]
fn a_part_can_have_its_own_profile() {
    let resolved = chain(
        "ns2",
        "profile = \"standard\"\n[mac]\nprofile = \"standard\"",
    );
    assert_eq!(resolved.profile, Profile::Ns2);
    assert_eq!(resolved.mac.data_rate, BitRate::MBPS_11);
    assert_eq!(ftp(&resolved).sender.min_rto, millis(1_000));
    assert_eq!(resolved.radio.capture, CaptureRule::Ns2);
}

#[test]
fn every_value_names_its_source() {
    let resolved = chain("ns2", "window = 8");
    let source = |key: &str| resolved.sources[key].to_string();
    assert_eq!(source("flow[0].window"), "given");
    assert_eq!(source("mac.rts_threshold"), "profile ns2: RTSThreshold_");
    assert_eq!(source("flow[0].to"), "default: the last node");
    assert_eq!(source("profile"), "given");
    let standard = chain("standard", "");
    assert_eq!(
        standard.sources["flow[0].rto.min"].to_string(),
        "profile standard: RFC 6298 §2.4"
    );
}

/// Each option of Vegas has a default by its rules, and the rules one by the profile.
#[test]
fn the_two_vegas() {
    let vegas = |profile: &str, lines: &str| {
        let lines = format!("variant = \"vegas\"\n{lines}");
        let resolved = chain(profile, &lines);
        let sender = ftp(&resolved).sender;
        assert!(!sender.limited_transmit);
        sender.vegas.expect("options of Vegas")
    };
    let ns2 = vegas("ns2", "");
    assert_eq!(ns2, vegas("standard", "vegas = { rules = \"ns2\" }"));
    assert_eq!((ns2.alpha, ns2.beta, ns2.gamma), (1, 3, 1));
    assert_eq!((ns2.after_timeout, ns2.diff), (2, VegasDiff::Rounded));
    let published = vegas("standard", "");
    assert_eq!(published, vegas("ns2", "vegas = { rules = \"published\" }"));
    assert_eq!(
        (published.after_timeout, published.diff),
        (1, VegasDiff::Real)
    );
    let one = vegas(
        "ns2",
        "vegas = { diff = \"real\", alpha = 2, beta = 2, gamma = 2 }",
    );
    assert_eq!(
        one,
        VegasOptions {
            diff: VegasDiff::Real,
            alpha: 2,
            beta: 2,
            gamma: 2,
            ..ns2
        }
    );
    assert_eq!(ftp(&chain("ns2", "")).sender.vegas, None);
}
