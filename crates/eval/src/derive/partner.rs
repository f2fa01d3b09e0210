//! Figures of a cell that need another of its session: control, swept `truncate`, reference.

use crate::derive::Record;
use crate::frame::{Basis, Derived, Frame, MeasuredCell, Subject};
use crate::measure::MetricId;
use crate::prelude::*;
use crate::row::{CompactionRow, FloorRow, StepRow, floors};
use crate::stats;

pub(super) fn rows(record: &Record) -> Result<Vec<Derived>> {
    let frame = record.frame;
    let mut rows = Vec::new();
    let mut cells = frame.cells().to_vec();
    cells.sort_by_key(|cell| cell.session());
    for cells in cells.chunk_by(|one, next| one.session() == next.session()) {
        let control = frame.control(cells[0].session());
        let steps = control.map(|control| (record.steps_of)(&control.key.cell)).transpose()?;
        for cell in cells {
            if cell.key.is_closed() {
                closed(cell, frame.control_of(cell), &mut rows);
                continue;
            }
            savings(cell, steps.as_deref(), &mut rows);
            costs(record, cell, steps.as_deref(), &mut rows)?;
            sweep(frame, cell, &mut rows);
            breach(record, cell, &mut rows);
        }
    }
    Ok(rows)
}

fn row(cell: &MeasuredCell, metric: MetricId, value: Result<f64, Basis>, basis: Basis) -> Derived {
    Derived::single(Subject::cell(&cell.key), metric, value, basis)
}

fn ranked(cell: &MeasuredCell) -> Basis {
    if cell.completed() { Basis::Direct } else { Basis::EndedEarly }
}

/// The control's steps as far as the cell came.
fn same_steps<'a>(
    cell: &MeasuredCell,
    control: Option<&'a [StepRow]>,
) -> Result<&'a [StepRow], Basis> {
    let control = control.ok_or(Basis::NoControl)?;
    let reached = cell.steps_reached() as usize;
    if reached == 0 {
        return Err(Basis::NoStep);
    }
    control.get(..reached).ok_or(Basis::ControlShorter)
}

fn savings(cell: &MeasuredCell, control: Option<&[StepRow]>, rows: &mut Vec<Derived>) {
    let steps = same_steps(cell, control);
    let spent = |extra: &[MetricId]| {
        let all = [MetricId::TokensPromptTotal].iter().chain(extra);
        all.map(|metric| cell.number(*metric)).sum::<Option<f64>>()
    };
    let ratio = |extra: &[MetricId]| {
        let control: u64 = steps.clone()?.iter().map(|step| step.prompt.0).sum();
        let spent = spent(extra).ok_or(Basis::FigureMissing)?;
        if control == 0 {
            return Err(Basis::ControlEmpty);
        }
        Ok(spent / control as f64)
    };
    for (metric, extra) in [
        (MetricId::SavingsGross, &[][..]),
        (MetricId::SavingsNet, &[MetricId::TokensSummarizer]),
        (MetricId::SavingsEffective, &[MetricId::TokensSummarizer, MetricId::CostReacquire]),
    ] {
        let saved = ratio(extra).map(|ratio| 1.0 - ratio);
        rows.push(row(cell, metric, saved, ranked(cell)));
    }
    // Over the same steps, means and totals have the same ratio.
    rows.push(row(cell, MetricId::SavingsMeanOverControl, ratio(&[]), ranked(cell)));
}

/// In the closed loop calls are added between steps, so that only whole sessions compare.
fn closed(cell: &MeasuredCell, control: Option<&MeasuredCell>, rows: &mut Vec<Derived>) {
    let figures = |metrics: &[MetricId]| {
        let control = control.ok_or(Basis::NoControl)?;
        if !cell.completed() || !control.completed() {
            return Err(Basis::EndedEarly);
        }
        let own = metrics.iter().map(|metric| cell.number(*metric)).sum::<Option<f64>>();
        let other = control.number(metrics[0]);
        own.zip(other).ok_or(Basis::FigureMissing)
    };
    let tokens = [MetricId::TokensPromptTotal, MetricId::TokensSummarizer];
    for (metric, spent) in
        [(MetricId::SavingsGross, &tokens[..1]), (MetricId::SavingsNet, &tokens[..])]
    {
        let saved = figures(spent).and_then(|(own, control)| match control {
            0.0 => Err(Basis::ControlEmpty),
            control => Ok(1.0 - own / control),
        });
        rows.push(row(cell, metric, saved, Basis::Direct));
    }
    let saved = figures(&[MetricId::CostUsd]).map(|(own, control)| control - own);
    rows.push(row(cell, MetricId::CostSaved, saved, Basis::Direct));
}

fn costs(
    record: &Record,
    cell: &MeasuredCell,
    control: Option<&[StepRow]>,
    rows: &mut Vec<Derived>,
) -> Result<()> {
    let steps = same_steps(cell, control);
    let saved = steps.clone().and_then(|steps| {
        let control: f64 = steps.iter().map(|step| step.usd.0).sum();
        Ok(control - cell.number(MetricId::CostUsd).ok_or(Basis::FigureMissing)?)
    });
    rows.push(row(cell, MetricId::CostSaved, saved, ranked(cell)));
    let own = if steps.is_ok() { (record.steps_of)(&cell.key.cell)? } else { Vec::new() };
    let even = steps.and_then(|control| {
        let even = break_even(&own, record.frame.compactions_of(cell), control);
        even.map(f64::from).ok_or(Basis::NeverCheaper)
    });
    rows.push(row(cell, MetricId::CostBreakEvenStep, even, ranked(cell)));
    Ok(())
}

/// The first step from which the running cost stays under the control's.
fn break_even(own: &[StepRow], compactions: &[&CompactionRow], control: &[StepRow]) -> Option<u32> {
    let mut compactions = compactions.iter().peekable();
    let (mut spent, mut theirs, mut since) = (0.0, 0.0, None);
    for (step, other) in own.iter().zip(control) {
        while let Some(compaction) = compactions.next_if(|one| one.step <= step.step) {
            spent += compaction.usd.0;
        }
        spent += step.usd.0;
        theirs += other.usd.0;
        // Both sums are rounded at nine digits a term: a hair is no saving.
        let cheaper = spent < theirs * (1.0 - 1e-9);
        since = if cheaper { since.or(Some(step.step)) } else { None };
    }
    since
}

fn sweep(frame: &Frame, cell: &MeasuredCell, rows: &mut Vec<Derived>) {
    let is_swept_truncate = cell.key.pipeline == "truncate" && cell.key.is_swept();
    if is_swept_truncate || cell.key.is_control() {
        return;
    }
    let truncate = at_equal_tokens(frame, cell);
    let own = cell.number(MetricId::RecallAll).ok_or(Basis::NoDemands);
    let difference = truncate.clone().and_then(|truncate| Ok(own? - truncate));
    rows.push(row(cell, MetricId::SavingsTruncateRecall, truncate, Basis::Direct));
    rows.push(row(cell, MetricId::SavingsTruncateEqual, difference, Basis::Direct));
}

fn at_equal_tokens(frame: &Frame, cell: &MeasuredCell) -> Result<f64, Basis> {
    if !cell.completed() {
        return Err(Basis::EndedEarly);
    }
    let points = frame.swept(cell.session());
    if points.is_empty() {
        return Err(Basis::NoSweep);
    }
    let mean = cell.number(MetricId::TokensMeanPrompt).ok_or(Basis::NoStep)?;
    interpolate(points, mean).ok_or(Basis::OutsideSweep)
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

fn breach(record: &Record, cell: &MeasuredCell, rows: &mut Vec<Derived>) {
    let Some(reference) = record.references.get(&cell.key.pipeline) else { return };
    let ours = record.frame.floor_of(cell);
    if ours.is_empty() {
        return;
    }
    let partner = record.frame.partners(&cell.key, reference, &cell.key.summarizer).next();
    let breaches = partner.map(|partner| breaches(ours, record.frame.floor_of(partner)));
    let reference = || reference.clone();
    let missing = match &breaches {
        None => Basis::NoReferenceCell { reference: reference() },
        Some(_) => Basis::NoCommonCheckpoint,
    };
    let breaches = breaches.unwrap_or_default();
    let last = breaches.last().copied().ok_or_else(|| missing.clone());
    let median = stats::median(&breaches).ok_or(missing);
    for (metric, value) in [(MetricId::FloorBreach, last), (MetricId::FloorBreachMedian, median)] {
        rows.push(row(cell, metric, value, Basis::AgainstFloor { reference: reference() }));
    }
}

fn breaches(ours: &[&FloorRow], reference: &[&FloorRow]) -> Vec<f64> {
    let reference = floors(reference);
    let breach = |(_, row): (&FloorRow, &FloorRow)| {
        let mut others = reference.iter().map(|(_, other)| other);
        let partner = others
            .find(|other| other.checkpoint == row.checkpoint && other.tokens > Tokens::ZERO)?;
        Some(1.0 - row.tokens.over(partner.tokens))
    };
    floors(ours).into_iter().filter_map(breach).collect()
}
