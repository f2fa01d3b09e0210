//! Figures of a cell that need another cell of the same session: its control, the
//! swept `truncate`, the reference of its floor.

use crate::derive::{Index, MeasuredCell, row};
use crate::measure::MetricId;
use crate::row::{CompactionRow, DerivedRow, FloorRow, StepRow};
use crate::stats;

const NO_CONTROL: &str = "no windowless control was driven";
const UNRANKED: &str = "ended early: not ranked";

pub(super) fn rows(index: &Index) -> Vec<DerivedRow> {
    let mut rows = Vec::new();
    let mut control_steps: Option<(&str, Vec<StepRow>)> = None;
    let mut cells = index.cells.clone();
    // Cells of one session stand together, so that its control is read once.
    cells.sort_by_key(|cell| cell.session());
    for cell in cells {
        let control = index.controls.get(&cell.session()).copied();
        let known = control_steps.as_ref().map(|(name, _)| *name);
        if let Some(control) = control
            && known != Some(control.key.cell.as_str())
        {
            let steps = (index.record.steps_of)(&control.key.cell);
            control_steps = Some((&control.key.cell, steps));
        }
        let steps = control.and(control_steps.as_ref()).map(|(_, steps)| steps.as_slice());
        savings(cell, steps, &mut rows);
        costs(index, cell, steps, &mut rows);
        sweep(index, cell, &mut rows);
        breach(index, cell, &mut rows);
    }
    rows
}

fn note(cell: &MeasuredCell) -> &'static str {
    if cell.completed() { "" } else { UNRANKED }
}

/// The control's steps as far as the cell came.
fn same_steps<'a>(
    cell: &MeasuredCell,
    control: Option<&'a [StepRow]>,
) -> Result<&'a [StepRow], String> {
    let control = control.ok_or(NO_CONTROL)?;
    let reached = cell.number(MetricId::StepsReached).unwrap_or(0.0) as usize;
    if reached == 0 {
        return Err("no step was reached".to_owned());
    }
    control.get(..reached).ok_or_else(|| "the control has fewer steps".to_owned())
}

fn savings(cell: &MeasuredCell, control: Option<&[StepRow]>, rows: &mut Vec<DerivedRow>) {
    let steps = same_steps(cell, control);
    let spent = |extra: &[MetricId]| {
        let all = [MetricId::TokensPromptTotal].iter().chain(extra);
        all.map(|metric| cell.number(*metric)).sum::<Option<f64>>()
    };
    let ratio = |extra: &[MetricId]| {
        let control: u64 = steps.clone()?.iter().map(|step| step.prompt).sum();
        let spent = spent(extra).ok_or("a figure is missing")?;
        if control == 0 {
            return Err("the control's prompts are empty".to_owned());
        }
        Ok(spent / control as f64)
    };
    for (metric, extra) in [
        (MetricId::SavingsGross, &[][..]),
        (MetricId::SavingsNet, &[MetricId::TokensSummarizer]),
        (MetricId::SavingsEffective, &[MetricId::TokensSummarizer, MetricId::CostReacquire]),
    ] {
        let saved = ratio(extra).map(|ratio| 1.0 - ratio);
        rows.push(row("cell", &cell.key.cell, metric, saved, note(cell)));
    }
    // Over the same steps, means and totals have the same ratio.
    rows.push(row(
        "cell",
        &cell.key.cell,
        MetricId::SavingsMeanOverControl,
        ratio(&[]),
        note(cell),
    ));
}

fn costs(
    index: &Index,
    cell: &MeasuredCell,
    control: Option<&[StepRow]>,
    rows: &mut Vec<DerivedRow>,
) {
    let steps = same_steps(cell, control);
    let saved = steps.clone().and_then(|steps| {
        let control: f64 = steps.iter().map(|step| dollars(&step.usd)).sum();
        Ok(control - cell.number(MetricId::CostUsd).ok_or("cost.usd is missing")?)
    });
    rows.push(row("cell", &cell.key.cell, MetricId::CostSaved, saved, note(cell)));
    let even = steps.and_then(|control| {
        let own = (index.record.steps_of)(&cell.key.cell);
        break_even(&own, index.compactions_of(cell), control)
            .map(f64::from)
            .ok_or_else(|| "never cheaper to the end".to_owned())
    });
    rows.push(row("cell", &cell.key.cell, MetricId::CostBreakEvenStep, even, note(cell)));
}

/// The first step from which the running cost stays under the control's.
fn break_even(own: &[StepRow], compactions: &[&CompactionRow], control: &[StepRow]) -> Option<u32> {
    let mut compactions = compactions.iter().peekable();
    let (mut spent, mut theirs, mut since) = (0.0, 0.0, None);
    for (step, other) in own.iter().zip(control) {
        while let Some(compaction) = compactions.next_if(|one| one.step <= step.step) {
            spent += dollars(&compaction.usd);
        }
        spent += dollars(&step.usd);
        theirs += dollars(&other.usd);
        // Both sums are rounded at nine digits a term: a hair is no saving.
        let cheaper = spent < theirs * (1.0 - 1e-9);
        since = if cheaper { since.or(Some(step.step)) } else { None };
    }
    since
}

fn dollars(text: &str) -> f64 {
    text.parse().unwrap_or(0.0)
}

/// Recall beside that of `truncate` at the same mean prompt.
fn sweep(index: &Index, cell: &MeasuredCell, rows: &mut Vec<DerivedRow>) {
    if is_swept(cell) || cell.is_control() {
        return;
    }
    let truncate = at_equal_tokens(index, cell);
    let own = cell.number(MetricId::RecallAtNeed).ok_or_else(|| "no demand at need".to_owned());
    let difference = truncate.clone().and_then(|truncate| Ok(own? - truncate));
    rows.push(row("cell", &cell.key.cell, MetricId::SavingsTruncateRecall, truncate, ""));
    rows.push(row("cell", &cell.key.cell, MetricId::SavingsTruncateEqual, difference, ""));
}

fn is_swept(cell: &MeasuredCell) -> bool {
    cell.key.pipeline == "truncate" && cell.key.variant.starts_with("limit=")
}

fn at_equal_tokens(index: &Index, cell: &MeasuredCell) -> Result<f64, String> {
    if !cell.completed() {
        return Err(UNRANKED.to_owned());
    }
    let swept = index
        .cells
        .iter()
        .filter(|other| is_swept(other) && other.completed() && other.session() == cell.session());
    let mut points: Vec<(f64, f64)> = swept
        .filter_map(|one| {
            Some((one.number(MetricId::TokensMeanPrompt)?, one.number(MetricId::RecallAtNeed)?))
        })
        .collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.total_cmp(&one.1)));
    // Of equally large prompts the one that knows more stands for truncation.
    points.dedup_by_key(|point| point.0);
    if points.is_empty() {
        return Err("no completed truncate at a fixed limit".to_owned());
    }
    let mean = cell.number(MetricId::TokensMeanPrompt).ok_or("no step was reached")?;
    interpolate(&points, mean).ok_or_else(|| "mean prompt outside the sweep".to_owned())
}

/// Linear between neighbours; `None` beyond the ends. Points are sorted by x.
fn interpolate(points: &[(f64, f64)], x: f64) -> Option<f64> {
    if let Some((_, y)) = points.iter().find(|point| point.0 == x) {
        return Some(*y);
    }
    let pair = points.windows(2).find(|pair| pair[0].0 < x && x < pair[1].0)?;
    let ((low_x, low_y), (high_x, high_y)) = (pair[0], pair[1]);
    Some(low_y + (high_y - low_y) * (x - low_x) / (high_x - low_x))
}

/// How far the floor lies under the reference's.
fn breach(index: &Index, cell: &MeasuredCell, rows: &mut Vec<DerivedRow>) {
    let Some(reference) = index.record.references.get(&cell.key.pipeline) else { return };
    let ours = index.floor_of(cell);
    if ours.is_empty() {
        return;
    }
    let partner = index.cells.iter().find(|other| {
        other.key.pipeline == *reference
            && other.session() == cell.session()
            && other.key.variant == cell.key.variant
            && other.key.mode == cell.key.mode
            && other.key.summarizer == cell.key.summarizer
            && other.key.replicate == cell.key.replicate
    });
    let breaches = partner.map(|partner| breaches(ours, index.floor_of(partner)));
    let missing = match &breaches {
        None => format!("no cell of the reference `{reference}`"),
        Some(_) => "no common checkpoint with a floor".to_owned(),
    };
    let breaches = breaches.unwrap_or_default();
    let last = breaches.last().copied().ok_or_else(|| missing.clone());
    let median = stats::median(&breaches).ok_or(missing);
    let reason = format!("against `{reference}`");
    rows.push(row("cell", &cell.key.cell, MetricId::FloorBreach, last, &reason));
    rows.push(row("cell", &cell.key.cell, MetricId::FloorBreachMedian, median, &reason));
}

fn breaches(ours: &[&FloorRow], reference: &[&FloorRow]) -> Vec<f64> {
    let one_pass = |row: &&&FloorRow| row.round == 1;
    ours.iter()
        .filter(one_pass)
        .filter_map(|row| {
            let partner = reference
                .iter()
                .filter(one_pass)
                .find(|other| other.checkpoint == row.checkpoint && other.tokens > 0)?;
            Some(1.0 - row.tokens as f64 / partner.tokens as f64)
        })
        .collect()
}

#[cfg(test)]
mod tests;
