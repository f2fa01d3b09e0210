//! The first screen: the answer in a sentence, three tiles, the first table and the first chart.

use super::apart::{self, Apart};
use super::figures::FEW_NEEDS;
use super::floors::verdict::FloorSign;
use super::prelude::*;
use super::rules::Requests;
use super::standing::{self, Standing};
use super::{adversaries, curve, faults, orders, stretch};
use crate::frame::CellState;
use crate::measure::Sign;

/// Fewer sessions than this allow no firm claim.
const ENOUGH: usize = 8;
/// A configuration that costs less than this part of the one to use is named beside it.
const CHEAPER: f64 = 0.8;

pub fn parts(figures: &Figures) -> Result<Parts> {
    let all = standing::all(figures);
    let safe = standing::safe(figures, &all);
    let first = safe.first().copied();
    let mut parts = Parts::default();
    let apart = apart::apart(figures).map(|apart| {
        let Apart { table, otherwise, most } = apart;
        context! { table => parts.place(table), otherwise, most }
    });
    let parts = adversaries::banners(figures, parts)
        .value("apart", apart)
        .value("unfinished", unfinished(figures))
        .value("driven", all.iter().any(|one| one.is_contestant() && one.completed.1 > 0))
        .value("asks", figures.run.manifest.asks)
        .value("offline", figures.run.manifest.offline)
        .value("model", figures.run.manifest.called(figures.main))
        .value("sessions", figures.sessions())
        .value("needs", needs(figures, &all))
        .value("few_needs", FEW_NEEDS)
        .value("safe", safe.len())
        .value("best", first.map(told))
        .value("nearest", standing::nearest(&all).map(told))
        .value("cheaper", first.and_then(|first| cheaper(first, &safe)).map(told))
        .value("avoid", avoid(&all, safe.is_empty()))
        .value("sure", first.map(|first| sure(figures, first, safe.get(1).copied())))
        .value("floors", floors(&all))
        .value("beside_recorded", beside_recorded(figures, &all))
        .value("order", orders::spread(figures))
        .value("faults", faults::counts(figures))
        .table("standing", standing::table(figures, &all));
    curve::prices(figures, &all, parts)
}

/// Cells without figures: those that failed, those that the model left unanswered, and all.
fn unfinished(figures: &Figures) -> Option<Value> {
    let cells = &figures.run.manifest.cells;
    let count = |is: fn(&CellState) -> bool| cells.iter().filter(|cell| is(&cell.state)).count();
    let unanswered = count(|state| matches!(state, CellState::Unanswered(_)));
    let failed = count(CellState::is_failed) - unanswered;
    (failed + unanswered > 0).then(|| context! { failed, unanswered, all => cells.len() })
}

/// Needs from a window back over all sessions: the same for every configuration.
fn needs(figures: &Figures, all: &[Standing]) -> f64 {
    all.iter().map(|one| super::figures::needs(figures.cells(one.config))).fold(0.0, f64::max)
}

/// What templates say of a configuration.
fn told(one: &Standing) -> Value {
    let [complete, of] = [one.completed.0, one.completed.1];
    context! {
        config => one.config.name(),
        recall => one.recall.value,
        interval => one.recall.interval.filter(|(low, high)| low < high),
        price => one.price.value,
        complete, of,
        some_refuse => matches!(one.requests, Requests::SomeRefuse(_)),
    }
}

/// The safe one that costs least, where it costs clearly less than the one to use.
fn cheaper<'s, 'b>(first: &Standing, safe: &[&'s Standing<'b>]) -> Option<&'s Standing<'b>> {
    let price = |one: &Standing| one.price.value.unwrap_or(f64::MAX);
    let least = safe.iter().copied().min_by(|one, other| price(one).total_cmp(&price(other)))?;
    (price(least) < CHEAPER * price(first)).then_some(least)
}

/// The most tempting configuration that is not safe, why, and how many more there are. Where none
/// is safe, the one that is farthest from it.
fn avoid(all: &[Standing], none_is_safe: bool) -> Option<Value> {
    let unsafe_ones = standing::unsafe_ones(all);
    let first = match none_is_safe {
        true => all.iter().rfind(|one| one.is_contestant() && !one.is_safe())?,
        false => unsafe_ones.first()?,
    };
    let (complete, all) = first.completed;
    // What befalls most sessions.
    let why = match first.requests {
        Requests::Refused(_, [found, of]) if found > all - complete => {
            context! { kind => "refused", found, of }
        }
        Requests::Hide(_, [found, of]) if found > all - complete => {
            context! { kind => "hides", found, of }
        }
        _ => context! { kind => "ends" },
    };
    Some(context! { why, one => told(first), more => unsafe_ones.len() - 1 })
}

/// Whether another strategy would have done better than what was really done: what the recording
/// remembers, those shown to remember more, and the one whose lead is largest.
fn beside_recorded(figures: &Figures, all: &[Standing]) -> Option<Value> {
    let recorded = all.iter().find(|one| one.config.pipeline == "recorded")?;
    let remembers = recorded.recall.value?;
    let mut others: Vec<(f64, Value, bool)> = Vec::new();
    for one in all.iter().filter(|one| one.is_contestant() && figures.ranks(one.config)) {
        if one.config == recorded.config {
            continue;
        }
        let Some(lead) = standing::difference(figures, one.config, recorded.config) else {
            continue;
        };
        let interval = lead.interval(0.95);
        let (low, high) = interval.map_or((None, None), |own| (Some(own.low), Some(own.high)));
        let told = context! { config => one.config.name(), mean => lead.mean, low, high };
        others.push((lead.mean, told, interval.is_some_and(|own| own.is_above(0.0))));
    }
    others.sort_by(|one, other| other.0.total_cmp(&one.0));
    let nearest = others.first().map(|one| one.1.clone());
    let better = others.into_iter().filter(|one| one.2).map(|one| one.1);
    Some(context! { remembers, better => better.collect::<Vec<Value>>(), nearest })
}

/// How far the first place can be relied on.
fn sure(figures: &Figures, first: &Standing, second: Option<&Standing>) -> Value {
    let lead = second.and_then(|second| {
        let lead = standing::difference(figures, first.config, second.config)?;
        Some((lead.mean, lead.interval(0.95)?, lead.units))
    });
    let is_ahead = lead.is_some_and(|(_, interval, _)| interval.is_above(0.0));
    let signs = second.map_or_else(Vec::new, |second| figures.signs(first.config, second.config));
    let stretch = second.and_then(|one| stretch::between(figures, first.config, one.config));
    let depends = match &stretch {
        Some(stretch) => stretch.turns(),
        None => signs.contains(&Sign::SummarizerDependent),
    };
    let compared = stretch.is_some() || !signs.is_empty();
    let few = figures.sessions() < ENOUGH;
    let level = match () {
        () if few || depends || !is_ahead => "low",
        () if figures.run.manifest.offline || !compared => "medium",
        () => "high",
    };
    let lead = lead.map(|(mean, interval, pairs)| {
        context! { mean, low => interval.low, high => interval.high, pairs }
    });
    let second = second.map(|second| second.config.name());
    context! { level, lead, second, is_ahead, depends, few, compared }
}

/// Contestants by what their floors do.
fn floors(all: &[Standing]) -> Value {
    let judged: Vec<&Standing> = all.iter().filter(|one| one.floor.is_some()).collect();
    let named = |sign: FloorSign| -> Vec<String> {
        let own = judged.iter().filter(|one| one.floor == Some(sign));
        own.map(|one| one.config.name()).collect()
    };
    context! {
        judged => judged.len(),
        rises => named(FloorSign::Rises),
        stays => named(FloorSign::Stays),
    }
}
