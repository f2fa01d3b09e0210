//! How often nights announce a change that is none, and how soon one that is:
//! `cargo bench --bench nights`. The tables stand in METHODOLOGY.md.
//!
//! Histories of 6 configurations, 8 metrics, 3 scenarios and 4 sessions, whose sessions have a
//! noise of 3 %, are judged with all their nights. What a night announces depends on no later one,
//! so that each announcement is that of a night judged with the nights before it.

#[path = "../tests/nightly/simulated.rs"]
mod simulated;

use std::io::Write;

use proctor::error::Result;
use proctor::gate::Policy;
use proctor::history::{Finding, assemble, findings};
use rayon::prelude::*;
use simulated::{Noise, Plan};

const HISTORIES: u64 = 100;

const NOISES: [(&str, Noise); 8] = [
    ("independent", Noise::Independent),
    ("t3, sessions", Noise::Heavy),
    ("t3, nights", Noise::HeavyNights),
    ("AR .3", Noise::Following(0.3)),
    ("AR .6", Noise::Following(0.6)),
    ("shock to all configurations", Noise::Shared(0.0)),
    ("the same, AR .3", Noise::Shared(0.3)),
    ("the same, AR .6", Noise::Shared(0.6)),
];

/// A change of one figure: its name, its night of so many, and the level so many nights later.
type Change = (&'static str, usize, usize, fn(usize) -> f64);

const CHANGES: [Change; 6] = [
    ("step of −2 % at night 20 of 40", 20, 40, |_| 0.98),
    ("step of −2 % at night 60 of 100", 60, 100, |_| 0.98),
    ("step of −4 % at night 20 of 40", 20, 40, |_| 0.96),
    ("step of −10 % at night 20 of 40", 20, 40, |_| 0.90),
    ("−.1 % a night from 10 to 40", 10, 40, |nights| 1.0 - 0.001 * nights as f64),
    ("−.1 % a night from 60 to 100", 60, 100, |nights| 1.0 - 0.001 * nights as f64),
];

fn main() -> Result<()> {
    let histories = std::env::var("PROCTOR_HISTORIES").ok().and_then(|text| text.parse().ok());
    let histories = histories.unwrap_or(HISTORIES);
    let policy = Policy::embedded()?;
    say(&format!("false announcements; {histories} histories a line"));
    say("| noise | nights | a hundred nights | of these over all scenarios | histories with any |");
    say("|---|---:|---:|---:|---:|");
    for (name, kind) in NOISES {
        for nights in [40, 100] {
            let found: Vec<Vec<Finding>> = (0..histories)
                .into_par_iter()
                .map(|seed| found(&plan(seed, kind, nights), &policy, |_, _, _| 1.0))
                .collect();
            let hundreds = (histories as usize * nights) as f64 / 100.0;
            let all = found.iter().map(Vec::len).sum::<usize>() as f64;
            let over_all = found.iter().flatten().filter(|one| one.key.scenario.is_none());
            let over_all = over_all.count() as f64;
            let some = found.iter().filter(|found| !found.is_empty()).count();
            say(&format!(
                "| {name} | {nights} | {:.2} | {:.2} | {:.0} % |",
                all / hundreds,
                over_all / hundreds,
                100.0 * some as f64 / histories as f64
            ));
        }
    }
    say("");
    say("nights until a change is announced, the night of the change among them");
    say("| change of one figure | noise | announced | median | of nineteen in twenty |");
    say("|---|---|---:|---:|---:|");
    for change in CHANGES {
        for (name, kind) in &NOISES[..5] {
            line(change, name, *kind, histories, &policy);
        }
    }
    Ok(())
}

fn plan(seed: u64, kind: Noise, nights: usize) -> Plan {
    Plan { seed, kind, is_all_noisy: true, ..Plan::plausible(nights) }
}

fn found(plan: &Plan, policy: &Policy, level: impl Fn(usize, &str, &str) -> f64) -> Vec<Finding> {
    let nights = plan.write(level);
    findings(&assemble(&nights), nights.len() - 1, policy)
}

fn line(
    (change, at, nights, level): Change,
    name: &str,
    kind: Noise,
    histories: u64,
    policy: &Policy,
) {
    let is_own =
        |configuration: &str, metric: &str| (configuration, metric) == ("codex", "recall_at_need");
    let delay = |seed| {
        let found = found(&plan(seed, kind, nights), policy, |night, configuration, metric| {
            if is_own(configuration, metric) && night >= at { level(night + 1 - at) } else { 1.0 }
        });
        let own = found.iter().filter(|one| {
            let key = &one.key;
            one.made >= at && one.better == Some(false) && is_own(&key.configuration, &key.metric)
        });
        // What is never announced sorts behind all that is.
        own.map(|one| one.made + 1 - at).min().unwrap_or(usize::MAX)
    };
    let mut delays: Vec<usize> = (0..histories).into_par_iter().map(delay).collect();
    delays.sort_unstable();
    let at_share = |share: usize| {
        let place = (delays.len() * share).div_ceil(100).saturating_sub(1);
        delays.get(place).filter(|delay| **delay < usize::MAX)
    };
    let told = |delay: Option<&usize>| delay.map_or("–".to_owned(), usize::to_string);
    let announced = delays.iter().filter(|delay| **delay < usize::MAX).count();
    say(&format!(
        "| {change} | {name} | {:.0} % | {} | {} |",
        100.0 * announced as f64 / histories as f64,
        told(at_share(50)),
        told(at_share(95))
    ));
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // A closed pipe is no reason to stop.
    let _ = writeln!(out, "{line}");
}
