//! The inputs of a recorded run, found again: what ships with the binary, or what the user
//! gives, wherever its digest is the recorded one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::matrix::{self, CellSpec, Configuration, Suite, Summarizer, SummarizerName};
use crate::measure::table;
use crate::price::PriceSheet;
use crate::run::again::longest_answer;
use crate::run::{self, Options, Plan};
use crate::run_dir::{Manifest, ManifestCell, ManifestSession};
use crate::scenario::{Scenario, twin_of};
use crate::strategy::shipped;
use crate::summarize::cassette::Cassette;
use crate::summarize::live::{Endpoint, Live};
use crate::token::Counter;
use crate::verify::sessions::digests_of;
use crate::verify::{Check, Wish};

/// All that is at hand.
pub(super) struct Inputs {
    /// The plan of the run, as far as it could be found again.
    pub(super) plan: Plan,
    /// Whether its suite is the one that was run.
    pub(super) is_whole: bool,
    /// How the run was carried out.
    pub(super) options: Options,
    /// By session: the scenario that makes it.
    pub(super) scenarios: BTreeMap<(String, u64), Scenario>,
    /// By session that is not at hand: why.
    pub(super) absent: BTreeMap<(String, u64), String>,
    /// What was compared.
    pub(super) checks: Vec<Check>,
    pub(super) notes: Vec<String>,
}

impl Inputs {
    pub(super) fn of(dir: &Path, manifest: &Manifest, wish: &Wish) -> Result<Inputs> {
        let mut check = Check::new("inputs", "digests");
        fixed(manifest, &mut check);
        let candidates = candidates(manifest, wish)?;
        let whole = candidates.iter().find(|suite| named(suite) == manifest.suite).cloned();
        match &whole {
            Some(_) => check.put(None),
            None => check.pass_over("suite not at hand"),
        }
        let configurations = configurations(manifest, &candidates, &mut check);
        let mut found = Inputs {
            plan: Plan {
                suite: match (&whole, candidates.last()) {
                    (Some(suite), _) => suite.clone(),
                    (None, Some(base)) => recorded_suite(manifest, base),
                    (None, None) => return Err(Error::invalid("suite", "none ships")),
                },
                scenarios: Vec::new(),
                configurations,
                command: manifest.command.clone(),
                filter: None,
                orders: manifest.orders.clone(),
                grids: manifest.grids.clone(),
            },
            options: Options {
                jobs: wish.jobs,
                stories: manifest.stories,
                redact: manifest.redacted,
                live: replay(dir, manifest, wish)?,
                ..Options::new(dir)
            },
            is_whole: whole.is_some(),
            scenarios: BTreeMap::new(),
            absent: BTreeMap::new(),
            checks: Vec::new(),
            notes: Vec::new(),
        };
        found.find_scenarios(dir, manifest, wish, &mut check)?;
        found.checks.push(check);
        if whole.is_some() {
            found.checks.push(found.matrix(manifest));
        }
        Ok(found)
    }

    /// The scenario of every session.
    fn find_scenarios(
        &mut self,
        dir: &Path,
        manifest: &Manifest,
        wish: &Wish,
        check: &mut Check,
    ) -> Result<()> {
        let given = given_transcripts(manifest, wish, &mut self.notes)?;
        let recorded = recorded_paths(dir);
        let mut synthesized: BTreeMap<&str, std::result::Result<Scenario, String>> =
            BTreeMap::new();
        for session in &manifest.sessions {
            let key = (session.scenario.clone(), session.seed);
            let found = if session.path.is_empty() {
                let name = session.scenario.as_str();
                let found = synthesized.entry(name).or_insert_with(|| {
                    let found = synthesized_scenario(manifest, name, wish);
                    match &found {
                        Ok(_) => check.put(None),
                        Err(reason) => check.pass_over(reason),
                    }
                    found
                });
                found.clone()
            } else {
                let path = given.get(&key).or_else(|| recorded.get(&session.scenario));
                transcript(session, path, wish)
            };
            match found {
                Ok(scenario) => {
                    self.scenarios.insert(key, scenario);
                }
                Err(reason) => {
                    self.absent.insert(key, reason);
                }
            }
        }
        // Once each, in the order of the manifest.
        let mut known = BTreeSet::new();
        for session in &manifest.sessions {
            let key = (session.scenario.clone(), session.seed);
            if let Some(scenario) = self.scenarios.get(&key)
                && known.insert(&session.scenario)
            {
                self.plan.scenarios.push(scenario.clone());
            }
        }
        Ok(())
    }

    /// The matrix that the suite stands for, against the cells of the manifest.
    fn matrix(&self, manifest: &Manifest) -> Check {
        let mut check = Check::new("matrix", "cells");
        let mut expected = BTreeSet::new();
        for session in &manifest.sessions {
            let key = (session.scenario.clone(), session.seed);
            let Some(scenario) = self.scenarios.get(&key) else {
                check.pass_over("session absent");
                return check;
            };
            let cells = self.plan.cells(scenario, session.turns, session.seed);
            expected.extend(cells.into_iter().map(|cell| cell.key.cell));
        }
        let found: BTreeSet<&str> =
            manifest.cells.iter().map(|cell| cell.key.cell.as_str()).collect();
        // A filter leaves cells out, and a part of a run has not all.
        let is_whole = manifest.part.is_none() && !manifest.command.contains(" --filter ");
        for id in &expected {
            match (found.contains(id.as_str()), is_whole) {
                (true, _) => check.put(None),
                (false, true) => check.same(["manifest.json", id, ""], "no cell", "a cell"),
                (false, false) => {}
            }
        }
        for id in found.into_iter().filter(|id| !expected.contains(*id)) {
            check.same(["manifest.json", id, ""], "a cell", "no such cell in the suite");
        }
        check
    }

    /// A recorded cell as it is driven; the reason where that is not known.
    pub(super) fn spec(
        &self,
        cell: &ManifestCell,
        turns: u32,
    ) -> std::result::Result<CellSpec, String> {
        let key = &cell.key;
        let name = key.configuration();
        let configurations = &self.plan.configurations;
        let place = configurations.iter().position(|one| one.name() == name);
        let place = place.ok_or_else(|| format!("pipeline `{name}` not at hand"))?;
        let scenario = self.scenarios.get(&(key.scenario.clone(), key.seed));
        let scenario = scenario.ok_or_else(|| "session absent".to_owned())?;
        let mode =
            serde_json::from_value(key.mode.clone().into()).map_err(|error| error.to_string())?;
        let mut key = key.clone();
        key.turns = turns;
        key.window = configurations[place].window.unwrap_or(scenario.window).0;
        key.family = scenario.family.clone().unwrap_or_else(|| scenario.name.clone());
        let summarizer = key.summarizer.parse::<Summarizer>();
        let summarizer = summarizer.map_err(|error| error.to_string())?;
        Ok(CellSpec { key, configuration: place, mode, summarizer })
    }
}

/// The answers of the model that the run asked, where its cassette is at hand.
fn replay(dir: &Path, manifest: &Manifest, wish: &Wish) -> Result<Option<Arc<Live>>> {
    let Some(terms) = &manifest.live else { return Ok(None) };
    let own = dir.join("cassette.jsonl");
    let path = match &wish.cassette {
        Some(path) => path.clone(),
        None if own.exists() => own,
        None => return Ok(None),
    };
    let live = Live::replay(Endpoint::from(terms), Cassette::replay(&path)?)?;
    Ok(Some(Arc::new(live)))
}

/// What every run takes from the binary.
fn fixed(manifest: &Manifest, check: &mut Check) {
    let sheet = PriceSheet::embedded();
    let mut same = |column: &str, found: &str, expected: &str| {
        check.same(["manifest.json", "", column], found, expected);
    };
    same("prices.name", &manifest.prices.name, sheet.name());
    same("prices.digest", &manifest.prices.digest.to_string(), &sheet.digest().to_string());
    same("tokenizer", &manifest.tokenizer, Counter::REFERENCE.tokenizer.name());
    let told = |metrics: &[(String, u32)]| {
        metrics.iter().map(|(id, version)| format!("{id} {version}")).collect::<Vec<_>>()
    };
    let (found, expected) = (told(&manifest.metrics), told(&table::versions()));
    let first = |one: &[String], other: &[String]| {
        one.iter().find(|metric| !other.contains(metric)).cloned().unwrap_or_default()
    };
    same("metrics", &first(&found, &expected), &first(&expected, &found));
}

/// A suite as manifests name it.
fn named(suite: &Suite) -> String {
    format!("{} ({})", suite.name, matrix::digest(suite))
}

/// Suites that the run may have been made from: the user's, the shipped one of its name, and
/// the default suite's configurations on its scenarios; with what the command line
/// changed.
fn candidates(manifest: &Manifest, wish: &Wish) -> Result<Vec<Suite>> {
    let name = manifest.suite.split(" (").next().unwrap_or_default();
    let plain = manifest.scenarios.iter().map(|input| input.name.clone());
    let plain: Vec<String> = plain.filter(|name| twin_of(name).is_none()).collect();
    let default = Suite::embedded("default")
        .unwrap_or_else(|| Err(Error::invalid("default suite", "it does not ship")))?;
    let shipped = Suite::embedded(name.trim_end_matches("-altered")).transpose()?;
    let mut suites: Vec<Suite> = wish.suite.iter().cloned().chain(shipped).collect();
    suites.push(default.on(name.to_owned(), plain));
    let seeds: Option<Vec<u64>> = word(&manifest.command, "--seeds ")
        .and_then(|seeds| seeds.split(',').map(|seed| seed.parse().ok()).collect());
    let command = &manifest.command;
    let main: Option<Summarizer> = word(command, "--summarizer ").and_then(|w| w.parse().ok());
    let replicates = word(command, "--replicates ").and_then(|word| word.parse().ok());
    for suite in &mut suites {
        name.clone_into(&mut suite.name);
        if let Some(seeds) = &seeds {
            suite.seeds.clone_from(seeds);
            suite.second_bank.retain(|seed| seeds.contains(seed));
        }
        if let Some(main) = main {
            suite.summarizer = main;
            suite.brackets.retain(|bracket| *bracket != main);
        }
        suite.replicates = replicates.unwrap_or(suite.replicates);
        // A model that is paid for is not probed unless it is asked for.
        let is_paid = suite.summarizer.name == SummarizerName::Http;
        suite.probes = command.contains(" --probes") || suite.probes && !is_paid;
    }
    Ok(suites)
}

/// The word behind an option of a recorded command line.
fn word<'a>(command: &'a str, option: &str) -> Option<&'a str> {
    let (_, rest) = command.rsplit_once(option)?;
    rest.split(' ').next()
}

/// What of a suite can be told from the record of a run: which cells are probed and have
/// stories.
fn recorded_suite(manifest: &Manifest, base: &Suite) -> Suite {
    let modes: Vec<_> = manifest
        .cells
        .iter()
        .filter_map(|cell| serde_json::from_value(cell.key.mode.clone().into()).ok())
        .collect();
    let main = manifest.summarizers.first().and_then(|name| name.parse::<Summarizer>().ok());
    let mut seeds = Vec::new();
    for session in &manifest.sessions {
        if !seeds.contains(&session.seed) {
            seeds.push(session.seed);
        }
    }
    let mut suite = base.clone();
    suite.seeds = seeds;
    suite.modes = modes;
    suite.summarizer = main.unwrap_or_default();
    suite
}

/// The configurations of the recorded names and digests, in the manifest's order.
fn configurations(
    manifest: &Manifest,
    candidates: &[Suite],
    check: &mut Check,
) -> Vec<Configuration> {
    let mut known: Vec<Configuration> = candidates
        .iter()
        .filter_map(|suite| matrix::configurations(shipped(), suite).ok())
        .flatten()
        .collect();
    // Pipelines that ship, whatever suite names them.
    if let Some(suite) = candidates.last() {
        let of = |variant: &str| {
            let names = manifest.pipelines.iter().filter_map(|one| one.name.rsplit_once('@'));
            names.filter(|(_, own)| *own == variant).map(|(name, _)| name.to_owned()).collect()
        };
        let single = |names: Vec<String>, windowless: bool| {
            names.into_iter().filter_map(move |name| {
                let (pipelines, without) =
                    if windowless { (vec![], vec![name]) } else { (vec![name], vec![]) };
                let one = Suite { pipelines, windowless: without, ..bare(suite) };
                matrix::configurations(shipped(), &one).ok()
            })
        };
        known.extend(single(of("windowed"), false).flatten());
        known.extend(single(of("windowless"), true).flatten());
        let variants = manifest.pipelines.iter().filter_map(|one| one.name.split_once("@limit="));
        let shares = variants.filter_map(|(_, share)| share.parse().ok()).collect();
        let swept = Suite { truncate_sweep: shares, ..bare(suite) };
        known.extend(matrix::configurations(shipped(), &swept).unwrap_or_default());
    }
    if let Some(terms) = &manifest.live {
        run::live::address(&mut known, terms);
    }
    let mut found = Vec::new();
    for input in &manifest.pipelines {
        let own = known.iter().find(|one| {
            format!("{}@{}", one.pipeline.name, one.variant) == input.name
                && one.pipeline.digest() == input.digest
        });
        match own {
            Some(configuration) => {
                check.put(None);
                found.push(configuration.clone());
            }
            None => check.pass_over(format!("no pipeline `{}` of this digest at hand", input.name)),
        }
    }
    found
}

/// A suite without pipelines.
fn bare(suite: &Suite) -> Suite {
    Suite {
        pipelines: Vec::new(),
        windowless: Vec::new(),
        truncate_sweep: Vec::new(),
        orderings: None,
        grid: Vec::new(),
        ..suite.clone()
    }
}

/// The scenario of a synthesized session, where one of the recorded digest is at hand.
fn synthesized_scenario(
    manifest: &Manifest,
    name: &str,
    wish: &Wish,
) -> std::result::Result<Scenario, String> {
    let recorded = manifest.scenarios.iter().find(|input| input.name == name);
    let twins = wish.scenarios.iter().filter_map(Scenario::twin);
    let given = wish.scenarios.iter().cloned().chain(twins).filter(|one| one.name == name);
    let shipped = Scenario::embedded(name).ok();
    let mut all = given.chain(shipped);
    all.find(|one| recorded.is_some_and(|input| input.digest == one.digest()))
        .ok_or_else(|| format!("no scenario `{name}` of this digest at hand"))
}

/// The scenario of a recorded session.
fn transcript(
    session: &ManifestSession,
    path: Option<&PathBuf>,
    wish: &Wish,
) -> std::result::Result<Scenario, String> {
    if let Some(own) = wish.scenarios.iter().find(|one| one.name == session.scenario) {
        return Ok(own.clone());
    }
    let path = path.ok_or("the transcript is not at hand: name it with --sessions")?;
    let mut scenario = Scenario::for_transcript(path, &session.scenario);
    scenario.max_output = longest_answer(&scenario)
        .map_err(|_| "the transcript is not where it was: name it with --sessions".to_owned())?;
    if scenario.window.0 != session.window {
        return Err("its scenario is not at hand: name the file with --sessions".to_owned());
    }
    Ok(scenario)
}

/// The transcripts that were given, by the session that each is: its digests say so.
fn given_transcripts(
    manifest: &Manifest,
    wish: &Wish,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<(String, u64), PathBuf>> {
    let mut given = BTreeMap::new();
    for path in &wish.transcripts {
        let (log, truth) = digests_of(&Scenario::for_transcript(path, "transcript"))?;
        let own = |one: &&ManifestSession| one.log == log && one.truth == truth;
        let mut found = manifest.sessions.iter().filter(own).peekable();
        if found.peek().is_none() {
            notes.push(format!("`{}` is no session of this run", path.display()));
        }
        let named = found.map(|one| ((one.scenario.clone(), one.seed), path.clone()));
        given.extend(named);
    }
    Ok(given)
}

/// Where the run read its transcripts, by scenario name.
fn recorded_paths(dir: &Path) -> BTreeMap<String, PathBuf> {
    #[derive(Default, Deserialize)]
    struct Host {
        #[serde(default)]
        transcripts: BTreeMap<String, PathBuf>,
    }
    // OK to go without: the file is no part of what was measured.
    let text = std::fs::read(dir.join("host.json")).unwrap_or_default();
    serde_json::from_slice::<Host>(&text).unwrap_or_default().transcripts
}
