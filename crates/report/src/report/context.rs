//! What was sent at every step of one session of each family, and what one of them was made of.

use super::prelude::*;
use crate::row::StepRow;
use crate::run_dir::read::steps_of;
use crate::trace::{Ending, Share};

/// A windowless configuration that sends more windows than this would flatten the others.
const FITS: f64 = 2.0;
const MOST_CHARTS: usize = 6;

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let mut families = figures.families();
    families.sort_by_key(|family| figures.lengths(family).len() > 1);
    let sessions = families.iter().filter_map(|family| {
        let own = figures.sessions_of(&[family]);
        // The first of the longest: its seed is the first.
        let longest = own.iter().map(|session| session.turns).max()?;
        own.into_iter().find(|session| session.turns == longest)
    });
    let mut sessions: Vec<&ManifestSession> = sessions.collect();
    let left_out = sessions.split_off(sessions.len().min(MOST_CHARTS));
    let left_out: Vec<&str> = left_out.iter().map(|session| session.scenario.as_str()).collect();
    let drawn = sessions.iter().map(|session| {
        let of = |config: &Config| figures.cell_of(config, session);
        let is_tall = |config: &&Config| {
            let peak = of(config).and_then(|row| row.number(MetricId::TokensPeak));
            config.is_windowless() && peak.is_some_and(|peak| peak > session.window as f64 * FITS)
        };
        let driven = figures.shown().filter(|config| of(config).is_some());
        let (too_tall, fitting): (Vec<&Config>, Vec<&Config>) = driven.partition(is_tall);
        let choice = choose(figures, fitting, PANELS);
        let cells = choice.drawn.into_iter().filter_map(|config| Some((config, of(config)?)));
        (*session, cells.collect(), too_tall, choice.left_out)
    });
    type Drawn<'a, 'b> = Vec<(&'b Config, &'a MeasuredCell)>;
    let drawn: Vec<(&ManifestSession, Drawn, Vec<&Config>, LeftOut)> = drawn.collect();
    let cells = drawn.iter().flat_map(|(_, cells, ..)| cells);
    let steps = steps_of(figures.dir, &cells.map(|(_, row)| row.key.cell.clone()).collect())?;
    let mut parts = Parts::default();
    let mut shown = Vec::new();
    for (place, (session, cells, too_tall, choice)) in drawn.into_iter().enumerate() {
        let of = format!("{}, seed {}", session.scenario, session.seed);
        let own = cells.iter().filter_map(|(config, row)| {
            let steps: &[StepRow] = steps.get(&row.key.cell)?;
            Some((*config, *row, steps))
        });
        let sent = own.clone().map(|(config, row, steps)| sent(figures, config, row, steps));
        let sent: Vec<ContextPanel> = sent.collect();
        let context = parts.place_chart(&format!("context-{}", place + 1), sent.draw(&of)?);
        let made = own.filter(|_| place == 0).map(|(config, row, steps)| CompositionPanel {
            configuration: config.name(),
            steps: steps.iter().map(made_of).collect(),
            end: end(row, steps),
        });
        let made: Vec<CompositionPanel> = made.collect();
        let made = made.draw(&format!("What the context is made of: {of}"))?;
        shown.push(context! {
            scenario => session.scenario.as_str(),
            seed => session.seed,
            steps => session.steps,
            choice => Value::from(Serde(choice)),
            too_tall => too_tall.iter().map(|config| config.name()).collect::<Vec<_>>(),
            context,
            is_first => place == 0,
            composition => parts.place_chart("composition", made),
        });
    }
    Ok(Some(parts.value("sessions", shown).value("left_out_sessions", left_out)))
}

fn sent(figures: &Figures, config: &Config, row: &MeasuredCell, steps: &[StepRow]) -> ContextPanel {
    let plans = figures.frame.compactions_of(row).iter();
    let applied = plans.filter(|plan| plan.outcome.is_applied());
    ContextPanel {
        configuration: config.name(),
        prompt: steps.iter().map(|step| (u64::from(step.step), step.prompt)).collect(),
        window: (!config.is_windowless()).then_some(Tokens(row.key.window)),
        compactions: applied.map(|plan| u64::from(plan.step)).collect(),
        end: end(row, steps),
    }
}

fn end(row: &MeasuredCell, steps: &[StepRow]) -> Option<End> {
    let step = u64::from(steps.last()?.step);
    let reason = row.figures.ended_by().map_or("ended", Ending::name).to_owned();
    (!row.completed()).then_some(End { step, reason })
}

/// By kind, in the order of the chart; the system's part is what every prompt carries.
fn made_of(row: &StepRow) -> CompositionStep {
    use Share::{Assistant, GoalBatch, Other, Summarized, Summary, System, Tool, User};
    let kinds = [System, GoalBatch, Summarized, Summary, Other, User, Assistant, Tool];
    let mut tokens = kinds.map(|kind| row.shares[kind as usize].0);
    tokens[0] += (row.prompt - row.sent).0;
    CompositionStep { step: u64::from(row.step), tokens }
}
