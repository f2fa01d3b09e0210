//! The Proctor curve.

use super::{Pictures, block};
use crate::chart::{Family, ScatterChart, ScatterControl, ScatterPoint, recall_against_tokens};
use crate::error::Result;
use crate::report::choice::choose;
use crate::report::completion::completes;
use crate::report::document::Block;
use crate::report::figures::{Figures, Subject};
use crate::report::number;
use crate::run_dir::read::number as parsed;
use crate::scenario::twin_of;

/// Points of one chart, those of a sweep aside.
const POINTS: usize = 40;

impl Pictures<'_> {
    /// Recall at need against the mean prompt: the Proctor curve.
    pub fn recall(&self) -> Result<Block> {
        let figures = self.figures;
        let driven = figures.unswept().filter(|subject| !subject.is_control()).collect();
        let choice = choose(figures, driven, POINTS);
        let swept = figures.subjects.iter().filter(|subject| subject.is_swept());
        let subjects = choice.drawn.iter().copied().chain(swept);
        let control = figures.unswept().find(|subject| subject.is_control());
        let data = ScatterChart {
            title: "The Proctor curve: what is known, against what is sent".to_owned(),
            unit: "% of the window",
            points: subjects.filter_map(|subject| point(figures, subject)).collect(),
            control: control.and_then(|subject| {
                let point = point(figures, subject)?;
                let name = format!("control ({})", subject.name());
                Some(ScatterControl { name, mean_prompt: point.mean_prompt, recall: point.recall })
            }),
        };
        let caption = format!(
            "Recall at need against mean prompt, means over the sessions that have such needs. Up \
             and to the left is better; the line joins configurations that no other beats on both. \
             Under and over each point, in the same tokens: dropping messages at random, and a \
             bound on keeping whole messages with all needs known beforehand, which only those \
             that rewrite can lie above. The control without a window is a line: its prompts would \
             stretch the scale.{}{}",
            behind(figures),
            choice.left_out
        );
        let why_not = "recall at need is not defined for any configuration";
        Ok(block("recall", &caption, recall_against_tokens(&data)?, why_not))
    }
}

/// How many sessions the points are means over, where that is not all of them.
fn behind(figures: &Figures) -> String {
    let mut rows = figures.run.curve.iter();
    let pooled = rows
        .find(|row| row.pool == "all" && row.point == "achieved" && row.summarizer == figures.main);
    let told_once = figures.run.manifest.sessions.iter();
    let all = told_once.filter(|session| twin_of(&session.scenario).is_none()).count();
    match pooled.map(|row| row.n as usize) {
        Some(n) if n < all => format!(
            " These are {n} of {all} sessions, for both axes; the mean prompts of the verdict \
             table are over all {all}."
        ),
        _ => String::new(),
    }
}

/// Mean prompt over the window, and recall.
fn achieved(
    figures: &Figures,
    subject: &Subject,
    summarizer: &str,
    point: &str,
) -> Option<(f64, f64)> {
    let mut rows = figures.run.curve.iter().filter(|row| row.pool == "all");
    let row = rows.find(|row| {
        row.point == point
            && row.summarizer == summarizer
            && (&row.pipeline, &row.variant, &row.mode)
                == (&subject.pipeline, &subject.variant, &subject.mode)
    });
    row.and_then(|row| Some((parsed(&row.mean_share)?, parsed(&row.recall)?)))
}

fn point(figures: &Figures, subject: &Subject) -> Option<ScatterPoint> {
    let own = figures.summarizer(subject, figures.main)?;
    let (share, recall) = achieved(figures, subject, own, "achieved")?;
    let of =
        |summarizer, point| achieved(figures, subject, summarizer, point).map(|(_, recall)| recall);
    let swept = subject.is_swept();
    Some(ScatterPoint {
        configuration: name(subject),
        family: family(&subject.pipeline),
        mean_prompt: share * 100.0,
        recall,
        brackets: of("empty", "achieved").zip(of("perfect", "achieved")),
        // Over a sweep they would hide what it is beside.
        bounds: of(own, "random-drop").zip(of(own, "oracle")).filter(|_| !swept),
        completed: completes(figures, subject),
        unranked: !figures.ranks(subject),
        sweep: swept.then(|| format!("{} ({})", subject.pipeline, subject.mode)),
    })
}

/// A swept limit by its share: its sweep has a name of its own.
fn name(subject: &Subject) -> String {
    let limit = subject.variant.strip_prefix("limit=").and_then(parsed);
    match limit.filter(|_| subject.is_swept()) {
        Some(limit) => format!("{} to {}", subject.pipeline, number::share(limit)),
        None => subject.name(),
    }
}

/// What a configuration shares its colour with.
pub fn family(pipeline: &str) -> Family {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| pipeline.starts_with(prefix));
    match () {
        () if starts(&["forge", "adr-0014"]) => Family::Forge,
        () if starts(&["goat"]) => Family::Goat,
        () if starts(&["full-replace"]) => Family::FullReplace,
        () if starts(&["codex", "roadmap"]) => Family::CodexStyle,
        () if starts(&["truncate", "prune-oldest"]) => Family::Truncation,
        () => Family::Other,
    }
}
