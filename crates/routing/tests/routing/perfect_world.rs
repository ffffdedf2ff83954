//! AODV routers of whole networks, joined by links that lose nothing: whatever is connected must be
//! reached, routes must not run in circles, and a cut link must heal.

use crate::graphs::{Graph, connected, cut, draws, floyd};
use crate::script::stream;
use crate::world::World;
use acklab_base::NodeId;
use acklab_routing::{Aodv, AodvConfig, Router};

fn world(graph: Graph, config: &AodvConfig, seed: u64) -> World {
    let router = |node: NodeId| {
        let draws = stream(seed, node.0);
        Router::Aodv(Box::new(Aodv::new(node, config.clone(), draws)))
    };
    World::new(graph, router, seed)
}

/// The longest time, in milliseconds, that a world may need to deliver or to heal.
struct Patience {
    healing: u64,
}

fn profiles() -> [(AodvConfig, Patience); 2] {
    // Under ns-2's rules a repair may be stuck until the neighbours' routes have expired and the
    // hold-off is over; the RFC's give up after one wait.
    [
        (AodvConfig::ns2(), Patience { healing: 60_000 }),
        (AodvConfig::standard(), Patience { healing: 30_000 }),
    ]
}

#[test]
fn whatever_is_connected_is_reached_from_everywhere_at_once() {
    for seed in 0..200 {
        for (config, _) in profiles() {
            let graph = connected(&mut draws(seed));
            let mut world = world(graph, &config, seed);
            world.run_for(1000);
            let mut offered = Vec::new();
            for source in 0..world.count() {
                // All at once to one node of their own: floods cross and routes are shared.
                let step = 1 + world.draw.below(world.count() - 1);
                offered.push(world.offer(source, (source + step) % world.count()));
            }
            world.run_for(10_000);
            world.delivered.sort_unstable();
            assert_eq!(world.delivered, offered, "seed {seed}");
            assert_eq!(world.looped, 0, "seed {seed}");
            world.assert_no_loops(seed);
        }
    }
}

#[test]
fn a_first_route_is_at_most_a_little_longer_than_the_shortest() {
    // The first copy of a flood need not have come the shortest way, but jitter is small: over all
    // graphs the detour stays below half a hop on average.
    let (mut hops, mut shortest) = (0, 0);
    for seed in 1000..1200 {
        let graph = connected(&mut draws(seed));
        let lengths = floyd(&graph);
        let mut world = world(graph, &AodvConfig::ns2(), seed);
        world.run_for(1000);
        let last = world.count() - 1;
        world.offer(0, last);
        world.run_for(1000);
        let path = world.walk(0, last).expect("no loop");
        assert_eq!(path.last(), Some(&NodeId(last)), "seed {seed}");
        hops += path.len() as u32 - 1;
        shortest += lengths[0][last as usize].expect("connected");
    }
    assert!(hops >= shortest);
    assert!(
        f64::from(hops - shortest) / 200.0 < 0.5,
        "{hops} hops instead of {shortest}"
    );
}

#[test]
fn a_cut_link_heals() {
    let mut cuts = 0;
    for seed in 2000..2420 {
        for (config, patience) in profiles() {
            let mut draw = draws(seed);
            let graph = connected(&mut draw);
            let mut world = world(graph, &config, seed);
            let (source, destination) = (0, world.count() - 1);
            world.run_for(1000);
            world.offer(source, destination);
            world.run_for(2000);
            let path = world.walk(source, destination).expect("no loop");
            let place = draw.below(path.len() as u32 - 1) as usize;
            let mut rest = world.graph.clone();
            cut(&mut rest, path[place], path[place + 1]);
            if floyd(&rest)[0][destination as usize].is_none() {
                continue;
            }
            cuts += 1;
            world.graph = rest;
            // Packets keep coming, ten a second; within the patience they must arrive again.
            for _ in 0..patience.healing / 100 {
                world.offer(source, destination);
                world.run_for(100);
            }
            let late = world.offer(source, destination);
            world.run_for(1000);
            assert!(
                world.delivered.contains(&late),
                "seed {seed}: not healed, {path:?} at {place}"
            );
            world.assert_no_loops(seed);
        }
    }
    assert!(
        cuts >= 2 * 200,
        "only {cuts} cuts left the network whole, of two profiles"
    );
}
