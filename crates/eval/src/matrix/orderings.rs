//! Orderings: the same stages in every order that a suite asks for.

use rand::RngExt;

use crate::ident::is_name;
use crate::matrix::generated::{self, Rule};
use crate::matrix::{Configuration, Suite, has_doubles, load_pipeline};
use crate::pipeline::{Fidelity, Pipeline};
use crate::prelude::*;
use crate::strategy::Registry;

/// Most stages of which all orders are driven: 720 pipelines.
const MOST_STAGES: usize = 6;

/// Stages, and the orders in which they are driven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Orderings {
    /// Pipelines of one stage each; as written they are the base order.
    pub stages: Vec<String>,
    /// What names call the stages, one each; the pipelines' names where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Which orders.
    #[serde(default)]
    pub order: Order,
    /// The pipeline whose counter, `on-error` and `resend` hold for all; else the first stage's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings_of: Option<String>,
    /// Windows in which each is driven; the scenario's where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Tokens>,
}

/// One order of a suite's stages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderedStages {
    /// Name of the configuration; that of an alias where it is another one's.
    pub name: String,
    /// The stages by label, in order.
    pub stages: Vec<String>,
    /// The window in place of the scenario's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Tokens>,
}

/// Every order of a suite, base order first; none where it has no orderings.
pub fn orders(registry: &Registry, suite: &Suite) -> Result<Vec<OrderedStages>> {
    let Some(orderings) = &suite.orderings else { return Ok(Vec::new()) };
    let described = orderings.described(registry, &suite.name)?;
    Ok(described.into_iter().map(|(order, _)| order).collect())
}

/// Which orders of some stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Every permutation.
    #[default]
    All,
    /// The base order and every swap of two neighbours in it.
    Adjacent,
    /// The base order and others by lot, so many in all; the same for the same stages.
    Sample(usize),
}

impl Orderings {
    pub(super) fn check(&self) -> Rule {
        let (stages, labels) = (self.stages.len(), self.labels.len());
        let sound = |label: &&String| is_name(label) && !label.contains('_');
        let unsound = self.labels.iter().find(|label| !sound(label));
        let (key, rule) = if stages < 2 {
            ("stages", format!("{stages} stages have no orders: at least two are needed"))
        } else if has_doubles(&self.stages) {
            ("stages", "the same stage twice has no order of its own".to_owned())
        } else if labels > 0 && labels != stages {
            ("labels", format!("{labels} labels for {stages} stages"))
        } else if has_doubles(&self.labels) {
            ("labels", "two stages have the same label".to_owned())
        } else if let Some(label) = unsound {
            let expected = "expected a-z, 0-9, `-` and `.`";
            ("labels", format!("`{label}` is no part of a name: {expected}"))
        } else if self.order == Order::All && stages > MOST_STAGES {
            let most = format!("at most {MOST_STAGES}; say `adjacent` or `{{ sample = N }}`");
            ("order", format!("`all` orders of {stages} stages are too many: {most}"))
        } else if self.order == Order::Sample(0) {
            ("order", "a sample of 0 orders is none: at least 1".to_owned())
        } else if matches!(self.order, Order::Sample(wanted) if wanted > generated::MOST) {
            ("order", format!("a sample has at most {} orders", generated::MOST))
        } else {
            return generated::check_windows("orderings.windows", &self.windows);
        };
        Err((format!("orderings.{key}"), rule))
    }

    /// How many configurations it makes, at most.
    pub(super) fn most(&self) -> usize {
        let orders = match self.order {
            Order::All => (1..=self.stages.len()).fold(1, usize::saturating_mul),
            Order::Adjacent => self.stages.len(),
            Order::Sample(wanted) => wanted,
        };
        orders.saturating_mul(self.windows.len().max(1))
    }

    /// The pipelines, base order first, each with its stages by label.
    pub(super) fn described(
        &self,
        registry: &Registry,
        suite: &str,
    ) -> Result<Vec<(OrderedStages, Configuration)>> {
        let parts = self.stages.iter().map(|name| self.part(registry, suite, name));
        let parts = parts.collect::<Result<Vec<Pipeline>>>()?;
        let settings = match &self.settings_of {
            Some(name) => load_pipeline(registry, name)?,
            None => parts[0].clone(),
        };
        let mut all = Vec::new();
        for order in self.orders() {
            let label = |place: &usize| match self.labels.get(*place) {
                Some(label) => label.clone(),
                None => parts[*place].name.replace('_', "-"),
            };
            let labels: Vec<String> = order.iter().map(label).collect();
            let pipeline = pipeline(&labels, &order, &parts, &settings);
            for configuration in generated::in_windows(&pipeline, &self.windows) {
                let (name, window) = (configuration.name(), configuration.window);
                all.push((OrderedStages { name, stages: labels.clone(), window }, configuration));
            }
        }
        Ok(all)
    }

    fn part(&self, registry: &Registry, suite: &str, name: &str) -> Result<Pipeline> {
        let part = load_pipeline(registry, name)?;
        if part.stages.len() == 1 {
            return Ok(part);
        }
        let place = format!("suite `{suite}`: orderings.stages");
        let rule = format!("`{name}` has {} stages, and is taken as one", part.stages.len());
        Err(Error::refused(place, rule, "name pipelines of one stage each"))
    }

    /// The orders, each a permutation of the places in `stages`, the base order first.
    fn orders(&self) -> Vec<Vec<usize>> {
        let base: Vec<usize> = (0..self.stages.len()).collect();
        match self.order {
            Order::All => permutations(base),
            Order::Adjacent => {
                let swapped = (1..base.len()).map(|place| {
                    let mut order = base.clone();
                    order.swap(place - 1, place);
                    order
                });
                std::iter::once(base.clone()).chain(swapped).collect()
            }
            Order::Sample(wanted) => self.sample(&base, wanted),
        }
    }

    /// The base order, then distinct others as lexicographic order has them.
    fn sample(&self, base: &[usize], wanted: usize) -> Vec<Vec<usize>> {
        let all: usize = (1..=base.len()).fold(1, usize::saturating_mul);
        let wanted = wanted.min(all);
        let stages: Vec<&str> = self.stages.iter().map(String::as_str).collect();
        let mut rng = Seed(0).derive(&["orderings"]).derive(&stages).rng();
        let mut drawn = BTreeSet::from([base.to_vec()]);
        while drawn.len() < wanted {
            let mut order = base.to_vec();
            for last in (1..order.len()).rev() {
                order.swap(last, rng.random_range(0..=last));
            }
            drawn.insert(order);
        }
        drawn.into_iter().collect()
    }
}

fn pipeline(
    labels: &[String],
    order: &[usize],
    parts: &[Pipeline],
    settings: &Pipeline,
) -> Pipeline {
    let names: Vec<&str> = order.iter().map(|place| parts[*place].name.as_str()).collect();
    let is_first =
        |place: &usize| !parts[..*place].iter().any(|one| one.source == parts[*place].source);
    let sources: Vec<&str> =
        (0..parts.len()).filter(is_first).map(|place| parts[place].source.as_str()).collect();
    Pipeline {
        name: format!("order_{}", labels.join("_")),
        about: format!("Stages in this order: {}.", names.join(", ")),
        source: sources.join("; "),
        fidelity: Fidelity::of_generated(parts.iter().map(|part| part.fidelity)),
        reference: None,
        counter: settings.counter,
        on_error: settings.on_error,
        resend: settings.resend,
        stages: order.iter().map(|place| parts[*place].stages[0].clone()).collect(),
        gate: settings.gate,
    }
}

/// All permutations of ascending places, in lexicographic order.
fn permutations(mut order: Vec<usize>) -> Vec<Vec<usize>> {
    let mut all = vec![order.clone()];
    // The last place that can still grow is swapped with the next larger one behind it.
    while let Some(place) = (1..order.len()).rev().find(|place| order[place - 1] < order[*place]) {
        let larger = order[place..].iter().filter(|other| **other > order[place - 1]).count();
        order.swap(place - 1, place + larger - 1);
        order[place..].reverse();
        all.push(order.clone());
    }
    all
}

#[cfg(test)]
mod tests;
