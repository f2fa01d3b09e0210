//! The context over the steps of a cell, drawn in letters.

use serde::Serialize;

use crate::number::tokens;
use crate::run_dir::story::Story;

/// Lines of the picture.
const HEIGHT: usize = 8;
/// Columns that the scale takes.
const SCALE: usize = 9;
/// Parts of a letter, from below.
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The steps that one column stands for.
struct Column {
    least: u64,
    most: u64,
    compactions: usize,
    missed: usize,
}

/// The picture, line by line.
#[derive(Serialize)]
pub(super) struct Saw {
    /// Steps that a column stands for.
    steps: usize,
    /// The scale and the columns of each line, from the top.
    lines: Vec<(String, String)>,
    compacted: String,
    missed: String,
    axis: String,
}

/// Draws the prompt over the steps, with compactions and missed needs beneath; `None` where
/// nothing was sent.
pub(super) fn draw(story: &Story, width: usize) -> Option<Saw> {
    let most = story.steps.prompt.iter().copied().max().filter(|most| *most > 0)?;
    let columns = columns(story, width.saturating_sub(SCALE + 2));
    let top = most.max(story.usable);
    let lines = (0..HEIGHT).rev().map(|row| {
        let label = match row {
            _ if row + 1 == HEIGHT => tokens(top as f64),
            _ if row == HEIGHT / 2 - 1 => tokens(top as f64 / 2.0),
            _ => String::new(),
        };
        let line = columns.iter().map(|column| letter(column, row, top)).collect();
        (format!("{label:>SCALE$}"), line)
    });
    let marks = |of: fn(&Column) -> usize| -> String {
        let mark = |column| match of(column) {
            0 => ' ',
            count @ 1..=9 => char::from(b'0' + count as u8),
            _ => '+',
        };
        columns.iter().map(mark).collect()
    };
    let last = story.steps.step.last().copied().unwrap_or(0).to_string();
    let between = columns.len().saturating_sub(1 + last.len());
    Some(Saw {
        steps: story.steps.prompt.len().div_ceil(columns.len().max(1)),
        lines: lines.collect(),
        compacted: marks(|column| column.compactions),
        missed: marks(|column| column.missed),
        axis: format!("{:>SCALE$} 1{:between$}{last}", "step", ""),
    })
}

/// What a column shows at a height: whole up to the least prompt, shaded to the most.
fn letter(column: &Column, row: usize, top: u64) -> char {
    let eighths = |tokens: u64| {
        let all = (HEIGHT * 8) as f64;
        (tokens as f64 / top as f64 * all).round() as usize
    };
    let (least, most) = (eighths(column.least), eighths(column.most));
    match least.saturating_sub(row * 8) {
        // Of two that share a letter the larger is drawn.
        over @ 0..4 if most > row * 8 + over => '░',
        over => EIGHTHS[over.min(8)],
    }
}

fn columns(story: &Story, room: usize) -> Vec<Column> {
    let steps = &story.steps;
    let each = steps.prompt.len().div_ceil(room.max(1)).max(1);
    let mut columns: Vec<Column> = steps
        .prompt
        .chunks(each)
        .map(|chunk| Column {
            least: chunk.iter().copied().min().unwrap_or(0),
            most: chunk.iter().copied().max().unwrap_or(0),
            compactions: 0,
            missed: 0,
        })
        .collect();
    // Steps are numbered from 1 without gaps; what came after the last call is not drawn.
    let place = |step: u32| (step.saturating_sub(1) as usize) / each;
    for compaction in &story.compactions {
        if let Some(column) = columns.get_mut(place(compaction.step)) {
            column.compactions += 1;
        }
    }
    for demand in story.demands.iter().filter(|demand| !demand.met) {
        if let Some(column) = columns.get_mut(place(demand.step)) {
            column.missed += 1;
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_dir::story::{Steps, ToldCompaction, ToldDemand};

    fn story(prompts: &[u64]) -> Story {
        Story {
            usable: 800,
            steps: Steps {
                step: (1..=prompts.len() as u32).collect(),
                prompt: prompts.to_vec(),
                ..Steps::default()
            },
            compactions: vec![ToldCompaction { step: 3, ..ToldCompaction::default() }],
            demands: vec![ToldDemand { step: 4, fact: 0, met: false }],
            ..Story::default()
        }
    }

    #[test]
    fn the_saw_is_drawn_beneath_the_window() {
        let saw = draw(&story(&[100, 400, 800, 200, 150]), 50).expect("it has calls");
        let lines = saw.lines.iter().map(|(scale, line)| format!("{scale} {line}"));
        let mut lines: Vec<String> = lines.collect();
        lines.extend([saw.compacted, saw.missed, saw.axis]);
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn many_steps_share_a_column_and_none_is_lost() {
        let prompts: Vec<u64> = (0..1000).map(|step| 300 + step % 100).collect();
        let columns = columns(&story(&prompts), 40);
        assert_eq!(columns.len(), 40);
        assert!(columns.iter().all(|column| column.least >= 300 && column.most <= 399));
        assert_eq!(columns.iter().map(|column| column.compactions).sum::<usize>(), 1);
    }

    #[test]
    fn a_cell_without_a_call_has_no_picture() {
        assert!(draw(&Story::default(), 50).is_none());
    }
}
