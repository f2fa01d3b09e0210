use super::*;
use crate::scenario::Scenario;
use crate::testkit::{self, scene};
use crate::truth::{FactKind, Needle, NeedleIndex, Reading, Said, Truth};

/// A session of one message of the user with these words, and the facts that it names.
fn session(words: &[&str], facts: Vec<Fact>) -> Session {
    let mut log = scene("uct").log;
    log.messages[0].content = words.join(" ").into();
    let decoys = vec![testkit::fact(0, FactKind::Path, "never.rs", 0)];
    Session::new(log, Truth { facts, decoys, ..Truth::default() }, [])
}

fn path(id: u32, name: &str) -> Fact {
    let needles = vec![Needle::Code(name.to_owned())];
    Fact { mentions: vec![MsgId(0)], ..Fact::new(FactId(id), FactKind::Path, name, needles) }
}

/// A hundred files, each named once by the user.
fn many() -> (Session, Vec<String>) {
    let names: Vec<String> = (100..200).map(|number| format!("pump_{number}.rs")).collect();
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    let facts = names.iter().zip(0..).map(|(name, id)| path(id, name)).collect();
    (session(&words, facts), names)
}

fn told(session: &Session, skill: Skill, seed: u64, material: &str) -> String {
    let prompt = Prompt::of_user([("Summarize:\n", false), (material, true)], 8_000);
    Simulated::new(session, skill, Seed(seed)).answer(&prompt)
}

fn held(names: &[String], text: &str) -> usize {
    names.iter().filter(|name| text.contains(name.as_str())).count()
}

#[test]
fn the_parameters_are_read_and_a_chance_is_what_they_say() {
    let (session, _) = many();
    let simulated = Simulated::new(&session, Skill::Recorded, Seed(1));
    let one = Shown { pieces: 1, behind: 297, previous: false };
    let of = Parameters::recorded();
    let odds = of.intercepts.path + of.slopes.last * 100_f64.ln() + of.slopes.user;
    let chance = simulated.chance(&simulated.case(FactId(0), &one, MsgId(0)));
    assert!((chance - 1.0 / (1.0 + (-odds).exp())).abs() < 1e-12, "{chance}");
}

#[test]
fn more_skill_keeps_more_of_the_same_and_what_is_not_shown_is_never_told() {
    let (session, names) = many();
    let material = names[..50].join(" ");
    for seed in 1..5 {
        let of = |skill| told(&session, skill, seed, &material);
        let kept =
            [Skill::Poor, Skill::Recorded, Skill::Good].map(|skill| held(&names, &of(skill)));
        assert!(kept.is_sorted() && kept[0] < kept[2], "{kept:?}");
        assert_eq!(held(&names[50..], &of(Skill::Good)), 0);
    }
}

#[test]
fn the_same_seed_gives_the_same_text_and_luck_does_not_hang_on_the_rest_of_the_prompt() {
    let (session, names) = many();
    let last = names[99].clone();
    let some = format!("{} {last}", names[..40].join(" "));
    let more = format!("{} {last}", names[..60].join(" "));
    let (one, other) =
        (told(&session, Skill::Recorded, 7, &some), told(&session, Skill::Recorded, 7, &more));
    assert_eq!(one, told(&session, Skill::Recorded, 7, &some));
    // The youngest fact is the same. What differs is a name that was taken from another fact.
    let both = names[..40].iter().filter(|name| one.contains(*name) == other.contains(*name));
    assert!(both.count() >= 38);
    assert_ne!(one, told(&session, Skill::Recorded, 8, &some));
}

#[test]
fn what_it_writes_is_read_as_it_means_it() {
    for name in ["multi-goal-arcs", "standing-constraints"] {
        let scenario = Scenario::embedded(name).expect("it ships");
        let made = scenario.session(Seed(3)).expect("it is synthesized");
        let session = Session::new(made.log, made.truth, []);
        let truth = &session.book.truth;
        let texts = session.log.messages.iter().map(|message| &*message.content);
        let said = Said::of(texts, truth.facts.iter().map(|fact| fact.statement.clone()));
        let pieces: Vec<(&str, bool)> =
            session.log.messages.iter().map(|message| (&*message.content, true)).collect();
        let prompt = Prompt::of_user(pieces, 8_000);
        let simulated = Simulated::new(&session, Skill::Good, Seed(1));
        let material: Vec<Piece> = prompt.material().map(|piece| (piece, false)).collect();
        let shown = simulated.shown(&material);
        let now = MsgId(session.log.messages.len() as u32);
        let now = shown.keys().map(|fact| truth.facts[fact.index()].born).max().unwrap_or(now);
        let kept = simulated.kept(&shown, now, 0);
        let sound = kept.iter().filter(|one| !one.altered && !one.unpolar && !one.merged);
        let sound: Vec<FactId> = sound.map(|one| one.fact.id).collect();
        let found = NeedleIndex::new(&truth.facts).search_written(
            &simulated.answer(&prompt),
            &said,
            &Said::default(),
        );
        let read: Vec<FactId> =
            found.iter().filter(|held| held.present()).map(|held| held.fact).collect();
        let heard = sound.iter().filter(|fact| read.contains(fact)).count();
        assert!(
            sound.len() > 40 && heard * 100 >= sound.len() * 93,
            "{name}: {heard} of {}",
            sound.len()
        );
    }
}

#[test]
fn a_summary_is_about_as_long_as_recorded_ones_and_within_its_limit() {
    let (session, names) = many();
    let lines = (0..3_000).map(|line| format!("The pump turns and line {line} runs on.\n"));
    let material = names.join(" ") + "\n" + &lines.collect::<String>();
    let text = told(&session, Skill::Recorded, 1, &material);
    assert!((3_000..24_000).contains(&text.len()), "{}", text.len());
    let prompt = Prompt::of_user([(material.as_str(), true)], 200);
    let short = Simulated::new(&session, Skill::Recorded, Seed(1)).answer(&prompt);
    assert!(crate::token::Tokenizer::O200k.count(&short).0 <= 200);
}

#[test]
fn a_replaced_value_is_told_only_by_mistake() {
    let mut facts = vec![path(0, "old_valve.rs"), path(1, "new_valve.rs")];
    facts[0].superseded_by = Some(FactId(1));
    let session = session(&["old_valve.rs new_valve.rs"], facts);
    let stale = |skill| {
        let of = |seed| told(&session, skill, seed, "old_valve.rs and new_valve.rs");
        (0..200).filter(|seed| of(*seed).contains("old_valve.rs")).count()
    };
    // A tenth at recorded skill is 1.5 % two units above.
    let (recorded, good) = (stale(Skill::Recorded), stale(Skill::Good));
    assert!((8..35).contains(&recorded) && good < 12, "{recorded} {good}");
}

#[test]
fn what_goes_wrong_with_a_fact_is_one_thing_and_stands_at_its_word() {
    let fact = |id, statement: &str, names: &[&str]| {
        let needles = names.iter().map(|name| Needle::Code((*name).to_owned())).collect();
        let words = ["never", "not", "no"].map(|word| Needle::Prose(word.to_owned()));
        let fact = Fact::new(FactId(id), FactKind::Constraint, statement, needles);
        Fact { polarity: words.to_vec(), ..fact }
    };
    let facts = vec![
        fact(0, "Never annotate /notes.rs", &["/notes.rs"]),
        fact(1, "Do not touch /etc/tides.rs", &["/etc/tides.rs"]),
    ];
    let index = NeedleIndex::new(&facts);
    let written = |altered, unpolar, merged| {
        let kept = facts.iter().map(|fact| {
            let first = fact.id == FactId(0);
            let (altered, unpolar, merged) = (altered && first, unpolar && first, merged && first);
            Kept { fact, altered, unpolar, merged }
        });
        let kept = kept.collect();
        Page { kept, invented: Vec::new(), rest: &mut std::iter::empty(), length: 0 }.write()
    };
    let reading = |text: &str| {
        let found = index.search(text).into_iter().find(|held| held.fact == FactId(0));
        found.and_then(|held| held.reading)
    };
    let sound = written(false, false, false);
    assert!(sound.contains("- Never annotate /notes.rs\n"), "{sound}");
    let unpolar = written(false, true, false);
    assert!(unpolar.contains("-  annotate /notes.rs\n"), "{unpolar}");
    let alone = unpolar.lines().find(|line| line.contains("notes.rs")).expect("it is told");
    assert_eq!(reading(alone), Some(Reading::Inverted));
    assert!(written(false, false, true).contains("- Never annotate /etc/tides.rs\n"));
    let altered = written(true, false, false);
    assert!(altered.contains("- Never annotate /nots.rs\n"), "{altered}");
    assert_eq!(reading(&altered), None);
}

#[test]
fn cases_are_what_a_chance_rests_on_and_leave_out_what_is_replaced() {
    let mut facts = vec![path(0, "old_valve.rs"), path(1, "new_valve.rs"), path(2, "tide.rs")];
    facts[0].superseded_by = Some(FactId(1));
    let session = session(&["old_valve.rs new_valve.rs tide.rs"], facts);
    let simulated = Simulated::new(&session, Skill::Recorded, Seed(1));
    let pieces = [("tide.rs", true), ("old_valve.rs, new_valve.rs", false)];
    let cases = simulated.cases(&pieces, MsgId(3));
    let facts: Vec<FactId> = cases.iter().map(|case| case.fact).collect();
    assert_eq!(facts, [FactId(1), FactId(2)]);
    let behind = (26.0 / BYTES_A_TOKEN + 1.0).ln();
    assert_eq!(cases[1].features, [0.0, behind, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn parameters_are_the_same_from_their_weights_and_from_their_file() {
    let recorded = Parameters::recorded();
    assert_eq!(&recorded.with(&recorded.weights()), recorded);
    let text = recorded.written("One line.\nAnother.").expect("it is written");
    assert!(text.starts_with("# One line.\n# Another.\n\n[intercepts]\n"), "{text}");
    assert_eq!(&Parameters::parse("own.toml", &text).expect("it is read"), recorded);
}
