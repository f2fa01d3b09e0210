//! The opening of a report: the answer, for a reader who knows none of its terms.

use super::completion::headline;
use super::floors::verdict::{Tally, steepest};
use super::leaders::Leaders;
use super::prelude::*;
use super::rules;

const FINISHERS: usize = 12;

pub fn parts(figures: &Figures) -> Parts {
    let finished = finished(figures);
    let listed = &finished[..finished.len().min(FINISHERS)];
    let finishers = listed.iter().map(|config| {
        context! { config => config.name(), conduct => rules::conduct(figures, config) }
    });
    let leaders = Leaders::find(figures);
    let named = leaders.as_ref().map(Leaders::configs).unwrap_or_default();
    let details = named.into_iter().map(|config| detail(figures, config, listed.contains(&config)));
    let several = figures.families().into_iter().any(|family| figures.lengths(family).len() > 1);
    Parts::default()
        .value("main", figures.main)
        .value("headline", headline(figures))
        .value("finishers", finishers.collect::<Vec<Value>>())
        .value("more_finishers", finished.len() - listed.len())
        .value("consequences", rules::consequences(figures, &finished))
        .value("floors", floors(figures))
        .value("several_lengths", several)
        .value("details", details.collect::<Vec<Value>>())
        .value("leaders", leaders)
        .value("offline", figures.run.manifest.offline)
        .value("bracketed", figures.run.manifest.summarizers.len() > 1)
}

/// Shown configurations that ended no session early, those that every provider accepts first.
fn finished<'b>(figures: &'b Figures) -> Vec<&'b Config> {
    let driven = figures.shown().filter(|config| !config.is_windowless() && !config.is_idle());
    let mut finished: Vec<&Config> = driven.filter(|config| completes(figures, config)).collect();
    finished.sort_by_key(|config| rules::severity(figures, config));
    finished
}

/// Configurations by verdict, the most frequent first, and whether all rest on few sessions.
fn floors(figures: &Figures) -> Value {
    // `None`: it differs over the families of sessions.
    let mut groups: BTreeMap<Option<String>, Vec<String>> = BTreeMap::new();
    let mut small = true;
    // Interventions are not probed, and what does nothing has no floor.
    let probed = figures
        .shown()
        .filter(|config| !config.is_windowless() && config.is_deployed() && !config.is_idle());
    for config in probed.filter(|config| figures.ranks(config)) {
        let tally = Tally::of(figures, config);
        let verdict = match tally.counts()[..] {
            [] => continue,
            [(text, _)] => Some(text.to_owned()),
            _ => None,
        };
        small &= tally.verdicts.iter().all(|verdict| verdict.small);
        groups.entry(verdict).or_default().push(config.name());
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, configs)| std::cmp::Reverse(configs.len()));
    let groups = groups.into_iter().map(|(verdict, configs)| context! { verdict, configs });
    context! { small, groups => groups.collect::<Vec<Value>>() }
}

/// What the figures of a named configuration must be read with.
fn detail(figures: &Figures, config: &Config, is_listed: bool) -> Value {
    let (complete, all) = completion::counts(figures, config, figures.main);
    let tally = Tally::of(figures, config);
    let floor = context! {
        text => tally.text(),
        families => tally.verdicts.len(),
        verdicts => tally.counts().len(),
        small => tally.is_small(),
        steepest => steepest(figures, config),
    };
    let conduct = (!is_listed).then(|| rules::conduct(figures, config));
    let floor = (!tally.verdicts.is_empty()).then_some(floor);
    context! { config => config.name(), complete, all, floor, conduct }
}
