//! Chat histories of aider: Markdown, with a heading for each run. Lines behind `####` were typed,
//! lines behind `>` are aider's, all others the model's. Files in the chat are not logged.

use std::io::BufRead;

use super::gather::{Answer, Gather, Prompt};
use super::report::Intake;
use crate::log::Injected;
use crate::log::format::lines::Lines;
use crate::prelude::*;

const RUN: &str = "# aider chat started at ";
const TYPED: &str = "####";
/// Begins a line of aider that says how many tokens were sent.
const TOKENS: &str = "Tokens: ";

/// Whether a file is one.
pub(super) fn is(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    text.trim_start_matches('\u{feff}').trim_start().starts_with(RUN)
}

/// The runs of a file.
pub(super) fn read(reader: impl BufRead, path: &Path) -> Result<(Vec<Gather>, Intake)> {
    let (mut lines, mut intake) = (Lines::new(reader), Intake::default());
    let mut runs: Vec<Run> = Vec::new();
    while let Some(line) = lines.next().map_err(|error| Error::io("read", path, error))? {
        let text = String::from_utf8_lossy(line.bytes);
        intake.lines += usize::from(!line.is_blank());
        if let Some(time) = text.strip_prefix(RUN) {
            let at = super::json::at(&format!("{}Z", time.trim().replace(' ', "T")));
            runs.push(Run { at, ..Run::default() });
        } else if let Some(run) = runs.last_mut() {
            run.line(text.trim_end());
        }
    }
    // A run without a word to the model is no session.
    let runs = runs.into_iter().map(Run::end).filter(Gather::has_goal);
    Ok((runs.collect(), intake))
}

#[derive(Default)]
struct Run {
    at: Option<i64>,
    gather: Gather,
    typed: Vec<String>,
    answer: Vec<String>,
    model: Option<String>,
    last: Option<usize>,
    /// A fence is open in the model's text: marks inside are its own.
    fenced: bool,
}

impl Run {
    fn line(&mut self, line: &str) {
        let rest = line.strip_prefix(TYPED).filter(|rest| rest.is_empty() || rest.starts_with(' '));
        if let (Some(rest), false) = (rest, self.fenced) {
            self.end_answer();
            self.typed.push(rest.trim().to_owned());
        } else if let (Some(rest), false) = (line.strip_prefix("> "), self.fenced) {
            self.end_typed();
            self.end_answer();
            self.told(rest.trim());
        } else {
            self.end_typed();
            if line.trim_start().starts_with("```") {
                self.fenced = !self.fenced;
            }
            if !line.is_empty() || !self.answer.is_empty() {
                self.answer.push(line.to_owned());
            }
        }
    }

    /// What aider said on the screen. The model is told of no more than command output.
    fn told(&mut self, text: &str) {
        if let Some(model) = text.strip_prefix("Model: ").or(text.strip_prefix("Main model: ")) {
            self.model = model.split(" with ").next().map(str::to_owned);
        }
        let sent =
            text.strip_prefix(TOKENS).and_then(|rest| rest.split(' ').next()).and_then(rounded);
        if let (Some(tokens), Some(last)) = (sent, self.last.take()) {
            self.gather.spent(last, (tokens, Tokens::ZERO));
        }
        self.gather.intake.skip("line of aider");
    }

    fn end_typed(&mut self) {
        let text = std::mem::take(&mut self.typed).join("\n").trim().to_owned();
        if text.is_empty() {
            return;
        }
        let is_command =
            text.starts_with('/') && !text.starts_with("/ask") && !text.starts_with("/code");
        let injected = is_command.then_some(Injected::Command);
        self.gather.prompt(Prompt { text, injected, at: self.at, ..Prompt::default() });
    }

    fn end_answer(&mut self) {
        let text = std::mem::take(&mut self.answer).join("\n").trim().to_owned();
        self.fenced = false;
        if !text.is_empty() && self.gather.has_goal() {
            let (model, at) = (self.model.clone(), self.at);
            self.last = Some(self.gather.answer(Answer { text, model, at, ..Answer::default() }));
        }
    }

    fn end(mut self) -> Gather {
        self.end_typed();
        self.end_answer();
        self.gather
    }
}

/// A rounded count: `9.7k`.
fn rounded(text: &str) -> Option<Tokens> {
    let (digits, times) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1_000.0),
        None => (text, 1.0),
    };
    let count: f64 = digits.replace(',', "").parse().ok()?;
    Some(Tokens((count * times).round() as u64))
}
