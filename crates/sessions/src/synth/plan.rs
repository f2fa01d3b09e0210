//! The parameters of a synthesized session.

use super::draw::{Draw, Share};
use crate::prelude::*;

/// What a session is made from; `scenarios/multi-goal-arcs.toml` describes its file keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SynthPlan {
    /// User messages, each with all that follows it.
    pub turns: u32,
    /// Tool calls with results, per turn.
    pub pairs: Draw,
    /// The remaining parameters.
    pub work: Work,
}

/// The parameters that a family shares, and the table of a scenario file that they are read from:
/// there habits stand among the others, and what has a default may be absent.
macro_rules! parameters {
    (
        work { $($(#[$doc:meta])* $key:ident: $type:ty $(= $default:literal)?,)+ }
        habits { $($(#[$habit_doc:meta])* $habit:ident: $habit_type:ty $(= $habit_default:literal)?,)+ }
    ) => {
        /// Parameters that the members of a family share.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub struct Work {
            $($(#[$doc])* pub $key: $type,)+
            /// What happens besides.
            pub habits: Habits,
        }

        /// How a session differs from a steady run of calls and answers. By default it does not.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub struct Habits {
            $($(#[$habit_doc])* pub $habit: $habit_type,)+
        }

        /// The `[session.synth]` table as written.
        #[derive(Clone, Debug, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub struct WirePlan {
            /// Human turns.
            turns: u32,
            /// Tool calls a turn.
            pairs: Draw,
            $($(#[serde(default = $default)])? $key: $type,)+
            $($(#[serde(default = $habit_default)])? $habit: $habit_type,)+
        }

        impl WirePlan {
            fn parts(self) -> SynthPlan {
                let habits = Habits { $($habit: self.$habit,)+ };
                let work = Work { $($key: self.$key,)+ habits };
                SynthPlan { turns: self.turns, pairs: self.pairs, work }
            }
        }
    };
}

parameters! {
    work {
        /// How a turn ends.
        closing: Closing,
        /// Share of assistant messages with several calls at once (where pairs are left).
        parallel_calls: Share,
        /// Share of calls that come with a sentence of text.
        narration: Share,
        /// Tokens of a user message, roughly.
        user_tokens: Draw,
        /// Tokens of a tool result, roughly.
        result_tokens: Draw,
        /// Share of tool results that report a failure.
        tool_errors: Share,
        /// Turns of one goal.
        goal_turns: Draw,
        /// Share of later turns of a goal in which the user changes its course.
        redirects: Share,
        /// Share in which the user makes the goal clearer.
        clarifications: Share,
        /// Share in which the user adds to it.
        extensions: Share,
        /// Share in which the user sets right what the agent got wrong.
        corrections: Share = "Default::default",
        /// Share in which the user turns down what the agent proposed; each gives birth to a dead
        /// end.
        rejections: Share = "Default::default",
        /// Share in which the user interrupts the agent; the next turn changes the goal's course.
        stops: Share = "Default::default",
        /// Facts born per goal, beyond one direction a redirect and one outcome a goal.
        facts: Draw,
        /// How often each kind is drawn. A kind that is absent is never born.
        kinds: BTreeMap<FactKind, u32> = "every_kind",
        /// Share of the session by which rules have been stated; those that replace others come
        /// later.
        rules_by: Share = "whole",
        /// Further mentions of a fact soon after its birth.
        echoes: Draw,
        /// Demands per fact, as far as the session is long enough.
        demands: Draw,
        /// Tokens between the last mention of a fact and the demand, roughly.
        distance: Draw,
        /// Share of the facts with a changing part that the user later replaces.
        restated: Share,
        /// Share of replacements that are said in other words and not announced.
        paraphrased: Share = "Default::default",
        /// Share of paths, symbols, tests, commands and values that get a double which differs in
        /// little.
        near_duplicates: Share = "Default::default",
        /// Facts that never occur.
        decoys: u32,
        /// Stated things beside each fact that are told in the same forms, places and numbers and
        /// that nothing needs. With any, whatever states a fact states its topic too.
        #[serde(default, skip_serializing_if = "is_default")]
        shadows: u32 = "Default::default",
        /// Whether the session is played in a project. Commands answer from its state: tests fail
        /// while their cause is in a file, builds and version control show what was edited, logs go
        /// on. Every need is a use: a request or a result calls for the fact by what it is about, and
        /// the call after it holds the fact. Shadows are told and never needed. Needs `file-tokens`.
        #[serde(default, skip_serializing_if = "is_default")]
        world: bool = "Default::default",
        /// Share of turns before which the user was away.
        pauses: Share,
        /// For how many minutes.
        pause_minutes: Draw,
        /// Tokens of the system prompt, roughly.
        system_tokens: u32,
        /// Tokens of the tool schemas, roughly.
        tool_tokens: u32,
        /// Whose phrases the people in it use.
        bank: BankName = "Default::default",
    }
    habits {
        /// Share of calls that say what a command is for, which lines of a file, which files of a
        /// folder.
        described: Share = "Default::default",
        /// Tokens of a file, roughly, where files hold what they held: a file read again shows what
        /// was there, as edited since; only files that were read are edited, and searches find what
        /// is in them. Where it is absent, each read is drawn by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file_tokens: Option<Draw> = "Default::default",
        /// Tokens of either text of an edit, roughly.
        edit_tokens: Draw = "one_line",
        /// Tokens of the account that follows the words at the end of a turn, roughly.
        closing_tokens: Draw = "nothing",
        /// Share of user messages into which a log or a test run was pasted.
        pastes: Share = "Default::default",
        /// Tokens of what was pasted.
        paste_tokens: Draw = "nothing",
        /// Share of turns in which a test run fails three to eight times, with an edit after each.
        loops: Share = "Default::default",
        /// How often one call is made over the session, with nearly the same result.
        repeats: u32 = "Default::default",
        /// Turns that go on until they alone hold `burst_tokens`.
        bursts: u32 = "Default::default",
        /// Tokens of such a turn.
        burst_tokens: u32 = "Default::default",
        /// Steps whose results come to `surge_tokens` at once.
        surges: u32 = "Default::default",
        /// Tokens of such a step.
        surge_tokens: u32 = "Default::default",
        /// One result of a given size.
        oversized: Option<Oversized>,
    }
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
    /// With a call that gets no result (Forge's `task_completion`).
    UnpairedCall,
}

/// A bank of phrases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BankName {
    /// The bank that summarizers and strategies may be developed on.
    #[default]
    A,
    /// The bank on which nothing is developed. It holds no cue of the summarizer.
    B,
    /// A bank on which nothing is developed either, written without knowing the cues.
    C,
    /// Work on machines and services, as held back as `B`.
    Operations,
    /// Work on data and reports, as held back as `B`.
    Analysis,
}

impl BankName {
    /// All banks.
    pub const ALL: [BankName; 5] =
        [BankName::A, BankName::B, BankName::C, BankName::Operations, BankName::Analysis];

    /// Whether it is about another domain than software.
    fn is_domain(self) -> bool {
        matches!(self, BankName::Operations | BankName::Analysis)
    }
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
    /// The plan, every amount within its bounds.
    pub fn plan(self) -> Result<SynthPlan, Broken> {
        let plan = self.parts();
        plan.check()?;
        Ok(plan)
    }
}

impl SynthPlan {
    fn check(&self) -> Result<(), Broken> {
        let (work, habits) = (&self.work, &self.work.habits);
        let one = |amount: u32| (amount, amount);
        let oversized = habits.oversized.map_or(0, |oversized| oversized.tokens);
        // A key, its least and greatest value, and the bounds of both.
        for (key, (least, greatest), min, max) in [
            ("turns", one(self.turns), 1, 10_000),
            ("pairs", self.pairs.bounds(), 0, 200),
            ("user-tokens", work.user_tokens.bounds(), 1, 4_000),
            ("result-tokens", work.result_tokens.bounds(), 1, 50_000),
            ("goal-turns", work.goal_turns.bounds(), 1, 10_000),
            ("facts", work.facts.bounds(), 0, 200),
            ("echoes", work.echoes.bounds(), 0, 10),
            ("demands", work.demands.bounds(), 0, 10),
            ("decoys", one(work.decoys), 0, 1_000),
            ("shadows", one(work.shadows), 0, 40),
            ("system-tokens", one(work.system_tokens), 0, 50_000),
            ("tool-tokens", one(work.tool_tokens), 0, 50_000),
            ("file-tokens", habits.file_tokens.as_ref().map_or((1, 1), Draw::bounds), 1, 50_000),
            ("edit-tokens", habits.edit_tokens.bounds(), 1, 10_000),
            ("closing-tokens", habits.closing_tokens.bounds(), 0, 10_000),
            ("paste-tokens", habits.paste_tokens.bounds(), 0, 50_000),
            ("repeats", one(habits.repeats), 0, 10_000),
            ("bursts", one(habits.bursts), 0, 1_000),
            ("burst-tokens", one(habits.burst_tokens), 0, 1_000_000),
            ("surges", one(habits.surges), 0, 1_000),
            ("surge-tokens", one(habits.surge_tokens), 0, 1_000_000),
            ("oversized.tokens", one(oversized), 0, 1_000_000),
        ] {
            if let Some(value) = [least, greatest].into_iter().find(|v| !(min..=max).contains(v)) {
                return Err((key, format!("{value} is out of range: expected {min} to {max}")));
            }
        }
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
        if work.world && habits.file_tokens.is_none() {
            return Err(("world", "it needs `file-tokens`, the sizes of files".to_owned()));
        }
        if work.bank.is_domain() && !work.world {
            return Err(("bank", "this bank needs `world = true`".to_owned()));
        }
        if work.kinds.values().any(|weight| *weight > 1_000) {
            return Err(("kinds", "a weight is out of range: expected 0 to 1000".to_owned()));
        }
        Ok(())
    }
}
