//! What the source designs claim, and what this run says of it.

mod judge;
mod list;

use judge::{Judged, Verdict, bracketed, judge};
use list::{Claim, Rests, SOURCES, Source, Test};

use super::document::{Block, Cell, Prose, Section, Table, Tone};
use super::figures::{Figures, Subject};

/// Fewer sessions than this allow no firm verdict (METRICS 5).
const ENOUGH: u32 = 8;
const FEW: &str = "under eight sessions: an indication, not a firm verdict";
/// The empty and the perfect summarizer: between them lies what any other remembers.
const ENDS: [&str; 2] = ["null", "perfect"];

/// Every claim by source, with its verdict.
pub fn section(figures: &Figures) -> Section {
    let intro = Prose::new(
        "What the five source designs promise, put to the test on the configurations built as they \
         say. A claim holds where the whole 95 % interval meets it and does not hold where none of \
         it does; what lies across is not decided. What must never happen does not hold from the \
         first session where it did; the interval is then of the share of sessions without it. \
         That something survives is read as 95 % of it being in the prompt when it is needed. A \
         claim that rests on structure holds for any model; one that rests on summaries was judged \
         under ",
    )
    .code(figures.main)
    .then(
        ", with empty and perfect summaries beside it where they were driven. What is remembered \
         lies between these two under any model; sizes, and what follows from them (overflow, \
         savings, waiting), need not: a model that writes at greater length fills the window \
         sooner than either.",
    );
    let mut blocks = vec![Block::Prose(intro)];
    for source in &SOURCES {
        blocks.push(Block::Heading(source.name.to_owned()));
        blocks.push(Block::Table(table(figures, source)));
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

fn row(figures: &Figures, table: &mut Table, claim: &Claim, subject: &Subject) -> Vec<Cell> {
    let judged = judge(figures, claim, subject, figures.main);
    let mut said = rests_on(claim.rests_on).to_owned();
    let mut verdict = judged.verdict.clone();
    if claim.rests_on == Rests::Summaries {
        let ends = ENDS.map(|end| under(figures, claim, subject, end));
        verdict = bracketed(verdict, &ends);
        let told = ENDS.iter().zip(&ends).filter_map(|(name, end)| {
            Some(format!("{name}: {}", end.as_ref().map(|end| &end.figure)?))
        });
        let told: Vec<String> = told.collect();
        if !told.is_empty() {
            said = format!("{said} ({})", told.join("; "));
        }
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
        Rests::Structure => "structure: any model",
        Rests::Summaries => "summaries",
        Rests::Lengths => "structure, and lengths of summaries",
        Rests::Rates => "the sheet's rates, lengths of summaries",
    }
}

/// The same under another summarizer, where it was driven under it.
fn under(figures: &Figures, claim: &Claim, subject: &Subject, summarizer: &str) -> Option<Judged> {
    let names = &figures.run.manifest.summarizers;
    let name = names.iter().find(|name| *name == summarizer && *name != figures.main)?;
    let driven = figures.summarizer(subject, name)? == name;
    driven.then(|| judge(figures, claim, subject, name)).filter(|judged| judged.n > 0)
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
