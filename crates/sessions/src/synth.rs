//! Synthesizes sessions: the same plan and seed give the same bytes on every platform. `outline`
//! plans what happens and which step states or needs which fact, `script` puts it into words,
//! `output` prints what tools would, `answer_key` reads the truth back and checks it.

mod answer_key;
mod bank;
mod dialect;
mod draw;
mod fill;
mod look;
mod names;
mod outline;
mod output;
mod plan;
mod prelude;
mod script;
mod words;
mod world;

pub use answer_key::mentions;
pub use draw::{Draw, Share};
pub use plan::{BankName, Closing, Habits, Oversized, SynthPlan, WirePlan, Work};

use answer_key::Broken;
use bank::Bank;
use outline::Outline;

use crate::prelude::*;

/// Every template of a bank, unfilled: all that people, agents and planted results can say.
pub fn templates(bank: BankName) -> Vec<&'static str> {
    Bank::named(bank).templates()
}

/// Draws of a session until one keeps every rule: with thousands of facts it takes several.
const TRIES: usize = 60;

/// Synthesizes a session of this id. Fails where no draw gives one in which every fact is present
/// where it was born, no demand follows right on a mention, and no decoy occurs.
pub fn synthesize(plan: &SynthPlan, id: &str, seed: Seed) -> Result<(Log, Truth)> {
    let mut rule = Broken::new();
    for attempt in 0..TRIES {
        let seed = if attempt == 0 { seed } else { seed.derive(&["again", &attempt.to_string()]) };
        match draw_session(plan, id, seed) {
            Ok(session) => return Ok(session),
            Err(broken) => rule = broken,
        }
    }
    Err(Error::invalid(id, format!("no session could be synthesized in {TRIES} draws: {rule}")))
}

/// The tokens of a session as its outline estimates them: what a seed draws of turns, calls and
/// results, without a word of it written.
pub fn estimated_tokens(plan: &SynthPlan, seed: Seed) -> Tokens {
    let fixed = u64::from(plan.work.system_tokens) + u64::from(plan.work.tool_tokens);
    Tokens(fixed + outline::estimated_tokens(plan, seed))
}

/// One draw; fails with the rule that it breaks.
fn draw_session(plan: &SynthPlan, id: &str, seed: Seed) -> Result<(Log, Truth), Broken> {
    let bank = Bank::named(plan.work.bank);
    let outline = Outline::plan(plan, bank, seed);
    let script = script::write(plan, bank, &outline, seed);
    let log = Log {
        system: Text::from(script::system(bank, &outline.world, plan.work.system_tokens, seed)),
        tools: Text::from(script::tools(plan.work.tool_tokens, seed)),
        messages: script.messages,
        ..Log::new(id, format!("synthesized from seed {seed}"))
    };
    let record =
        answer_key::Record { born: script.born, demands: script.demands, arcs: script.arcs };
    let truth = answer_key::truth(&log, &outline, record)?;
    Ok((log, truth))
}
