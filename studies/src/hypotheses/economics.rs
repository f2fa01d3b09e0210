//! What compaction costs, in calls, tokens and money, and what it is said to save.

use proctor_core::strategy::StrategySpec;
use proctor_strategies::forge_head::ToolCall;

use super::prelude::*;
use crate::saving::{LEAST, SIZES};
use proctor_eval::compare::LEAST_SESSIONS;

/// Turns of the sessions on which the goal tier has settled.
const SETTLED: u32 = 40;

pub fn dearer(lab: &Laboratory) -> Result<Finding> {
    let control = lab.controls("turn-shape-p5-t120")?;
    let proactive = pipeline("forge-head-no-threshold")?;
    let halving = only("forge-head", 1)?;
    let mut matched = for_each(&control, |cell| {
        let early = cell.tried(&proactive, windowless(), &brief(200));
        let late = as_large(cell, &halving, kept(&early.trace));
        (early, late)
    });
    matched.retain(|(early, late)| is_close(kept(&late.trace), kept(&early.trace)));
    let of = |what: &str, unit, of: &dyn Fn(&Driven, &Driven) -> f64| {
        let values: Vec<f64> = matched.iter().map(|(early, late)| of(early, late)).collect();
        mean(what, unit, &values)
    };
    let figure = |trial: &Driven, metric| trial.figure(metric).unwrap_or(f64::NAN);
    let (asked, spent) = (MetricId::Attempts, MetricId::TokensSummarizer);
    let calls = |early: &Driven, late: &Driven| figure(early, asked) / figure(late, asked).max(1.0);
    let tokens = |early: &Driven, late: &Driven| figure(early, spent) / figure(late, spent);
    let measured = vec![
        of("calls of the proactive tiers over calls of half-compaction", "", &calls),
        of("goal batches a turn, once settled", "", &|early, _| batches_per_turn(&early.trace)),
        of("tokens of the summarizer, proactive over half-compaction", "", &tokens),
        of("kept on average over the second half", "tokens", &|early, _| kept(&early.trace)),
    ];
    let in_three = (measured[1].value - 1.0 / 3.0).abs() < 0.02;
    let mut parts = vec![measured[0].above(1.0), Part::Counted(in_three)];
    parts.retain(|_| !matched.is_empty());
    Ok(Finding { parts, measured, rows: Vec::new() })
}

/// Half-compaction in the window in which it keeps this much.
fn as_large(cell: &Driven, halving: &Pipeline, wanted: f64) -> Driven {
    let (mut low, mut high) = (2_000_u64, 200_000_u64);
    loop {
        let middle = u64::midpoint(low, high);
        let trial = cell.tried(halving, provider(middle, 256), &brief(200));
        let (own, ended) = (kept(&trial.trace), trial.trace.ended_by != EndedBy::Completed);
        if high - low < 100 || (!ended && is_close(own, wanted)) {
            return trial;
        }
        // Who died early kept too little.
        if ended || own < wanted { low = middle } else { high = middle }
    }
}

fn is_close(own: f64, wanted: f64) -> bool {
    (own / wanted - 1.0).abs() < 0.05
}

/// Mean tokens kept over the second half of the session.
fn kept(trace: &Trace) -> f64 {
    let late = trace.steps.iter().filter(|step| step.step > trace.steps_total / 2);
    stats::mean(&late.map(|step| step.kept.as_f64()).collect::<Vec<_>>()).unwrap_or(0.0)
}

fn batches_per_turn(trace: &Trace) -> f64 {
    let turns = trace.steps.last().map_or(0, |step| step.turn);
    let batches = runs_of(trace, 1).filter(|run| run.turn > SETTLED).count();
    batches as f64 / f64::from(turns.saturating_sub(SETTLED).max(1))
}

/// Calls and results that make a batch.
const BATCHES: [usize; 6] = [2, 10, 20, 40, 80, 160];

pub fn invalidates(lab: &Laboratory) -> Result<Finding> {
    let control = lab.controls("ord-long-p10-t28")?;
    let mut found = Finding::default();
    let mut figures = Vec::new();
    for batch in BATCHES {
        let mut pipeline = pipeline("forge-head-tool-call")?;
        for stage in &mut pipeline.stages {
            let (min_tool_messages, max_distance) = (batch, usize::MAX);
            let calls = ToolCall { min_tool_messages, max_distance, ..ToolCall::default() };
            stage.strategy = StrategySpec::new("forge-head-tool-call", calls);
        }
        let trials = for_each(&control, |whole| change(whole, &pipeline));
        let figure = |place: usize, what: &str| {
            let values = trials.iter().flatten().map(|trial| trial[place]);
            let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
            mean(format!("batches of {batch}: {what}"), "%", &values)
        };
        let own = [figure(0, "prompt tokens"), figure(1, "dollars"), figure(2, "from the cache")];
        found.row(row![batch, own[0], own[1], own[2]]);
        figures.push(own);
    }
    let dearer = Part::any(
        figures
            .iter()
            .map(|[tokens, dollars, _]| Part::all([tokens.below(0.0), dollars.above(0.0)])),
    );
    let dollars: Vec<f64> = figures.iter().map(|own| own[1].value).collect();
    let best = dollars.iter().copied().fold(f64::INFINITY, f64::min);
    let cheapest = dollars.iter().position(|own| *own == best).unwrap_or(0);
    found.measured = [(0, 1), (0, 0), (cheapest, 1), (cheapest, 0)]
        .map(|(batch, figure)| figures[batch][figure].clone())
        .to_vec();
    let batch = exact("cheapest batch", "calls and results", BATCHES[cheapest] as f64);
    found.measured.push(batch);
    found.parts = vec![dearer, Part::Counted(best < dollars[0] - 1.0)];
    Ok(found)
}

/// Change of prompt tokens, dollars and share read from the cache, in percent.
fn change(whole: &Driven, pipeline: &Pipeline) -> Option<[f64; 3]> {
    let trial = whole.tried(pipeline, windowless(), &brief(600));
    let against = |metric| Some(100.0 * (trial.figure(metric)? / whole.figure(metric)? - 1.0));
    let hits = 100.0 * trial.figure(MetricId::CacheHitRate)?;
    Some([against(MetricId::TokensPromptTotal)?, against(MetricId::CostUsd)?, hits])
}

pub fn reported(lab: &Laboratory) -> Result<Finding> {
    let cells = lab.cells("ord-long-p10-t28", "forge-head")?;
    let over = |one: &Compaction| {
        let notes = one.added.iter().filter_map(|entry| entry.note.as_deref());
        notes.filter_map(overstated).sum::<f64>()
    };
    let real = |one: &Compaction| one.before.as_f64() - one.after.as_f64();
    let per_act = each(&cells, |cell| {
        let acts = applied(&cell.trace).map(over).filter(|tokens| *tokens > 0.0);
        stats::mean(&acts.collect::<Vec<_>>())
    });
    let ratio = each(&cells, |cell| {
        let saved: f64 = applied(&cell.trace).map(real).sum();
        let said = applied(&cell.trace).map(|one| real(one) + over(one)).sum::<f64>();
        (saved > 0.0).then(|| said / saved)
    });
    let first_of_pass = each(&cells, |cell| {
        let acts: Vec<&Compaction> = applied(&cell.trace).collect();
        let passes = acts.chunk_by(|one, next| one.step == next.step);
        let (first, rest): (Vec<_>, Vec<_>) = passes
            .map(|pass| (over(pass[0]) > 0.0, pass[1..].iter().any(|one| over(one) > 0.0)))
            .unzip();
        let right = first.iter().filter(|over| **over).count();
        stats::share(right, first.len()).filter(|_| !rest.contains(&true))
    });
    let ratio = mean("reported over real savings", "", &ratio);
    let what = "passes whose first act, and no later one, is overstated";
    let share = mean(what, "", &first_of_pass).share_of(1.0);
    let all = first_of_pass.len() == cells.len();
    let parts = vec![ratio.above(1.0), Part::Counted(share.value == 1.0 && all)];
    let measured = vec![ratio, share, mean("overstated by", "tokens", &per_act)];
    Ok(Finding { parts, measured, rows: Vec::new() })
}

/// What a note of Forge's tiers says is reported beyond the real saving.
fn overstated(note: &str) -> Option<f64> {
    let said = note.split_whitespace().find_map(|word| word.strip_prefix("overstated_by="))?;
    said.parse().ok()
}

/// From one window to four.
const SCENARIOS: &str =
    "ord-short-p1-t80 ord-long-p6-t16 ord-short-p2-t120 ord-long-p10-t28 multi-goal-arcs";
pub fn halved(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    for pipeline in ["forge-adr", "adr-0014-default", "forge-head"] {
        let mut sizes: [Vec<Vec<f64>>; 2] = Default::default();
        for scenario in SCENARIOS.split(' ') {
            let control = lab.controls(scenario)?;
            let largest = each(&control, |cell| cell.figure(MetricId::TokensPeak));
            let cells = lab.cells(scenario, pipeline)?;
            let saved = |spent: &dyn Fn(&Driven) -> Option<f64>| {
                paired(&cells, &control, |own, whole| {
                    // What was never sent is not saved.
                    let completed = own.trace.ended_by == EndedBy::Completed;
                    let share = 1.0 - spent(own)? / whole.figure(MetricId::TokensPromptTotal)?;
                    completed.then_some((whole.figure(MetricId::TokensPeak)?, share))
                })
            };
            let prompts = |own: &Driven| own.figure(MetricId::TokensPromptTotal);
            let gross = saved(&prompts);
            let net = saved(&|own| Some(prompts(own)? + own.figure(MetricId::TokensSummarizer)?));
            let percent = |saved: &[(f64, f64)]| -> Vec<f64> {
                saved.iter().map(|(_, share)| 100.0 * share).collect()
            };
            let window = cells.first().map_or(Tokens::ZERO, |cell| cell.limits.window);
            found.row(row![
                format!("`{pipeline}`"),
                format!("`{scenario}`"),
                stats::mean(&largest).unwrap_or(f64::NAN),
                window.as_f64(),
                mean(format!("{scenario} {pipeline} gross"), "%", &percent(&gross)),
                mean(format!("{scenario} {pipeline} net"), "%", &percent(&net)),
            ]);
            for (own, (_, range)) in sizes.iter_mut().zip(&SIZES) {
                let of_size = gross.iter().filter(|(peak, _)| range.contains(peak));
                own.push(of_size.map(|(_, share)| 100.0 * share).collect());
            }
        }
        let mut words = Vec::new();
        for ((size, _), shares) in SIZES.iter().zip(&sizes) {
            if shares.iter().flatten().next().is_none() {
                continue;
            }
            let what = format!("gross savings of `{pipeline}` in sessions {size}");
            let saved = within(what, "%", shares).share_of(100.0);
            words.push(format!("{size}: {}", saved.shown()));
            // Fewer decide nothing.
            if shares.concat().len() >= LEAST_SESSIONS {
                found.parts.push(saved.above(100.0 * LEAST));
            }
            found.measured.push(saved);
        }
        found.row(row![format!("`{pipeline}`"), words.join("; "), "", "", "", ""]);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overstatement_is_read_from_the_note() {
        assert_eq!(overstated("turn_count=3 overstated_by=3500"), Some(3500.0));
        assert_eq!(overstated("turn_count=3"), None);
    }
}
