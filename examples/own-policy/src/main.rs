//! Runs the policy of this crate beside the built-in ones on a chain of nine nodes.
//!
//! `cargo run --release -p own-policy`

use own_policy::{chain, run};

const RUNS: u32 = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let third = r#"{ policy = "delayed", count = 3, interval = "100 ms" }"#;
    let mine = r#"{ policy = "own", name = "thinning" }"#;
    for ack in [r#""every""#, third, mine] {
        let mut goodput = 0.0;
        // The same seed: each policy meets the same weather.
        for number in 0..RUNS {
            let result = run(&chain(ack), 1, number)?;
            goodput += result
                .measures
                .get("goodput_pps")
                .copied()
                .unwrap_or_default();
        }
        println!("{:8.2} packets/s  {ack}", goodput / f64::from(RUNS));
    }
    Ok(())
}
