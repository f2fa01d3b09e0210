//! The configurations that the opening names: who recalls most, who sends least.

use super::prelude::*;
use serde::Serialize;

use super::rules::{Severity, severity};
use crate::measure::Sign;

/// A configuration with the two figures that it is named for.
#[derive(Clone, Copy, Serialize)]
struct Leader<'b> {
    config: &'b Config,
    recall: f64,
    prompt: f64,
}

/// Whether the summarizer decides who recalls most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Order {
    /// The order holds under all summarizers compared.
    Holds,
    /// Under another summarizer another configuration is first.
    Depends,
    /// No other summarizer was compared.
    NotCompared,
}

/// The leaders among configurations driven in the window that completed every session.
#[derive(Serialize)]
pub struct Leaders<'b> {
    best: Leader<'b>,
    /// How many others completed every session.
    others: usize,
    order: Order,
    /// If a strict provider would reject the best, the best one that it would accept.
    accepted: Option<Leader<'b>>,
    /// The one that sends least, where it is not the best.
    thriftiest: Option<Leader<'b>>,
}

impl<'b> Leaders<'b> {
    /// `None` where no configuration completed every session.
    pub fn find(figures: &'b Figures) -> Option<Leaders<'b>> {
        let driven = figures.shown().filter(|config| {
            !config.is_windowless() && figures.ranks(config) && completes(figures, config)
        });
        let leader = |config: &'b Config| {
            let figure = |metric| figures.value(config, metric);
            let (recall, prompt) = (MetricId::RecallAtNeed, MetricId::TokensMeanPrompt);
            Some(Leader { config, recall: figure(recall)?, prompt: figure(prompt)? })
        };
        let mut ranked: Vec<Leader> = driven.filter_map(leader).collect();
        ranked.sort_by(|one, other| {
            other.recall.total_cmp(&one.recall).then(one.prompt.total_cmp(&other.prompt))
        });
        let (best, others) = ranked.split_first()?;
        let is_refused = |leader: &&Leader| severity(figures, leader.config) == Severity::Refused;
        let accepted = others.iter().find(|other| !is_refused(other));
        let least = others.iter().min_by(|one, other| one.prompt.total_cmp(&other.prompt));
        let rivals = others.iter().filter(|other| other.config.mode == best.config.mode);
        Some(Leaders {
            best: *best,
            others: others.len(),
            order: order(figures, best.config, rivals.map(|other| other.config)),
            accepted: accepted.filter(|_| is_refused(&best)).copied(),
            thriftiest: least.filter(|other| other.prompt <= best.prompt).copied(),
        })
    }

    /// The configurations named, each once.
    pub fn configs(&self) -> Vec<&'b Config> {
        let all = [Some(self.best), self.accepted, self.thriftiest].into_iter().flatten();
        each_once(all.map(|leader| leader.config))
    }
}

fn order<'b>(figures: &Figures, best: &Config, others: impl Iterator<Item = &'b Config>) -> Order {
    let signs: Vec<Sign> = others.flat_map(|other| figures.signs(best, other)).collect();
    if signs.contains(&Sign::SummarizerDependent) {
        Order::Depends
    } else if signs.is_empty() {
        Order::NotCompared
    } else {
        Order::Holds
    }
}
