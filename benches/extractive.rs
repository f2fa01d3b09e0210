//! Throughput of the extractive summarizer over material as sessions have it:
//! talk, code, tool output and earlier summaries.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use proctor::log::{Role, Text};
use proctor::summarize::extractive::Extractive;
use proctor::summarize::{Ask, Prompt, PromptMessage, Segment};
use proctor::unit::Tokens;

const TURN: [(&str, &str); 6] = [
    (
        "[user]: ",
        "Please make the loader in src/module_#/load.rs retry at most # times. Never retry on a 40#.",
    ),
    (
        "[assistant]: ",
        "I will look at `RetryPolicy#` first. The limit lives in config/retry_#.toml and is read once at start, so a change needs a restart of the service.",
    ),
    (
        "[tool]: ",
        "  # | use std::time::Duration;\n  # | impl RetryPolicy# {\n  # |     pub fn next(&mut self) -> Option<Duration> {\n  # |         let wait = self.base.checked_mul(2_u32.pow(self.tries))?;\n  # |         (wait < self.most).then_some(wait)\n  # |     }\n  # | }\n",
    ),
    (
        "[tool]: ",
        "running # tests\ntest load::retries_# ... ok\ntest load::gives_up_# ... FAILED\n\nthread 'load::gives_up_#' panicked at src/module_#/load.rs:#:9:\nassertion `left == right` failed\n  left: #\n right: 3\n",
    ),
    (
        "[assistant]: ",
        "I tried an exponential wait without a ceiling; it did not work because the deadline of # s passes first, so I reverted it. I decided on a ceiling of # ms instead.",
    ),
    (
        "[summary]: ",
        "[SUMMARIZED]\n## What Was Achieved\n- Added a ceiling of # ms in src/module_#/load.rs; load::gives_up_# passes.\n## Dead Ends\n- Global retry budget: abandoned, module # shares it with others.\n",
    ),
];

fn prompt(turns: usize) -> Prompt {
    let segment = |text: &str, material| Segment { text: Text::from(text), material };
    let mut segments = vec![segment(
        "## Goal Arc\n## Dead Ends\n## Lasting Constraints\n## Key Artifacts\n\nTurns:\n",
        false,
    )];
    for turn in 0..turns {
        for (label, text) in TURN {
            segments.push(segment(&format!("\n{label}"), false));
            segments.push(segment(&text.replace('#', &turn.to_string()), true));
        }
    }
    let messages = vec![PromptMessage { role: Role::User, segments }];
    Prompt { system: None, messages, max_tokens: Tokens(2_000), model: None, replicate: 0 }
}

fn extractive(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("extractive");
    for (name, turns) in [("10 kB", 8), ("100 kB", 80), ("1 MB", 800)] {
        let batch = [prompt(turns)];
        let bytes: usize = batch[0].segments().map(|segment| segment.text.len()).sum();
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| Extractive::default().ask(black_box(&batch)));
        });
    }
    group.finish();
}

// Criterion's plots want a system font that our features of plotters never look for.
criterion_group! {
    name = benches;
    config = Criterion::default().without_plots();
    targets = extractive
}
criterion_main!(benches);
