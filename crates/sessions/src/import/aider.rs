//! Chat histories of aider: Markdown, with a heading for each run. Lines behind `####` were typed,
//! lines behind `>` are aider's, all others the model's. Files in the chat are not logged.

use std::io::BufRead;

use regex::Regex;

use super::gather::{Answer, Gather, Prompt};
use super::report::Intake;
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
    let mut runs: Vec<(Option<i64>, Vec<String>)> = Vec::new();
    while let Some(line) = lines.next().map_err(|error| Error::io("read", path, error))? {
        let text = String::from_utf8_lossy(line.bytes);
        intake.lines += usize::from(!line.is_blank());
        if let Some(time) = text.strip_prefix(RUN) {
            let at = super::json::at(&format!("{}Z", time.trim().replace(' ', "T")));
            runs.push((at, Vec::new()));
        } else if let Some((_, lines)) = runs.last_mut() {
            lines.push(text.into_owned());
        }
    }
    // A run without a word to the model is no session.
    let runs = runs.into_iter().map(|(at, lines)| run(at, &lines)).filter(Gather::has_goal);
    Ok((runs.collect(), intake))
}

fn run(at: Option<i64>, lines: &[String]) -> Gather {
    // aider ends what was typed by two spaces, where its version does. A heading of the model has none.
    let is_typed = |line: &&String| line.starts_with(TYPED) && line.ends_with("  ");
    let end = if lines.iter().any(|line| is_typed(&line)) { "  " } else { "" };
    let mut run = Run { at, end, ..Run::default() };
    lines.iter().for_each(|line| run.line(line));
    run.end_typed();
    run.end_answer(None);
    run.gather
}

#[derive(Default)]
struct Run {
    at: Option<i64>,
    /// How a typed line ends.
    end: &'static str,
    gather: Gather,
    typed: Vec<String>,
    answer: Vec<String>,
    model: Option<String>,
}

impl Run {
    fn line(&mut self, line: &str) {
        let typed = line.strip_prefix(TYPED).filter(|_| line.ends_with(self.end));
        let typed = typed.filter(|rest| rest.is_empty() || rest.starts_with(' '));
        if let Some(rest) = typed {
            self.end_answer(None);
            self.typed.push(rest.trim().to_owned());
            return;
        }
        self.end_typed();
        match line.strip_prefix('>').filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
            Some(told) => self.told(told.trim()),
            None => self.answer.push(line.to_owned()),
        }
    }

    /// What aider said on the screen. Its count of tokens ends an answer.
    fn told(&mut self, text: &str) {
        if let Some(model) = text.strip_prefix("Model: ").or(text.strip_prefix("Main model: ")) {
            self.model = model.split(" with ").next().map(str::to_owned);
        }
        let sent = text.strip_prefix(TOKENS).and_then(|rest| rest.split(' ').next());
        if let Some(tokens) = sent.and_then(rounded) {
            self.end_answer(Some(tokens));
        }
        self.gather.intake.skip("line of aider");
    }

    /// Answers to aider's own questions and its commands reach no prompt, but for those that ask the
    /// model.
    fn end_typed(&mut self) {
        let text = std::mem::take(&mut self.typed).join("\n").trim().to_owned();
        const ASKING: [&str; 4] = ["/ask ", "/code ", "/architect ", "/context "];
        let asked = ASKING.iter().find_map(|command| text.strip_prefix(command));
        let text = asked.unwrap_or(&text).trim().to_owned();
        if text.starts_with('/') || text.contains("(Y)es/(N)o") {
            self.gather.intake.skip("command of aider");
        } else if !text.is_empty() {
            self.gather.prompt(Prompt { text, at: self.at, ..Prompt::default() });
        }
    }

    fn end_answer(&mut self, tokens: Option<Tokens>) {
        let text = std::mem::take(&mut self.answer).join("\n");
        if !text.trim().is_empty() {
            let text = THOUGHT.replace_all(&text, "").trim().to_owned();
            let (model, at) = (self.model.clone(), self.at);
            let usage = tokens.map(|tokens| (tokens, Tokens::ZERO));
            self.gather.answer(Answer { text, model, at, usage, ..Answer::default() });
        }
    }
}

/// Thinking, as aider writes it.
static THOUGHT: LazyLock<Regex> = LazyLock::new(|| {
    const AS_ELEMENT: &str = r"<thinking-content-\w+>.*?</thinking-content-\w+>";
    const AS_HEADED: &str = r"-*\n+► \*\*THINKING\*\*.*?► \*\*ANSWER\*\*";
    // OK because it is constant, and a test reads it.
    Regex::new(&format!("(?s){AS_ELEMENT}|{AS_HEADED}")).expect("a pattern")
});

/// A rounded count: `9.7k`.
fn rounded(text: &str) -> Option<Tokens> {
    let (digits, times) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1_000.0),
        None => (text, 1.0),
    };
    let count: f64 = digits.replace(',', "").parse().ok()?;
    Some(Tokens((count * times).round() as u64))
}
