//! How often the shipped policy raises a false alarm, how often it finds a loss of known size, and
//! what it says of changes that developers make: `cargo bench --bench power`. The tables stand in
//! METHODOLOGY.md.

#[path = "../tests/gate/planted.rs"]
mod planted;
#[path = "../tests/gate/power.rs"]
mod power;

use std::io::Write;

use planted::Forgetful;
use power::{PIPELINE, Pool, Shares, Sides, change, scenarios};
use proctor::error::Result;
use proctor::gate::{Baseline, Policy};
use proctor::measure::MetricId;
use proctor::run::Kept;
use proctor::strategy::shipped;
use proctor::summarize::own::Summarizers;

/// Summarizers that draw lots, each with those that leave out more.
const NOISY: [(&str, &[&str]); 2] =
    [("perfect~0.3", &["perfect~0.35", "perfect~0.4"]), ("extractive~0.1", &["extractive~0.35"])];

const SAME: &str = "the same, another draw";

const HEAD: &str = "pass | improvement | undecided | regression | completion fell | \
                    invariant violated | exit code 0 | most often behind it |";

fn main() -> Result<()> {
    let count = |name: &str, usual: u64| -> u64 {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (seeds, gates) = (count("PROCTOR_POOL", 16), count("PROCTOR_GATES", 4_000));
    let policy = Policy::embedded()?;
    let folder = std::env::temp_dir().join(format!("proctor-power-{}", std::process::id()));
    let all = scenarios();
    let mut registry = shipped().clone();
    let changes = planted::changes(&mut registry);
    let names: Vec<String> = (0..changes.len()).map(|place| format!("change-{place}")).collect();
    for (name, (_, text)) in names.iter().zip(&changes) {
        let named = format!("name = \"{PIPELINE}\"");
        registry.add_pipeline(name, &text.replace(&named, &format!("name = \"{name}\"")));
    }
    let forgetful = |one_in: u64| {
        let name = format!("own-forgets-{one_in}");
        (name.parse().expect("a name"), move |_| Box::new(Forgetful(one_in)) as Box<_>)
    };
    let summarizers = [20, 5]
        .into_iter()
        .map(forgetful)
        .fold(Summarizers::default(), |all, (name, made)| all.with(name, made));
    let pool = Pool {
        scenarios: &all,
        seeds,
        registry: &registry,
        summarizers,
        policy: &policy,
        kept: Kept::default(),
        folder: &folder,
    };
    say(&format!(
        "{gates} gates a line of eight sessions of each scenario of `gate`, drawn from {seeds}\n"
    ));

    // A part of it, for those in a hurry.
    let part = std::env::var("PROCTOR_PART").unwrap_or_default();
    if part != "changes" {
        noise(&pool, gates);
    }
    let names: Vec<&str> = [PIPELINE].into_iter().chain(names.iter().map(String::as_str)).collect();
    if part != "noise" {
        of_changes(&pool, &names, &changes, gates);
    }
    // What cannot be removed stays in the directory for such things.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}

fn noise(pool: &Pool, gates: u64) {
    say(&format!("| summarizer | candidate | recall, points | {HEAD}"));
    say("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    for (sound, worse) in NOISY {
        let [before, same] = pool.draws(sound);
        let line = |name: &str, after: &Baseline| {
            let sides = if name == SAME { Sides::ByLot } else { Sides::AsDriven };
            row(&format!("`{sound}` | {name}"), [&before, after], sides, (pool.policy, gates));
        };
        line(SAME, &same);
        for name in worse {
            let [_, mut after] = pool.draws(name);
            after = after.summarized_by(sound);
            line(&format!("`{name}`"), &after);
        }
    }
}

fn of_changes(pool: &Pool, names: &[&str], changes: &[(&str, String)], gates: u64) {
    say(&format!("\n| change of `{PIPELINE}` | recall, points | {HEAD}"));
    say("|---|--:|--:|--:|--:|--:|--:|--:|--:|---|");
    let told = "summarizer = \"extractive\"\nbrackets = [\"perfect\"]\n";
    let sides = pool.pipelines("changes", names, told);
    let (before, after) = sides.split_first().expect("the pipeline itself");
    for ((says, _), after) in changes.iter().zip(after) {
        row(says, [before, after], Sides::AsDriven, (pool.policy, gates));
    }
    row("budgets 25 % smaller, undone", [&after[3], before], Sides::AsDriven, (pool.policy, gates));
    for (says, one_in) in [("rules lost in 1 of 20 answers", 20), ("rules lost in 1 of 5", 5)] {
        let name = format!("forgets-{one_in}");
        let more = format!("summarizer = \"own-{name}\"\nbrackets = [\"perfect\"]\n");
        let mut after = pool.pipelines(&name, &[PIPELINE], &more).remove(0);
        after = after.summarized_by("extractive");
        row(says, [before, &after], Sides::AsDriven, (pool.policy, gates));
    }
    for (says, times) in [("price 3 % higher", 1.03), ("price 8 % higher", 1.08)] {
        let mut after = before.clone();
        for row in &mut after.rows {
            row.figures.entry(MetricId::CostUsd).and_modify(|dollars| *dollars *= times);
        }
        row(says, [before, &after], Sides::AsDriven, (pool.policy, gates));
    }
}

fn row(says: &str, [before, after]: [&Baseline; 2], sides: Sides, (policy, gates): (&Policy, u64)) {
    let points = 100.0 * change(before, after, MetricId::RecallAtNeed);
    let shares = Shares::of([before, after], sides, policy, gates);
    say(&format!("| {says} | {points:+.1} | {} |", shares.cells()));
}

fn say(line: &str) {
    // A closed pipe is no failure.
    let _ = writeln!(std::io::stdout(), "{line}");
}
