//! LangChain's ContextEditingMiddleware with ClearToolUsesEdit: old tool
//! results are cleared in a copy of each request, the history stays as it is.

use std::collections::BTreeMap;

use proctor::answer::Answers;
use proctor::apply::apply;
use proctor::log::{Role, Text};
use proctor::overlay::Overlay;
use proctor::plan::{Base, Decision, Edit, Layout, Piece, Plan};
use proctor::unit::Tokens;
use proctor::view::View;

use crate::conformance::scene::*;

struct Clear<'a> {
    trigger: Tokens,
    keep: usize,
    at_least: Option<Tokens>,
    inputs: bool,
    exclude: &'a [&'a str],
}

const DEFAULT: Clear =
    Clear { trigger: Tokens(0), keep: 3, at_least: None, inputs: false, exclude: &[] };

impl Clear<'_> {
    fn decide(&self, view: &View) -> Decision {
        if view.tokens() <= self.trigger {
            return Decision::decline("below the trigger");
        }
        let results: Vec<_> =
            view.entries().iter().filter(|entry| entry.role == Role::Tool).collect();
        let mut edits = Vec::new();
        let mut freed = Tokens::ZERO;
        for result in results.iter().take(results.len().saturating_sub(self.keep)) {
            let owner = result
                .answers
                .as_ref()
                .and_then(|id| Some((id, view.entry(view.pair(id)?.call?)?)));
            let Some((id, caller)) = owner else { continue };
            let tool = caller.call(id).map_or("", |call| &*call.name);
            if self.exclude.contains(&tool) {
                continue;
            }
            let pieces = Some(vec![Piece::literal("[cleared]")]);
            edits.push(Edit { entry: result.id, pieces, args: BTreeMap::new(), drops: Vec::new() });
            if self.inputs {
                let args = BTreeMap::from([(id.clone(), Text::from("{}"))]);
                edits.push(Edit { entry: caller.id, pieces: None, args, drops: Vec::new() });
            }
            freed += result.tokens();
            // A stop condition, not a gate.
            if self.at_least.is_some_and(|least| freed >= least) {
                break;
            }
        }
        Decision::Plan(Plan::mechanical(Layout::Edits { base: Base::View, edits }))
    }

    fn plan(&self, view: &View) -> Plan {
        match self.decide(view) {
            Decision::Plan(plan) => plan,
            other => panic!("{other:?}"),
        }
    }
}

fn scene() -> Scene {
    Scene::lines(&[
        User("Go."),
        Calls("", &[("c1", "read", "{\"a\":1}"), ("c2", "memory", "{\"b\":2}")]),
        Output("c1", "first output, of many more words than a placeholder has"),
        Output("c2", "second output"),
        Calls("", &[("c3", "read", "{\"c\":3}")]),
        Output("c3", "third output"),
        Calls("", &[("c4", "read", "{\"d\":4}")]),
        Output("c4", "fourth output"),
    ])
}

fn results(shown: &[String]) -> Vec<bool> {
    let tools = shown.iter().filter(|row| row.starts_with("tool"));
    tools.map(|row| row.ends_with("[cleared]")).collect()
}

#[test]
fn all_but_the_newest_results_are_cleared_in_the_request_alone() {
    let scene = scene();
    let before = rows(&scene);
    let (overlay, shown) = sent(&scene, &DEFAULT.plan(&scene.view), &Overlay::default());
    assert_eq!(shown[2], "tool ~g0 2..3 (c1): [cleared]");
    assert_eq!(results(&shown), [true, false, false, false]);
    assert_eq!(shown[1], before[1], "arguments stay by default");
    assert_eq!(rows(&scene), before, "the history is untouched");
    assert!(overlay.tokens(&scene.view) < scene.view.tokens());
}

#[test]
fn every_knob_does_what_the_source_does() {
    let scene = scene();
    let first = scene.view.entries()[2].tokens();
    for (clear, expected) in [
        (Clear { keep: 0, ..DEFAULT }, [true; 4]),
        (Clear { keep: 1, exclude: &["memory"], ..DEFAULT }, [true, false, true, false]),
        (
            Clear { keep: 0, at_least: Some(first + Tokens(1)), ..DEFAULT },
            [true, true, false, false],
        ),
        (Clear { keep: 9, ..DEFAULT }, [false; 4]),
    ] {
        let (_, shown) = sent(&scene, &clear.plan(&scene.view), &Overlay::default());
        assert_eq!(results(&shown), expected);
    }
    let large = Clear { trigger: scene.view.tokens(), ..DEFAULT };
    assert_eq!(large.decide(&scene.view), Decision::decline("below the trigger"));
}

#[test]
fn arguments_of_one_message_are_cleared_one_by_one() {
    let scene = scene();
    let clear = Clear { keep: 2, inputs: true, ..DEFAULT };
    let (_, shown) = sent(&scene, &clear.plan(&scene.view), &Overlay::default());
    assert_eq!(shown[1], "assistant ~g0 1..2:  [c1 {}] [c2 {}]");
    assert_eq!(shown[4], "assistant g0 4..5:  [c3 {\"c\":3}]");
}

#[test]
fn edits_on_the_view_forget_and_edits_on_what_was_sent_accumulate() {
    let scene = scene();
    let all = Clear { keep: 0, ..DEFAULT }.plan(&scene.view);
    let (last, _) = sent(&scene, &all, &Overlay::default());
    let mut none = Clear { keep: 9, ..DEFAULT }.plan(&scene.view);
    assert_eq!(results(&sent(&scene, &none, &last).1), [false; 4]);
    if let Layout::Edits { base, .. } = &mut none.layout {
        *base = Base::LastSent;
    }
    assert_eq!(results(&sent(&scene, &none, &last).1), [true; 4]);
}

#[test]
fn such_edits_are_no_plan_for_the_history() {
    let scene = scene();
    let plan = DEFAULT.plan(&scene.view);
    let past = scene.log.past(scene.log.messages.len());
    let tried =
        apply(&scene.view, &plan.layout, &Answers::new(), past, &scene.tally, false, scene.unread);
    assert!(tried.is_err_and(|error| error.to_string().contains("request scope")));
}
