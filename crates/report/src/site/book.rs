//! A history, read once for all pages.

use crate::compare::HEADLINES;
use crate::gate::Policy;
use crate::history::change::{self, Changes};
use crate::history::kept::NightOf;
use crate::history::mark::{self, About, Mark};
use crate::history::series::{self, is_priced};
use crate::history::{Acknowledged, Finding, History, Key, Night, Series, findings};
use crate::prelude::*;

pub type Contestant<'a> = (&'a str, &'a str);

pub struct Book<'a> {
    pub nights: &'a [Night],
    pub series: Vec<Series>,
    pub findings: Vec<Finding>,
    pub marks: Vec<Mark>,
    /// What the last night has that the one before had not; `None` of a first night.
    pub changes: Option<Changes>,
    /// Where the runs of nights lie from the site.
    pub runs: BTreeMap<NightOf, RunLinks>,
}

/// Where a night's run is, from the root of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLinks {
    /// Its directory.
    pub directory: String,
    /// Its report, where it has one.
    pub report: Option<String>,
}

impl<'a> Book<'a> {
    pub fn of(
        history: &'a History,
        policy: &Policy,
        acknowledged: &Acknowledged,
        runs: BTreeMap<NightOf, RunLinks>,
    ) -> Result<Book<'a>> {
        let nights = &history.nights[..];
        let Some(last) = nights.last() else {
            return Err(Error::Invalid {
                place: "history".to_owned(),
                rule: "it holds no night".to_owned(),
                hint: Some("`proctor nightly SUITE --history DIR --site DIR` adds one".to_owned()),
            });
        };
        let series = series::assemble(nights);
        let mut findings = findings(&series, nights.len() - 1, policy);
        acknowledged.apply(&mut findings, nights)?;
        let before = nights.len().checked_sub(2).map(|at| &nights[at]);
        Ok(Book {
            nights,
            findings,
            marks: mark::marks(nights),
            changes: before.map(|before| change::changes(before, last)),
            series,
            runs,
        })
    }

    pub fn last(&self) -> &'a Night {
        // OK because a book of no night is refused.
        &self.nights[self.nights.len() - 1]
    }

    pub fn previous(&self) -> Option<&'a Night> {
        self.nights.len().checked_sub(2).map(|at| &self.nights[at])
    }

    pub fn date(&self, night: usize) -> &'a str {
        self.nights.get(night).map_or("", |night| night.date.as_str())
    }

    /// The suite without its digest.
    pub fn suite(&self) -> &'a str {
        crate::report::suite_name(&self.last().suite)
    }

    /// Metrics of all series: the headlines in their order, then others by name.
    pub fn metrics(&self) -> Vec<&str> {
        let all: BTreeSet<&str> = self.series.iter().map(|one| one.key.metric.as_str()).collect();
        let headlines = HEADLINES.map(MetricId::name);
        let others = all.iter().copied().filter(|id| !headlines.contains(id));
        headlines.into_iter().filter(|id| all.contains(id)).chain(others).collect()
    }

    pub fn contestants(&self) -> BTreeSet<Contestant<'_>> {
        let keys = self.series.iter().map(|one| &one.key);
        keys.map(|key| (key.configuration.as_str(), key.mode.as_str())).collect()
    }

    pub fn scenarios(&self) -> BTreeSet<&str> {
        self.series.iter().filter_map(|one| one.key.scenario.as_deref()).collect()
    }

    /// The series are in the order of their keys.
    pub fn series_of(&self, key: &Key) -> Option<&Series> {
        let place = self.series.binary_search_by(|one| one.key.cmp(key));
        place.ok().map(|place| &self.series[place])
    }

    /// What is announced: neither small nor acknowledged.
    pub fn announced(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|one| one.is_announced())
    }

    /// Findings over all scenarios and on single ones, whether or not they show over all.
    pub fn single_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().flat_map(|finding| std::iter::once(finding).chain(&finding.parts))
    }

    pub fn findings_of(&self, key: &Key) -> impl Iterator<Item = &Finding> {
        self.single_findings().filter(move |finding| finding.key == *key)
    }

    /// What is announced of a scenario.
    pub fn findings_on(&self, scenario: &str) -> impl Iterator<Item = &Finding> {
        self.single_findings()
            .filter(|one| one.is_announced())
            .filter(move |finding| finding.key.scenario.as_deref() == Some(scenario))
    }

    /// What stands for the worse over all scenarios, else on single ones.
    pub fn standing(&self) -> Vec<&Finding> {
        let standing = self.findings.iter().flat_map(|finding| match finding.stands {
            true => vec![finding],
            false => finding.parts.iter().filter(|part| part.stands).collect(),
        });
        standing.collect()
    }

    /// The number of a night's marks: its place among nights with marks, which stays as it is.
    pub fn number_of(&self, night: usize) -> usize {
        let before = self.marks.iter().map(|mark| mark.night).filter(|other| *other <= night);
        before.collect::<BTreeSet<usize>>().len()
    }

    pub fn marks_on(&self, night: usize) -> impl Iterator<Item = String> {
        self.marks.iter().filter(move |mark| mark.night == night).map(|mark| mark.says.clone())
    }

    pub fn marks_of(&self, key: &Key) -> impl Iterator<Item = &Mark> {
        self.marks.iter().filter(move |mark| match &mark.about {
            About::Tool | About::Measure => true,
            About::Prices => is_priced(&key.metric),
            About::Inputs(scenario) => key.scenario.as_ref().is_none_or(|own| own == scenario),
            About::Pipeline(name) => *name == key.configuration,
            About::Metric(id) => *id == key.metric,
        })
    }
}

pub fn configuration_page((configuration, mode): Contestant) -> String {
    let name = super::words::file(configuration);
    match mode {
        "deployed" => format!("configurations/{name}.html"),
        mode => format!("configurations/{name}--{}.html", super::words::file(mode)),
    }
}

pub fn scenario_page(scenario: &str) -> String {
    format!("scenarios/{}.html", super::words::file(scenario))
}

/// Where a series is shown in full, from the root of the site.
pub fn place_of(key: &Key) -> String {
    format!("{}#{}", configuration_page((&key.configuration, &key.mode)), anchor(&key.metric))
}

pub fn anchor(metric: &str) -> String {
    super::words::file(&metric.replace('.', "-"))
}
