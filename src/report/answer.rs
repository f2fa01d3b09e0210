//! The opening of a report: the answer, for a reader who knows none of its terms.

use std::collections::BTreeMap;

<<<<<<< HEAD
use serde::Serialize;

use super::completion::{self, completes, headline};
use super::figures::{Config, Figures};
use super::floors::verdict::{FloorVerdict, Tally, steepest};
use super::leaders::Leaders;
use super::rules::{self, Conduct};
use super::template::Parts;
=======
use super::completion;
use super::document::Prose;
use super::figures::{Figures, Subject};
use super::floors::verdict::{Tally, Verdict, steepest};
use super::memory;
use super::rules;

/// The answer in a few paragraphs.
pub fn answer(figures: &Figures) -> Vec<Prose> {
    let mut paragraphs = vec![what_was_done(figures)];
    paragraphs.extend(completion::finishers(figures));
    paragraphs.push(floor(figures));
    let named = memory::Named::of(figures);
    paragraphs.extend(named.as_ref().map(|named| named.paragraph(figures)));
    // What is said of one that the opening names is said of all of them.
    let subjects = named.iter().flat_map(memory::Named::subjects);
    let mut told: Vec<&Subject> = Vec::new();
    for subject in subjects {
        if !told.contains(&subject) {
            told.push(subject);
            paragraphs.push(price(figures, subject));
        }
    }
    paragraphs.extend(offline(figures));
    paragraphs
}

/// What a configuration's figures must be read with: how far it came, whether its floor
/// rises, and the rules that it broke.
fn price(figures: &Figures, subject: &Subject) -> Prose {
    let mut says = Prose::default().code(subject.name());
    if let Some((complete, all)) = completion::counts(figures, subject, figures.main) {
        says = says.then(format!(" completed {complete} of {all} sessions. "));
    }
    let says = says.followed_by(own_floor(figures, subject));
    // Those that finished are told with their rules before.
    if completion::is_told(figures, subject) {
        return says;
    }
    says.then(" It broke ").followed_by(rules::told(figures, subject)).then(".")
}

fn own_floor(figures: &Figures, subject: &Subject) -> Prose {
    let tally = Tally::of(figures, subject);
    if tally.families == 0 {
        return Prose::new("There is no verdict on its floor.");
    }
    let what = match (tally.families, tally.counts.len()) {
        (1, _) => format!("Its floor: {}", tally.says()),
        (all, 1) => format!("Its floor, in all {all} families of sessions: {}", tally.says()),
        (all, _) => format!("Its floor, over {all} families of sessions: {}", tally.says()),
    };
    let few = if tally.small { " (in some on under eight sessions)" } else { "" };
    let says = Prose::new(format!("{what}{few}"));
    match steepest(figures, subject) {
        None => says.then("; no slope of it lies clearly above zero."),
        Some((family, series, slope)) => says
            .then(format!("; steepest, {series} by {slope} tokens a turn in "))
            .code(family)
            .then("."),
    }
}

fn what_was_done(figures: &Figures) -> Prose {
    Prose::new(
        "An agent's conversation outgrows the model's window; compaction rewrites it so that it \
         fits. ",
    )
    .followed_by(completion::headline(figures))
}

fn floor(figures: &Figures) -> Prose {
    let what = Prose::new(
        "The floor is the size below which compaction, forced once, cannot bring the \
         conversation; a floor that rises with every turn fills any window in the end. Low water is the size that the run's own compactions \
         leave. Both were taken with summaries by ",
    )
    .code(figures.main)
    .then(", and under it alone. ");
    let says = what.followed_by(every_floor(figures));
    if figures.families().into_iter().any(|family| figures.lengths(family) > 1) {
        return says;
    }
    says.then(" ")
        .strong("Sessions of one length cannot settle whether a floor is eliminated.")
        .then(" ")
        .code("proctor run floor")
        .then(" drives three lengths of each.")
}
>>>>>>> frame

/// Configurations that finished which the opening names.
const FINISHERS: usize = 12;
/// Verdicts that the opening names one by one.
const VERDICTS: usize = 3;
/// Configurations that it names under each.
const NAMED: usize = 3;

<<<<<<< HEAD
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
=======
/// What is known of all floors, in short. The section on the floor has every one.
fn every_floor(figures: &Figures) -> Prose {
    let mut by_verdict: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut all_small = true;
    // Interventions are not probed, and what does nothing has no floor to speak of.
    let told = |subject: &&Subject| {
        !subject.is_windowless() && subject.mode == "deployed" && subject.pipeline != "none"
    };
    for subject in figures.unswept().filter(told).filter(|subject| figures.ranks(subject)) {
        let families = figures.families().into_iter();
        let found = families.filter_map(|family| Verdict::of(figures, family, subject));
        let found: Vec<Verdict> = found.collect();
        all_small &= found.iter().all(|verdict| verdict.small);
        let mut words: Vec<&str> = found.iter().map(|verdict| verdict.says.as_str()).collect();
        words.sort_unstable();
        words.dedup();
        let word = match words[..] {
            [] => continue,
            [only] => only,
            // A word that fits one family of many is no word on the configuration.
            _ => "different verdicts by family",
        };
        by_verdict.entry(word.to_owned()).or_default().push(subject.name());
    }
    if by_verdict.is_empty() {
        return Prose::new("This run allows no verdict on it: ").strong(
            "whether a floor is eliminated takes the floor probe and sessions of several lengths.",
        );
    }
    let mut by_verdict: Vec<(String, Vec<String>)> = by_verdict.into_iter().collect();
    by_verdict.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let mut says = Prose::new(if all_small {
        "Verdicts, all with n too small (under eight sessions a family), so indications: "
    } else {
        "Verdicts: "
    });
    for (index, (verdict, names)) in by_verdict.iter().take(VERDICTS).enumerate() {
        let before = if index == 0 { "" } else { "; " };
        says = says.then(before).strong(verdict).then(": ");
        says = match names.len() {
            few if few <= NAMED => says.names(names),
            many => says.code(&names[0]).then(format!(" and {} others", many - 1)),
        };
    }
    let rest: usize = by_verdict.iter().skip(VERDICTS).map(|(_, names)| names.len()).sum();
    match rest {
        0 => says.then("."),
        one => says.then(format!("; other verdicts for {one} more.")),
    }
}

fn offline(figures: &Figures) -> Option<Prose> {
    let summarizer = figures.main;
    let bracketed = figures.run.manifest.summarizers.len() > 1;
    figures.run.manifest.offline.then(|| {
        Prose::new("Summaries were written by ")
            .code(summarizer)
            .then(
                ", which is no language model: it picks sentences. What its summaries keep, and so \
                 recall, and how long they are, and so when compaction fires, how steep floors are, \
                 and every size, price and wait, would be others under another summarizer.",
            )
            .then(if bracketed {
                " Recall, completion and mean prompts under other summaries stand under \
                 Brackets; floors, dollars, waiting and what is still known are shown under this \
                 one alone."
            } else {
                " This run has no other summarizer to bracket it with."
            })
    })
>>>>>>> frame
}
