//! Random networks on the slotted radio, graphs and places, with all rules, under a checker that
//! reads their event logs and knows the air by itself: what may never happen, never does. Each
//! network has a seed, which a failure prints with the scenario.

mod record;

use crate::common::{draws, log, one_of, options, run, scenario, tries};
use acklab_base::Stream;
use acklab_world::RunResult;
use record::{Network, Record};

/// How many networks are tried unless another number is asked for.
const NETWORKS: u64 = 90;

/// A connected graph: a tree, and some links more.
fn graph(draw: &mut Stream, nodes: u32) -> Vec<(u32, u32)> {
    let mut links: Vec<(u32, u32)> = (1..nodes).map(|node| (draw.below(node), node)).collect();
    for _ in 0..draw.below(nodes) {
        let (one, other) = (draw.below(nodes), draw.below(nodes));
        let link = (one.min(other), one.max(other));
        if one != other && !links.contains(&link) {
            links.push(link);
        }
    }
    links
}

/// Places in metres, each within 250 m of an earlier one, and no two so far apart that rounding
/// decides whether they decode (250 m) or sense (550 m) each other.
fn places(draw: &mut Stream, nodes: u32) -> Vec<(i32, i32)> {
    let clear = |one: &(i32, i32), other: (i32, i32)| {
        let (dx, dy) = (one.0 - other.0, one.1 - other.1);
        let square = dx * dx + dy * dy;
        square > 0
            && [250, 550]
                .iter()
                .all(|far: &i32| (square - far * far).abs() > 600)
    };
    let mut places = vec![(0, 0)];
    while (places.len() as u32) < nodes {
        let (x, y) = places[draw.below(places.len() as u32) as usize];
        let at = (
            x + 60 + draw.below(170) as i32,
            y + draw.below(140) as i32 - 70,
        );
        if places.iter().all(|place| clear(place, at)) {
            places.push(at);
        }
    }
    places
}

/// A third of the networks follow a reading to the letter; the others change any rule.
fn rules(draw: &mut Stream, placed: bool) -> String {
    let reading = one_of(draw, &["p1", "h", "p2"]);
    let combining = one_of(draw, &["none", "data-ack", "data-ack", "xor"]);
    let sensing: &[&str] = if placed {
        &["neighbours", "two-hops", "radio"]
    } else {
        &["neighbours", "two-hops"]
    };
    let mut rules = format!(
        "reading = \"{reading}\"\ncombining = \"{combining}\"\nsensing = \"{}\"\n",
        one_of(draw, sensing)
    );
    if draw.below(3) == 0 {
        return rules;
    }
    let shortest = 3 + draw.below(4);
    let (least, queue) = (draw.below(4), one_of(draw, &["any", "fifo"]));
    let mini_slots = one_of(draw, &["1", "4", "65536"]);
    let access = one_of(draw, &["contend", "first", "unconditional"]);
    if (mini_slots, access) != ("1", "contend") {
        rules += one_of(draw, &["busy = \"wait\"\n", "busy = \"back-off\"\n"]);
    }
    rules += &format!(
        "lifetime = {}\nretry_min = {shortest}\nretry_max = {}\nretry_limit = {}\n\
         mini_slots = {mini_slots}\nrelay_access = \"{access}\"\nqueue = \"{queue}\"\n\
         spacing_min = {least}\nspacing_max = {}\nspaced = \"{}\"\nduplicates = \"{}\"\n\
         late_echoes = {}\nbackoff_from = \"{}\"\n{}",
        one_of(draw, &["8", "32", "50", "\"off\""]),
        shortest + draw.below(18),
        one_of(draw, &["\"off\"", "\"off\"", "2"]),
        least + 1 + draw.below(3),
        one_of(draw, &["own-and-retries", "own"]),
        one_of(draw, &["drop", "confirm", "forward"]),
        one_of(draw, &["true", "false"]),
        one_of(draw, &["transmission", "echo"]),
        one_of(
            draw,
            &[
                "slot = \"10 ms\"\n",
                "slot = \"4 ms\"\n",
                "ack_slot = \"3 ms\"\n"
            ]
        ),
    );
    if queue == "fifo" {
        rules += one_of(draw, &["two_queues = true\n", "two_queues = false\n"]);
    }
    if combining != "none" {
        for key in ["combine_relays", "pull_forward", "same_hop", "postpone"] {
            let value = one_of(draw, &["true", "false"]);
            if key != "same_hop" || combining == "data-ack" {
                rules += &format!("{key} = {value}\n");
            }
        }
    }
    rules
}

fn flow(draw: &mut Stream, nodes: u32) -> String {
    let from = draw.below(nodes);
    let to = (from + 1 + draw.below(nodes - 1)) % nodes;
    let ends = format!(
        "from = {from}\nto = {to}\nstart = \"{} ms\"\n",
        draw.below(400)
    );
    if draw.below(5) == 0 {
        let interval = 30 + draw.below(100);
        return format!("[[flow]]\nkind = \"cbr\"\n{ends}interval = \"{interval} ms\"\n");
    }
    format!(
        "[[flow]]\nkind = \"ftp\"\n{ends}variant = \"{}\"\nwindow = {}\nack = \"{}\"\n\
         rto = {{ initial = \"400 ms\", min = \"200 ms\" }}\n",
        one_of(draw, &["reno", "newreno"]),
        1 + draw.below(20),
        one_of(draw, &["every", "rfc5681"])
    )
}

/// A host on a wire to one of the radios, which has an agent towards a neighbour of it or none.
fn wired(draw: &mut Stream, nodes: u32, (one, other): (u32, u32)) -> String {
    let delay = one_of(draw, &["0 s", "3 ms", "41 ms"]);
    let mut text = format!(
        "[[point_to_point]]\nbetween = [{one}, {nodes}]\nrate = \"2 Mbit/s\"\ndelay = \"{delay}\"\n"
    );
    let agent = one_of(draw, &["", "snoop", "split", "loss-notice", "m-tcp"]);
    if !agent.is_empty() {
        text += &format!("[[agent]]\nkind = \"{agent}\"\nnode = {one}\ntoward = {other}\n");
    }
    text
}

/// The network of a seed: its scenario, and who is where.
fn network(seed: u64) -> (String, Network) {
    let mut draw = draws(seed);
    let nodes = 2 + draw.below(9);
    let placed = draw.below(2) == 0;
    let (topology, links, far) = if placed {
        let places = places(&mut draw, nodes);
        let text: Vec<String> = places
            .iter()
            .map(|(x, y)| format!("[\"{x} m\", \"{y} m\"]"))
            .collect();
        let text = format!("kind = \"positions\"\npositions = [{}]", text.join(", "));
        (
            text,
            record::within(&places, 250),
            record::within(&places, 550),
        )
    } else {
        let links = graph(&mut draw, nodes);
        let text: Vec<String> = links.iter().map(|(a, b)| format!("[{a}, {b}]")).collect();
        let edges = text.join(", ");
        let text = format!("kind = \"graph\"\nnodes = {nodes}\nedges = [{edges}]");
        (text, links, Vec::new())
    };
    let rules = rules(&mut draw, placed);
    let routing = one_of(&mut draw, &["static", "static", "static", "dsdv"]);
    let flows = 1 + draw.below(4);
    let at = (draw.below(3) == 0).then(|| links[draw.below(links.len() as u32) as usize]);
    let wires = at.map_or(String::new(), |at| wired(&mut draw, nodes, at));
    let hosts = at.map_or("", |_| "wired_nodes = 1\n");
    let ends = nodes + u32::from(at.is_some());
    let flows: String = (0..flows).map(|_| flow(&mut draw, ends)).collect();
    let text = format!(
        "duration = \"3 s\"\n{hosts}[measure]\nfrom = \"0 s\"\n[topology]\n{topology}\n[slotted]\n{rules}\
         [routing]\nprotocol = \"{routing}\"\n{wires}{flows}"
    );
    let rules = scenario(&text).slotted.expect("a slotted radio");
    let gateway = at.map(|(gateway, _)| gateway);
    (text, Network::new((nodes, gateway), &links, &far, rules))
}

/// No counter exceeds what it is a part of, and each packet without an echo has one reason.
fn counters_agree(result: &RunResult) -> Result<(), String> {
    for node in result.nodes.iter() {
        let missed = node
            .iter()
            .filter(|(name, _)| name.starts_with("slot_missed_"));
        let sum: f64 = missed.map(|(_, count)| count).sum();
        let parts = [
            (sum, node["slot_unechoed"]),
            (node["slot_unechoed"], sum),
            (node["slot_pairs_met"], node["slot_pairs_at_once"]),
            // Who has the packet already may answer by chance what it did not take.
            (node["slot_pairs_at_once"], node["slot_combined_frames"]),
            (node["slot_pairs_taken"], node["slot_combined_frames"]),
            (node["slot_pairs_unechoed"], node["slot_combined_frames"]),
            (node["slot_relay_frames_both"], node["slot_relay_frames"]),
        ];
        if parts.iter().any(|(part, whole)| part > whole) {
            return Err(format!("a part is more than the whole: {parts:?}"));
        }
    }
    Ok(())
}

fn check(seeds: impl Iterator<Item = u64>) {
    for seed in seeds {
        let (text, network) = network(seed);
        let resolved = scenario(&text);
        let result = run(&resolved, &options(seed));
        let outcome = Record::read(&network, &log(&resolved, &options(seed)))
            .and_then(|record| record.counts(&result))
            .and_then(|()| counters_agree(&result));
        if let Err(what) = outcome {
            panic!("seed {seed}: {what}\n{text}");
        }
    }
}

#[test]
fn nothing_impossible_happens_in_random_slots_with_even_seeds() {
    check((0..tries(NETWORKS)).filter(|seed| seed % 2 == 0));
}

#[test]
fn nothing_impossible_happens_in_random_slots_with_odd_seeds() {
    check((0..tries(NETWORKS)).filter(|seed| seed % 2 == 1));
}

/// Networks so quiet that nothing goes wrong in them would test nothing.
#[test]
fn the_slots_are_not_quiet() {
    let results: Vec<RunResult> = (0..40)
        .map(|seed| run(&scenario(&network(seed).0), &options(seed)))
        .collect();
    for name in [
        "collisions_hidden",
        "collisions_same_slot",
        "expired_drops",
        "retry_drops",
        "slot_combined_frames",
        "slot_duplicates",
        "slot_late_echoes",
        "slot_pairs_met",
        "slot_missed_echo_busy",
        "slot_missed_echo_behind",
        "slot_missed_echo_collided",
        "timeouts",
    ] {
        let sum: f64 = results.iter().map(|result| result.measures[name]).sum();
        assert!(sum > 0.0, "no {name}");
    }
}
