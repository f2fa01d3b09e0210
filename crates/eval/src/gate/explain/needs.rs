//! The needs of sessions as both runs met them.

use super::super::finding::Finding;
use super::{Directories, Group, group};
use crate::measure::MetricId;
use crate::prelude::*;
use crate::row::{CellKey, FactRow};
use crate::run_dir::Manifest;
use crate::run_dir::read::{each_row, load_manifest};
use crate::trace::{DemandRecord, Found};
use crate::truth::{FactKind, Origin};

/// A need that both runs reached.
#[derive(Clone, Debug)]
pub(super) struct Need {
    /// The candidate's cell.
    pub(super) key: CellKey,
    before: DemandRecord,
    pub(super) after: DemandRecord,
    /// Distance to the last mention, in windows.
    windows: f64,
}

/// The needs of the cells that findings are about.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    all: Vec<Need>,
    main: String,
}

/// A cell's place, whatever its configuration is called.
type Place = (String, u64, String, String, String, u32);

impl Need {
    pub(super) fn kind(&self) -> &'static str {
        self.after.kind.name()
    }

    pub(super) fn was_known(&self) -> bool {
        matches!(self.before.found, Found::Present(_))
    }

    pub(super) fn is_known(&self) -> bool {
        matches!(self.after.found, Found::Present(_))
    }

    /// How many summaries the fact went through in the baseline's prompt.
    pub(super) fn generation_before(&self) -> u32 {
        match self.before.found {
            Found::Present(generation) => generation,
            _ => 0,
        }
    }
}

/// Whether a loss of this metric is a loss of facts.
pub(super) fn rests_on_facts(metric: MetricId) -> bool {
    meant(metric).is_some()
}

/// The needs that a metric counts, by their kind and their distance in windows.
fn meant(metric: MetricId) -> Option<fn(&DemandRecord, f64) -> bool> {
    Some(match metric {
        MetricId::RecallAtNeed | MetricId::RecallAtNeedReached => {
            |need, windows| need.compacted || windows >= 1.0
        }
        MetricId::RecallAtNeedFrom05 => {
            |need, windows| !need.compacted && (0.5..1.0).contains(&windows)
        }
        MetricId::RecallAtNeedFrom1 => |_, windows| (1.0..2.0).contains(&windows),
        MetricId::RecallAtNeedFrom2 => |_, windows| (2.0..4.0).contains(&windows),
        MetricId::RecallAtNeedFrom4 => |_, windows| windows >= 4.0,
        MetricId::RecallAtNeedUnder025 => |need, windows| !need.compacted && windows < 0.25,
        MetricId::RecallAtNeedUnder1 => |need, windows| !need.compacted && windows < 1.0,
        MetricId::RecallAll
        | MetricId::CostReacquire
        | MetricId::DemandsAmbiguous
        | MetricId::DemandsInverted => |_, _| true,
        // What the user said: no call brings it back.
        MetricId::RecallIrreplaceable => |need, _| {
            let said = [FactKind::Constraint, FactKind::Preference, FactKind::SafetyRule];
            said.contains(&need.kind) || need.kind == FactKind::Direction
        },
        MetricId::ConstraintRetained => |need, _| need.kind == FactKind::Constraint,
        MetricId::SafetyRuleRetained => |need, _| need.kind == FactKind::SafetyRule,
        MetricId::DirectionRetained => |need, _| need.kind == FactKind::Direction,
        MetricId::DeadEndRetained => |need, _| need.kind == FactKind::DeadEnd,
        _ => return None,
    })
}

impl Needs {
    /// Reads the needs of the cells of these groups, from both run directories.
    pub(super) fn read(
        baseline: &Path,
        directories: Directories,
        groups: &BTreeSet<Group>,
    ) -> Result<Needs> {
        let of = |directory: &Path, renamed: Option<(&str, &str)>| {
            let (manifest, _) = load_manifest(&directory.join("manifest.json"))?;
            let cells = places(&manifest, renamed, groups);
            Ok::<_, Error>((cells, manifest))
        };
        let (own, _) = of(baseline, directories.renamed)?;
        let (changed, manifest) = of(directories.candidate, None)?;
        let mut before: BTreeMap<(&Place, u32), DemandRecord> = BTreeMap::new();
        each_row(&baseline.join("facts.parquet"), |row: FactRow| {
            if let Some(place) = own.get(&row.cell).filter(|_| counts(&row.demand)) {
                before.insert((place, row.demand.demand), row.demand);
            }
        })?;
        let keys: BTreeMap<&str, &CellKey> =
            manifest.cells.iter().map(|cell| (cell.key.cell.as_str(), &cell.key)).collect();
        let mut all = Vec::new();
        each_row(&directories.candidate.join("facts.parquet"), |row: FactRow| {
            let Some(place) = changed.get(&row.cell).filter(|_| counts(&row.demand)) else {
                return;
            };
            let Some(before) = before.remove(&(place, row.demand.demand)) else { return };
            let Some(key) = keys.get(row.cell.as_str()) else { return };
            let (key, after, windows) = ((*key).clone(), row.demand, row.windows);
            all.push(Need { key, before, after, windows });
        })?;
        Ok(Needs { all, main: manifest.main_summarizer().to_owned() })
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Need] {
        &self.all
    }

    /// The needs that a finding's metric counts.
    pub(super) fn of(&self, finding: &Finding) -> Vec<&Need> {
        let Some(meant) = finding.metric.and_then(meant) else { return Vec::new() };
        let own = self.all.iter().filter(|need| {
            let key = &need.key;
            let summarizer = if key.summarizer == self.main { "" } else { &key.summarizer };
            group(finding) == (key.configuration().as_str(), key.mode.as_str(), summarizer)
                && finding.scenario.as_ref().is_none_or(|name| *name == key.scenario)
        });
        own.filter(|need| meant(&need.after, need.windows)).collect()
    }
}

/// Whether a need is ranked, and the session came so far.
fn counts(demand: &DemandRecord) -> bool {
    demand.origin != Origin::Incidental && demand.found != Found::NotReached
}

/// By cell: its place, of those that are of the groups.
fn places(
    manifest: &Manifest,
    renamed: Option<(&str, &str)>,
    groups: &BTreeSet<Group>,
) -> BTreeMap<String, Place> {
    let main = manifest.main_summarizer();
    let cells = manifest.cells.iter().filter_map(|cell| {
        let key = &cell.key;
        let configuration = key.configuration();
        let configuration = match renamed {
            Some((from, to)) if configuration == from => to.to_owned(),
            _ => configuration,
        };
        let summarizer = if key.summarizer == main { "" } else { &key.summarizer };
        let is_meant = groups
            .iter()
            .any(|group| *group == (configuration.as_str(), key.mode.as_str(), summarizer));
        let place = (
            key.scenario.clone(),
            key.seed,
            configuration,
            key.mode.clone(),
            summarizer.to_owned(),
            key.replicate,
        );
        is_meant.then(|| (key.cell.clone(), place))
    });
    cells.collect()
}
