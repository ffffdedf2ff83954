//! Random wired networks, and random base stations with mobiles, one transfer a flow: nothing is lost
//! untold, every transfer comes to its end, and settling late changes nothing. Each network has a seed,
//! which a failure prints with the scenario.

mod cells;
mod links;

use crate::common::{draws, log, one_of, options, run, tries};
use acklab_base::Stream;
use acklab_scenario::{Resolved, parse_toml};
use acklab_world::{RunOptions, RunResult};
use serde_json::Value;

/// How many networks of each kind are tried unless another number is asked for.
const NETWORKS: u64 = 12;

/// What a scenario begins with. No transfer takes nearly as long.
fn head(nodes: u32) -> String {
    format!(
        "duration = \"600 s\"\n[measure]\nfrom = \"0 s\"\nsample = \"600 s\"\n[topology]\n\
         kind = \"nodes\"\nnodes = {nodes}\n"
    )
}

fn truth(draw: &mut Stream) -> bool {
    draw.below(2) == 0
}

fn ack(draw: &mut Stream) -> String {
    match draw.below(4) {
        0 | 1 => "\"every\"".to_owned(),
        2 => "\"delayed\"".to_owned(),
        _ => format!(
            "{{policy = \"delayed-dupacks\", delay = \"{} ms\", release = \"{}\"}}",
            draw.below(250),
            one_of(draw, &["at-once", "paced"])
        ),
    }
}

/// A transfer. `rest` holds what agents and mobiles have to do with it.
fn transfer(draw: &mut Stream, [from, to]: [u32; 2], rest: &str) -> String {
    let variants = [
        "tahoe", "reno", "newreno", "vegas", "sack", "rack", "westwood",
    ];
    format!(
        "[[flow]]\nkind = \"sessions\"\nfrom = {from}\nto = {to}\nsize = \"{} kB\"\npause = \"1000 s\"\n\
         profile = \"{}\"\nvariant = \"{}\"\nwindow = {}\npacket = \"{} B\"\nhandshake = {}\n\
         start = \"{} ms\"\nack = {}\n{rest}",
        5 + draw.below(60),
        one_of(draw, &["ns2", "standard"]),
        one_of(draw, &variants),
        3 + draw.below(40),
        200 + draw.below(1_200),
        truth(draw),
        draw.below(30_000),
        ack(draw),
    )
}

/// The first scenario of a seed that is accepted.
fn network(seed: u64, make: fn(&mut Stream) -> String) -> (String, Resolved) {
    let mut draw = draws(seed);
    loop {
        let text = make(&mut draw);
        let resolved = parse_toml("swarm.toml", &text).and_then(|scenario| scenario.resolve());
        match resolved {
            Ok(resolved) if acklab_world::check(&resolved).is_ok() => return (text, resolved),
            // Nobody marks the losses of a flow that heeds marks.
            Ok(_) | Err(_) => {}
        }
    }
}

/// Segments and datagrams that came into being were received, or the log tells what became of them.
/// Pages and semisoft handoffs make copies, so that more may be told of.
fn nothing_vanishes(events: &[Value]) -> Result<(), String> {
    let (mut made, mut told) = (0_u64, 0_u64);
    for event in events {
        let is_ours = event["class"] != "routing" && event["class"] != "link_ack";
        match event["kind"].as_str().unwrap_or_default() {
            "tcp_sent" => made += 1,
            "tcp_received" => told += 1,
            // What is of an earlier connection was received before.
            "packet_dropped" if is_ours && event["reason"] != "unclaimed" => told += 1,
            // A frame with a number is sent again.
            "link_frame" if is_ours && event["sight"] == "lost" && event["number"].is_null() => {
                told += 1;
            }
            "agent" => match event["act"].as_str().unwrap_or_default() {
                "suppressed" => told += 1,
                "retransmitted" | "acknowledged" => made += 1,
                _ => {}
            },
            _ => {}
        }
    }
    if made > told {
        return Err(format!("{made} packets were made and {told} told of"));
    }
    Ok(())
}

fn all_end(result: &RunResult) -> Result<(), String> {
    let over = |flow: &usize| result.flows[*flow]["sessions_completed"] > 0.5;
    match (0..result.flows.len()).find(|flow| !over(flow)) {
        Some(flow) => Err(format!("flow {flow} did not end: {:?}", result.flows[flow])),
        None => Ok(()),
    }
}

fn same_digest(eager: &RunResult, lazy: &RunResult) -> Result<(), String> {
    if eager.digest == lazy.digest {
        return Ok(());
    }
    Err("settling late changes the digest".to_owned())
}

fn check(make: fn(&mut Stream) -> String) {
    for seed in 0..tries(NETWORKS) {
        let (text, resolved) = network(seed, make);
        let result = run(&resolved, &options(seed));
        let eager = RunOptions {
            eager: true,
            ..options(seed)
        };
        let outcome = all_end(&result)
            .and_then(|()| same_digest(&run(&resolved, &eager), &result))
            .and_then(|()| nothing_vanishes(&log(&resolved, &options(seed))));
        if let Err(what) = outcome {
            panic!("seed {seed}: {what}\n{text}");
        }
    }
}

#[test]
fn transfers_over_random_links_and_past_random_agents_end() {
    check(links::network);
}

#[test]
fn transfers_of_random_mobiles_end() {
    check(cells::network);
}

/// Networks so quiet that nothing goes wrong in them would test nothing.
#[test]
fn the_swarm_is_not_quiet() {
    let sum = |make: fn(&mut Stream) -> String, name: &str| -> f64 {
        let runs = (0..6).map(|seed| run(&network(seed, make).1, &options(seed)).measures[name]);
        runs.sum()
    };
    for name in ["p2p_retransmissions", "agent_retransmissions", "timeouts"] {
        assert!(sum(links::network, name) > 0.0, "no {name}");
    }
    for name in ["handoffs", "handoff_lost_packets", "timeouts"] {
        assert!(sum(cells::network, name) > 0.0, "no {name}");
    }
}
