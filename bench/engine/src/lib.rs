//! Networks whose speed is followed over time, as scenario files. The benchmarks are in
//! `benches/`: `cargo bench -p acklab-bench`.
//!
//! Nothing is asserted here: figures are for people, and for comparing two builds on one machine.

use std::fmt::Write;

/// The chain of altman2003: nine nodes 200 m apart, AODV, NewReno with a window of 8.
#[must_use]
pub fn chain(simulated_s: u32) -> String {
    format!(
        r#"
        duration = "{simulated_s} s"
        [topology]
        kind = "chain"
        nodes = 9
        spacing = "200 m"
        [[flow]]
        kind = "ftp"
        window = 8
        "#
    )
}

/// One cell of 802.11b in which every station always has a packet for the last node: 1500 B,
/// 11 Mbit/s, no RTS, no retry limit, as in Bianchi's model. The stations stand on a line a metre
/// long, so that propagation delays do not matter.
#[must_use]
pub fn saturated_cell(stations: u32, simulated_s: u32) -> String {
    let mut places = String::new();
    for station in 0..=stations {
        let x_mm = 1000 * station / stations;
        let _ = write!(places, r#"["{x_mm} mm", "0 m"], "#);
    }
    let mut text = format!(
        r#"
        profile = "standard"
        duration = "{simulated_s} s"
        [topology]
        kind = "positions"
        positions = [{places}]
        [radio]
        capture = "none"
        [mac]
        rts_threshold = "off"
        short_retry_limit = "off"
        [link]
        arp = false
        [routing]
        protocol = "static"
        "#
    );
    for station in 0..stations {
        // 5 Mbit/s each is more than the whole cell carries, so the queue is never empty.
        let _ = write!(
            text,
            r#"
            [[flow]]
            kind = "cbr"
            from = {station}
            to = {stations}
            start = "0 s"
            packet = "1472 B"
            interval = "2.4 ms"
            "#
        );
    }
    text
}
