//! acklab's side of the comparison with other simulators: runs a scenario file once, without
//! Python, and prints one line of JSON with what the run cost.
//!
//! `cargo run --release -p acklab-world --example peer -- FILE.toml [SEED]`
//!
//! `run_s` is the run alone, which is what the other side times too; `wall_s` is building the world, running it, and
//! counting what came of it.

use serde_json::json;
use std::error::Error;

/// Wall time is what this program is about; the core itself has no clock.
#[expect(
    clippy::disallowed_types,
    reason = "measures wall time around the run, not inside it"
)]
type Clock = std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: peer FILE.toml [SEED]")?;
    let seed = arguments.next().map_or(Ok(1), |text| text.parse())?;

    let text = std::fs::read_to_string(&file)?;
    let resolved = acklab_scenario::parse_toml(&file, &text)?.resolve()?;
    drop(text);
    let options = acklab_world::RunOptions {
        seed,
        ..Default::default()
    };

    let start = Clock::now();
    let mut world = acklab_world::build(&resolved, &options)?;
    let built = Clock::now();
    let complete = world.run(None);
    let run = built.elapsed();
    let waiting_bytes = world.waiting_bytes();
    let result = world.into_result(&options, complete);
    let wall = start.elapsed();

    let frames: f64 = [
        "rts_sent",
        "cts_sent",
        "data_sent",
        "ack_sent",
        "broadcast_sent",
    ]
    .iter()
    .filter_map(|name| result.measures.get(name))
    .sum();
    let line = json!({
        "simulator": "acklab",
        "seed": seed,
        "simulated_s": result.simulated_s,
        "run_s": run.as_secs_f64(),
        "wall_s": wall.as_secs_f64(),
        "events": result.events,
        "frames": frames,
        "delivered": result.measures.get("delivered_packets"),
        "digest": result.digest,
        "peak_rss_kb": peak_rss_kb(),
        "waiting_bytes": waiting_bytes,
        "guided": acklab_world::GUIDED,
    });
    println!("{line}");
    Ok(())
}

/// The largest resident set of this process so far, where the system tells it.
fn peak_rss_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
