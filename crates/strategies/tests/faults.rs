//! Summarizers that are made to fail.

use std::collections::BTreeSet;

use proctor_core::ident::Seed;
use proctor_core::summarize::fault::*;
use proctor_core::summarize::{Answer, Ask, FailureClass, Finish, Prompt, Reply};
use proctor_core::token::Tokenizer;
use proctor_core::unit::Tokens;
use proctor_strategies::summarize::simple::{Lead, Null};

const SHOWN: &str = "The port is 8471. The build fails on Windows. Use the blue theme. \
                     The user wants the tests to stay green.";

fn prompt(shown: &str) -> Prompt {
    Prompt::of_user([("Summarize:\n", false), (shown, true)], 400)
}

fn fault(name: &str) -> Fault {
    name.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn faulty(name: &str) -> Faulty {
    Faulty::new(Box::new(Lead::default()), fault(name), Seed(7))
}

fn moment(step: u32, in_step: u32, in_cell: u32) -> CallIndex {
    CallIndex { step, in_step, in_cell }
}

fn asked(faulty: &Faulty, prompt: &Prompt, place: CallIndex) -> Reply {
    faulty.ask_at(std::slice::from_ref(prompt), place).expect("no stop").remove(0)
}

fn reply(name: &str) -> Reply {
    asked(&faulty(name), &prompt(SHOWN), moment(3, 0, 0))
}

/// Which of these places a fault strikes.
fn struck(faulty: &Faulty, places: impl Iterator<Item = CallIndex>) -> Vec<CallIndex> {
    places.filter(|place| faulty.fault_at(*place).is_some()).collect()
}

fn steps(faulty: &Faulty, places: impl Iterator<Item = CallIndex>) -> Vec<u32> {
    struck(faulty, places).iter().map(|place| place.step).collect()
}

fn text(name: &str) -> String {
    reply(name).unwrap_or_else(|error| panic!("{name}: {error:?}")).text
}

#[test]
fn failures_and_spoilt_answers_are_what_their_kind_says() {
    use FailureClass::{Error, Overflow, Refusal, TimeOut};
    for class in [Error, TimeOut, Refusal, Overflow] {
        assert_eq!(reply(class.name()).map_err(|error| error.class), Err(class));
    }
    let sound = Lead::default().ask(&[prompt(SHOWN)]).expect("no stop").remove(0).unwrap();
    assert!(sound.text.contains("8471") && sound.text.contains("green"), "{}", sound.text);
    assert_eq!(reply("empty"), Ok(Answer::complete("")));
    assert_eq!(reply("tool-call"), Ok(Answer { text: String::new(), finish: Finish::ToolCall }));
    assert_eq!(reply("slow"), Ok(sound.clone()));
    let half = reply("truncated").unwrap();
    assert!(half.finish == Finish::Length && sound.text.starts_with(&half.text));
    assert!(half.text.len().abs_diff(sound.text.len() / 2) < 4);
    let tokens = |text: &str| Tokenizer::O200k.count(text);
    let inflated = text("inflated");
    assert!(inflated.contains(SHOWN) && tokens(&inflated) > tokens(SHOWN));
    let garbage = text("garbage");
    assert!(!garbage.is_empty() && garbage.contains('\u{FFFD}'));
    assert!(!SHOWN.split(' ').any(|word| word.len() > 3 && garbage.contains(word)));
    let tagged = text("tags");
    assert!(tagged.contains("8471") && TAGS.iter().all(|tag| tagged.contains(tag)), "{tagged}");
    assert!(TAGS.iter().any(|tag| tagged.starts_with(tag)), "{tagged}");
    let labelled = text("role-labels");
    assert!(labelled.contains("\n\nUser: ") && labelled.contains("\n\nSystem: "), "{labelled}");
}

#[test]
fn every_kind_but_the_echo_keeps_to_the_limit_of_the_request() {
    for kind in FaultKind::ALL.into_iter().filter(|kind| *kind != FaultKind::Inflated) {
        for limit in [0, 1, 40] {
            let prompt = Prompt { max_tokens: Tokens(limit), ..prompt(&SHOWN.repeat(40)) };
            let reply = asked(&faulty(kind.name()), &prompt, moment(3, 0, 0));
            let tokens = reply.map_or(0, |answer| Tokenizer::O200k.count(&answer.text).0);
            assert!(tokens <= limit, "{}: {tokens} of {limit}", kind.name());
        }
    }
}

#[test]
fn schedules_strike_the_calls_that_they_name() {
    for (name, expected) in [
        ("error", (0..12).collect::<Vec<_>>()),
        ("error-first-3", vec![0, 1, 2]),
        ("error-every-4", vec![3, 7, 11]),
    ] {
        let calls = (0..12).map(|call| moment(1 + call / 2, call % 2, call));
        let calls: Vec<u32> =
            struck(&faulty(name), calls).iter().map(|place| place.in_cell).collect();
        assert_eq!(calls, expected, "{name}");
    }
    let burst = faulty("error-burst-20-of-100");
    let burst = steps(&burst, (0..200).map(|step| moment(step, 5, 9)));
    assert_eq!(burst.len(), 40);
    assert!(burst.iter().all(|step| burst.contains(&((step + 100) % 200))), "{burst:?}");
    let share = steps(&faulty("error-0.3"), (1..=4_000).map(|step| moment(step, 0, 0))).len();
    assert!((1_080..1_320).contains(&share), "{share} of 4000 is not about 0.3");
}

/// Whatever was asked before, of whom, and what about.
#[test]
fn draws_depend_on_the_place_alone() {
    let failed = |name: &str, shown: &str, before: u32| -> Vec<u32> {
        let faulty = faulty(name);
        let fails = |step: &u32| {
            let place = moment(*step, 0, before + step);
            let failed = asked(&faulty, &prompt(shown), place).is_err();
            assert_eq!(failed, faulty.fault_at(place).is_some());
            failed
        };
        (1..60).filter(fails).collect()
    };
    let one = failed("error-0.5", SHOWN, 0);
    assert!(!one.is_empty() && one.len() < 59);
    assert_eq!(one, failed("error-0.5", "something else. Altogether.", 1_000));
    assert_eq!(one, failed("time-out-0.5", SHOWN, 3), "kinds of a share strike together");
    let draws = |faulty: &Faulty, in_step: u32| -> Vec<u32> {
        steps(faulty, (1..60).map(|step| moment(step, in_step, 0)))
    };
    assert_eq!(one, draws(&faulty("error-0.5"), 0));
    assert_ne!(one, draws(&faulty("error-0.5"), 1), "a retry is another draw");
    let other = Faulty::new(Box::new(Lead::default()), fault("error-0.5"), Seed(8));
    assert_ne!(one, draws(&other, 0), "another seed strikes other calls");
}

#[test]
fn a_batch_is_its_calls_one_after_the_other() {
    for kind in FaultKind::ALL {
        let faulty = faulty(&format!("{}-0.5", kind.name()));
        let batch: Vec<Prompt> = (0..9).map(|n| prompt(&format!("{SHOWN} Number {n}."))).collect();
        let first = moment(4, 2, 30);
        let singly = batch.iter().zip(0..);
        let singly = singly.map(|(prompt, n)| asked(&faulty, prompt, first.later(n)));
        let singly: Vec<Reply> = singly.collect();
        assert_eq!(faulty.ask_at(&batch, first).expect("no stop"), singly, "{}", kind.name());
    }
    // A fault around nobody is still a fault.
    let around = |name: &str| Faulty::new(Box::new(Null::default()), fault(name), Seed(1));
    assert!(!around("error").memoizes());
    let tags = asked(&around("tags"), &prompt(SHOWN), moment(1, 0, 0));
    assert!(!tags.expect("an answer").text.is_empty());
}

#[test]
fn names_are_read_back_and_each_is_one_fault() {
    let schedules = ["", "-first-3", "-every-4", "-0.3", "-0.025", "-burst-20-of-100"];
    let mut seen = BTreeSet::new();
    for kind in FaultKind::ALL {
        for schedule in schedules {
            let name = format!("{}{schedule}", kind.name());
            let fault = fault(&name);
            assert_eq!(fault.to_string(), name);
            assert!(seen.insert(fault), "{name}");
            let json = serde_json::to_string(&fault).unwrap();
            assert_eq!(serde_json::from_str::<Fault>(&json).unwrap(), fault);
        }
    }
}
