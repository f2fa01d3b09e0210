use super::*;
use crate::testkit::{Scene, rules, scene};

/// The shape, its results twenty lines long.
fn long(shape: &str) -> Scene {
    let mut scene = scene(shape);
    scene.reword(|entry| (entry.role == Role::Tool).then(|| "a line of output\n".repeat(20)));
    scene
}

fn act(mask: &MaskToolResults, scene: &mut Scene) -> bool {
    let Some(applied) = scene.act(mask, None) else { return false };
    assert_eq!(rules(&applied), [], "pairs hold");
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
