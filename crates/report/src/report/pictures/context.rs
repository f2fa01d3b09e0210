//! What was sent at every step, and what it was made of.

use crate::measure::MetricId;
use crate::trace::Ending;
use std::collections::BTreeMap;
use std::path::Path;

use super::{Pictures, block};
use crate::chart::{
    CompositionChart, CompositionPanel, CompositionStep, ContextChart, ContextPanel, End,
    composition_over_steps, context_over_steps,
};
use crate::error::Result;
use crate::frame::MeasuredCell;
use crate::report::choice::{PANELS, choose};
use crate::report::completion::is_complete;
use crate::report::document::{Block, Prose};
use crate::report::figures::Subject;
use crate::row::StepRow;
use crate::run_dir::ManifestSession;
use crate::run_dir::read::steps_of;
use crate::trace::Share;
use crate::unit::Tokens;

/// A windowless configuration that sends more windows than this would flatten the others.
const FITS: f64 = 2.0;
/// Sessions shown step by step.
const CONTEXT_CHARTS: usize = 6;

/// A session with the cells that are drawn of it.
struct Shown<'a> {
    session: &'a ManifestSession,
    cells: Vec<(&'a Subject, &'a MeasuredCell)>,
    /// Sentences on what is not drawn.
    left_out: String,
}

type Steps = BTreeMap<String, Vec<StepRow>>;

impl Pictures<'_> {
    /// What was sent at every step, one session of each family, and what one of them
    /// was made of.
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
        let shown: Vec<Shown> = sessions.iter().map(|session| self.shown(session)).collect();
        let cells = shown.iter().flat_map(|one| &one.cells);
        let wanted = cells.map(|(_, row)| row.key.cell.clone()).collect();
        let steps = steps_of(dir, &wanted)?;
        let mut blocks = Vec::new();
        for (index, shown) in shown.iter().enumerate() {
            blocks.push(self.context_of(index + 1, shown, &steps)?);
            if index == 0 {
                blocks.push(composition_of(shown, &steps)?);
            }
        }
        if !left_out.is_empty() {
            let names: Vec<&str> =
                left_out.iter().map(|session| session.scenario.as_str()).collect();
            blocks.push(Block::Prose(Prose::new("Not drawn: ").names(&names).then(".")));
        }
        Ok(blocks)
    }

    fn shown<'b>(&'b self, session: &'b ManifestSession) -> Shown<'b> {
        let of = |subject: &Subject| self.cell_of(subject, &session.scenario, session.seed);
        let tall = |subject: &&Subject| {
            let peak = of(subject).and_then(|row| row.number(MetricId::TokensPeak));
            subject.is_windowless() && peak.is_some_and(|peak| peak > session.window as f64 * FITS)
        };
        let driven = self.figures.unswept().filter(|subject| of(subject).is_some());
        let (too_tall, fitting): (Vec<&Subject>, Vec<&Subject>) = driven.partition(tall);
        let choice = choose(self.figures, fitting, PANELS);
        let mut left_out = choice.left_out;
        if !too_tall.is_empty() {
            let names: Vec<String> = too_tall.iter().map(|subject| subject.name()).collect();
            let names = names.join(", ");
            left_out.push_str(&format!(" Too tall to be drawn beside them: {names}."));
        }
        let cells = choice.drawn.into_iter().filter_map(|subject| Some((subject, of(subject)?)));
        Shown { session, cells: cells.collect(), left_out }
    }

    fn context_of(&self, number: usize, shown: &Shown, steps: &Steps) -> Result<Block> {
        let session = shown.session;
        let panels = shown.cells.iter().filter_map(|(subject, row)| {
            let steps = steps.get(&row.key.cell)?;
            let prompt = steps.iter().map(|step| (u64::from(step.step), step.prompt));
            Some(ContextPanel {
                configuration: subject.name(),
                prompt: prompt.collect(),
                window: (!subject.is_windowless()).then_some(Tokens(row.key.window)),
                compactions: self.compactions(&row.key.cell),
                end: end(row, steps),
            })
        });
        let title = format!("{}, seed {}", session.scenario, session.seed);
        let data = ContextChart { title, panels: panels.collect() };
        let caption = format!(
            "Context over the {} steps of {}, seed {}.{}",
            session.steps, session.scenario, session.seed, shown.left_out
        );
        let name = format!("context-{number}");
        Ok(block(
            &name,
            &caption,
            context_over_steps(&data)?,
            "steps.parquet holds none of its steps",
        ))
    }

    /// Steps of plans that changed the view.
    fn compactions(&self, cell: &str) -> Vec<u64> {
        let plans = self.figures.run.compactions.iter().filter(|plan| plan.cell == cell);
        plans.filter(|plan| plan.outcome.is_applied()).map(|plan| u64::from(plan.step)).collect()
    }
}

/// The end of a session that did not complete.
fn end(row: &MeasuredCell, steps: &[StepRow]) -> Option<End> {
    let step = u64::from(steps.last()?.step);
    let reason = row.ended_by().map_or("ended", Ending::name).to_owned();
    (!is_complete(row)).then_some(End { step, reason })
}

fn composition_of(shown: &Shown, steps: &Steps) -> Result<Block> {
    let session = shown.session;
    let panels = shown.cells.iter().filter_map(|(subject, row)| {
        let steps = steps.get(&row.key.cell)?;
        Some(CompositionPanel {
            configuration: subject.name(),
            steps: steps.iter().map(parts).collect(),
            end: end(row, steps),
        })
    });
    let title = format!("What the context is made of: {}, seed {}", session.scenario, session.seed);
    let data = CompositionChart { title, panels: panels.collect() };
    let caption = format!(
        "What the view holds at each step of {}, seed {}, by kind: what every prompt carries and \
         what compaction made lie at the bottom, so where the coloured base rises, the floor does; \
         raw work lies on it. Where steps share a pixel, the largest of them is drawn.{}",
        session.scenario, session.seed, shown.left_out
    );
    let drawn = composition_over_steps(&data)?;
    Ok(block(
        "composition",
        &caption,
        drawn,
        "steps.parquet does not say what its prompts are made of",
    ))
}

/// By kind, in the order of the chart; the system's part is what every prompt carries.
fn parts(row: &StepRow) -> CompositionStep {
    let share = |share: Share| row.shares[share as usize].0;
    let carried = (row.prompt - row.sent).0 + share(Share::System);
    CompositionStep {
        step: u64::from(row.step),
        tokens: [
            carried,
            share(Share::GoalBatch),
            share(Share::Summarized),
            share(Share::Summary),
            share(Share::Other),
            share(Share::User),
            share(Share::Assistant),
            share(Share::Tool),
        ],
    }
}
