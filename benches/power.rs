//! How often the shipped policy raises a false alarm, and how often it finds a loss of
//! known size: `cargo bench --bench power`. The table stands in METHODOLOGY.md.
//!
//! One pool of sessions is driven under a summarizer that leaves out a tenth of its lines,
//! by lot. What is compared with it is the same summarizer under another draw (nothing is
//! worse: every alarm is false), and summarizers that leave out more, under that other
//! draw. Suites of n sessions are drawn from the pool and judged as `proctor gate` judges.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use proctor::error::Result;
use proctor::gate::{Baseline, Policy, Verdict, between};
use proctor::ident::Seed;
use proctor::matrix::Suite;
use proctor::measure::MetricId;
use proctor::run::{Options, Plan, Silent, run};
use proctor::run_dir::Stories;
use proctor::run_dir::read::RunData;
use proctor::scenario::Scenario;
use proctor::strategy::shipped;
use rand::seq::index::sample;
use rayon::prelude::*;

const POOL: u64 = 400;
const SUITES: u64 = 10_000;
const SIZES: [usize; 3] = [12, 24, 64];
/// The summarizer that nothing is worse than, and those that are.
const SOUND: &str = "extractive~0.1";
const WORSE: [&str; 3] = ["extractive~0.15", "extractive~0.22", "extractive~0.35"];
const PIPELINE: &str = "forge-adr";
const HEADLINE: MetricId = MetricId::RecallAtNeed;

fn main() -> Result<()> {
    let count = |name: &str, usual: u64| -> u64 {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (pool, suites) = (count("PROCTOR_POOL", POOL), count("PROCTOR_SUITES", SUITES));
    let policy = Policy::embedded()?;
    let folder = std::env::temp_dir().join(format!("proctor-power-{}", std::process::id()));
    let drawn = driven(&folder, SOUND, pool, &policy)?;
    let (before, same) = (&drawn[0], &drawn[1]);
    say(&format!(
        "{pool} sessions of `smoke` under `{PIPELINE}`, policy `{}`; {suites} suites a line",
        policy.name
    ));
    say(
        "| candidate | pool: change of recall at need, points | sessions | regression | completion fell | undecided | pass | improvement |",
    );
    say("|---|---:|---:|---:|---:|---:|---:|---:|");
    lines("the same, another draw", before, same, &policy, suites);
    for name in WORSE {
        let worse = &driven(&folder, name, pool, &policy)?[1];
        lines(name, before, worse, &policy, suites);
    }
    // What cannot be removed stays in the directory for such things.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}

fn lines(name: &str, before: &Baseline, after: &Baseline, policy: &Policy, suites: u64) {
    let effect = 100.0 * change(before, after);
    for size in SIZES {
        let counts = verdicts(before, after, policy, suites, size);
        let share = |verdict: Verdict| {
            let count = counts.get(verdict.to_string().as_str()).copied().unwrap_or(0);
            format!("{:.2} %", 100.0 * count as f64 / suites as f64)
        };
        let pass: u64 = [Verdict::Pass, Verdict::PassIdentical]
            .iter()
            .filter_map(|verdict| counts.get(verdict.to_string().as_str()))
            .sum();
        say(&format!(
            "| {name} | {effect:+.1} | {size} | {} | {} | {} | {:.2} % | {} |",
            share(Verdict::Regression),
            share(Verdict::CompletionFell),
            share(Verdict::Undecided),
            100.0 * pass as f64 / suites as f64,
            share(Verdict::Improvement),
        ));
    }
}

/// Mean change of the headline over the pool.
fn change(before: &Baseline, after: &Baseline) -> f64 {
    let of = |side: &Baseline| -> BTreeMap<(String, u64), f64> {
        let rows = side.rows.iter().filter(|row| row.configuration == PIPELINE);
        let figure = |row: &proctor::gate::Row| {
            Some(((row.scenario.clone(), row.seed), *row.figures.get(&HEADLINE)?))
        };
        rows.filter_map(figure).collect()
    };
    let (before, after) = (of(before), of(after));
    let changes: Vec<f64> =
        after.iter().filter_map(|(place, value)| Some(value - before.get(place)?)).collect();
    changes.iter().sum::<f64>() / changes.len() as f64
}

/// Verdicts of suites of so many sessions, each drawn without putting back.
fn verdicts(
    before: &Baseline,
    after: &Baseline,
    policy: &Policy,
    suites: u64,
    size: usize,
) -> BTreeMap<String, u64> {
    let all: BTreeSet<u64> = before.rows.iter().map(|row| row.seed).collect();
    let all: Vec<u64> = all.into_iter().collect();
    let one = |suite: u64| {
        let mut rng = Seed(suite).derive(&["power", &size.to_string()]).rng();
        let drawn: BTreeSet<u64> =
            sample(&mut rng, all.len(), size).into_iter().map(|place| all[place]).collect();
        between(&only(before, &drawn), &only(after, &drawn), policy).verdict.to_string()
    };
    let verdicts: Vec<String> = (0..suites).into_par_iter().map(one).collect();
    let mut counts = BTreeMap::new();
    for verdict in verdicts {
        *counts.entry(verdict).or_default() += 1;
    }
    counts
}

fn only(side: &Baseline, seeds: &BTreeSet<u64>) -> Baseline {
    let rows = side.rows.iter().filter(|row| seeds.contains(&row.seed)).cloned().collect();
    Baseline { rows, ..side.clone() }
}

/// The pool under a summarizer: its figures under the first draw and under the second.
fn driven(folder: &Path, summarizer: &str, pool: u64, policy: &Policy) -> Result<[Baseline; 2]> {
    let text = format!(
        "name = \"power\"\nabout = \"A pool.\"\nscenarios = [\"smoke\"]\n\
         pipelines = [\"{PIPELINE}\"]\nwindowless = [\"none\"]\nseeds = {:?}\n\
         summarizer = \"{summarizer}\"\nreplicates = 2\n",
        (1..=pool).collect::<Vec<u64>>()
    );
    let suite = Suite::parse("power", &text)?;
    let scenarios = vec![Scenario::embedded("smoke")?];
    let plan = Plan::new(shipped(), suite, scenarios, String::new())?;
    let out = folder.join(summarizer);
    let options = Options { stories: Stories::None, ..Options::new(&out) };
    run(&plan, &options, &Silent)?;
    let draw = |replicate: u32| -> Result<Baseline> {
        let mut data = RunData::load(&out)?;
        data.measurements.retain(|row| row.key.replicate == replicate);
        data.measurements.iter_mut().for_each(|row| row.key.replicate = 0);
        // The two sides are to be told apart by their figures alone.
        data.manifest.summarizers = vec![SOUND.to_owned()];
        data.measurements.iter_mut().for_each(|row| row.key.summarizer = SOUND.to_owned());
        Ok(Baseline::of(&data, policy))
    };
    Ok([draw(0)?, draw(1)?])
}

fn say(line: &str) {
    // A closed pipe is no failure.
    let _ = writeln!(std::io::stdout(), "{line}");
}
