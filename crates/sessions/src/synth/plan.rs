//! The parameters of a synthesized session.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::draw::{Draw, Share};
use crate::truth::FactKind;

/// What a session is made from. Its file keys are described in
/// `scenarios/multi-goal-arcs.toml`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SynthPlan {
    /// User messages, each with all that follows it.
    pub turns: u32,
    /// Tool calls with results, per turn.
    pub pairs: Draw,
    /// The remaining parameters.
    pub work: Work,
}

/// Parameters that the members of a family share.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Work {
    /// How a turn ends.
    pub closing: Closing,
    /// Share of assistant messages with several calls at once (where pairs are left).
    pub parallel_calls: Share,
    /// Share of calls that come with a sentence of text.
    pub narration: Share,
    /// Tokens of a user message, roughly.
    pub user_tokens: Draw,
    /// Tokens of a tool result, roughly.
    pub result_tokens: Draw,
    /// Share of tool results that report a failure.
    pub tool_errors: Share,
    /// Turns of one goal.
    pub goal_turns: Draw,
    /// Share of later turns of a goal in which the user changes its course.
    pub redirects: Share,
    /// Share in which the user makes the goal clearer.
    pub clarifications: Share,
    /// Share in which the user adds to it.
    pub extensions: Share,
    /// Share in which the user sets right what the agent got wrong.
    pub corrections: Share,
    /// Share in which the user turns down what the agent proposed. Where dead ends
    /// are drawn, each gives birth to one.
    pub rejections: Share,
    /// Share in which the user interrupts the agent; the next turn of the goal
    /// changes its course.
    pub stops: Share,
    /// Facts born per goal, beyond one direction a redirect and one outcome a goal.
    pub facts: Draw,
    /// How often each kind is drawn. A kind that is absent is never born.
    pub kinds: BTreeMap<FactKind, u32>,
    /// Share of the session by which constraints, preferences and safety rules
    /// have been stated; those that replace others come later.
    pub rules_by: Share,
    /// Further mentions of a fact soon after its birth.
    pub echoes: Draw,
    /// Demands per fact, as far as the session is long enough.
    pub demands: Draw,
    /// Tokens between the last mention of a fact and the demand, roughly.
    pub distance: Draw,
    /// Share of the facts with a changing part (all values, some decisions,
    /// constraints and preferences) that the user later replaces.
    pub restated: Share,
    /// Share of replacements that are said in other words and not announced.
    pub paraphrased: Share,
    /// Share of paths, symbols, tests, commands and values that get a double which
    /// differs in little and is a fact of its own.
    pub near_duplicates: Share,
    /// Facts that never occur.
    pub decoys: u32,
    /// Share of turns before which the user was away.
    pub pauses: Share,
    /// For how many minutes.
    pub pause_minutes: Draw,
    /// Tokens of the system prompt, roughly.
    pub system_tokens: u32,
    /// Tokens of the tool schemas, roughly.
    pub tool_tokens: u32,
    /// Whose phrases the people in it use.
    pub bank: BankName,
    /// What happens besides.
    pub habits: Habits,
}

/// How a session differs from a steady run of calls and answers. By default it does
/// not.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Habits {
    /// Share of calls that come with particulars: what a command is for, which lines
    /// of a file, which files of a folder.
    pub described: Share,
    /// Tokens of either text of an edit, roughly.
    pub edit_tokens: Draw,
    /// Tokens of the account that follows the words at the end of a turn, roughly.
    pub closing_tokens: Draw,
    /// Share of user messages into which a log or a test run was pasted.
    pub pastes: Share,
    /// Tokens of what was pasted.
    pub paste_tokens: Draw,
    /// Share of turns in which one test run fails three to eight times, with an edit
    /// after each.
    pub loops: Share,
    /// How often one call is made over the session, with nearly the same result.
    pub repeats: u32,
    /// Turns that go on until they alone hold `burst_tokens`.
    pub bursts: u32,
    /// Tokens of such a turn.
    pub burst_tokens: u32,
    /// Steps whose results come to `surge_tokens` at once.
    pub surges: u32,
    /// Tokens of such a step.
    pub surge_tokens: u32,
    /// One result of a given size.
    pub oversized: Option<Oversized>,
}

/// One result that is larger than all others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Oversized {
    /// Its tokens, roughly.
    pub tokens: u32,
    /// The share of the turns after which it comes.
    pub at: Share,
}

/// How a turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Closing {
    /// With an answer in prose.
    Text,
    /// With a call that ends the agent's loop and gets no result (Forge's
    /// `task_completion`).
    UnpairedCall,
}

/// A bank of phrases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BankName {
    /// The bank that summarizers and strategies may be developed on.
    #[default]
    A,
    /// The bank written apart from it, on which nothing is developed.
    B,
}

/// The `[session.synth]` table as written: `turns` and `pairs` are absent where
/// the file varies them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WirePlan {
    /// Human turns; absent where the file varies them.
    pub turns: Option<u32>,
    /// Tool calls a turn; absent where the file varies them.
    pub pairs: Option<Draw>,
    closing: Closing,
    parallel_calls: Share,
    narration: Share,
    user_tokens: Draw,
    result_tokens: Draw,
    tool_errors: Share,
    goal_turns: Draw,
    redirects: Share,
    clarifications: Share,
    extensions: Share,
    #[serde(default)]
    corrections: Share,
    #[serde(default)]
    rejections: Share,
    #[serde(default)]
    stops: Share,
    facts: Draw,
    #[serde(default = "every_kind")]
    kinds: BTreeMap<FactKind, u32>,
    #[serde(default = "whole")]
    rules_by: Share,
    echoes: Draw,
    demands: Draw,
    distance: Draw,
    restated: Share,
    #[serde(default)]
    paraphrased: Share,
    #[serde(default)]
    near_duplicates: Share,
    decoys: u32,
    pauses: Share,
    pause_minutes: Draw,
    system_tokens: u32,
    tool_tokens: u32,
    #[serde(default)]
    bank: BankName,
    // Habits.
    #[serde(default)]
    described: Share,
    #[serde(default = "one_line")]
    edit_tokens: Draw,
    #[serde(default = "nothing")]
    closing_tokens: Draw,
    #[serde(default)]
    pastes: Share,
    #[serde(default = "nothing")]
    paste_tokens: Draw,
    #[serde(default)]
    loops: Share,
    #[serde(default)]
    repeats: u32,
    #[serde(default)]
    bursts: u32,
    #[serde(default)]
    burst_tokens: u32,
    #[serde(default)]
    surges: u32,
    #[serde(default)]
    surge_tokens: u32,
    oversized: Option<Oversized>,
}

fn one_line() -> Draw {
    Draw::fixed(12)
}

fn nothing() -> Draw {
    Draw::fixed(0)
}

fn every_kind() -> BTreeMap<FactKind, u32> {
    FactKind::ALL.into_iter().map(|kind| (kind, 1)).collect()
}

fn whole() -> Share {
    Share::WHOLE
}

/// A key of the plan, the rule it breaks.
pub type Broken = (&'static str, String);

impl WirePlan {
    /// The plan for these turns and pairs, every amount within its bounds.
    pub fn plan(self, turns: u32, pairs: Draw) -> Result<SynthPlan, Broken> {
        let plan = SynthPlan { turns, pairs, work: self.work() };
        plan.check()?;
        Ok(plan)
    }

    fn work(self) -> Work {
        Work {
            closing: self.closing,
            parallel_calls: self.parallel_calls,
            narration: self.narration,
            user_tokens: self.user_tokens,
            result_tokens: self.result_tokens,
            tool_errors: self.tool_errors,
            goal_turns: self.goal_turns,
            redirects: self.redirects,
            clarifications: self.clarifications,
            extensions: self.extensions,
            corrections: self.corrections,
            rejections: self.rejections,
            stops: self.stops,
            facts: self.facts,
            kinds: self.kinds,
            rules_by: self.rules_by,
            echoes: self.echoes,
            demands: self.demands,
            distance: self.distance,
            restated: self.restated,
            paraphrased: self.paraphrased,
            near_duplicates: self.near_duplicates,
            decoys: self.decoys,
            pauses: self.pauses,
            pause_minutes: self.pause_minutes,
            system_tokens: self.system_tokens,
            tool_tokens: self.tool_tokens,
            bank: self.bank,
            habits: Habits {
                described: self.described,
                edit_tokens: self.edit_tokens,
                closing_tokens: self.closing_tokens,
                pastes: self.pastes,
                paste_tokens: self.paste_tokens,
                loops: self.loops,
                repeats: self.repeats,
                bursts: self.bursts,
                burst_tokens: self.burst_tokens,
                surges: self.surges,
                surge_tokens: self.surge_tokens,
                oversized: self.oversized,
            },
        }
    }
}

impl Habits {
    fn check(&self) -> Result<(), Broken> {
        let oversized = self.oversized.map_or(0, |oversized| oversized.tokens);
        within(&[
            ("edit-tokens", self.edit_tokens.bounds(), 1, 10_000),
            ("closing-tokens", self.closing_tokens.bounds(), 0, 10_000),
            ("paste-tokens", self.paste_tokens.bounds(), 0, 50_000),
            ("repeats", (self.repeats, self.repeats), 0, 10_000),
            ("bursts", (self.bursts, self.bursts), 0, 1_000),
            ("burst-tokens", (self.burst_tokens, self.burst_tokens), 0, 1_000_000),
            ("surges", (self.surges, self.surges), 0, 1_000),
            ("surge-tokens", (self.surge_tokens, self.surge_tokens), 0, 1_000_000),
            ("oversized.tokens", (oversized, oversized), 0, 1_000_000),
        ])
    }
}

/// A key, its least and greatest value, and the bounds of both.
type Limit = (&'static str, (u32, u32), u32, u32);

fn within(limits: &[Limit]) -> Result<(), Broken> {
    for &(key, (least, greatest), min, max) in limits {
        if let Some(value) = [least, greatest].into_iter().find(|v| !(min..=max).contains(v)) {
            return Err((key, format!("{value} is out of range: expected {min} to {max}")));
        }
    }
    Ok(())
}

impl SynthPlan {
    fn check(&self) -> Result<(), Broken> {
        let work = &self.work;
        within(&[
            ("turns", (self.turns, self.turns), 1, 10_000),
            ("pairs", self.pairs.bounds(), 0, 200),
            ("user-tokens", work.user_tokens.bounds(), 1, 4_000),
            ("result-tokens", work.result_tokens.bounds(), 1, 50_000),
            ("goal-turns", work.goal_turns.bounds(), 1, 10_000),
            ("facts", work.facts.bounds(), 0, 200),
            ("echoes", work.echoes.bounds(), 0, 10),
            ("demands", work.demands.bounds(), 0, 10),
            ("decoys", (work.decoys, work.decoys), 0, 1_000),
            ("system-tokens", (work.system_tokens, work.system_tokens), 0, 50_000),
            ("tool-tokens", (work.tool_tokens, work.tool_tokens), 0, 50_000),
        ])?;
        work.habits.check()?;
        let moves = [
            work.redirects,
            work.clarifications,
            work.extensions,
            work.corrections,
            work.rejections,
            work.stops,
        ];
        let course: f64 = moves.into_iter().map(Share::get).sum();
        if course > 1.0 {
            let rule = format!(
                "redirects, clarifications, extensions, corrections, rejections and stops are \
                 {course} together: expected at most 1"
            );
            return Err(("redirects", rule));
        }
        if work.kinds.values().any(|weight| *weight > 1_000) {
            return Err(("kinds", "a weight is out of range: expected 0 to 1000".to_owned()));
        }
        Ok(())
    }
}
