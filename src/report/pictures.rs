//! Charts of a report, from the rows of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::cells::losses_by_subject;
use super::completion::{completes, is_complete};
use super::document::{Block, Chart, Prose};
use super::figures::{Figures, Subject};
use super::verdicts::retention;
use crate::chart::{
    ContextChart, ContextPanel, CurveChart, CurveRound, CurveSeries, End, FloorChart, FloorFamily,
    FloorSeries, HeatChart, HeatRow, LossBar, LossChart, Rendered, ScatterChart, ScatterPoint,
    context_over_steps, floor_curve, floor_over_turns, loss_attribution, recall_against_tokens,
    retention_by_kind,
};
use crate::error::Result;
use crate::row::{FloorRow, StepRow};
use crate::run_dir::ManifestSession;
use crate::run_dir::read::{MeasurementRow, number, steps_of};
use crate::stats::fit::{self, Model};
use crate::unit::Tokens;

/// Families that one chart of floors shows.
const FLOOR_PANELS: usize = 8;
/// A windowless control that sends more windows than this would flatten the others.
const FITS: u64 = 2;
/// Sessions shown step by step.
const CONTEXT_CHARTS: usize = 6;

/// Draws the charts of a report.
pub struct Pictures<'a> {
    figures: &'a Figures<'a>,
}

impl<'a> Pictures<'a> {
    /// From these figures.
    pub fn of(figures: &'a Figures<'a>) -> Pictures<'a> {
        Pictures { figures }
    }

    /// Recall at need against the mean prompt: the Proctor curve.
    pub fn recall(&self) -> Result<Block> {
        let curve = |subject: &Subject, summarizer: &str, point: &str| {
            let rows = self.figures.run.curve.iter().filter(|row| row.pool == "all");
            rows.clone()
                .find(|row| {
                    row.point == point
                        && row.summarizer == summarizer
                        && (&row.pipeline, &row.variant, &row.mode)
                            == (&subject.pipeline, &subject.variant, &subject.mode)
                })
                .and_then(|row| Some((number(&row.mean_share)?, number(&row.recall)?)))
        };
        let main = self.figures.main;
        let shown = self.figures.subjects.iter().filter(|subject| self.figures.shows(subject));
        let points = shown.filter_map(|subject| {
            let own = self.figures.summarizer(subject, main)?;
            let (share, recall) = curve(subject, own, "achieved")?;
            let of =
                |summarizer, point| curve(subject, summarizer, point).map(|(_, recall)| recall);
            Some(ScatterPoint {
                configuration: subject.name(),
                family: subject.pipeline.clone(),
                mean_prompt: share * 100.0,
                recall,
                brackets: of("null", "achieved").zip(of("perfect", "achieved")),
                bounds: of(own, "random-drop").zip(of(own, "oracle")),
                completed: completes(self.figures, subject),
                unranked: !self.figures.ranks(subject),
            })
        });
        let title = "The Proctor curve: what is known, against what is sent".to_owned();
        let data = ScatterChart { title, unit: "% of the window", points: points.collect() };
        Ok(block(
            "recall",
            "Recall at need against mean prompt, means over the sessions that have such needs. Up \
             and to the left is better; the line joins configurations that no other beats on both. \
             Under and over each point, in the same tokens: dropping messages at random, and a \
             bound on keeping whole messages with all needs known beforehand, which only those \
             that rewrite can lie above.",
            recall_against_tokens(&data)?,
            "recall at need is not defined for any configuration",
        ))
    }

    /// Retention by kind of fact.
    pub fn retention(&self) -> Result<Block> {
        let rows: Vec<(String, Vec<_>)> = self
            .figures
            .unswept()
            .map(|subject| (subject.name(), retention(self.figures, subject)))
            .collect();
        let known = |index: usize| rows.iter().any(|(_, kinds)| kinds[index].1.is_some());
        let count = crate::truth::FactKind::ALL.len();
        let shown: Vec<usize> = (0..count).filter(|index| known(*index)).collect();
        let kinds = shown.iter().map(|index| crate::truth::FactKind::ALL[*index].name().to_owned());
        let data = HeatChart {
            title: "Facts retained at the end of the session, by kind".to_owned(),
            value: "share of the session's facts in the last prompt (0 to 1)".to_owned(),
            kinds: kinds.collect(),
            rows: rows
                .iter()
                .map(|(name, kinds)| HeatRow {
                    configuration: name.clone(),
                    values: shown.iter().map(|index| kinds[*index].1).collect(),
                })
                .collect(),
        };
        Ok(block(
            "retention",
            "Retention by kind of fact under the main summarizer. An empty field: the \
             sessions hold no such fact.",
            retention_by_kind(&data)?,
            "retention by kind was not measured in this run",
        ))
    }

    /// Facts lost by cause.
    pub fn losses(&self) -> Result<Block> {
        let bars = losses_by_subject(self.figures)
            .into_iter()
            .map(|(subject, facts)| LossBar { configuration: subject.name(), facts });
        let title = "Facts lost, by cause".to_owned();
        let data = LossChart { title, bars: bars.collect() };
        let caption = "Facts that compactions took from the context, over all sessions.";
        Ok(block("losses", caption, loss_attribution(&data)?, "no compaction lost a fact"))
    }

    /// `floor.one_pass` over turns by family.
    pub fn floor(&self) -> Result<Block> {
        let probed: BTreeSet<&str> =
            self.figures.run.floor.iter().map(|row| row.cell.as_str()).collect();
        let mut families: Vec<&str> = self.figures.families();
        families.retain(|family| {
            let mut cells = self.figures.run.measurements.iter();
            cells.any(|row| row.key.family == *family && probed.contains(row.key.cell.as_str()))
        });
        // Families with several lengths first: they are there to be read here.
        families.sort_by_key(|family| self.figures.lengths(family) < 2);
        let left_out = families.split_off(families.len().min(FLOOR_PANELS));
        let usable_window = self.usable_window(&families);
        // Without a window a floor may rise so far that it flattens the others.
        let fits = |series: &FloorSeries| {
            let most = series.points.iter().map(|(_, tokens)| *tokens).fold(0.0, f64::max);
            usable_window.is_none_or(|window| most <= window.as_f64() * 1.5)
        };
        let mut too_tall: BTreeSet<String> = BTreeSet::new();
        let panels = families.iter().map(|family| {
            let (series, tall): (Vec<_>, Vec<_>) =
                self.floor_series(family).into_iter().partition(fits);
            too_tall.extend(tall.into_iter().map(|series| series.configuration));
            FloorFamily { name: (*family).to_owned(), series }
        });
        let data = FloorChart {
            title: "Floor after one forced round, over turns".to_owned(),
            families: panels.collect(),
            usable_window,
        };
        let mut caption = "Means over seeds at each checkpoint, with the law of growth that the \
                           verdict rests on."
            .to_owned();
        if !left_out.is_empty() {
            caption.push_str(&format!(" Not drawn: {}.", left_out.join(", ")));
        }
        if !too_tall.is_empty() {
            let names: Vec<String> = too_tall.into_iter().collect();
            let names = names.join(", ");
            caption.push_str(&format!(" Left out where far above the window: {names}."));
        }
        Ok(block("floor", &caption, floor_over_turns(&data)?, "the floor was not probed"))
    }

    fn sessions_of(&self, families: &[&str]) -> Vec<&ManifestSession> {
        let cells = self.figures.run.manifest.cells.iter().map(|cell| &cell.key);
        let scenarios: BTreeSet<&str> = cells
            .filter(|key| families.contains(&key.family.as_str()))
            .map(|key| key.scenario.as_str())
            .collect();
        let sessions = self.figures.run.manifest.sessions.iter();
        sessions.filter(|session| scenarios.contains(session.scenario.as_str())).collect()
    }

    /// The window that all of these share, less what every prompt carries.
    fn usable_window(&self, families: &[&str]) -> Option<Tokens> {
        let sessions = self.sessions_of(families);
        let usable =
            sessions.iter().map(|session| session.window.saturating_sub(session.fixed_tokens));
        let least = usable.clone().min()?;
        // Sessions differ a little in what they carry; windows of two sizes do not fit one line.
        (usable.max()? - least <= least / 50).then_some(Tokens(least))
    }

    fn floor_series(&self, family: &str) -> Vec<FloorSeries> {
        let subjects = self.figures.unswept().filter(|subject| !subject.is_control());
        let series = subjects.map(|subject| {
            let cells = self.cells_of(family, subject);
            let own = |row: &&FloorRow| cells.contains(row.cell.as_str()) && row.round == 1;
            let mut by_turn: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
            for row in self.figures.run.floor.iter().filter(own) {
                by_turn.entry(row.turn).or_default().push(row.tokens as f64);
            }
            let mean = |(turn, values): (&u32, &Vec<f64>)| {
                Some((f64::from(*turn), crate::stats::mean(values)?))
            };
            let points: Vec<(f64, f64)> = by_turn.iter().filter_map(mean).collect();
            let growth = self.figures.in_family(family, subject, "floor.growth").word;
            let fit = fitted(&growth, &points);
            FloorSeries { configuration: subject.name(), points, fit }
        });
        series.filter(|series| !series.points.is_empty()).collect()
    }

    fn cells_of(&self, family: &str, subject: &Subject) -> BTreeSet<&str> {
        let cells = self.figures.cells(subject, self.figures.main).into_iter();
        cells.filter(|row| row.key.family == family).map(|row| row.key.cell.as_str()).collect()
    }

    /// The floor curve of one session: what further rounds free and what they forget.
    pub fn curve(&self) -> Result<Block> {
        let none = "no floor probe of this run tells more than one round";
        let Some(session) = self.curve_session() else {
            return Ok(block("curve", "", None, none));
        };
        let series = self.figures.unswept().filter_map(|subject| {
            let cell = self.cell_of(subject, &session.scenario, session.seed)?;
            let rows = self.figures.run.floor.iter().filter(|row| row.cell == cell.key.cell);
            let last = rows.clone().map(|row| row.checkpoint).max()?;
            let rounds = rows.filter(|row| row.checkpoint == last).map(|row| CurveRound {
                round: u64::from(row.round),
                tokens: Tokens(row.tokens),
                recall: (row.live > 0).then(|| f64::from(row.present) / f64::from(row.live)),
            });
            Some(CurveSeries { configuration: subject.name(), rounds: rounds.collect() })
        });
        let data = CurveChart {
            title: format!("Floor curve: {}, seed {}", session.scenario, session.seed),
            series: series.collect(),
        };
        let caption = "Forcing compaction again and again, at the last checkpoint. Tokens that go \
                       without recall are slack; tokens that take recall along are memory.";
        Ok(block("curve", caption, floor_curve(&data)?, none))
    }

    /// The probed session with most live facts in its probe; of equals the first.
    fn curve_session(&self) -> Option<&ManifestSession> {
        let mut live: BTreeMap<(&str, u64), u32> = BTreeMap::new();
        for row in &self.figures.run.floor {
            let Some(cell) = self.figures.cell(&row.cell) else { continue };
            let most = live.entry((cell.key.scenario.as_str(), cell.key.seed)).or_default();
            *most = row.live.max(*most);
        }
        let sessions = self.figures.run.manifest.sessions.iter();
        let most = |session: &&ManifestSession| {
            live.get(&(session.scenario.as_str(), session.seed)).copied()
        };
        let best = sessions.clone().filter_map(|session| most(&session)).max()?;
        sessions.clone().find(|session| most(session) == Some(best))
    }

    fn cell_of(&self, subject: &Subject, scenario: &str, seed: u64) -> Option<&MeasurementRow> {
        let cells = self.figures.cells(subject, self.figures.main).into_iter();
        let mut own = cells.filter(|row| row.key.scenario == scenario && row.key.seed == seed);
        own.next()
    }

    /// What was sent at every step, one session of each family.
    pub fn context(&self, dir: &Path) -> Result<Vec<Block>> {
        let mut sessions: Vec<&ManifestSession> = Vec::new();
        let mut families = self.figures.families();
        families.sort_by_key(|family| self.figures.lengths(family) > 1);
        for family in families {
            let own = self.sessions_of(&[family]);
            // The first of the longest: its seed is the first.
            let longest = own.iter().map(|session| session.turns).max();
            sessions.extend(own.iter().find(|session| Some(session.turns) == longest));
        }
        let left_out = sessions.split_off(sessions.len().min(CONTEXT_CHARTS));
        let cells: Vec<Vec<(&Subject, &MeasurementRow)>> =
            sessions.iter().map(|session| self.panels_of(session)).collect();
        let wanted = cells.iter().flatten().map(|(_, row)| row.key.cell.clone()).collect();
        let steps = steps_of(dir, &wanted)?;
        let mut blocks = Vec::new();
        for (index, (session, cells)) in sessions.iter().zip(&cells).enumerate() {
            blocks.push(self.context_of(index + 1, session, cells, &steps)?);
        }
        if !left_out.is_empty() {
            let names: Vec<&str> =
                left_out.iter().map(|session| session.scenario.as_str()).collect();
            blocks.push(Block::Prose(Prose::new("Not drawn: ").names(&names).then(".")));
        }
        Ok(blocks)
    }

    fn panels_of(&self, session: &ManifestSession) -> Vec<(&Subject, &MeasurementRow)> {
        let subjects = self.figures.unswept();
        subjects
            .filter_map(|subject| {
                Some((subject, self.cell_of(subject, &session.scenario, session.seed)?))
            })
            .collect()
    }

    fn context_of(
        &self,
        number: usize,
        session: &ManifestSession,
        cells: &[(&Subject, &MeasurementRow)],
        steps: &BTreeMap<String, Vec<StepRow>>,
    ) -> Result<Block> {
        let mut left_out = Vec::new();
        let panels = cells.iter().filter_map(|(subject, row)| {
            let steps = steps.get(&row.key.cell)?;
            let most = steps.iter().map(|step| step.prompt).max()?;
            if subject.is_windowless() && most > session.window.saturating_mul(FITS) {
                left_out.push(subject.name());
                return None;
            }
            let last = u64::from(steps.last()?.step);
            let end = (!is_complete(row)).then(|| End {
                step: last,
                reason: row.word("ended_by").unwrap_or("ended").to_owned(),
            });
            let prompt = steps.iter().map(|step| (u64::from(step.step), Tokens(step.prompt)));
            Some(ContextPanel {
                configuration: subject.name(),
                prompt: prompt.collect(),
                window: (!subject.is_windowless()).then_some(Tokens(row.key.window)),
                compactions: self.compactions(&row.key.cell),
                end,
            })
        });
        let title = format!("{}, seed {}", session.scenario, session.seed);
        let data = ContextChart { title, panels: panels.collect() };
        let mut caption = format!(
            "Context over the {} steps of {}, seed {}.",
            session.steps, session.scenario, session.seed
        );
        if !left_out.is_empty() {
            let names = left_out.join(", ");
            caption.push_str(&format!(" Too tall to be drawn beside them: {names}."));
        }
        let drawn = context_over_steps(&data)?;
        Ok(block(
            &format!("context-{number}"),
            &caption,
            drawn,
            "steps.csv holds none of its steps",
        ))
    }

    /// Steps of plans that changed the view.
    fn compactions(&self, cell: &str) -> Vec<u64> {
        let plans = self.figures.run.compactions.iter().filter(|plan| plan.cell == cell);
        plans
            .filter(|plan| matches!(plan.outcome.as_str(), "accepted" | "fallback"))
            .map(|plan| u64::from(plan.step))
            .collect()
    }
}

/// The named law of growth through the points, along their turns.
fn fitted(growth: &str, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let model = Model::ALL.into_iter().find(|model| model.name() == growth);
    let Some(fit) = model.and_then(|model| fit::fit(model, points)) else { return Vec::new() };
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    const PIECES: u32 = 24;
    let step = (last.0 - first.0) / f64::from(PIECES);
    let turns = (0..=PIECES).map(|piece| first.0 + step * f64::from(piece));
    turns.map(|turn| (turn, fit.at(turn))).collect()
}

/// A chart, or why there is none.
pub(super) fn block(name: &str, caption: &str, drawn: Option<Rendered>, why_not: &str) -> Block {
    match drawn {
        Some(drawn) => Block::Chart(Chart {
            name: name.to_owned(),
            caption: caption.to_owned(),
            svg: drawn.svg,
            width: drawn.width,
            png: drawn.png,
        }),
        None => Block::Prose(Prose::new(format!("No chart here: {why_not}."))),
    }
}
