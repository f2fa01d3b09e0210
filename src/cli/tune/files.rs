//! The directory of a search.

use serde_json::json;

use super::{Arguments, Task, told};
use crate::cli::prelude::*;
use crate::ident::Digest;
use crate::report::front_of;
use crate::run::tool;
use crate::run_dir::write::{json_file, write_whole};
use crate::tune::{Cost, Found, Held, Point, Range, Size, Tuning, csv, sections};

/// Makes it, before anything is driven.
pub(super) fn begin(out: &Path) -> Result<()> {
    let points = out.join("points");
    std::fs::create_dir_all(&points).map_err(|source| Error::io("create", &points, source))
}

/// The log of the search so far: it is whole after every rung.
pub(super) fn trials(
    out: &Path,
    ranges: &[Range],
    found: &Found,
    held: Option<&Held>,
) -> Result<()> {
    write_whole(out, "trials.csv", csv(ranges, found, held)?.as_bytes())
}

pub(super) fn write(
    out: &Path,
    task: &Task,
    arguments: &Arguments,
    (size, head): (&Size, &[String]),
    tuning: &Tuning,
) -> Result<()> {
    trials(out, &task.ranges, &tuning.found, Some(&tuning.held))?;
    let command = command(task, arguments, size);
    for point in tuning.found.points.iter().filter(|point| point.number > 0) {
        let name = format!("{}.toml", point.pipeline.name);
        let file = point.file(&comment(&command, point, tuning))?;
        write_whole(&out.join("points"), &name, file.as_bytes())?;
    }
    let drawn = front_of(tuning)?;
    if let Some(svg) = &drawn {
        write_whole(out, "front.svg", svg.as_bytes())?;
    }
    let mut page = format!("# The numbers of `{}`, searched\n\n", task.pipeline.name);
    page.push_str(&format!("{}\n", head.join("\n\n")));
    if drawn.is_some() {
        page.push_str("\n![Recall at need over dollars, on the held-back part](front.svg)\n");
    }
    for section in sections(tuning) {
        page.push_str(&format!("\n{}", section.markdown()));
    }
    write_whole(out, "tune.md", page.as_bytes())?;
    let record = record(task, arguments, size, (&command, tuning));
    write_whole(out, "tune.json", &json_file("tune.json", &record)?)
}

/// How a point was found, and what came of it.
fn comment(command: &str, point: &Point, tuning: &Tuning) -> String {
    let mut lines = vec![
        format!("Point {} of a search: {}.", point.number, point.origin),
        format!("It differs from the file in: {}.", point.changed(&tuning.ranges).join(", ")),
        format!("Made by `{command}`."),
    ];
    let held = tuning.held.points.iter().find(|one| one.point == point.number);
    lines.push(match held {
        Some(_) => "It was held against the defaults: the figures are in tune.md.".to_owned(),
        None => "It was not on a front, and so not held against the defaults.".to_owned(),
    });
    lines.iter().map(|line| sanitize::line(line)).collect::<Vec<_>>().join("\n")
}

/// The command that gives the same bytes, whatever the machine.
fn command(task: &Task, arguments: &Arguments, size: &Size) -> String {
    let mut words = vec!["proctor tune".to_owned(), arguments.pipeline.clone()];
    let mut put =
        |option: &str, value: &str| words.extend([format!("--{option}"), value.to_owned()]);
    if !arguments.scenarios.is_empty() {
        put("scenarios", &arguments.scenarios.join(","));
    }
    put("seeds", &told::seeds(&task.seeds[0]));
    if !arguments.held_back_scenarios.is_empty() {
        put("held-back-scenarios", &arguments.held_back_scenarios.join(","));
    }
    put("held-back-seeds", &told::seeds(&task.seeds[1]));
    put("summarizer", &task.plan.suite.summarizer.to_string());
    arguments.vary.iter().for_each(|range| put("vary", range));
    if !arguments.only.is_empty() {
        put("only", &arguments.only.join(","));
    }
    put("cells", &budget(arguments, size).to_string());
    put("search-seed", &arguments.search_seed.to_string());
    words.join(" ")
}

/// A budget in cells that leads to this very size.
fn budget(arguments: &Arguments, size: &Size) -> usize {
    if arguments.minutes.is_some() { size.cells } else { arguments.cells }
}

/// Everything that is needed to repeat it, and what it came to.
fn record(
    task: &Task,
    arguments: &Arguments,
    size: &Size,
    (command, tuning): (&str, &Tuning),
) -> serde_json::Value {
    let (searched, _) = task.split.over(0..task.split.rungs().count());
    let (held, _) = task.split.held_back();
    let scenarios = |all: &[Scenario]| -> Vec<serde_json::Value> {
        all.iter().map(|one| json!({ "name": one.name, "digest": one.digest() })).collect()
    };
    let verdicts = Cost::ALL.map(|cost| (cost.name(), tuning.held.verdict(cost).name()));
    let verdicts: BTreeMap<_, _> = verdicts.into_iter().collect();
    let better = tuning.better().into_iter().map(|(point, costs)| {
        json!({ "point": tuning.found.points[point].pipeline.name, "fronts": costs })
    });
    let prices = task.plan.sheet.digest();
    json!({
        "tool": tool(),
        "command": command,
        "pipeline": task.pipeline,
        "pipeline_digest": Digest::of_json(&task.pipeline),
        "prices": { "name": task.plan.sheet.name(), "digest": prices },
        "summarizer": task.plan.suite.summarizer.to_string(),
        "ranges": tuning.ranges,
        "search": {
            "seed": arguments.search_seed,
            "budget_cells": budget(arguments, size),
            "minutes": arguments.minutes,
            "points_wanted": size.points,
            "points": tuning.found.points.len(),
            "refused": tuning.found.refused,
            "repeated": tuning.found.repeated,
            "scenarios": scenarios(&searched),
            "seeds": task.seeds[0],
            "cells": tuning.found.cells,
        },
        "held_back": {
            "scenarios": scenarios(&held),
            "seeds": task.seeds[1],
            "sessions": tuning.held.sessions,
            "points": tuning.held.points.iter().map(|one| one.point).collect::<Vec<_>>(),
            "cells": tuning.held.cells,
        },
        "verdicts": verdicts,
        "better": better.collect::<Vec<_>>(),
    })
}
