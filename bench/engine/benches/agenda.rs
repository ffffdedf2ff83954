//! The agenda under the hold model: take the first wake, set the same slot anew at a random later
//! time, with a constant number of pending wakes.

use acklab_base::{Address, Duration, Instant, NodeId, Purpose};
use acklab_kernel::{Agenda, Phase};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use std::hint::black_box;

/// Holds for each measurement, and random intervals drawn before it.
const HOLDS: usize = 10_000;

fn intervals() -> Vec<Duration> {
    let address = Address {
        seed: 1,
        run: 0,
        node: NodeId(0),
        purpose: Purpose::TieShuffle,
    };
    let mut draw = address.open();
    // The mean interval is a slot and a half of 802.11b; its scale does not matter to a heap.
    (0..HOLDS)
        .map(|_| Duration::from_nanos(1 + draw.bits64() % 60_000))
        .collect()
}

fn filled(slots: u32, intervals: &[Duration]) -> Agenda {
    let mut agenda = Agenda::new();
    for slot in 0..slots {
        agenda.add_slot(Phase::Medium);
        agenda.set(
            slot,
            Instant::ZERO + intervals[slot as usize % intervals.len()],
        );
    }
    agenda
}

fn hold(agenda: &mut Agenda, intervals: &[Duration]) {
    for &interval in intervals {
        let Some((now, slot)) = agenda.first() else {
            return;
        };
        agenda.set(slot, now + interval);
    }
    black_box(agenda.len());
}

fn agenda(criterion: &mut Criterion) {
    let intervals = intervals();
    let mut group = criterion.benchmark_group("agenda");
    group.throughput(Throughput::Elements(HOLDS as u64));
    for slots in [10, 100, 1_000, 10_000] {
        group.bench_function(BenchmarkId::new("hold", slots), |bencher| {
            bencher.iter_batched_ref(
                || filled(slots, &intervals),
                |agenda| hold(agenda, &intervals),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    agenda(&mut criterion);
    criterion.final_summary();
}
