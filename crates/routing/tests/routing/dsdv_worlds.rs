//! DSDV routers of whole networks, joined by links that lose nothing: once the tables have settled
//! every node reaches every other along routes without circles, and a cut link heals.

use crate::graphs::{Graph, connected, cut, draws, floyd};
use crate::script::stream;
use crate::world::World;
use acklab_base::{Duration, NodeId};
use acklab_routing::{Dsdv, DsdvConfig, MacFailure, Router};

fn world(graph: Graph, config: &DsdvConfig, seed: u64) -> World {
    let router = |node: NodeId| {
        let draws = stream(seed, node.0);
        Router::Dsdv(Box::new(Dsdv::new(node, config.clone(), draws)))
    };
    World::new(graph, router, seed)
}

/// The rules of a profile with times that let a test see a network settle: a new route may take two
/// settling times a hop.
fn quick(config: &DsdvConfig) -> DsdvConfig {
    DsdvConfig {
        first_settling: Duration::from_millis(500),
        ..config.clone()
    }
}

/// Once the tables have settled there is a way from everywhere to everywhere. Counts the hops of all
/// ways, and of the shortest ones: a newer sequence number that came a longer way is believed until
/// the shorter one has come too, so at any moment some routes are longer than they need be.
#[track_caller]
fn hops_when_settled(world: &World, seed: u64) -> (u32, u32) {
    let lengths = floyd(&world.graph);
    world.assert_no_loops(seed);
    let (mut hops, mut shortest) = (0, 0);
    for source in 0..world.count() {
        for destination in (0..world.count()).filter(|&node| node != source) {
            let path = world.walk(source, destination).expect("no loop");
            let end = Some(&NodeId(destination));
            assert_eq!(path.last(), end, "seed {seed}: from n{source}");
            hops += path.len() as u32 - 1;
            shortest += lengths[source as usize][destination as usize].expect("connected");
        }
    }
    (hops, shortest)
}

#[test]
fn tables_settle_on_short_paths_and_deliver_everywhere() {
    let (mut hops, mut shortest) = (0, 0);
    for seed in 0..200 {
        for config in [DsdvConfig::ns2(), DsdvConfig::standard()] {
            let graph = connected(&mut draws(seed));
            let mut world = world(graph, &quick(&config), seed);
            for _ in 0..60 {
                world.run_for(1_000);
                world.assert_no_loops(seed);
            }
            world.run_for(60_000);
            let found = hops_when_settled(&world, seed);
            hops += found.0;
            shortest += found.1;
            let mut offered = Vec::new();
            for source in 0..world.count() {
                let step = 1 + world.draw.below(world.count() - 1);
                offered.push(world.offer(source, (source + step) % world.count()));
            }
            world.run_for(1_000);
            world.delivered.sort_unstable();
            assert_eq!(world.delivered, offered, "seed {seed}");
            assert_eq!(world.looped, 0, "seed {seed}");
        }
    }
    assert!(hops >= shortest);
    let detour = f64::from(hops - shortest) / f64::from(shortest);
    assert!(detour < 0.04, "{hops} hops instead of {shortest}");
}

#[test]
fn a_cut_link_heals() {
    let mut cuts = 0;
    for seed in 2000..2420 {
        // Where layer 2 is not listened to, three silent periods must go by first.
        for config in [DsdvConfig::ns2(), DsdvConfig::standard()] {
            let patience = match config.mac_failure {
                MacFailure::Ignored => 150,
                MacFailure::BreaksLink => 60,
            };
            let mut draw = draws(seed);
            let graph = connected(&mut draw);
            let mut world = world(graph, &quick(&config), seed);
            let (source, destination) = (0, world.count() - 1);
            world.run_for(90_000);
            let path = world.walk(source, destination).expect("no loop");
            assert_eq!(path.last(), Some(&NodeId(destination)), "seed {seed}");
            let place = draw.below(path.len() as u32 - 1) as usize;
            let mut rest = world.graph.clone();
            cut(&mut rest, path[place], path[place + 1]);
            if floyd(&rest)[0][destination as usize].is_none() {
                continue;
            }
            cuts += 1;
            world.graph = rest;
            for _ in 0..patience {
                world.offer(source, destination);
                world.run_for(1_000);
            }
            let late = world.offer(source, destination);
            world.run_for(1_000);
            assert!(
                world.delivered.contains(&late),
                "seed {seed}: not healed, {path:?} at {place}"
            );
            world.assert_no_loops(seed);
        }
    }
    assert!(cuts >= 2 * 200, "only {cuts} cuts of two profiles");
}
