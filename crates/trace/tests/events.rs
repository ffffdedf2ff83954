//! The event log: valid JSON, in order, complete, with keys that stay where they are.

use crate::air::{Air, segment, story};
use acklab_base::{FlowId, Instant, NodeId};
use acklab_trace::{
    AgentAct, CellEvent, DropReason, Event, LinkFrame, LinkSight, Recorder, RecorderConfig,
};
use acklab_wire::tcp::Datagram;
use acklab_wire::{Body, Class, Pair, Payload, Segment};
use serde_json::Value;

fn log(recorder: &Recorder) -> Vec<String> {
    let mut bytes = Vec::new();
    recorder.write_events(&mut bytes).expect("memory takes it");
    String::from_utf8(bytes)
        .expect("the log is text")
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_record_is_one_json_object_in_order() {
    let air = story();
    let lines = log(&air.recorder);
    assert_eq!(lines.len(), air.recorder.len());
    let mut last = 0;
    for line in &lines {
        let object: Value = serde_json::from_str(line).expect("every line is JSON");
        let time = object["time_ns"].as_u64().expect("a time");
        assert!(
            time >= last && object["node"].is_u64() && object["kind"].is_string(),
            "{line}"
        );
        last = time;
    }
}

#[test]
fn frames_and_their_fates_are_joined_by_number() {
    let lines = log(&story().recorder);
    assert_eq!(
        lines[0],
        r#"{"time_ns":1000000,"node":0,"kind":"frame_sent","frame":0,"type":"data","to":null,"retry":false,"bytes":82,"airtime_ns":848000,"duration_ns":0,"sequence":1,"class":"routing","packet_source":0,"packet_id":1}"#
    );
    assert_eq!(
        lines[1],
        r#"{"time_ns":1848667,"node":1,"kind":"frame_received","frame":0,"outcome":"decoded","signal_dbm":-60.5}"#
    );
    let captured = lines
        .iter()
        .find(|line| line.contains("captured"))
        .expect("a capture");
    assert!(
        captured
            .contains(r#""frame":121,"outcome":"captured","signal_dbm":-60.5,"other_frame":120"#),
        "{captured}"
    );
}

#[test]
fn every_kind_of_event_has_its_fields() {
    let (flow, node) = (FlowId(3), NodeId(7));
    let datagram = datagram(flow);
    let ends = r#""flow":0,"forward":true,"seq":1,"ack":2,"syn":false,"fin":false,"window_bytes":100000,"len_bytes":10,"retransmission":false"#;
    let udp = r#""flow":3,"number":4,"len_bytes":100,"ip_bytes":128"#;
    let expected = [
        (
            Event::TcpSent(segment(true, 1, 2, 10)),
            format!(r#""tcp_sent",{ends}"#),
        ),
        (
            Event::TcpReceived(segment(true, 1, 2, 10)),
            format!(r#""tcp_received",{ends}"#),
        ),
        (
            Event::UdpSent {
                datagram,
                bytes: 128,
            },
            format!(r#""udp_sent",{udp}"#),
        ),
        (
            Event::UdpReceived {
                datagram,
                bytes: 128,
            },
            format!(r#""udp_received",{udp}"#),
        ),
        (
            Event::Established { flow },
            r#""established","flow":3"#.into(),
        ),
        (Event::Timeout { flow }, r#""timeout","flow":3"#.into()),
        (
            Event::FastRetransmit { flow },
            r#""fast_retransmit","flow":3"#.into(),
        ),
        (Event::WindowCut { flow }, r#""window_cut","flow":3"#.into()),
        (
            Event::Window {
                flow,
                cwnd: 2.5,
                window: 2.0,
                ssthresh: f64::INFINITY,
            },
            r#""window","flow":3,"cwnd":2.5,"window":2,"ssthresh":null"#.into(),
        ),
        (
            Event::Delivered { flow, bytes: 9 },
            r#""delivered","flow":3,"bytes":9"#.into(),
        ),
        (
            Event::PacketDropped {
                class: Class::TcpAck,
                reason: DropReason::RetryLimit,
            },
            r#""packet_dropped","class":"tcp_ack","reason":"retry_limit""#.into(),
        ),
        (
            Event::MacRetry {
                to: node,
                tries: 2,
                rts: true,
            },
            r#""mac_retry","to":7,"tries":2,"rts":true"#.into(),
        ),
        (
            Event::LinkFailure {
                next_hop: node,
                is_false: true,
            },
            r#""link_failure","next_hop":7,"is_false":true"#.into(),
        ),
        route_request(),
        (
            Event::RouteReply {
                destination: node,
                origin: NodeId(1),
            },
            r#""route_reply","destination":7,"origin":1"#.into(),
        ),
        (
            Event::RouteError { destinations: 2 },
            r#""route_error","destinations":2"#.into(),
        ),
        (
            Event::LocalRepair { destination: node },
            r#""local_repair","destination":7"#.into(),
        ),
        (
            Event::DiscoveryFailed { destination: node },
            r#""discovery_failed","destination":7"#.into(),
        ),
    ];
    let mut recorder = Recorder::new(RecorderConfig::new(8, vec![]));
    for (place, (event, _)) in expected.iter().enumerate() {
        recorder.event(Instant::from_nanos(place as u64), NodeId(5), *event);
    }
    for (place, (line, (_, fields))) in log(&recorder).iter().zip(&expected).enumerate() {
        assert_eq!(
            *line,
            format!(r#"{{"time_ns":{place},"node":5,"kind":{fields}}}"#)
        );
        assert_documented(line);
    }
}

/// One that is passed on.
fn route_request() -> (Event, String) {
    let event = Event::RouteRequest {
        destination: NodeId(7),
        origin: NodeId(1),
        ttl: 5,
    };
    let fields = r#""route_request","destination":7,"origin":1,"ttl":5"#;
    (event, fields.into())
}

fn datagram(flow: FlowId) -> Datagram {
    Datagram {
        flow,
        number: 4,
        len: 100,
        sent: Instant::ZERO,
    }
}

/// A retransmission on a link.
fn link_frame(peer: NodeId) -> (Event, String) {
    let frame = LinkFrame {
        sight: LinkSight::Lost,
        peer,
        bytes: 1_000,
        number: Some(5),
        again: true,
        packet: Some((Class::Udp, NodeId(2), 9)),
        segment: None,
    };
    let fields = r#""link_frame","sight":"lost","peer":7,"bytes":1000,"again":true,"number":5,"class":"udp","packet_source":2,"packet_id":9"#;
    (Event::LinkFrame(frame), fields.into())
}

/// Checks that a line is JSON and that `docs/captures.md` explains its kind and its keys.
fn assert_documented(line: &str) {
    let page = include_str!("../../../docs/captures.md");
    let object: Value = serde_json::from_str(line).expect("every line is JSON");
    let kind = object["kind"].as_str().expect("a kind");
    assert!(page.contains(&format!("`{kind}`")), "{kind}");
    for key in object.as_object().expect("an object").keys() {
        assert!(page.contains(&format!("`{key}`")), "{key} of {kind}");
    }
}

#[test]
fn links_and_agents_have_their_fields() {
    let segment = segment(false, 1, 2, 0);
    let act = AgentAct::Suppressed;
    let ends = r#""flow":0,"forward":false,"seq":1,"ack":2,"syn":false,"fin":false,"window_bytes":100000,"len_bytes":0,"retransmission":false"#;
    let agent = format!(r#""agent","act":"suppressed",{ends}"#);
    for (event, fields) in [
        link_frame(NodeId(7)),
        (Event::Agent { act, segment }, agent),
        (
            Event::AgentHolds {
                data: 3_000,
                notes: 97,
            },
            r#""agent_holds","data_bytes":3000,"note_bytes":97"#.into(),
        ),
    ] {
        let mut recorder = Recorder::new(RecorderConfig::new(8, vec![]));
        recorder.event(Instant::ZERO, NodeId(5), event);
        let line = log(&recorder).remove(0);
        assert_eq!(line, format!(r#"{{"time_ns":0,"node":5,"kind":{fields}}}"#));
        assert_documented(&line);
    }
}

#[test]
fn what_happens_among_base_stations_has_its_fields() {
    let station = NodeId(7);
    let pilot = CellEvent::Pilot {
        station,
        level_mdbm: -80_500,
    };
    for (event, fields) in [
        (pilot, r#""pilot","station":7,"level_dbm":-80.5"#),
        (CellEvent::Attached { station }, r#""attached","station":7"#),
        (
            CellEvent::Signal { is_low: true },
            r#""signal","is_low":true"#,
        ),
        (
            CellEvent::Rerouted { crossover: station },
            r#""rerouted","crossover":7"#,
        ),
    ] {
        let mut recorder = Recorder::new(RecorderConfig::new(8, vec![]));
        recorder.event(Instant::ZERO, NodeId(5), Event::Cell(event));
        let line = log(&recorder).remove(0);
        assert_eq!(line, format!(r#"{{"time_ns":0,"node":5,"kind":{fields}}}"#));
        assert_documented(&line);
    }
}

/// Of a frame with two packets the log said nothing but its length.
#[test]
fn both_packets_of_a_frame_are_told() {
    let mut air = Air::new();
    let mut packet = |segment: Segment| {
        let body = Body::Tcp(segment);
        match air.ip(1, NodeId(2), segment.ip_bytes(), body) {
            Payload::Ip(packet) => packet,
            _ => unreachable!("it makes IP packets"),
        }
    };
    let pair = Pair {
        first: packet(segment(true, 1, 2, 1000)),
        second: packet(segment(false, 3, 4, 0)),
        second_to: NodeId(0),
    };
    let frame = air.data(1, NodeId(2), Payload::Pair(Box::new(pair)));
    air.send(&frame, &[]);
    let line = log(&air.recorder).remove(0);
    let object: Value = serde_json::from_str(&line).expect("a line is JSON");
    for (key, value) in [("packet_id", 1), ("seq", 1), ("len_bytes", 1000)] {
        assert_eq!(object[key], value, "{line}");
    }
    for (key, value) in [("packet_id", 2), ("seq", 3), ("len_bytes", 0), ("to", 0)] {
        assert_eq!(object[format!("second_{key}")], value, "{line}");
    }
    assert_eq!(object["second_class"], "tcp_ack", "{line}");
}

#[test]
fn the_page_explains_every_key_of_the_air() {
    for line in log(&story().recorder) {
        assert_documented(&line);
    }
}
