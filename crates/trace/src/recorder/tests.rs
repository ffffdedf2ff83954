//! Order, limits and failures of the recorder.

use super::*;
use acklab_base::{Duration, FlowId};
use acklab_wire::{FrameHeader, FrameKind};

fn cts() -> Frame {
    let header = FrameHeader {
        kind: FrameKind::Cts,
        retry: false,
        sequence: 0,
        to: NodeId(0),
        from: NodeId(1),
        duration: Duration::ZERO,
        bytes: 14,
        airtime: Duration::from_micros(304),
    };
    Frame {
        header,
        payload: None,
    }
}

fn recorder(memory_limit: usize) -> Recorder {
    Recorder::new(RecorderConfig {
        memory_limit,
        ..RecorderConfig::new(3, vec![])
    })
}

fn timeout(recorder: &mut Recorder, at: u64, node: u32, flow: u16) {
    let event = Event::Timeout { flow: FlowId(flow) };
    recorder.event(Instant::from_nanos(at), NodeId(node), event);
}

#[test]
fn records_come_out_by_time_then_node_then_arrival() {
    let mut recorder = recorder(RecorderConfig::MEMORY_LIMIT);
    for (flow, (at, node)) in [(9, 1), (5, 2), (5, 0), (5, 0), (7, 1)]
        .into_iter()
        .enumerate()
    {
        timeout(&mut recorder, at, node, flow as u16);
    }
    let order: Vec<u16> = recorder
        .in_order()
        .map(|record| match record.what {
            What::Event(Event::Timeout { flow }) => flow.0,
            _ => unreachable!("only timeouts were recorded"),
        })
        .collect();
    assert_eq!(order, [2, 3, 1, 4, 0]);
}

#[test]
fn a_full_recorder_keeps_a_prefix_and_says_so() {
    let mut recorder = recorder(10 * (size_of::<Record>() + size_of::<u32>()));
    for at in 0..10 {
        assert!(!recorder.is_truncated());
        timeout(&mut recorder, at, 0, 0);
    }
    assert_eq!(recorder.truncated_at(), None);
    let number = recorder.frame_sent(Instant::from_nanos(10), NodeId(1), &cts());
    assert_eq!(number, Recorder::NOT_KEPT);
    timeout(&mut recorder, 3, 0, 0);
    recorder.reception(
        Instant::from_nanos(20),
        NodeId(0),
        number,
        Reception::Decoded,
        -60.0,
    );
    assert_eq!(
        (recorder.len(), recorder.truncated_at()),
        (10, Some(Instant::from_nanos(10)))
    );
    let mut capture = Vec::new();
    recorder
        .write_pcapng(&mut capture)
        .expect("memory takes it");
    let text = String::from_utf8_lossy(&capture);
    assert!(text.contains("Incomplete: the recorder's memory limit was reached at 0.000000010 s"));
}

#[test]
fn memory_stays_within_twice_the_limit() {
    // A vector that grows by doubling may hold twice what is counted.
    let limit = 1 << 20;
    let mut recorder = recorder(limit);
    while !recorder.is_truncated() {
        let number = recorder.frame_sent(Instant::ZERO, NodeId(1), &cts());
        recorder.reception(Instant::ZERO, NodeId(0), number, Reception::Decoded, -60.0);
    }
    let held = recorder.records.capacity() * size_of::<Record>()
        + recorder.frames.capacity() * size_of::<SentFrame>();
    assert!(recorder.len() > 1_000 && held <= 2 * limit, "{held} bytes");
}

/// A frame with two packets keeps both on the heap: they were not counted.
#[test]
fn the_second_packet_of_a_frame_is_counted() {
    let body = Body::Udp(acklab_wire::tcp::Datagram {
        flow: FlowId(0),
        number: 0,
        len: 100,
        sent: Instant::ZERO,
    });
    let packet = Packet {
        id: 1,
        source: NodeId(0),
        destination: NodeId(1),
        ttl: 1,
        bytes: 128,
        body,
    };
    let pair = acklab_wire::Pair {
        first: packet.clone(),
        second: packet,
        second_to: NodeId(2),
    };
    let frame = Frame {
        payload: Some(Payload::Pair(Box::new(pair))),
        ..cts()
    };
    assert_eq!(heap_bytes(&frame), size_of::<acklab_wire::Pair>());
}

/// A disk that is full after some bytes.
struct Full(usize);

impl io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_as_such_by_every_writer() {
    let flow = FlowEnds {
        from: NodeId(0),
        to: NodeId(1),
    };
    let mut recorder = Recorder::new(RecorderConfig::new(2, vec![flow]));
    recorder.frame_sent(Instant::ZERO, NodeId(1), &cts());
    let datagram = acklab_wire::tcp::Datagram {
        flow: FlowId(0),
        number: 0,
        len: 100,
        sent: acklab_base::Instant::ZERO,
    };
    recorder.event(
        Instant::ZERO,
        NodeId(0),
        Event::UdpSent {
            datagram,
            bytes: 128,
        },
    );
    for space in [0, 30, 60] {
        let kinds = [
            recorder.write_pcapng(Full(space)),
            recorder.write_ip_pcap(NodeId(0), Full(space)),
            recorder.write_events(Full(space)),
        ]
        .map(|result| result.map_err(|error| error.kind()));
        assert_eq!(
            kinds,
            [Err(io::ErrorKind::StorageFull); 3],
            "{space} bytes free"
        );
    }
}
