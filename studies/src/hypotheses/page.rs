//! The page of hypotheses, as Markdown.

use proctor_eval::matrix::Suite;

use super::finding::{Measured, Verdict};
use super::{Head, Judged};
use crate::table::{Table, finished, line, row};

const PREFACE: &str = include_str!("../../data/hypotheses-preface.md");

/// Chapters by the number of their last hypothesis.
const CHAPTERS: [(u32, &str); 6] = [
    (8, "Floor"),
    (14, "Atomicity and the live goal"),
    (19, "Triggers and loops"),
    (25, "Retention"),
    (30, "Economics"),
    (u32::MAX, "Robustness"),
];

/// The page as this command makes it of cells of the suite.
pub fn render(judged: &[Judged], command: &str, suite: &Suite) -> String {
    let mut page = preface(judged, command, suite);
    let mut table = Table::new("", &["", "hypothesis", "verdict", "decisive figure"]);
    for Judged { hypothesis, finding } in judged {
        let figure = finding.measured.first().map_or_else(String::new, figure);
        table.push(row![hypothesis.id, hypothesis.title, finding.verdict().name(), figure]);
    }
    page.push_str(&table.markdown());
    let chapter = |one: &Judged| {
        CHAPTERS.iter().find(|(last, _)| one.hypothesis.number() <= *last).map_or("", |(_, of)| of)
    };
    for chapter_of in judged.chunk_by(|one, next| chapter(one) == chapter(next)) {
        line(&mut page, &format!("## {}\n", chapter(&chapter_of[0])));
        chapter_of.iter().for_each(|one| section(&mut page, one));
    }
    finished(page)
}

fn preface(judged: &[Judged], command: &str, suite: &Suite) -> String {
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
        None if finding.verdict() != Verdict::Confirmed => {
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
    use super::super::Hypothesis;
    use super::super::finding::{Finding, exact, mean};
    use super::*;

    fn made_up(id: &str, remark: Option<(Verdict, &str)>, table: Option<Head>) -> Hypothesis {
        Hypothesis {
            id: id.to_owned(),
            title: "Something grows".to_owned(),
            expects: "It grows with every turn.".to_owned(),
            source: "a made-up source".to_owned(),
            method: "One strategy on one session.".to_owned(),
            remark: remark.into_iter().map(|(of, text)| (of, text.to_owned())).collect(),
            table,
        }
    }

    #[test]
    fn the_page_reads_from_the_verdicts_to_the_tables() {
        let slopes = [10.0, 12.0, 14.0, 13.0, 11.0];
        let head = ["pairs", "slope | share"].map(str::to_owned).to_vec();
        let table = Head { caption: "By pairs, 5 sessions each".to_owned(), head };
        let rows = [["0", "10"], ["20", "1|2"]].map(|row| row.map(str::to_owned).to_vec());
        let drawn = mean("slope", "tokens/turn", &slopes);
        let judged = [
            Judged {
                hypothesis: made_up("H1", None, Some(table)),
                finding: Finding { parts: vec![true], measured: vec![drawn], rows: rows.to_vec() },
            },
            Judged {
                hypothesis: made_up("H9", Some((Verdict::Mixed, "The second part fails.")), None),
                finding: Finding {
                    parts: vec![true, false],
                    measured: vec![exact("firings", "", 6.0), exact("limit", "%", 80.0)],
                    rows: Vec::new(),
                },
            },
            Judged {
                hypothesis: made_up("H20", Some((Verdict::Confirmed, "Another verdict's.")), None),
                finding: Finding::default(),
            },
        ];
        let suite = Suite::embedded("hypotheses").expect("it ships").expect("a sound suite");
        let command = "proctor-studies hypotheses --output FILE";
        insta::assert_snapshot!(render(&judged, command, &suite));
    }
}
