//! The pages: what stands on each.

use super::prelude::*;
use rayon::prelude::*;

use super::verdict::since_yesterday;
use super::{finding, night, plot};
use crate::history::night::direction;
use crate::history::series::contestant;
use crate::measure::Direction;

const SHOWN: usize = 6;
const LISTED: usize = 30;
/// Changes below their margins that are told one by one.
const SMALL_SHOWN: usize = 30;

fn heading(metric: &str, count: usize) -> Value {
    context! {
        metric,
        anchor => book::anchor(metric),
        unit => unit(metric),
        better => match direction(metric) {
            Direction::Higher => "more is better",
            Direction::Lower => "less is better",
            Direction::Neither => "neither way is better",
        },
        definition => definition(metric),
        count,
    }
}

type File = (String, String);

pub fn all(book: &Book, verdict: &Value, markup: &Markup) -> Result<Vec<File>> {
    let index = markup.render("index.html", index(book, verdict))?;
    let mut files = vec![("index.html".to_owned(), index)];
    let contestants: Vec<Contestant> = book.contestants().into_iter().collect();
    let configurations = contestants.par_iter().map(|one| {
        let text = markup.render("configuration.html", configuration(book, *one))?;
        Ok((book::configuration_page(*one), text))
    });
    files.extend(configurations.collect::<Result<Vec<File>>>()?);
    let names: Vec<&str> = book.scenarios().into_iter().collect();
    let scenarios = names.par_iter().map(|name| {
        let text = markup.render("scenario.html", scenario(book, name))?;
        Ok((book::scenario_page(name), text))
    });
    files.extend(scenarios.collect::<Result<Vec<File>>>()?);
    Ok(files)
}

fn contestant_of(finding: &Finding) -> Contestant<'_> {
    (&finding.key.configuration, &finding.key.mode)
}

/// What every page has, `root` leading from it to the root of the site.
fn frame(book: &Book, title: &str, root: &str) -> Value {
    let last = book.last();
    context! {
        title,
        suite => book.suite(),
        root,
        date => last.date.as_str(),
        nights => book.nights.len(),
        first => book.date(0),
        tool => &last.tool,
        run => &last.run.0,
        summarizer => &last.summarizer,
        offline => last.offline,
        shown_from => book.date(book.nights.len().saturating_sub(super::WINDOW)),
    }
}

fn views<'c>(book: &Book, findings: impl Iterator<Item = &'c Finding>) -> Vec<Value> {
    findings.map(|one| finding::view(book, one)).collect()
}

fn index(book: &Book, verdict: &Value) -> Value {
    let of = |is: fn(&State) -> bool| book.findings.iter().filter(move |one| is(&one.state));
    let acknowledged = of(|state| matches!(state, State::Acknowledged(_)));
    let shown = |one: &Finding| {
        let series = book.series_of(&one.key);
        let plot = series.and_then(|series| plot::around(book, series, one.night));
        context! { finding => finding::view(book, one), plot }
    };
    let configurations = book.contestants().into_iter().map(|one| {
        let count = book.announced().filter(|found| contestant_of(found) == one).count();
        context! { name => contestant(one.0, one.1), href => book::configuration_page(one), count }
    });
    let scenarios = book.scenarios().into_iter().map(|name| {
        let count = book.findings_on(name).count();
        context! { name, href => book::scenario_page(name), count }
    });
    let trends = book.metrics().into_iter().map(|metric| {
        let own = |one: &&Finding| one.key.metric == metric && one.key.scenario.is_none();
        let count = book.announced().filter(own).count();
        context! {
            heading => heading(metric, count),
            multiples => multiples(book, metric, None, ""),
        }
    });
    let (marked, marked_before) = night::marked(book);
    context! {
        frame => frame(book, &format!("Compaction nights: {}", book.suite()), ""),
        verdict,
        since => since_yesterday(book),
        changes => book.announced().take(SHOWN).map(shown).collect::<Value>(),
        further => views(book, book.announced().skip(SHOWN)),
        acknowledged => views(book, acknowledged),
        below => few(views(book, of(|state| *state == State::Small)), SMALL_SHOWN),
        trends => trends.collect::<Value>(),
        configurations => configurations.collect::<Value>(),
        scenarios => scenarios.collect::<Value>(),
        marked,
        marked_before,
        listed => night::listed(book),
        is_gated => book.nights.iter().any(|night| night.gate.is_some()),
    }
}

fn configuration(book: &Book, one: Contestant) -> Value {
    let name = contestant(one.0, one.1);
    let metrics = book.metrics().into_iter();
    let mut metrics: Vec<(usize, Value)> =
        metrics.filter_map(|metric| full(book, metric, one)).collect();
    // Stable: figures with findings lead, each group in the usual order.
    metrics.sort_by_key(|(found, _)| *found == 0);
    let own = book.findings.iter().filter(|found| contestant_of(found) == one);
    let (acknowledged, own): (Vec<&Finding>, Vec<&Finding>) =
        own.filter(|found| found.state != State::Small).partition(|found| !found.is_announced());
    context! {
        frame => frame(book, &format!("{name}: compaction nights"), "../"),
        found => views(book, own.into_iter()),
        acknowledged => views(book, acknowledged.into_iter()),
        metrics => metrics.into_iter().map(|(_, full)| full).collect::<Value>(),
        name,
    }
}

fn scenario(book: &Book, name: &str) -> Value {
    let trends = book.metrics().into_iter().filter_map(|metric| {
        let found = book.findings_on(name).filter(|one| one.key.metric == metric).count();
        let multiples = multiples(book, metric, Some(name), "../");
        let some = !multiples.is_empty();
        some.then(|| (found, context! { heading => heading(metric, found), multiples }))
    });
    let mut trends: Vec<(usize, Value)> = trends.collect();
    trends.sort_by_key(|(found, _)| *found == 0);
    context! {
        frame => frame(book, &format!("{name}: compaction nights"), "../"),
        found => views(book, book.findings_on(name)),
        trends => trends.into_iter().map(|(_, trend)| trend).collect::<Value>(),
        name,
    }
}

fn series<'b>(
    book: &'b Book,
    metric: &str,
    one: Contestant,
    scenario: Option<&str>,
) -> Option<&'b Series> {
    let key = Key {
        metric: metric.to_owned(),
        configuration: one.0.to_owned(),
        mode: one.1.to_owned(),
        scenario: scenario.map(str::to_owned),
    };
    book.series_of(&key)
}

/// Charts of a metric on a scenario or over all of them, one for every configuration.
fn multiples(book: &Book, metric: &str, scenario: Option<&str>, root: &str) -> Vec<Value> {
    let multiple = |one: Contestant| {
        let series = series(book, metric, one, scenario)?;
        let plot = plot::plot(book, series, plot::SMALL)?;
        let href = format!("{root}{}", book::place_of(&series.key));
        Some(context! { name => contestant(one.0, one.1), href, plot })
    };
    book.contestants().into_iter().filter_map(multiple).collect()
}

/// A metric of one configuration, in full, and the number of its findings.
fn full(book: &Book, metric: &str, one: Contestant) -> Option<(usize, Value)> {
    let pooled = series(book, metric, one, None)?;
    let own = |found: &&Finding| found.key.metric == metric && contestant_of(found) == one;
    let found = views(book, book.announced().filter(own));
    let steps = book.findings_of(&pooled.key).filter(|found| found.state != State::Small);
    let steps: Vec<usize> = steps.map(|step| step.night).collect();
    let rows = pooled.points.iter().rev().take(LISTED).map(|point| {
        context! {
            date => book.date(point.night),
            value => figure(metric, point.mean),
            n => point.n,
            step => steps.contains(&point.night),
        }
    });
    let scenarios = book.scenarios().into_iter().filter_map(|name| {
        let plot = plot::plot(book, series(book, metric, one, Some(name))?, plot::SMALL)?;
        let href = format!("../{}#{}", book::scenario_page(name), book::anchor(metric));
        Some(context! { name, href, plot })
    });
    let full = context! {
        heading => heading(metric, found.len()),
        plot => plot::plot(book, pooled, plot::LARGE)?,
        rows => rows.collect::<Value>(),
        scenarios => scenarios.collect::<Value>(),
        found => &found,
    };
    Some((found.len(), full))
}
