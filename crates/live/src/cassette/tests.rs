use std::fs;

use proptest::prelude::*;

use super::*;

fn request(words: &str) -> CanonicalRequest {
    CanonicalRequest {
        model: "small".to_owned(),
        messages: vec![CanonicalMessage { role: Role::User, text: words.to_owned() }],
        max_tokens: 100,
        temperature: 0.0,
        seed: 1,
        replicate: 0,
    }
}

fn key(words: &str) -> RequestKey {
    request(words).key()
}

fn answered(words: &str, text: &str) -> Recorded {
    Recorded {
        key: key(words),
        model: "small".to_owned(),
        date: "2026-02-03".to_owned(),
        outcome: Outcome::Answer { text: text.to_owned(), finish: Finish::Stop },
        usage: Some(Usage { prompt: 10, completion: 2, cached: None }),
        latency_ms: 200,
        tries: 1,
    }
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("calls.jsonl");
    (dir, path)
}

/// Any call, its texts of any characters.
fn call() -> impl Strategy<Value = Recorded> {
    let class = prop_oneof![
        Just(FailureClass::Overflow),
        Just(FailureClass::Error),
        Just(FailureClass::TimeOut),
        Just(FailureClass::Refusal),
    ];
    let finish = prop_oneof![Just(Finish::Stop), Just(Finish::Length), Just(Finish::ToolCall)];
    let outcome = prop_oneof![
        (any::<String>(), finish).prop_map(|(text, finish)| Outcome::Answer { text, finish }),
        (class, any::<String>()).prop_map(|(class, message)| Outcome::Failure { class, message }),
    ];
    let usage = (any::<u64>(), any::<u64>(), any::<Option<u64>>());
    let usage = usage.prop_map(|(prompt, completion, cached)| Usage { prompt, completion, cached });
    let rest = (any::<String>(), 1u8..=28, proptest::option::of(usage), any::<u64>(), any::<u32>());
    (0u8..12, outcome, rest).prop_map(
        |(number, outcome, (model, day, usage, latency_ms, tries))| {
            let (key, date) = (key(&number.to_string()), format!("2026-02-{day:02}"));
            Recorded { key, model, date, outcome, usage, latency_ms, tries }
        },
    )
}

fn contents(calls: &[Recorded]) -> Contents {
    let entries = calls.iter().map(|call| (call.key, call.clone())).collect();
    Contents { entries, ..Contents::default() }
}

/// Joined without conflicts, or the refusal without the names of the files.
fn joined(parts: &[&Contents]) -> Option<BTreeMap<RequestKey, Recorded>> {
    let named = |(place, part): (usize, &&Contents)| (place.to_string(), (*part).clone());
    merge(&parts.iter().enumerate().map(named).collect::<Vec<_>>(), Conflicts::Refuse).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// replay(record(calls)) = the last outcome of each key, and so is record(record(calls)).
    #[test]
    fn what_is_recorded_is_replayed(calls in prop::collection::vec(call(), 0..12)) {
        let (_dir, path) = place();
        let cassette = Cassette::record(&path).expect("it opens");
        let mut expected: BTreeMap<RequestKey, Recorded> = BTreeMap::new();
        for recorded in calls {
            cassette.put(recorded.clone()).expect("it is written");
            if expected.get(&recorded.key).is_none_or(|old| old.outcome != recorded.outcome) {
                expected.insert(recorded.key, recorded);
            }
        }
        prop_assert_eq!(cassette.len(), expected.len());
        drop(cassette);
        for open in [Cassette::replay, Cassette::record] {
            let again = open(&path).expect("it opens");
            prop_assert_eq!(again.len(), expected.len());
            for (key, recorded) in &expected {
                prop_assert_eq!(&again.get(key), &Some(recorded.clone()));
            }
        }
    }

    /// a + b = b + a, a + a = a, (a + b) + c = a + (b + c).
    #[test]
    fn joining_is_commutative_idempotent_and_associative(
        calls in prop::collection::vec(call(), 0..18),
    ) {
        // Outcomes of a key are made equal, so that nothing conflicts but all else differs.
        let alike = |recorded: &Recorded| {
            let outcome = Outcome::Answer { text: recorded.key.to_string(), finish: Finish::Stop };
            Recorded { outcome, ..recorded.clone() }
        };
        let calls: Vec<_> = calls.iter().map(alike).collect();
        let third = calls.len() / 3;
        let parts: Vec<Contents> =
            [&calls[..third], &calls[third..2 * third], &calls[2 * third..]].map(contents).into();
        let [a, b, c] = &parts[..] else { unreachable!("three parts") };
        let both = |a: &Contents, b: &Contents| {
            Contents { entries: joined(&[a, b]).expect("no conflict"), ..Contents::default() }
        };
        prop_assert_eq!(both(a, b), both(b, a));
        prop_assert_eq!(&both(a, a).entries, &a.entries);
        prop_assert_eq!(both(&both(a, b), c), both(a, &both(b, c)));
    }
}

#[test]
fn a_file_cut_at_any_byte_is_mended_for_recording_and_reported_for_replay() {
    let (_dir, path) = place();
    let cassette = Cassette::record(&path).expect("it opens");
    cassette.put(answered("a", "kept")).expect("it is written");
    let first = fs::read(&path).expect("it reads").len();
    cassette.put(answered("b", "näive \"quoted\"\n")).expect("it is written");
    drop(cassette);
    let whole = fs::read(&path).expect("it reads");
    let header = format::header().len();
    for end in (0..header).chain(first..whole.len()) {
        fs::write(&path, &whole[..end]).expect("it is written");
        // Without its line end alone, a call is all there.
        let complete = end == whole.len() - 1;
        let known = usize::from(end >= header) + usize::from(complete);
        match Cassette::replay(&path) {
            Ok(replayed) => {
                assert!(end == first || complete, "{end}");
                assert_eq!(replayed.len(), known);
            }
            Err(error) => {
                let line = if end < header { 1 } else { 3 };
                let text = format!("calls.jsonl:{line}: the last line is cut off");
                assert!(error.to_string().contains(&text), "{error}");
            }
        }
        let cassette = Cassette::record(&path).expect("it opens");
        assert_eq!(cassette.len(), known, "{end}");
        cassette.put(answered("c", "after")).expect("it is written");
        drop(cassette);
        let again = Cassette::replay(&path).expect("the file is whole again");
        assert_eq!(again.len(), known + 1);
        assert_eq!(again.get(&key("c")), Some(answered("c", "after")));
    }
}

#[test]
fn foreign_newer_and_broken_files_are_refused_by_name_line_and_rule() {
    let mut good = String::new();
    format::push(&mut good, &answered("a", "yes"), Path::new("here")).expect("a line");
    let head = format::header();
    let no_date = good.replace("2026-02-03", "2026-02-30");
    let extra = good.replace("\"tries\"", "\"more\":1,\"tries\"");
    let short = good.replace(&key("a").to_string(), "abc");
    let foreign = head.replace("cassette", "log");
    let newer = head.replace(":1}", ":9}");
    let table = [
        (foreign, ":1: the file is a `log`, not a `cassette`"),
        (newer, ":1: version 9 is unknown (this build reads version 1)"),
        ("hello\n".to_owned(), ":1: column 1: expected value"),
        (format!("{head}{{}}\n{good}"), ":2: column 2: missing field `key`"),
        (format!("{head}{good}{no_date}"), ":3: `2026-02-30` is no date (expected YYYY-MM-DD)"),
        (format!("{head}{extra}"), ":2: column "),
        (format!("{head}{short}"), "`abc` is no key (expected 64 digits of 0-9, a-f)"),
    ];
    for (text, rule) in table {
        let (_dir, path) = place();
        fs::write(&path, &text).expect("it is written");
        for open in [Cassette::replay, Cassette::record] {
            let error = open(&path).expect_err("it is refused").to_string();
            assert!(error.contains("calls.jsonl:") && error.contains(rule), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).expect("it reads"), text, "the file is left alone");
    }
}

#[test]
fn a_cassette_is_recorded_by_one_process_at_a_time_and_never_while_replayed_or_compressed() {
    let (dir, path) = place();
    let cassette = Cassette::record(&path).expect("it opens");
    let error = Cassette::record(&path).expect_err("it is in use").to_string();
    assert!(error.contains("another process is recording into this cassette"), "{error}");
    drop(cassette);
    let replayed = Cassette::replay(&path).expect("it opens");
    let error = replayed.put(answered("a", "no")).expect_err("it is refused").to_string();
    assert!(error.contains("open for replay"), "{error}");
    let packed = dir.path().join("calls.jsonl.gz");
    let error = Cassette::record(&packed).expect_err("it is refused").to_string();
    assert!(error.contains("can only be replayed"), "{error}");
    fs::write(&packed, b"\x1f\x8b no gzip at all").expect("it is written");
    assert!(Cassette::replay(&packed).is_err());
}

#[test]
fn threads_record_side_by_side_and_every_call_is_in_the_file() {
    let (_dir, path) = place();
    let cassette = Cassette::record(&path).expect("it opens");
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let cassette = &cassette;
            scope.spawn(move || {
                for call in 0..20 {
                    let words = format!("{thread}/{call}");
                    cassette.put(answered(&words, &words)).expect("it is written");
                    // On the disk, whole, before it may be used.
                    let file = fs::read_to_string(cassette.path()).expect("it reads");
                    assert!(file.contains(&key(&words).to_string()));
                }
            });
        }
    });
    drop(cassette);
    assert_eq!(Cassette::replay(&path).expect("it opens").len(), 160);
}

#[test]
fn conflicting_outcomes_are_refused_by_key_and_file() {
    let outcome = Outcome::Failure { class: FailureClass::TimeOut, message: "reset".to_owned() };
    let a = contents(&[answered("q", "yes"), answered("r", "same")]);
    let b = contents(&[Recorded { outcome, ..answered("q", "") }, answered("r", "same")]);
    let parts = [("a.jsonl".to_owned(), a), ("b.jsonl".to_owned(), b)];
    let error = merge(&parts, Conflicts::Refuse).expect_err("they differ").to_string();
    let expected = format!(
        "request {}: `a.jsonl` has the answer \"yes\" of 2026-02-03, `b.jsonl` has the failure \
         time-out \"reset\" of 2026-02-03; 1 of 2 calls differ",
        key("q")
    );
    assert_eq!(error, expected);
}

/// Every field decides the key, and the form is pinned: a change of it would make every
/// recorded cassette useless, silently.
#[test]
fn keys_tell_every_field_apart_and_stay_what_they_are() {
    let variants = crate::cases::<CanonicalRequest>("requests");
    let base = request("hello");
    assert_eq!(variants[0], base);
    let keys: BTreeSet<RequestKey> = variants.iter().map(CanonicalRequest::key).collect();
    assert_eq!(keys.len(), variants.len());
    assert_eq!(CanonicalRequest { temperature: -0.0, ..base.clone() }.key(), base.key());
    assert_eq!(base.key().to_string().parse(), Ok(base.key()));
    insta::assert_snapshot!(base.key(), @"8d0a8a5c2740f48f028739c0bb91849e4503f7a4251582a66cb18538892790ee");
}
