//! Facts retained by kind, and facts lost by cause.

use super::{Pictures, block};
use crate::chart::{HeatChart, HeatRow, LossBar, LossChart, loss_attribution, retention_by_kind};
use crate::error::Result;
use crate::measure::MetricId;
use crate::report::cells::losses_by_subject;
use crate::report::choice::{ROWS, choose};
use crate::report::completion;
use crate::report::document::Block;
use crate::report::figures::Subject;
use crate::report::verdicts::retention;
use crate::truth::FactKind;

impl Pictures<'_> {
    /// Retention by kind of fact.
    pub fn retention(&self) -> Result<Block> {
        let choice = choose(self.figures, self.figures.unswept().collect(), ROWS);
        let rows: Vec<(String, Vec<_>)> = choice
            .drawn
            .iter()
            .map(|subject| (subject.name(), retention(self.figures, subject)))
            .collect();
        let known = |index: usize| rows.iter().any(|(_, kinds)| kinds[index].1.is_some());
        let shown: Vec<usize> = (0..FactKind::ALL.len()).filter(|index| known(*index)).collect();
        let kinds = shown.iter().map(|index| FactKind::ALL[*index].name().to_owned());
        let data = HeatChart {
            title: "Facts retained at the end of the session, by kind".to_owned(),
            value: "share of the session's facts in the last prompt (0 to 1)".to_owned(),
            kinds: kinds.collect(),
            rows: rows
                .iter()
                .map(|(name, kinds)| HeatRow {
                    configuration: name.clone(),
                    values: shown.iter().map(|index| kinds[*index].1).collect(),
                })
                .collect(),
        };
        let caption = format!(
            "Retention by kind of fact under the main summarizer. An empty field: the sessions \
             hold no such fact.{}",
            choice.left_out
        );
        let why_not = "retention by kind was not measured in this run";
        Ok(block("retention", &caption, retention_by_kind(&data)?, why_not))
    }

    /// Facts lost by cause, with how far each configuration's sessions got.
    pub fn losses(&self) -> Result<Block> {
        let losses = losses_by_subject(self.figures);
        let lost = |subject: &Subject| losses.iter().find(|(own, _)| *own == subject);
        let subjects = losses.iter().map(|(subject, _)| *subject).collect();
        let choice = choose(self.figures, subjects, ROWS);
        let bars = choice.drawn.iter().filter_map(|subject| {
            let cells = self.figures.cells(subject, self.figures.main);
            let steps = cells.iter().filter_map(|row| row.number(MetricId::StepsReached));
            Some(LossBar {
                configuration: subject.name(),
                facts: lost(subject)?.1,
                steps: steps.sum::<f64>() as u64,
                early: completion::early(self.figures, subject),
            })
        });
        let title = "Facts lost, by cause".to_owned();
        let data = LossChart { title, bars: bars.collect() };
        let caption = format!(
            "Facts that compactions took from the context, over all sessions. A session that ended \
             early loses nothing after its end, so a short bar may be an early death: losses for \
             each hundred steps reached compare across ends.{}",
            choice.left_out
        );
        Ok(block("losses", &caption, loss_attribution(&data)?, "no compaction lost a fact"))
    }
}
