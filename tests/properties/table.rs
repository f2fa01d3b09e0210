//! What shipped pipelines do, by their sources' own doing, where that differs from what a sound
//! one does.

use std::collections::BTreeSet;

use proctor::strategy::{pipeline, shipped};

use crate::properties::failures::Fate;
use lines::TABLE;

mod lines;

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Behaviour {
    /// The pipeline.
    pub pipeline: &'static str,
    /// Rules that it breaks on sessions that keep them all; no others are ever broken.
    pub breaks: &'static [&'static str],
    /// What becomes of a plan whose summary fails by error, time-out, overflow, or is
    /// empty; `None` where no summary is ever asked for.
    pub on_failure: [Option<Fate>; 4],
    /// Whether some views stay as they were then; where an empty summary is taken for one, none does.
    pub or_untouched: bool,
    /// Whether it ever changes a view.
    pub acts: bool,
    /// Whether a second pass without new messages changes nothing more.
    pub settles: bool,
    /// Where the source says so.
    pub source: &'static str,
}

/// A pipeline that asks for no summary, breaks no rule and changes nothing twice: it needs no
/// line. A line says what is different, and its source.
const SOUND: Behaviour = Behaviour {
    pipeline: "",
    breaks: &[],
    on_failure: [None; 4],
    or_untouched: false,
    acts: true,
    settles: true,
    source: "",
};

/// What a pipeline does: its line, or, without one, what a sound pipeline does. One that asks
/// for summaries is sound where a failed or empty one leaves the view as it was.
pub fn behaviour(name: &str) -> Behaviour {
    if let Some(line) = TABLE.iter().find(|line| line.pipeline == name) {
        return *line;
    }
    let stages = pipeline(name).expect("it ships").stages;
    let asks = stages.iter().any(|stage| stage.strategy.strategy().asks());
    let on_failure = if asks { [Some(Fate::Untouched); 4] } else { [None; 4] };
    Behaviour { on_failure, ..SOUND }
}

/// What every shipped pipeline does.
pub fn behaviours() -> Vec<Behaviour> {
    let names = shipped().pipeline_names();
    names.map(|pipeline| Behaviour { pipeline, ..behaviour(pipeline) }).collect()
}

/// One fate where there is no answer, another where it is empty.
const fn all_but_empty(failed: Fate, empty: Fate) -> [Option<Fate>; 4] {
    [Some(failed), Some(failed), Some(failed), Some(empty)]
}

/// It takes an empty summary for one, and leaves the view as it was where there is none.
const ASKS: Behaviour =
    Behaviour { on_failure: all_but_empty(Fate::Untouched, Fate::EmptySummary), ..SOUND };
/// It takes an empty summary for one, and ends the session where there is none.
const RAISES: Behaviour =
    Behaviour { on_failure: all_but_empty(Fate::Raises, Fate::EmptySummary), ..SOUND };
const FORGE_TOOL_CALL: Behaviour = Behaviour { breaks: &["grew", "empty-summary"], ..ASKS };
const FORGE: Behaviour = Behaviour {
    breaks: &["grew", "empty-summary", "first-message-role", "fresh-result-hidden"],
    settles: false,
    ..ASKS
};
const FORGE_HEAD: Behaviour = Behaviour {
    breaks: &[
        "grew",
        "orphan-result",
        "order-changed",
        "empty-summary",
        "first-message-role",
        "fresh-result-hidden",
    ],
    settles: false,
    ..ASKS
};
const EVERY_N_TURNS: Behaviour = Behaviour { breaks: &["empty-summary"], settles: false, ..ASKS };
const FULL_REPLACE: Behaviour = Behaviour {
    breaks: &["grew", "empty-summary", "fresh-result-hidden"],
    on_failure: all_but_empty(Fate::ChangedAndRaises, Fate::EmptySummary),
    ..SOUND
};

#[test]
fn each_line_is_of_another_shipped_pipeline_and_says_where_it_is_from() {
    let entered: BTreeSet<&str> = TABLE.iter().map(|line| line.pipeline).collect();
    assert_eq!(TABLE.len(), entered.len(), "no pipeline has two lines");
    for line in TABLE {
        assert!(shipped().pipeline(line.pipeline).is_ok(), "no pipeline `{}`", line.pipeline);
        assert!(!line.source.is_empty(), "{}", line.pipeline);
        let Behaviour { pipeline, source, .. } = *line;
        assert_ne!(*line, Behaviour { pipeline, source, ..SOUND }, "it needs no line");
    }
}
