//! What the hand-made run knows: bounds, survival and the Proctor curve.

use super::*;

/// The figures behind the bounds, old values and summaries.
pub fn knowledge(of: &Configuration, recall: f64, is_floor: bool) -> [String; 10] {
    let needed = |figure: f64| if is_floor { String::new() } else { figure.to_string() };
    let worded = |figure: f64| if of.slope > 0.0 { figure.to_string() } else { String::new() };
    [
        needed(0.9),
        needed(0.88),
        needed(0.2),
        needed(0.9 - recall),
        needed(4.0),
        needed(0.25),
        needed(recall),
        worded(0.14),
        worded(0.62),
        worded(0.03),
    ]
}

/// Steps, the largest prompt, dollars by part, and the share that was cached.
pub fn costs(of: &Configuration, key: &CellKey, mean_prompt: f64) -> [String; 8] {
    let summaries = if of.slope > 0.0 && of.variant == "windowed" { 0.04 } else { 0.0 };
    let prompts = mean_prompt * f64::from(key.turns) * 1e-7;
    let steps = f64::from(key.turns * 5);
    [steps, mean_prompt * 2.0, prompts, prompts * 0.6, 0.01, 0.09, summaries, 0.72]
        .map(|figure| figure.to_string())
}

/// Survival that falls with age and with every summary.
pub fn survival(files: &mut Files, of: &Configuration, cell: &str) {
    let ages = ["0-0.25", "0.25-0.5", "0.5-1", "1-2", "2-4", "4+"];
    let ages = ages.map(|age| (SurvivalAxis::Age, age));
    let generations = ["1", "2", "3"].map(|number| (SurvivalAxis::Generation, number));
    let generations = generations.into_iter().filter(|_| of.slope > 0.0);
    for (place, (axis, bucket)) in ages.into_iter().chain(generations).enumerate() {
        for (kind, all) in [
            (Kinds::One(FactKind::Path), 20),
            (Kinds::One(FactKind::Constraint), 10),
            (Kinds::All, 30),
        ] {
            let kept = of.recall[1].powf(place as f64 / 4.0);
            files.survival.push(SurvivalRow {
                cell: cell.to_owned(),
                kind,
                axis,
                bucket: bucket.to_owned(),
                present: (f64::from(all) * kept) as u32,
                all,
            });
        }
    }
}

/// The configuration's points on the Proctor curve.
pub fn curve(files: &mut Files, of: &Configuration) {
    for (summarizer, recall) in SUMMARIZERS.iter().zip([of.recall[1], of.recall[0], of.recall[2]]) {
        for (point, recall) in [("achieved", recall), ("oracle", 0.9), ("random-drop", 0.2)] {
            files.curve.push(CurveRow {
                pool: "all".to_owned(),
                pipeline: of.pipeline.to_owned(),
                variant: of.variant.to_owned(),
                mode: "deployed".to_owned(),
                summarizer: (*summarizer).to_owned(),
                point: point.to_owned(),
                mean_share: (0.06 + of.level / 100_000.0 + of.slope / 3_000.0).to_string(),
                recall: recall.to_string(),
                completed: 1,
                on_front: 0,
                n: 6,
            });
        }
    }
}

pub fn step_row(cell: &str, step: u32, turn: u32, prompt: u64) -> StepRow {
    let tenth = prompt / 10;
    let mut shares = [Tokens::ZERO; Share::ALL.len()];
    for (share, tokens) in [
        (Share::User, tenth),
        (Share::Assistant, prompt / 5),
        (Share::Tool, prompt - tenth * 3 - prompt / 5),
        (Share::Summarized, tenth),
        (Share::GoalBatch, tenth),
    ] {
        shares[share as usize] = Tokens(tokens);
    }
    let prompt = Tokens(prompt);
    let call = StepRecord {
        step,
        turn,
        prompt,
        kept: prompt,
        sent: prompt,
        carried: prompt,
        shares,
        entries: 12,
        cached: Tokens::ZERO,
        written: Tokens::ZERO,
        invalidated: Tokens::ZERO,
        expired: Tokens::ZERO,
        output: Tokens(80),
        usd: Usd(0.0016),
        live: 30,
        present: 20,
        live_goal: true,
        sends: 1,
    };
    StepRow { cell: cell.to_owned(), call }
}

/// How the tested pipeline's recall stands to the others'.
pub const SIGNS: [(&str, &str); 3] = [
    ("none", "higher"),
    ("truncate", "higher"),
    ("forge-tool-call-threshold", "summarizer-dependent"),
];

/// Net and effective.
pub fn savings(of: &Configuration) -> (f64, f64) {
    let net = 1.0 - (of.level + 6_000.0) / 90_000.0;
    (net, net - 0.21)
}
