//! A judgement as the Markdown of a step summary.

use super::super::finding::{Finding, Judgement};
use super::table::{HEAD, is_shown, line, passed};
use super::{pressing, sentence};
use crate::sanitize;

/// Most bytes that a step summary may have (GitHub's limit: 1 MiB a step).
pub const MOST_BYTES: usize = 1024 * 1024;

/// Most reasons that are told beside the table.
const MOST_REASONS: usize = 50;

/// The summary in at most so many bytes, the worst findings first; where it is cut it
/// says so. Empty where not even the verdict has room.
pub fn summary(judgement: &Judgement, most: usize) -> String {
    let mut blocks = vec![head(judgement)];
    let shown: Vec<&Finding> = judgement.findings.iter().filter(|one| is_shown(one)).collect();
    let reasons: Vec<String> = pressing(judgement)
        .iter()
        .take(MOST_REASONS)
        .map(|(finding, _)| format!("- {}\n", sanitize::markdown(&sentence(finding))))
        .collect();
    let tail = tail(judgement);
    if !reasons.is_empty() {
        blocks.push("\n### What does not pass\n\n".to_owned());
        blocks.extend(reasons);
    }
    blocks.push(tail);
    if !shown.is_empty() {
        let rule = format!("|{}\n", "---|".repeat(HEAD.len()));
        blocks.push(format!("\n### Findings\n\n| {} |\n{rule}", HEAD.join(" | ")));
        blocks.extend(shown.iter().map(|finding| row(finding)));
    }
    cut(&blocks, most)
}

/// Whole blocks as long as there is room for them and for the note that some are left
/// out.
fn cut(blocks: &[String], most: usize) -> String {
    let note =
        |left: usize| format!("\n*Cut: {left} lines more would not fit; the JSON has all.*\n");
    let all: usize = blocks.iter().map(String::len).sum();
    if all <= most {
        return blocks.concat();
    }
    let room = most.saturating_sub(note(blocks.len()).len());
    let mut text = String::new();
    for (place, block) in blocks.iter().enumerate() {
        if text.len() + block.len() > room {
            if !text.is_empty() {
                text.push_str(&note(blocks.len() - place));
            }
            break;
        }
        text.push_str(block);
    }
    text
}

fn head(judgement: &Judgement) -> String {
    let warned =
        if judgement.warned { "\n**This is no pass: the policy lets it through.**\n" } else { "" };
    let baseline = match &judgement.baseline {
        None => "no baseline".to_owned(),
        Some(run) => match &run.blessed {
            Some(blessed) => format!("baseline blessed {}", sanitize::markdown(blessed)),
            None => "baseline driven beside it".to_owned(),
        },
    };
    format!(
        "## Proctor gate: {}\n{warned}\nPolicy {}, suite {}, {baseline}.\n",
        judgement.verdict,
        sanitize::markdown(&judgement.policy.name),
        sanitize::markdown(&judgement.run.suite),
    )
}

fn tail(judgement: &Judgement) -> String {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(
        judgement.next.iter().map(|step| format!("- **Next**: {}\n", sanitize::markdown(step))),
    );
    lines.extend(passed(judgement).iter().map(|line| format!("- {}\n", sanitize::markdown(line))));
    lines.extend(judgement.notes.iter().map(|note| format!("- {}\n", sanitize::markdown(note))));
    if lines.is_empty() { String::new() } else { format!("\n{}", lines.concat()) }
}

fn row(finding: &Finding) -> String {
    let cells: Vec<String> = line(finding).iter().map(|cell| sanitize::markdown(cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out_and_counted() {
        let blocks: Vec<String> = (0..100).map(|number| format!("line {number}\n")).collect();
        let whole: usize = blocks.iter().map(String::len).sum();
        assert_eq!(cut(&blocks, whole), blocks.concat());
        for most in [0, 1, 70, 100, 300, whole - 1] {
            let text = cut(&blocks, most);
            assert!(text.len() <= most, "{} > {most}", text.len());
            let lines = text.lines().filter(|line| line.starts_with("line")).count();
            if lines > 0 {
                assert!(text.contains(&format!("*Cut: {} lines", 100 - lines)), "{text}");
            }
        }
    }
}
