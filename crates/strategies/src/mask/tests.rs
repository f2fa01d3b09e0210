use super::*;
use crate::answer::Answers;
use crate::apply::commit;
use crate::pressure::{Budget, Occasion};
use crate::view::fixture::{Scene, rules, scene};
use crate::view::{Entry, View};

/// The shape, its results twenty lines long.
fn long(shape: &str) -> Scene {
    let mut scene = scene(shape);
    let mut view = View::default();
    for entry in scene.view.entries() {
        let mut entry: Entry = (**entry).clone();
        if entry.role == Role::Tool {
            entry.parts[0].text = "a line of output\n".repeat(20).into();
        }
        let (counts, counted) = scene.tally.message(&entry.content(), &entry.calls);
        view.append(Entry { counts, counted, ..entry });
    }
    scene.view = view;
    scene
}

fn act(mask: &MaskToolResults, scene: &mut Scene) -> bool {
    let context = PlanContext {
        occasion: Occasion::BeforeCall,
        budget: &Budget::default(),
        reading: None,
        past: scene.log.past(scene.log.messages.len()),
        turn: 0,
    };
    let Decision::Plan(plan) = mask.plan(&scene.view, &context) else { return false };
    let Layout::Whole(slots) = plan.layout else { panic!("history scope") };
    let applied = scene.apply(slots, &Answers::new());
    assert_eq!(rules(&applied), [], "pairs hold");
    commit(&mut scene.view, &applied);
    true
}

/// Letters of the view, results that are masked in brackets.
fn shown(scene: &Scene) -> String {
    let entries = scene.view.entries().iter();
    entries
        .map(|entry| match entry.role {
            Role::Tool if entry.rewritten => "[]".to_owned(),
            Role::Tool => "t".to_owned(),
            _ => entry.content()[..1].to_owned(),
        })
        .collect()
}

#[test]
fn all_results_but_the_last_are_masked() {
    for (keep, shape, expected) in [
        (1, "uctctctu", Some("uc[]c[]ctu")),
        (0, "uctu", Some("uc[]u")),
        (2, "u2ttctu", Some("u2[]tctu")),
        (3, "uctctctu", None),
        (9, "", None),
    ] {
        let mut scene = long(shape);
        let acted = act(&MaskToolResults { keep_last: keep }, &mut scene);
        assert_eq!(acted.then(|| shown(&scene)).as_deref(), expected, "{keep} {shape}");
        assert!(!act(&MaskToolResults { keep_last: keep }, &mut scene), "once is enough");
    }
}

#[test]
fn the_placeholder_says_how_long_the_output_was_and_knows_nothing_of_it() {
    let mut scene = long("uctu");
    act(&MaskToolResults { keep_last: 0 }, &mut scene);
    let masked = &scene.view.entries()[2];
    assert_eq!(masked.content().as_ref(), "Earlier output left out (20 lines).");
    assert!(masked.parts.iter().all(|part| part.spans.is_empty()));
    assert!(masked.answers.is_some());
}

#[test]
fn a_short_result_stays_and_hides_nothing_behind_it() {
    let mut scene = scene("uctctu");
    assert!(!act(&MaskToolResults { keep_last: 0 }, &mut scene));
}
