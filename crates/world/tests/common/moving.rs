//! Networks whose nodes move.

use super::{example, scenario};
use acklab_scenario::Resolved;

/// Twelve nodes that wander over 700 m by 300 m, with three flows.
fn wandering(routing: &str, head: &str) -> Resolved {
    let flow = |from: u32, to: u32| {
        format!(
            "[[flow]]\nkind = \"ftp\"\nfrom = {from}\nto = {to}\nwindow = 8\n\
             start_jitter = \"300 ms\"\n"
        )
    };
    scenario(&format!(
        "duration = \"8 s\"\n{head}[topology]\nkind = \"grid\"\nrows = 3\ncolumns = 4\n\
         spacing = \"140 m\"\n[routing]\n{routing}\n\
         [[moving]]\nnodes = [5]\n\
         motion = {{ kind = \"back-and-forth\", to = [\"600 m\", \"10 m\"], speed = \"90 km/h\" }}\n\
         [[moving]]\nmotion = {{ kind = \"random-waypoint\", corner = [\"0 m\", \"0 m\"], \
         size = [\"700 m\", \"300 m\"], speeds = [\"2 m/s\", \"30 m/s\"], pause = \"200 ms\" }}\n\
         {}{}{}",
        flow(0, 11),
        flow(8, 3),
        flow(6, 4)
    ))
}

pub(crate) fn moving_networks() -> Vec<(&'static str, Resolved)> {
    let standard = "profile = \"standard\"\n";
    vec![
        ("wandering, AODV", wandering("protocol = \"aodv\"", "")),
        (
            "wandering, standard",
            wandering("protocol = \"aodv\"", standard),
        ),
        ("wandering, DSR", wandering("protocol = \"dsr\"", "")),
        (
            "example relay-drives-off",
            example("relay-drives-off.toml", 19),
        ),
    ]
}
