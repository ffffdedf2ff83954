//! Runs a scenario file without Python and prints one line of JSON: for benchmarks.
//!
//! `cargo run --release -p acklab-world --example chain -- FILE.toml [SEED [RUN]]`

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments
        .next()
        .ok_or("usage: chain FILE.toml [SEED [RUN]]")?;
    let seed = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let run = arguments.next().map_or(Ok(0), |text| text.parse())?;
    let text = std::fs::read_to_string(&file)?;
    let resolved = acklab_scenario::parse_toml(&file, &text)?.resolve()?;
    let options = acklab_world::RunOptions {
        seed,
        run,
        ..Default::default()
    };
    let result = acklab_world::run(&resolved, &options, None)?;
    println!("{}", serde_json::to_string(&result)?);
    Ok(())
}
