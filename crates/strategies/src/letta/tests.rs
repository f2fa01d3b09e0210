use super::*;
use crate::testkit::{Fate, Scene, Script, fails, says, scene};

/// Which message is the first that stays where so many tokens are the window.
fn cutoff(strategy: &SlidingWindow, scene: &mut Scene, window: u64) -> Option<usize> {
    scene.budget.window = Tokens(window);
    let context = PlanContext {
        occasion: crate::pressure::Occasion::BeforeCall,
        budget: &scene.budget,
        reading: None,
        past: scene.past(),
        turn: 0,
        desk: None,
    };
    strategy.cutoff(&scene.view, &messages(&scene.view), &context)
}

fn tokens(scene: &Scene, from: usize) -> u64 {
    scene.view.entries()[from..].iter().map(|entry| entry.counted.0).sum()
}

/// summarize_via_sliding_window: of 11 messages, 4.4, 5.5, 6.6, 7.7, 8.8 and 9.9 are 4, 6, 7, 8, 9
/// and 10; each is followed back to a message of the assistant. At 10 the last message would be the
/// first.
#[test]
fn more_is_evicted_until_what_stays_is_below_the_goal() {
    let mut scene = scene("uauauauaua");
    let strategy = SlidingWindow { percentage: 0.3, margin: 1.0, ..SlidingWindow::default() };
    let mut expected = [(3, Some(3)), (5, Some(5)), (7, Some(7)), (9, None)].into_iter().peekable();
    while let Some((place, found)) = expected.next() {
        // The least window whose 70 % are above what stays.
        let stays = tokens(&scene, place) as f64;
        let window = (1..).find(|window| 0.7 * *window as f64 > stays).expect("a window");
        assert_eq!(cutoff(&strategy, &mut scene, window), found, "{place}");
        if let Some((_, next)) = expected.peek() {
            assert_eq!(cutoff(&strategy, &mut scene, window - 1), *next, "{place}");
        }
    }
}

/// What comes to the goal exactly is too much; the percentage says both what goes and what is left.
#[test]
fn the_goal_is_the_rest_of_the_window() {
    let mut scene = scene("uauauauaua");
    let strategy = SlidingWindow { percentage: 0.5, margin: 1.0, ..SlidingWindow::default() };
    // 6.6 are 7, and 6 is a message of the assistant.
    let stays = tokens(&scene, 5);
    assert_eq!(cutoff(&strategy, &mut scene, 2 * stays + 2), Some(5));
    assert_eq!(cutoff(&strategy, &mut scene, 2 * stays), Some(7));
    // The system prompt stays too, and what stays counts for more by the margin.
    scene.budget.system = Tokens(1);
    assert_eq!(cutoff(&strategy, &mut scene, 2 * stays + 2), Some(7));
    assert_eq!(cutoff(&strategy, &mut scene, 2 * stays + 4), Some(5));
    let strategy = SlidingWindow { margin: 2.0, ..strategy };
    assert_eq!(cutoff(&strategy, &mut scene, 2 * stays + 4), None);
    assert_eq!(cutoff(&strategy, &mut scene, 4 * stays + 6), Some(5));
}

/// The loop ends at a share of 1, and a point that is found there does not count. Adding 0.1 to 0.3
/// seven times falls short of 1, as in Python, so that there is an eighth.
#[test]
fn at_all_of_the_messages_it_gives_up() {
    let mut scene = scene("uauauauau");
    assert_eq!(cutoff(&SlidingWindow::default(), &mut scene, 0), None);
    let strategy = SlidingWindow { percentage: 0.95, ..SlidingWindow::default() };
    assert_eq!(cutoff(&strategy, &mut scene, 1_000_000), None);
    // 0.999… of 31 messages are 31, which is all but what may never go.
    let mut scene = crate::testkit::scene(&("u".repeat(28) + "au"));
    assert_eq!(cutoff(&SlidingWindow::default(), &mut scene, 1_000_000), Some(28));
}

/// compact_messages: a failure falls back to all, whose failure is raised.
#[test]
fn a_summary_that_fails_becomes_one_of_everything() {
    let failed = || fails(FailureClass::Error);
    let mut scene = scene("uauauauaua");
    let plan = scene.plan(&SlidingWindow::default(), None).expect("it acts");
    let script = Script::new([failed(), failed()]);
    assert!(matches!(scene.carry_out(&plan, &script), Fate::Failed(Then::AsPipeline)));
    let prompts = script.prompts();
    let system = |number: usize| prompts[number].system.as_deref();
    assert_eq!([system(0), system(1)], [Some(SLIDING), Some(ALL)]);
    assert!(matches!(
        scene.carry_out(&plan, &Script::new([failed(), says("s")])),
        Fate::Fallback(_)
    ));
    assert_eq!(scene.contents(), [format!("{BEFORE}s")]);
}

/// simple_summary: system prompt, acknowledgement where asked for, transcript.
#[test]
fn the_older_mode_has_its_summarizer_acknowledge_the_prompt_of_all() {
    let mut told = Vec::new();
    for strategy in [&PartialEvict::default() as &dyn Strategy, &SlidingWindow::default()] {
        let scene = scene("u2ttua");
        let script = Script::new([says("s")]);
        scene.answer(&scene.plan(strategy, None).expect("it acts").requests, &script);
        let prompt = &script.prompts()[0];
        let first = &prompt.messages;
        told.push((prompt.system.clone(), first[0].role, first[0].text()));
        let call = "[assistant] 21 -> run({\"n\":1}), run({\"n\":1})";
        let shows = first.iter().any(|message| message.text() == call);
        assert_eq!(shows, told.len() == 1, "{first:?}");
    }
    let acknowledged = (Some(ALL.into()), Role::Assistant, ACKNOWLEDGED.to_owned());
    assert_eq!(told[0], acknowledged);
    assert_eq!(told[1], (Some(SLIDING.into()), Role::User, "[user] u0".to_owned()));
}

/// _partial_evict_buffer_summarization: no assistant message from the target on.
#[test]
fn the_older_mode_raises_where_no_message_of_the_assistant_follows() {
    for shape in ["u", "uauauu", "uuuu"] {
        let decision = scene(shape).decide(&PartialEvict::default(), None);
        assert!(matches!(decision, Decision::Raise(_)), "{shape}");
    }
}
