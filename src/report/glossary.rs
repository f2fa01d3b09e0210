//! What the terms of a report mean.

use super::Context;
use super::document::{Cell, Table, text};
use super::template::Parts;
use crate::error::Result;
use crate::measure::METRICS;

/// Every figure: its name, unit and definition.
pub fn parts(_: &Context) -> Result<Option<Parts>> {
    let mut table = Table::new("Glossary", ["Figure", "Unit", "Definition"].map(text));
    table.rows = METRICS
        .iter()
        .map(|metric| {
            vec![Cell::code(metric.name), Cell::text(metric.unit), Cell::text(metric.definition)]
        })
        .collect();
<<<<<<< HEAD
    let mut parts = Parts::default();
    let figures = parts.place_folded(table);
    Ok(Some(parts.value("figures", figures)))
=======
    let blocks = vec![Block::List(words()), Block::Glossary(table)];
    Section { id: "glossary", title: "Glossary", blocks }
}

/// The words of a verdict on the floor, in the order of the rules.
pub fn verdicts() -> Vec<Prose> {
    [
        ("session ended early", "some session of the family ended before its last checkpoint."),
        (
            "eliminated",
            "linear growth, in proportion to the turns, is excluded for one pass and for low water \
             (for one pass alone where nothing fired), and at least half of the live facts known \
             before survive forcing.",
        ),
        (
            "rises ever more slowly",
            "linear growth is excluded likewise (the files say eliminated), but a series that follows \
             a logarithm still rises over the lengths driven, and not to an end. Whatever the word, \
             red is a floor that rises over the lengths driven; green is kept for floors that do \
             not, on eight sessions and several lengths.",
        ),
        (
            "eliminated by forgetting",
            "linear growth is excluded likewise, but less than half of the live facts known before \
             survive forcing.",
        ),
        (
            "grown against, lowered against, as",
            "where the reference that they name was driven: the interval of the slope less its lies \
             above zero in one pass or in low water; else below zero in one of them; else across it \
             in both (the files: grown, lowered, unchanged). Lowered is less steep than the \
             reference, and can rise all the same.",
        ),
        (
            "grown",
            "where no reference was driven: linear growth is shown for one pass or for low water.",
        ),
        (
            "inconclusive",
            "none of these. A law that is \u{201c}not settled\u{201d} allows no claim.",
        ),
        (
            "n too small",
            "under eight sessions: the word beside it is an indication, not a verdict.",
        ),
    ]
    .into_iter()
    .map(|(word, meaning)| Prose::default().strong(word).then(format!(": {meaning}")))
    .collect()
}

/// The words of the page that are no figures.
const WORDS: [(&str, &str); 25] = [
    (
        "configuration",
        "a pipeline with the window that it runs in; other modes than deployed are named.",
    ),
    (
        "pipeline, stage, strategy",
        "an ordered list of stages; a stage is a strategy with the occasions on which it may \
         act.",
    ),
    (
        "deployed, forced, reactive, proactive, both",
        "modes: as the pipeline's own stages say; at given points; only when a prompt was too \
         large; only before; both.",
    ),
    (
        "plan, round, firing, pass",
        "a stage proposes a plan; plans of one stage on one occasion are the rounds of a \
         firing, which is what the agent waits for; a pass is all stages once, and in the \
         floor probe one round of forcing.",
    ),
    ("compaction", "a plan that was carried out."),
    (
        "pressure, trigger",
        "what a stage compares with its limit, such as tokens over the window; the trigger is \
         where it is just met.",
    ),
    (
        "window, usable window, base window",
        "the most tokens a call may have; that less system prompt and tools; the scenario's \
         own, by which distances are told even where a limit is swept.",
    ),
    ("swept limit", "the same pipeline with its limit set to a fixed share of the window."),
    (
        "control, windowless",
        "the session without compaction and without a window: it forgets nothing.",
    ),
    (
        "need, demand, ranked",
        "a step at which a fact is needed; ranked are those that planning or the log shows to \
         be needed, not those only seen again in tool output.",
    ),
    (
        "recall at need",
        "of the ranked needs whose fact was last mentioned a whole base window back: the \
         share present in the prompt.",
    ),
    (
        "fact, live, needle",
        "a piece of what the session tells; live from its birth until it is replaced or \
         needed no more; needles are the words that must stand together for it to count as \
         present.",
    ),
    ("inverted", "a rule or dead end of which the subject is there and the sense is not."),
    ("generation", "how many summarizers a text has gone through."),
    (
        "goal tier, goal batch",
        "the stage that folds several closed turns into one entry, after ADR-0041.",
    ),
    (
        "turn, closed turn, step",
        "a user message and all that follows until the next; one that is over; one model \
         call.",
    ),
    (
        "floor, one pass, low water",
        "the size that forced compaction cannot undercut; after one forced round; what the \
         run's own compactions left.",
    ),
    ("reference", "the pipeline whose floor a configuration's file says it is to undercut."),
    ("ownerless summary", "a summary that follows no user message."),
    ("fold, arc", "what one new entry stands for; the turns that a goal spans."),
    (
        "orphan-result, orphan-call, duplicate-result",
        "a tool result whose call is gone, a call whose results are gone, a call answered \
         twice: a provider that pairs ids refuses the request.",
    ),
    (
        "first-message-role, split-pair, order-changed, turn-split",
        "the first message is not the user's; something new stands between a call and its \
         result; messages changed places; a closed turn was taken apart. Recorded, and \
         refused by no wire here; some providers ask for the first two.",
    ),
    (
        "grew, empty-summary, system-changed",
        "a compaction made the view larger; a summary has no word; the system message was \
         changed. Recorded; no wire here refuses it.",
    ),
    (
        "wire",
        "what a scenario lets pass: strict ends a session at a request with unpaired ids, \
         text only records it.",
    ),
    (
        "overflow, max-tokens, invalid-request, raised",
        "how sessions end early: the prompt did not fit; the answer was cut off; the request \
         was refused; the strategy gave up.",
    ),
];

fn words() -> Vec<Prose> {
    let word =
        |(word, meaning): (&str, &str)| Prose::default().strong(word).then(format!(": {meaning}"));
    WORDS.into_iter().map(word).collect()
>>>>>>> frame
}
