//! Captures and event logs as other people's tools read them.

use crate::air::{NODES, TCP, segment, story};
use acklab_base::{Instant, NodeId};
use acklab_trace::{CaptureOptions, Event, FlowEnds, Recorder, RecorderConfig};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::process::Command;

/// Every check that tshark leaves off by default.
const CHECKS: [&str; 10] = [
    "-o",
    "ip.check_checksum:TRUE",
    "-o",
    "tcp.check_checksum:TRUE",
    "-o",
    "udp.check_checksum:TRUE",
    "-o",
    "wlan.check_checksum:TRUE",
    "-o",
    "wlan.check_fcs:TRUE",
];

/// What a program prints, or `None` (said on standard error) if it is not installed.
fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    match Command::new(program).args(arguments).output() {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{program} {arguments:?}: {errors}");
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Err(_) => {
            eprintln!("skipped: {program} not on PATH");
            None
        }
    }
}

fn file(name: &str) -> (PathBuf, File) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let file = File::create(&path).expect("the build's own folder is writable");
    (path, file)
}

/// A capture's rows of the given fields, or `None` without tshark.
fn tshark(path: &std::path::Path, fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut arguments = vec!["-n", "-r", path.to_str()?];
    arguments.extend(CHECKS);
    arguments.extend(["-T", "fields"]);
    for field in fields {
        arguments.extend(["-e", field]);
    }
    let text = output_of("tshark", &arguments)?;
    Some(
        text.lines()
            .map(|line| line.split('\t').map(str::to_owned).collect())
            .collect(),
    )
}

fn capture(name: &str, options: CaptureOptions) -> PathBuf {
    let (path, out) = file(name);
    story()
        .recorder
        .write_pcapng_with(options, out)
        .expect("the file takes it");
    path
}

/// Every dissector and checksum that tshark has, on every frame.
fn assert_wholesome(path: &std::path::Path, frames: usize) {
    let fields = [
        "_ws.malformed",
        "wlan.fcs.status",
        "ip.checksum.status",
        "tcp.checksum.status",
        "udp.checksum.status",
        "_ws.expert.severity",
    ];
    let Some(rows) = tshark(path, &fields) else {
        return;
    };
    assert_eq!(rows.len(), frames);
    for (number, row) in rows.iter().enumerate() {
        assert_eq!(row[0], "", "frame {}: malformed", number + 1);
        assert_eq!(row[1], "1", "frame {}: FCS", number + 1);
        for status in &row[2..5] {
            assert!(
                matches!(status.as_str(), "" | "1"),
                "frame {}: {row:?}",
                number + 1
            );
        }
        // 0x800000 is tshark's severity of an error.
        assert!(!row[5].contains("8388608"), "frame {}: {row:?}", number + 1);
    }
}

#[test]
fn tshark_finds_nothing_wrong() {
    let air = story();
    let path = capture("default.pcapng", CaptureOptions::default());
    assert_wholesome(&path, air.shown);
}

#[test]
fn lost_frames_are_shown_on_request() {
    let air = story();
    let path = capture(
        "lost.pcapng",
        CaptureOptions {
            lost: true,
            only: None,
        },
    );
    assert_wholesome(&path, air.shown + air.lost);
    let Some(rows) = tshark(&path, &["radiotap.flags.badfcs", "frame.comment"]) else {
        return;
    };
    let damaged = rows.iter().filter(|row| row[0] == "1").count();
    assert_eq!(damaged, air.damaged + air.lost);
    assert_eq!(
        rows.iter()
            .filter(|row| row[1] == "not decoded: too weak")
            .count(),
        60
    );
}

#[test]
fn every_kind_of_frame_is_recognised() {
    let path = capture("kinds.pcapng", CaptureOptions::default());
    let Some(rows) = tshark(&path, &["frame.protocols", "wlan.fc.type_subtype"]) else {
        return;
    };
    let mut kinds = BTreeMap::new();
    for row in rows {
        let last = row[0]
            .rsplit(':')
            .find(|name| *name != "data")
            .unwrap_or_default();
        *kinds.entry(format!("{last} {}", row[1])).or_insert(0) += 1;
    }
    let kinds: Vec<&str> = kinds.keys().map(String::as_str).collect();
    // 0x1b RTS, 0x1c CTS, 0x1d ACK, 0x20 data.
    let all = [
        "aodv 0x0020",
        "arp 0x0020",
        "tcp 0x0020",
        "udp 0x0020",
        "wlan 0x001b",
        "wlan 0x001c",
        "wlan 0x001d",
    ];
    assert_eq!(kinds, all);
}

#[test]
fn interfaces_stamps_and_directions_are_those_of_the_nodes() {
    let path = capture("interfaces.pcapng", CaptureOptions::default());
    let fields = [
        "frame.interface_name",
        "frame.packet_flags_direction",
        "frame.time_epoch",
        "wlan.ta",
    ];
    let Some(rows) = tshark(&path, &fields) else {
        return;
    };
    let mut last = String::new();
    for row in &rows {
        let node: u32 = row[0]
            .strip_prefix("node ")
            .and_then(|n| n.parse().ok())
            .expect("a node");
        assert!(node < NODES);
        let own = format!("02:00:00:00:00:{node:02x}");
        match row[1].as_str() {
            "0x00000002" => assert!(row[3].is_empty() || row[3] == own, "{row:?}"),
            "0x00000001" => assert_ne!(row[3], own, "{row:?}"),
            other => panic!("direction {other}"),
        }
        assert!(row[2] >= last, "stamps fall: {last} {}", row[2]);
        last.clone_from(&row[2]);
    }
    assert_eq!(rows[0][2], "0.001000000");
    // 848 µs for 48 + 34 bytes at 1 Mbit/s, 667 ns for 200 m.
    assert_eq!(rows[1][2], "0.001848667");
}

#[test]
fn radiotap_tells_rate_signal_and_time() {
    let path = capture("radiotap.pcapng", CaptureOptions::default());
    let fields = [
        "radiotap.datarate",
        "radiotap.dbm_antsignal",
        "radiotap.mactime",
        "radiotap.channel.freq",
    ];
    let Some(rows) = tshark(&path, &fields) else {
        return;
    };
    // A broadcast at 1 Mbit/s from 1 ms on; its first bit follows 192 µs of preamble.
    assert_eq!(rows[0], ["1", "", "1192", "914"]);
    // The receiver, 667 ns later, at −60.5 dBm.
    assert_eq!(rows[1], ["1", "-61", "1192", "914"]);
    // A route reply at 2 Mbit/s.
    assert_eq!(rows[7][0], "2");
}

#[test]
fn comments_say_what_a_sniffer_cannot_see() {
    let path = capture("comments.pcapng", CaptureOptions::default());
    let Some(rows) = tshark(&path, &["frame.comment"]) else {
        return;
    };
    let comments: Vec<&str> = rows
        .iter()
        .filter_map(|row| row.first())
        .map(String::as_str)
        .filter(|c| !c.is_empty())
        .collect();
    let expected = [
        "collision with the RTS that node 0 began at 0.082006000 s",
        "retry of the MAC; retransmission of TCP",
        "collision with the RTS that node 2 began at 0.082368000 s",
        "captured: decoded in spite of the RTS that node 2 began at 0.082368000 s",
        "retry of the MAC; retransmission of TCP",
        "collision with another frame",
    ];
    assert_eq!(comments, expected);
}

#[test]
fn large_windows_are_read_right() {
    let path = capture("windows.pcapng", CaptureOptions::default());
    let Some(rows) = tshark(&path, &["tcp.flags.syn", "tcp.window_size"]) else {
        return;
    };
    for row in rows
        .iter()
        .filter(|row| row.len() == 2 && !row[0].is_empty())
    {
        assert_eq!(row[1], if row[0] == "1" { "65535" } else { "100000" });
    }
}

#[test]
fn one_node_alone_shows_no_duplicate() {
    let options = CaptureOptions {
        only: Some(NodeId(0)),
        ..CaptureOptions::default()
    };
    let path = capture("node0.pcapng", options);
    let Some(rows) = tshark(&path, &["frame.interface_name"]) else {
        return;
    };
    assert!(rows.iter().all(|row| row[0] == "node 0"));
    assert_wholesome(&path, rows.len());
}

fn ip_capture(name: &str) -> PathBuf {
    let (path, out) = file(name);
    story()
        .recorder
        .write_ip_pcap(NodeId(0), out)
        .expect("the file takes it");
    path
}

#[test]
fn tshark_reads_the_ip_capture() {
    let path = ip_capture("ip.pcap");
    let fields = [
        "_ws.malformed",
        "ip.checksum.status",
        "tcp.checksum.status",
        "ip.len",
    ];
    let Some(rows) = tshark(&path, &fields) else {
        return;
    };
    assert_eq!(rows.len(), 13, "7 segments out, 5 in, 1 datagram");
    for row in &rows {
        assert_eq!((row[0].as_str(), row[1].as_str()), ("", "1"));
        assert!(matches!(row[2].as_str(), "" | "1"));
    }
    assert_eq!(rows[3][3], "1040");
    assert_eq!(rows[12][3], "1480");
}

#[test]
fn tcptrace_reads_the_connection() {
    let path = ip_capture("tcptrace.pcap");
    let Some(text) = output_of("tcptrace", &["-ln", path.to_str().expect("a plain path")]) else {
        return;
    };
    assert!(
        text.contains("13 packets seen, 12 TCP packets traced"),
        "{text}"
    );
    assert!(text.contains("complete conn: yes"), "{text}");
    let row = text
        .lines()
        .find(|line| line.contains("unique bytes sent"))
        .expect("a row");
    assert_eq!(row.split_whitespace().nth(3), Some("3000"), "{text}");
}

#[test]
fn an_unscaled_connection_that_starts_at_zero_is_read_by_tcptrace() {
    let flow = FlowEnds {
        from: NodeId(0),
        to: NodeId(1),
    };
    let mut recorder = Recorder::new(RecorderConfig::new(2, vec![flow]));
    for number in 0..3_u32 {
        let at = Instant::from_nanos(u64::from(number) * 20_000_000);
        recorder.event(
            at,
            NodeId(0),
            Event::TcpSent(segment(true, 1 + number * 1000, 1, 1000)),
        );
        let back = segment(false, 1, 1001 + number * 1000, 0);
        recorder.event(
            Instant::from_nanos(at.as_nanos() + 1_000),
            NodeId(0),
            Event::TcpReceived(back),
        );
    }
    let (path, out) = file("zero.pcap");
    recorder
        .write_ip_pcap(NodeId(0), out)
        .expect("the file takes it");
    let Some(text) = output_of("tcptrace", &["-ln", path.to_str().expect("a plain path")]) else {
        return;
    };
    assert!(
        text.contains("6 packets seen, 6 TCP packets traced"),
        "{text}"
    );
    let row = text
        .lines()
        .find(|line| line.contains("actual data bytes"))
        .expect("a row");
    assert_eq!(row.split_whitespace().nth(3), Some("3000"), "{text}");
    assert_eq!(TCP.index(), 0, "the segments belong to the one flow");
}

/// The lines of the page's shell examples.
fn documented_commands() -> Vec<&'static str> {
    let page = include_str!("../../../docs/captures.md");
    let blocks = page.split("```sh\n").skip(1);
    blocks
        .flat_map(|block| block.split("```").next().unwrap_or_default().lines())
        .collect()
}

#[test]
fn the_commands_of_the_page_work() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("page");
    std::fs::create_dir_all(&folder).expect("the build's own folder is writable");
    let create = |name: &str| File::create(folder.join(name)).expect("a file");
    let recorder = story().recorder;
    recorder
        .write_pcapng(create("air.pcapng"))
        .expect("the file takes it");
    recorder
        .write_ip_pcap(NodeId(0), create("sender.pcap"))
        .expect("the file takes it");
    recorder
        .write_events(create("run.jsonl"))
        .expect("the file takes it");
    let commands = documented_commands();
    assert!(commands.len() >= 9, "{commands:?}");
    for command in commands {
        let program = command.split(' ').next().unwrap_or_default();
        if Command::new(program).arg("--version").output().is_err() {
            eprintln!("skipped: {program} not on PATH");
            continue;
        }
        let shell = Command::new("sh")
            .args(["-c", command])
            .current_dir(&folder)
            .output();
        let output = shell.expect("a shell");
        assert!(
            output.status.success(),
            "{command}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
