//! The opening of a report: the answer, for a reader who knows none of its terms.

use super::completion::headline;
use super::floors::verdict::{Tally, steepest};
use super::prelude::*;
use super::rules;
use crate::measure::Sign;

const FINISHERS: usize = 12;

pub fn parts(figures: &Figures) -> Parts {
    let finished = finished(figures);
    let listed = &finished[..finished.len().min(FINISHERS)];
    let finishers = listed.iter().map(|config| {
        context! { config => config.name(), conduct => rules::conduct(figures, config) }
    });
    let (named, leaders) = leaders(figures).unzip();
    let named = named.unwrap_or_default();
    let details = named.into_iter().map(|config| detail(figures, config, listed.contains(&config)));
    let several = figures.families().into_iter().any(|family| figures.lengths(family).len() > 1);
    super::adversaries::banners(figures, Parts::default())
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
    groups.sort_by_key(|(_, configs)| Reverse(configs.len()));
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

/// Recall, mean prompt and the configuration that is named for them.
type Leader<'b> = (f64, f64, &'b Config);

/// The leaders among configurations driven in the window that completed every session, and
/// what the opening says of them; `None` where there is none.
fn leaders<'b>(figures: &'b Figures) -> Option<(Vec<&'b Config>, Value)> {
    let driven = figures.shown().filter(|config| {
        !config.is_windowless() && figures.ranks(config) && completes(figures, config)
    });
    let leader = |config: &'b Config| -> Option<Leader> {
        let recall = figures.value(config, MetricId::RecallAtNeed)?;
        Some((recall, figures.value(config, MetricId::TokensMeanPrompt)?, config))
    };
    let mut ranked: Vec<Leader> = driven.filter_map(leader).collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.total_cmp(&other.1)));
    let (best, others) = ranked.split_first()?;
    let is_fatal = |(.., config): &Leader| rules::severity(figures, config) == Tone::Bad;
    // If the best breaks what the agent asks for, the best one that does not.
    let accepted = others.iter().find(|other| !is_fatal(other)).filter(|_| is_fatal(best));
    // The one that sends least, where it is not the best. What the agent never reads saves most.
    let sound = |other: &&Leader| accepted.is_none() && is_fatal(best) || !is_fatal(other);
    let least = others.iter().filter(sound).min_by(|one, other| one.1.total_cmp(&other.1));
    let thriftiest = least.filter(|other| other.1 <= best.1);
    let rivals = others.iter().filter(|(.., other)| other.mode == best.2.mode);
    let signs: Vec<Sign> = rivals.flat_map(|(.., other)| figures.signs(best.2, other)).collect();
    let order = match signs.contains(&Sign::SummarizerDependent) {
        true => "depends",
        false if signs.is_empty() => "not-compared",
        false => "holds",
    };
    let named = [Some(best), accepted, thriftiest].into_iter().flatten();
    let told = |(recall, prompt, config): &Leader| {
        context! { config => config.name(), recall, prompt }
    };
    let leaders = context! {
        best => told(best),
        others => others.len(),
        order,
        accepted => accepted.map(told),
        thriftiest => thriftiest.map(told),
    };
    Some((each_once(named.map(|(.., config)| *config)), leaders))
}
