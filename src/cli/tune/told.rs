//! What a search says on the terminal.

use super::{Arguments, Task};
use crate::cli::prelude::*;
use crate::tune::{Range, Setting, Size, Tuning, sections};

/// The numbers of a pipeline with their ranges.
pub(super) fn list(task: &Task) -> String {
    let row = |setting: &Setting| {
        let range = task.ranges.iter().find(|range| range.key == setting.key);
        let ends = |range: &Range| {
            format!("{} to {}", range.written(range.least), range.written(range.most))
        };
        vec![
            setting.key.clone(),
            setting.value.map_or_else(|| "–".to_owned(), |value| setting.kind.written(value)),
            range.map_or_else(|| "not varied".to_owned(), ends),
            setting.rule.name().to_owned(),
            setting.meaning.clone(),
        ]
    };
    let rows = task.settings.iter().map(row).collect();
    table::left(&(vec!["parameter", "default", "range", "rule", "meaning"], rows))
        + "\n\n`--vary KEY=MIN..MAX` sets a range, also of what is not varied; `--only KEY,KEY` leaves \
           the others as they are."
}

/// What was done, in sentences.
pub(super) fn head(
    task: &Task,
    arguments: &Arguments,
    size: &Size,
    tuning: &Tuning,
) -> Vec<String> {
    let found = &tuning.found;
    let held_back = match task.scenarios[1].as_slice() {
        [] => String::new(),
        names => format!(" and {}", names.join(", ")),
    };
    let mut lines = vec![
        format!(
            "`{}`: {} parameters, {} points in {} rungs, {} cells, under `{}`.",
            task.pipeline.name,
            tuning.ranges.len(),
            found.points.len(),
            size.rungs.count(),
            found.cells + tuning.held.cells,
            task.plan.suite.summarizer,
        ),
        format!(
            "Searched: {}, seeds {}. Held back, of which all results are: the same scenarios{held_back}, \
             seeds {}.",
            task.scenarios[0].join(", "),
            seeds(&task.seeds[0]),
            seeds(&task.seeds[1]),
        ),
    ];
    if found.refused > 0 {
        let refused = found.refused;
        lines.push(format!(
            "{refused} draws were refused by the pipeline's own check and drawn again."
        ));
    }
    if let Some(minutes) = arguments.minutes {
        lines.push(format!(
            "The {minutes} minutes were worth {} cells on this machine; on another one the search is \
             larger or smaller. `command` in tune.json repeats this one.",
            size.cells
        ));
    }
    lines
}

/// All of it as text.
pub(super) fn text(head: &[String], tuning: &Tuning) -> String {
    let mut text = head.join("\n");
    for section in sections(tuning) {
        text.push_str(&format!("\n\n{}", section.text(table::left).trim_end()));
    }
    text
}

/// What to do with a point that is better.
pub(super) fn next(out: &Path, tuning: &Tuning) -> Vec<Shown> {
    let line = |(point, _): (usize, _)| {
        let name = &tuning.found.points[point].pipeline.name;
        let file = out.join("points").join(format!("{name}.toml"));
        shown!("next: proctor run smoke --pipeline {}", file.display())
    };
    tuning.better().into_iter().map(line).collect()
}

pub(super) fn seeds(seeds: &[u64]) -> String {
    seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}
