//! What flags put in place of what a suite and its scenarios say.

use super::{Arguments, is_toml};
use std::collections::BTreeSet;
use std::ffi::OsString;

use crate::cli::prelude::*;
use crate::drive::Mode;
use crate::matrix::{self, Suite, load_pipeline};
use crate::number;
use crate::scenario::SessionSource;
use crate::unit::Tokens;

/// Seeds, strategies, window and summarizer.
pub(super) fn put(
    arguments: &Arguments,
    mut suite: Suite,
    scenarios: &mut [Scenario],
) -> Result<Suite> {
    seed(&mut suite, &arguments.seeds)?;
    known("strategy of `--strategies`", &arguments.strategies)?;
    known("strategy of `--pipeline`", &arguments.pipelines)?;
    known("program of `--strategy`", &arguments.programs)?;
    if !arguments.strategies.is_empty() {
        suite = suite.driving(arguments.strategies.clone());
    }
    suite.pipelines.extend_from_slice(&arguments.pipelines);
    suite.pipelines.extend_from_slice(&arguments.programs);
    if matrix::has_doubles(&suite.pipelines) {
        let rule = "the same strategy twice is every session counted twice";
        let hint = "name each once; `--list` says what would be driven";
        return Err(Error::refused("--strategies, --pipeline", rule, hint));
    }
    match arguments.window {
        Some(window) => widen(scenarios, window)?,
        None => tell_window(&arguments.targets, scenarios),
    }
    if arguments.closed_loop {
        // It stands beside the open replay as deployed.
        let wanted = [Mode::Deployed].into_iter().chain(Mode::CLOSED);
        let missing = wanted.filter(|mode| !suite.modes.contains(mode));
        let missing: Vec<Mode> = missing.collect();
        suite.modes.extend(missing);
    }
    arguments.live.apply(&mut suite)?;
    Ok(suite)
}

/// Whether strategies that a flag names are there and sound.
fn known(what: &'static str, names: &[String]) -> Result<()> {
    for name in names {
        load_pipeline(registry(), name).map_err(|error| match error {
            Error::Unknown { name, hint, .. } => {
                let hint = [hint, Some("`proctor list strategies` names all".to_owned())];
                let hint: Vec<String> = hint.into_iter().flatten().collect();
                Error::unknown(what, name, Some(hint.join(" ")))
            }
            other => other.within(what),
        })?;
    }
    Ok(())
}

/// Says in which windows bare transcripts are replayed.
fn tell_window(targets: &[OsString], scenarios: &[Scenario]) {
    let is_bare = |name: &OsString| !is_toml(name) && Path::new(name).exists();
    let is_recorded =
        |scenario: &&Scenario| matches!(scenario.source, SessionSource::Transcript(_));
    let windows: BTreeSet<Tokens> =
        scenarios.iter().filter(is_recorded).map(|scenario| scenario.window).collect();
    if !windows.is_empty() && targets.iter().any(is_bare) {
        let shown: Vec<String> =
            windows.iter().map(|window| number::tokens(window.as_f64())).collect();
        let shown = match shown.as_slice() {
            [least, .., most] if shown.len() > 3 => format!("{least} to {most}"),
            few => few.join(", "),
        };
        talk(shown!(
            "note: transcripts are replayed in the window that they show ({} tokens); \
             `--window N` sets another",
            shown
        ));
    }
}

/// Puts a window in place of the scenarios'.
pub(in crate::cli) fn widen(scenarios: &mut [Scenario], window: u64) -> Result<()> {
    let place = || format!("--window {window}");
    if !(1_000..=100_000_000).contains(&window) {
        return Err(Error::invalid(place(), "expected 1000 to 100000000 tokens"));
    }
    for scenario in scenarios {
        let most = scenario.max_output;
        if most.0 >= window {
            let rule = format!("scenario `{}` has answers of up to {most} tokens", scenario.name);
            let hint = format!("give more than that: `--window {}`", most.0.saturating_mul(2));
            return Err(Error::refused(place(), rule, hint));
        }
        scenario.window = Tokens(window);
    }
    Ok(())
}

/// Puts these seeds, where there are any, in place of the suite's.
pub(in crate::cli) fn seed(suite: &mut Suite, seeds: &[u64]) -> Result<()> {
    if matrix::has_doubles(seeds) {
        return Err(Error::refused(
            "--seeds",
            "the same seed twice is one session counted twice",
            "name each once, as in `--seeds 1,2,3`",
        ));
    }
    if !seeds.is_empty() {
        suite.seeds = seeds.to_vec();
        suite.second_bank.retain(|seed| seeds.contains(seed));
    }
    Ok(())
}
