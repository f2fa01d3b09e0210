use super::*;
use crate::strategy::Strategy;
use crate::testkit::{over, scene};

#[test]
fn short_user_messages_without_a_signal_go_silently() {
    let users = PruneUsers { older_than_messages: 0, ..PruneUsers::default() };
    let mut scene = scene("uauauhau");
    let said = ["Add a retry.", "", "thanks, looks good", "", "ok", "Stopped.", "", "go on"];
    scene.reword(|entry| {
        let words = said[entry.id.0 as usize];
        (!words.is_empty()).then(|| words.to_owned())
    });
    let plan = scene.plan(&users, None).expect("some are");
    assert!(plan.requests.is_empty(), "no model is asked");
    scene.act(&users, None).expect("it acts");
    assert_eq!(scene.contents(), ["Add a retry.", "a1", "a3", "a6", "go on"]);
    for (text, transactional) in [
        ("yes please", true),
        ("see src/load", false),
        ("Why?", true),
        ("wait 5 minutes", true),
        ("Show me. Then fix it.", true),
        ("Fix it. Then show me.", false),
        ("I want it gone", false),
        ("The address was fine", true),
        (&"so ".repeat(140), false),
    ] {
        assert_eq!(users.is_transactional(text), transactional, "{text}");
    }
}

#[test]
fn a_goal_is_complete_before_it_is_archived() {
    let hasty = GoalLifecycle { complete_after: 2, archive_after: 1, ..GoalLifecycle::default() };
    assert!(hasty.check().is_err());
}

/// The calls with their results, older first, then the older plain message; what is short
/// stays.
#[test]
fn what_scores_lowest_is_summarized_first() {
    let mut scene = scene("uauctactu");
    let long = "word ".repeat(200);
    scene.reword(|entry| [1, 4, 7].contains(&entry.id.0).then(|| long.clone()));
    let one = Priority { at_once: 1, ..Priority::default() };
    for expected in [
        &["u0", &long, "u2", "[SUMMARIZED] s", "a5", "c6", &long, "u8"][..],
        &["u0", &long, "u2", "[SUMMARIZED] s", "a5", "[SUMMARIZED] s", "u8"],
        &["u0", "[SUMMARIZED] s", "u2", "[SUMMARIZED] s", "a5", "[SUMMARIZED] s", "u8"],
    ] {
        scene.act(&one, over(1)).expect("it acts");
        assert_eq!(scene.contents(), expected);
    }
    assert!(scene.act(&one, over(1)).is_none());
}
