//! What programs answer is carried out, recorded, and repeated without them.

use std::fs;
use std::path::Path;

use proctor_core::drive::{Cell, Limits, Session, drive};
use proctor_core::pipeline::Pipeline;
use proctor_core::strategy::{Exchanges, Registry};
use proctor_core::testkit::{Script, says, scene, with_cell};
use proctor_core::trace::{EndedBy, Trace};
use proctor_core::truth::Truth;
use proctor_core::unit::Tokens;
use proctor_external::External;
use proctor_external::record::Record;

const PRELUDE: &str = include_str!("misbehaving/prelude.py");

fn pipeline(directory: &Path, name: &str, body: &str) -> Pipeline {
    fs::write(directory.join(format!("{name}.py")), format!("{PRELUDE}\n{body}\n"))
        .expect("a file");
    let text = format!(
        "name = '{name}'\nabout = ''\nsource = ''\nfidelity = 'baseline'\n[[stage]]\n\
         on.before-call = 'always'\nstrategy.external = {{ command = ['python3', '{name}.py'] }}\n"
    );
    let mut registry = Registry::default();
    registry.add::<External>(External::NAME, "", External::PARAMETERS);
    let file = directory.join("p.toml").display().to_string();
    Pipeline::parse(&registry, &file, &text).unwrap_or_else(|error| panic!("{error}"))
}

fn driven(pipeline: &Pipeline, record: &dyn Exchanges, shape: &str) -> Trace {
    let session = Session::new(scene(shape).log, Truth::default(), []);
    let limits = Limits::new(Tokens(8_000), Tokens(500));
    let mut script = Script::new([says("What was done so far, in short.")]);
    script.memoizes = true;
    with_cell(&session, pipeline, limits, &script, |cell| {
        drive(Cell { exchanges: Some(record), probes: true, ..cell })
    })
}

const SUMMARIZING: &str = "
hello(); ready()
while True:
    question = hear()
    if question['type'] == 'reset':
        say({'type': 'ready'})
        continue
    if question['type'] != 'evaluate': break
    seen = (question['memory'] or 0) + 1
    view = question['view']
    if len(view) < 8:
        say({'type': 'decline', 'memory': seen})
        continue
    answer = complete('\\n'.join(one['content'] for one in view[:4]))
    say({'type': 'messages', 'memory': seen, 'messages':
         [{'role': 'user', 'content': f'{seen} questions. ' + answer['text']}] + view[4:]})
";

#[test]
fn a_run_repeats_from_the_record_without_the_program() {
    let directory = tempfile::tempdir().expect("a directory");
    let pipeline = pipeline(directory.path(), "own", SUMMARIZING);
    let record = Record::in_memory();
    let shape = "uctuctuctuctuct";
    let first = driven(&pipeline, &record, shape);
    assert_eq!(first.ended_by, EndedBy::Completed);
    assert!(first.compactions.iter().any(|one| !one.attempts.is_empty()));
    let file = directory.path().join("kept.jsonl");
    fs::write(&file, record.lines()).expect("a file");
    fs::remove_file(directory.path().join("own.py")).expect("it is there");
    let replayed = Record::replay([file.as_path()]).expect("it reads");
    assert_eq!(driven(&pipeline, &replayed, shape).digest(), first.digest());
    assert_eq!(replayed.lines(), record.lines());
}

/// Only what the driver gave back counts the questions, so a probe's copy of the session does not.
#[test]
fn memory_goes_with_the_session_and_not_with_the_process() {
    let directory = tempfile::tempdir().expect("a directory");
    let pipeline = pipeline(directory.path(), "own", SUMMARIZING);
    let trace = driven(&pipeline, &Record::in_memory(), "uctuctuctuctuct");
    assert!(!trace.checkpoints.is_empty(), "the floor was probed");
    let steps: Vec<u32> = trace.compactions.iter().map(|one| one.step).collect();
    // Two messages a step at first; each compaction after that takes three.
    assert!(steps.is_sorted() && steps.len() > 1, "{steps:?}");
}

#[test]
fn a_program_that_changes_its_mind_is_told_of() {
    let directory = tempfile::tempdir().expect("a directory");
    let body = "
import random
hello(); ready()
while True:
    question = hear()
    if question['type'] == 'reset': say({'type': 'ready'})
    elif question['type'] != 'evaluate': break
    else: say({'type': 'decline', 'reason': str(random.random())})
";
    let record = Record::in_memory();
    driven(&pipeline(directory.path(), "own", body), &record, &"uct".repeat(40));
    let complaints = record.complaints();
    let differs = complaints.values().find_map(|one| one.differs.clone()).expect("it is told");
    assert!(differs.starts_with("`decision.decline` is \"0."), "{differs}");
}

/// Tells the view in its reason, whole or kept together from what was sent.
fn telling(keeps: bool) -> String {
    let keeps = if keeps { "True" } else { "False" };
    format!(
        "
hear()
say({{'type': 'hello', 'protocol': 1, 'name': 'x', 'version': '1', 'level': 'list', 'keeps-view': {keeps}}})
view = []
while True:
    question = hear()
    if question['type'] == 'reset':
        view = []
        say({{'type': 'ready'}})
        continue
    if question['type'] != 'evaluate': break
    view = view[:question['keep']] + question['view']
    if len(view) > 9:
        say({{'type': 'messages', 'messages': view[:1] + view[4:]}})
    else:
        say({{'type': 'decline', 'reason': ' '.join(one['id'] + one['content'] for one in view)}})
"
    )
}

#[test]
fn a_program_that_keeps_the_view_is_sent_only_what_changes() {
    let directory = tempfile::tempdir().expect("a directory");
    let shape = "uctuctuctuctuctuct";
    let told = [true, false].map(|keeps| {
        let pipeline = pipeline(directory.path(), "own", &telling(keeps));
        let record = Record::in_memory();
        driven(&pipeline, &record, shape);
        // The keys differ with the program's code.
        let lines = record.lines();
        let exchanges = lines.lines().map(|line| line.split_once("\"exchange\":").expect("one").1);
        let mut exchanges: Vec<String> = exchanges.map(str::to_owned).collect();
        exchanges.sort();
        exchanges
    });
    assert_eq!(told[0], told[1]);
}

#[test]
fn ranges_in_characters_and_quotes_reach_the_view() {
    let directory = tempfile::tempdir().expect("a directory");
    let body = "
hear()
say({'type': 'hello', 'protocol': 1, 'name': 'x', 'version': '1', 'level': 'plan', 'ranges': 'characters'})
hear(); say({'type': 'ready'})
while True:
    question = hear()
    if question['type'] != 'evaluate': break
    last = question['view'][-1]['id']
    quote = {'quote': {'of': {'entry': 0}, 'bytes': [1, 2]}}
    say(plan([{'new': {'role': 'user', 'kind': 'notice', 'covers': 'rest', 'pieces': [{'literal': '«'}, quote]}},
              {'keep': last}]) if len(question['view']) == 1 + last else {'type': 'decline'})
";
    let record = Record::in_memory();
    let trace = driven(&pipeline(directory.path(), "own", body), &record, "uct");
    assert_eq!(trace.ended_by, EndedBy::Completed);
    assert!(record.lines().contains("\"bytes\":[1,2]"), "{}", record.lines());
}

#[cfg(feature = "serve")]
#[test]
fn a_program_asks_the_model_with_a_client_of_its_own_and_is_billed() {
    let directory = tempfile::tempdir().expect("a directory");
    let body = "
import urllib.error, urllib.request
def ask(text, key=os.environ['OPENAI_API_KEY']):
    body = json.dumps({'model': 'any', 'messages': [{'role': 'user', 'content': text}]}).encode()
    headers = {'authorization': 'Bearer ' + key, 'content-type': 'application/json'}
    request = urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions', body, headers)
    try:
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)['choices'][0]['message']['content']
    except urllib.error.HTTPError as error:
        return error.code
early = ask('now')
hello()
while True:
    question = hear()
    if question['type'] == 'reset': say({'type': 'ready'})
    elif question['type'] != 'evaluate': break
    elif len(question['view']) < 8: say({'type': 'decline', 'reason': f\"{early} {ask('x', 'wrong')}\"})
    else:
        text = ask('\\n'.join(one['content'] for one in question['view'][:4]))
        say({'type': 'messages', 'messages': [{'role': 'user', 'content': text}] + question['view'][4:]})
";
    let record = Record::in_memory();
    let trace = driven(&pipeline(directory.path(), "own", body), &record, "uctuctuctuct");
    assert_eq!(trace.ended_by, EndedBy::Completed);
    let billed = trace.compactions.iter().flat_map(|one| &one.attempts).filter(|one| one.billed);
    assert!(billed.count() > 0);
    let lines = record.lines();
    assert!(lines.contains("\"decline\":\"429 401\""), "{lines}");
    assert!(lines.contains("\"first-of\":[1000000]"), "{lines}");
}
