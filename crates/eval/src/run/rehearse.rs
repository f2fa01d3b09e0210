//! Estimates what a live run would ask, with the offline summarizer in the model's place.

use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use crate::answer::Memo;
use crate::drive::{Cell, drive};
use crate::matrix::{CellSpec, Summarizer, SummarizerName};
use crate::prelude::*;
use crate::run::cell::cell_of;
use crate::run::{Plan, Prepared};
use crate::scenario::Scenario;
use crate::summarize::cassette::RequestKey;
use crate::summarize::extractive::Extractive;
use crate::summarize::live::{self, Terms};
use crate::summarize::simple::Limits;
use crate::summarize::{Ask, Prompt, Reply, Stopped};
use proctor_external::record::Record;

/// Distinct requests, each of them a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rehearsed {
    /// Calls.
    pub calls: u64,
    /// Reference tokens of their prompts.
    pub prompt: Tokens,
    /// Most tokens that their answers may have.
    pub answer: Tokens,
}

impl Rehearsed {
    /// With another's calls.
    pub fn add(&mut self, other: Rehearsed) {
        self.calls += other.calls;
        self.prompt += other.prompt;
        self.answer += other.answer;
    }
}

/// Drives those cells of a session that ask a model, and counts by model what they ask.
pub fn rehearse(
    plan: &Plan,
    scenario: &Scenario,
    seed: u64,
    prepared: &Prepared,
    terms: &Terms,
) -> BTreeMap<String, Rehearsed> {
    let cells = plan.cells(scenario, prepared.session.turns, seed);
    let asking: Vec<&CellSpec> = cells
        .iter()
        .filter(|cell| cell.summarizer.name == SummarizerName::Http)
        .filter(|cell| plan.configurations[cell.configuration].pipeline.asks())
        .collect();
    let mut stand_ins: BTreeMap<Summarizer, (CountingStandIn, Memo)> = BTreeMap::new();
    for cell in &asking {
        let limits = Limits { window: Some(terms.window), max_output: terms.max_output };
        let (terms, seen) = (terms.clone(), Arc::default());
        let fresh =
            || (CountingStandIn { inner: Extractive { limits }, terms, seen }, Memo::default());
        stand_ins.entry(cell.summarizer).or_insert_with(fresh);
    }
    let programs = Record::in_memory();
    asking.par_iter().with_max_len(1).for_each(|spec| {
        let (stand_in, memo) = &stand_ins[&spec.summarizer];
        let ask = spec.summarizer.around(Box::new(stand_in.clone()), Seed(seed));
        let cell = cell_of(plan, scenario, prepared, spec, (&*ask, memo));
        let cell = Cell { exchanges: Some(&programs), ..cell };
        // OK to ignore: the summarizer in the model's place never stops.
        let _ = drive(cell);
    });
    // Requests of a faulty summarizer are those of the sound one where they are equal.
    let mut all = BTreeMap::new();
    for (stand_in, _) in stand_ins.values() {
        let seen = stand_in.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.extend(seen.iter().map(|(key, asked)| (*key, asked.clone())));
    }
    let mut models: BTreeMap<String, Rehearsed> = BTreeMap::new();
    for (model, one) in all.into_values() {
        models.entry(model).or_default().add(one);
    }
    models
}

#[derive(Clone)]
struct CountingStandIn {
    inner: Extractive,
    terms: Terms,
    seen: Arc<Mutex<BTreeMap<RequestKey, (String, Rehearsed)>>>,
}

impl Ask for CountingStandIn {
    fn limits(&self) -> Limits {
        self.inner.limits
    }

    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for prompt in batch {
            let request = live::canonical(prompt, &self.terms);
            let (key, prompt) = (request.key(), Tokens(live::tokens(&request)));
            let one = Rehearsed { calls: 1, prompt, answer: Tokens(request.max_tokens) };
            seen.insert(key, (request.model, one));
        }
        drop(seen);
        self.inner.ask(batch)
    }
}
