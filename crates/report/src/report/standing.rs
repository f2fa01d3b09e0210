//! Which of many generated configurations stand for all, and which pipelines are not
//! ranked.

use crate::measure::MetricId;
use std::collections::BTreeSet;

use super::document::Prose;
use super::figures::{Figures, Subject};
use crate::run_dir::Manifest;

/// So many generated configurations still stand in every table.
const MOST: usize = 12;

/// The generated configurations that stand for all.
pub struct Standing {
    /// All of them, by the names under which they were driven.
    generated: BTreeSet<String>,
    /// The best, the median and the worst.
    pub three: [String; 3],
    /// The mode by which they were picked.
    mode: String,
}

impl Standing {
    /// `None` where there are few enough for every table.
    pub fn of(figures: &Figures) -> Option<Standing> {
        let generated = generated(&figures.run.manifest);
        if generated.len() <= MOST {
            return None;
        }
        let own = |subject: &&Subject| generated.contains(&subject.configuration);
        let mode = figures.every_unswept().find(own)?.mode.clone();
        let in_mode = || figures.every_unswept().filter(own).filter(|one| one.mode == mode);
        let mut ranked: Vec<&Subject> = in_mode().filter(|one| figures.ranks(one)).collect();
        if ranked.is_empty() {
            ranked = in_mode().collect();
        }
        let place = |subject: &Subject| {
            let figure = |metric| figures.figure(subject, metric).value;
            [
                -figure(MetricId::Completion).unwrap_or(0.0),
                -figure(MetricId::RecallAtNeed).unwrap_or(0.0),
                figure(MetricId::CostUsd).unwrap_or(f64::MAX),
            ]
        };
        ranked.sort_by(|one, other| {
            let (one, other) = (place(one), place(other));
            let pairs = one.iter().zip(&other).map(|(one, other)| one.total_cmp(other));
            pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let at = |place: usize| ranked.get(place).map(|subject| subject.configuration.clone());
        let three = [at(0)?, at(ranked.len() / 2)?, at(ranked.len() - 1)?];
        Some(Standing { generated, three, mode })
    }

    /// Whether a configuration is shown in every table.
    pub fn shows(&self, configuration: &str) -> bool {
        !self.generated.contains(configuration)
            || self.three.iter().any(|name| name == configuration)
    }
}

/// Configurations that orderings and grids stand for, and nothing else does.
fn generated(manifest: &Manifest) -> BTreeSet<String> {
    let orders = manifest.orders.iter().map(|order| &order.name);
    let points = manifest.grids.iter().flat_map(|grid| &grid.points);
    orders.chain(points).filter(|name| !manifest.aliases.contains_key(*name)).cloned().collect()
}

/// What a reader of the tables must know of those that are not in them.
pub fn remarks(figures: &Figures) -> Vec<Prose> {
    let mut remarks = Vec::new();
    if let Some(standing) = &figures.standing {
        let [best, median, worst] = &standing.three;
        let says = Prose::new(format!(
            "{} generated configurations would drown the others. In all tables and charts but \
             those on orderings, sweeps and triggers three stand for them, ranked {} by completion, then recall \
             at need, then dollars: the best, ",
            standing.generated.len(),
            if standing.mode == "deployed" { "as deployed" } else { &standing.mode },
        ));
        let says = says.code(best).then(", the median, ").code(median).then(", and the worst, ");
        remarks.push(says.code(worst).then("."));
    }
    let mut inferred: Vec<&str> = Vec::new();
    for subject in figures.unswept().filter(|subject| subject.inferred) {
        if !inferred.contains(&subject.pipeline.as_str()) {
            inferred.push(&subject.pipeline);
        }
    }
    if !inferred.is_empty() {
        let says = Prose::new("Inferred, which is to say completed where their source is silent: ")
            .names(&inferred);
        remarks.push(match figures.ranks_inferred {
            true => says.then(". They are ranked among the others here, as was asked for."),
            false => says
                .then(
                    ". They stand in the tables and are not ranked: neither best nor worst of \
                       anything, nor on a front. ",
                )
                .code("proctor report RUN --include-inferred")
                .then(" ranks them."),
        });
    }
    remarks
}
