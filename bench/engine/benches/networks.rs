//! Whole runs: the nine-node chain and saturated cells, in dispatched events per second.

use acklab_bench::{chain, saturated_cell};
use acklab_scenario::{Resolved, parse_toml};
use acklab_world::RunOptions;
use criterion::{BenchmarkId, Criterion, Throughput};

fn resolved(text: &str) -> Resolved {
    parse_toml("bench", text)
        .and_then(|scenario| scenario.resolve())
        .expect("the scenarios of this crate are valid")
}

fn bench(criterion: &mut Criterion, name: &str, parameter: u32, text: &str) {
    let scenario = resolved(text);
    let options = RunOptions {
        seed: 1,
        ..Default::default()
    };
    let run = || acklab_world::run(&scenario, &options, None).expect("nothing is written");
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    group.throughput(Throughput::Elements(run().events));
    group.bench_function(BenchmarkId::from_parameter(parameter), |bencher| {
        bencher.iter(run);
    });
    group.finish();
}

fn networks(criterion: &mut Criterion) {
    bench(criterion, "chain of nine nodes, 20 s", 9, &chain(20));
    for stations in [5, 20, 50] {
        bench(
            criterion,
            "saturated cell, 2 s",
            stations,
            &saturated_cell(stations, 2),
        );
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    networks(&mut criterion);
    criterion.final_summary();
}
