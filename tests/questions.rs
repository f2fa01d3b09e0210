//! Questions, end to end: through the binary, and with readers of the test's own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::harness::{proctor, work};
use proctor::answer::Memo;
use proctor::drive::{Cell, drive_observed};
use proctor::ident::{FactId, Seed};
use proctor::matrix::Suite;
use proctor::price::PriceSheet;
use proctor::question::{
    Collector, Condition, Draw, Examined, Key, Kind, Need, QuestionRow, Quoting, Reader, Sheet,
    draw, examine, load,
};
use proctor::run::{Plan, Prepared, limits, prepare};
use proctor::scenario::Scenario;
use proctor::strategy::shipped;
use proctor::summarize::{Answer, Ask, AskError, FailureClass, Limits, Prompt, Reply, Stopped};
use proctor::trace::Trace;
use proctor::unit::Tokens;

fn rows(run: &Path) -> Vec<QuestionRow> {
    load(run).expect("it can be read").expect("it is there").1
}

/// Share of right answers under a condition; for decoys, of those declined.
fn right(rows: &[QuestionRow], condition: Condition) -> f64 {
    let marks: Vec<f64> = rows
        .iter()
        .filter(|row| row.condition == condition)
        .filter_map(|row| row.strict.map(f64::from))
        .collect();
    assert!(marks.len() > 10, "{condition:?}: {} answers", marks.len());
    marks.iter().sum::<f64>() / marks.len() as f64
}

#[test]
fn a_smoke_run_is_asked_and_its_report_says_so() {
    let work = work();
    let run = work.path().join("smoke");
    proctor(&["run", "smoke", "--out"]).arg(&run).run().succeeds();
    let asked = proctor(&["question"]).arg(&run).run();
    asked.succeeds();
    for words in ["forge-adr", "compliance", "no language model", "kappa", "questions.csv"] {
        assert!(asked.stdout.contains(words), "no `{words}` in {}", asked.stdout);
    }
    assert!(!asked.stderr.contains("did not repeat"), "{}", asked.stderr);
    let all = rows(&run);
    every_cell_of_a_session_faces_the_same(&all);
    the_controls_hold(&all);
    asking_again_gives_the_same_bytes(&run);
    the_report_shows_them(&run);
    redaction_leaves_no_words(&run, &all);
    what_cannot_be_asked_is_named(&run);
    a_model_is_asked_recorded_and_replayed(&run);
}

fn every_cell_of_a_session_faces_the_same(rows: &[QuestionRow]) {
    let mut cells: BTreeMap<&str, BTreeSet<(&str, u32, &str)>> = BTreeMap::new();
    for row in rows {
        cells.entry(&row.cell).or_default().insert((&row.fact, row.step, &row.question));
    }
    assert_eq!(cells.len(), 8, "four pipelines, two seeds: {:?}", cells.keys());
    for (cell, questions) in &cells {
        let seed = cell.rsplit('/').next();
        let others = cells.iter().filter(|(other, _)| other.rsplit('/').next() == seed);
        assert!(others.map(|(_, own)| own).all(|own| own == questions), "{cell}");
        assert!(questions.len() >= 15, "{cell}: {}", questions.len());
    }
    let kinds: BTreeSet<Kind> = rows.iter().map(|row| row.kind).collect();
    assert_eq!(kinds.len(), Kind::ALL.len());
}

fn the_controls_hold(rows: &[QuestionRow]) {
    let [view, full, none, restated, declined] =
        Condition::ALL.map(|condition| right(rows, condition));
    assert!(none == 0.0, "{none} right from nothing");
    // Shadows are told in the same words: the quoting reader takes one for the other now and then.
    assert!(restated > 0.75, "{restated} right with the statement in view");
    assert!(restated >= full && full > view, "{restated} {full} {view}");
    assert!(full > 0.4, "{full}");
    assert!(declined > 0.6, "{declined} of the decoys declined");
    // What the words do not hold cannot be quoted.
    let gone =
        rows.iter().filter(|row| row.condition == Condition::View && row.present == "absent");
    let things = gone.filter(|row| row.kind != Kind::Compliance);
    assert!(things.clone().count() > 5);
    assert!(things.into_iter().all(|row| row.strict == Some(0)));
}

fn asking_again_gives_the_same_bytes(run: &Path) {
    let read = |name: &str| fs::read(run.join(name)).expect("it is there");
    let before = (read("questions.csv"), read("questions.json"));
    proctor(&["question"]).arg(run).run().succeeds();
    assert!(before == (read("questions.csv"), read("questions.json")));
}

fn the_report_shows_them(run: &Path) {
    proctor(&["report"]).arg(run).run().succeeds();
    let page = fs::read_to_string(run.join("report.md")).expect("it is there");
    let html = fs::read_to_string(run.join("report.html")).expect("it is there");
    for page in [page, html] {
        assert!(page.contains("What a reader knows from the view"));
        assert!(page.contains("which is no language model"));
    }
}

fn redaction_leaves_no_words(run: &Path, plain: &[QuestionRow]) {
    proctor(&["question", "--redact", "--cells", "forge-adr"]).arg(run).run().succeeds();
    let hidden = rows(run);
    assert!(!hidden.is_empty() && hidden.len() < plain.len());
    let digests = |row: &QuestionRow| row.answer.is_empty() || row.answer.starts_with("text:");
    assert!(hidden.iter().all(digests));
    for row in &hidden {
        let same = plain.iter().find(|one| {
            (&one.cell, &one.question, one.condition) == (&row.cell, &row.question, row.condition)
        });
        assert_eq!(same.map(|one| (one.strict, &one.failure)), Some((row.strict, &row.failure)));
    }
}

fn what_cannot_be_asked_is_named(run: &Path) {
    let none = proctor(&["question", "--cells", "no-such-cell"]).arg(run).run();
    none.fails_with(2, "unknown cell of the run `no-such-cell`");
    assert!(none.stderr.contains("--all"), "{}", none.stderr);
    let judged = proctor(&["question", "--judge"]).arg(run).run();
    judged.fails_with(3, "no language model and judges nothing");
    proctor(&["question", "no/such/run"]).run().fails_with(1, "manifest.json");
}

/// A model on this machine that always declines. Gives its address and counts requests.
fn declining_model() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let count: Arc<AtomicUsize> = Arc::default();
    let counted = Arc::clone(&count);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let counted = Arc::clone(&counted);
            std::thread::spawn(move || answer(stream, &counted));
        }
    });
    (url, count)
}

fn answer(mut stream: TcpStream, count: &AtomicUsize) {
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a whole request");
    assert!(String::from_utf8_lossy(&body).contains("The question:"));
    count.fetch_add(1, Ordering::SeqCst);
    let said = serde_json::json!({
        "choices": [{
            "message": { "role": "assistant", "content": "Not stated." },
            "finish_reason": "stop",
        }],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 3 },
    })
    .to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
    let whole = format!("{head}content-length: {}\r\n\r\n{said}", said.len());
    stream.write_all(whole.as_bytes()).expect("the peer listens");
}

fn a_model_is_asked_recorded_and_replayed(run: &Path) {
    let (url, count) = declining_model();
    let cassette = run.join("questions-cassette.jsonl");
    let ask = |more: &[&str]| {
        let few = ["--cells", "forge-adr/1", "--per-cell", "4", "--model-window", "16000"];
        proctor(&["question", "--reader", "http", "--model", "m"])
            .args(&few)
            .args(more)
            .arg(run)
            .run()
    };
    let before = fs::read(run.join("questions.csv")).expect("it is there");
    let stopped = ask(&["--base-url", &url, "--max-calls", "2"]);
    stopped.fails_with(7, "no recorded call is made twice");
    assert_eq!(count.load(Ordering::SeqCst), 2);
    assert!(before == fs::read(run.join("questions.csv")).expect("it is there"));
    let asked = ask(&["--base-url", &url]);
    asked.succeeds();
    assert!(asked.stdout.contains("reader `http: m`"), "{}", asked.stdout);
    let calls = count.load(Ordering::SeqCst);
    let answers = rows(run);
    assert_eq!(answers.len(), 4 * 4 + 2);
    for row in &answers {
        match row.condition {
            Condition::Decoy => assert_eq!(row.strict, Some(1), "{row:?}"),
            // The log up to the step is longer than the model's window.
            Condition::Full => assert!(row.failure == "overflow" && row.is_unanswered(), "{row:?}"),
            _ => assert!(row.strict == Some(0) && row.failure == "declined", "{row:?}"),
        }
    }
    let table = fs::read(run.join("questions.csv")).expect("it is there");
    let replay = cassette.to_str().expect("a name in UTF-8");
    ask(&["--replay", replay]).succeeds();
    assert!(table == fs::read(run.join("questions.csv")).expect("it is there"));
    assert_eq!(count.load(Ordering::SeqCst), calls, "a replay asks nobody");
    let other = ask(&["--replay", replay, "--seed", "9"]);
    other.fails_with(7, "holds no answer");
    let useless = proctor(&["question", "--model", "m"]).arg(run).run();
    useless.fails_with(3, "the quoting reader asks no model");
    ask(&[]).fails_with(3, "base-url");
}

/// A session of the smoke scenario under one pipeline, driven.
struct Driven {
    prepared: Prepared,
    sheet: Sheet,
    views: Collector,
    trace: Trace,
    key: Key,
}

fn driven(pipeline: &str, how: Draw) -> Driven {
    let suite = Suite::embedded("smoke").expect("it ships").expect("it parses");
    let scenario = Scenario::embedded("smoke").expect("it ships");
    let mut plan = Plan::new(shipped(), suite, vec![scenario], String::new()).expect("they ship");
    plan.configurations.retain(|one| one.pipeline.name == pipeline && one.variant == "windowed");
    let prepared = prepare(&plan, &plan.scenarios[0], 1).expect("it is made ready");
    let session = &prepared.session;
    let needs: Vec<Need> = session
        .book
        .truth
        .demands
        .iter()
        .zip(0..)
        .map(|(demand, number)| Need {
            demand: number,
            fact: FactId(demand.fact.0),
            step: session.book.step_of(demand.at) as u32,
            windows: 1.0,
            compacted: false,
        })
        .collect();
    let sheet = draw(session, ("smoke", 1), &needs, &[], how);
    let (memo, prices) = (Memo::default(), PriceSheet::embedded());
    let ask = plan.suite.summarizer.build(session, Seed(1), &plan.suite.fitted);
    let configuration = &plan.configurations[0];
    let cell = Cell {
        session,
        pipeline: &configuration.pipeline,
        limits: limits(&plan.scenarios[0], configuration),
        mode: plan.suite.modes[0],
        ask: &*ask,
        memo: &memo,
        sheet: &prices,
        exchanges: None,
        replicate: 0,
        probes: false,
    };
    let mut views = Collector::new(&sheet);
    let trace = drive_observed(cell, &mut views).expect("its summarizer never stops");
    let key = Key::new(&session.book.truth.facts);
    Driven { prepared, sheet, views, trace, key }
}

impl Driven {
    fn examined(&self, reader: &mut Reader) -> Vec<QuestionRow> {
        let of = Examined {
            cell: "c",
            session: &self.prepared.session,
            sheet: &self.sheet,
            views: &self.views,
            trace: &self.trace,
            key: &self.key,
        };
        examine(&of, reader).expect("its reader never stops")
    }
}

/// Answers by rule, and keeps what it was asked.
struct Scripted<Rule> {
    window: Tokens,
    rule: Rule,
    heard: Mutex<Vec<Prompt>>,
}

impl<Rule: Fn(&Prompt) -> Reply + Sync> Scripted<Rule> {
    fn new(window: Tokens, rule: Rule) -> Scripted<Rule> {
        Scripted { window, rule, heard: Mutex::default() }
    }
}

impl<Rule: Fn(&Prompt) -> Reply + Sync> Ask for Scripted<Rule> {
    fn limits(&self) -> Limits {
        Limits { window: Some(self.window), max_output: Tokens(500) }
    }
    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        self.heard.lock().expect("no thread failed").extend(batch.iter().cloned());
        Ok(batch.iter().map(&self.rule).collect())
    }
}

const HOW: Draw = Draw { per_cell: 12, seed: 1, windows: 1.0 };

#[test]
fn questions_do_not_depend_on_the_pipeline_and_change_with_the_seed() {
    let ids = |driven: &Driven| {
        driven.sheet.items.iter().map(|item| item.id.clone()).collect::<BTreeSet<String>>()
    };
    let [one, other] = ["forge-adr", "truncate"].map(|pipeline| driven(pipeline, HOW));
    assert_eq!(ids(&one), ids(&other));
    assert_ne!(ids(&one), ids(&driven("forge-adr", Draw { seed: 2, ..HOW })));
    assert_eq!((one.sheet.counts.drawn, one.sheet.counts.decoys), (12, 4));
}

#[test]
fn a_reader_sees_its_prompt_and_the_same_prompt_once() {
    let driven = driven("forge-adr", HOW);
    let scripted =
        Scripted::new(Tokens::UNBOUNDED, |_: &Prompt| Ok(Answer::complete("not stated")));
    let mut reader = Reader::new(&scripted, false);
    let rows = driven.examined(&mut reader);
    let again = driven.examined(&mut reader);
    assert_eq!(rows, again);
    let heard = scripted.heard.lock().expect("no thread failed");
    assert_eq!(heard.len(), reader.calls);
    let prints: BTreeSet<u128> = heard.iter().map(Prompt::fingerprint).collect();
    assert_eq!(prints.len(), heard.len());
    for prompt in heard.iter() {
        assert_eq!(prompt.messages.len(), 1);
        assert!(prompt.messages[0].text().contains("The question:\n"));
    }
    let counted = rows.iter().filter(|row| row.condition != Condition::Decoy);
    assert!(counted.clone().all(|row| row.strict == Some(0) && row.failure == "declined"));
    let decoys = rows.iter().filter(|row| row.condition == Condition::Decoy);
    assert!(decoys.clone().count() == 4 && decoys.clone().all(|row| row.strict == Some(1)));
}

/// A reader that has the answer in its context and one that always says the same.
#[test]
fn an_answer_that_is_always_the_same_does_not_win() {
    let driven = driven("forge-adr", Draw { per_cell: 60, ..HOW });
    for word in ["yes", "no"] {
        let scripted = Scripted::new(Tokens::UNBOUNDED, |_: &Prompt| Ok(Answer::complete(word)));
        let rows = driven.examined(&mut Reader::new(&scripted, false));
        let rules: Vec<&QuestionRow> = rows
            .iter()
            .filter(|row| row.condition == Condition::View && row.kind == Kind::Compliance)
            .collect();
        let right = rules.iter().filter(|row| row.strict == Some(1)).count() as f64;
        let share = right / rules.len() as f64;
        assert!(rules.len() > 12 && (0.25..=0.75).contains(&share), "{word}: {share}");
    }
}

#[test]
fn failed_calls_and_too_long_prompts_are_rows() {
    let driven = driven("forge-adr", HOW);
    let failing = Scripted::new(Tokens::UNBOUNDED, |_: &Prompt| {
        Err(AskError { class: FailureClass::TimeOut, message: "late".into() })
    });
    let rows = driven.examined(&mut Reader::new(&failing, false));
    assert!(rows.iter().all(|row| row.failure == "time-out" && row.strict.is_none()));
    assert_eq!(rows.len(), 12 * 4 + 4);
    let small = Scripted::new(Tokens(600), |_: &Prompt| Ok(Answer::complete("yes")));
    let rows = driven.examined(&mut Reader::new(&small, false));
    for row in &rows {
        let fits = row.condition == Condition::None;
        assert_eq!(row.failure == "overflow", !fits, "{row:?}");
        assert_eq!(row.is_unanswered(), !fits);
    }
}

#[test]
fn a_judge_is_asked_of_answers_and_changes_no_grade() {
    let driven = driven("forge-adr", HOW);
    // Quotes as a reader; as a judge it says yes to what is not declined.
    let rule = |prompt: &Prompt| {
        let text = prompt.messages[0].text();
        match text.split_once("\nAnswer: ") {
            Some((_, answer)) if answer.starts_with("not stated") => Ok(Answer::complete("No.")),
            Some(_) => Ok(Answer::complete("Yes")),
            None => Quoting.ask(std::slice::from_ref(prompt)).expect("it never stops").remove(0),
        }
    };
    let scripted = Scripted::new(Tokens::UNBOUNDED, rule);
    let judged = driven.examined(&mut Reader::new(&scripted, true));
    let plain = driven.examined(&mut Reader::new(&scripted, false));
    let without = |row: &QuestionRow| QuestionRow { judge: None, ..row.clone() };
    assert_eq!(judged.iter().map(without).collect::<Vec<_>>(), plain);
    for row in &judged {
        assert_eq!(row.judge, Some(u8::from(row.answer != "not stated")), "{row:?}");
    }
}
