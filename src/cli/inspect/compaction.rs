//! One compaction: what left the context, what was asked and answered, what was lost.

use crate::cli::inspect::overview::losers;
use crate::cli::paper::{Paper, Style};
use crate::error::{Error, Result};
use crate::number::tokens;
use crate::run::story::{Came, Detail, Told};
use crate::run_dir::story::{Covered, LostFact, Story, ToldCompaction};
use crate::summarize::Prompt;

/// Lines of one text, and facts of one list, unless all are wanted.
const LINES: usize = 3;
const ANSWER_LINES: usize = 24;
const LISTED: usize = 12;

pub(super) fn write(paper: &mut Paper, told: &Told, number: u32, full: bool) -> Result<()> {
    let story = &told.story;
    let found = story.compactions.iter().find(|compaction| compaction.number == number);
    let compaction = found.ok_or_else(|| Error::Invalid {
        place: format!("--compaction {number}"),
        rule: format!("the cell has {} compactions", story.compactions.len()),
        hint: Some("leave `--compaction` away to list them".to_owned()),
    })?;
    paper.line(&[(Style::Strong, &story.cell)]);
    paper.blank();
    body(paper, told, compaction, full);
    Ok(())
}

/// Rules that were broken, each once with its count.
pub(super) fn rules(compaction: &ToldCompaction) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for rule in &compaction.violations {
        match counted.iter_mut().find(|(known, _)| known == rule) {
            Some((_, count)) => *count += 1,
            None => counted.push((rule, 1)),
        }
    }
    let told = counted.iter().map(|(rule, count)| match count {
        1 => (*rule).to_owned(),
        count => format!("{count} × {rule}"),
    });
    told.collect::<Vec<_>>().join(", ")
}

pub(super) fn body(paper: &mut Paper, told: &Told, compaction: &ToldCompaction, full: bool) {
    let detail = told.details.get(&compaction.number);
    head(paper, compaction);
    left(paper, compaction, full);
    asked(paper, compaction, detail, full);
    answered(paper, compaction, full);
    if let Some(detail) = detail {
        came(paper, &detail.came, compaction, full);
    }
    facts(paper, &told.story, compaction, full);
}

fn head(paper: &mut Paper, one: &ToldCompaction) {
    let title = format!("COMPACTION {}", one.number);
    let outcome = if one.outcome == "accepted" { Style::Good } else { Style::Bad };
    let place = format!("  at step {} in turn {}, on {}: ", one.step, one.turn, one.occasion);
    paper.line(&[
        (Style::Heading, &title),
        (Style::Plain, &place),
        (Style::Name, &one.stage),
        (Style::Plain, ", "),
        (outcome, &one.outcome),
    ]);
    let freed = 100.0 * (one.before as f64 - one.after as f64) / one.before.max(1) as f64;
    let (before, after) = (tokens(one.before as f64), tokens(one.after as f64));
    let tries = match one.attempts {
        0 => "nothing was asked".to_owned(),
        1 => format!("1 try for ${:.4}", one.usd),
        tries => format!("{tries} tries for ${:.4}", one.usd),
    };
    let sizes = format!("  messages {before} → {after} tokens ({freed:.0} % freed); {tries}");
    paper.line(&[(Style::Plain, &sizes)]);
    if !one.violations.is_empty() {
        paper.line(&[(Style::Plain, "  rules broken: "), (Style::Bad, &rules(one))]);
    }
}

fn left(paper: &mut Paper, one: &ToldCompaction, full: bool) {
    if one.covers.is_empty() {
        return;
    }
    let all = one.covers.len() as u32 + one.more_covered;
    let unseen = one.covers.iter().filter(|covered| !covered.shown).count();
    let seen = match one.answers.is_empty() {
        true => String::new(),
        false => format!(", {unseen} of those below never shown to the summarizer"),
    };
    paper.heading("LEFT THE CONTEXT", &format!("{}{seen}", entries(all)));
    for covered in &one.covers {
        out(paper, covered, !one.answers.is_empty(), full);
    }
    if one.more_covered > 0 {
        let rest = format!("  … {} more", entries(one.more_covered));
        paper.line(&[(Style::Faint, &rest)]);
    }
}

fn entries(count: u32) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

fn out(paper: &mut Paper, covered: &Covered, was_asked: bool, full: bool) {
    let size = format!("  {} tokens", tokens(covered.tokens as f64));
    let seen = match (was_asked, covered.shown) {
        (false, _) => (Style::Plain, ""),
        (true, true) => (Style::Good, "  shown"),
        (true, false) => (Style::Bad, "  never shown"),
    };
    paper.line(&[
        (Style::Plain, "  − "),
        (Style::Strong, &covered.what),
        (Style::Name, &format!("  {}", covered.role)),
        (Style::Faint, &size),
        seen,
    ]);
    if full {
        paper.wrapped(6, Style::Plain, &covered.text, usize::MAX);
        return;
    }
    // An excerpt is short enough to be read whole where its lines share a line.
    let lines = covered.text.lines().map(str::trim).filter(|line| !line.is_empty());
    paper.wrapped(6, Style::Plain, &lines.collect::<Vec<_>>().join(" ⏎ "), LINES + 1);
}

fn most(full: bool, lines: usize) -> usize {
    if full { usize::MAX } else { lines }
}

fn asked(paper: &mut Paper, one: &ToldCompaction, detail: Option<&Detail>, full: bool) {
    let requests = detail.map_or(&[][..], |detail| &detail.requests);
    if full && !requests.is_empty() {
        for (number, request) in requests.iter().enumerate() {
            let count = format!("request {} of {}", number + 1, requests.len());
            paper.heading("ASKED", &format!("{count}; `>` quotes the conversation"));
            whole(paper, request);
        }
        return;
    }
    if one.instruction.is_empty() {
        return;
    }
    let note = match requests.len() {
        0 | 1 => "the instruction; `--full` shows the material too".to_owned(),
        several => format!("the first of {several} instructions; `--full` shows them all"),
    };
    paper.heading("ASKED", &note);
    paper.wrapped(4, Style::Plain, &one.instruction, most(full, 8));
}

/// A request as it was put: system prompt, then messages, own words and quotes apart.
fn whole(paper: &mut Paper, request: &Prompt) {
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        paper.line(&[(Style::Name, "  system")]);
        paper.wrapped(4, Style::Plain, system, usize::MAX);
    }
    for message in &request.messages {
        paper.line(&[(Style::Name, &format!("  {}", message.role.name()))]);
        for segment in &message.segments {
            let quoted = segment.text.lines().map(|line| format!("> {line}\n"));
            match segment.material {
                true => paper.wrapped(4, Style::Faint, &quoted.collect::<String>(), usize::MAX),
                false => {
                    paper.wrapped(4, Style::Plain, segment.text.trim_matches('\n'), usize::MAX)
                }
            };
        }
    }
}

fn answered(paper: &mut Paper, one: &ToldCompaction, full: bool) {
    let several = one.answers.len() > 1;
    for (number, answer) in one.answers.iter().enumerate() {
        if !full && number == LISTED {
            let rest = format!("  … {} more answers", one.answers.len() - number);
            paper.line(&[(Style::Faint, &rest)]);
            return;
        }
        let note = match several {
            true => format!("{} of {}", number + 1, one.answers.len()),
            false => String::new(),
        };
        paper.heading("ANSWERED", &note);
        let text = if answer.is_empty() { "(nothing)" } else { answer };
        let lines = if several { ANSWER_LINES / 4 } else { ANSWER_LINES };
        paper.wrapped(4, Style::Plain, text, most(full, lines));
    }
}

fn came(paper: &mut Paper, came: &[Came], one: &ToldCompaction, full: bool) {
    if came.is_empty() {
        return;
    }
    paper.heading("CAME INTO THE CONTEXT", &entries(came.len() as u32));
    for entry in came.iter().take(most(full, LISTED)) {
        let size = format!("  {} tokens", tokens(entry.tokens.as_f64()));
        let went = match entry.generation {
            0 => "word for word".to_owned(),
            1 => "summarized once".to_owned(),
            times => format!("summarized {times} times over"),
        };
        paper.line(&[
            (Style::Plain, "  + "),
            (Style::Strong, entry.share.name()),
            (Style::Faint, &format!("{size}, {went}")),
        ]);
        let shown = match (entry.shown.is_empty(), entry.shown == entry.stands_for) {
            (true, _) => String::new(),
            (false, true) => "; its summarizer was shown them all".to_owned(),
            (false, false) => format!("; its summarizer was shown {}", entry.shown),
        };
        let stands = format!("      stands for {}{shown}", entry.stands_for);
        paper.line(&[(Style::Plain, &stands)]);
        // An answer that is the whole entry has been printed already.
        if one.answers.iter().all(|answer| !entry.text.contains(answer.trim())) {
            paper.wrapped(6, Style::Plain, &entry.text, most(full, LINES));
        }
    }
    if !full && came.len() > LISTED {
        let rest = format!("  … {} more", entries((came.len() - LISTED) as u32));
        paper.line(&[(Style::Faint, &rest)]);
    }
}

fn facts(paper: &mut Paper, story: &Story, one: &ToldCompaction, full: bool) {
    let lost = one.lost.len();
    paper.heading("FACTS", &format!("of what left: {} lived on, {lost} lost", one.lived.len()));
    let mut ordered: Vec<&LostFact> = one.lost.iter().collect();
    ordered.sort_by_key(|lost| lost.needed_at.is_empty());
    for lost in ordered.iter().take(most(full, LISTED)) {
        lost_fact(paper, story, lost);
    }
    rest(paper, lost, full);
    for fact in one.lived.iter().take(most(full, LISTED)) {
        let Some(fact) = story.facts.get(*fact as usize) else { continue };
        paper.line(&[
            (Style::Good, "  lived "),
            (Style::Name, &format!("{:<11} ", fact.kind)),
            (Style::Plain, &first_line(&fact.statement, paper.width())),
        ]);
    }
    rest(paper, one.lived.len(), full);
}

fn rest(paper: &mut Paper, all: usize, full: bool) {
    if !full && all > LISTED {
        paper.line(&[(Style::Faint, &format!("  … {} more", all - LISTED))]);
    }
}

/// A statement on one line.
fn first_line(statement: &str, width: usize) -> String {
    crate::sanitize::beginning(statement, width.saturating_sub(22))
}

fn lost_fact(paper: &mut Paper, story: &Story, lost: &LostFact) {
    let Some(fact) = story.facts.get(lost.fact as usize) else { return };
    paper.line(&[
        (Style::Bad, "  lost  "),
        (Style::Name, &format!("{:<11} ", fact.kind)),
        (Style::Plain, &first_line(&fact.statement, paper.width())),
    ]);
    let why = format!("        {}", because(&lost.class));
    let steps: Vec<String> = lost.needed_at.iter().map(u32::to_string).collect();
    match steps.as_slice() {
        [] => paper.line(&[(Style::Faint, &why), (Style::Faint, "; not needed after")]),
        [step] => {
            let missed = format!("; needed and missed at step {step}");
            paper.line(&[(Style::Faint, &why), (Style::Bad, &missed)]);
        }
        steps => {
            let missed = format!("; needed and missed at steps {}", steps.join(", "));
            paper.line(&[(Style::Faint, &why), (Style::Bad, &missed)]);
        }
    }
}

/// A cause in words.
pub(super) fn because(class: &str) -> String {
    let words = match class {
        "dropped" => "its message left and nothing stands for it",
        "covered-but-unseen" => "a summary stands for it whose writer was never shown it",
        "shown-but-omitted" => "the summarizer was shown it and left it out",
        "lost-in-re-summary" => "an earlier summary held it, this one does not",
        "inverted" => "its subject is still named, without its sense",
        _ => return class.to_owned(),
    };
    format!("{class}: {words}")
}

/// The compaction that lost a fact that was missed at a step.
pub(super) fn blamed(story: &Story, fact: u32, step: u32) -> Option<(u32, String)> {
    let losers = losers(story);
    losers.get(&(fact, step)).map(|(number, class)| (*number, because(class)))
}
