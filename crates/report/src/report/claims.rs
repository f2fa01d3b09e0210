//! What the source designs claim, and what this run says of it.

mod judge;
mod list;

use judge::{Under, Verdict, bracketed, judge};
use list::{Claim, ROADMAP, Rests, SOURCES, Source, Test};

use super::completion::is_complete;
use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figures, Subject};
use crate::run_dir::read::MeasurementRow;

/// Fewer sessions than this allow no firm verdict (METRICS 5).
const ENOUGH: u32 = 8;
const FEW: &str = "under eight sessions: an indication, not a firm verdict";
/// The empty and the perfect summarizer.
const ENDS: [&str; 2] = ["null", "perfect"];

/// Every claim by source, with its verdict.
pub fn section(figures: &Figures) -> Section {
    let intro = Prose::new(
        "What the five source designs promise, put to the test on the configurations built as they \
         say. A claim holds where the whole 95 % interval meets it and does not hold where none of \
         it does; what lies across is not decided. What must never happen does not hold from the \
         first session where it did; the interval is then of the share of sessions without it. \
         That something survives is read as 95 % of it being in the prompt when it is needed. All \
         were judged under ",
    )
    .code(figures.main)
    .then(
        ", with the figures of empty and perfect summaries beside them where they were driven. A \
         claim that rests on structure depends on no word of a summary; when a stage fires, and so \
         what it cuts, can still move with how long summaries are, and where its verdict did under \
         one of these two it is told. A model that writes at greater length fills the window \
         sooner than either, so sizes, and what follows from them (overflow, savings, waiting), \
         need not lie between the two.",
    )
    .followed_by(between(figures));
    let mut blocks = vec![Block::Prose(intro)];
    for source in &SOURCES {
        blocks.push(Block::Heading(source.name.to_owned()));
        blocks.push(Block::Table(table(figures, source)));
        if source.name == ROADMAP && figures.unswept().any(|one| one.pipeline == "codex") {
            let says = Prose::default().code("codex").then(
                " is the design of others that this source takes after, and makes none of its \
                 claims, so it is not judged by them.",
            );
            blocks.push(Block::Prose(says));
        }
    }
    Section { id: "claims", title: "Claims of the source designs", blocks }
}

fn table(figures: &Figures, source: &Source) -> Table {
    let mut table = Table::new(
        format!("Claims of {}", source.name),
        &["Claim", "Configuration", "Verdict", "Figure [95 %]", "#n", "Rests on"],
    );
    let of = |name: &&&str| {
        figures.unswept().find(|one| one.configuration == ***name && one.mode == "deployed")
    };
    let subjects: Vec<&Subject> = source.claimants.iter().filter_map(|name| of(&name)).collect();
    for claim in source.claims {
        if let Test::Untestable(why) = claim.test {
            let verdict = verdict_cell(&mut table, &Verdict::Untested(why.to_owned()), 0);
            let row = vec![
                Cell::text(claim.says),
                Cell::text("any"),
                verdict,
                table.undefined(""),
                table.undefined(""),
                Cell::text(rests_on(claim.rests_on)),
            ];
            table.rows.push(row);
            continue;
        }
        if subjects.is_empty() {
            let row = undriven(&mut table, source, claim);
            table.rows.push(row);
        }
        for subject in &subjects {
            let row = row(figures, &mut table, claim, subject);
            table.rows.push(row);
        }
    }
    table
}

fn undriven(table: &mut Table, source: &Source, claim: &Claim) -> Vec<Cell> {
    let why = format!("none of {} was driven", source.claimants.join(", "));
    vec![
        Cell::text(claim.says),
        Cell::code(source.claimants.first().copied().unwrap_or_default()),
        verdict_cell(table, &Verdict::Untested(why), 0),
        table.undefined(""),
        table.undefined(""),
        Cell::text(rests_on(claim.rests_on)),
    ]
}

/// In how many sessions what is remembered lies between the two ends, and how often an
/// early end is why it does not.
fn between(figures: &Figures) -> Prose {
    let (mut all, mut outside, mut cut_short) = (0, 0, 0);
    for subject in figures.every_unswept() {
        let own = figures.cells(subject, figures.main);
        let ends = ENDS.map(|end| cells_under(figures, subject, end));
        for row in own {
            let same = |rows: &[&'_ MeasurementRow]| {
                let session = |other: &&&MeasurementRow| {
                    (&other.key.scenario, other.key.seed, other.key.replicate)
                        == (&row.key.scenario, row.key.seed, row.key.replicate)
                };
                let found = rows.iter().find(session)?;
                Some((found.number("recall_at_need")?, is_complete(found)))
            };
            let (Some(recall), Some(low), Some(high)) =
                (row.number("recall_at_need"), same(&ends[0]), same(&ends[1]))
            else {
                continue;
            };
            all += 1;
            if recall < low.0 || recall > high.0 {
                outside += 1;
                cut_short += usize::from(!(is_complete(row) && low.1 && high.1));
            }
        }
    }
    if all == 0 {
        return Prose::default();
    }
    let says = " What is remembered is meant to lie between the two as well";
    Prose::new(match outside {
        0 => format!("{says}, and does in all {all} cells that were driven under all three."),
        _ => format!(
            "{says}: in {} of {all} cells that were driven under all three it does; of the \
             {outside} others {cut_short} are of sessions that ended early under one of them, \
             where needs behind the end count as not met.",
            all - outside
        ),
    })
}

fn row(figures: &Figures, table: &mut Table, claim: &Claim, subject: &Subject) -> Vec<Cell> {
    let judged = judge(figures, claim, subject, figures.main);
    let mut said = rests_on(claim.rests_on).to_owned();
    let ends = under_both(figures, claim, subject);
    let verdict = match claim.test {
        Test::Floor => judged.verdict.clone(),
        _ => {
            let shorter = shorter(figures, subject);
            bracketed(figures.main, judged.verdict.clone(), &ends, shorter)
        }
    };
    let same = ends.iter().all(|end| end.judged.verdict == judged.verdict);
    let names: Vec<&str> = ends.iter().map(|end| end.summarizer).collect();
    let told = ends.iter().map(|end| format!("{}: {}", end.summarizer, end.judged.figure));
    let told: Vec<String> = told.collect();
    if matches!(claim.test, Test::Floor) {
        said = format!("{said} (floors are probed under {} alone)", figures.main);
    } else if claim.rests_on == Rests::Structure && same && !ends.is_empty() {
        said = format!("{said} (same verdict under {})", names.join(" and "));
    } else if claim.rests_on == Rests::Structure && !ends.is_empty() {
        said = format!("{said}, and when it fires on lengths ({})", told.join("; "));
    } else if !ends.is_empty() {
        said = format!("{said} ({})", told.join("; "));
    } else if figures.main == figures.summarizer(subject, figures.main).unwrap_or_default() {
        said = format!("{said} (driven under {} alone)", figures.main);
    }
    let figure = match judged.figure.as_str() {
        "" => table.undefined(""),
        figure => Cell::text(figure),
    };
    vec![
        Cell::text(claim.says),
        Cell::code(subject.name()),
        verdict_cell(table, &verdict, judged.n),
        figure,
        Cell::text(judged.n.to_string()),
        Cell::text(said),
    ]
}

fn rests_on(rests_on: Rests) -> &'static str {
    match rests_on {
        Rests::Structure => "structure",
        Rests::Summaries => "summaries",
        Rests::Lengths => "structure, and lengths of summaries",
        Rests::Rates => "the sheet's rates, lengths of summaries",
    }
}

/// A summarizer of the run besides the main one, where the configuration was driven under it.
fn driven<'a>(figures: &Figures<'a>, subject: &Subject, summarizer: &str) -> Option<&'a str> {
    let names = &figures.run.manifest.summarizers;
    let name = names.iter().find(|name| *name == summarizer && *name != figures.main)?;
    (figures.summarizer(subject, name)? == name).then_some(name.as_str())
}

fn cells_under<'a>(
    figures: &Figures<'a>,
    subject: &Subject,
    summarizer: &str,
) -> Vec<&'a MeasurementRow> {
    let name = driven(figures, subject, summarizer);
    name.map(|name| figures.cells(subject, name)).unwrap_or_default()
}

/// The same under the empty and the perfect summarizer, where it was driven under them.
fn under_both(figures: &Figures, claim: &Claim, subject: &Subject) -> Vec<Under> {
    let found = ENDS.into_iter().filter_map(|summarizer| {
        let name = driven(figures, subject, summarizer)?;
        let judged = judge(figures, claim, subject, name);
        (judged.n > 0).then_some(Under { summarizer, judged })
    });
    found.collect()
}

/// Whether prompts are smaller under both ends than under the main summarizer: what is
/// known of the lengths of their summaries.
fn shorter(figures: &Figures, subject: &Subject) -> bool {
    let mean = |name| figures.pooled(subject, name, "tokens.mean_prompt").value;
    let Some(own) = mean(figures.main) else { return false };
    ENDS.iter().all(|end| {
        let other = driven(figures, subject, end).and_then(mean);
        other.is_some_and(|other| other < own)
    })
}

fn verdict_cell(table: &mut Table, verdict: &Verdict, n: u32) -> Cell {
    let (says, tone, why) = match verdict {
        Verdict::Holds => ("holds", Tone::Good, None),
        Verdict::Fails => ("does not hold", Tone::Bad, None),
        Verdict::Where(condition) => {
            let says = format!("holds under conditions: where {condition}");
            return few(table, Cell::text(says), n);
        }
        Verdict::Open => ("not decided", Tone::Plain, None),
        Verdict::Untested(why) => ("not tested by this run", Tone::Faint, Some(why)),
    };
    let cell = Cell::text(says).toned(tone);
    match why {
        Some(why) => Cell { note: Some(table.note(why)), ..cell },
        None => few(table, cell, n),
    }
}

fn few(table: &mut Table, cell: Cell, n: u32) -> Cell {
    if n < ENOUGH { Cell { note: Some(table.note(FEW)), ..cell } } else { cell }
}
