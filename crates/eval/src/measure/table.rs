//! The metric table: every figure's name, unit, direction, version and definition.
//!
//! The header of `measurements.csv`, the glossary of reports, the gates and
//! METHODOLOGY.md are all made from it. A changed definition bumps the version.

mod claims;
mod completion;
mod derived;
mod faults;
mod floor;
mod recovered;
mod retention;
mod savings;
mod structure;

use std::fmt::Write as _;

/// A defined figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name: `group.figure`.
    pub id: &'static str,
    /// Unit of the value; `word` for verdicts.
    pub unit: &'static str,
    /// Which way is better.
    pub better: Direction,
    /// Raised whenever the definition changes; figures of different versions are
    /// recorded in the manifest, so that a comparison can refuse to mix them.
    pub version: u32,
    /// What it takes beyond the cell itself.
    pub needs: Needs,
    /// What it is.
    pub definition: &'static str,
}

/// Which way a figure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// It describes and does not rank.
    Neither,
}

impl Direction {
    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Higher => "higher",
            Direction::Lower => "lower",
            Direction::Neither => "-",
        }
    }
}

/// What a figure takes beyond its cell. All but `Nothing` stand in `derived.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Needs {
    /// Nothing: a column of `measurements.csv`.
    Nothing,
    /// The windowless `none` of the same session.
    Control,
    /// The pipeline that its file names as `reference`, on the same session.
    Reference,
    /// `truncate` swept over fixed limits on the same session.
    Sweep,
    /// Several sessions, best of several lengths.
    Sessions,
    /// The same session under other summarizers.
    Summarizers,
    /// The same session told in the second phrase bank.
    Twin,
}

impl Needs {
    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Needs::Nothing => "-",
            Needs::Control => "control",
            Needs::Reference => "reference",
            Needs::Sweep => "sweep",
            Needs::Sessions => "sessions",
            Needs::Summarizers => "summarizers",
            Needs::Twin => "twin",
        }
    }
}

/// The name under which a section of the table stands, with its metrics.
const SECTIONS: [(&str, &[Metric]); 9] = [
    ("Completion", completion::METRICS),
    ("Floor", floor::METRICS),
    ("Savings", savings::METRICS),
    ("Retention", retention::METRICS),
    ("Recall from an archive", recovered::METRICS),
    ("Structure", structure::METRICS),
    ("Faults", faults::METRICS),
    ("Figures that need several cells", derived::METRICS),
    ("Claims of the source designs", claims::METRICS),
];

const COUNT: usize = {
    let (mut count, mut section) = (0, 0);
    while section < SECTIONS.len() {
        count += SECTIONS[section].1.len();
        section += 1;
    }
    count
};

const JOINED: [Metric; COUNT] = {
    let mut all = [SECTIONS[0].1[0]; COUNT];
    let (mut at, mut section) = (0, 0);
    while section < SECTIONS.len() {
        let mut place = 0;
        while place < SECTIONS[section].1.len() {
            all[at] = SECTIONS[section].1[place];
            place += 1;
            at += 1;
        }
        section += 1;
    }
    all
};

static ALL: [Metric; COUNT] = JOINED;

/// Every metric, in the order of columns.
pub static METRICS: &[Metric] = &ALL;

/// The metric of this name.
pub fn metric(id: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.id == id)
}

/// The metrics that a cell has by itself: the columns of `measurements.csv` after
/// the cell's key, in order.
pub fn of_cells() -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().filter(|metric| metric.needs == Needs::Nothing)
}

/// Ids with versions, for the manifest.
pub fn versions() -> Vec<(String, u32)> {
    METRICS.iter().map(|metric| (metric.id.to_owned(), metric.version)).collect()
}

/// The whole table as Markdown, a section each.
pub fn markdown() -> String {
    let mut text = String::new();
    for (section, metrics) in SECTIONS {
        // OK to drop: writing to a string does not fail.
        let _ = writeln!(text, "### {section}\n");
        text.push_str("| metric | unit | better | version | needs | definition |\n");
        text.push_str("|---|---|---|---|---|---|\n");
        for Metric { id, unit, better, version, needs, definition } in metrics {
            let (better, needs) = (better.name(), needs.name());
            let _ = writeln!(
                text,
                "| `{id}` | {unit} | {better} | {version} | {needs} | {definition} |"
            );
        }
        text.push('\n');
    }
    text
}

/// A figure of one cell, in its first version.
const fn figure(
    id: &'static str,
    unit: &'static str,
    better: Direction,
    definition: &'static str,
) -> Metric {
    Metric { id, unit, better, version: 1, needs: Needs::Nothing, definition }
}

/// A figure that takes several cells, in its first version.
const fn derived(
    id: &'static str,
    unit: &'static str,
    better: Direction,
    needs: Needs,
    definition: &'static str,
) -> Metric {
    Metric { id, unit, better, version: 1, needs, definition }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::apply::Rule;
    use crate::trace::{LossClass, Share};
    use crate::truth::FactKind;

    #[test]
    fn completion_starts_the_row() {
        let first: Vec<&str> = of_cells().take(3).map(|metric| metric.id).collect();
        assert_eq!(first, ["completion", "ended_by", "steps_reached"]);
    }

    #[test]
    fn every_metric_has_a_name_of_its_own_and_a_definition() {
        let names: BTreeSet<&str> = METRICS.iter().map(|metric| metric.id).collect();
        assert_eq!(names.len(), METRICS.len());
        for metric in METRICS {
            assert!(metric.definition.ends_with('.'), "{}", metric.id);
            assert!(!metric.definition.contains('|'), "{} would break the table", metric.id);
        }
    }

    #[test]
    fn every_kind_rule_share_and_loss_class_has_its_metric() {
        let kinds = FactKind::ALL.map(|kind| format!("retention.{}", kind.name()));
        let cliffs = FactKind::ALL.map(|kind| format!("cliff.{}", kind.name()));
        let rules = Rule::ALL.map(|rule| format!("violations.{}", rule.name()));
        let shares = Share::ALL.map(|share| format!("floor.entries_per_turn.{}", share.name()));
        let losses = LossClass::ALL.map(|class| format!("losses.{}", class.name()));
        let missed = LossClass::ALL.map(|class| format!("missed.{}", class.name()));
        let all =
            kinds.iter().chain(&cliffs).chain(&rules).chain(&shares).chain(&losses).chain(&missed);
        for id in all {
            assert!(metric(id).is_some(), "{id}");
        }
    }
}
