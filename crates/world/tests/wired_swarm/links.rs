//! Random trees of links with agents anywhere.

use super::{head, transfer, truth};
use crate::common::one_of;
use acklab_base::Stream;

fn errors(draw: &mut Stream) -> String {
    match draw.below(5) {
        0 => "{kind = \"none\"}".to_owned(),
        1 => {
            let mean = 8_000 + draw.below(90_000);
            format!("{{kind = \"exponential\", mean = \"{mean} B\"}}")
        }
        2 => format!("{{kind = \"uniform\", loss = \"{} %\"}}", draw.below(9)),
        3 => format!(
            "{{kind = \"gilbert-elliott\", good = \"{} ms\", bad = \"{} ms\"}}",
            300 + draw.below(900),
            1 + draw.below(40)
        ),
        _ => "{kind = \"trace\", fates = \"...............x...x.......\"}".to_owned(),
    }
}

fn arq(draw: &mut Stream) -> String {
    let order = match draw.below(3) {
        0 => "order = \"sequence\"".to_owned(),
        1 => format!("tries = {}", 1 + draw.below(5)),
        _ => "order = \"arrival\"".to_owned(),
    };
    let queue = if truth(draw) {
        "shared_queue = true".to_owned()
    } else {
        format!("ack_queue = {}", 1 + draw.below(40))
    };
    let timer = if draw.below(3) == 0 {
        format!(", min_timer = \"{} ms\"", 1 + draw.below(300))
    } else {
        String::new()
    };
    format!(
        "arq = {{{order}, {queue}, acks_first = {}, retransmissions_first = {}{timer}}}\n",
        truth(draw),
        truth(draw)
    )
}

fn link(draw: &mut Stream, [one, other]: [u32; 2]) -> String {
    let rate = one_of(draw, &["128 kbit/s", "1 Mbit/s", "2 Mbit/s", "10 Mbit/s"]);
    let delay = one_of(draw, &["0 s", "1 ns", "1 ms", "20 ms", "40 ms", "120 ms"]);
    let mut text = format!(
        "[[point_to_point]]\nbetween = [{one}, {other}]\nrate = \"{rate}\"\ndelay = \"{delay}\"\n\
         queue = {}\nerrors_forward = {}\nerrors_backward = {}\n",
        1 + draw.below(50),
        errors(draw),
        errors(draw)
    );
    if one == 0 && truth(draw) {
        text += "medium = \"air\"\n";
    }
    if draw.below(3) == 0 {
        text += &format!("data_loss = \"{} %\"\n", 1 + draw.below(4));
        if truth(draw) {
            text += &format!("data_loss_lasts = \"{} ms\"\n", draw.below(30));
        }
    }
    if truth(draw) {
        text += &arq(draw);
    }
    text
}

fn agent(draw: &mut Stream, kind: &str, [node, toward]: [u32; 2]) -> String {
    let rules = match kind {
        "snoop" => format!(
            "rules = \"{}\"\ncache = {}\n",
            one_of(draw, &["paper", "ns2"]),
            1 + draw.below(50)
        ),
        _ => String::new(),
    };
    format!("[[agent]]\nkind = \"{kind}\"\nnode = {node}\ntoward = {toward}\n{rules}")
}

pub(super) fn network(draw: &mut Stream) -> String {
    let nodes = 2 + draw.below(5);
    let mut text = head(nodes);
    let mut agents = String::new();
    let mut marks = false;
    for node in 1..nodes {
        let up = draw.below(node);
        text += &link(draw, [up, node]);
        if truth(draw) {
            let kind = one_of(draw, &["snoop", "loss-notice", "snoop", "m-tcp"]);
            let ends = if draw.below(4) == 0 {
                [node, up]
            } else {
                [up, node]
            };
            marks |= kind == "loss-notice";
            agents += &agent(draw, kind, ends);
        }
    }
    text += &agents;
    for _ in 0..1 + draw.below(4) {
        let from = draw.below(nodes);
        let to = (from + 1 + draw.below(nodes - 1)) % nodes;
        let rest = match draw.below(6) {
            0 => "encrypted = true\n",
            1 | 2 if marks => "eln = true\n",
            _ => "",
        };
        text += &transfer(draw, [from, to], rest);
    }
    text
}
