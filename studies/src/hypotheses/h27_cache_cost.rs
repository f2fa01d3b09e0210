//! What a rewritten beginning costs in the prompt cache.

use proctor_core::error::Result;
use proctor_core::pipeline::Pipeline;
use proctor_core::strategy::StrategySpec;
use proctor_eval::measure::MetricId;
use proctor_strategies::forge_head::{OldCalls, ToolCall};

use super::constructed::windowless;
use super::reading::for_each;
use super::summarizers::brief;
use super::{Driven, Finding, Laboratory, Measured, Rows};
use crate::table::row;

/// Calls and results that make a batch.
const BATCHES: [usize; 6] = [2, 10, 20, 40, 80, 160];

pub(super) fn invalidates(lab: &Laboratory) -> Result<Finding> {
    let control = lab.controls("ord-long-p10-t28")?;
    let mut rows = Rows::default();
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
        rows.push(row![batch, own[0], own[1], own[2]]);
        found.push(own);
    }
    let dearer =
        found.iter().any(|[tokens, dollars, _]| tokens.is_below(0.0) && dollars.is_above(0.0));
    let dollars: Vec<f64> = found.iter().map(|own| own[1].value).collect();
    let best = dollars.iter().copied().fold(f64::INFINITY, f64::min);
    let trades = best < dollars[0] - 1.0;
    let cheapest = dollars.iter().position(|own| *own == best).unwrap_or(0);
    let measured = vec![
        found[0][1].clone(),
        found[0][0].clone(),
        found[cheapest][1].clone(),
        found[cheapest][0].clone(),
        Measured::exact("cheapest batch", "calls and results", BATCHES[cheapest] as f64),
    ];
    Ok(Finding::of(&[dearer, trades], measured).with(rows))
}

fn batches_of(calls: usize) -> Result<Pipeline> {
    let mut pipeline = proctor_strategies::pipeline("forge-head-tool-call")?;
    for stage in &mut pipeline.stages {
        let calls =
            OldCalls { min_tool_messages: calls, max_distance: usize::MAX, ..OldCalls::default() };
        stage.strategy = StrategySpec::new("forge-head-tool-call", ToolCall(calls));
    }
    Ok(pipeline)
}

/// Change of prompt tokens, dollars and share read from the cache, in percent.
fn change(lab: &Laboratory, whole: &Driven, pipeline: &Pipeline) -> Option<[f64; 3]> {
    let trial = lab.tried(whole, pipeline, windowless(), &brief(600));
    let against = |metric| Some(100.0 * (trial.figure(metric)? / whole.figure(metric)? - 1.0));
    let hits = 100.0 * trial.figure(MetricId::CacheHitRate)?;
    Some([against(MetricId::TokensPromptTotal)?, against(MetricId::CostUsd)?, hits])
}
