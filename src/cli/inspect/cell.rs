//! One cell of a run: its compactions, and one of them from both sides.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::answer::Memo;
use crate::cli::inspect::{excerpt, traces, whole};
use crate::cli::{say, table, talk};
use crate::drive::{Cell, Snapshot, drive_with_snapshot};
use crate::error::{Error, Result};
use crate::ident::{self, FactId, Seed};
use crate::matrix::{self, Configuration, Suite, Summarizer};
use crate::price::PriceSheet;
use crate::row::CellKey;
use crate::run::{Plan, limits, prepare};
use crate::run_dir::read::RunData;
use crate::scenario::Scenario;
use crate::trace::{Compaction, Share, Trace};
use crate::truth::Truth;
use crate::view::{Entry, View};

/// The cells of a run.
pub(super) fn list(run: &Path) -> Result<()> {
    for row in &RunData::load(run)?.measurements {
        say(&row.key.cell);
    }
    Ok(())
}

/// A cell's compactions, or one of them.
pub(super) fn show(run: &Path, cell: &str, compaction: Option<u32>, full: bool) -> Result<()> {
    let data = RunData::load(run)?;
    let keys: Vec<&CellKey> = data.measurements.iter().map(|row| &row.key).collect();
    let key = find(&keys, cell)?;
    let plan = plan(run, &data, key)?;
    let scenario = &plan.scenarios[0];
    let prepared = prepare(&plan, scenario, key.seed)?;
    let truth = &prepared.session.book.truth;
    let ask = summarizer(key)?.build(truth, Seed(key.seed));
    let (memo, sheet) = (Memo::default(), PriceSheet::embedded());
    let driven = Cell {
        session: &prepared.session,
        pipeline: &plan.configurations[0].pipeline,
        limits: limits(scenario, &plan.configurations[0]),
        mode: plan.suite.modes[0],
        ask: &*ask,
        memo: &memo,
        sheet: &sheet,
        replicate: key.replicate,
        probes: plan.suite.probes,
    };
    let (trace, snapshot) = drive_with_snapshot(driven, compaction.unwrap_or(0));
    if !same_as_recorded(run, key, &trace)? {
        talk("warning: the cell did not repeat what the run recorded: another version of proctor?");
    }
    match compaction {
        None => compactions(key, &trace, &plan.configurations[0]),
        Some(number) => {
            let record = trace.compactions.iter().find(|record| record.number == number);
            let (Some(record), Some(snapshot)) = (record, snapshot) else {
                return Err(Error::Invalid {
                    place: format!("--compaction {number}"),
                    rule: format!("the cell has {} compactions", trace.compactions.len()),
                    hint: Some("leave `--compaction` away to list them".to_owned()),
                });
            };
            one(record, &snapshot, &trace, truth, full);
        }
    }
    Ok(())
}

fn find<'a>(keys: &[&'a CellKey], wanted: &str) -> Result<&'a CellKey> {
    if let Some(key) = keys.iter().find(|key| key.cell == wanted) {
        return Ok(key);
    }
    let holding: Vec<&&CellKey> = keys.iter().filter(|key| key.cell.contains(wanted)).collect();
    match holding.as_slice() {
        [key] => Ok(key),
        [] => {
            let near = ident::nearest(wanted, keys.iter().map(|key| key.cell.as_str()));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            Err(Error::Unknown { what: "cell", name: wanted.to_owned(), hint })
        }
        several => {
            let ids: Vec<&str> = several.iter().take(6).map(|key| key.cell.as_str()).collect();
            Err(Error::Invalid {
                place: format!("--cell {wanted}"),
                rule: format!("{} cells hold this text", several.len()),
                hint: Some(format!("for example {}", ids.join(", "))),
            })
        }
    }
}

fn summarizer(key: &CellKey) -> Result<Summarizer> {
    key.summarizer.parse().map_err(|error: String| Error::invalid(&key.cell, error))
}

/// A plan of the one cell, from the manifest and what ships with the binary.
fn plan(run: &Path, data: &RunData, key: &CellKey) -> Result<Plan> {
    let session = data
        .manifest
        .sessions
        .iter()
        .find(|session| session.scenario == key.scenario && session.seed == key.seed);
    let scenario = if session.is_none_or(|session| session.path.is_empty()) {
        Scenario::embedded(&key.scenario)?
    } else {
        let path = transcript(run, &key.scenario)?;
        let mut scenario = Scenario::for_transcript(&path, &key.scenario);
        scenario.max_output = crate::cli::run::longest_answer(&scenario)?;
        scenario
    };
    let mode = serde_json::from_value(key.mode.clone().into())
        .map_err(|error| Error::invalid(&key.cell, error.to_string()))?;
    let share = key.variant.strip_prefix("limit=").and_then(|share| share.parse().ok());
    let name = vec![key.pipeline.clone()];
    // What the run's suite said, where it ships: the manifest names it with its digest.
    let shipped = data.manifest.suite.split(' ').next().and_then(Suite::embedded).transpose()?;
    let suite = Suite {
        name: "one-cell".to_owned(),
        about: String::new(),
        scenarios: vec![key.scenario.clone()],
        windowless: if key.variant == "windowless" { name.clone() } else { Vec::new() },
        pipelines: if key.variant == "windowed" { name } else { Vec::new() },
        truncate_sweep: share.into_iter().collect(),
        modes: vec![mode],
        seeds: vec![key.seed],
        second_bank: Vec::new(),
        summarizer: summarizer(key)?.name,
        brackets: Vec::new(),
        faults: Vec::new(),
        replicates: 1,
        // Brackets and interventions are not probed; without rows there was no probe.
        probes: data.floor.iter().any(|row| row.cell == key.cell),
        orderings: None,
        grid: Vec::new(),
    };
    let configurations = match shipped.map(|suite| suite.generated(key)).transpose()?.flatten() {
        Some(generated) => vec![generated],
        None => matrix::configurations(&suite)?,
    };
    Ok(Plan {
        suite,
        scenarios: vec![scenario],
        configurations,
        command: String::new(),
        filter: None,
    })
}

/// Where a run read its transcript from.
fn transcript(run: &Path, scenario: &str) -> Result<PathBuf> {
    #[derive(Deserialize)]
    struct Host {
        transcripts: BTreeMap<String, PathBuf>,
    }
    let file = run.join("host.json");
    let text = std::fs::read(&file).map_err(|source| Error::io("read", &file, source))?;
    let host: Option<Host> = serde_json::from_slice(&text).ok();
    host.and_then(|mut host| host.transcripts.remove(scenario)).ok_or_else(|| Error::Invalid {
        place: file.display().to_string(),
        rule: format!("does not say where the transcript of `{scenario}` lies"),
        hint: None,
    })
}

fn same_as_recorded(run: &Path, key: &CellKey, trace: &Trace) -> Result<bool> {
    #[derive(Deserialize)]
    struct Line {
        cell: String,
        trace: Box<RawValue>,
    }
    let path = traces(run);
    let file = File::open(&path).map_err(|source| Error::io("read", &path, source))?;
    let again = serde_json::to_string(&trace.without_tables()).unwrap_or_default();
    let id = serde_json::to_string(&key.cell).unwrap_or_default();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|source| Error::io("read", &path, source))?;
        if !line.starts_with(&format!("{{\"cell\":{id},")) {
            continue;
        }
        let parsed: Option<Line> = serde_json::from_str(&line).ok();
        return Ok(parsed.is_some_and(|line| line.cell == key.cell && line.trace.get() == again));
    }
    Ok(false)
}

fn compactions(key: &CellKey, trace: &Trace, configuration: &Configuration) {
    say(&format!(
        "{}\nended by {}, {} of {} steps, {} compactions\n",
        key.cell,
        trace.ended_by.name(),
        trace.steps.len(),
        trace.steps_total,
        trace.compactions.len()
    ));
    let mut lines = table::plain(&[
        "n",
        "step",
        "turn",
        "stage",
        "occasion",
        "outcome",
        "before",
        "after",
        "folded",
        "lost",
        "rules broken",
    ]);
    for record in &trace.compactions {
        let stage = configuration.pipeline.stages.get(record.stage as usize);
        let rules: Vec<&str> = record.violations.iter().map(|v| v.rule.name()).collect();
        lines.add_row([
            record.number.to_string(),
            record.step.to_string(),
            record.turn.to_string(),
            stage.map_or("", |stage| stage.strategy.name()).to_owned(),
            record.occasion.name().to_owned(),
            record.outcome.name().to_owned(),
            table::thousands(record.before.as_f64()),
            table::thousands(record.after.as_f64()),
            record.removed.to_string(),
            record.lost.len().to_string(),
            distinct(&rules),
        ]);
    }
    say(&lines.to_string());
}

fn distinct(rules: &[&str]) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for rule in rules {
        match counted.iter_mut().find(|(known, _)| known == rule) {
            Some((_, count)) => *count += 1,
            None => counted.push((rule, 1)),
        }
    }
    let shown = counted
        .iter()
        .map(|(rule, n)| if *n > 1 { format!("{n} × {rule}") } else { (*rule).to_owned() });
    shown.collect::<Vec<_>>().join(", ")
}

fn one(record: &Compaction, around: &Snapshot, trace: &Trace, truth: &Truth, full: bool) {
    say(&format!(
        "compaction {} before step {} (turn {}): {}, {} → {} tokens\n",
        record.number,
        record.step,
        record.turn,
        record.outcome.name(),
        record.before,
        record.after
    ));
    let gone = |entry: &Entry| around.after.entry(entry.id).is_none();
    let come = |entry: &Entry| around.before.entry(entry.id).is_none();
    say("BEFORE (− leaves)");
    side(&around.before, '−', &gone, full);
    say("\nAFTER (+ is new)");
    side(&around.after, '+', &come, full);
    say("\nLOST");
    if record.lost.is_empty() {
        say("nothing that the truth knows of");
    }
    for loss in &record.lost {
        let Some(fact) = truth.facts.get(loss.fact.index()) else { continue };
        say(&format!(
            "  {} fact {} ({}): {}{}",
            loss.class.name(),
            fact.id.0,
            fact.kind.name(),
            excerpt(&fact.statement, 100),
            needed(trace, record, loss.fact)
        ));
    }
}

/// Where a lost fact was missed later.
fn needed(trace: &Trace, record: &Compaction, fact: FactId) -> String {
    let missed = trace
        .demands
        .iter()
        .filter(|demand| demand.fact == fact && demand.lost_by == Some(record.number));
    let steps: Vec<String> = missed.map(|demand| demand.step.to_string()).collect();
    if steps.is_empty() {
        return String::new();
    }
    format!("\n      needed and missed at step {}", steps.join(", "))
}

fn side(view: &View, mark: char, marked: &dyn Fn(&Entry) -> bool, full: bool) {
    let mut unmarked = 0;
    for entry in view.entries() {
        if !marked(entry) {
            unmarked += 1;
            continue;
        }
        if unmarked > 0 {
            say(&format!("  … {unmarked} entries as they are"));
            unmarked = 0;
        }
        let content = entry.content();
        let head = format!(
            "{mark} {:<10} {:>6} tok  gen {}  messages {:?}",
            Share::of(entry).name(),
            entry.tokens().0,
            entry.generation(),
            entry.covers.ranges()
        );
        if full {
            say(&format!("{head}\n{}\n", whole(&content)));
        } else {
            say(&format!("{head}  {}", excerpt(&content, 70)));
        }
    }
    if unmarked > 0 {
        say(&format!("  … {unmarked} entries as they are"));
    }
}
