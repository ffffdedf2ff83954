//! Random mobiles between two base stations, with schemes of theirs and agents.
//!
//! Node 0 is the correspondent, 1 the gateway, 2 the crossover node, 3 and 4 are the stations (the second one
//! behind router 5), then come the mobiles. The stations stand 230 m apart.

use super::{head, transfer, truth};
use crate::common::one_of;
use acklab_base::Stream;

const FIRST_MOBILE: u32 = 6;

/// Where the signal is good: who is frozen for ever never ends.
fn near(draw: &mut Stream) -> u32 {
    let from = draw.below(50);
    if truth(draw) { from } else { 230 - from }
}

fn motion(draw: &mut Stream) -> String {
    let speed = one_of(draw, &["70 km/h", "5 m/s", "120 km/h"]);
    let line = |kind: &str, to: u32| {
        format!(
            "{{kind = \"{kind}\", from = [\"0 m\", \"0 m\"], to = [\"{to} m\", \"0 m\"], speed = \"{speed}\"}}"
        )
    };
    match draw.below(4) {
        0 => format!(
            "{{kind = \"resting\", position = [\"{} m\", \"3 m\"]}}",
            near(draw)
        ),
        1 => line("straight", near(draw)),
        2 => line("back-and-forth", 230),
        _ => format!(
            "{{kind = \"random-waypoint\", corner = [\"0 m\", \"0 m\"], size = [\"230 m\", \"20 m\"], \
             speeds = [\"1 m/s\", \"30 m/s\"], pause = \"{} s\"}}",
            draw.below(5)
        ),
    }
}

fn wires(draw: &mut Stream) -> String {
    let link = |[one, other]: [u32; 2]| {
        format!(
            "[[point_to_point]]\nbetween = [{one}, {other}]\nrate = \"10 Mbit/s\"\ndelay = \"{}\"\n\
             queue = {}\n",
            one_of(draw, &["5 ms", "0 s"]),
            2 + draw.below(50)
        )
    };
    [[0, 1], [1, 2], [2, 3], [2, 5], [5, 4]].map(link).concat()
}

/// The table of cells but for stations and mobiles.
fn access(draw: &mut Stream) -> String {
    let mut text = format!(
        "[cells]\ngateway = 1\nrate = \"{}\"\nmac = \"{}\"\nloss = \"{} %\"\nbeacon_loss = \"{} %\"\n\
         beacon_period = \"{}\"\nqueue = {}\nupdate_at_handoff = {}\nalpha = {}\nhysteresis = \"{} dB\"\n\
         shadowing = \"{} dB\"\ndelay = \"{}\"\nroute_update = \"{} ms\"\nactive_timeout = \"{} ms\"\n",
        one_of(draw, &["1 Mbit/s", "2 Mbit/s"]),
        one_of(draw, &["none", "802.11"]),
        draw.below(6),
        draw.below(20),
        one_of(draw, &["100 ms", "30 ms", "400 ms"]),
        1 + draw.below(50),
        truth(draw),
        one_of(draw, &["0.02", "0.005", "0.04"]),
        draw.below(3),
        one_of(draw, &["0", "0", "4"]),
        one_of(draw, &["1 ms", "0 s", "20 ms"]),
        100 + draw.below(5_000),
        draw.below(6_000),
    );
    if draw.below(3) == 0 {
        text += &format!(
            "handoff = \"semisoft\"\nsemisoft_delay = \"{} ms\"\ndelay_device = \"{} ms\"\n",
            draw.below(400),
            draw.below(100)
        );
    }
    text
}

/// Stations, one of them off for a while now and then, mobiles, and perhaps a blackout.
fn roles(draw: &mut Stream, mobiles: u32) -> String {
    let span = |draw: &mut Stream| {
        let from = 1_000 + draw.below(20_000);
        format!("[\"{from} ms\", \"{} ms\"]", from + 1 + draw.below(9_000))
    };
    let mut text = String::new();
    for (node, metres) in [(3, 0), (4, 230)] {
        text +=
            &format!("[[cells.station]]\nnode = {node}\nposition = [\"{metres} m\", \"0 m\"]\n");
        if draw.below(4) == 0 {
            text += &format!("off = [{}]\n", span(draw));
        }
    }
    for mobile in 0..mobiles {
        let node = FIRST_MOBILE + mobile;
        text += &format!(
            "[[cells.mobile]]\nnode = {node}\nmotion = {}\n",
            motion(draw)
        );
    }
    if draw.below(3) == 0 {
        let depth = draw.below(60);
        text += &format!(
            "[[cells.blackout]]\nduring = {}\ndepth = \"{depth} dB\"\n",
            span(draw)
        );
    }
    text
}

fn scheme(draw: &mut Stream, is_down: bool, is_supervised: bool) -> String {
    let held = if is_down {
        one_of(draw, &["every", "newest"])
    } else {
        "every"
    };
    match draw.below(4) {
        0 => String::new(),
        1 if is_down => {
            let acks = draw.below(4);
            format!("handoff = {{scheme = \"freeze\", reopening_acks = {acks}}}\n")
        }
        2 if is_down && is_supervised => "handoff = \"m-tcp\"\n".to_owned(),
        _ => format!(
            "handoff = {{scheme = \"pacing\", interval = \"{} ms\", held = \"{held}\", end = \"{}\"}}\n",
            1 + draw.below(300),
            one_of(draw, &["at-once", "paced"])
        ),
    }
}

pub(super) fn network(draw: &mut Stream) -> String {
    let mobiles = 1 + draw.below(3);
    let mut text =
        head(FIRST_MOBILE + mobiles) + &wires(draw) + &access(draw) + &roles(draw, mobiles);
    let below = one_of(draw, &["", "snoop", "loss-notice", ""]);
    for (station, mobile) in [3, 4]
        .into_iter()
        .flat_map(|station| (0..mobiles).map(move |mobile| (station, FIRST_MOBILE + mobile)))
        .filter(|_| !below.is_empty())
    {
        text += &format!("[[agent]]\nkind = \"{below}\"\nnode = {station}\ntoward = {mobile}\n");
    }
    let above = one_of(draw, &["", "", "m-tcp", "snoop"]);
    if !above.is_empty() {
        text += &format!("[[agent]]\nkind = \"{above}\"\nnode = 1\ntoward = 2\n");
    }
    for _ in 0..1 + draw.below(4) {
        let mobile = FIRST_MOBILE + draw.below(mobiles);
        let is_down = draw.below(3) > 0;
        let mut rest = scheme(draw, is_down, above == "m-tcp");
        if is_down && below == "loss-notice" && truth(draw) {
            rest += "eln = true\n";
        }
        let ends = if is_down { [0, mobile] } else { [mobile, 0] };
        text += &transfer(draw, ends, &rest);
    }
    text
}
