//! What is known beside what could be: bounds, old values, what summaries are like, archives.

use super::figures::{Config, Figures};
use super::metric_table::{MetricColumn, table};
use super::section::Context;
use super::template::Parts;
use crate::error::Result;
use crate::measure::MetricId;
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
}

/// Old values, carried or dropped.
pub fn stale(context: &Context) -> Result<Option<Parts>> {
    let figures = context.figures;
    let needs = "no such need was reached";
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
        MetricColumn::estimate("Misclassified", MetricId::Misclassified, count)
            .or("no stage goes by text"),
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
}

/// What archives gave back, where any configuration has one.
pub fn archive(context: &Context) -> Result<Option<Parts>> {
    let figures: &Figures = context.figures;
    let why = "nothing was recalled";
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
    let has = !table.rows.is_empty();
    Ok(has.then(|| Parts::default().table("archive", table)))
}
