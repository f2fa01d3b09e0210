//! The floor by family of sessions.

mod charts;
pub mod family;
pub mod verdict;

use super::composition;
use super::prelude::*;
use crate::measure::floor::{FloorSeries, LinearGrowth};
use family::{Family, Probed, named};
use verdict::FloorVerdict;

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let families: Vec<Family> =
        figures.families().into_iter().map(|name| Family { figures, name }).collect();
    let probed: Vec<(&Family, &Config)> = families
        .iter()
        .flat_map(|family| family.probed().into_iter().map(move |config| (family, config)))
        .collect();
    if probed.is_empty() {
        return Ok(None);
    }
    let parts = charts::parts(figures)?
        .table("verdicts", verdicts(&probed))
        .table("against", against(&probed))
        .table("slopes", slopes(figures, &probed))
        .table("growth", growth(&probed))
        .table("sizes", sizes(&probed))
        .table("composition", composition::table(figures, &probed));
    Ok(Some(parts))
}

fn verdicts(probed: &[Probed]) -> Table {
    let rows = probed.iter().map(|one| {
        let (family, config) = one;
        let laws = FloorSeries::ALL.map(|series| law(&family.figure(config, series.growth())));
        named(one).into_iter().chain(judged(family, config)).chain(laws).collect()
    });
    let titles = "Configuration|Family|Verdict|#Sessions|#Lengths|#Rise missed under|\
                  Law of one pass|Law of low water";
    Table::of("Verdicts on the floor", titles.split('|'), rows)
}

/// Slopes less those of the reference, where the configuration's file names one.
fn against(probed: &[Probed]) -> Table {
    let beside =
        |(family, config): &Probed| family.figure(config, FloorSeries::OnePass.slope_difference());
    let is_named = |one: &&Probed| {
        matches!(beside(one).basis, Basis::Beside { .. } | Basis::ReferenceNotDriven { .. })
    };
    let rows = probed.iter().filter(is_named).map(|one| {
        let differences = FloorSeries::ALL.map(|series| {
            let found = one.0.figure(one.1, series.slope_difference());
            let is_known = found.value.is_some();
            if is_known { Cell::estimate(&found, number::change) } else { Cell::undefined("") }
        });
        named(one).into_iter().chain([reference(&beside(one))]).chain(differences).collect()
    });
    let titles = "Configuration|Family|Reference|#One pass, less the reference's [95 %]|\
                  #Low water, less the reference's [95 %]";
    Table::of("Slopes against the reference, tokens a turn", titles.split('|'), rows)
}

/// The verdict, the sessions and lengths that it rests on, and the rise that it could have missed.
fn judged(family: &Family, config: &Config) -> [Cell; 4] {
    let Some(verdict) = FloorVerdict::of(family.figures, family.name, config) else {
        let found = family.figure(config, MetricId::FloorVerdict);
        let why = found.why_or("the family has one length only");
        return [
            Cell::undefined(&why),
            Cell::undefined(""),
            Cell::undefined(""),
            Cell::undefined(""),
        ];
    };
    let (sessions, lengths) = verdict.rests_on();
    let text = Cell::text(&verdict.text);
    let text =
        if verdict.small { text.noted("fewer than eight sessions: an indication") } else { text };
    let missed = Cell::number(verdict.missed.map(f64::ceil), number::count, "");
    [text, Cell::count(sessions), Cell::count(lengths), missed]
}

/// Slopes with what they are made of, under the main summarizer and its brackets side by side.
fn slopes(figures: &Figures, probed: &[Probed]) -> Table {
    let summarizers = bracketing(figures);
    let rows = probed.iter().map(|one| {
        let (family, config) = one;
        let of = |summarizer: &str, metric| {
            figures.in_family_under(family.name, config, summarizer, metric)
        };
        let slope = |summarizer: &str, series: FloorSeries| {
            Cell::estimate(&of(summarizer, series.slope()), number::change)
        };
        let all = FloorSeries::ALL
            .into_iter()
            .flat_map(|series| summarizers.iter().map(move |name| (series, *name)))
            .map(|(series, name)| slope(name, series));
        named(one).into_iter().chain(all).collect()
    });
    let under =
        |what: &'static str| summarizers.iter().map(move |name| format!("#{what}, {name} [95 %]"));
    let names = ["Configuration", "Family"].map(str::to_owned).into_iter();
    let titles = names.chain(under("One pass")).chain(under("Low water"));
    Table::of("Slopes of the floor, tokens a turn", titles, rows)
}

/// What one pass grows by under the main summarizer, and when it fills the window.
fn growth(probed: &[Probed]) -> Table {
    let rows = probed.iter().map(|one| {
        let of = |metric| one.0.figure(one.1, metric);
        let more = [
            Cell::figure(&of(MetricId::FloorBatchTokens), number::tokens),
            Cell::figure(&of(MetricId::FloorBatchesPerTurn), rate_text),
            Cell::figure(&of(MetricId::FloorEntriesPerTurn), rate_text),
            Cell::estimate(&of(FloorSeries::OnePass.horizon()), |turn| number::count(turn.round())),
        ];
        named(one).into_iter().chain(more).collect()
    });
    let titles = "Configuration|Family|#Tokens a summary|#Summaries a turn|#Entries a turn|\
                  #Window full at turn [95 %]";
    Table::of("What the floor grows by", titles.split('|'), rows)
}

/// `empty`, the main summarizer and `perfect`, as far as the run has them.
fn bracketing<'a>(figures: &Figures<'a>) -> Vec<&'a str> {
    let main = figures.main;
    let driven = &figures.run.manifest.summarizers;
    let is_driven = |name: &&str| *name == main || driven.iter().any(|other| other == name);
    each_once(["empty", main, "perfect"].into_iter().filter(is_driven))
}

fn sizes(probed: &[Probed]) -> Table {
    const NOT_COUNTED: &str = "not counted: no session was probed to its end";
    let rows = probed.iter().map(|one| {
        let (family, config) = one;
        let longest = family.longest(config);
        let size = |metric, write: Write, why| {
            Cell::number(family.figures.mean(&longest, metric).value, write, why)
        };
        let sizes = [
            size(MetricId::FloorOnePass, number::tokens, "no session of the longest was probed"),
            size(MetricId::FloorLowWater, number::tokens, "nothing fired in the longest"),
            size(MetricId::FloorGoalBatches, number::count, NOT_COUNTED),
            size(MetricId::FloorUsersLeft, number::count, NOT_COUNTED),
            size(MetricId::FloorOwnerless, number::count, NOT_COUNTED),
            size(MetricId::FloorGoalsAbsorbed, number::count, "not counted in this run"),
        ];
        named(one).into_iter().chain(sizes).collect()
    });
    let titles = "Configuration|Family|#One pass|#Low water|#Goal batches made|#Users left|\
                  #Ownerless left|#Live goals absorbed";
    Table::of("Floor of the longest sessions", titles.split('|'), rows)
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
