//! Bounds, old values, words of summaries, archives, and how much depends on wording.

use super::columns::table;
use super::prelude::*;
use crate::number::{count, points, share, tokens};

const NO_NEED: &str = "no need a window away";
const NO_NEED_REACHED: &str = "no such need was reached";
const NO_PAIR: &str = "no such pair was reached";
const NO_WORD: &str = "no summary has a word";
const NO_RECALL: &str = "nothing was recalled";

const BOUNDS: [MetricColumn; 5] = [
    estimate("Random drop", MetricId::RandomDrop, share).or(NO_NEED),
    estimate("Achieved", MetricId::RecallAtNeed, share).or(NO_NEED),
    estimate("Oracle, at least", MetricId::OracleAtLeast, share).or(NO_NEED),
    estimate("Oracle, at most", MetricId::Oracle, share).or(NO_NEED),
    estimate("Regret (points)", MetricId::Regret, points).or(NO_NEED),
];
/// Where the two bounds of the oracle are, behind the configuration and its sessions.
const ORACLES: [usize; 2] = [4, 5];

const AT_NEED: [MetricColumn; 3] = [
    estimate("Needs", MetricId::StaleNeeds, count).or(NO_NEED_REACHED),
    estimate("Old alone", MetricId::StaleAloneShare, share).or(NO_NEED_REACHED),
    estimate("Old beside new", MetricId::StaleBesideShare, share).or(NO_NEED_REACHED),
];
const AT_END: [MetricColumn; 3] = [
    estimate("Pairs", MetricId::StalePairs, count).or(NO_PAIR),
    estimate("Old alone", MetricId::StaleEndAloneShare, share).or(NO_PAIR),
    estimate("Old beside new", MetricId::StaleEndBesideShare, share).or(NO_PAIR),
];
const RESOLVED: [MetricColumn; 2] = [
    estimate("Pairs", MetricId::StalePairs, count).or(NO_PAIR),
    estimate("Updates resolved", MetricId::UpdateResolved, share).or(NO_PAIR),
];

const WORDS: [MetricColumn; 7] = [
    estimate("Over what they cover", MetricId::SummaryRatio, share)
        .or("no summary covers anything"),
    estimate("Artifacts", MetricId::SummaryArtifacts, count).or(NO_WORD),
    estimate("Fabricated", MetricId::FabricatedShare, share).or("no summary has an artifact"),
    estimate("Copied", MetricId::SummaryCopyShare, share).or(NO_WORD),
    estimate("Sections", MetricId::SummarySections, share).or("no prompt asks for sections"),
    estimate("First person", MetricId::SummaryFirstPerson, share).or(NO_WORD),
    estimate("Hedged", MetricId::SummaryHedges, share).or(NO_WORD),
];
const FOLDS: [MetricColumn; 3] = [
    estimate("Arcs whole", MetricId::ArcIntegrity, share).or("no goal was folded in several turns"),
    estimate("Arcs split", MetricId::ArcSplits, count).or(""),
    estimate("Misclassified", MetricId::Misclassified, count).or("no stage goes by text"),
];

const ARCHIVE: [MetricColumn; 6] = [
    estimate("Calls", MetricId::ArchiveCalls, count).or(NO_RECALL),
    estimate("Tokens", MetricId::ArchiveTokens, tokens).or(NO_RECALL),
    estimate("Waste", MetricId::ArchiveWasteShare, share).or(NO_RECALL),
    estimate("Needs met", MetricId::ArchiveMet, count).or(NO_RECALL),
    estimate("Recall at need", MetricId::RecallAtNeed, share).or(NO_NEED),
    estimate("Recoverable", MetricId::ArchiveRecoverable, share).or(NO_RECALL),
];

pub fn bounds(figures: &Figures) -> Result<Option<Parts>> {
    let configs = figures.shown().filter(|config| !config.is_windowless());
    let mut table = table(figures, "Bounds on choosing", configs, &BOUNDS);
    let [least, most] = ORACLES;
    let one_oracle = table.drop_repeated(least, most, share);
    Ok(Some(Parts::default().table("bounds", table).value("one_oracle", one_oracle)))
}

pub fn stale(figures: &Figures) -> Result<Option<Parts>> {
    let of = |caption, columns| table(figures, caption, figures.shown(), columns);
    Ok(Some(
        Parts::default()
            .table("at_need", of("Old values at needs, shares of the needs", &AT_NEED))
            .table(
                "at_end",
                of("Old values in the last view, shares of the pairs reached", &AT_END),
            )
            .table("resolved", of("Updates resolved, of all pairs", &RESOLVED)),
    ))
}

pub fn summaries(figures: &Figures) -> Result<Option<Parts>> {
    let of = |caption, metrics: &[MetricId], columns| {
        let has = |config: &&Config| metrics.iter().any(|id| figures.value(config, *id).is_some());
        table(figures, caption, figures.shown().filter(has), columns)
    };
    let folding = [MetricId::SummaryRatio, MetricId::ArcIntegrity];
    let words = of("What summaries are like", &folding[..1], &WORDS);
    let folds = of("What was folded together", &folding, &FOLDS);
    Ok(Some(Parts::default().table("words", words).table("folds", folds)))
}

/// What archives gave back, where any configuration has one.
pub fn archive(figures: &Figures) -> Result<Option<Parts>> {
    let recalls = |config: &&Config| figures.value(config, MetricId::ArchiveCalls).is_some();
    let configs = figures.shown().filter(recalls);
    let table = table(figures, "Recalled from an archive", configs, &ARCHIVE);
    Ok((!table.rows.is_empty()).then(|| Parts::default().table("archive", table)))
}

pub fn banks(figures: &Figures) -> Result<Option<Parts>> {
    let of = |config: &Config, metric| figures.of_both_banks(config, figures.main, metric);
    let gap = |config: &Config| of(config, MetricId::BankGap);
    let recall = |title, metric| {
        figure(title, move |config: &Config| Cell::figure(&of(config, metric), share))
    };
    let perfect = |config: &Config| {
        let gap = figures.of_both_banks(config, "perfect", MetricId::BankGap);
        let is_driven = gap.value.is_some();
        if is_driven { Cell::estimate(&gap, points) } else { Cell::undefined("not driven") }
    };
    let fields = [
        configuration(),
        recall("Bank A", MetricId::BankA),
        recall("Bank B", MetricId::BankB),
        figure("Gap", |config| Cell::estimate(&gap(config), points)),
        figure("Gap under perfect", perfect),
        figure("n", |config| Cell::count(gap(config).n as usize)),
    ];
    let told = figures.shown_but_control().filter(|config| gap(config).value.is_some());
    let table = Table::of("Recall at need by phrase bank", told, fields);
    Ok(Some(Parts::default().value("main", figures.main).table("banks", table)))
}
