//! One cell, examined: every question under every condition.

use std::collections::BTreeMap;

use crate::drive::Session;
use crate::question::ask::{Reader, ReaderReply};
use crate::question::context::{Collector, Context};
use crate::question::grade::{Grade, Key, grade, grade_decoy};
use crate::question::row::{NOT_REACHED, QuestionRow, one_line};
use crate::question::{Condition, Expected, Item, Sheet};
use crate::summarize::{FailureClass, Prompt, Stopped};
use crate::token::Counter;
use crate::trace::{Found, Trace};
use crate::truth::Fact;

/// A cell that was driven again.
pub struct Examined<'a> {
    /// Its id.
    pub cell: &'a str,
    /// Its session.
    pub session: &'a Session,
    /// The session's questions.
    pub sheet: &'a Sheet,
    /// The views at their steps.
    pub views: &'a Collector,
    /// Its trace.
    pub trace: &'a Trace,
    /// What decides answers.
    pub key: &'a Key,
}

/// A question under a condition, as it is asked.
struct Asked<'a> {
    item: &'a Item,
    condition: Condition,
    /// Why there is no prompt.
    absent: Option<&'static str>,
}

/// Asks the questions and grades the answers, in the order of sheet and conditions.
///
/// # Errors
///
/// [`Stopped`] where the reader will not answer any more.
pub fn examine(of: &Examined, reader: &mut Reader) -> Result<Vec<QuestionRow>, Stopped> {
    let mut logs: BTreeMap<u32, Context> = BTreeMap::new();
    let (mut asked, mut prompts) = (Vec::new(), Vec::new());
    for item in &of.sheet.items {
        let is_about =
            |condition: &Condition| (*condition == Condition::Decoy) == item.need.is_none();
        for condition in Condition::ALL.into_iter().filter(is_about) {
            let context = context(of, item, condition, &mut logs);
            let text = &item.question.text;
            let prompt = context.as_ref().and_then(|context| reader.prompt(context, text));
            let absent = match (&context, &prompt) {
                (None, _) => Some(NOT_REACHED),
                (Some(_), None) => Some(FailureClass::Overflow.name()),
                (Some(_), Some(_)) => None,
            };
            asked.push(Asked { item, condition, absent });
            prompts.push(prompt);
        }
    }
    let replies = reader.ask(&prompts)?;
    drop(prompts);
    let mut rows: Vec<QuestionRow> =
        asked.iter().zip(&replies).map(|(asked, reply)| row(of, asked, reply)).collect();
    if reader.judged {
        judge(reader, &asked, &replies, &mut rows)?;
    }
    Ok(rows)
}

/// What the question is answered from; `None` where the session did not come to its step.
fn context(
    of: &Examined,
    item: &Item,
    condition: Condition,
    logs: &mut BTreeMap<u32, Context>,
) -> Option<Context> {
    let view = || of.views.at(item.step).cloned();
    match condition {
        Condition::None => Some(Context::default()),
        Condition::Full => {
            let index = item.step.saturating_sub(1) as usize;
            let log = logs.entry(item.step).or_insert_with(|| Context::of_log(of.session, index));
            Some(log.clone())
        }
        Condition::View | Condition::Decoy => view(),
        Condition::Restated => {
            let mut view = view()?;
            let tokens = Counter::REFERENCE.tokenizer.count(&item.statement);
            view.push("note", item.statement.as_str().into(), &[], tokens);
            Some(view)
        }
    }
}

fn row(of: &Examined, asked: &Asked, reply: &ReaderReply) -> QuestionRow {
    let item = asked.item;
    let grade = match (asked.absent, reply) {
        // A need that a session did not come to is a need that was not met.
        (Some(NOT_REACHED), _) if asked.condition == Condition::View => {
            Some(Grade::wrong(NOT_REACHED))
        }
        (Some(_), _) | (None, Err(_)) => None,
        (None, Ok(answer)) => Some(grade_answer(of, item, answer)),
    };
    let failure = match (grade, asked.absent, reply) {
        (Some(grade), _, _) => grade.failure,
        (None, Some(absent), _) => absent,
        (None, None, Err(class)) => class.name(),
        (None, None, Ok(_)) => "",
    };
    let answer = reply.as_deref().ok().filter(|_| asked.absent.is_none()).unwrap_or_default();
    QuestionRow {
        cell: of.cell.to_owned(),
        fact: item.fact.clone(),
        kind: item.question.kind,
        fact_kind: item.fact_kind.name().to_owned(),
        step: item.step,
        condition: asked.condition,
        question: item.id.clone(),
        answer: one_line(answer),
        strict: grade.map(|grade| u8::from(grade.strict)),
        lenient: grade.map(|grade| u8::from(grade.lenient)),
        judge: None,
        present: present(of.trace, item).to_owned(),
        failure: failure.to_owned(),
    }
}

fn grade_answer(of: &Examined, item: &Item, answer: &str) -> Grade {
    let expected = &item.question.expected;
    match fact(of, item) {
        Some(fact) => {
            let replaced = of.session.book.replaced_by(fact.id);
            grade(of.key, fact, expected, replaced, answer)
        }
        None => grade_decoy(expected, answer),
    }
}

fn fact<'a>(of: &Examined<'a>, item: &Item) -> Option<&'a Fact> {
    let need = item.need?;
    of.session.book.truth.facts.get(need.fact.index())
}

/// How the fact stood in the view, by its words.
fn present(trace: &Trace, item: &Item) -> &'static str {
    let Some(need) = item.need else { return "" };
    let record = trace.demands.iter().find(|record| record.demand == need.demand);
    match record.map(|record| record.found) {
        Some(Found::Present(_)) => "present",
        Some(Found::Inverted) => "inverted",
        Some(Found::Absent) => "absent",
        Some(Found::NotReached) | None => NOT_REACHED,
    }
}

/// Has the answers judged; the judge's word stands beside the grades.
fn judge(
    reader: &mut Reader,
    asked: &[Asked],
    replies: &[ReaderReply],
    rows: &mut [QuestionRow],
) -> Result<(), Stopped> {
    let prompts: Vec<Option<Prompt>> = asked
        .iter()
        .zip(replies)
        .map(|(asked, reply)| {
            let answer = reply.as_ref().ok().filter(|_| asked.absent.is_none())?;
            let question = &asked.item.question;
            let reference = reference(asked);
            Some(reader.verdict_prompt(&question.text, &reference, answer))
        })
        .collect();
    for (row, verdict) in rows.iter_mut().zip(reader.ask(&prompts)?) {
        let word = verdict.unwrap_or_default().to_lowercase();
        let first = word.split(|letter: char| !letter.is_alphabetic()).find(|w| !w.is_empty());
        row.judge = match first {
            Some("yes") => Some(1),
            Some("no") => Some(0),
            _ => None,
        };
    }
    Ok(())
}

/// What a judge is shown as right.
fn reference(asked: &Asked) -> String {
    let (item, statement) = (asked.item, &asked.item.statement);
    match (&item.question.expected, asked.condition) {
        (_, Condition::Decoy) => "The conversation does not state this.".to_owned(),
        (Expected::Thing(_), _) => statement.clone(),
        (Expected::Verdict(right), _) => {
            format!("{}. What was said: {statement}", if *right { "Yes" } else { "No" })
        }
    }
}
