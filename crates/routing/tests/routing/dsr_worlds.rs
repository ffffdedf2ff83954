//! DSR routers of whole networks, joined by links that lose nothing: whatever is connected is reached,
//! no source route passes a node twice, and a cut link heals.

use crate::graphs::{Graph, connected, cut, draws, floyd};
use crate::script::stream;
use crate::world::World;
use acklab_base::NodeId;
use acklab_routing::{Dsr, DsrConfig, Router};

fn world(graph: Graph, config: &DsrConfig, seed: u64) -> World {
    let router = |node: NodeId| {
        let draws = stream(seed, node.0);
        Router::Dsr(Box::new(Dsr::new(node, config.clone(), draws)))
    };
    World::new(graph, router, seed)
}

/// Both profiles, and the rules of ns-2 without what makes it learn from others.
fn profiles() -> [DsrConfig; 3] {
    let plain = DsrConfig {
        overhears: false,
        replies_from_cache: false,
        flow_state: false,
        ..DsrConfig::ns2()
    };
    [DsrConfig::ns2(), DsrConfig::standard(), plain]
}

/// Whether every path that is needed fits into a source route.
fn fits(graph: &Graph) -> bool {
    let lengths = floyd(graph);
    lengths
        .iter()
        .flatten()
        .all(|hops| hops.is_some_and(|hops| hops < 12))
}

#[test]
fn whatever_is_connected_is_reached_from_everywhere_at_once() {
    let mut worlds = 0;
    for seed in 0..260 {
        let graph = connected(&mut draws(seed));
        if !fits(&graph) {
            continue;
        }
        worlds += 1;
        for config in profiles() {
            let mut world = world(graph.clone(), &config, seed);
            world.run_for(1_000);
            let mut offered = Vec::new();
            for source in 0..world.count() {
                let step = 1 + world.draw.below(world.count() - 1);
                offered.push(world.offer(source, (source + step) % world.count()));
            }
            world.run_for(20_000);
            // Later packets of the same pairs: flows are established, and then need no route.
            for round in 0..8 {
                let source = (seed as u32 + round) % world.count();
                let step = 1 + world.draw.below(world.count() - 1);
                offered.push(world.offer(source, (source + step) % world.count()));
                world.run_for(3_000);
            }
            world.run_for(20_000);
            world.delivered.sort_unstable();
            offered.sort_unstable();
            assert_eq!(world.delivered, offered, "seed {seed}");
            assert_eq!(world.looped, 0, "seed {seed}");
        }
    }
    assert!(worlds >= 200, "only {worlds} worlds");
}

#[test]
fn a_cut_link_heals() {
    let mut cuts = 0;
    for seed in 2000..2560 {
        for config in [DsrConfig::ns2(), DsrConfig::standard()] {
            let mut draw = draws(seed);
            let graph = connected(&mut draw);
            if !fits(&graph) {
                continue;
            }
            let mut world = world(graph, &config, seed);
            let (source, destination) = (0, world.count() - 1);
            world.run_for(1_000);
            for _ in 0..10 {
                world.offer(source, destination);
                world.run_for(500);
            }
            let path = world.walk_of_last();
            if path.len() < 2 {
                continue;
            }
            let place = draw.below(path.len() as u32 - 1) as usize;
            let mut rest = world.graph.clone();
            cut(&mut rest, path[place], path[place + 1]);
            if floyd(&rest)[0][destination as usize].is_none() || !fits(&rest) {
                continue;
            }
            cuts += 1;
            world.graph = rest;
            for _ in 0..300 {
                world.offer(source, destination);
                world.run_for(100);
            }
            let late = world.offer(source, destination);
            world.run_for(2_000);
            assert!(
                world.delivered.contains(&late),
                "seed {seed}: not healed, {path:?} at {place}"
            );
            assert_eq!(world.looped, 0, "seed {seed}");
        }
    }
    assert!(cuts >= 2 * 200, "only {cuts} cuts of two profiles");
}
