//! What a rewritten beginning costs in the prompt cache.

use crate::error::Result;
use crate::hypothesis::answering::brief;
use crate::hypothesis::constructed::windowless;
use crate::hypothesis::reading::cell;
use crate::hypothesis::trial::{controls, for_each, tried};
use crate::hypothesis::{Driven, Finding, Hypothesis, Laboratory, Measured, Rows, Verdict};
use crate::pipeline::Pipeline;
use crate::strategy::StrategySpec;
use crate::strategy::forge_head::ToolCall;

/// Calls and results that make a batch.
const BATCHES: [usize; 6] = [2, 10, 20, 40, 80, 160];

pub(super) const INVALIDATES: Hypothesis = Hypothesis {
    id: "H27",
    title: "Fewer tokens can cost more money",
    expects: "A change in the middle of the history invalidates the prompt cache from there on. Net \
              cost can rise although tokens fall, and the size of the batch trades one for the \
              other: rare large compactions keep the cache, frequent small ones lose it.",
    source: "STRATEGIES 20, H27 and 19 (cache)",
    method: "`forge-head-tool-call` without a window on five sessions of 28 long turns, the age rule \
             off, batches of 2 to 160 calls and results; against the same session sent whole. Money \
             by the example price sheet, the summarizer's calls among it, summaries of at most 600 \
             tokens.",
    judge: invalidates,
    remarks: &[],
};

fn invalidates(lab: &Laboratory) -> Result<Finding> {
    let control = controls(lab, "ord-long-p10-t28")?;
    let mut rows = Rows::new(
        "By batch: change against the whole session, in %, mean over five sessions with interval",
        &[
            "calls and results in a batch",
            "prompt tokens",
            "dollars",
            "prompt tokens from the cache",
        ],
    );
    let mut found = Vec::new();
    for batch in BATCHES {
        let pipeline = batches_of(batch)?;
        let trials =
            for_each(&control, |whole| change(lab, whole, &pipeline).unwrap_or([f64::NAN; 3]));
        let figure = |place: usize, what: &str| {
            let values: Vec<f64> =
                trials.iter().map(|trial| trial[place]).filter(|value| value.is_finite()).collect();
            Measured::mean(format!("batches of {batch}: {what}"), "%", &values)
        };
        let own = [figure(0, "prompt tokens"), figure(1, "dollars"), figure(2, "from the cache")];
        rows.push([batch.to_string(), cell(&own[0]), cell(&own[1]), cell(&own[2])]);
        found.push(own);
    }
    let dearer =
        found.iter().any(|[tokens, dollars, _]| tokens.is_below(0.0) && dollars.is_above(0.0));
    let dollars: Vec<f64> = found.iter().map(|own| own[1].value).collect();
    let (first, best) = (dollars[0], dollars.iter().copied().fold(f64::INFINITY, f64::min));
    let trades = best < first - 1.0;
    let cheapest = dollars.iter().position(|own| *own == best).unwrap_or(0);
    let measured = vec![
        found[0][1].clone(),
        found[0][0].clone(),
        found[cheapest][1].clone(),
        found[cheapest][0].clone(),
        Measured::exact("cheapest batch", "calls and results", BATCHES[cheapest] as f64),
    ];
    Ok(Finding::new(Verdict::of_parts(&[dearer, trades]), measured).with(rows))
}

fn batches_of(calls: usize) -> Result<Pipeline> {
    let mut pipeline = crate::strategy::pipeline("forge-head-tool-call")?;
    for stage in &mut pipeline.stages {
        let tier =
            ToolCall { min_tool_messages: calls, max_distance: usize::MAX, ..ToolCall::default() };
        stage.strategy = StrategySpec::new("forge-head-tool-call", tier);
    }
    Ok(pipeline)
}

/// Change of prompt tokens, dollars and share read from the cache, in percent.
fn change(lab: &Laboratory, whole: &Driven, pipeline: &Pipeline) -> Option<[f64; 3]> {
    let trial = tried(lab, &whole.session, pipeline, windowless(), &brief(600));
    let against =
        |metric: &str| Some(100.0 * (trial.measured.number(metric)? / whole.figure(metric)? - 1.0));
    let hits = 100.0 * trial.measured.number("cache.hit_rate")?;
    Some([against("tokens.prompt_total")?, against("cost.usd")?, hits])
}
