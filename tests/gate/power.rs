//! How often the shipped policy is wrong, on the gate's own suite: pools of its sessions, driven
//! once a side, and gates over sessions drawn from them. The bench `power` prints the tables of
//! METHODOLOGY; a test holds their bounds on a smaller pool.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use proctor::gate::{Baseline, Finding, Judgement, Policy, Row, Verdict, between};
use proctor::ident::Seed;
use proctor::matrix::Suite;
use proctor::measure::MetricId;
use proctor::run::{Kept, Options, Plan, Silent, run};
use proctor::run_dir::Stories;
use proctor::run_dir::read::RunData;
use proctor::scenario::Scenario;
use proctor::strategy::Registry;
use proctor::summarize::own::Summarizers;
use rand::RngExt;
use rayon::prelude::*;

/// The pipeline that everything is a change of.
pub const PIPELINE: &str = "forge-adr";
/// Sessions of each scenario in a gate.
const SEEDS: u64 = 8;

/// Sessions of the gate's scenarios, and who writes summaries.
pub struct Pool<'a> {
    pub scenarios: &'a [String],
    pub seeds: u64,
    pub registry: &'a Registry,
    pub summarizers: Summarizers,
    pub policy: &'a Policy,
    /// The sessions that one run leaves to the next.
    pub kept: Kept,
    /// Where runs are kept while they are read.
    pub folder: &'a Path,
}

/// The scenarios of the suite `gate`.
pub fn scenarios() -> Vec<String> {
    Suite::embedded("gate").expect("it ships").expect("it parses").scenarios
}

impl Pool<'_> {
    fn run(&self, name: &str, pipelines: &[&str], more: &str) -> RunData {
        let seeds: Vec<u64> = (1..=self.seeds).collect();
        let text = format!(
            "name = \"pool\"\nabout = \"A pool.\"\nscenarios = {:?}\npipelines = {pipelines:?}\n\
             windowless = [\"none\"]\nseeds = {seeds:?}\n{more}",
            self.scenarios
        );
        let suite = Suite::parse("pool", &text).expect("it parses");
        let scenarios = self.scenarios.iter().map(|one| Scenario::embedded(one));
        let scenarios = scenarios.collect::<Result<_, _>>().expect("they ship");
        let plan = Plan::new(self.registry, suite, scenarios, String::new()).expect("a plan");
        let out = self.folder.join(name);
        let (summarizers, sessions) = (self.summarizers.clone(), Some(Arc::clone(&self.kept)));
        let options =
            Options { summarizers, sessions, stories: Stories::None, ..Options::new(&out) };
        run(&plan, &options, &Silent).expect("it runs");
        RunData::load(&out).expect("it reads")
    }

    /// Each pipeline's figures, as if all had the same name.
    pub fn pipelines(&self, name: &str, pipelines: &[&str], more: &str) -> Vec<Baseline> {
        let all = Baseline::of(&self.run(name, pipelines, more), self.policy);
        let of = |pipeline: &&str| {
            let own =
                |row: &&Row| row.configuration == *pipeline || row.configuration.contains('@');
            let rows = all.rows.iter().filter(own).cloned().collect();
            Baseline { rows, ..all.clone() }.renamed(pipeline, PIPELINE)
        };
        pipelines.iter().map(of).collect()
    }

    /// The figures of [`PIPELINE`] under two draws of a summarizer.
    pub fn draws(&self, summarizer: &str) -> [Baseline; 2] {
        let more = format!("summarizer = \"{summarizer}\"\nreplicates = 2\n");
        let data = self.run(summarizer, &[PIPELINE], &more);
        [0, 1].map(|replicate| {
            let mut data = data.clone();
            data.measurements.retain(|row| row.key.replicate == replicate);
            data.measurements.iter_mut().for_each(|row| row.key.replicate = 0);
            Baseline::of(&data, self.policy)
        })
    }
}

/// What gates over drawn sessions say.
#[derive(Default)]
pub struct Shares {
    counts: BTreeMap<Verdict, u64>,
    /// How often each figure has the verdict of the whole, where that does not pass.
    behind: BTreeMap<String, u64>,
    green: u64,
    gates: u64,
}

/// Whether the two sides of a session may change places: where nothing was changed, chance alone
/// says which is which, so that a small pool tells how often a gate errs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    AsDriven,
    ByLot,
}

impl Shares {
    /// Of so many gates, each over eight sessions of every scenario, drawn with putting back.
    pub fn of(
        [before, after]: [&Baseline; 2],
        sides: Sides,
        policy: &Policy,
        gates: u64,
    ) -> Shares {
        let judged: Vec<Judgement> = (0..gates)
            .into_par_iter()
            .map(|gate| {
                let drawn = drawn(before, sides, gate);
                between(&only([before, after], &drawn), &only([after, before], &drawn), policy)
            })
            .collect();
        let mut shares = Shares { gates, ..Shares::default() };
        for judgement in &judged {
            *shares.counts.entry(judgement.verdict).or_default() += 1;
            shares.green += u64::from(judgement.exit_code == 0);
            let behind = |one: &&Finding| one.fails() && one.verdict == judgement.verdict;
            let behind = judgement.findings.iter().filter(behind);
            let behind: BTreeSet<String> = behind.map(|one| one.about().to_owned()).collect();
            for figure in behind {
                *shares.behind.entry(figure).or_default() += 1;
            }
        }
        shares
    }

    pub fn share(&self, verdicts: &[Verdict]) -> f64 {
        let count: u64 = verdicts.iter().filter_map(|one| self.counts.get(one)).sum();
        count as f64 / self.gates as f64
    }

    /// The gate exits with 0.
    pub fn green(&self) -> f64 {
        self.green as f64 / self.gates as f64
    }

    /// Cells of a row of the bench's tables, in percent.
    pub fn cells(&self) -> String {
        use Verdict::{
            CompletionFell, Improvement, InvariantViolated, Pass, Regression, Undecided,
        };
        let percent = |verdicts: &[Verdict]| format!("{:.1}", 100.0 * self.share(verdicts));
        let shown = [
            percent(&[Verdict::PassIdentical, Pass]),
            percent(&[Improvement]),
            percent(&[Undecided]),
            percent(&[Regression]),
            percent(&[CompletionFell]),
            percent(&[InvariantViolated]),
        ];
        format!("{} | {:.1} | {}", shown.join(" | "), 100.0 * self.green(), self.behind())
    }

    /// The figures that are most often behind a verdict that does not pass.
    fn behind(&self) -> String {
        let mut all: Vec<(&String, &u64)> = self.behind.iter().collect();
        all.sort_by_key(|(_, count)| Reverse(**count));
        let percent = |count: u64| 100.0 * count as f64 / self.gates as f64;
        let of = |(name, count): (&String, &u64)| format!("{name} {:.0}", percent(*count));
        all.into_iter().take(2).map(of).collect::<Vec<_>>().join(", ")
    }
}

type Session = (String, u64);

/// A session of the pool with its seed in the gate, and whether its sides change places.
struct Drawn {
    session: Session,
    seed: u64,
    turned: bool,
}

fn drawn(side: &Baseline, sides: Sides, gate: u64) -> Vec<Drawn> {
    let mut pool: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for row in &side.rows {
        pool.entry(&row.scenario).or_default().insert(row.seed);
    }
    let mut rng = Seed(gate).derive(&["power"]).rng();
    let mut all = Vec::new();
    for (scenario, seeds) in pool {
        let seeds: Vec<u64> = seeds.into_iter().collect();
        for seed in 0..SEEDS {
            let session = (scenario.to_owned(), seeds[rng.random_range(0..seeds.len())]);
            let turned = sides == Sides::ByLot && rng.random::<bool>();
            all.push(Drawn { session, seed, turned });
        }
    }
    all
}

/// The drawn sessions of the first side, or of the second where they are turned.
fn only([side, other]: [&Baseline; 2], sessions: &[Drawn]) -> Baseline {
    let by_session = |side: &Baseline| -> BTreeMap<Session, Vec<Row>> {
        let mut pool: BTreeMap<Session, Vec<Row>> = BTreeMap::new();
        for row in &side.rows {
            pool.entry((row.scenario.clone(), row.seed)).or_default().push(row.clone());
        }
        pool
    };
    let pools = [by_session(side), by_session(other)];
    let of = |drawn: &Drawn| {
        let rows = pools[usize::from(drawn.turned)].get(&drawn.session);
        let mut rows = rows.cloned().unwrap_or_default();
        rows.iter_mut().for_each(|row| row.seed = drawn.seed);
        rows
    };
    Baseline { rows: sessions.iter().flat_map(of).collect(), ..side.clone() }
}

/// Mean change of a figure over the pool, of the pipeline under the run's own summarizer.
pub fn change(before: &Baseline, after: &Baseline, metric: MetricId) -> f64 {
    let of = |side: &Baseline| -> BTreeMap<Session, f64> {
        let rows = side.rows.iter().filter(|row| row.configuration == PIPELINE);
        let figure =
            |row: &Row| Some(((row.scenario.clone(), row.seed), *row.figures.get(&metric)?));
        rows.filter(|row| row.is_of_main_summarizer()).filter_map(figure).collect()
    };
    let (before, after) = (of(before), of(after));
    let changes: Vec<f64> =
        after.iter().filter_map(|(place, value)| Some(value - before.get(place)?)).collect();
    changes.iter().sum::<f64>() / changes.len().max(1) as f64
}
