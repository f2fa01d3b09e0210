//! What a live run would ask and cost, said before it asks.

use crate::cli::live::LiveArguments;
use crate::cli::prelude::*;
use crate::number::tokens;
use crate::run::rehearse::{Rehearsed, rehearse};
use crate::run::{Plan, Prepared};
use crate::summarize::live::{Endpoint, Terms};

pub(in crate::cli) struct Rehearsal {
    endpoint: Endpoint,
    pub(in crate::cli) terms: Terms,
}

pub(in crate::cli) type OfSession = (String, BTreeMap<String, Rehearsed>);

impl LiveArguments {
    /// A rehearsal; the model needs no name for it.
    pub(in crate::cli) fn rehearsal(&self) -> Result<Rehearsal> {
        let mut endpoint = self.at.endpoint()?;
        endpoint.model.get_or_insert_with(|| "the model".to_owned());
        let terms = endpoint.terms()?;
        Ok(Rehearsal { endpoint, terms })
    }
}

impl Rehearsal {
    pub(in crate::cli) fn session(
        &self,
        plan: &Plan,
        scenario: &Scenario,
        seed: u64,
        prepared: &Prepared,
    ) -> OfSession {
        let name = format!("{} seed {seed}", scenario.name);
        (name, rehearse(plan, scenario, seed, prepared, &self.terms))
    }

    pub(in crate::cli) fn say(&self, sessions: &[OfSession]) {
        let mut models: BTreeMap<&str, Rehearsed> = BTreeMap::new();
        let mut all = Rehearsed::default();
        talk(shown!("rehearsed with the offline summarizer in the model's place:"));
        for (name, of_models) in sessions {
            let mut whole = Rehearsed::default();
            for (model, asked) in of_models {
                models.entry(model).or_default().add(*asked);
                whole.add(*asked);
            }
            all.add(whole);
            talk(shown!("  {}: {}", name, self.asked(whole)));
        }
        if models.len() > 1 {
            for (model, asked) in models {
                talk(shown!("  of `{}`: {}", model, self.asked(asked)));
            }
        }
        talk(shown!("  in all: {}", self.asked(all)));
        talk(shown!(
            "a model may be asked more: longer summaries make longer prompts and earlier \
             compactions, and failed calls are repeated; {}",
            self.caps()
        ));
    }

    fn asked(&self, asked: Rehearsed) -> String {
        let words = format!(
            "{} calls, {} prompt tokens, at most {} answer tokens",
            asked.calls,
            tokens(asked.prompt.as_f64()),
            tokens(asked.answer.as_f64())
        );
        match &self.endpoint.price {
            Some(price) => {
                let usd = price.of(asked.prompt.0, 0, asked.answer.0);
                format!("{words}: ${usd:.2} at most, nothing cached")
            }
            None => words,
        }
    }

    fn caps(&self) -> String {
        let budget = &self.endpoint.budget;
        let calls = budget.max_calls.map(|most| format!("{most} calls"));
        let dollars = budget.max_usd.map(|most| format!("${:.2}", most.0));
        let caps: Vec<String> = calls.into_iter().chain(dollars).collect();
        if caps.is_empty() {
            return "nothing caps it: `--max-calls` and `--max-usd` do".to_owned();
        }
        format!("the run stops at {}", caps.join(" and at "))
    }
}
