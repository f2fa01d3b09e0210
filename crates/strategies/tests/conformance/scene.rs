//! What the conformance tests add to the test kit: rows with provenance, and plans that
//! survive JSON.

use proctor_core::overlay::Overlay;
use proctor_core::plan::{Decision, Layout, Plan};
use proctor_core::pressure::Occasion;
use proctor_core::strategy::{PlanContext, Strategy};
use proctor_core::summarize::Prompt;
pub use proctor_core::testkit::Line::{Calls, Output, Says, User};
pub use proctor_core::testkit::{Fate, Scene, Script, fails, rules, says};
use proctor_core::view::{Entry, Kind};

/// What a strategy proposes on an occasion.
pub fn decides(scene: &Scene, strategy: &dyn Strategy, occasion: Occasion) -> Decision {
    let (budget, past) = (&scene.budget, scene.past());
    let context = PlanContext { occasion, budget, reading: None, past, turn: 1, desk: None };
    strategy.plan(&scene.view, &context)
}

/// The plan of a strategy that acts.
pub fn plans(scene: &Scene, strategy: &dyn Strategy, occasion: Occasion) -> Plan {
    match decides(scene, strategy, occasion) {
        Decision::Plan(plan) => plan,
        other => panic!("{other:?}"),
    }
}

/// Has the plan carried out, which JSON must not change.
pub fn carry_out(scene: &mut Scene, plan: &Plan, script: &Script) -> Fate {
    survives_json(plan);
    scene.carry_out(plan, script)
}

/// What would be sent under request-scope edits.
pub fn sent(scene: &Scene, plan: &Plan, last: &Overlay) -> (Overlay, Vec<String>) {
    survives_json(plan);
    let Layout::Edits { base, edits } = &plan.layout else { panic!("a request-scope plan") };
    let overlay = last
        .next(&scene.view, *base, edits, &Default::default(), scene.past(), &scene.tally)
        .expect("a well-formed plan");
    let entries = scene.view.entries().iter();
    let shown = entries.map(|entry| row(overlay.of(entry.id).unwrap_or(entry))).collect();
    (overlay, shown)
}

/// The view, an entry a line.
pub fn rows(scene: &Scene) -> Vec<String> {
    scene.view.entries().iter().map(|entry| row(entry)).collect()
}

/// The prompts so far, as text.
pub fn prompts(script: &Script) -> Vec<String> {
    let text = |prompt: &Prompt| {
        prompt.messages.iter().map(|m| format!("{}: {}\n", m.role.name(), m.text())).collect()
    };
    script.prompts().iter().map(text).collect()
}

/// Role, kind, generation, covered messages, answered call, content, calls.
pub fn row(entry: &Entry) -> String {
    let kind = match entry.kind {
        Kind::Message if entry.rewritten => "~",
        Kind::Message => "",
        Kind::Notice => "notice ",
        _ => "summary ",
    };
    let covers: Vec<String> =
        entry.covers.ranges().iter().map(|(a, b)| format!("{a}..{b}")).collect();
    let calls: String = entry.calls.iter().map(|c| format!(" [{} {}]", c.id, c.args)).collect();
    let answers = entry.answers.as_ref().map_or(String::new(), |id| format!(" ({id})"));
    format!(
        "{} {kind}g{} {}{answers}: {}{calls}",
        entry.role.name(),
        entry.generation(),
        covers.join(","),
        entry.content()
    )
}

pub fn survives_json(plan: &Plan) {
    let json = serde_json::to_string(plan).expect("it serializes");
    assert_eq!(&serde_json::from_str::<Plan>(&json).expect("it parses"), plan);
}
