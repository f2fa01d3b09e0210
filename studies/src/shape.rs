//! The shape of sessions: how long messages are, how many calls a turn holds, how often a
//! result reports a failure, how long a user stays away. It is taken from a log alone.

mod sample;
#[cfg(test)]
mod tests;

use std::path::Path;

use proctor_core::error::Result;
use proctor_core::ident::Seed;
use proctor_core::log::Log;
use proctor_eval::matrix::Suite;
use proctor_eval::scenario::{Scenario, SessionSource};
use proctor_sessions::import;
use rayon::prelude::*;

use crate::table::{Table, number, percent, row};
use sample::{Amount, Sample};

/// What a target names: a transcript is a file that is not TOML.
pub fn sources(target: &str) -> Result<Vec<Scenario>> {
    let path = Path::new(target);
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Scenario::load_all(path);
    }
    if path.exists() {
        return Ok(vec![Scenario::for_transcript(path, target)]);
    }
    match Suite::embedded(target) {
        Some(suite) => {
            let suite = suite?;
            suite.scenarios.iter().map(|name| Scenario::of_suite(&suite.name, name)).collect()
        }
        None => Ok(vec![Scenario::embedded(target)?]),
    }
}

/// The log of a session and its name, a transcript's that of its file.
pub fn log(scenario: &Scenario, seed: Seed) -> Result<(String, Log)> {
    let SessionSource::Transcript(path) = &scenario.source else {
        return Ok((scenario.name.clone(), scenario.session(seed)?.log));
    };
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok((name.unwrap_or_default(), import::load(path)?.log))
}

/// The shapes of sessions, each and all of a kind together, recorded ones first.
pub fn page(sources: &[Scenario], seed: Seed) -> Result<String> {
    let measure = |source: &Scenario| {
        let (name, log) = log(source, seed)?;
        Ok((name, Sample::of(&log, source.window)))
    };
    let is_recorded = |one: &Scenario| matches!(one.source, SessionSource::Transcript(_));
    let mut rows: Vec<(String, Sample)> = Vec::new();
    for (recorded, all) in [(true, "all recorded"), (false, "all synthetic")] {
        let own = sources.par_iter().filter(|source| is_recorded(source) == recorded);
        let group: Vec<(String, Sample)> = own.map(measure).collect::<Result<_>>()?;
        let pooled = Sample::pool(group.iter().map(|(_, sample)| sample));
        let several = group.len() > 1;
        rows.extend(group);
        rows.extend(several.then(|| (all.to_owned(), pooled)));
    }
    Ok(table(&rows).markdown())
}

fn table(rows: &[(String, Sample)]) -> Table {
    const CAPTION: &str = "Amounts are 10 % / median / 90 %, messages and turns in tokens, pairs \
        per turn. Fixed: tokens of every prompt beside the messages, and their share of the window \
        that the session is driven in (of several the median). In 3 turns: the share of all \
        tokens in the three largest. Run: most results in a row without a word of the model. \
        Characters per token of user / assistant / result";
    let head = "session|#turns|#steps|#tokens|#fixed|#in 3 turns|#user|#assistant|#result|#pairs|#turn tokens|#failed|\
        #several|#narrated|#gap s|#> 5 min|#run|#largest|#characters per token";
    let mut table = Table::new(CAPTION, &head.split('|').collect::<Vec<_>>());
    for (name, sample) in rows {
        let count = |value: f64| number(value.round());
        let spread = |of: Amount| [0.1, 0.5, 0.9].map(|at| count(sample.at(of, at))).join(" / ");
        let density = [
            (Amount::UserChars, Amount::UserTokens),
            (Amount::AssistantChars, Amount::AssistantTokens),
            (Amount::ToolChars, Amount::ToolTokens),
        ];
        let density =
            density.map(|(chars, tokens)| format!("{:.1}", sample.density(chars, tokens)));
        table.push(row![
            name,
            count(sample.count(Amount::Pairs)),
            count(sample.count(Amount::AssistantTokens)),
            count(sample.sum(Amount::Tokens)),
            format!(
                "{} / {}",
                count(sample.at(Amount::Fixed, 0.5)),
                percent(sample.at(Amount::FixedShare, 0.5))
            ),
            percent(sample.at(Amount::InLarge, 0.5)),
            spread(Amount::UserTokens),
            spread(Amount::AssistantTokens),
            spread(Amount::ToolTokens),
            spread(Amount::Pairs),
            spread(Amount::TurnTokens),
            percent(sample.mean(Amount::Failed)),
            percent(sample.mean(Amount::Several)),
            percent(sample.mean(Amount::Narrated)),
            count(sample.at(Amount::Gap, 0.5)),
            percent(sample.long_gaps()),
            count(sample.at(Amount::Run, 1.0)),
            count(sample.at(Amount::Tokens, 1.0)),
            density.join(" / "),
        ]);
    }
    table
}
