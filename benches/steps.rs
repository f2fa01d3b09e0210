//! Time per step of the driver, by pipeline, length of the session and whether the
//! session has facts. The throughput that is printed is steps: its inverse is the time of
//! one.

#[path = "session/structural.rs"]
mod structural;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use structural::Knowledge;

fn steps(criterion: &mut Criterion) {
    for (name, window) in structural::CELLS {
        let pipeline = structural::pipeline(name);
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for knowledge in Knowledge::ALL {
            for turns in [100, 1_000, 10_000] {
                let session = structural::session(turns, knowledge);
                group.throughput(Throughput::Elements(session.steps.len() as u64));
                let label = format!("{turns} turns {}", knowledge.name());
                group.bench_function(label, |bencher| {
                    bencher.iter(|| structural::run(black_box(&session), &pipeline, window));
                });
            }
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().without_plots();
    targets = steps
}
criterion_main!(benches);
