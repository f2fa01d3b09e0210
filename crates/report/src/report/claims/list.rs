//! The claims themselves: what each source promises, and how it is put to the test.

/// A source with what it claims.
pub struct Source {
    /// As headings name it.
    pub name: &'static str,
    /// Configurations that are built as it says, those nearest to it first.
    pub claimants: &'static [&'static str],
    /// What it claims.
    pub claims: &'static [Claim],
}

/// One claim.
pub struct Claim {
    /// In plain words.
    pub says: &'static str,
    /// What decides it.
    pub test: Test,
    /// What the figure rests on.
    pub rests_on: Rests,
}

/// Whether another summarizer could change the verdict.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rests {
    /// On what is kept, cut and folded, and on no word of a summary.
    Structure,
    /// The same, and on how long summaries are.
    Lengths,
    /// On the words that a summarizer wrote, or on how many.
    Summaries,
    /// On the rates of the price sheet and on how long answers are.
    Rates,
}

/// A figure of one condition: the condition, and its metric.
pub type Condition = (&'static str, &'static str);

/// What decides a claim.
pub enum Test {
    /// The whole interval is at or above the bar, under each condition.
    AtLeast(f64, &'static [Condition]),
    /// The whole interval is at or below the bar; else the figure that is shown instead,
    /// and why it cannot decide.
    AtMost(f64, &'static str, Condition),
    /// The whole interval is above nothing.
    AboveZero(&'static str),
    /// True of every session.
    Always(&'static str),
    /// As above, where a summary request failed at all.
    AlwaysWhereFailing(&'static str),
    /// The verdicts on the floor.
    Floor,
    /// Waiting, beside the rate that it would take.
    Waiting,
    /// No replay can tell, and why.
    Untestable(&'static str),
}

use Rests::{Lengths, Rates, Structure, Summaries};
use Test::{AboveZero, Always, AlwaysWhereFailing, AtLeast, AtMost, Floor, Untestable, Waiting};

const OPEN_LOOP: &str = "the replay is open-loop: the agent goes on as it did";

const fn claim(says: &'static str, test: Test, rests_on: Rests) -> Claim {
    Claim { says, test, rests_on }
}

/// The source that is named after a design of others, which is driven under its own name.
pub const ROADMAP: &str = "Roadmap: Codex-style compaction";

/// What survives is read as 95 % of what is needed.
const SURVIVES: f64 = 0.95;

/// The sources in the order in which they build on each other.
pub const SOURCES: [Source; 5] = [
    Source {
        name: "ADR-0014: composable strategies",
        claimants: &["forge-tool-call-threshold", "adr-0014-default", "forge-adr"],
        claims: &[
            claim(
                "Tokens fall by 40 % or more (said: 40 to 60 %) in sessions over 50,000 tokens",
                AtLeast(
                    0.40,
                    &[
                        ("50k to 100k tokens", "claim.saved.from_50k"),
                        ("from 100k tokens", "claim.saved.from_100k"),
                    ],
                ),
                Summaries,
            ),
            claim(
                "The same, with the summarizer's own tokens counted",
                AtLeast(
                    0.40,
                    &[
                        ("50k to 100k tokens", "claim.saved_net.from_50k"),
                        ("from 100k tokens", "claim.saved_net.from_100k"),
                    ],
                ),
                Summaries,
            ),
            claim(
                "The same, read as what each firing frees",
                AtLeast(0.40, &[("", "claim.freed")]),
                Summaries,
            ),
            claim(
                "Sessions of 100 turns and more run without an overflow",
                Always("claim.completed.from_100_turns"),
                Summaries,
            ),
            claim("Summarization takes at most 5 seconds", Waiting, Rates),
            claim(
                "Token counts lie within 2 % of what is billed",
                AtMost(
                    0.02,
                    "claim.counter_billing",
                    (
                        "no session has recorded usage; beside the reference tokenizer the size of \
                         the error is",
                        "claim.counter",
                    ),
                ),
                Structure,
            ),
            claim(
                "The current task is always preserved (the latest request, word for word)",
                Always("claim.sound.live_goal"),
                Structure,
            ),
            claim("The agent understands its task as before", Untestable(OPEN_LOOP), Summaries),
            claim(
                "The user interface stays responsive",
                Untestable("nothing here has one; waiting is modelled above"),
                Structure,
            ),
        ],
    },
    Source {
        name: "ADR-0041: goal batches",
        claimants: &["forge-adr"],
        claims: &[
            claim("The floor is eliminated: sessions can run on for ever", Floor, Lengths),
            claim(
                "What is left lies below the floor of the two older tiers",
                AboveZero("claim.breach"),
                Summaries,
            ),
            claim(
                "Sessions of 50 turns and more do not run into a floor",
                Always("claim.completed.from_50_turns"),
                Summaries,
            ),
            claim(
                "The user's changes of direction survive",
                AtLeast(SURVIVES, &[("", "claim.direction")]),
                Summaries,
            ),
            claim(
                "Lasting constraints survive",
                AtLeast(SURVIVES, &[("", "claim.constraint")]),
                Summaries,
            ),
            claim(
                "Dead ends survive, so that they are not tried again",
                AtLeast(SURVIVES, &[("", "claim.dead_end")]),
                Summaries,
            ),
            claim("A turn is never taken apart", Always("claim.sound.turns"), Structure),
            claim(
                "The arc of a goal is compacted whole",
                AtLeast(SURVIVES, &[("", "claim.arcs_whole")]),
                Structure,
            ),
            claim(
                "It fires well before the window is full (under 95 %)",
                Always("claim.sound.early"),
                Lengths,
            ),
        ],
    },
    Source {
        name: "Goat: proactive and reactive compaction",
        claimants: &["goat-doc", "goat-code"],
        claims: &[
            claim(
                "No tool call or result is ever orphaned",
                Always("claim.sound.pairs"),
                Structure,
            ),
            claim(
                "A compaction that fails never ends the loop",
                AlwaysWhereFailing("claim.sound.raised"),
                Structure,
            ),
            claim(
                "The context stays within the model's limits to the end",
                Always("completion"),
                Summaries,
            ),
        ],
    },
    Source {
        name: "Full replace",
        claimants: &["full-replace", "full-replace-fixed", "full-replace-200k"],
        claims: &[
            claim("The system prompt is preserved", Always("claim.sound.system"), Structure),
            claim(
                "The user's last request is preserved (word for word)",
                Always("claim.sound.live_goal"),
                Structure,
            ),
            claim(
                "The next agent can go on exactly where this one stopped",
                Untestable(OPEN_LOOP),
                Summaries,
            ),
            claim(
                "What was lost can be found again by searching memory",
                Untestable(
                    "no figure is named; archive.recoverable of full-replace-archive in \
                     measurements.csv tells what a search would find",
                ),
                Structure,
            ),
        ],
    },
    Source {
        name: ROADMAP,
        claimants: &["roadmap-doc", "roadmap-code"],
        claims: &[
            claim("Runs no longer fail because the history grows", Always("completion"), Summaries),
            claim("No summary is made of a summary", Always("claim.sound.drift"), Structure),
        ],
    },
];
