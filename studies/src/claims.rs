//! What the source designs claim, and what a run says of it. Each claim of `data/claims.toml`
//! names a test and the figures behind it.

mod figures;
mod judge;

use std::collections::BTreeMap;

use proctor_core::config;
use proctor_core::error::Result;
use proctor_eval::frame::Frame;
use proctor_eval::matrix::SummarizerName;
use serde::Deserialize;

use crate::run::Run;
use crate::table::{Table, finished, line, row};
pub use figures::Pooled;
pub use judge::{Judged, at_least};
use judge::{Subject, Test, bracketed, judge};

const CLAIMS: &str = include_str!("../data/claims.toml");
const METHOD: &str = include_str!("../data/claims-method.md");
/// Fewer sessions than this allow no firm verdict.
const ENOUGH: usize = 8;
/// The summarizers between which others are meant to lie.
const ENDS: [SummarizerName; 2] = [SummarizerName::Null, SummarizerName::Perfect];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    name: String,
    /// Configurations that are built as it says, those nearest to it first.
    configurations: Vec<String>,
    #[serde(default)]
    note: String,
    claim: Vec<Claim>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Claim {
    says: String,
    test: Test,
    /// What could change its verdict.
    rests_on: String,
}

pub fn page(run: &Run) -> Result<String> {
    let facts = run.data.frame();
    let mut page = run.page("Claims of the source designs", "claims", METHOD);
    for source in &sources()? {
        line(&mut page, &format!("## {}\n", source.name));
        page.push_str(&table(run, &facts, source).markdown());
        if !source.note.is_empty() {
            line(&mut page, &format!("{}\n", source.note));
        }
    }
    Ok(finished(page))
}

fn sources() -> Result<Vec<Source>> {
    let file: BTreeMap<String, Vec<Source>> = config::parse("list", "data/claims.toml", CLAIMS)?;
    Ok(file.into_values().flatten().collect())
}

fn table(run: &Run, facts: &Frame, source: &Source) -> Table {
    let head = ["claim", "configuration", "verdict", "figure [95 %]", "#n", "rests on"];
    let mut table = Table::new("", &head);
    for claim in &source.claim {
        let basis = &claim.rests_on;
        let untested = |configuration: &str, why: &str| {
            row![claim.says, configuration, format!("not tested: {why}"), "", "", basis]
        };
        if let Test::Untestable(why) = &claim.test {
            table.push(untested("any", why));
            continue;
        }
        let names = source.configurations.iter();
        let subjects = names.filter_map(|name| subject(run, name, run.main_summarizer()));
        let subjects: Vec<Subject> = subjects.collect();
        if subjects.is_empty() {
            let names = format!("`{}`", source.configurations.join("`, `"));
            table.push(untested(&names, "not driven in this run"));
        }
        for subject in &subjects {
            let judged = judge(run, facts, &claim.test, subject);
            let ends = ends(run, facts, claim, subject);
            let verdict = bracketed((subject.summarizer, &judged.verdict), &ends).words();
            let few = if judged.n < ENOUGH && judged.n > 0 { "\\*" } else { "" };
            // The figures under the other summarizers, behind what the claim rests on.
            let beside = ends.iter().map(|(name, judged)| format!("{name}: {}", judged.figure));
            let beside = match ends[..] {
                [] => basis.clone(),
                _ => format!("{basis} ({})", beside.collect::<Vec<_>>().join("; ")),
            };
            let (verdict, name) = (verdict + few, format!("`{}`", subject.configuration));
            table.push(row![claim.says, name, verdict, judged.figure, judged.n, beside]);
        }
    }
    table
}

/// The measured sessions of a configuration as deployed, without twins; `None` of none.
fn subject<'a>(run: &'a Run, configuration: &'a str, summarizer: &'a str) -> Option<Subject<'a>> {
    let own = run.data.measurements.iter().filter(|cell| cell.key.configuration() == configuration);
    let own = own.filter(|cell| cell.key.is_deployed() && cell.key.summarizer == summarizer);
    let cells: Vec<_> = own.filter(|cell| !cell.is_twin() && !cell.key.is_control()).collect();
    (!cells.is_empty()).then_some(Subject { configuration, summarizer, cells })
}

/// The same claim under the [`ENDS`]. Floors are probed under the main summarizer alone.
fn ends<'a>(
    run: &'a Run,
    facts: &Frame,
    claim: &Claim,
    main: &Subject<'a>,
) -> Vec<(&'a str, Judged)> {
    if matches!(claim.test, Test::Floor) {
        return Vec::new();
    }
    let ends = ENDS.map(SummarizerName::name).into_iter().filter(|name| *name != main.summarizer);
    let judged = ends.filter_map(|name| {
        let subject = subject(run, main.configuration, name)?;
        Some((name, judge(run, facts, &claim.test, &subject)))
    });
    judged.filter(|(_, judged)| judged.n > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_claims_parses_and_names_shipped_pipelines() {
        for source in sources().expect("every test and figure is known") {
            assert!(!source.claim.is_empty(), "{}", source.name);
            for name in &source.configurations {
                assert!(proctor_strategies::pipeline(name).is_ok(), "{name}");
            }
        }
    }
}
