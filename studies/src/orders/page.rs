//! The page of the order study, as Markdown.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use proctor_core::error::{Error, Result};
use proctor_eval::measure::MetricId;
use proctor_eval::stats::resample::Difference;

use super::figure::Figure;
use super::firing::{self, Firing};
use super::{Comparison, LEVEL, Order, Set, Standing, Swap, Verdict, sets};
use crate::run::Run;
use crate::table::{Table, finished, line, number, percent, row, with_ends};

const MODES: [&str; 3] = ["deployed", "forced", "reactive"];
const METHOD: &str = include_str!("../../data/orders-method.md");
const EVERY_ORDER: &str = include_str!("../../data/orders-every.md");
const NEIGHBOURS: &str = include_str!("../../data/orders-neighbours.md");
const PLACES: &str = include_str!("../../data/orders-places.md");
const NONE: &str = "–";

struct Found<'a> {
    set: &'a Set<'a>,
    firings: Vec<Firing<'a>>,
    comparisons: Vec<Comparison>,
    swaps: Vec<Swap<'a>>,
}

/// Compares the orders of a recorded run, which must have two orders of the same stages.
pub fn page(run: &Run) -> Result<String> {
    let frame = run.data.frame();
    let mut windows: BTreeMap<_, Vec<Found>> = BTreeMap::new();
    let sets = sets(run, run.main_summarizer());
    for set in &sets {
        let firings = set.firings(&run.data.derived, &frame);
        let (comparisons, swaps) = (set.comparisons(&frame, &firings), set.swaps(&firings));
        let found = Found { set, firings, comparisons, swaps };
        if !found.comparisons.is_empty() {
            windows.entry(found.set.window).or_default().push(found);
        }
    }
    if windows.is_empty() {
        let why =
            "no two orders of the same stages were driven; `proctor run orderings` drives them";
        return Err(Error::invalid("the run", why));
    }
    let title = "Orders of stages: does it matter which comes first?";
    let mut page = run.page(title, "orders", METHOD);
    let several = windows.len() > 1;
    for (window, mut found) in windows {
        found.sort_by_key(|one| MODES.iter().position(|mode| *mode == one.set.mode).unwrap_or(3));
        if let Some(size) = window.filter(|_| several) {
            line(&mut page, &format!("## Window of {} tokens\n", number(size.as_f64())));
        }
        sections(&mut page, run, &found);
    }
    Ok(finished(page))
}

fn sections(page: &mut String, run: &Run, found: &[Found]) {
    for one in found {
        line(page, &format!("- **{}**", lead(one)));
    }
    line(page, "");
    page.push_str(&spreads(found).markdown());
    aliases(page, run, found);
    let alike = |one: &&Found| one.comparisons.iter().all(|one| one.columns.are_alike());
    for one in found.iter().filter(|one| !alike(one)) {
        line(page, &format!("### Every order, {}\n", one.set.mode));
        line(page, EVERY_ORDER);
        page.push_str(&every_order(one).markdown());
    }
    line(page, "### Neighbours that do not commute\n");
    line(page, NEIGHBOURS);
    let table = noncommuting(found);
    match table.is_empty() {
        true => line(page, "No pair of neighbours is shown not to commute.\n"),
        false => page.push_str(&table.markdown()),
    }
    page.push_str(&unchanged(found).markdown());
    let table = places(found);
    if !table.is_empty() {
        line(page, "### What a place is worth\n");
        line(page, PLACES);
        page.push_str(&table.markdown());
    }
}

fn written(figure: Figure, found: Option<&Difference>) -> Option<String> {
    found.map(|found| with_ends(found.mean, found.interval, |value| figure.change(value)))
}

fn lead(found: &Found) -> String {
    let when = match found.set.mode {
        "deployed" => "As deployed",
        "forced" => "Forced at the same points",
        "reactive" => "Reactively, when the window is full",
        other => other,
    };
    let titles = |wanted: &dyn Fn(&Comparison) -> bool| {
        let named = found.comparisons.iter().filter(|one| wanted(one));
        let named = named.map(|one| one.columns.figure.title.to_lowercase());
        named.collect::<Vec<String>>().join(", ")
    };
    let matters = titles(&|one| one.verdict == Verdict::Matters);
    let untested = firing::untested(&found.firings);
    let small = titles(&|one| {
        let open = matches!(one.verdict, Verdict::WithinMargin | Verdict::Open);
        open && one.p.is_some_and(|p| p <= LEVEL)
    });
    let alike = titles(&|one| one.verdict == Verdict::Alike);
    let mut text = match (matters.as_str(), &untested) {
        ("", Some(untested)) => format!("{when}, {untested}"),
        ("", None) => format!("{when}, order is not shown to matter"),
        (named, None) => format!("{when}, order matters for {named}"),
        (named, Some(rest)) => format!("{when}, order matters for {named}; all else {rest}"),
    };
    if !small.is_empty() {
        text.push_str(&format!("; a difference not shown to exceed its margin: {small}"));
    }
    if !alike.is_empty() {
        text.push_str(&format!("; all orders are alike in {alike}"));
    }
    let fired = firing::told(&found.firings);
    if !fired.is_empty() {
        text.push_str(&format!(". {fired}"));
    }
    text + "."
}

fn spreads(found: &[Found]) -> Table {
    let mut head = vec!["figure".to_owned()];
    let mut figures: Vec<Figure> = Vec::new();
    for Found { set, comparisons, .. } in found {
        head.extend([
            format!("#{}: best less worst [95 %]", set.mode),
            format!("{}: does order matter?", set.mode),
            format!("#{}: n", set.mode),
        ]);
        for one in comparisons {
            if !figures.iter().any(|known| known.metric == one.columns.figure.metric) {
                figures.push(one.columns.figure);
            }
        }
    }
    let mut table = Table::new("How much the order matters", &head);
    for figure in figures {
        let cells = found.iter().flat_map(|one| {
            let mut own = one.comparisons.iter();
            let own = own.find(|own| own.columns.figure.metric == figure.metric);
            let none = || NONE.to_owned();
            [
                own.and_then(|own| written(figure, own.spread.as_ref())).unwrap_or_else(none),
                own.map_or_else(none, |own| verdict(own, &one.firings)),
                own.map_or_else(none, |own| own.columns.sessions.to_string()),
            ]
        });
        table.push([figure.title.to_owned()].into_iter().chain(cells));
    }
    table
}

fn verdict(one: &Comparison, firings: &[Firing]) -> String {
    let word = match one.verdict {
        Verdict::NotTested => return firing::untested(firings).unwrap_or_default(),
        Verdict::Matters => "**matters**",
        Verdict::WithinMargin => "within the margin",
        Verdict::Alike => return "alike".to_owned(),
        Verdict::Open => "open",
    };
    one.p.map_or_else(|| word.to_owned(), |p| format!("{word}, p {}", chance(p)))
}

/// A p-value: `0.032`, `<0.001`.
fn chance(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

/// Orders that are another pipeline under a name of their own.
fn aliases(page: &mut String, run: &Run, found: &[Found]) {
    let aliases = &run.data.manifest.aliases;
    let orders = found.iter().take(1).flat_map(|one| &one.set.orders);
    let names = orders.filter_map(|order| {
        let name = &order.named.name;
        aliases.get(name).map(|target| format!("`{name}` is `{target}`"))
    });
    let names: Vec<String> = names.collect();
    if !names.is_empty() {
        line(page, &format!("Equal plans run once: {}.\n", names.join("; ")));
    }
}

fn every_order(found: &Found) -> Table {
    let titles = found.comparisons.iter().map(|one| format!("#{}", one.columns.figure.title));
    let head: Vec<String> = ["order".to_owned()].into_iter().chain(titles).collect();
    let mut table = Table::new("", &head);
    for place in sorted(found) {
        let cells = found.comparisons.iter().map(|one| {
            let (figure, (mean, beside, standing)) = (one.columns.figure, &one.orders[place]);
            let beside = || written(figure, beside.as_ref()).unwrap_or_default();
            match standing {
                Standing::Best => mean.map(|mean| figure.value(mean.mean)).unwrap_or_default(),
                Standing::Identical => "=".to_owned(),
                Standing::Worse => format!("**{}**", beside()),
                Standing::WithinMargin | Standing::Open => beside(),
            }
        });
        let name = found.set.orders[place].named.stages.join(", ");
        table.push([name].into_iter().chain(cells));
    }
    table
}

/// Orders that were driven under a name of their own or of a named pipeline: by completion,
/// then recall at need, then dollars; the best first.
fn sorted(found: &Found) -> Vec<usize> {
    let orders = &found.set.orders;
    let is_twice = |order: &Order| {
        order.driven != order.named.name && orders.iter().any(|own| own.named.name == order.driven)
    };
    let mut all: Vec<usize> =
        (0..orders.len()).filter(|place| !is_twice(&orders[*place])).collect();
    let mean = |metric: MetricId, place: usize| {
        let one = found.comparisons.iter().find(|one| one.columns.figure.metric == metric)?;
        one.orders[place].0.map(|mean| mean.mean)
    };
    let rank = |place: usize| {
        let [completion, recall] = [MetricId::Completion, MetricId::RecallAtNeed]
            .map(|metric| -mean(metric, place).unwrap_or(0.0));
        [completion, recall, mean(MetricId::CostUsd, place).unwrap_or(f64::MAX)]
    };
    all.sort_by(|one, other| {
        let pairs = rank(*one).into_iter().zip(rank(*other));
        pairs.fold(Ordering::Equal, |order, (one, other)| order.then(one.total_cmp(&other)))
    });
    all
}

fn noncommuting(found: &[Found]) -> Table {
    let head = ["mode", "first", "then", "figure", "#difference [95 %]", "#p (Holm)", "#n"];
    let mut table = Table::new("Neighbours that do not commute", &head);
    for Found { set, comparisons, swaps, .. } in found {
        let effects: Vec<_> =
            comparisons.iter().map(|one| set.effects(swaps, &one.columns)).collect();
        for (number, swap) in swaps.iter().enumerate() {
            for (comparison, effects) in comparisons.iter().zip(&effects) {
                let (figure, (difference, p)) = (comparison.columns.figure, &effects[number]);
                let shown = difference.as_ref().filter(|_| *p <= LEVEL);
                if let Some(difference) = shown {
                    table.push(row![
                        set.mode,
                        format!("`{}`", swap.first),
                        format!("`{}`", swap.second),
                        figure.title,
                        written(figure, Some(difference)).unwrap_or_default(),
                        chance(*p),
                        difference.pairs,
                    ]);
                }
            }
        }
    }
    table
}

/// The share of sessions in which a swap changes nothing that is measured.
fn unchanged(found: &[Found]) -> Table {
    let modes = found.iter().map(|one| format!("#{}", one.set.mode));
    let head: Vec<String> = ["neighbours".to_owned()].into_iter().chain(modes).collect();
    let mut table =
        Table::new("Sessions in which swapping two neighbours changes no figure at all", &head);
    // A mode in which some stage never fired has fewer of them.
    let Some(most) = found.iter().max_by_key(|one| one.swaps.len()) else { return table };
    for swap in &most.swaps {
        let cell = |one: &Found| {
            let mut own = one.swaps.iter();
            let own = own.find(|own| (own.first, own.second) == (swap.first, swap.second))?;
            let (same, all) = one.set.alike(own);
            let share = percent(same as f64 / all as f64);
            (all > 0).then(|| format!("{share} ({same} of {all})"))
        };
        let name = format!("`{}`, `{}`", swap.first, swap.second);
        let cells = found.iter().map(|one| cell(one).unwrap_or_else(|| NONE.to_owned()));
        table.push([name].into_iter().chain(cells));
    }
    table
}

fn places(found: &[Found]) -> Table {
    let stages = found.first().map_or(0, |one| one.set.orders[0].named.stages.len());
    let mut head = vec!["mode".to_owned(), "figure".to_owned(), "stage".to_owned()];
    head.extend((1..=stages).map(|place| format!("#at place {place}")));
    let mut table = Table::new("What a place is worth", &head);
    for Found { set, comparisons, firings, .. } in found {
        let is_idle = |stage: &str| firing::is_idle(stage, firings);
        for one in comparisons.iter().filter(|one| one.verdict == Verdict::Matters) {
            let figure = one.columns.figure;
            for stage in set.orders[0].named.stages.iter().filter(|stage| !is_idle(stage)) {
                let cell = |place| written(figure, set.place(&one.columns, stage, place).as_ref());
                let cells = (0..stages).map(|place| cell(place).unwrap_or_else(|| NONE.to_owned()));
                let name = [set.mode.to_owned(), figure.title.to_owned(), format!("`{stage}`")];
                table.push(name.into_iter().chain(cells));
            }
        }
    }
    table
}
