//! What each shipped pipeline does, by its source's own doing.

use proctor::pipeline::EMBEDDED;

use crate::failures::Fate;

/// A line of the table.
pub struct Behaviour {
    /// The pipeline.
    pub pipeline: &'static str,
    /// Rules that it breaks on sessions that keep them all; no others are ever broken.
    pub breaks: &'static [&'static str],
    /// What becomes of a plan whose summary fails by error, time-out, overflow, or is
    /// empty; `None` where no summary is ever asked for.
    pub on_failure: [Option<Fate>; 4],
    /// Whether it ever changes a view.
    pub acts: bool,
    /// Whether a second pass without new messages changes nothing more.
    pub settles: bool,
    /// Where the source says so.
    pub source: &'static str,
}

/// The line of a pipeline.
pub fn behaviour(pipeline: &str) -> &'static Behaviour {
    let line = TABLE.iter().find(|line| line.pipeline == pipeline);
    line.unwrap_or_else(|| panic!("enter `{pipeline}` in tests/properties/table.rs"))
}

pub static TABLE: &[Behaviour] = &[
    Behaviour {
        pipeline: "none",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "truncate",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-tool-call",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-threshold",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-goal-batch",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-tool-call-threshold",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-tool-call-goal-batch",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-threshold-goal-batch",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-adr",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-head",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-head-no-threshold",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-head-tool-call",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-head-tool-call-threshold",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-g2",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "adr-0014-default",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "adr-0014-aggressive",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "adr-0014-conservative",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "adr-0014-disabled",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "prune-oldest",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-priority",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-meta-summary",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-prune-users",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-goal-lifecycle",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "forge-rebatch",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "mask-tool-results",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "goat-doc",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "goat-code",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "goat-fixed",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "split-half-unsafe",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "full-replace",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "full-replace-200k",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "full-replace-fixed",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "full-replace-archive",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "roadmap-doc",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "roadmap-code",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
    Behaviour {
        pipeline: "codex",
        breaks: &[],
        on_failure: [None; 4],
        acts: true,
        settles: true,
        source: "",
    },
];

#[test]
fn the_table_is_complete_and_says_where_each_line_is_from() {
    let entered: Vec<&str> = TABLE.iter().map(|line| line.pipeline).collect();
    let shipped: Vec<&str> = EMBEDDED.iter().map(|(name, _)| *name).collect();
    assert_eq!(entered, shipped, "one line for each pipeline, in the order of EMBEDDED");
    assert!(TABLE.iter().all(|line| !line.source.is_empty()));
}
