//! The verdict table and the sweep beside it.

use super::by_scenario;
use super::configurations;
use super::floors::verdict::Tally;
use super::prelude::*;
use super::{curve, rules};
use crate::truth::FactKind;

/// Where savings net and savings effective are in the table.
const NET_AND_EFFECTIVE: [usize; 2] = [5, 6];
/// The share of claims that are so under which nobody can trust the rest.
const LEAST_TRUE: f64 = 0.9;
const NO_FLOOR: &str = "a control without a window has no floor";

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let mut table = verdicts(figures);
    let [net, effective] = NET_AND_EFFECTIVE;
    let one_saving = table.drop_repeated(effective, net, number::share);
    let judged = figures.shown().any(|config| !Tally::of(figures, config).verdicts.is_empty());
    let inferred = figures.shown().filter(|config| config.inferred);
    let parts = rules::legend(Parts::default())
        .value("representatives", &figures.representatives)
        .value("inferred", each_once(inferred.map(|config| config.pipeline.as_str())))
        .value("ranks_inferred", figures.ranks_inferred)
        .value("judged", judged)
        .value("one_saving", one_saving)
        .value("without_needs", by_scenario::without_needs(figures))
        .value("least_true", LEAST_TRUE)
        .value("dearer", dearer(figures))
        .table("verdicts", table)
        .table("sweep", sweep(figures))
        .table("beside", beside(figures));
    Ok(Some(curve::parts(figures, parts)?))
}

/// Cutting that costs more than sending everything though it cuts rarely. Cutting to the limit at
/// nearly every call loses the cache each time: it is no measure of what cutting costs.
fn dearer(figures: &Figures) -> Option<String> {
    let dollars = |config: &Config| figures.value(config, MetricId::CostUsd);
    let control = figures.shown().find(|config| config.is_control()).and_then(dollars)?;
    let dearer = figures.shown().find(|config| {
        config.pipeline == "truncate-hysteresis"
            && completes(figures, config)
            && dollars(config).is_some_and(|own| own > control)
    })?;
    Some(dearer.name())
}

fn verdicts(figures: &Figures) -> Table {
    let rows = figures.shown().map(|config| {
        vec![
            configurations::linked(figures, config),
            completion::cell(figures, config),
            floor(figures, config),
            steepest(figures, config),
            up_to_the_end(figures, config, MetricId::TokensMeanPrompt),
            saving(figures, config, MetricId::SavingsNet),
            saving(figures, config, MetricId::SavingsEffective),
            up_to_the_end(figures, config, MetricId::CostUsd),
            recalled(figures, config),
            sessions(figures, config, MetricId::RecallAtNeed),
            mean(figures, config, MetricId::RecallAtNeedUnder025),
            mean(figures, config, MetricId::RecallAtNeedUnder1),
            mean(figures, config, MetricId::RecallIrreplaceable),
            claims(figures, config),
            worst_kind(figures, config),
            rules::cell(figures, config),
        ]
    });
    let dollars = format!("#Dollars a session (prices {})", figures.run.manifest.prices.name);
    let before = "Configuration|Sessions completed|Floor (steepest slope: one pass / low water)|\
                  +#Steepest (tokens a turn)|#Mean prompt (tokens)|#Savings net|#Savings effective";
    let after = "#Recall at need [95 %]|+#n of recall|+#Recall under 1/4 window|+#Recall under 1 window|\
         +#Recall of the irreplaceable|#True claims|+Worst-retained kind at the end|+Rules broken";
    let titles = before.split('|').chain([dollars.as_str()]).chain(after.split('|'));
    Table::of("Verdict of each configuration", titles, rows)
}

fn recalled(figures: &Figures, config: &Config) -> Cell {
    let cell = estimate(figures, config, MetricId::RecallAtNeed);
    if cell.note.is_some() || !ended_early(figures, config) {
        return cell;
    }
    cell.noted("needs after the early end of a session count as not met")
}

/// Of what its summaries say of facts, the share that is so; red where it is low.
fn claims(figures: &Figures, config: &Config) -> Cell {
    let figure = figures.figure(config, MetricId::SummaryPrecision);
    let is_low = figure.value.is_some_and(|share| share < LEAST_TRUE);
    let tone = if is_low { Tone::Bad } else { Tone::Plain };
    Cell::figure(&figure, number::share).toned(tone)
}

fn floor(figures: &Figures, config: &Config) -> Cell {
    if config.is_control() {
        return Cell::undefined(NO_FLOOR);
    }
    let tally = Tally::of(figures, config);
    if tally.verdicts.is_empty() {
        return Cell::undefined("no verdict on the floor: it takes sessions of several lengths");
    }
    let few = "n too small: under eight sessions in some family, so an indication";
    let families = "families of sessions by verdict; the floor section has each";
    let several = (tally.counts().len() > 1).then_some(families);
    let notes: Vec<&str> = tally.is_small().then_some(few).into_iter().chain(several).collect();
    let cell = tally.cell();
    if notes.is_empty() { cell } else { cell.noted(notes.join("; ")) }
}

/// The steepest slope of its floor: what rows are ranked by, whatever the verdict.
fn steepest(figures: &Figures, config: &Config) -> Cell {
    if config.is_control() {
        return Cell::undefined(NO_FLOOR);
    }
    let steepest = Tally::of(figures, config).steepest();
    Cell::number(steepest, number::change, "no slope: it takes a probed floor or compactions")
}

/// Savings; those of sessions that ended early compare unlike things.
fn saving(figures: &Figures, config: &Config, metric: MetricId) -> Cell {
    if config.is_control() {
        return Cell::undefined("the control that savings are measured against");
    }
    if !completes(figures, config) {
        return Cell::undefined("not ranked: some session did not complete");
    }
    Cell::figure(&figures.figure(config, metric), number::share)
}

fn worst_kind(figures: &Figures, config: &Config) -> Cell {
    let known = FactKind::ALL
        .into_iter()
        .filter_map(|kind| Some((kind, figures.value(config, MetricId::retention(kind))?)));
    match known.min_by(|one, other| one.1.total_cmp(&other.1)) {
        Some((_, least)) if least >= 1.0 => Cell::text("none lost"),
        Some((kind, least)) => Cell::text(format!("{} {}", kind.name(), number::share(least))),
        None => Cell::undefined("no fact was live at the end"),
    }
}

fn sweep(figures: &Figures) -> Table {
    let swept = figures.configs.iter().filter(|config| config.is_swept());
    let rows = swept.map(|config| {
        vec![
            Cell::code(config.name()),
            completion::cell(figures, config),
            up_to_the_end(figures, config, MetricId::TokensMeanPrompt),
            estimate(figures, config, MetricId::RecallAtNeed),
            sessions(figures, config, MetricId::RecallAtNeed),
        ]
    });
    let titles = "Configuration|Sessions completed|#Mean prompt (tokens)|#Recall at need [95 %]|#n";
    Table::of("Swept limits", titles.split('|'), rows)
}

/// Beside truncation at the same mean prompt; no rows where the run did not compare them.
fn beside(figures: &Figures) -> Table {
    let equal = |config: &Config| figures.figure(config, MetricId::SavingsTruncateEqual);
    let others = || figures.shown_but_control().filter(|config| config.pipeline != "truncate");
    let is_compared = figures.configs.iter().any(Config::is_swept)
        && others().any(|config| equal(config).value.is_some());
    let rows = others().filter(|_| is_compared).map(|config| {
        let equal = equal(config);
        let known = equal.value.map_or(0, |_| equal.n);
        let every = |metric| mean(figures, config, metric);
        let of_all = format!("{known} of {}", figures.cells(config).len());
        vec![
            Cell::code(config.name()),
            completion::cell(figures, config),
            every(MetricId::RecallAll),
            every(MetricId::SavingsTruncateRecall),
            every(MetricId::SavingsTruncateEqual),
            every(MetricId::RandomDropAll),
            every(MetricId::OracleAll),
            Cell { text: of_all, ..Cell::count(known as usize) },
        ]
    });
    let titles = "Configuration|Sessions completed|#Recall of all needs|#Truncation's|\
                  #Beside it (points)|#Dropped at random|#Best choice (bound)|#n, of all";
    Table::of("Yardsticks at equal tokens, over all needs", titles.split('|'), rows)
}
