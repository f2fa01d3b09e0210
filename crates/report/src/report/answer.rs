//! The opening of a report: the answer, for a reader who knows none of its terms.

use std::collections::BTreeMap;

use serde::Serialize;

use super::completion::{self, completes, headline};
use super::figures::{Config, Figures};
use super::floors::verdict::{FloorVerdict, Tally, steepest};
use super::leaders::Leaders;
use super::rules::{self, Conduct};
use super::template::Parts;

/// Configurations that finished which the opening names.
const FINISHERS: usize = 12;
/// Verdicts that the opening names one by one.
const VERDICTS: usize = 3;
/// Configurations that it names under each.
const NAMED: usize = 3;

/// The values of the opening.
pub fn parts(figures: &Figures) -> Parts {
    let finished = finished(figures);
    let leaders = Leaders::find(figures);
    let named = leaders.as_ref().map(|leaders| leaders.configs(figures)).unwrap_or_default();
    let listed = &finished[..finished.len().min(FINISHERS)];
    let details = named.into_iter().map(|config| Detail::of(figures, config, listed));
    let several = figures.families().into_iter().any(|family| figures.lengths(family).len() > 1);
    Parts::default()
        .value("main", figures.main)
        .value("headline", headline(figures))
        .value(
            "finishers",
            listed.iter().map(|config| Finisher::of(figures, config)).collect::<Vec<_>>(),
        )
        .value("more_finishers", finished.len() - listed.len())
        .value("consequences", rules::consequences(figures, &finished))
        .value("floors", FloorGroups::of(figures))
        .value("several_lengths", several)
        .value("leaders", leaders)
        .value("details", details.collect::<Vec<_>>())
        .value("offline", figures.run.manifest.offline)
        .value("bracketed", figures.run.manifest.summarizers.len() > 1)
}

/// The shown configurations that brought every session to its end: those that every
/// provider accepts first.
fn finished<'b>(figures: &'b Figures) -> Vec<&'b Config> {
    let driven = figures.shown().filter(|config| !config.is_windowless() && !config.is_idle());
    let mut finished: Vec<&Config> = driven.filter(|config| completes(figures, config)).collect();
    finished.sort_by_key(|config| rules::severity(figures, config));
    finished
}

/// A configuration that completed every session, and what it broke on the way.
#[derive(Serialize)]
struct Finisher {
    config: String,
    conduct: Conduct,
}

impl Finisher {
    fn of(figures: &Figures, config: &Config) -> Finisher {
        Finisher { config: config.name(), conduct: rules::conduct(figures, config) }
    }
}

/// The verdicts on all floors: configurations by verdict, the most frequent first.
#[derive(Serialize)]
struct FloorGroups {
    /// Whether all rest on too few sessions.
    small: bool,
    groups: Vec<FloorGroup>,
    /// Configurations with other verdicts.
    more: usize,
}

#[derive(Serialize)]
struct FloorGroup {
    /// The verdict; `None` where it differs over the families of sessions.
    verdict: Option<String>,
    named: Vec<String>,
    /// Further configurations.
    more: usize,
}

impl FloorGroups {
    fn of(figures: &Figures) -> FloorGroups {
        let mut groups: BTreeMap<Option<String>, Vec<String>> = BTreeMap::new();
        let mut small = true;
        // Interventions are not probed, and what does nothing has no floor.
        let probed = figures
            .shown()
            .filter(|config| !config.is_windowless() && config.is_deployed() && !config.is_idle());
        for config in probed.filter(|config| figures.ranks(config)) {
            let families = figures.families().into_iter();
            let found = families.filter_map(|family| FloorVerdict::of(figures, family, config));
            let found: Vec<FloorVerdict> = found.collect();
            let Some(first) = found.first() else { continue };
            small &= found.iter().all(|verdict| verdict.small);
            let is_one = found.iter().all(|verdict| verdict.text == first.text);
            let verdict = is_one.then(|| first.text.clone());
            groups.entry(verdict).or_default().push(config.name());
        }
        let mut groups: Vec<FloorGroup> = groups
            .into_iter()
            .map(|(verdict, mut named)| {
                let kept = if named.len() > NAMED { 1 } else { named.len() };
                let more = named.split_off(kept).len();
                FloorGroup { verdict, named, more }
            })
            .collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.named.len() + group.more));
        let rest = groups.split_off(groups.len().min(VERDICTS));
        let more = rest.iter().map(|group| group.named.len() + group.more).sum();
        FloorGroups { small, groups, more }
    }
}

/// What the figures of a named configuration must be read with: how far it came, whether its
/// floor rises, and the rules that it broke.
#[derive(Serialize)]
struct Detail {
    config: String,
    complete: usize,
    all: usize,
    floor: Option<Floor>,
    /// `None` where the list of finishers has it.
    conduct: Option<Conduct>,
}

#[derive(Serialize)]
struct Floor {
    text: String,
    families: usize,
    verdicts: usize,
    small: bool,
    steepest: Option<Steepest>,
}

#[derive(Serialize)]
struct Steepest {
    series: &'static str,
    slope: String,
    family: String,
}

impl Detail {
    fn of(figures: &Figures, config: &Config, finishers: &[&Config]) -> Detail {
        let (complete, all) = completion::counts(figures, config, figures.main);
        let tally = Tally::of(figures, config);
        let slope = steepest(figures, config).map(|(family, series, slope)| Steepest {
            series,
            slope,
            family: family.to_owned(),
        });
        let floor = (tally.families > 0).then(|| Floor {
            text: tally.text(),
            families: tally.families,
            verdicts: tally.counts.len(),
            small: tally.small,
            steepest: slope,
        });
        let conduct = (!finishers.contains(&config)).then(|| rules::conduct(figures, config));
        Detail { config: config.name(), complete, all, floor, conduct }
    }
}
