//! The page of hypotheses, as Markdown.

use proctor_eval::matrix::Suite;

use super::finding::{Measured, Verdict};
use super::{Head, Judged, Judgement};
use crate::table::{Table, finished, line, row};

const PREFACE: &str = include_str!("../../data/hypotheses-preface.md");

/// The page as this command makes it of cells of the suite.
pub fn render(found: &Judgement, command: &str, suite: &Suite) -> String {
    let mut page = preface(found, command, suite);
    let judged = &found.judged;
    let mut table = Table::new("", &["", "hypothesis", "verdict", "decisive figure"]);
    for Judged { hypothesis, finding } in judged {
        let figure = finding.measured.first().map_or_else(String::new, figure);
        table.push(row![hypothesis.id, hypothesis.title, finding.verdict().name(), figure]);
    }
    page.push_str(&table.markdown());
    let same = |one: &Judged, next: &Judged| one.hypothesis.chapter == next.hypothesis.chapter;
    for chapter in judged.chunk_by(same) {
        line(&mut page, &format!("## {}\n", chapter[0].hypothesis.chapter));
        chapter.iter().for_each(|one| section(&mut page, one));
    }
    finished(page)
}

fn preface(found: &Judgement, command: &str, suite: &Suite) -> String {
    let judged = &found.judged;
    let others: Vec<String> = suite.brackets.iter().map(|name| format!("`{name}`, ")).collect();
    let others = match others[..] {
        [] => "Where a hypothesis asks for another answer, its section says which.".to_owned(),
        _ => format!(
            "Where a hypothesis asks for another ({}or a constructed answer), its section says so.",
            others.concat()
        ),
    };
    let counts = Verdict::ALL.map(|verdict| {
        let count = judged.iter().filter(|one| one.finding.verdict() == verdict).count();
        format!("{count} {}", verdict.name())
    });
    PREFACE
        .replace("{command}", command)
        .replace("{seeds}", &suite.seeds.len().to_string())
        .replace("{tests}", &found.tests.to_string())
        .replace("{main}", &format!("`{}`", suite.summarizer))
        .replace("{others}", &others)
        .replace("{hypotheses}", &judged.len().to_string())
        .replace("{counts}", &counts.join(", "))
}

fn section(page: &mut String, judged: &Judged) {
    let Judged { hypothesis, finding } = judged;
    line(
        page,
        &format!("### {} {}: {}\n", hypothesis.id, hypothesis.title, finding.verdict().name()),
    );
    line(page, &format!("**Expected.** {} ({})\n", hypothesis.expects, hypothesis.source));
    line(page, &format!("**Tested.** {}\n", hypothesis.method));
    if !finding.measured.is_empty() {
        line(page, "**Measured.**\n");
        for measured in &finding.measured {
            line(page, &format!("- {}", figure(measured)));
        }
        line(page, "");
    }
    if let Some(Head { caption, head }) = &hypothesis.table {
        let mut table = Table::new(caption, head);
        finding.rows.iter().for_each(|cells| table.push(cells.iter().cloned()));
        page.push_str(&table.markdown());
    }
    match hypothesis.remark.get(&finding.verdict()) {
        Some(remark) => line(page, &format!("**Remark.** {remark}\n")),
        None if finding.verdict() != Verdict::Holds => {
            line(page, "**Remark.** None was written for this verdict yet.\n");
        }
        None => {}
    }
}

fn figure(measured: &Measured) -> String {
    format!("{}: {}", measured.what, measured.text())
}

#[cfg(test)]
mod tests {
    use super::super::finding::{Finding, Part, exact, mean};
    use super::super::read;
    use super::*;

    #[test]
    fn the_page_reads_from_the_verdicts_to_the_tables() {
        let slopes = [10.0, 12.0, 14.0, 13.0, 11.0];
        let rows = [["0", "10"], ["20", "1|2"]].map(|row| row.map(str::to_owned).to_vec());
        let drawn = mean("slope", "tokens/turn", &slopes);
        let findings = [
            Finding { parts: vec![Part::Tested(0.01)], measured: vec![drawn], rows: rows.to_vec() },
            Finding {
                parts: vec![Part::Counted(true), Part::Tested(0.2)],
                measured: vec![exact("firings", "", 6.0), exact("limit", "%", 80.0)],
                rows: Vec::new(),
            },
            Finding::default(),
        ];
        let made_up = read(include_str!("made-up.toml")).expect("it parses").into_iter();
        let judged =
            made_up.zip(findings).map(|(hypothesis, finding)| Judged { hypothesis, finding });
        let found = Judgement { judged: judged.collect(), tests: 2 };
        let suite = Suite::embedded("hypotheses").expect("it ships").expect("a sound suite");
        let command = "proctor-studies hypotheses --output FILE";
        insta::assert_snapshot!(render(&found, command, &suite));
    }
}
