//! The pages: what stands on each.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::book::{self, Book, Contestant};
use super::figure::{definition, figure, unit};
use super::markup::Markup;
use super::night::{self, Listed, Marked};
use super::plot::{self, Plot};
use super::told::{self, Told, Verdict};
use super::words::Span;
use crate::error::Result;
use crate::history::night::direction;
use crate::history::{Finding, Key, Kind, Series};
use crate::measure::Direction;

/// Steps that the index shows with their charts.
const SHOWN: usize = 6;
/// Nights in tables of figures.
const LISTED: usize = 30;

/// What every page has.
#[derive(Clone, Debug, Serialize)]
struct Frame<'a> {
    title: String,
    suite: &'a str,
    /// From this page to the root of the site.
    root: &'static str,
    date: &'a str,
    nights: usize,
    first: &'a str,
    tool: &'a str,
    run: &'a str,
    summarizer: &'a str,
    offline: bool,
}

impl<'a> Frame<'a> {
    fn of(book: &Book<'a>, title: String, root: &'static str) -> Frame<'a> {
        let last = book.last();
        Frame {
            title,
            suite: book.suite(),
            root,
            date: last.date.as_str(),
            nights: book.nights.len(),
            first: book.date(0),
            tool: &last.tool,
            run: &last.run.0,
            summarizer: &last.summarizer,
            offline: last.offline,
        }
    }
}

#[derive(Clone, Debug, Serialize)]
struct Link {
    name: String,
    href: String,
    /// Findings there.
    count: usize,
}

/// One of several charts side by side.
#[derive(Clone, Debug, Serialize)]
struct Multiple {
    name: String,
    href: String,
    plot: Plot,
}

/// A metric and its charts.
#[derive(Clone, Debug, Serialize)]
struct Trends {
    metric: String,
    anchor: String,
    unit: &'static str,
    better: &'static str,
    definition: String,
    count: usize,
    multiples: Vec<Multiple>,
}

#[derive(Clone, Debug, Serialize)]
struct Shown {
    told: Told,
    plot: Option<Plot>,
}

#[derive(Clone, Debug, Serialize)]
struct Index<'a> {
    frame: Frame<'a>,
    verdict: Verdict,
    since: Vec<Span>,
    steps: Vec<Shown>,
    older: Vec<Told>,
    drifts: Vec<Shown>,
    trends: Vec<Trends>,
    configurations: Vec<Link>,
    scenarios: Vec<Link>,
    /// Nights with which something else changed, and those before them.
    marked: Vec<Marked>,
    marked_before: Vec<Marked>,
    listed: Vec<Listed>,
    /// Whether any of these was held against a baseline.
    is_gated: bool,
    span: (String, String),
}

#[derive(Clone, Debug, Serialize)]
struct Row {
    date: String,
    value: String,
    n: u32,
    step: bool,
}

/// A metric of one configuration, in full.
#[derive(Clone, Debug, Serialize)]
struct Full {
    metric: String,
    anchor: String,
    unit: &'static str,
    better: &'static str,
    definition: String,
    plot: Plot,
    found: Vec<Told>,
    rows: Vec<Row>,
    scenarios: Vec<Multiple>,
}

#[derive(Clone, Debug, Serialize)]
struct Configuration<'a> {
    frame: Frame<'a>,
    name: String,
    found: Vec<Told>,
    metrics: Vec<Full>,
    span: (String, String),
}

#[derive(Clone, Debug, Serialize)]
struct Scenario<'a> {
    frame: Frame<'a>,
    name: String,
    found: Vec<Told>,
    trends: Vec<Trends>,
    span: (String, String),
}

/// A file's path from the root, and its text.
type File = (String, String);

/// All pages.
pub(super) fn all(book: &Book, markup: &Markup) -> Result<Vec<File>> {
    let series = book.by_key();
    let mut files =
        vec![("index.html".to_owned(), markup.render("index.html", &index(book, &series))?)];
    let contestants: Vec<Contestant> = book.contestants().into_iter().collect();
    let pages = contestants.par_iter().map(|contestant| {
        let page = configuration(book, &series, *contestant);
        let text = markup.render("configuration.html", &page)?;
        Ok((book::configuration_page(*contestant), text))
    });
    files.extend(pages.collect::<Result<Vec<File>>>()?);
    let scenarios: Vec<&str> = book.scenarios().into_iter().collect();
    let pages = scenarios.par_iter().map(|name| {
        let text = markup.render("scenario.html", &scenario(book, &series, name))?;
        Ok((book::scenario_page(name), text))
    });
    files.extend(pages.collect::<Result<Vec<File>>>()?);
    Ok(files)
}

type ByKey<'a> = BTreeMap<&'a Key, &'a Series>;

fn span(book: &Book) -> (String, String) {
    let first = book.nights.len().saturating_sub(super::WINDOW);
    (book.date(first).to_owned(), book.last().date.to_string())
}

fn index<'a>(book: &Book<'a>, series: &ByKey) -> Index<'a> {
    let steps = || book.findings.iter().filter(|finding| finding.kind == Kind::Step);
    let shown = |finding: &Finding| Shown {
        told: told::told(book, finding),
        plot: series.get(&finding.key).and_then(|one| plot::around(book, one, finding.night)),
    };
    let drifts = book.findings.iter().filter(|finding| finding.kind != Kind::Step);
    let of = |one: Contestant| {
        let own = |finding: &&Finding| contestant(finding) == one;
        book.findings.iter().filter(own).count()
    };
    let configurations = book.contestants().into_iter().map(|one| Link {
        name: book::name(one),
        href: book::configuration_page(one),
        count: of(one),
    });
    let scenarios = book.scenarios().into_iter().map(|name| Link {
        name: name.to_owned(),
        href: book::scenario_page(name),
        count: book.findings_on(name).count(),
    });
    let (marked, marked_before) = night::marked(book);
    Index {
        frame: Frame::of(book, format!("Compaction nights: {}", book.suite()), ""),
        verdict: told::verdict(book),
        since: told::since_yesterday(book),
        steps: steps().take(SHOWN).map(shown).collect(),
        older: steps().skip(SHOWN).map(|finding| told::told(book, finding)).collect(),
        drifts: drifts.map(shown).collect(),
        trends: book.metrics().into_iter().map(|metric| pooled(book, series, metric)).collect(),
        configurations: configurations.collect(),
        scenarios: scenarios.collect(),
        marked,
        marked_before,
        listed: night::listed(book),
        is_gated: book.nights.iter().any(|night| night.gate.is_some()),
        span: span(book),
    }
}

fn contestant(finding: &Finding) -> Contestant<'_> {
    (&finding.key.configuration, &finding.key.mode)
}

fn better(metric: &str) -> &'static str {
    match direction(metric) {
        Direction::Higher => "more is better",
        Direction::Lower => "less is better",
        Direction::Neither => "neither way is better",
    }
}

fn trends(metric: &str, count: usize, multiples: Vec<Multiple>) -> Trends {
    Trends {
        metric: metric.to_owned(),
        anchor: book::anchor(metric),
        unit: unit(metric),
        better: better(metric),
        definition: definition(metric),
        count,
        multiples,
    }
}

fn multiple(book: &Book, series: &ByKey, key: &Key, name: String, root: &str) -> Option<Multiple> {
    let plot = plot::plot(book, series.get(key)?, plot::SMALL)?;
    Some(Multiple { name, href: format!("{root}{}", book::place_of(key)), plot })
}

fn key(metric: &str, (configuration, mode): Contestant, scenario: Option<&str>) -> Key {
    Key {
        metric: metric.to_owned(),
        configuration: configuration.to_owned(),
        mode: mode.to_owned(),
        scenario: scenario.map(str::to_owned),
    }
}

/// A metric over all scenarios, a chart for every configuration.
fn pooled(book: &Book, series: &ByKey, metric: &str) -> Trends {
    let chart =
        |one: Contestant| multiple(book, series, &key(metric, one, None), book::name(one), "");
    let found =
        book.findings.iter().filter(|one| one.key.metric == metric && one.key.scenario.is_none());
    trends(metric, found.count(), book.contestants().into_iter().filter_map(chart).collect())
}

fn configuration<'a>(book: &Book<'a>, series: &ByKey, one: Contestant) -> Configuration<'a> {
    let name = book::name(one);
    let own = |finding: &&Finding| contestant(finding) == one;
    let full = |metric: &str| full(book, series, metric, one);
    let mut metrics: Vec<Full> = book.metrics().into_iter().filter_map(full).collect();
    // Stable: figures with findings lead, each group in the usual order.
    metrics.sort_by_key(|full| full.found.is_empty());
    Configuration {
        frame: Frame::of(book, format!("{name}: compaction nights"), "../"),
        found: book.findings.iter().filter(own).map(|finding| told::told(book, finding)).collect(),
        metrics,
        span: span(book),
        name,
    }
}

fn full(book: &Book, series: &ByKey, metric: &str, one: Contestant) -> Option<Full> {
    let pooled = series.get(&key(metric, one, None))?;
    let plot = plot::plot(book, pooled, plot::LARGE)?;
    let of_metric = |finding: &&Finding| finding.key.metric == metric && contestant(finding) == one;
    let found: Vec<Told> =
        book.findings.iter().filter(of_metric).map(|finding| told::told(book, finding)).collect();
    let steps: Vec<usize> =
        book.findings_of(&pooled.key).filter(|f| f.kind == Kind::Step).map(|f| f.night).collect();
    let rows = pooled.points.iter().rev().take(LISTED).map(|point| Row {
        date: book.date(point.night).to_owned(),
        value: figure(metric, point.mean),
        n: point.n,
        step: steps.contains(&point.night),
    });
    let small = |name: &str| {
        let key = key(metric, one, Some(name));
        let plot = plot::plot(book, series.get(&key)?, plot::SMALL)?;
        let href = format!("../{}#{}", book::scenario_page(name), book::anchor(metric));
        Some(Multiple { name: name.to_owned(), href, plot })
    };
    Some(Full {
        metric: metric.to_owned(),
        anchor: book::anchor(metric),
        unit: unit(metric),
        better: better(metric),
        definition: definition(metric),
        plot,
        found,
        rows: rows.collect(),
        scenarios: book.scenarios().into_iter().filter_map(small).collect(),
    })
}

fn scenario<'a>(book: &Book<'a>, series: &ByKey, name: &str) -> Scenario<'a> {
    let of = |metric: &str| {
        let charts = book.contestants().into_iter().filter_map(|one| {
            multiple(book, series, &key(metric, one, Some(name)), book::name(one), "../")
        });
        let found = book.findings_on(name).filter(|one| one.key.metric == metric);
        trends(metric, found.count(), charts.collect())
    };
    let mut trends: Vec<Trends> = book.metrics().into_iter().map(of).collect();
    trends.retain(|trends| !trends.multiples.is_empty());
    trends.sort_by_key(|trends| trends.count == 0);
    Scenario {
        frame: Frame::of(book, format!("{name}: compaction nights"), "../"),
        name: name.to_owned(),
        found: book.findings_on(name).map(|one| told::told(book, one)).collect(),
        trends,
        span: span(book),
    }
}
