use super::*;
use crate::prelude::*;
use crate::question::ask::{INSTRUCTION, JUDGE_INSTRUCTION};
use crate::question::wording::{Expected, Question, ruling, thing};
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
    for against in [true, false] {
        all.extend(ruling(fact, against, fact.kind.has_polarity()));
    }
    all
}

#[test]
fn every_fact_can_be_asked_about_and_no_question_holds_its_answer() {
    let (mut asked, mut kinds) = (BTreeMap::new(), BTreeSet::new());
    for (scenario, truth) in truths() {
        for fact in truth.facts.iter().chain(&truth.decoys) {
            let (all, is_decoy) = (questions(fact), truth.decoys.contains(fact));
            assert!(is_decoy || !all.is_empty(), "{}", fact.statement);
            kinds.extend(Some(fact.kind).filter(|_| !is_decoy));
            for question in all {
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
    assert_eq!(kinds.len(), crate::truth::FactKind::ALL.len());
    for kind in Kind::ALL {
        assert!(asked.get(&kind).is_some_and(|count| *count > 20), "{kind:?}: {asked:?}");
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
