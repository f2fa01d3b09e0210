//! Summarizers that fail, words that imitate, passes that fail half-way, tiers run twice.

use proctor_core::drive::{Cell, drive};
use proctor_core::ident::Seed;
use proctor_core::summarize::fault::{self, Fault, FaultKind, Faulty, Schedule};
use proctor_core::summarize::{Prompt, Reply};
use proctor_core::testkit::with_cell;
use proctor_core::token::Tokenizer;
use proctor_core::trace::{Checkpoint, CompactionOutcome};
use proctor_strategies::roadmap::SUMMARY_PREFIX;

use super::prelude::*;
use crate::table::number;

const FAULTS: [FaultKind; 4] =
    [FaultKind::Error, FaultKind::Empty, FaultKind::Inflated, FaultKind::ToolCall];

pub fn survives(lab: &Laboratory) -> Result<Finding> {
    // One of each family of strategies.
    const PIPELINES: &str = "forge-adr forge-head forge-g2 goat-doc goat-code full-replace \
                             full-replace-fixed roadmap-code codex";
    let control = lab.controls("ord-long-p10-t28")?;
    let mut found = Finding::default();
    let (mut silent_cells, mut broken_cells) = (0, 0);
    for name in PIPELINES.split(' ') {
        let pipeline = pipeline(name)?;
        let limits = provider(50_000, 4_096);
        let sound = for_each(&control, |cell| cell.tried(&pipeline, limits, &brief(1_000)));
        let mut cells =
            vec![format!("`{name}`"), format!("{} of {}", completed(&sound), sound.len())];
        for kind in FAULTS {
            let fault = Fault { kind, schedule: Schedule::Always };
            let trials = for_each(&control, |cell| {
                let ask = Faulty::new(Box::new(brief(1_000)), fault, Seed(cell.seed));
                cell.tried(&pipeline, limits, &ask)
            });
            let silent = trials.iter().filter_map(|own| own.figure(MetricId::FaultsSilentFacts));
            let silent: Vec<f64> = silent.collect();
            let more = trials.iter().zip(&sound).map(|(own, sound)| broken(own) - broken(sound));
            let broken = stats::mean(&more.collect::<Vec<_>>()).unwrap_or(0.0).max(0.0);
            let lost = stats::mean(&silent).unwrap_or(0.0);
            let done = completed(&trials);
            cells.push(format!("{done} / {} / {}", number(lost), number(broken)));
            silent_cells += usize::from(lost > 0.0);
            broken_cells += usize::from(broken > 0.0);
            found.found([lost == 0.0 && broken == 0.0]);
        }
        found.row(cells);
    }
    let pairs = |what: &str, pairs: usize| exact(what, "of 36", pairs as f64);
    found.measured = vec![
        pairs("pairs of profile and fault with silent loss", silent_cells),
        pairs("pairs with pairing broken beyond a sound summarizer's", broken_cells),
    ];
    Ok(found)
}

fn completed(trials: &[Driven]) -> usize {
    trials.iter().filter(|trial| trial.trace.ended_by == EndedBy::Completed).count()
}

/// Rules broken that a provider which pairs ids refuses.
fn broken(trial: &Driven) -> f64 {
    let violations = trial.trace.compactions.iter().flat_map(|one| &one.violations);
    violations.filter(|violation| Rule::breaks_strict_wire(violation.rule)).count() as f64
}

/// What profiles put before summaries and injected context, and role labels.
const TAGS: [&str; 6] = [
    "[SUMMARIZED] ",
    "[GOAL BATCH]\n",
    // Codex's prefix, which is a line of its own.
    fault::TAGS[2],
    SUMMARY_PREFIX,
    "# AGENTS.md instructions for ",
    "User: ",
];

pub fn imitation(_: &Laboratory) -> Result<Finding> {
    const PIPELINES: &str = "forge-adr forge-head forge-g2 goat-code full-replace-fixed \
                             roadmap-code roadmap-doc codex";
    let mut found = Finding::default();
    let (mut fooled_by_answers, mut fooled_by_users) = (0, 0);
    for name in PIPELINES.split(' ') {
        let pipeline = pipeline(name)?;
        // Stage, outcome, entries taken and left, where users and answers begin with a text.
        let driven = |asked: &str, answered: &str| -> Vec<_> {
            let begins = |_: &Prompt, reply: Reply| {
                reply.map(|mut answer| {
                    answer.text.insert_str(0, answered);
                    answer
                })
            };
            let ask = Altered(brief(300), begins);
            let trace = trace_of(&beginning(asked), &pipeline, window(30_000), &ask);
            let plans = trace.compactions.iter();
            plans
                .map(|one| (one.stage, one.outcome.name(), one.removed, one.entries_after))
                .collect()
        };
        let fooling = |changes: &dyn Fn(&str, &str) -> bool| -> Vec<String> {
            let fooling = TAGS.into_iter().filter(|tag| changes(tag, &harmless(tag)));
            fooling.map(shown).collect()
        };
        let answers = fooling(&|tag, other| driven("", tag) != driven("", other));
        let users = fooling(&|tag, other| driven(tag, "") != driven(other, ""));
        fooled_by_answers += usize::from(!answers.is_empty());
        fooled_by_users += usize::from(!users.is_empty());
        found.found([answers.is_empty(), users.is_empty()]);
        let listed =
            |tags: &[String]| if tags.is_empty() { "none".to_owned() } else { tags.join(", ") };
        found.row(row![format!("`{name}`"), listed(&answers), listed(&users)]);
    }
    let fooled = |what: &str, profiles: usize| exact(what, "of 8", profiles as f64);
    found.measured = vec![
        fooled("profiles that an imitating user changes", fooled_by_users),
        fooled("profiles that an imitating answer changes", fooled_by_answers),
    ];
    Ok(found)
}

/// A session in which every third request begins with this.
fn beginning(text: &str) -> Session {
    let mut made = Construction::new();
    for turn in 0..60 {
        let words = "Look at the next part of the build, say what it does and what should change. ";
        let begins = if turn % 3 == 0 { text } else { "" };
        made.user_says(&format!("{begins}{}(part {turn})", words.repeat(6)));
        made.pairs(3, 200).answer(40);
    }
    made.session()
}

/// The tag with one letter changed: nothing that goes by bytes or tokens can tell them apart.
fn harmless(tag: &str) -> String {
    let sizes = |text: &str| Tokenizer::ALL.map(|tokenizer| tokenizer.count(text));
    let letters = tag.char_indices().filter(|(_, letter)| letter.is_ascii_alphabetic());
    let mut changed = letters.flat_map(|(place, own)| {
        let case = if own.is_ascii_uppercase() { 'A'..='Z' } else { 'a'..='z' };
        case.filter(move |other| *other != own).map(move |other| {
            let mut text = tag.to_owned();
            text.replace_range(place..=place, other.encode_utf8(&mut [0; 4]));
            text
        })
    });
    changed.find(|text| sizes(text) == sizes(tag)).unwrap_or_default()
}

fn shown(tag: &str) -> String {
    let words: Vec<&str> = tag.split_whitespace().take(3).collect();
    format!("“{}”", words.join(" "))
}

pub fn stale(_: &Laboratory) -> Result<Finding> {
    let mut made = Construction::new();
    for _ in 0..40 {
        made.user(60).pairs(5, 80).closing();
    }
    let session = made.session();
    // Requests of the goal tier fail.
    let drive = |name: &str| -> Result<Trace> {
        Ok(trace_of(&session, &pipeline(name)?, windowless(), &fails_first(5, "--- Turn")))
    };
    let code = drive("forge-head-no-threshold")?;
    let records = drive("forge-tool-call-goal-batch")?;
    let mut found = Finding::default();
    let (mut mixed, mut sent_stale, mut without) = (0, 0, 0);
    let is_failed = |one: &&Compaction| matches!(one.outcome, CompactionOutcome::Failed(_));
    let failures = || code.compactions.iter().filter(is_failed);
    for failed in failures() {
        let before = |one: &&Compaction| one.step == failed.step && one.number < failed.number;
        let earlier = code.compactions.iter().filter(before).filter(|one| one.removed > 0).count();
        let Some(step) = code.steps.iter().find(|step| step.step == failed.step) else { continue };
        mixed += usize::from(earlier > 0);
        sent_stale += usize::from(earlier > 0 && step.sent > step.kept);
        without += usize::from(earlier == 0 && step.sent != step.kept);
        found.row(row![failed.step, earlier, step.kept.as_f64(), step.sent.as_f64()]);
    }
    let other = records.steps.iter().filter(|step| step.sent != step.kept).count();
    // Whether every call whose pass did not fail sent what the memory held.
    let after = code
        .steps
        .iter()
        .all(|step| step.sent == step.kept || failures().any(|failed| failed.step == step.step));
    if mixed > 0 {
        found.found([sent_stale == mixed && without == 0, after, other == 0]);
    }
    let calls = |what: &str, calls: usize| exact(what, "", calls as f64);
    found.measured = vec![
        calls("stale calls after a pass that had rewritten the memory and failed", sent_stale),
        calls("such passes", mixed),
        calls("stale calls of the records' pipeline", other),
    ];
    Ok(found)
}

pub fn converges(lab: &Laboratory) -> Result<Finding> {
    let tiers = [
        ("tool-call tier", only("forge-head", 0)?, 0),
        ("tool-call and goal tier", pipeline("forge-head-no-threshold")?, 0),
        ("threshold tier", only("forge-head", 1)?, 1),
    ];
    let control = lab.controls("turn-shape-p5-t60")?;
    let mut found = Finding::default();
    for (name, pipeline, from) in &tiers {
        let probed = for_each(&control, |cell| {
            let (limits, ask) = (windowless(), brief(200));
            let driven = with_cell(&cell.session, pipeline, limits, &ask, |cell| {
                drive(Cell { probes: true, ..cell })
            });
            driven.checkpoints
        });
        let again = |points: &[Checkpoint]| {
            points.iter().filter(|point| changes(point).get(*from) == Some(&true)).count()
        };
        let share = |points: &Vec<Checkpoint>| again(points) as f64 / points.len().max(1) as f64;
        let values: Vec<f64> = probed.iter().map(share).collect();
        let all = probed.concat();
        let rounds = |point| changes(point).into_iter().filter(|change| *change).count() as f64;
        let rounds: Vec<f64> = all.iter().map(rounds).collect();
        let rounds = stats::mean(&rounds).unwrap_or(f64::NAN);
        found.row(row![name, all.len(), again(&all), rounds]);
        let what = format!("{name}: share of points at which a second run changes the view");
        found.measured.push(mean(what, "", &values).share_of(1.0));
    }
    let expected = [0.0, 0.0, 1.0];
    let shares = found.measured.iter().zip(expected);
    let parts: Vec<bool> = shares.map(|(share, expected)| share.value == expected).collect();
    found.found(parts);
    Ok(found)
}

/// Of each run but the first: whether it changed the size of the view.
fn changes(point: &Checkpoint) -> Vec<bool> {
    point.rounds.windows(2).map(|pair| pair[0].tokens != pair[1].tokens).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harmless_beginning_has_the_same_size_and_is_no_tag() {
        for tag in TAGS {
            let other = harmless(tag);
            assert_eq!(other.len(), tag.len(), "{tag}");
            assert!(!TAGS.contains(&other.as_str()), "{other}");
        }
    }
}
