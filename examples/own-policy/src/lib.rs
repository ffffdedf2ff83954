//! A template for an ACK policy of one's own in Rust: copy this folder, change [`Thinning`].
//!
//! A policy is asked about each in-order segment with no gap behind it, the only ones that may
//! wait by RFC 5681 §4.2, and answers "now" or "wait at most so long". What it says to all others
//! (`on_disorder`) is "now" unless it has a word of its own. It holds no timer, clock or generator:
//! the receiver keeps those.

use acklab_base::{Duration, FlowId, Instant};
use acklab_scenario::ScenarioError;
use acklab_tcp::ack::{AckPolicy, AckReason, Arrival, Decision, DelayTimer};
use acklab_world::{Policies, RunError, RunOptions, RunResult};
use std::sync::Arc;

/// One ACK for every `count` segments; for each one while the connection is young.
#[derive(Clone, Debug)]
pub struct Thinning {
    /// Segments for one ACK.
    pub count: u32,
    /// The longest wait of a segment.
    pub interval: Duration,
    /// Packets, from the first, that are acknowledged one by one.
    pub young: u64,
}

impl AckPolicy for Thinning {
    fn on_arrival(&mut self, arrival: &Arrival) -> Decision {
        if arrival.number <= self.young || arrival.waiting >= self.count {
            return Decision::Now(AckReason::Count);
        }
        Decision::Wait {
            interval: self.interval,
            timer: DelayTimer::FirstWaiting,
        }
    }

    fn on_ack_sent(&mut self, _now: Instant, _reason: AckReason) {
        // Nothing to remember here; a policy with state clears it when an ACK leaves.
    }

    fn boxed_clone(&self) -> Box<dyn AckPolicy> {
        Box::new(self.clone())
    }
}

/// What is handed over with a run: the names that a scenario may say, and what they make.
#[derive(Debug)]
pub struct Mine;

impl Policies for Mine {
    fn make(&self, name: &str, _flow: FlowId) -> Option<Box<dyn AckPolicy>> {
        (name == "thinning").then(|| {
            Box::new(Thinning {
                count: 3,
                interval: Duration::from_millis(100),
                young: 10,
            }) as Box<dyn AckPolicy>
        })
    }

    fn names(&self) -> Vec<String> {
        vec!["thinning".to_owned()]
    }
}

/// Runs a scenario in TOML once, with the policies of this crate at hand.
///
/// # Errors
/// A scenario that makes no sense, or that names a policy that is not here.
pub fn run(toml: &str, seed: u64, run: u32) -> Result<RunResult, RunError> {
    let resolved = acklab_scenario::parse_toml("scenario", toml)
        .and_then(|scenario| scenario.resolve())
        .map_err(|error: ScenarioError| RunError::from(error))?;
    let options = RunOptions {
        seed,
        run,
        policies: Some(Arc::new(Mine)),
        ..RunOptions::default()
    };
    acklab_world::run(&resolved, &options, None)
}

/// A chain of nine nodes whose receiver acknowledges by `ack`.
#[must_use]
pub fn chain(ack: &str) -> String {
    format!(
        r#"
        duration = "20 s"
        topology = {{ kind = "chain", nodes = 9, spacing = "200 m" }}
        flow = [{{ kind = "ftp", window = 8, ack = {ack} }}]
        "#
    )
}

#[cfg(test)]
mod tests {
    use super::{Thinning, chain, run};
    use acklab_base::{Duration, Instant};
    use acklab_tcp::ack::{AckPolicy, AckReason, Arrival, Decision};

    #[test]
    fn the_young_and_the_last_of_three_are_acknowledged_at_once() {
        let mut policy = Thinning {
            count: 3,
            interval: Duration::from_millis(100),
            young: 2,
        };
        let mut now = |number, waiting| {
            let arrival = Arrival {
                now: Instant::ZERO,
                number,
                expected: number + 1,
                len: 1000,
                mss: 1000,
                waiting,
                waiting_bytes: 1000 * u64::from(waiting),
            };
            policy.on_arrival(&arrival) == Decision::Now(AckReason::Count)
        };
        assert!(now(1, 1) && now(2, 1));
        assert!(!now(3, 1) && !now(4, 2) && now(5, 3));
    }

    #[test]
    fn a_policy_of_ones_own_runs_and_thins() {
        let every = run(&chain("\"every\""), 1, 0).expect("the built-in policy runs");
        let mine = chain("{ policy = \"own\", name = \"thinning\" }");
        let thinned = run(&mine, 1, 0).expect("the policy of one's own runs");
        let acks = |result: &acklab_world::RunResult| {
            result
                .measures
                .get("acks_sent")
                .copied()
                .unwrap_or_default()
                / result
                    .measures
                    .get("delivered_packets")
                    .copied()
                    .unwrap_or(1.0)
        };
        assert!(acks(&thinned) < 0.6 * acks(&every));
    }

    #[test]
    fn a_name_that_nobody_knows_is_an_error_that_says_which_there_are() {
        let other = chain("{ policy = \"own\", name = \"thining\" }");
        let error = run(&other, 1, 0).expect_err("there is no such policy");
        let said = error.to_string();
        assert!(said.contains("flow[0].ack.name = \"thining\""), "{said}");
        assert!(said.contains("accepted: thinning"), "{said}");
    }
}
