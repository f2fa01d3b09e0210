//! Time per step of the driver, by pipeline and length of the session. The
//! throughput that is printed is steps: its inverse is the time of one.

#[path = "session/structural.rs"]
mod structural;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use proctor::price::PriceSheet;

fn steps(criterion: &mut Criterion) {
    let sheet = PriceSheet::embedded();
    for (name, window) in structural::CELLS {
        let pipeline = structural::pipeline(name);
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for turns in [100, 1_000, 10_000] {
            let session = structural::session(turns);
            group.throughput(Throughput::Elements(session.steps.len() as u64));
            group.bench_function(format!("{turns} turns"), |bencher| {
                bencher.iter(|| structural::run(black_box(&session), &pipeline, &sheet, window));
            });
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
