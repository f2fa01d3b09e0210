//! What is known beside what could be: bounds, old values, what summaries are like, archives.

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
        MetricColumn::estimate("Random drop", "random_drop", share).or(NO_NEED),
        MetricColumn::estimate("Achieved", "recall_at_need", share).or(NO_NEED),
        MetricColumn::estimate("Oracle, at least", "oracle.at_least", share).or(NO_NEED),
        MetricColumn::estimate("Oracle, at most", "oracle", share).or(NO_NEED),
        MetricColumn::estimate("Regret (points)", "regret", points).or(NO_NEED),
    ];
    let mut table = table(figures, "Bounds on choosing", configs, &columns);
    // Behind the configuration, its sessions and two more columns.
    let one_oracle = table.drop_repeated(4, 5, share);
    Ok(Some(Parts::default().table("bounds", table).value("one_oracle", one_oracle)))
}

/// Old values, carried or dropped.
pub fn stale(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let needs = "no such need was reached";
    let pairs = "no such pair was reached";
    let at_need = [
        MetricColumn::estimate("Needs", "stale.needs", count).or(needs),
        MetricColumn::estimate("Old alone", "stale.alone_share", share).or(needs),
        MetricColumn::estimate("Old beside new", "stale.beside_share", share).or(needs),
    ];
    let at_end = [
        MetricColumn::estimate("Pairs", "stale.pairs", count).or(pairs),
        MetricColumn::estimate("Old alone", "stale.end_alone_share", share).or(pairs),
        MetricColumn::estimate("Old beside new", "stale.end_beside_share", share).or(pairs),
    ];
    let resolved = [
        MetricColumn::estimate("Pairs", "stale.pairs", count).or(pairs),
        MetricColumn::estimate("Updates resolved", "update.resolved", share).or(pairs),
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
        MetricColumn::estimate("Over what they cover", "summary.ratio", share)
            .or("no summary covers anything"),
        MetricColumn::estimate("Artifacts", "summary.artifacts", count).or(no_word),
        MetricColumn::estimate("Fabricated", "fabricated.share", share)
            .or("no summary has an artifact"),
        MetricColumn::estimate("Copied", "summary.copy_share", share).or(no_word),
        MetricColumn::estimate("Sections", "summary.sections", share)
            .or("no prompt asks for sections"),
        MetricColumn::estimate("First person", "summary.first_person", share).or(no_word),
        MetricColumn::estimate("Hedged", "summary.hedges", share).or(no_word),
    ];
    let folds = [
        MetricColumn::estimate("Arcs whole", "arc.integrity", share)
            .or("no goal was folded in several turns"),
        MetricColumn::estimate("Arcs split", "arc.splits", count).or(""),
        MetricColumn::estimate("Misclassified", "misclassified", count).or("no stage goes by text"),
    ];
    let has = |metric| move |config: &&Config| figures.figure(config, metric).value.is_some();
    let (written, whole) = (has("summary.ratio"), has("arc.integrity"));
    let wrote = figures.shown().filter(written);
    let folded = figures.shown().filter(|config| written(config) || whole(config));
    Ok(Some(
        Parts::default()
            .table("words", table(figures, "What summaries are like", wrote, &words))
            .table("folds", table(figures, "What was folded together", folded, &folds)),
    ))
}

/// What archives gave back, where any configuration has one.
pub fn archive(context: &Context) -> Result<Option<Parts>> {
    let figures: &Figures = context.figures;
    let why = "nothing was recalled";
    let recalls = |config: &&Config| figures.figure(config, "archive.calls").value.is_some();
    let columns = [
        MetricColumn::estimate("Calls", "archive.calls", count).or(why),
        MetricColumn::estimate("Tokens", "archive.tokens", tokens).or(why),
        MetricColumn::estimate("Waste", "archive.waste_share", share).or(why),
        MetricColumn::estimate("Needs met", "archive.met", count).or(why),
        MetricColumn::estimate("Recall at need", "recall_at_need", share).or(NO_NEED),
        MetricColumn::estimate("Recoverable", "archive.recoverable", share).or(why),
    ];
    let configs = figures.shown().filter(recalls);
    let table = table(figures, "Recalled from an archive", configs, &columns);
    let has = !table.rows.is_empty();
    Ok(has.then(|| Parts::default().table("archive", table)))
}
