//! Findings as workflow commands, which GitHub shows beside the lines that they name.

use super::super::finding::{Finding, Judgement, Kind};
use super::{Level, pressing, sentence};

/// Most annotations of one kind that GitHub shows for a step.
const MOST: usize = 10;

/// The worst ten findings as workflow commands, one a line, and how many more there are.
pub fn annotations(judgement: &Judgement) -> Vec<String> {
    let all: Vec<(&Finding, Level)> = pressing(judgement);
    let mut lines: Vec<String> = all.iter().take(MOST).map(command).collect();
    if all.len() > MOST {
        let more = format!("{} more findings do not pass", all.len() - MOST);
        lines.push(format!("::notice title=proctor gate::{}", data(&more)));
    }
    lines
}

fn command((finding, level): &(&Finding, Level)) -> String {
    let name = if *level == Level::Error { "error" } else { "warning" };
    let mut properties = Vec::new();
    if let Some(place) = &finding.place {
        properties.push(format!("file={}", property(&place.file)));
        properties.push(format!("line={}", place.line));
    }
    let about = match finding.kind {
        Kind::Always => finding.rule.as_str(),
        Kind::Hard | Kind::Soft => finding.about(),
    };
    let title = format!("proctor gate: {} of {about}", finding.verdict);
    properties.push(format!("title={}", property(&title)));
    format!("::{name} {}::{}", properties.join(","), data(&sentence(finding)))
}

/// As GitHub's toolkit escapes the data of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// As GitHub's toolkit escapes a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_escaped_by_github_s_rules() {
        assert_eq!(data("50 % of a\r\nb: c, d"), "50 %25 of a%0D%0Ab: c, d");
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }
}
