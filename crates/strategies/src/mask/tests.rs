use super::*;
use crate::testkit::{Scene, rules, scene};

/// The shape, its results twenty lines long.
fn long(shape: &str) -> Scene {
    let mut scene = scene(shape);
    scene.reword(|entry| (entry.role == Role::Tool).then(|| "a line of output\n".repeat(20)));
    scene
}

#[test]
fn all_results_but_the_last_are_masked() {
    for (keep_last, shape, masked) in [
        (1, "uctctctu", vec![2, 4]),
        (0, "uctu", vec![2]),
        (2, "u2ttctu", vec![2]),
        (3, "uctctctu", vec![]),
        (9, "", vec![]),
    ] {
        let (mut scene, mask) = (long(shape), MaskToolResults { keep_last });
        let applied = scene.act(&mask, None);
        assert_eq!(applied.is_some(), !masked.is_empty(), "{keep_last} {shape}");
        assert!(applied.is_none_or(|applied| rules(&applied).is_empty()), "pairs hold");
        let entries = scene.view.entries();
        let rewritten: Vec<usize> =
            (0..entries.len()).filter(|place| entries[*place].rewritten).collect();
        assert_eq!(rewritten, masked, "{keep_last} {shape}");
        assert!(scene.act(&mask, None).is_none(), "once is enough");
    }
}

#[test]
fn the_placeholder_says_how_long_the_output_was_and_knows_nothing_of_it() {
    let mut scene = long("uctu");
    scene.act(&MaskToolResults { keep_last: 0 }, None).expect("it acts");
    let masked = &scene.view.entries()[2];
    assert_eq!(masked.content().as_ref(), "Earlier output left out (20 lines).");
    assert!(masked.parts.iter().all(|part| part.spans.is_empty()));
    assert!(masked.answers.is_some());
}
