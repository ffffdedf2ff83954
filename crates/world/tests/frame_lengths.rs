//! The standard's frames are as long as their bytes: 24 of header, 8 of LLC and SNAP (RFC 1042), the
//! packet, 4 of check sequence. Once the 8 were in captures and in no airtime.

use crate::common::{chain, integer, log, options, run, scenario};
use acklab_scenario::Resolved;
use acklab_world::RunOptions;

/// Frames as they were put on the air: when, by whom, how long.
type Frames = Vec<(u64, u64, u64)>;

fn of_the_event_log(resolved: &Resolved) -> Frames {
    let events = log(resolved, &options(1));
    let sent = events.iter().filter(|event| event["kind"] == "frame_sent");
    let mut frames: Frames = sent
        .map(|event| ["time_ns", "node", "bytes"].map(|key| integer(event, key)))
        .map(|[at, node, bytes]| (at, node, bytes))
        .collect();
    frames.sort_unstable();
    frames
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let four = bytes[at..at + 4].try_into().expect("four bytes");
    u32::from_le_bytes(four)
}

/// The outbound packets of a capture: interface, stamp, and length without the radiotap header.
fn of_the_capture(resolved: &Resolved) -> Frames {
    let traced = RunOptions {
        trace: true,
        ..options(1)
    };
    let mut world = acklab_world::build(resolved, &traced).expect("the scenario can be built");
    world.run(None);
    let mut file = Vec::new();
    let recorder = world.recorder().expect("a trace was asked for");
    recorder
        .write_pcapng(&mut file)
        .expect("memory can be written");
    assert_eq!(word(&file, 8), 0x1A2B_3C4D, "little-endian");
    let (mut frames, mut at) = (Frames::new(), 0);
    while at < file.len() {
        let length = word(&file, at + 4) as usize;
        let block = &file[at..at + length];
        // An enhanced packet block with its flags in the first option, which say outbound.
        if word(block, 0) == 6 {
            let captured = word(block, 20);
            let options = 28 + captured.next_multiple_of(4) as usize;
            assert_eq!(word(block, options), 0x0004_0002, "flags come first");
            if word(block, options + 4) & 3 == 2 {
                let stamp = u64::from(word(block, 12)) << 32 | u64::from(word(block, 16));
                let radiotap = word(block, 28) >> 16;
                let bytes = u64::from(captured - radiotap);
                frames.push((stamp, u64::from(word(block, 8)), bytes));
            }
        }
        at += length;
    }
    frames.sort_unstable();
    frames
}

/// ARP, AODV, UDP, TCP with its ACKs, with RTS and without, and two packets in one frame.
#[test]
fn frames_of_the_standard_are_as_long_as_in_the_capture() {
    let standard = "profile = \"standard\"\n";
    let rts = "mac.rts_threshold = \"0 B\"\n";
    let given = "routing.protocol = \"static\"\n";
    let pairs = "queue.combining = true\n";
    let datagrams = format!(
        "duration = \"3 s\"\n{standard}[topology]\nkind = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n\
         [[flow]]\nkind = \"cbr\"\npacket = \"1000 B\"\ninterval = \"20 ms\"\n"
    );
    let tcp = |more: &str| chain(5, 3, "window = 8", &format!("{standard}{more}"));
    let networks = [
        tcp(""),
        tcp(rts),
        tcp(&format!("{given}{pairs}")),
        tcp(&format!("{given}{pairs}{rts}")),
        scenario(&datagrams),
        tcp("routing.protocol = \"dsr\"\n"),
        tcp(
            "routing = {protocol = \"dsdv\", first_settling = \"20 ms\", update_period = \"1 s\"}\n",
        ),
    ];
    for resolved in &networks {
        let logged = of_the_event_log(resolved);
        assert!(logged.len() > 300, "{} frames", logged.len());
        assert_eq!(logged, of_the_capture(resolved));
    }
}

/// A datagram of 1000 B is a frame of 24 + 8 + 20 + 8 + 1000 + 4 = 1064 B: 192 + 8512 / 11 = 965.818 µs. With
/// DIFS 50, 15.5 slots of 20, SIFS 10, ACK 304 and twice 0.667 µs of propagation over 200 m an exchange takes
/// 1641.152 µs in the mean: 609.328 in a second. (With 28 B beside the packet it would be 611.496.)
///
/// The tolerance is four standard errors of 121 866 backoffs, each uniform on 32 slots.
#[test]
fn one_saturated_hop_at_11_mbps() {
    let result = run(
        &scenario(
            "duration = \"201 s\"\nprofile = \"standard\"\nmeasure.from = \"1 s\"\nlink.arp = false\n\
             routing.protocol = \"static\"\n[topology]\nkind = \"chain\"\nnodes = 2\nspacing = \"200 m\"\n\
             [[flow]]\nkind = \"cbr\"\npacket = \"1000 B\"\nrate = \"11 Mbit/s\"\nstart = \"0 s\"\n",
        ),
        &options(1),
    );
    let rate = result.measures["delivered_packets"] / 200.0;
    let deviation = 20.0 * ((32.0_f64 * 32.0 - 1.0) / 12.0).sqrt() / 1641.152;
    let tolerance = 4.0 * 609.328 * deviation / 121_866.0_f64.sqrt();
    assert!(tolerance < 0.8, "{tolerance}");
    assert!((rate - 609.328).abs() < tolerance, "{rate} ± {tolerance}");
}

/// ns-2's frames have no end; those of 802.11 carry 2304 B, of which LLC and SNAP take 8. Under `ns2` a datagram
/// has 20 B of header.
#[test]
fn packets_that_no_frame_carries_are_told() {
    let told = |bytes: u32, rest: &str, hops: u32| {
        let result = run(
            &scenario(&format!(
                "duration = \"3 s\"\n{rest}\n[topology]\nkind = \"chain\"\nnodes = {}\n\
                 spacing = \"200 m\"\n[[flow]]\nkind = \"cbr\"\npacket = \"{bytes} B\"\ninterval = \"100 ms\"\n",
                hops + 1
            )),
            &options(1),
        );
        let found = (result.warnings.iter()).find(|told| told.code == "frame_too_long");
        (
            found.map_or(0, |told| told.count),
            result.measures["sent_packets"] as u64,
        )
    };
    let given = "routing.protocol = \"static\"\nlink.arp = false";
    assert_eq!(told(2276, given, 1).0, 0, "the longest that there is");
    let (count, sent) = told(2277, given, 1);
    // The last one leaves at the end of the run and does not get to the MAC.
    assert!(count == sent - 1 && sent > 10, "{count} of {sent}");
    let slotted = "slotted.combining = \"none\"";
    assert_eq!(told(2277, slotted, 1).0, 0, "no frame of 802.11");
    let standard = "profile = \"standard\"\nlink.arp = false\nrouting.protocol = \"dsr\"";
    assert_eq!(told(2200, standard, 2).0, 0);
    let (count, sent) = told(2268, standard, 2);
    assert!(
        count >= sent && sent > 10,
        "DSR's header comes on top: {count} of {sent}"
    );
}

/// 802.11b clause 18.2.2.2: the short preamble exists at 2, 5.5 and 11 Mbit/s.
#[test]
fn a_short_preamble_at_1_mbps_is_told() {
    let told = |mac: &str| {
        let result = run(&chain(3, 2, "window = 2", mac), &options(1));
        let codes = result.warnings.iter().map(|told| told.code);
        codes.filter(|&code| code == "short_preamble").count()
    };
    let short = "mac.preamble = \"short\"\nmac.data_rate = \"11 Mbit/s\"\n";
    assert_eq!(told(&format!("{short}mac.basic_rate = \"1 Mbit/s\"")), 1);
    assert_eq!(told(&format!("{short}mac.basic_rate = \"2 Mbit/s\"")), 0);
    assert_eq!(told("mac.basic_rate = \"1 Mbit/s\""), 0);
}
