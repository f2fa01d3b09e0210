//! One cell, examined: every question under every condition.

use std::collections::BTreeMap;

use crate::drive::Session;
use crate::question::ask::{Collector, Context, Reader};
use crate::question::grade::{Grade, Key, grade, grade_decoy};
use crate::question::row::{NOT_REACHED, QuestionRow, one_line};
use crate::question::wording::Expected;
use crate::question::{Condition, Item, Sheet};
use crate::summarize::{FailureClass, Prompt, Stopped};
use crate::token::Counter;
use crate::trace::Trace;

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

/// A question under a condition, with the answer or why there is none.
struct Asked<'a> {
    item: &'a Item,
    condition: Condition,
    answer: Result<String, &'static str>,
}

/// Asks the questions and grades the answers, in the order of sheet and conditions; [`Stopped`]
/// where the reader will not answer any more.
pub fn examine(of: &Examined, reader: &mut Reader) -> Result<Vec<QuestionRow>, Stopped> {
    let mut logs: BTreeMap<u32, Context> = BTreeMap::new();
    let (mut asked, mut prompts) = (Vec::new(), Vec::new());
    for item in &of.sheet.items {
        let is_about =
            |condition: &Condition| (*condition == Condition::Decoy) == item.need.is_none();
        for condition in Condition::ALL.into_iter().filter(is_about) {
            let context = context(of, item, condition, &mut logs);
            let answer = Err(if context.is_some() { "" } else { NOT_REACHED });
            asked.push(Asked { item, condition, answer });
            prompts.push(context.and_then(|context| reader.prompt(&context, &item.question.text)));
        }
    }
    for (asked, reply) in asked.iter_mut().zip(reader.ask(&prompts)?) {
        if asked.answer != Err(NOT_REACHED) {
            asked.answer = reply.map_err(FailureClass::name);
        }
    }
    drop(prompts);
    let mut rows: Vec<QuestionRow> = asked.iter().map(|asked| row(of, asked)).collect();
    if reader.judged {
        judge(reader, &asked, &mut rows)?;
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

fn row(of: &Examined, Asked { item, condition, answer }: &Asked) -> QuestionRow {
    let grade = match answer {
        Ok(answer) => Some(grade_answer(of, item, answer)),
        // A need that a session did not come to is a need that was not met.
        Err(NOT_REACHED) if *condition == Condition::View => Some(Grade::wrong(NOT_REACHED)),
        Err(_) => None,
    };
    let failure = grade.map_or_else(|| answer.as_ref().err().copied(), |grade| Some(grade.failure));
    QuestionRow {
        cell: of.cell.to_owned(),
        fact: item.fact.clone(),
        kind: item.question.kind,
        fact_kind: item.fact_kind.name().to_owned(),
        step: item.step,
        condition: *condition,
        question: item.id.clone(),
        answer: one_line(answer.as_deref().unwrap_or_default()),
        strict: grade.map(|grade| u8::from(grade.strict)),
        lenient: grade.map(|grade| u8::from(grade.lenient)),
        judge: None,
        present: present(of.trace, item).to_owned(),
        failure: failure.unwrap_or_default().to_owned(),
    }
}

fn grade_answer(of: &Examined, item: &Item, answer: &str) -> Grade {
    let (expected, book) = (&item.question.expected, &of.session.book);
    match item.need.and_then(|need| book.truth.facts.get(need.fact.index())) {
        Some(fact) => grade(of.key, fact, expected, book.replaced_by(fact.id), answer),
        None => grade_decoy(expected, answer),
    }
}

fn present(trace: &Trace, item: &Item) -> &'static str {
    let Some(need) = item.need else { return "" };
    let record = trace.demands.iter().find(|record| record.demand == need.demand);
    record.map_or(NOT_REACHED, |record| record.found.name())
}

fn judge(reader: &mut Reader, asked: &[Asked], rows: &mut [QuestionRow]) -> Result<(), Stopped> {
    let prompt = |asked: &Asked| {
        let answer = asked.answer.as_ref().ok()?;
        Some(reader.verdict_prompt(&asked.item.question.text, &reference(asked), answer))
    };
    let prompts: Vec<Option<Prompt>> = asked.iter().map(prompt).collect();
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
