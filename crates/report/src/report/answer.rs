//! The first lines of a report: the answer, for someone who knows none of the words.

use std::collections::BTreeMap;

use super::completion;
use super::document::Prose;
use super::figures::{Figure, Figures, Subject};
use super::floors::verdict::{Tally, Verdict, is_small, steepest};
use super::memory;
use super::number;
use super::rules;

/// The pipeline whose decision record says that the floor is gone ("can now run
/// indefinitely", ADR-0041).
pub const CLAIMANT: &str = "forge-adr";

/// The answer in a few paragraphs.
pub fn answer(figures: &Figures) -> Vec<Prose> {
    let mut paragraphs = vec![what_was_done(figures)];
    paragraphs.extend(completion::finishers(figures));
    paragraphs.push(floor(figures));
    let named = memory::Named::of(figures);
    paragraphs.extend(named.as_ref().map(|named| named.paragraph(figures)));
    // What is said of one that the opening names is said of all of them.
    let mut subjects: Vec<&Subject> = named.iter().flat_map(memory::Named::subjects).collect();
    subjects.extend(claimant(figures));
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

fn claimant<'b>(figures: &'b Figures) -> Option<&'b Subject> {
    figures.unswept().find(|subject| subject.configuration == CLAIMANT)
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

/// What a family of sessions says of the claim.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finding {
    Holds,
    Forgets,
    Fails,
    Filled,
    Open,
}

fn finding(verdict: &str, linear: bool) -> Finding {
    match verdict {
        "eliminated" => Finding::Holds,
        "eliminated by forgetting" => Finding::Forgets,
        "grown" | "lowered" | "unchanged" if linear => Finding::Fails,
        // A session that its own floor ended cannot reach the last checkpoint.
        "not reached" if linear => Finding::Filled,
        _ => Finding::Open,
    }
}

/// The slope of the first series that grows in proportion to the turns.
fn linear_slope(figures: &Figures, family: &str, subject: &Subject) -> Option<Figure> {
    // After one forced pass, and as the run's own compactions left it.
    let series = ["", ".low_water"];
    let linear = series.into_iter().find(|suffix| {
        let growth = figures.in_family(family, subject, &format!("floor.growth{suffix}"));
        growth.word == "linear" && !growth.reason.contains("neither excluded")
    })?;
    Some(figures.in_family(family, subject, &format!("floor.slope{linear}")))
}

fn floor(figures: &Figures) -> Prose {
    let what = Prose::new(
        "The floor is the size below which compaction, forced once, cannot bring the \
         conversation; a floor that rises with every turn fills any window in the end. Low water is the size that the run's own compactions \
         leave. Both were taken with summaries by ",
    )
    .code(figures.main)
    .then(", and under it alone. ");
    let Some(subject) = claimant(figures) else { return what.followed_by(every_floor(figures)) };
    let judged: Vec<(&str, String)> = figures
        .families()
        .into_iter()
        .map(|family| (family, figures.in_family(family, subject, "floor.verdict").word))
        .filter(|(_, verdict)| !verdict.is_empty())
        .collect();
    if judged.is_empty() {
        return what.followed_by(every_floor(figures));
    }
    let several = |family: &str| figures.lengths(family) > 1;
    if !judged.iter().any(|(family, _)| several(family)) {
        return what
            .followed_by(every_floor(figures))
            .then(" ")
            .strong("Sessions of one length cannot settle whether a floor is eliminated.")
            .then(" ")
            .code("proctor run floor")
            .then(" drives three lengths of each.");
    }
    let mut judged = judged;
    judged.retain(|(family, _)| several(family));
    what.then("The goal tier (")
        .code(subject.name())
        .then(") is said to eliminate it. ")
        .followed_by(claim(figures, subject, &judged))
}

fn claim(figures: &Figures, subject: &Subject, judged: &[(&str, String)]) -> Prose {
    let found = judged.iter().map(|(family, verdict)| {
        finding(verdict, linear_slope(figures, family, subject).is_some())
    });
    let found: Vec<Finding> = found.collect();
    let count = |wanted| found.iter().filter(|finding| **finding == wanted).count();
    let all = judged.len();
    let mut says = Prose::default();
    if let Some(growth) = steepest_of(figures, subject, judged, &found) {
        says = says.followed_by(growth).then(" ");
    }
    let fails = count(Finding::Fails) + count(Finding::Filled);
    let conclusion = match (count(Finding::Holds), fails, count(Finding::Forgets)) {
        (0, 0, 0) => "So the claim that the floor is eliminated is neither shown nor refuted here.",
        (0, _, _) => "So the claim that the floor is eliminated does not hold.",
        (holds, 0, 0) if holds == all => "So the claim that the floor is eliminated holds here.",
        (_, 0, 0) => "So the claim that the floor is eliminated holds where it could be decided.",
        _ => "So the claim that the floor is eliminated holds for some sessions only.",
    };
    let tally = [
        (Finding::Holds, "eliminated"),
        (Finding::Forgets, "eliminated only by forgetting"),
        (Finding::Fails, "rising in proportion to the turns"),
        (Finding::Filled, "rising likewise until a session ended early"),
        (Finding::Open, "not decided"),
    ];
    let tally: Vec<String> = tally
        .into_iter()
        .filter(|(finding, _)| count(*finding) > 0)
        .map(|(finding, name)| format!("{name} in {}", count(finding)))
        .collect();
    let says = says.strong(conclusion).followed_by(caveat(figures, subject, judged));
    if all == 1 {
        return says;
    }
    says.then(format!(" Of {all} families of sessions, its floor is {}.", tally.join(", ")))
}

/// How few sessions a verdict rests on, where they are too few for a firm one.
fn caveat(figures: &Figures, subject: &Subject, judged: &[(&str, String)]) -> Prose {
    let small = judged
        .iter()
        .any(|(family, _)| is_small(&figures.in_family(family, subject, "floor.verdict")));
    if small {
        Prose::new(" (On fewer than eight sessions a family: an indication, not a firm verdict.)")
    } else {
        Prose::default()
    }
}

/// The steepest of the floors that rise.
fn steepest_of(
    figures: &Figures,
    subject: &Subject,
    judged: &[(&str, String)],
    found: &[Finding],
) -> Option<Prose> {
    let rising = judged
        .iter()
        .zip(found)
        .filter(|(_, finding)| matches!(finding, Finding::Fails | Finding::Filled));
    let slopes = rising.filter_map(|((family, _), _)| {
        let slope = linear_slope(figures, family, subject)?;
        Some((*family, slope.value?, slope))
    });
    let (family, _, slope) = slopes.max_by(|one, other| one.1.total_cmp(&other.1))?;
    let written = slope.write_with_interval(number::change).ok()?;
    let steepest = if judged.len() > 1 { ", most steeply in " } else { " in " };
    Some(
        Prose::new("Its floor grows linearly")
            .then(steepest)
            .code(family)
            .then(": ")
            .strong(format!("{written} tokens a turn"))
            .then(if completion::ended_early_in(figures, family, subject) {
                " (as far as its sessions got)."
            } else {
                "."
            }),
    )
}

/// Verdicts that the opening names one by one.
const VERDICTS: usize = 3;
/// Configurations that it names under each.
const NAMED: usize = 3;

/// Where the run does not test the claim: what is known of all floors, in short. The
/// section on the floor has every one.
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
                " Recall, completion and mean prompts under other summaries stand under Brackets, \
                 and claims have theirs beside them; floors, dollars, waiting and what is still \
                 known are shown under this one alone."
            } else {
                " This run has no other summarizer to bracket it with."
            })
    })
}
