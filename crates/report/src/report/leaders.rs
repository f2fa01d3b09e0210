//! The configurations that the opening names: who recalls most, who sends least.

use serde::Serialize;

use super::completion::completes;
use super::figures::{Config, Figures};
use super::rules::{Severity, severity};
use crate::measure::{MetricId, Sign};

/// A configuration with the two figures that it is named for.
#[derive(Clone, Serialize)]
struct Leader {
    config: String,
    recall: f64,
    prompt: f64,
    #[serde(skip)]
    place: usize,
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
pub struct Leaders {
    best: Leader,
    /// How many others completed every session.
    others: usize,
    order: Order,
    /// If a strict provider would reject the best, the best one that it would accept.
    accepted: Option<Leader>,
    /// The one that sends least, where it is not the best.
    thriftiest: Option<Leader>,
}

impl Leaders {
    /// `None` where no configuration completed every session.
    pub fn find(figures: &Figures) -> Option<Leaders> {
        let mut ranked: Vec<(Leader, &Config)> = figures
            .configs
            .iter()
            .enumerate()
            .filter(|(_, config)| !config.is_swept() && !config.is_windowless())
            .filter(|(_, config)| shown(figures, config) && figures.ranks(config))
            .filter(|(_, config)| completes(figures, config))
            .filter_map(|(place, config)| {
                let recall = figures.figure(config, MetricId::RecallAtNeed).value?;
                let prompt = figures.figure(config, MetricId::TokensMeanPrompt).value?;
                Some((Leader { config: config.name(), recall, prompt, place }, config))
            })
            .collect();
        ranked.sort_by(|(one, _), (other, _)| {
            other.recall.total_cmp(&one.recall).then(one.prompt.total_cmp(&other.prompt))
        });
        let ((best, config), others) = ranked.split_first()?;
        let is_refused = |config: &Config| severity(figures, config) == Severity::Refused;
        let accepted = others.iter().find(|(_, other)| !is_refused(other));
        let least = others.iter().min_by(|one, other| one.0.prompt.total_cmp(&other.0.prompt));
        let others_of_mode = others.iter().map(|(_, other)| *other);
        Some(Leaders {
            best: best.clone(),
            others: others.len(),
            order: order(figures, config, others_of_mode.filter(|one| one.mode == config.mode)),
            accepted: accepted.filter(|_| is_refused(config)).map(|(leader, _)| leader.clone()),
            thriftiest: least
                .filter(|(leader, _)| leader.prompt <= best.prompt)
                .map(|(leader, _)| leader.clone()),
        })
    }

    /// The configurations named, each once.
    pub fn configs<'b>(&self, figures: &'b Figures) -> Vec<&'b Config> {
        let named = [Some(&self.best), self.accepted.as_ref(), self.thriftiest.as_ref()];
        let mut configs: Vec<&Config> = Vec::new();
        for leader in named.into_iter().flatten() {
            let config = &figures.configs[leader.place];
            if !configs.contains(&config) {
                configs.push(config);
            }
        }
        configs
    }
}

fn shown(figures: &Figures, config: &Config) -> bool {
    figures.representatives.as_ref().is_none_or(|chosen| chosen.shows(config))
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
