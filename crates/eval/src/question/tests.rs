use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::ident::Seed;
use crate::question::ask::{INSTRUCTION, JUDGE_INSTRUCTION};
use crate::question::wording::{Expected, Question, Sense, ruling, thing};
use crate::scenario::Scenario;
use crate::truth::{Fact, NeedleIndex, Truth};

fn truths() -> Vec<(String, Truth)> {
    let mut truths = Vec::new();
    for name in ["smoke", "stale-values", "standing-constraints", "dead-end-returns"] {
        let scenario = Scenario::embedded(name).expect("it ships");
        let twin = scenario.twin();
        for scenario in [Some(scenario), twin].into_iter().flatten() {
            let session = scenario.session(Seed(3)).expect("it is synthesized");
            truths.push((scenario.name.clone(), session.truth));
        }
    }
    truths
}

fn questions(fact: &Fact) -> Vec<Question> {
    let mut all: Vec<Question> = thing(fact).into_iter().collect();
    for sense in [Sense::Against, Sense::Free] {
        all.extend(ruling(fact, sense, fact.kind.has_polarity()));
    }
    all
}

#[test]
fn no_question_holds_its_answer() {
    let mut asked = BTreeMap::new();
    for (scenario, truth) in truths() {
        for fact in truth.facts.iter().chain(&truth.decoys) {
            for question in questions(fact) {
                *asked.entry(question.kind).or_insert(0) += 1;
                let text = &question.text;
                let answer = match &question.expected {
                    Expected::Thing(needles) => needles.clone(),
                    Expected::Verdict(_) => fact.polarity.clone(),
                };
                for needle in answer {
                    let alone = Fact {
                        id: crate::ident::FactId(0),
                        needles: vec![needle.clone()],
                        polarity: Vec::new(),
                        ..fact.clone()
                    };
                    let found = NeedleIndex::new(&[alone]).search(text);
                    assert_eq!(found, [], "{scenario}: `{text}` holds {needle:?}");
                }
            }
        }
    }
    for kind in Kind::ALL {
        assert!(asked.get(&kind).is_some_and(|count| *count > 20), "{kind:?}: {asked:?}");
    }
}

#[test]
fn every_kind_of_fact_can_be_asked_about() {
    let mut kinds = BTreeSet::new();
    let mut bare = Vec::new();
    for (_, truth) in truths() {
        for fact in &truth.facts {
            kinds.insert(fact.kind);
            if questions(fact).is_empty() {
                bare.push(fact.statement.clone());
            }
        }
    }
    assert_eq!(kinds.len(), crate::truth::FactKind::ALL.len());
    assert_eq!(bare, Vec::<String>::new());
}

#[test]
fn the_two_senses_of_a_rule_have_opposite_answers() {
    for (_, truth) in truths() {
        for fact in truth.facts.iter().filter(|fact| fact.kind.has_polarity()) {
            let right = |sense| match ruling(fact, sense, true).map(|question| question.expected) {
                Some(Expected::Verdict(right)) => right,
                other => panic!("{other:?}"),
            };
            assert!(right(Sense::Against) && !right(Sense::Free), "{}", fact.statement);
        }
    }
}

#[test]
fn the_wordings_are_pinned() {
    let (_, truth) = truths().swap_remove(0);
    let mut shown = BTreeMap::new();
    for fact in &truth.facts {
        for (number, question) in questions(fact).into_iter().enumerate() {
            let expected = format!("{:?}", question.expected);
            shown.entry((fact.kind.name(), number)).or_insert((question.text, expected));
        }
    }
    insta::assert_debug_snapshot!((QUESTIONS_VERSION, INSTRUCTION, JUDGE_INSTRUCTION, shown));
}
