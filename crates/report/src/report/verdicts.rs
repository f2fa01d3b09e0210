//! The table of all figures, and what lies beside recall against tokens.

use super::by_scenario;
use super::configurations;
use super::prelude::*;
use super::{curve, rules};
use crate::truth::FactKind;

/// Where savings net and savings effective are in the table.
const NET_AND_EFFECTIVE: [usize; 2] = [3, 4];

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let mut table = figures_of_each(figures);
    let [net, effective] = NET_AND_EFFECTIVE;
    let one_saving = table.drop_repeated(effective, net, number::share);
    let inferred = figures.shown().filter(|config| config.inferred);
    Ok(Some(
        Parts::default()
            .value("representatives", &figures.representatives)
            .value("inferred", each_once(inferred.map(|config| config.pipeline.as_str())))
            .value("ranks_inferred", figures.ranks_inferred)
            .value("one_saving", one_saving)
            .value("without_needs", by_scenario::without_needs(figures))
            .value("rules", rules::meanings(figures))
            .table("verdicts", table),
    ))
}

/// Recall against tokens: the curve, swept limits, and truncation at the same mean prompt.
pub fn curve(figures: &Figures) -> Result<Option<Parts>> {
    let parts = Parts::default().value("costlier", costlier(figures));
    let parts = parts.table("sweep", sweep(figures)).table("beside", beside(figures));
    Ok(Some(curve::parts(figures, parts)?))
}

/// Cutting that costs more than sending everything though it cuts rarely. Cutting to the limit at
/// nearly every call loses the cache each time: it is no measure of what cutting costs.
fn costlier(figures: &Figures) -> Option<String> {
    let dollars = |config: &Config| figures.value(config, MetricId::CostUsd);
    let control = figures.shown().find(|config| config.is_control()).and_then(dollars)?;
    let costlier = figures.shown().find(|config| {
        config.pipeline == "truncate-hysteresis"
            && completes(figures, config)
            && dollars(config).is_some_and(|own| own > control)
    })?;
    Some(costlier.name())
}

fn figures_of_each(figures: &Figures) -> Table {
    let rows = figures.shown().map(|config| {
        let [fatal, other] = rules::cells(figures, config);
        vec![
            configurations::linked(figures, config),
            completion::ends(figures, config),
            up_to_the_end(figures, config, MetricId::TokensMeanPrompt),
            saving(figures, config, MetricId::SavingsNet),
            saving(figures, config, MetricId::SavingsEffective),
            up_to_the_end(figures, config, MetricId::CostUsd),
            estimate(figures, config, MetricId::CostPerGoal),
            mean(figures, config, MetricId::DemandsAtNeed),
            mean(figures, config, MetricId::RecallAtNeedUnder025),
            mean(figures, config, MetricId::RecallAtNeedUnder1),
            mean(figures, config, MetricId::RecallIrreplaceable),
            claims(figures, config),
            worst_kind(figures, config),
            fatal,
            other,
        ]
    });
    let titles = "Configuration|Sessions ended by|#Mean prompt (tokens)|#Savings net|\
                  #Savings effective|#Dollars a session|#Dollars a goal [95 %]|+#Far needs a session|\
                  +#Recall, under 1/4 window|+#Recall, under 1 window|+#Recall, irreplaceable|\
                  +#True claims|+Kind kept least|+Fatal rules broken|+Other rules broken";
    Table::of("All figures of each configuration", titles.split('|'), rows)
}

/// Of what its summaries say of facts, the share that is so.
fn claims(figures: &Figures, config: &Config) -> Cell {
    Cell::figure(&figures.figure(config, MetricId::SummaryPrecision), number::share)
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
