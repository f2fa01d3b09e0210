//! What is known beside what could be: bounds, old values, what summaries are like, archives.

<<<<<<< HEAD
use super::Context;
use super::figures::{Config, Figures};
use super::metric_table::{MetricColumn, table};
use super::template::Parts;
use crate::error::Result;
use crate::number::{count, points, share, tokens};

const NO_NEED: &str = "no need a window away";

/// Recall beside what choosing alone could reach.
pub fn bounds(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let configs = figures.shown().filter(|config| !config.is_windowless());
    let columns = [
        MetricColumn::estimate("Random drop", MetricId::RandomDrop, share).or(NO_NEED),
        MetricColumn::estimate("Achieved", MetricId::RecallAtNeed, share).or(NO_NEED),
        MetricColumn::estimate("Oracle, at least", MetricId::OracleAtLeast, share).or(NO_NEED),
        MetricColumn::estimate("Oracle, at most", MetricId::Oracle, share).or(NO_NEED),
        MetricColumn::estimate("Regret (points)", MetricId::Regret, points).or(NO_NEED),
    ];
    let mut table = table(figures, "Bounds on choosing", configs, &columns);
    // Behind the configuration, its sessions and two more columns.
    let one_oracle = table.drop_repeated(4, 5, share);
    Ok(Some(Parts::default().table("bounds", table).value("one_oracle", one_oracle)))
=======
use super::document::{Block, Cell, Prose, Section, Table};
use super::figures::{Figures, Subject};
use super::number;
use super::verdicts::completed;
use crate::measure::MetricId;

/// How a figure is written.
type Write = fn(f64) -> String;

/// A column of a table of figures: its heading, its metric, how it is written, and why
/// it may be empty.
type Column<'a> = (&'a str, MetricId, Write, &'a str);

/// One row per configuration under the main summarizer, over the columns.
fn table<'b>(
    figures: &'b Figures,
    caption: &str,
    subjects: impl Iterator<Item = &'b Subject>,
    columns: &[Column],
) -> Table {
    let headings: Vec<String> = columns.iter().map(|(heading, ..)| format!("#{heading}")).collect();
    let mut titles = vec!["Configuration", "Sessions completed"];
    titles.extend(headings.iter().map(String::as_str));
    titles.push("#Least n");
    let mut table = Table::new(caption, &titles);
    for subject in subjects {
        let found: Vec<_> =
            columns.iter().map(|(_, metric, ..)| figures.figure(subject, *metric)).collect();
        if found.iter().all(|figure| figure.value.is_none()) {
            continue;
        }
        let mut row = vec![Cell::code(subject.name()), completed(figures, &mut table, subject)];
        for ((.., write, why), figure) in columns.iter().zip(&found) {
            row.push(table.figure(figure.write_with_interval(*write).map_err(|_| *why)));
        }
        let n = found.iter().filter(|figure| figure.value.is_some()).map(|figure| figure.n).min();
        row.push(Cell::text(n.unwrap_or(0).to_string()));
        table.rows.push(row);
    }
    table
}

fn section(
    (id, title): (&'static str, &'static str),
    intro: Prose,
    table: Table,
    why_not: &str,
) -> Section {
    let blocks = match table.rows.is_empty() {
        true => vec![Block::Prose(Prose::new(why_not))],
        false => vec![Block::Prose(intro), Block::Table(table)],
    };
    Section { id, title, blocks }
}

/// Points of recall.
fn points(share: f64) -> String {
    number::change(share * 100.0)
}

/// Recall beside what choosing alone could reach.
pub fn bounds(figures: &Figures) -> Section {
    let intro = Prose::new(
        "Recall at need beside what keeping and dropping whole messages reaches in the tokens that \
         each configuration itself carried over at each step. Dropping at random is the mean of 16 \
         draws that all cells of a session share. The oracle knows all needs beforehand and cannot \
         have back what it let go: no such policy recalls more than the one column, and one that we \
         built recalls the other. Regret is the oracle less what was achieved, in points; below \
         zero, rewriting did better than any choice could. Means over n sessions with needs a \
         window away, with 95 % intervals.",
    );
    let subjects = figures.unswept().filter(|subject| !subject.is_windowless());
    let table = table(
        figures,
        "Bounds on choosing",
        subjects,
        &[
            ("Random drop", MetricId::RandomDrop, number::share, "no need a window away"),
            ("Achieved", MetricId::RecallAtNeed, number::share, "no need a window away"),
            ("Oracle, at least", MetricId::OracleAtLeast, number::share, "no need a window away"),
            ("Oracle, at most", MetricId::Oracle, number::share, "no need a window away"),
            ("Regret (points)", MetricId::Regret, points, "no need a window away"),
        ],
    );
    let why_not = "No configuration has a need a window away, so there is nothing to bound.";
    let mut table = table;
    let alike = table.drop_alike("Oracle, at least", "Oracle, at most");
    let title = "Bounds: what choosing alone could reach";
    let mut bounds = section(("bounds", title), intro, table, why_not);
    bounds.blocks.extend(alike.map(Block::Prose));
    bounds
>>>>>>> frame
}

/// Old values, carried or dropped.
pub fn stale(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let needs = "no such need was reached";
<<<<<<< HEAD
    let pairs = "no such pair was reached";
    let at_need = [
        MetricColumn::estimate("Needs", MetricId::StaleNeeds, count).or(needs),
        MetricColumn::estimate("Old alone", MetricId::StaleAloneShare, share).or(needs),
        MetricColumn::estimate("Old beside new", MetricId::StaleBesideShare, share).or(needs),
    ];
    let at_end = [
        MetricColumn::estimate("Pairs", MetricId::StalePairs, count).or(pairs),
        MetricColumn::estimate("Old alone", MetricId::StaleEndAloneShare, share).or(pairs),
        MetricColumn::estimate("Old beside new", MetricId::StaleEndBesideShare, share).or(pairs),
    ];
    let resolved = [
        MetricColumn::estimate("Pairs", MetricId::StalePairs, count).or(pairs),
        MetricColumn::estimate("Updates resolved", MetricId::UpdateResolved, share).or(pairs),
    ];
    let of = |caption, columns| table(figures, caption, figures.shown(), columns);
    Ok(Some(
        Parts::default()
            .table("at_need", of("Old values at needs, shares of the needs", &at_need))
            .table(
                "at_end",
                of("Old values in the last view, shares of the pairs reached", &at_end),
            )
            .table("resolved", of("Updates resolved, of all pairs", &resolved)),
    ))
}

/// What summaries are like, read from their words.
pub fn summaries(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let no_word = "no summary has a word";
    let words = [
        MetricColumn::estimate("Over what they cover", MetricId::SummaryRatio, share)
            .or("no summary covers anything"),
        MetricColumn::estimate("Artifacts", MetricId::SummaryArtifacts, count).or(no_word),
        MetricColumn::estimate("Fabricated", MetricId::FabricatedShare, share)
            .or("no summary has an artifact"),
        MetricColumn::estimate("Copied", MetricId::SummaryCopyShare, share).or(no_word),
        MetricColumn::estimate("Sections", MetricId::SummarySections, share)
            .or("no prompt asks for sections"),
        MetricColumn::estimate("First person", MetricId::SummaryFirstPerson, share).or(no_word),
        MetricColumn::estimate("Hedged", MetricId::SummaryHedges, share).or(no_word),
    ];
    let folds = [
        MetricColumn::estimate("Arcs whole", MetricId::ArcIntegrity, share)
            .or("no goal was folded in several turns"),
        MetricColumn::estimate("Arcs split", MetricId::ArcSplits, count).or(""),
        MetricColumn::estimate("Misclassified", MetricId::Misclassified, count).or("no stage goes by text"),
    ];
    let has = |metric| move |config: &&Config| figures.figure(config, metric).value.is_some();
    let (written, whole) = (has(MetricId::SummaryRatio), has(MetricId::ArcIntegrity));
    let wrote = figures.shown().filter(written);
    let folded = figures.shown().filter(|config| written(config) || whole(config));
    Ok(Some(
        Parts::default()
            .table("words", table(figures, "What summaries are like", wrote, &words))
            .table("folds", table(figures, "What was folded together", folded, &folds)),
    ))
=======
    let at_need = table(
        figures,
        "Old values at needs, shares of the needs",
        figures.unswept(),
        &[
            ("Needs", MetricId::StaleNeeds, number::count, needs),
            ("Old alone", MetricId::StaleAloneShare, number::share, needs),
            ("Old beside new", MetricId::StaleBesideShare, number::share, needs),
        ],
    );
    let pairs = "no such pair was reached";
    let at_end = table(
        figures,
        "Old values in the last view, shares of the pairs reached",
        figures.unswept(),
        &[
            ("Pairs", MetricId::StalePairs, number::count, pairs),
            ("Old alone", MetricId::StaleEndAloneShare, number::share, pairs),
            ("Old beside new", MetricId::StaleEndBesideShare, number::share, pairs),
        ],
    );
    let resolved = table(
        figures,
        "Updates resolved, of all pairs",
        figures.unswept(),
        &[
            ("Pairs", MetricId::StalePairs, number::count, pairs),
            ("Updates resolved", MetricId::UpdateResolved, number::share, pairs),
        ],
    );
    let tables = [at_need, at_end, resolved].into_iter().filter(|table| !table.rows.is_empty());
    let mut blocks: Vec<Block> = tables.map(Block::Table).collect();
    if blocks.is_empty() {
        blocks.push(Block::Prose(Prose::new("No session replaces a fact by another.")));
    } else {
        blocks.insert(0, Block::Prose(intro));
    }
    Section { id: "stale", title: "Old values: carried or let go", blocks }
}

/// What summaries are like, read from their words.
pub fn summaries(figures: &Figures) -> Section {
    let intro = Prose::new(
        "Read from the words of summaries and of what their writers were shown; no judge. \
         Fabricated is what looks like a path, a symbol, an error code, a figure with its unit or \
         a command and occurs nowhere in the prompt. Copied is the share of words in runs of eight \
         that the material holds: near 100 % a summary quotes, near 0 % it rewords. Sections are \
         the headings asked for that are there. Arcs whole is the share of goals folded in several \
         turns whose turns lie in one fold.",
    );
    let written =
        |subject: &&Subject| figures.figure(subject, MetricId::SummaryRatio).value.is_some();
    let words = table(
        figures,
        "What summaries are like",
        figures.unswept().filter(written),
        &[
            (
                "Over what they cover",
                MetricId::SummaryRatio,
                number::share,
                "no summary covers anything",
            ),
            ("Artifacts", MetricId::SummaryArtifacts, number::count, "no summary has a word"),
            ("Fabricated", MetricId::FabricatedShare, number::share, "no summary has an artifact"),
            ("Copied", MetricId::SummaryCopyShare, number::share, "no summary has a word"),
            ("Sections", MetricId::SummarySections, number::share, "no prompt asks for sections"),
            ("First person", MetricId::SummaryFirstPerson, number::share, "no summary has a word"),
            ("Hedged", MetricId::SummaryHedges, number::share, "no summary has a word"),
        ],
    );
    let title = "What summaries are like";
    let why_not = "No configuration made a summary.";
    let mut summaries = section(("summaries", title), intro, words, why_not);
    let folded = |subject: &&Subject| {
        let figures_of = [MetricId::SummaryRatio, MetricId::ArcIntegrity];
        figures_of.into_iter().any(|metric| figures.figure(subject, metric).value.is_some())
    };
    let folds = table(
        figures,
        "What was folded together",
        figures.unswept().filter(folded),
        &[
            (
                "Arcs whole",
                MetricId::ArcIntegrity,
                number::share,
                "no goal was folded in several turns",
            ),
            ("Arcs split", MetricId::ArcSplits, number::count, ""),
            ("Misclassified", MetricId::Misclassified, number::count, "no stage goes by text"),
        ],
    );
    if !folds.rows.is_empty() {
        summaries.blocks.push(Block::Table(folds));
    }
    summaries
>>>>>>> frame
}

/// What archives gave back, where any configuration has one.
pub fn archive(context: &Context) -> Result<Option<Parts>> {
    let figures: &Figures = context.figures;
    let why = "nothing was recalled";
<<<<<<< HEAD
    let recalls = |config: &&Config| figures.figure(config, MetricId::ArchiveCalls).value.is_some();
    let columns = [
        MetricColumn::estimate("Calls", MetricId::ArchiveCalls, count).or(why),
        MetricColumn::estimate("Tokens", MetricId::ArchiveTokens, tokens).or(why),
        MetricColumn::estimate("Waste", MetricId::ArchiveWasteShare, share).or(why),
        MetricColumn::estimate("Needs met", MetricId::ArchiveMet, count).or(why),
        MetricColumn::estimate("Recall at need", MetricId::RecallAtNeed, share).or(NO_NEED),
        MetricColumn::estimate("Recoverable", MetricId::ArchiveRecoverable, share).or(why),
    ];
    let configs = figures.shown().filter(recalls);
    let table = table(figures, "Recalled from an archive", configs, &columns);
=======
    let recalls =
        |subject: &&Subject| figures.figure(subject, MetricId::ArchiveCalls).value.is_some();
    let table = table(
        figures,
        "Recalled from an archive",
        figures.unswept().filter(recalls),
        &[
            ("Calls", MetricId::ArchiveCalls, number::count, why),
            ("Tokens", MetricId::ArchiveTokens, number::tokens, why),
            ("Waste", MetricId::ArchiveWasteShare, number::share, why),
            ("Needs met", MetricId::ArchiveMet, number::count, why),
            ("Recall at need", MetricId::RecallAtNeed, number::share, "no need a window away"),
            ("Recoverable", MetricId::ArchiveRecoverable, number::share, why),
        ],
    );
>>>>>>> frame
    let has = !table.rows.is_empty();
    Ok(has.then(|| Parts::default().table("archive", table)))
}
