//! A cell at a glance: how it ended, its context, its compactions, what was missed.

use std::collections::BTreeMap;

use crate::cli::inspect::cell::Shown;
use crate::cli::inspect::{chart, compaction};
use crate::cli::paper::{Paper, Style};
use crate::number::tokens;
use crate::run_dir::story::{Story, ToldCompaction};

/// Compactions and missed needs that are listed before the rest is only counted.
const LISTED: usize = 30;

pub(super) fn write(paper: &mut Paper, shown: &Shown, full: bool) {
    let story = &shown.told.story;
    head(paper, story);
    chart::write(paper, story);
    compactions(paper, story, full);
    missed(paper, story, full);
    if full {
        for one in &story.compactions {
            paper.blank();
            compaction::body(paper, &shown.told, one, true);
        }
        return;
    }
    if !story.compactions.is_empty() {
        paper.blank();
        let says =
            "`--compaction N`, `--step N` and `--fact TEXT` go to one; `--full` shows all texts";
        paper.line(&[(Style::Faint, says)]);
    }
}

fn head(paper: &mut Paper, story: &Story) {
    paper.line(&[(Style::Strong, &story.cell)]);
    let (scenario, mode, asked) = (&story.scenario, &story.mode, &story.summarizer);
    let of = format!("  {scenario}, seed {}, {mode}, summarizer {asked}", story.seed);
    paper.line(&[(Style::Plain, &of)]);
    let steps = story.steps.step.len();
    let turns = story.steps.turn.last().copied().unwrap_or(0);
    let style = if story.ended_by == "completed" { Style::Good } else { Style::Bad };
    paper.line(&[
        (Style::Plain, "  "),
        (style, &story.ended_by),
        (Style::Plain, &format!(" after {steps} steps in {turns} turns")),
    ]);
    let most = story.steps.prompt.iter().copied().max().unwrap_or(0);
    let sum: u64 = story.steps.prompt.iter().sum();
    let mean = sum as f64 / steps.max(1) as f64;
    let window = match story.window {
        0 => "no window".to_owned(),
        window => format!(
            "window {}, of which a prompt may use {}",
            tokens(window as f64),
            tokens(story.usable as f64)
        ),
    };
    let sent = format!("  {window}; prompts of {} in the mean", tokens(mean));
    paper.line(&[(Style::Plain, &format!("{sent}, {} at most", tokens(most as f64)))]);
    let met = story.demands.iter().filter(|demand| demand.met).count();
    let usd: f64 = story.compactions.iter().map(|compaction| compaction.usd).sum();
    let count = story.compactions.len();
    let needs = story.demands.len();
    let style = if met == needs { Style::Good } else { Style::Bad };
    paper.line(&[
        (Style::Plain, &format!("  {count} compactions for ${usd:.2}; of {needs} needs ")),
        (style, &format!("{met} were met")),
    ]);
}

/// Lost facts of a compaction that were needed later.
fn needed(compaction: &ToldCompaction) -> usize {
    compaction.lost.iter().filter(|lost| !lost.needed_at.is_empty()).count()
}

fn compactions(paper: &mut Paper, story: &Story, full: bool) {
    if story.compactions.is_empty() {
        return;
    }
    let mut listed: Vec<&ToldCompaction> = story.compactions.iter().collect();
    let all = listed.len();
    if !full && all > LISTED {
        listed
            .sort_by_key(|one| (usize::MAX - needed(one), usize::MAX - one.lost.len(), one.number));
        listed.truncate(LISTED);
        listed.sort_by_key(|one| one.number);
    }
    let rest = match all - listed.len() {
        0 => String::new(),
        rest => format!("those that lost most; {rest} more with `--full`"),
    };
    paper.heading("COMPACTIONS", &rest);
    let heads = [
        "#n",
        "#step",
        "#turn",
        "stage",
        "outcome",
        "#before",
        "#after",
        "#left",
        "#unseen",
        "#lived",
        "#lost",
        "#missed",
        "rules broken",
    ];
    let rows: Vec<_> = listed.iter().map(|one| row(one)).collect();
    paper.columns(&heads, &rows);
}

fn row(one: &ToldCompaction) -> Vec<(Style, String)> {
    let left = one.covers.len() as u32 + one.more_covered;
    let asked = !one.answers.is_empty();
    let unseen = one.covers.iter().filter(|covered| !covered.shown).count();
    let plain = |text: String| (Style::Plain, text);
    let bad_if_any = |count: usize| match count {
        0 => (Style::Faint, "0".to_owned()),
        count => (Style::Bad, count.to_string()),
    };
    let unseen = match (asked, one.more_covered) {
        (false, _) => (Style::Faint, "–".to_owned()),
        (true, 0) => plain(unseen.to_string()),
        (true, _) => plain(format!("≥{unseen}")),
    };
    let outcome = if one.outcome == "accepted" { Style::Plain } else { Style::Bad };
    vec![
        (Style::Strong, one.number.to_string()),
        plain(one.step.to_string()),
        plain(one.turn.to_string()),
        (Style::Name, one.stage.clone()),
        (outcome, one.outcome.clone()),
        plain(tokens(one.before as f64)),
        plain(tokens(one.after as f64)),
        plain(left.to_string()),
        unseen,
        plain(one.lived.len().to_string()),
        plain(one.lost.len().to_string()),
        bad_if_any(needed(one)),
        (Style::Bad, compaction::rules(one)),
    ]
}

/// By fact and step: the compaction that lost it, and why.
pub(super) fn losers(story: &Story) -> BTreeMap<(u32, u32), (u32, &str)> {
    let mut losers = BTreeMap::new();
    for compaction in &story.compactions {
        for lost in &compaction.lost {
            for step in &lost.needed_at {
                losers.insert((lost.fact, *step), (compaction.number, lost.class.as_str()));
            }
        }
    }
    losers
}

fn missed(paper: &mut Paper, story: &Story, full: bool) {
    let missed: Vec<_> = story.demands.iter().filter(|demand| !demand.met).collect();
    if missed.is_empty() {
        return;
    }
    let most = if full { usize::MAX } else { LISTED };
    let rest = match missed.len().saturating_sub(most) {
        0 => String::new(),
        rest => format!("the first {most}; {rest} more with `--full`"),
    };
    paper.heading("NEEDED AND MISSED", &rest);
    let losers = losers(story);
    let rows = missed.iter().take(most).map(|demand| {
        let fact = story.facts.get(demand.fact as usize);
        let (by, why) = match losers.get(&(demand.fact, demand.step)) {
            Some((number, class)) => (number.to_string(), (*class).to_owned()),
            None => ("–".to_owned(), "not there, and no compaction lost it".to_owned()),
        };
        vec![
            (Style::Strong, demand.step.to_string()),
            (Style::Plain, by),
            (Style::Bad, why),
            (Style::Name, fact.map_or(String::new(), |fact| fact.kind.clone())),
            (Style::Plain, fact.map_or(String::new(), |fact| fact.statement.clone())),
        ]
    });
    let heads = ["#step", "#lost by", "how", "kind", "fact"];
    paper.columns(&heads, &rows.collect::<Vec<_>>());
}
