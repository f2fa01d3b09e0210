//! Cells verified session by session, the cells of a session side by side.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::matrix::CellSpec;
use crate::run::again::{Again, failed_line, headers};
use crate::run_dir::blocks::Cells;
use crate::run_dir::write::{Landed, TABLES};
use crate::run_dir::{CellState, Manifest, ManifestCell, ManifestSession};
use crate::truth::Truth;
use crate::verify::inputs::Inputs;
use crate::verify::{Check, How, Told, Wish, compare, rebuild, sessions};

/// What is verified from what.
pub(super) struct Job<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) inputs: &'a Inputs,
    pub(super) cells: &'a Cells,
    pub(super) chosen: &'a BTreeSet<&'a str>,
}

/// What came of it.
pub(super) struct Verified {
    pub(super) checks: Vec<Check>,
    pub(super) cells: Vec<(String, How)>,
}

/// One cell: how it was come by again, and what was compared by file.
struct One {
    how: How,
    reason: Option<String>,
    checks: Vec<Check>,
}

impl One {
    fn not(how: How, reason: impl Into<String>) -> One {
        One { how, reason: Some(reason.into()), checks: Vec::new() }
    }
}

/// All that a cell's files may be compared in: one table each, the trace, the story.
struct Checks {
    tables: BTreeMap<String, Check>,
}

impl Checks {
    fn new() -> Checks {
        let tables = TABLES.into_iter().map(|table| Check::new(&format!("{table}.csv"), "rows"));
        let others = [Check::new(TRACES, "traces"), Check::new(STORIES, "stories")];
        let all = tables.chain(others).map(|check| (check.name.clone(), check));
        Checks { tables: all.collect() }
    }

    fn add(&mut self, one: One) {
        if let Some(reason) = one.reason {
            for check in self.tables.values_mut().filter(|check| check.name != STORIES) {
                check.pass_over(format!("cells: {reason}"));
            }
        }
        for check in one.checks {
            let Some(own) = self.tables.get_mut(&check.name) else { continue };
            own.compared += check.compared;
            own.differ += check.differ;
            let room = Check::NAMED.saturating_sub(own.differences.len());
            own.differences.extend(check.differences.into_iter().take(room));
            for (reason, count) in check.unchecked {
                *own.unchecked.entry(reason).or_default() += count;
            }
        }
    }

    fn in_order(mut self) -> Vec<Check> {
        let names = TABLES.into_iter().map(|table| format!("{table}.csv"));
        let names = names.chain([TRACES.to_owned(), STORIES.to_owned()]);
        names.filter_map(|name| self.tables.remove(&name)).collect()
    }
}

const TRACES: &str = "traces.jsonl";
const STORIES: &str = "stories";

impl Job<'_> {
    pub(super) fn verify(&self, wish: &Wish, told: Told) -> Result<Verified> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(wish.jobs.unwrap_or(0))
            .build()
            .map_err(|error| Error::invalid("--jobs", error.to_string()))?;
        let mut of_sessions = Check::new("sessions", "sessions");
        let mut checks = Checks::new();
        let mut hows: BTreeMap<&str, How> = BTreeMap::new();
        for session in &self.manifest.sessions {
            let own = |cell: &&ManifestCell| {
                (cell.key.scenario.as_str(), cell.key.seed) == (&session.scenario, session.seed)
            };
            let cells: Vec<&ManifestCell> = self.manifest.cells.iter().filter(own).collect();
            let is_chosen = |cell: &&ManifestCell| self.chosen.contains(cell.key.cell.as_str());
            let (wanted, others): (Vec<&ManifestCell>, _) = cells.into_iter().partition(is_chosen);
            for cell in others {
                hows.insert(&cell.key.cell, How::NotChosen);
                checks.add(One::not(How::NotChosen, How::NotChosen.name()));
            }
            if wanted.is_empty() && wish.cells.as_ref().map(|_| 0).or(wish.sample).is_some() {
                of_sessions.pass_over(How::NotChosen.name());
                continue;
            }
            told(&format!("{} seed {}", session.scenario, session.seed));
            let done = pool.install(|| self.session(session, &wanted, wish, &mut of_sessions));
            for (cell, one) in wanted.iter().zip(done) {
                hows.insert(&cell.key.cell, one.how);
                checks.add(one);
            }
        }
        let cells = self.manifest.cells.iter().map(|cell| {
            let how = hows.get(cell.key.cell.as_str()).copied();
            (cell.key.cell.clone(), how.unwrap_or(How::SessionAbsent))
        });
        let cells = cells.collect();
        let checks = std::iter::once(of_sessions).chain(checks.in_order()).collect();
        Ok(Verified { checks, cells })
    }

    /// The wanted cells of a session, in their order.
    fn session(
        &self,
        session: &ManifestSession,
        wanted: &[&ManifestCell],
        wish: &Wish,
        check: &mut Check,
    ) -> Vec<One> {
        let absent = |reason: &str| {
            let one = || One::not(How::SessionAbsent, reason);
            wanted.iter().map(|_| one()).collect()
        };
        let key = (session.scenario.clone(), session.seed);
        let Some(scenario) = self.inputs.scenarios.get(&key) else {
            let reason = self.inputs.absent.get(&key).map_or("not at hand", String::as_str);
            check.pass_over(reason);
            return absent(How::SessionAbsent.name());
        };
        let plan = &self.inputs.plan;
        let Some(prepared) = sessions::ready(plan, scenario, session, check) else {
            return absent(How::SessionAbsent.name());
        };
        let turns = prepared.session.turns;
        let specs: Vec<_> = wanted.iter().map(|cell| self.inputs.spec(cell, turns)).collect();
        let at_hand: Vec<&CellSpec> = specs.iter().filter_map(|spec| spec.as_ref().ok()).collect();
        let options = &self.inputs.options;
        let again = Again::new(plan, (scenario, session.seed), &prepared, options, &at_hand);
        let truth = &prepared.session.book.truth;
        let pairs: Vec<_> = wanted.iter().zip(&specs).collect();
        pairs
            .into_par_iter()
            .map(|(cell, spec)| match spec {
                Ok(spec) => self.cell(cell, spec, &again, truth, wish.again),
                Err(reason) => One::not(How::PipelineAbsent, reason),
            })
            .collect()
    }

    fn cell(
        &self,
        cell: &ManifestCell,
        spec: &CellSpec,
        again: &Again,
        truth: &Truth,
        drive: bool,
    ) -> One {
        let landed = match self.cells.landed(cell) {
            Ok(landed) => landed,
            Err(error) => {
                let mut check = Check::new(TRACES, "traces");
                check.same([TRACES, &cell.key.cell, ""], &error.to_string(), "a trace");
                return One { how: How::Unreadable, reason: None, checks: vec![check] };
            }
        };
        if cell.state != CellState::Done {
            return self.failed(&landed);
        }
        let rebuilt = rebuild::trace(&landed, truth);
        let tables = rebuilt.as_ref().and_then(|trace| again.tables(spec, trace));
        if !drive && tables.as_ref().is_some_and(|tables| *tables == landed.tables) {
            return recomputed(&landed, &landed);
        }
        // What the cell should have written, by its inputs; where these are not at hand, by
        // its trace.
        if let Some(driven) = again.drive(spec) {
            let mut checks = tables_of(&landed, &driven);
            checks.extend(record_of(&landed, &driven));
            return One { how: How::DrivenAgain, reason: None, checks };
        }
        let Some(tables) = tables else {
            return One::not(How::SummarizerAbsent, How::SummarizerAbsent.name());
        };
        let expected = Landed { tables, ..copy(&landed) };
        recomputed(&landed, &expected)
    }

    /// A failed cell has one row, which says why.
    fn failed(&self, landed: &Landed) -> One {
        let (table, id) = ("measurements", &landed.key.cell);
        let mut check = Check::new("measurements.csv", "rows");
        let found = self.cells.text(table, id).unwrap_or_default();
        let header = headers().remove(table).unwrap_or_default();
        let expected = failed_line(table, landed);
        compare::table(&mut check, "measurements.csv", id, (&found, &expected), &header);
        One { how: How::Failed, reason: None, checks: vec![check] }
    }
}

/// A cell whose trace was taken as it stands: nothing was held against the trace itself.
fn recomputed(found: &Landed, expected: &Landed) -> One {
    let mut checks = tables_of(found, expected);
    for (file, there) in [(TRACES, true), (STORIES, found.story.is_some())] {
        let mut check = Check::new(file, "");
        if there {
            check.pass_over("taken as recorded: the cell was not driven again");
        }
        checks.push(check);
    }
    One { how: How::Recomputed, reason: None, checks }
}

/// Every table of a cell as it is and as it should be.
fn tables_of(found: &Landed, expected: &Landed) -> Vec<Check> {
    let headers = headers();
    let compared = |table: &str| {
        let file = format!("{table}.csv");
        let mut check = Check::new(&file, "rows");
        let texts = [found, expected].map(|one| one.tables.get(table).map_or("", String::as_str));
        let header = headers.get(table).map_or("", String::as_str);
        compare::table(&mut check, &file, &found.key.cell, (texts[0], texts[1]), header);
        check
    };
    TABLES.into_iter().map(compared).collect()
}

/// Its trace and its story.
fn record_of(found: &Landed, expected: &Landed) -> [Check; 2] {
    let id = &found.key.cell;
    let mut trace = Check::new(TRACES, "traces");
    compare::text(&mut trace, TRACES, id, found.trace.get(), expected.trace.get());
    let mut story = Check::new(STORIES, "stories");
    let of = |landed: &Landed| landed.story.as_ref().map(|story| story.get().to_owned());
    let told = |there: bool| if there { "a story" } else { "no story" };
    match (of(found), of(expected)) {
        (Some(one), Some(two)) => compare::text(&mut story, STORIES, id, &one, &two),
        (None, None) => {}
        (one, two) => {
            story.same([STORIES, id, ""], told(one.is_some()), told(two.is_some()));
        }
    }
    [trace, story]
}

fn copy(landed: &Landed) -> Landed {
    Landed {
        key: landed.key.clone(),
        failed: landed.failed.clone(),
        tables: BTreeMap::new(),
        trace: landed.trace.clone(),
        story: landed.story.clone(),
        wall_ms: 0,
    }
}
