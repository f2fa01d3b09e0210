//! `proctor run --list`: what would be run. No session is made, unless a model is rehearsed or a
//! transcript says itself how long it is.

use rayon::prelude::*;

use super::Arguments;
use crate::cli::live::OfSession;
use crate::cli::prelude::*;
use crate::cli::table::Listed;
use crate::ident::Seed;
use crate::run::{self, Plan, Slice, prepare};
use crate::scenario::SessionSource;

/// The length of a session, planned or counted, and what a model would be asked in it.
struct Session {
    turns: u32,
    tokens: f64,
    asked: Option<OfSession>,
}

pub(super) fn list(plan: &Plan, arguments: &Arguments) -> Result<u8> {
    let rehearsal = if plan.asks_a_model() { Some(arguments.live.rehearsal()?) } else { None };
    let addressed = rehearsal.as_ref().map(|of| plan.clone().addressed(&of.terms));
    let plan = addressed.as_ref().unwrap_or(plan);
    let slices = run::slices(plan, arguments.partition);
    let session = |slice: &Slice| {
        let (scenario, seed) = (slice.scenario, slice.seed);
        let planned = scenario.planned(Seed(seed)).filter(|_| rehearsal.is_none());
        if let Some((turns, tokens)) = planned {
            return Ok(Session { turns, tokens: tokens.as_f64(), asked: None });
        }
        let prepared = prepare(plan, scenario, seed)?;
        let asked = rehearsal.as_ref().map(|of| of.session(plan, scenario, seed, &prepared));
        let (turns, tokens) = (prepared.manifest.turns, prepared.manifest.tokens as f64);
        Ok(Session { turns, tokens, asked })
    };
    let sessions: Vec<Session> = slices.par_iter().map(session).collect::<Result<_>>()?;
    let mut lines: Vec<Listed> = Vec::new();
    for (slice, session) in slices.iter().zip(&sessions) {
        let cells = slice.of(plan.cells(slice.scenario, session.turns, slice.seed));
        cells.iter().for_each(|cell| say(shown!("{}", cell.key.cell)));
        put(&mut lines, slice.scenario, session, cells.len());
    }
    for configuration in &plan.configurations {
        for alias in &configuration.aliases {
            talk(shown!("{} is {} under another name: driven once", alias, configuration.name()));
        }
    }
    let asked: Vec<OfSession> = sessions.into_iter().filter_map(|one| one.asked).collect();
    if let Some(rehearsal) = &rehearsal {
        rehearsal.say(&asked);
    }
    talk(Shown::laid_out(&table::scenarios(&lines)));
    let cells: usize = lines.iter().map(|line| line.cells).sum();
    let (configurations, scenarios) = (plan.configurations.len(), lines.len());
    talk(shown!(
        "{} cells: {} configurations, {} sessions of {} scenarios",
        cells,
        configurations,
        slices.len(),
        scenarios
    ));
    Ok(ExitCode::OK)
}

/// Adds a session to the line of its scenario.
fn put(lines: &mut Vec<Listed>, scenario: &Scenario, session: &Session, cells: usize) {
    if lines.last().is_none_or(|line| line.scenario != scenario.name) {
        lines.push(Listed {
            scenario: scenario.name.clone(),
            window: scenario.window.as_f64(),
            is_planned: matches!(scenario.source, SessionSource::Synth(_))
                && session.asked.is_none(),
            ..Listed::default()
        });
    }
    let Some(line) = lines.last_mut() else { return };
    line.turns = session.turns;
    line.tokens.push(session.tokens);
    line.cells += cells;
}
