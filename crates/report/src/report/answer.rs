//! The first lines of a report: the answer, for someone who knows none of the words.

use std::collections::BTreeMap;

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

/// Verdicts that the opening names one by one.
const VERDICTS: usize = 3;
/// Configurations that it names under each.
const NAMED: usize = 3;

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
}
