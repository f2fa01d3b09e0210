//! Who remembers most of what is needed, and who sends least.

use super::completion::completes;
use super::document::Prose;
use super::figures::{Figures, Subject};
use super::number;
use super::rules;
use crate::measure::{MetricId, Sign};

struct Known<'a> {
    subject: &'a Subject,
    recall: f64,
    prompt: f64,
}

impl Known<'_> {
    fn written(&self) -> String {
        let (recall, prompt) = (number::share(self.recall), number::tokens(self.prompt));
        format!("{recall} at a mean prompt of {prompt} tokens")
    }
}

/// The configurations that work, in the window, as they are, to the end: the one that
/// knows most first.
pub struct Named<'a> {
    best: Known<'a>,
    others: Vec<Known<'a>>,
    /// Where a provider that pairs ids refuses requests of the best, the one that knows most
    /// of those of which it refuses none.
    accepted: Option<&'a Subject>,
}

impl<'a> Named<'a> {
    /// `None` where none of them works.
    pub fn of(figures: &'a Figures) -> Option<Named<'a>> {
        let mut known: Vec<Known> = figures
            .unswept()
            .filter(|subject| !subject.is_windowless() && completes(figures, subject))
            .filter(|subject| figures.ranks(subject))
            .filter_map(|subject| {
                let recall = figures.figure(subject, MetricId::RecallAtNeed).value?;
                let prompt = figures.figure(subject, MetricId::TokensMeanPrompt).value?;
                Some(Known { subject, recall, prompt })
            })
            .collect();
        known.sort_by(|one, other| {
            other.recall.total_cmp(&one.recall).then(one.prompt.total_cmp(&other.prompt))
        });
        let mut known = known.into_iter();
        let (best, others): (Known, Vec<Known>) = (known.next()?, known.collect());
        let refused = |known: &Known| rules::is_refused_somewhere(figures, known.subject);
        let accepted = match refused(&best) {
            true => others.iter().find(|known| !refused(known)).map(|known| known.subject),
            false => None,
        };
        Some(Named { best, others, accepted })
    }

    /// Those that the paragraph names.
    pub fn subjects(&self) -> impl Iterator<Item = &'a Subject> {
        let others = self.accepted.into_iter().chain(self.thriftier().map(|known| known.subject));
        [self.best.subject].into_iter().chain(others)
    }

    /// The one that sends least, where it is not the best.
    fn thriftier(&self) -> Option<&Known<'a>> {
        let least = self.others.iter().min_by(|one, other| one.prompt.total_cmp(&other.prompt));
        least.filter(|known| known.prompt <= self.best.prompt)
    }

    fn accepted_says(&self) -> Prose {
        let own = |known: &&Known| Some(known.subject) == self.accepted;
        let Some(accepted) = self.others.iter().find(own) else { return Prose::default() };
        Prose::new(
            "; its requests are not all such as a provider that pairs calls and results by \
                    id takes, and of those whose are, ",
        )
        .code(accepted.subject.name())
        .then(format!(" remembers most: {}", accepted.written()))
    }

    /// Who knows most, and who sends least.
    pub fn paragraph(&self, figures: &Figures) -> Prose {
        let Named { best, others, .. } = self;
        let intro = Prose::new(
            "Recall at need is the share of facts still in the prompt when a later step needs \
             them, though they were last mentioned a whole window ago. ",
        );
        if others.is_empty() {
            return intro
                .then(
                    "One configuration driven in the window (limits not swept) completed every \
                     session: ",
                )
                .code(best.subject.name())
                .then(format!(", with {}.", best.written()));
        }
        let says = intro
            .then(
                "Of the configurations driven in the window (limits not swept) that completed \
                 every session, ",
            )
            .code(best.subject.name())
            .then(format!(" remembers most: {}", best.written()))
            .followed_by(standing(figures, best, others));
        let says = says.followed_by(self.accepted_says());
        match self.thriftier() {
            None => {
                says.then("; ").code(best.subject.name()).then(" also sends least of all these.")
            }
            Some(thrifty) => {
                let least = format!(" sends least: {}.", thrifty.written());
                says.then("; ").code(thrifty.subject.name()).then(least)
            }
        }
    }
}

/// Whether the summarizer decides who is first.
fn standing(figures: &Figures, best: &Known, others: &[Known]) -> Prose {
    let scenarios = &figures.run.manifest.scenarios;
    let others = others.iter().filter(|other| other.subject.mode == best.subject.mode);
    let signs = others.flat_map(|other| {
        let sign = |name| figures.sign(name, best.subject, other.subject);
        scenarios.iter().filter_map(move |scenario| sign(&scenario.name))
    });
    let signs: Vec<Sign> = signs.collect();
    let under = Prose::new(" (under ").code(figures.main);
    if signs.contains(&Sign::SummarizerDependent) {
        under.then("; the order does not hold under all summarizers)")
    } else if signs.is_empty() {
        under.then("; not compared under other summarizers)")
    } else {
        Prose::default()
    }
}
