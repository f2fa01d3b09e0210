//! The metric table: every figure's name, unit, direction, version and definition. `build.rs` makes
//! [`MetricId`] and [`METRICS`] of `data/metrics.toml`.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::sync::LazyLock;

use serde::de::Error as _;
use serde::{Deserializer, Serializer};

use crate::apply::Rule;
use crate::ident::did_you_mean;
use crate::prelude::*;
use crate::trace::{LossClass, Share};
use crate::truth::FactKind;
use crate::words;

/// A defined figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Which one it is.
    pub id: MetricId,
    /// Its name in files: `group.figure`.
    pub name: &'static str,
    /// Unit of the value; `word` for verdicts.
    pub unit: &'static str,
    /// Which way is better.
    pub better: Direction,
    /// Raised whenever the definition changes; the manifest records it.
    pub version: u32,
    /// What it takes beyond the cell itself.
    pub needs: Needs,
    /// What it is.
    pub definition: &'static str,
    /// What people call it, where a gate judges it.
    pub called: Option<&'static str>,
    /// What it means in a few plain words, where a gate judges it.
    pub means: Option<&'static str>,
}

words! {
    /// Which way a figure is better.
    pub enum Direction {
        Higher = "higher",
        Lower = "lower",
        /// It describes and does not rank.
        Neither = "-",
    }
}

words! {
    /// What a figure takes beyond its cell. All but `Nothing` stand in `derived.csv`.
    pub enum Needs {
        /// Nothing: a column of `measurements.csv`.
        Nothing = "-",
        /// The windowless `none` of the same session.
        Control = "control",
        /// The pipeline that its file names as `reference`, on the same session.
        Reference = "reference",
        /// `truncate` swept over fixed limits on the same session.
        Sweep = "sweep",
        /// Several sessions, best of several lengths.
        Sessions = "sessions",
        /// The same session under other summarizers.
        Summarizers = "summarizers",
        /// The same session told in the second phrase bank.
        Twin = "twin",
    }
}

include!(concat!(env!("OUT_DIR"), "/metrics.rs"));

static BY_NAME: LazyLock<BTreeMap<&str, MetricId>> =
    LazyLock::new(|| METRICS.iter().map(|metric| (metric.name, metric.id)).collect());

impl MetricId {
    /// Its line of the table.
    pub fn metric(self) -> &'static Metric {
        &METRICS[self as usize]
    }

    /// Its name in files: `group.figure`.
    pub fn name(self) -> &'static str {
        self.metric().name
    }

    /// The metric of this name.
    pub fn named(name: &str) -> Option<MetricId> {
        BY_NAME.get(name).copied()
    }

    /// Whether it rests on the price sheet: on its prices, or on its rates.
    pub fn is_priced(self) -> bool {
        ["cost.", "latency."].iter().any(|group| self.name().starts_with(group))
    }

    /// Whether it says how far a session came: judged before all others.
    pub fn is_completion(self) -> bool {
        matches!(self, MetricId::Completion | MetricId::StepsReached)
    }
}

/// By name, so that what is sorted by metric reads like an index.
impl Ord for MetricId {
    fn cmp(&self, other: &MetricId) -> Ordering {
        if self == other { Ordering::Equal } else { self.name().cmp(other.name()) }
    }
}

impl PartialOrd for MetricId {
    fn partial_cmp(&self, other: &MetricId) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for MetricId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for MetricId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for MetricId {
    type Err = Error;
    fn from_str(name: &str) -> Result<MetricId> {
        let unknown = || {
            let near = did_you_mean(name, METRICS.iter().map(|metric| metric.name));
            let near = near.map(|near| format!("{near} ")).unwrap_or_default();
            let hint = format!("{near}`proctor list metrics` names all");
            Error::unknown("metric", name, Some(hint))
        };
        MetricId::named(name).ok_or_else(unknown)
    }
}

impl Serialize for MetricId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for MetricId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MetricId, D::Error> {
        let name = std::borrow::Cow::<str>::deserialize(deserializer)?;
        name.parse().map_err(D::Error::custom)
    }
}

/// The metrics that a cell has by itself: the columns of `measurements.csv`, in order.
pub fn of_cells() -> impl Iterator<Item = MetricId> {
    METRICS.iter().filter(|metric| metric.needs == Needs::Nothing).map(|metric| metric.id)
}

/// Names with versions, for the manifest.
pub fn versions() -> Vec<(String, u32)> {
    METRICS.iter().map(|metric| (metric.name.to_owned(), metric.version)).collect()
}

/// The whole table as Markdown, a section each.
pub fn markdown() -> String {
    let mut text = String::new();
    for (section, metrics) in SECTIONS {
        // OK to drop: writing to a string does not fail.
        let _ = writeln!(text, "### {section}\n");
        text.push_str("| metric | unit | better | version | needs | definition |\n");
        text.push_str("|---|---|---|---|---|---|\n");
        for metric in *metrics {
            let Metric { name, unit, better, version, needs, definition, .. } = metric.metric();
            let (better, needs) = (better.name(), needs.name());
            let _ = writeln!(
                text,
                "| <a id=\"{name}\"></a>`{name}` | {unit} | {better} | {version} | {needs} | {definition} |"
            );
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_a_name_of_its_own_and_a_definition() {
        let first: Vec<MetricId> = of_cells().take(3).collect();
        assert_eq!(first, [MetricId::Completion, MetricId::EndedBy, MetricId::StepsReached]);
        assert_eq!(BY_NAME.len(), METRICS.len());
        for (place, metric) in METRICS.iter().enumerate() {
            assert_eq!(metric.id as usize, place, "{}", metric.name);
            assert_eq!(metric.name.parse::<MetricId>().ok(), Some(metric.id));
            assert!(metric.definition.ends_with('.'), "{}", metric.name);
            assert!(!metric.definition.contains('|'), "{} would break the table", metric.name);
        }
    }

    #[test]
    fn an_unknown_metric_is_refused_with_the_nearest_name() {
        let refused = "completon".parse::<MetricId>().expect_err("no such metric");
        assert!(refused.hint().is_some_and(|hint| hint.contains("completion")));
    }

    #[test]
    fn every_member_of_a_family_is_named_after_its_kind() {
        let named = |metric: MetricId, family: &str, kind: &str| {
            assert_eq!(metric.name(), format!("{family}.{kind}"));
        };
        for kind in FactKind::ALL {
            named(MetricId::retention(kind), "retention", kind.name());
            named(MetricId::cliff(kind), "cliff", kind.name());
        }
        for class in LossClass::ALL {
            named(MetricId::losses(class), "losses", class.name());
            named(MetricId::missed(class), "missed", class.name());
        }
        for rule in Rule::ALL {
            named(MetricId::violations(rule), "violations", rule.name());
        }
        for share in Share::ALL {
            named(MetricId::entries_per_turn(share), "floor.entries_per_turn", share.name());
        }
    }
}
