use super::*;
use crate::pressure::Reading;
use crate::strategy::Strategy;
use crate::testkit::{Scene, over, scene};

fn shown(scene: &Scene) -> String {
    scene.contents().join(" ").replace("[SUMMARIZED]", "S:")
}

/// Contents after one act; nothing where the strategy declines.
fn after(strategy: &dyn Strategy, shape: &str, reading: Option<Reading>) -> Option<String> {
    let mut scene = scene(shape);
    scene.act(strategy, reading).map(|_| shown(&scene))
}

#[test]
fn the_oldest_go_whatever_they_are() {
    let one = scene("u").view.counted().0;
    for (shape, freed, expected) in [
        ("yuctuctu", 1, Some("y0 c2 t3 u4 c5 t6 u7")),
        // A result is left without its call, a turn without its request.
        ("yuctuctu", one + 1, Some("y0 t3 u4 c5 t6 u7")),
        ("uau", 900, Some("u2")),
        ("uyau", 900, Some("y1 u3")),
        ("uau", 0, None),
        ("u", 900, None),
        ("", 900, None),
    ] {
        let found = after(&PruneOldest {}, shape, over(freed));
        assert_eq!(found.as_deref(), expected, "{shape} {freed}");
    }
    assert!(scene("uau").plan(&PruneOldest {}, None).is_none());
}

#[test]
fn a_pair_is_folded_when_the_first_pass_finds_nothing() {
    let meta = MetaSummary::default();
    for (shape, expected) in [
        ("uSuSu", Some("S: s u1 S3 u2")),
        ("uSSu", Some("S: s u1")),
        // Work is left for the first pass, but not in the live turn.
        ("uSuctu", None),
        ("uSuct", Some("S: s u1 c2 t3")),
        // The live pair stays, and so does what a pair has become.
        ("uS", None),
        ("MSu", None),
        ("uSMu", Some("S: s M2 u1")),
    ] {
        let letters = |text: String| text.replace(|c: char| c.is_ascii_digit(), "");
        let found = after(&meta, shape, over(1)).map(letters);
        assert_eq!(found, expected.map(str::to_owned).map(letters), "{shape}");
    }
    assert!(scene("uSu").plan(&meta, over(0)).is_none(), "at the target");
    let mut pairs = scene("uSuSuSu");
    let folds = std::iter::from_fn(|| pairs.act(&meta, over(1))).count();
    assert_eq!((folds, shown(&pairs).as_str()), (3, "S: s S: s S: s u3"), "each pair alone, once");
}

#[test]
fn short_user_messages_without_a_signal_go_silently() {
    let users = PruneUsers { older_than_messages: 0, ..PruneUsers::default() };
    let mut scene = scene("uauauhau");
    for (place, text) in
        [(0, "Add a retry."), (2, "thanks, looks good"), (4, "ok"), (5, "Stopped."), (7, "go on")]
    {
        scene.reword(|entry| (entry.id.0 == place).then(|| text.to_owned()));
    }
    let plan = scene.plan(&users, None).expect("some are");
    assert!(plan.requests.is_empty(), "no model is asked");
    scene.act(&users, None).expect("it acts");
    assert_eq!(shown(&scene), "Add a retry. a1 a3 a6 go on");
    for (text, transactional) in [
        ("yes please", true),
        ("see src/load", false),
        ("Why?", true),
        ("wait 5 minutes", true),
        ("Show me. Then fix it.", true),
        ("Fix it. Then show me.", false),
        ("I want it gone", false),
        ("The address was fine", true),
    ] {
        assert_eq!(users.is_transactional(text), transactional, "{text}");
    }
    assert!(!users.is_transactional(&"so ".repeat(140)), "long");
}

#[test]
fn a_goal_is_promoted_twice() {
    let goals = GoalLifecycle { complete_after: 2, archive_after: 4, ..GoalLifecycle::default() };
    for (shape, expected) in [
        ("uSuSaa", Some("[GOAL: complete] s u1 S aa")),
        ("uSua", Some("[GOAL: complete] s ua")),
        ("uSSuaa", Some("[GOAL: complete] s uaa")),
        // Too young, in progress, or without a summary.
        ("uSu", None),
        ("uSaaaa", None),
        ("uauaa", None),
    ] {
        let letters = |text: String| text.replace(|c: char| c.is_ascii_digit() || c == ' ', "");
        let found = after(&goals, shape, None).map(letters);
        assert_eq!(found, expected.map(str::to_owned).map(letters), "{shape}");
    }
    let promoted =
        |scene: &mut Scene| scene.act(&goals, None).map(|applied| applied.change.added.len());
    let mut scene = scene("uSuSuSuaaa");
    assert_eq!(promoted(&mut scene), Some(3), "a request for each goal");
    // Of the three only the oldest are four messages back now.
    assert_eq!(promoted(&mut scene), Some(3), "and one for each promotion");
    assert!(shown(&scene).starts_with("[GOAL: archived] s [GOAL: archived] s"));
    assert_eq!(promoted(&mut scene), None, "archived goals stay");
    assert!(GoalLifecycle { archive_after: 1, ..goals }.check().is_err());
}

#[test]
fn what_scores_lowest_is_summarized_first() {
    let mut scene = scene("uauctactu");
    let long = "word ".repeat(200);
    for place in [1, 4, 7] {
        scene.reword(|entry| (entry.id.0 == place).then(|| long.clone()));
    }
    let one = Priority { at_once: 1, ..Priority::default() };
    let mut order = Vec::new();
    while let Some(applied) = scene.act(&one, over(1)) {
        assert_eq!(applied.change.added.len(), 1);
        let newest = scene.view.next_id().0 - 1;
        let place = scene.view.entries().iter().position(|entry| entry.id.0 == newest);
        order.push(place.expect("it is in the view"));
    }
    // The calls with their results, older first, then the older plain message; what is
    // short stays.
    assert_eq!(order, [3, 5, 1]);
    assert!(shown(&scene).starts_with("u0 S: s u2 S: s a5 S: s u8"), "{}", shown(&scene));
}
