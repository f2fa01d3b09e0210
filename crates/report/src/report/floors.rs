//! The floor by family of sessions.

mod charts;
pub mod verdict;

use super::composition;
use super::prelude::*;
use crate::measure::floor::{FloorSeries, LinearGrowth};
use verdict::FloorVerdict;

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let mut parts = charts::parts(figures)?;
    let mut families = Vec::new();
    for name in figures.families() {
        let family = Family { figures, name };
        let configs = family.probed();
        if configs.is_empty() {
            continue;
        }
        let content = composition::table(figures, name, |config| family.longest(config));
        families.push(context! {
            name,
            turns => figures.lengths(name),
            verdicts => parts.place(family.verdicts(&configs)),
            slopes => parts.place(family.slopes(&configs)),
            sizes => parts.place(family.sizes(&configs)),
            composition => parts.place(content),
        });
    }
    Ok(Some(parts.value("families", families)))
}

struct Family<'a> {
    figures: &'a Figures<'a>,
    name: &'a str,
}

impl<'a> Family<'a> {
    fn figure(&self, config: &Config, metric: MetricId) -> Figure {
        self.figures.in_family(self.name, config, metric)
    }

    fn probed(&self) -> Vec<&'a Config> {
        let probed = |config: &&Config| {
            self.figure(config, MetricId::FloorOnePass).value.is_some()
                || self.figure(config, MetricId::FloorVerdict).verdict().is_some()
        };
        self.figures.shown_but_control().filter(probed).collect()
    }

    fn longest(&self, config: &Config) -> Vec<&'a MeasuredCell> {
        let mut rows = self.figures.cells_where(config, |key| key.family == self.name);
        let most = rows.iter().map(|row| row.key.turns).max();
        rows.retain(|row| Some(row.key.turns) == most);
        rows
    }

    fn verdicts(&self, configs: &[&Config]) -> Table {
        let difference = |config: &Config, series: FloorSeries| {
            let found = self.figure(config, series.slope_difference());
            let is_known = found.value.is_some();
            if is_known { Cell::estimate(&found, number::change) } else { Cell::undefined("") }
        };
        let beside = |config: &Config| self.figure(config, FloorSeries::OnePass.slope_difference());
        let compares = configs.iter().any(|config| beside(config).value.is_some());
        let rows = configs.iter().map(|config| {
            let growth = |series: FloorSeries| law(&self.figure(config, series.growth()));
            let laws = FloorSeries::ALL.map(growth);
            let judged = [Cell::code(config.name()), self.judged(config)].into_iter().chain(laws);
            let differences = FloorSeries::ALL.map(|series| difference(config, series));
            let differences = differences.into_iter().filter(|_| compares);
            judged.chain([reference(&beside(config))]).chain(differences).collect()
        });
        let titles = "Configuration|Verdict|Law of one pass|Law of low water|Reference";
        let differences = "#One pass: slope less the reference's [95 %]|\
                           #Low water: slope less the reference's [95 %]";
        let differences = differences.split('|').filter(|_| compares);
        let caption = format!("Verdicts on the floor in sessions of family {}", self.name);
        Table::of(caption, titles.split('|').chain(differences), rows)
    }

    fn judged(&self, config: &Config) -> Cell {
        match FloorVerdict::of(self.figures, self.name, config) {
            None => {
                let found = self.figure(config, MetricId::FloorVerdict);
                Cell::undefined(&found.why_or("the family has one length only"))
            }
            Some(verdict) if verdict.reason.is_empty() => verdict.cell(),
            Some(verdict) => verdict.cell().noted(&verdict.reason),
        }
    }

    /// Slopes with what they are made of, under the main summarizer and its brackets side by side.
    fn slopes(&self, configs: &[&Config]) -> Table {
        let summarizers = self.bracketing();
        let rows = configs.iter().map(|config| {
            let of = |summarizer: &str, metric| {
                self.figures.in_family_under(self.name, config, summarizer, metric)
            };
            let slope = |summarizer: &str, series: FloorSeries| {
                Cell::estimate(&of(summarizer, series.slope()), number::change)
            };
            let one_pass = |summarizer: &str| {
                let parts = [MetricId::FloorBatchTokens, MetricId::FloorBatchesPerTurn]
                    .map(|metric| of(summarizer, metric).value);
                let cell = slope(summarizer, FloorSeries::OnePass);
                match parts {
                    [Some(tokens), Some(rate)] if cell.value.is_some() => {
                        let (tokens, rate) = (number::count(tokens.round()), rate_text(rate));
                        cell.followed_by(&format!("({tokens} × {rate})"))
                    }
                    _ => cell,
                }
            };
            let horizon = self.figure(config, FloorSeries::OnePass.horizon());
            let horizon = Cell::estimate(&horizon, |turn| number::count(turn.round()));
            let entries = self.figure(config, MetricId::FloorEntriesPerTurn);
            let slopes = summarizers.iter().map(|name| one_pass(name));
            let slopes =
                slopes.chain(summarizers.iter().map(|name| slope(name, FloorSeries::LowWater)));
            let name = Cell::code(config.name());
            let more = [Cell::figure(&entries, rate_text), horizon];
            [name].into_iter().chain(slopes).chain(more).collect()
        });
        let under = |what: &str| {
            let title = |name: &&str| format!("#{what}, {name} [95 %]");
            summarizers.iter().map(title).collect::<Vec<_>>()
        };
        let before = ["Configuration".to_owned()].into_iter();
        let more = ["#Entries a turn", "#Window full at turn [95 %]"].map(str::to_owned);
        let titles = before.chain(under("One pass")).chain(under("Low water")).chain(more);
        let titles: Vec<String> = titles.collect();
        let caption = format!("Slopes of the floor in sessions of family {}", self.name);
        Table::of(caption, titles.iter().map(String::as_str), rows)
    }

    /// `empty`, the main summarizer and `perfect`, as far as the run has them.
    fn bracketing(&self) -> Vec<&'a str> {
        let main = self.figures.main;
        let driven = &self.figures.run.manifest.summarizers;
        let is_driven = |name: &&str| *name == main || driven.iter().any(|other| other == name);
        each_once(["empty", main, "perfect"].into_iter().filter(is_driven))
    }

    fn sizes(&self, configs: &[&Config]) -> Table {
        const NOT_COUNTED: &str = "not counted: no session was probed to its end";
        let rows = configs.iter().map(|config| {
            let longest = self.longest(config);
            let size = |metric, write: Write, why| {
                Cell::number(self.figures.mean(&longest, metric).value, write, why)
            };
            let absorbed =
                size(MetricId::FloorGoalsAbsorbed, number::count, "not counted in this run");
            let tone = if absorbed.value > Some(0.0) { Tone::Bad } else { absorbed.tone };
            let unprobed = "no session of the longest was probed";
            let unfired = "nothing fired in the longest as deployed";
            vec![
                Cell::code(config.name()),
                size(MetricId::FloorOnePass, number::tokens, unprobed),
                size(MetricId::FloorLowWater, number::tokens, unfired),
                size(MetricId::FloorGoalBatches, number::count, NOT_COUNTED),
                size(MetricId::FloorUsersLeft, number::count, NOT_COUNTED),
                size(MetricId::FloorOwnerless, number::count, NOT_COUNTED),
                absorbed.toned(tone),
            ]
        });
        let titles = "Configuration|#One pass, longest|#Low water, longest|\
                      #Goal batches made|#Users left|#Ownerless left|#Live goals absorbed";
        let caption = format!("Floor in sessions of family {}", self.name);
        Table::of(caption, titles.split('|'), rows)
    }
}

/// Entries a turn: so few that a second digit counts.
fn rate_text(rate: f64) -> String {
    format!("{rate:.2}")
}

/// The law that fits best, and whether growth in proportion to the turns is settled.
fn law(growth: &Figure) -> Cell {
    let settled = match growth.basis.linear_growth() {
        Some(LinearGrowth::Excluded) => ", linear excluded",
        Some(LinearGrowth::Open) => ", not settled",
        Some(LinearGrowth::Established) | None => "",
    };
    match growth.model() {
        None => Cell::undefined(&growth.why_or("too few checkpoints for a fit")),
        Some(model) => Cell::text(format!("{}{settled}", model.name())),
    }
}

fn reference(difference: &Figure) -> Cell {
    match &difference.basis {
        Basis::Beside { reference } => Cell::code(reference),
        Basis::ReferenceNotDriven { reference } => {
            Cell::text(format!("{reference}, not driven")).toned(Tone::Faint)
        }
        Basis::NoReference => Cell::text("none named").toned(Tone::Faint),
        _ => Cell::undefined(&difference.why()),
    }
}
