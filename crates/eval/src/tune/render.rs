//! A search as people read it: the same tables and sentences on the terminal and as Markdown.

use super::score::Cost;
use super::verdict::{Aim, Outcome, Pick, Verdict};
use super::{Effect, HeldPoint, Strength, Tuning};
use crate::compare::render::{Lines, markdown_table};
use crate::compare::{LEAST_SESSIONS, Row};
use crate::measure::MetricId;
use crate::number::{self, UNDEFINED};

/// A table or a paragraph.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A table.
    Table(Lines),
    /// A line of text.
    Line(String),
}

/// A part of the answer under its heading.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The heading.
    pub title: &'static str,
    /// What stands below.
    pub parts: Vec<Part>,
}

impl Section {
    /// As Markdown, under a heading of the second level.
    pub fn markdown(&self) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Table(table) => markdown_table(table),
            Part::Line(line) => line.clone(),
        });
        let parts: Vec<String> = parts.collect();
        format!("## {}\n\n{}\n", self.title, parts.join("\n\n"))
    }

    /// As text, with tables as the given function draws them.
    pub fn text(&self, table: impl Fn(&Lines) -> String) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Table(lines) => table(lines) + "\n",
            Part::Line(line) => line.clone(),
        });
        let parts = parts.collect::<Vec<_>>();
        format!("{}\n\n{}\n", self.title, parts.join("\n"))
    }
}

/// The front, what each parameter does, the verdict.
pub fn sections(tuning: &Tuning) -> Vec<Section> {
    vec![points(tuning), front(tuning), effects(tuning), verdict(tuning)]
}

impl Tuning {
    fn name(&self, point: usize) -> String {
        match point {
            0 => "defaults".to_owned(),
            _ => self.found.points[point].pipeline.name.clone(),
        }
    }
}

fn points(tuning: &Tuning) -> Section {
    let row = |one: &HeldPoint| {
        let point = &tuning.found.points[one.point];
        let numbers = match one.point {
            0 => tuning
                .ranges
                .iter()
                .filter_map(|range| {
                    Some(format!("{} {}", range.key, range.written(range.default?)))
                })
                .collect::<Vec<_>>()
                .join(", "),
            _ => point.changed(&tuning.ranges).join(", "),
        };
        vec![tuning.name(one.point), numbers, point.origin.to_string()]
    };
    let rows = tuning.held.points.iter().map(row).collect();
    let parts = vec![Part::Table((vec!["point", "parameters", "found"], rows))];
    Section { title: "Points that were held against the defaults", parts }
}

/// By rising price; the defaults first.
fn front(tuning: &Tuning) -> Section {
    let mut points: Vec<&HeldPoint> = tuning.held.points.iter().collect();
    let price = |one: &HeldPoint| one.score.cost(Cost::Dollars).unwrap_or(f64::INFINITY);
    points.sort_by(|one, other| {
        let defaults_first = (one.point != 0).cmp(&(other.point != 0));
        defaults_first.then(price(one).total_cmp(&price(other))).then(one.point.cmp(&other.point))
    });
    let row = |one: &&HeldPoint| {
        let score = &one.score;
        let mut row = vec![tuning.name(one.point), fronts(one)];
        row.push(beside(score.recall, number::share, one.row(MetricId::RecallAtNeed), in_points));
        let writers: [fn(f64) -> String; 3] = [number::dollars, number::tokens, number::seconds];
        for (cost, write) in Cost::ALL.into_iter().zip(writers) {
            row.push(beside(score.cost(cost), write, one.row(cost.metric()), relative));
        }
        row.push(format!("{}/{}", score.finished, score.sessions));
        row
    };
    let head = vec![
        "point",
        "stays on the front of",
        "recall at need",
        "$ a session",
        "prompt tokens",
        "wait, s",
        "finished",
    ];
    let mut parts = vec![Part::Table((head, points.iter().map(row).collect()))];
    parts.push(Part::Line(format!(
        "{} sessions held back, each point and the defaults on the same; in brackets the difference \
         from the defaults with its 95 % interval, of recall in points, of costs in per cent of the \
         defaults'.",
        tuning.held.sessions
    )));
    let uneven = points.iter().any(|one| one.score.finished < one.score.sessions);
    if uneven {
        let line = "Sessions ended early: their needs that were not reached count as not recalled, \
                    what they cost is scaled to all calls, and differences of costs are over the \
                    sessions that both sides took equally far.";
        parts.push(Part::Line(line.to_owned()));
    }
    if tuning.held.left_out > 0 {
        parts.push(Part::Line(format!(
            "{} further points of the fronts were not driven here; more `--cells` drive more.",
            tuning.held.left_out
        )));
    }
    Section { title: "The front on the held-back part", parts }
}

fn fronts(one: &HeldPoint) -> String {
    let on = Cost::ALL.into_iter().filter(|cost| one.stays[*cost as usize]);
    let on: Vec<&str> = on.map(Cost::name).collect();
    if on.is_empty() { "none".to_owned() } else { on.join(", ") }
}

/// A figure, and in brackets how it differs from the defaults'.
fn beside(
    value: Option<f64>,
    write: fn(f64) -> String,
    row: Option<&Row>,
    by: fn(&Row, f64) -> Option<String>,
) -> String {
    let value = value.map_or_else(|| UNDEFINED.to_owned(), write);
    match row.and_then(|row| differs(row, by)) {
        Some(by) => format!("{value} ({by})"),
        None => value,
    }
}

fn differs(row: &Row, by: fn(&Row, f64) -> Option<String>) -> Option<String> {
    let mean = by(row, row.difference?)?;
    let ends = row.low.zip(row.high).and_then(|(low, high)| Some((by(row, low)?, by(row, high)?)));
    Some(match ends {
        Some((low, high)) => format!("{mean} [{low}, {high}]"),
        None => mean,
    })
}

fn in_points(_: &Row, difference: f64) -> Option<String> {
    Some(number::points(difference))
}

fn relative(row: &Row, difference: f64) -> Option<String> {
    let base = row.baseline_mean.filter(|mean| *mean > 0.0)?;
    Some(format!("{}%", number::points(difference / base)))
}

fn effects(tuning: &Tuning) -> Section {
    let one = |strength: &Option<Strength>| match strength {
        Some(Strength { correlation, is_shown }) => {
            let sign = if *correlation < 0.0 { "−" } else { "+" };
            let mark = if *is_shown { "*" } else { "" };
            format!("{sign}{:.2}{mark}", correlation.abs())
        }
        None => UNDEFINED.to_owned(),
    };
    let row = |effect: &Effect| {
        let mut row = vec![effect.key.clone(), one(&effect.recall)];
        row.extend(effect.costs.iter().map(one));
        row.push(if effect.is_any() { "yes" } else { "none shown" }.to_owned());
        row
    };
    let head = vec!["parameter", "recall", "dollars", "tokens", "wait", "effect"];
    let rows = tuning.effects.iter().map(row).collect();
    let points = tuning.found.rung(1).count();
    let line = format!(
        "Correlation of ranks over the {points} points of the first rung of the search; a star marks \
         what chance gives once in a hundred times or less."
    );
    let parts = vec![Part::Table((head, rows)), Part::Line(line)];
    Section { title: "What each parameter does", parts }
}

fn verdict(tuning: &Tuning) -> Section {
    let held = &tuning.held;
    let mut parts = Vec::new();
    for cost in Cost::ALL {
        let verdict = held.verdict(cost);
        parts.push(Part::Line(format!("{}: {}", cost.name(), verdict_in_words(verdict))));
        for aim in Aim::ALL {
            let pick = held.picks.iter().find(|pick| (pick.cost, pick.aim) == (cost, aim));
            let says = match (pick, aim) {
                (Some(pick), _) => said(tuning, pick),
                // The defaults finish all, or no point finishes more.
                (None, Aim::MoreFinished) => continue,
                (None, _) => "the search found no point".to_owned(),
            };
            parts.push(Part::Line(format!("- {}: {says}", aim_in_words(aim))));
        }
    }
    if held.sessions < LEAST_SESSIONS {
        parts.push(Part::Line(format!(
            "{} sessions are held back; fewer than {LEAST_SESSIONS} decide nothing.",
            held.sessions
        )));
    }
    parts.push(Part::Line(tuning.conclusion()));
    Section { title: "Verdict", parts }
}

fn verdict_in_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Tuned => "better than the defaults",
        Verdict::DefaultsStand => "the defaults stand",
    }
}

fn aim_in_words(aim: Aim) -> &'static str {
    match aim {
        Aim::MoreFinished => "more sessions finished",
        Aim::MoreRecall => "same cost, more recall",
        Aim::LessCost => "same recall, less cost",
    }
}

/// A pick with what became of it.
fn said(tuning: &Tuning, pick: &Pick) -> String {
    let outcome = match (pick.outcome, pick.aim) {
        (Outcome::Better, Aim::MoreFinished) => "finishes more and knows no less",
        (Outcome::Better, _) => "is better",
        (Outcome::AtAPrice, Aim::MoreFinished) => "finishes more and knows less",
        (Outcome::OtherOpen, Aim::MoreFinished) => "finishes more; whether it knows less is open",
        (Outcome::AtAPrice, Aim::MoreRecall) => "knows more and costs more",
        (Outcome::AtAPrice, Aim::LessCost) => "costs less and knows less",
        (Outcome::OtherOpen, Aim::MoreRecall) => "knows more; whether it costs more is open",
        (Outcome::OtherOpen, Aim::LessCost) => "costs less; whether it knows less is open",
        (Outcome::Alike, _) => "is alike, within the margin",
        (Outcome::Worse, _) => "is worse",
        (Outcome::Open, _) => "is not shown to be better",
    };
    let figures = [
        pick.finished
            .as_ref()
            .filter(|_| pick.aim == Aim::MoreFinished)
            .and_then(|row| Some(format!("finished {}", differs(row, in_points)?))),
        pick.recall.as_ref().and_then(|row| Some(format!("recall {}", differs(row, in_points)?))),
        pick.price
            .as_ref()
            .and_then(|row| Some(format!("{} {}", pick.cost.name(), differs(row, relative)?))),
    ];
    let figures: Vec<String> = figures.into_iter().flatten().collect();
    let open = match pick.outcome {
        Outcome::Open => pick.aimed(),
        Outcome::OtherOpen => pick.other(),
        _ => None,
    };
    let open = open.map(|row| format!("; {}", row.says())).unwrap_or_default();
    format!("`{}` {outcome}: {}{open}", tuning.name(pick.point), figures.join(", "))
}

impl Tuning {
    /// The points that are better than the defaults, by number, and on which fronts.
    pub fn better(&self) -> Vec<(usize, Vec<Cost>)> {
        let better = self.held.picks.iter().filter(|pick| pick.outcome == Outcome::Better);
        let mut all: Vec<(usize, Vec<Cost>)> = Vec::new();
        for pick in better {
            match all.iter_mut().find(|(point, _)| *point == pick.point) {
                Some((_, costs)) if costs.contains(&pick.cost) => {}
                Some((_, costs)) => costs.push(pick.cost),
                None => all.push((pick.point, vec![pick.cost])),
            }
        }
        all
    }

    /// What it comes to, in a sentence.
    pub fn conclusion(&self) -> String {
        let better = self.better();
        if better.is_empty() {
            return "verdict: the defaults stand".to_owned();
        }
        let told = better.iter().map(|(point, costs)| {
            let costs: Vec<&str> = costs.iter().map(|cost| cost.name()).collect();
            format!("`{}` ({})", self.name(*point), costs.join(", "))
        });
        let told: Vec<String> = told.collect();
        format!("verdict: better than the defaults: {}", told.join(", "))
    }
}
