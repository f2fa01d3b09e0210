//! What the agent does about what its prompt no longer holds.

use super::*;
use crate::testkit::{Line, fact, log, message, needed};
use crate::trace::{Act, ExtraCall};
use crate::truth::FactKind;

const FILES: usize = 200;
const FILE: &str = "one two three\nfour five six\nseven eight nine\nten\n";

/// Reads so many files, then edits each: every edit is of a turn of its own.
fn reads_then_edits() -> Session {
    let mut messages = Vec::new();
    let mut push = |line: Line| messages.push(message(messages.len(), line));
    push(Line::User("Read all."));
    let args: Vec<String> =
        (0..FILES).map(|file| format!("{{\"path\": \"src/file{file}.rs\"}}")).collect();
    let ids: Vec<[String; 2]> =
        (0..FILES).map(|file| [format!("r{file}"), format!("e{file}")]).collect();
    for ([id, _], args) in ids.iter().zip(&args) {
        push(Line::Calls("", &[(id, "read_file", args)]));
        push(Line::Output(id, FILE));
    }
    for ([_, id], args) in ids.iter().zip(&args) {
        push(Line::User("Next."));
        push(Line::Calls("", &[(id, "edit_file", args)]));
        push(Line::Output(id, "done"));
    }
    Session::new(log(messages), Truth::default(), [])
}

fn closed(session: &Session, pipeline: &Pipeline, mode: Mode) -> Trace {
    run(session, pipeline, &Script::new([]), WIDE, mode)
}

fn of(trace: &Trace, act: Act) -> Vec<&ExtraCall> {
    trace.extra.iter().filter(|call| call.act == act).collect()
}

/// What a share of the files comes to, give or take three standard deviations.
fn about(share: f64) -> std::ops::RangeInclusive<usize> {
    let (n, spread) = (FILES as f64, 3.0 * (FILES as f64 * share * (1.0 - share)).sqrt());
    (n * share - spread) as usize..=(n * share + spread).ceil() as usize
}

#[test]
fn the_open_replay_adds_nothing() {
    let session = reads_then_edits();
    let trace = closed(&session, &pipeline(Vec::new()), Mode::Deployed);
    assert_eq!((trace.closed, trace.extra.len()), (None, 0));
}

#[test]
fn without_a_loss_an_agent_does_what_it_does_anyway_and_nothing_else() {
    let session = reads_then_edits();
    for mode in Mode::CLOSED {
        let trace = closed(&session, &pipeline(Vec::new()), mode);
        assert!(about(0.65).contains(&of(&trace, Act::Reread).len()), "{mode:?}");
        for call in &trace.extra {
            assert!(call.anyway && call.added == call.added_anyway, "{call:?}");
        }
        assert_eq!(trace.steps.len(), session.steps.len());
    }
}

/// 200 files are read, forgotten, and edited. By hand: 93 % are read again, in full lines of 94 % of
/// the text (three of four lines), and 65 % would have been anyway, in the first 8 of 49 bytes.
#[test]
fn files_that_are_forgotten_cost_what_the_rates_say() {
    let session = reads_then_edits();
    let forgets = pipeline(vec![stage(keep_last, BEFORE_CALL)]);
    let trace = closed(&session, &forgets, Mode::ClosedLoop);
    let reread = of(&trace, Act::Reread);
    let refused = of(&trace, Act::Refused).len();
    assert!(about(0.93 + 0.07 * 0.36).contains(&reread.len()), "{}", reread.len());
    assert!(refused <= 14, "7 % of 200 edits come without a re-read at most: {refused}");
    let anyway = reread.iter().filter(|call| call.anyway).count();
    assert!(about(0.65).contains(&anyway), "{anyway}");
    let count = |text: &str| Counter::REFERENCE.tokenizer.count(text);
    // A first line that is longer than the share is cut in its middle.
    let part = count("one two ");
    let whole = count("one two three\nfour five six\nseven eight nine\n");
    for call in reread {
        assert_eq!(call.added, call.output + whole, "{call:?}");
        let anyway = if call.anyway { call.output + part } else { Tokens::ZERO };
        assert_eq!(call.added_anyway, anyway);
    }
}

#[test]
fn the_ends_of_the_sweep_lie_around_the_estimate() {
    let session = reads_then_edits();
    let forgets = pipeline(vec![stage(keep_last, BEFORE_CALL)]);
    let added = |mode| {
        let trace = closed(&session, &forgets, mode);
        let beyond = trace.extra.iter().map(|call| call.added - call.added_anyway);
        beyond.sum::<Tokens>()
    };
    let [estimate, low, high] = Mode::CLOSED.map(added);
    assert!(low < estimate && estimate < high, "{low} {estimate} {high}");
}

#[test]
fn what_is_read_again_is_there_until_it_is_taken_again() {
    let mut messages = vec![message(0, Line::User("Go."))];
    let args = "{\"path\": \"src/a.rs\"}";
    let call = |id: &str, tool: &str| vec![(id.to_owned(), tool.to_owned())];
    let mut script = call("r", "read_file");
    script.extend(call("o", "other"));
    (0..30).for_each(|number| script.extend(call(&format!("e{number}"), "edit_file")));
    for (id, tool) in &script {
        if tool == "edit_file" {
            messages.push(message(messages.len(), Line::User("Again.")));
        }
        messages.push(message(messages.len(), Line::Calls("", &[(id, tool, args)])));
        messages.push(message(messages.len(), Line::Output(id, FILE)));
    }
    let session = Session::new(log(messages), Truth::default(), []);
    // Forgets once, after the second call.
    let once = pipeline(vec![stage(
        |view, context| when(context.turn == 2 && view.len() == 6, || only(&view.entries()[5..])),
        BEFORE_CALL,
    )]);
    let trace = closed(&session, &once, Mode::ClosedLoop);
    let whole = of(&trace, Act::Reread).into_iter().filter(|call| call.added > call.added_anyway);
    assert_eq!(whole.count(), 1, "{:?}", trace.extra);
}

#[test]
fn a_dead_end_that_is_forgotten_is_tried_again_and_then_known() {
    let mut messages = vec![
        message(0, Line::User("Go.")),
        message(1, Line::Says("`use_the_cache` does not work.")),
    ];
    for number in 0..40 {
        messages.push(message(messages.len(), Line::User("Next.")));
        let id = format!("c{number}");
        messages.push(message(messages.len(), Line::Calls("", &[(&id, "run", "{}")])));
        messages.push(message(messages.len(), Line::Output(&id, "done")));
    }
    let last = messages.len() as u32;
    let calls = (0..last).filter(|at| *at > 1 && at % 3 == 0);
    let truth = || Truth {
        facts: vec![fact(0, FactKind::DeadEnd, "use_the_cache", 1)],
        demands: calls.clone().map(|at| needed(0, at)).collect(),
        ..Truth::default()
    };
    let session = Session::new(log(messages), truth(), []);
    let kept = closed(&session, &pipeline(Vec::new()), Mode::ClosedLoopHigh);
    assert_eq!(of(&kept, Act::Retry).len(), 0);
    let forgets = pipeline(vec![stage(keep_last, BEFORE_CALL)]);
    let low = closed(&session, &forgets, Mode::ClosedLoopLow);
    assert_eq!(of(&low, Act::Retry).len(), 0, "the low end is no retry at all");
    let high = closed(&session, &forgets, Mode::ClosedLoopHigh);
    // At the high end four of five are retried, three times each.
    let retried = of(&high, Act::Retry).len();
    assert!(retried > 60 && retried.is_multiple_of(3), "{retried}");
    let seen = high.demands.iter().filter(|demand| !demand.found.is_missing()).count();
    assert_eq!(seen, 0, "each is judged before the agent tries");
}
