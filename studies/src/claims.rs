//! What the source designs claim, and what a run says of it.
//!
//! The claims are in `data/claims.toml`; each names a test and the figures behind it.

mod figures;
mod floor;
mod judge;

use proctor_core::error::{Error, Result};
use proctor_eval::matrix::SummarizerName;
use serde::Deserialize;

use crate::run::{Run, is_control, is_twin};
use crate::table::{Table, line};
use figures::Facts;
use judge::{Judged, Subject, Test, Verdict, bracketed, judge};

const CLAIMS: &str = include_str!("../data/claims.toml");
/// Fewer sessions than this allow no firm verdict.
const ENOUGH: usize = 8;
/// The summarizers between which others are meant to lie.
const ENDS: [SummarizerName; 2] = [SummarizerName::Null, SummarizerName::Perfect];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: Vec<Source>,
}

/// A source with what it claims.
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
    rests_on: Basis,
}

/// What could change a verdict.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Basis {
    /// What is kept, cut and folded, and no word of a summary.
    Structure,
    /// The same, and how long summaries are.
    Lengths,
    /// The words that a summarizer wrote, or how many.
    Summaries,
    /// The rates of the price sheet, and how long answers are.
    Rates,
}

/// Judges every claim on a recorded run.
///
/// # Errors
///
/// [`Error::Invalid`] where the claims do not parse.
pub fn page(run: &Run) -> Result<String> {
    let sources = sources()?;
    let facts = Facts::of(run);
    let mut page = String::from("# Claims of the source designs\n\n");
    line(
        &mut page,
        &format!(
            "Made by `proctor-studies claims RUN` from a run of the suite `{}` under `{}`.\n",
            run.suite(),
            run.main_summarizer()
        ),
    );
    line(&mut page, METHOD);
    for source in &sources {
        line(&mut page, &format!("## {}\n", source.name));
        page.push_str(&table(run, &facts, source).markdown());
        if !source.note.is_empty() {
            line(&mut page, &format!("{}\n", source.note));
        }
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    Ok(page)
}

const METHOD: &str = "Each claim is tested on the configurations that are built as its source says. \
It holds where the whole 95 % interval meets it and fails where none of the interval does; otherwise \
it is not decided. What must never happen fails with the first session in which it did; its interval \
is of the share of sessions without it. Something survives where 95 % of it is in the prompt when it \
is needed. The figures under empty and under perfect summaries stand beside those of the run's main \
summarizer where they were driven; where the verdict differs, it holds under conditions. A model that \
writes at greater length fills the window sooner than either of them, so sizes and what follows from \
them (overflow, savings, waiting) need not lie between the two. A verdict marked \\* rests on under \
eight sessions: an indication, not a firm verdict.
";

fn sources() -> Result<Vec<Source>> {
    let file: File = toml::from_str(CLAIMS)
        .map_err(|error| Error::invalid("data/claims.toml", error.to_string()))?;
    Ok(file.source)
}

fn table(run: &Run, facts: &Facts, source: &Source) -> Table {
    let head = ["claim", "configuration", "verdict", "figure [95 %]", "#n", "rests on"];
    let mut table = Table::new("", &head);
    for claim in &source.claim {
        let says = || claim.says.clone();
        let basis = claim.rests_on.words();
        if let Test::Untestable(why) = &claim.test {
            let verdict = format!("not tested: {why}");
            table.push([
                says(),
                "any".to_owned(),
                verdict,
                String::new(),
                String::new(),
                basis.to_owned(),
            ]);
            continue;
        }
        let subjects: Vec<Subject> = source
            .configurations
            .iter()
            .filter_map(|name| subject(run, name, run.main_summarizer()))
            .collect();
        if subjects.is_empty() {
            let names = source.configurations.join("`, `");
            let verdict = "not tested: not driven in this run".to_owned();
            let names = format!("`{names}`");
            table.push([says(), names, verdict, String::new(), String::new(), basis.to_owned()]);
        }
        for subject in &subjects {
            let judged = judge(run, facts, &claim.test, subject);
            let ends = ends(run, facts, claim, subject);
            let verdict = bracketed((subject.summarizer, &judged.verdict), &ends);
            let few = if judged.n < ENOUGH && judged.n > 0 { "\\*" } else { "" };
            table.push([
                says(),
                format!("`{}`", subject.configuration),
                format!("{}{few}", verdict.words()),
                judged.figure,
                judged.n.to_string(),
                beside(basis, &ends),
            ]);
        }
    }
    table
}

/// The figures under the other summarizers, behind what the claim rests on.
fn beside(basis: &str, ends: &[(&str, Judged)]) -> String {
    if ends.is_empty() {
        return basis.to_owned();
    }
    let figures = ends.iter().map(|(name, judged)| format!("{name}: {}", judged.figure));
    format!("{basis} ({})", figures.collect::<Vec<_>>().join("; "))
}

/// The measured sessions of a configuration as deployed, without twins and faults; `None`
/// where it was not driven under the summarizer.
fn subject<'a>(run: &'a Run, configuration: &'a str, summarizer: &'a str) -> Option<Subject<'a>> {
    let cells = run.cells().iter().filter(|cell| {
        cell.key.configuration() == configuration
            && cell.key.mode == "deployed"
            && cell.key.summarizer == summarizer
            && !is_twin(cell)
            && !is_control(cell)
    });
    let cells: Vec<_> = cells.collect();
    (!cells.is_empty()).then_some(Subject { configuration, summarizer, cells })
}

/// The same claim under the empty and the perfect summarizer. Floors are probed under the
/// main one alone.
fn ends<'a>(
    run: &'a Run,
    facts: &Facts,
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

impl Basis {
    fn words(self) -> &'static str {
        match self {
            Basis::Structure => "structure",
            Basis::Lengths => "structure, and lengths of summaries",
            Basis::Summaries => "summaries",
            Basis::Rates => "the sheet's rates, lengths of summaries",
        }
    }
}

impl Verdict {
    fn words(&self) -> String {
        match self {
            Verdict::Holds => "holds".to_owned(),
            Verdict::Fails => "does not hold".to_owned(),
            Verdict::Where(condition) => format!("holds where {condition}"),
            Verdict::Open => "not decided".to_owned(),
            Verdict::Untested(why) => format!("not tested: {why}"),
        }
    }
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
