//! What was sent at every step, and what it was made of.

use super::super::prelude::*;
use serde::Serialize;

use super::{cell_of, sessions_of};
use crate::row::StepRow;
use crate::run_dir::ManifestSession;
use crate::run_dir::read::steps_of;
use crate::trace::{Ending, Share};
use crate::unit::Tokens;

/// A windowless configuration that sends more windows than this would flatten the others.
const FITS: f64 = 2.0;
/// Sessions shown step by step.
const MOST_CHARTS: usize = 6;

/// A session with the cells that are drawn of it.
struct Drawn<'a, 'b> {
    session: &'a ManifestSession,
    cells: Vec<(&'b Config, &'a MeasuredCell)>,
    choice: LeftOut,
    /// Configurations that would flatten the others.
    too_tall: Vec<String>,
}

type Steps = BTreeMap<String, Vec<StepRow>>;

/// A session and its charts, for the template.
#[derive(Serialize)]
struct Shown<'a> {
    scenario: &'a str,
    seed: u64,
    steps: u32,
    choice: LeftOut,
    too_tall: Vec<String>,
    context: Value,
    /// Whether it is the session whose composition is drawn.
    is_first: bool,
    composition: Value,
}

/// What was sent at every step, one session of each family, and what one of them was made of.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let mut sessions: Vec<&ManifestSession> = Vec::new();
    let mut families = figures.families();
    families.sort_by_key(|family| figures.lengths(family).len() > 1);
    for family in families {
        let own = sessions_of(figures, &[family]);
        // The first of the longest: its seed is the first.
        let longest = own.iter().map(|session| session.turns).max();
        sessions.extend(own.iter().find(|session| Some(session.turns) == longest));
    }
    let left_out = sessions.split_off(sessions.len().min(MOST_CHARTS));
    let left_out: Vec<&str> = left_out.iter().map(|session| session.scenario.as_str()).collect();
    let drawn: Vec<Drawn> = sessions.iter().map(|session| drawn_of(figures, session)).collect();
    let cells = drawn.iter().flat_map(|one| &one.cells);
    let steps = steps_of(figures.dir, &cells.map(|(_, row)| row.key.cell.clone()).collect())?;
    let mut parts = Parts::default();
    let mut shown = Vec::new();
    for (place, drawn) in drawn.into_iter().enumerate() {
        let file = format!("context-{}", place + 1);
        let context = parts.place_chart(&file, context_of(figures, &drawn, &steps).draw()?);
        let composition = match place {
            0 => parts.place_chart("composition", composition_of(&drawn, &steps).draw()?),
            _ => Value::from(()),
        };
        shown.push(Shown {
            scenario: &drawn.session.scenario,
            seed: drawn.session.seed,
            steps: drawn.session.steps,
            choice: drawn.choice,
            too_tall: drawn.too_tall,
            context,
            is_first: place == 0,
            composition,
        });
    }
    Ok(Some(parts.value("sessions", shown).value("left_out_sessions", left_out)))
}

fn drawn_of<'a, 'b>(figures: &'b Figures<'a>, session: &'a ManifestSession) -> Drawn<'a, 'b> {
    let of = |config: &Config| cell_of(figures, config, session);
    let is_tall = |config: &&Config| {
        let peak = of(config).and_then(|row| row.number(MetricId::TokensPeak));
        config.is_windowless() && peak.is_some_and(|peak| peak > session.window as f64 * FITS)
    };
    let driven = figures.shown().filter(|config| of(config).is_some());
    let (too_tall, fitting): (Vec<&Config>, Vec<&Config>) = driven.partition(is_tall);
    let choice = choose(figures, fitting, PANELS);
    let cells = choice.drawn.into_iter().filter_map(|config| Some((config, of(config)?)));
    Drawn {
        session,
        cells: cells.collect(),
        choice: choice.left_out,
        too_tall: too_tall.iter().map(|config| config.name()).collect(),
    }
}

fn context_of(figures: &Figures, drawn: &Drawn, steps: &Steps) -> ContextChart {
    let panels = drawn.cells.iter().filter_map(|(config, row)| {
        let steps = steps.get(&row.key.cell)?;
        let prompt = steps.iter().map(|step| (u64::from(step.step), step.prompt));
        Some(ContextPanel {
            configuration: config.name(),
            prompt: prompt.collect(),
            window: (!config.is_windowless()).then_some(Tokens(row.key.window)),
            compactions: compactions(figures, &row.key.cell),
            end: end(row, steps),
        })
    });
    let title = format!("{}, seed {}", drawn.session.scenario, drawn.session.seed);
    ContextChart { title, panels: panels.collect() }
}

/// Steps of plans that changed the view.
fn compactions(figures: &Figures, cell: &str) -> Vec<u64> {
    let plans = figures.run.compactions.iter().filter(|plan| plan.cell == cell);
    plans.filter(|plan| plan.outcome.is_applied()).map(|plan| u64::from(plan.step)).collect()
}

/// The end of a session that did not complete.
fn end(row: &MeasuredCell, steps: &[StepRow]) -> Option<End> {
    let step = u64::from(steps.last()?.step);
    let reason = row.ended_by().map_or("ended", Ending::name).to_owned();
    (!row.completed()).then_some(End { step, reason })
}

fn composition_of(drawn: &Drawn, steps: &Steps) -> CompositionChart {
    let panels = drawn.cells.iter().filter_map(|(config, row)| {
        let steps = steps.get(&row.key.cell)?;
        Some(CompositionPanel {
            configuration: config.name(),
            steps: steps.iter().map(made_of).collect(),
            end: end(row, steps),
        })
    });
    let (scenario, seed) = (&drawn.session.scenario, drawn.session.seed);
    let title = format!("What the context is made of: {scenario}, seed {seed}");
    CompositionChart { title, panels: panels.collect() }
}

/// By kind, in the order of the chart; the system's part is what every prompt carries.
fn made_of(row: &StepRow) -> CompositionStep {
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
