//! From which instant on a run is measured.

use crate::common::{options, run, scenario};
use acklab_world::RunResult;

fn of(measured: &RunResult, measure: &str) -> f64 {
    *measured.flows[0].get(measure).expect("a measure of a flow")
}

/// Two packets every half second over a wire, from 1 s on.
fn transfers(from: &str) -> RunResult {
    let resolved = scenario(&format!(
        "duration = \"2.4 s\"\n{from}\n[topology]\nkind = \"nodes\"\nnodes = 2\n\
         [[point_to_point]]\nbetween = [0, 1]\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\n\
         [[flow]]\nkind = \"sessions\"\nhandshake = false\nsize = \"2000 B\"\npause = \"500 ms\"\n\
         start = \"1 s\"\n"
    ));
    run(&resolved, &options(1))
}

#[test]
fn what_is_sent_at_the_first_instant_counts() {
    let default = transfers("");
    for measured in [
        transfers("[measure]\nfrom = \"0 s\""),
        transfers("[measure]\nfrom = \"1 s\""),
    ] {
        for measure in ["sent_packets", "delivered_packets", "acked_packets"] {
            assert!(of(&default, measure) > 0.0);
            assert!(of(&default, measure).to_bits() == of(&measured, measure).to_bits());
        }
    }
    assert!(of(&default, "sent_packets") >= of(&default, "delivered_packets"));
}

#[test]
fn what_is_sent_before_does_not() {
    let later = transfers("[measure]\nfrom = \"1000001 us\"");
    assert!(of(&later, "sent_packets") < of(&transfers(""), "sent_packets"));
}
