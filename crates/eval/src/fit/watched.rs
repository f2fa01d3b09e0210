//! What the model of a run met and kept, seen while its recorded answers drive the run again.

use std::sync::{Arc, Mutex, PoisonError};

use crate::answer::Memo;
use crate::drive::{Cell, Session, drive};
use crate::fit::observed::Observed;
use crate::fit::regression::Row;
use crate::matrix::SummarizerName;
use crate::prelude::*;
use crate::run::rerun::{Recorded, not_repeatable};
use crate::run::{cell_of, prepare};
use crate::simulated::{BYTES_A_TOKEN, Piece, Simulated, Skill};
use crate::strategy::Exchanges;
use crate::summarize::fault::{CallIndex, FaultKind};
use crate::summarize::simple::Limits;
use crate::summarize::{Ask, Prompt, Reply, Stopped};

/// The summaries that a model wrote in a run, each with the facts that its request held.
/// [`Error::Invalid`] where the run asked no model, or its answers are not at hand.
pub fn of_run(recorded: &Recorded) -> Result<Vec<Observed>> {
    let mut all: Vec<Observed> = Vec::new();
    for (scenario, seed) in recorded.plan.sessions() {
        let cells = recorded.plan.cells(scenario, 0, seed).into_iter();
        let asked = cells.filter(|spec| {
            spec.summarizer.name == SummarizerName::Http
                && recorded.plan.configurations[spec.configuration].pipeline.asks()
        });
        let asked: Vec<_> = asked.collect();
        if asked.is_empty() {
            continue;
        }
        recorded.at_hand(&scenario.name)?;
        let prepared = prepare(&recorded.plan, scenario, seed)?;
        for spec in asked {
            let model = recorded.summarizer(&spec, &prepared.session)?;
            let watched = Watched::new(model, &prepared.session);
            let memo = Memo::default();
            let cell = cell_of(&recorded.plan, scenario, &prepared, &spec, (&watched, &memo));
            let record = recorded.exchanges()?;
            let exchanges = record.as_deref().map(|record| record as &dyn Exchanges);
            drive(Cell { exchanges, ..cell })
                .map_err(|stopped| not_repeatable(&spec.key.cell, stopped))?;
            for mut one in watched.seen() {
                one.facts.iter_mut().for_each(|(_, row)| row.compaction = all.len());
                all.push(one);
            }
        }
    }
    if all.is_empty() {
        let place = recorded.dir.display().to_string();
        return Err(Error::refused(
            place,
            "the run has no summary that a model wrote",
            "give a run that was driven with `--summarizer http`",
        ));
    }
    Ok(all)
}

/// Passes requests on, and notes what each held and what its answer kept.
struct Watched {
    model: Box<dyn Ask + Send>,
    simulated: Simulated,
    session: Arc<str>,
    seen: Mutex<Vec<Observed>>,
}

impl Watched {
    fn new(model: Box<dyn Ask + Send>, session: &Session) -> Watched {
        Watched {
            model,
            simulated: Simulated::new(session, Skill::Recorded, Seed(0)),
            session: session.log.id.as_str().into(),
            seen: Mutex::default(),
        }
    }

    fn seen(self) -> Vec<Observed> {
        self.seen.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, prompt: &Prompt, summary: &str) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_earlier = |piece: &str| seen.iter().any(|one| piece.contains(one.summary.trim()));
        let pieces: Vec<Piece> =
            prompt.material().map(|piece| (piece, is_earlier(piece))).collect();
        let told = self.simulated.told(summary);
        let cases = self.simulated.cases_in(&pieces).into_iter();
        let facts = cases.map(|case| {
            let row = Row {
                session: Arc::clone(&self.session),
                compaction: 0,
                sort: case.sort,
                features: case.features,
                survived: told.contains(&case.fact),
            };
            (case.fact, row)
        });
        let bytes: usize = pieces.iter().map(|(piece, _)| piece.len()).sum();
        let observed = Observed {
            previous: None,
            messages: Vec::new(),
            summary: summary.into(),
            tokens: (bytes as f64 / BYTES_A_TOKEN).max(1.0),
            facts: facts.collect(),
        };
        seen.push(observed);
    }
}

impl Ask for Watched {
    fn limits(&self) -> Limits {
        self.model.limits()
    }

    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        self.ask_at(batch, CallIndex::default())
    }

    fn ask_at(&self, batch: &[Prompt], first: CallIndex) -> Result<Vec<Reply>, Stopped> {
        let replies = self.model.ask_at(batch, first)?;
        for (prompt, reply) in batch.iter().zip(&replies) {
            if let Ok(answer) = reply
                && !answer.text.trim().is_empty()
            {
                self.note(prompt, &answer.text);
            }
        }
        Ok(replies)
    }

    fn fault_at(&self, moment: CallIndex) -> Option<FaultKind> {
        self.model.fault_at(moment)
    }
}
