//! The system prompt and the tool schemas.

use std::fmt::Display;

use rand::RngExt;

use crate::ident::Seed;
use crate::synth::bank::Bank;
use crate::synth::draw::{pick, pick_line, pick_ref};
use crate::synth::fill::{Cast, sentence};
use crate::synth::look::Tool;
use crate::synth::world::{NOUNS, THINGS, VERBS, World};

/// A system prompt of about this many tokens.
pub(in crate::synth) fn system(bank: &Bank, world: &World, tokens: u32, seed: Seed) -> String {
    let mut rng = seed.derive(&["system"]).rng();
    let room = (f64::from(tokens) * 4.8) as usize;
    let mut cast = Cast::default();
    cast.set("project", world.project);
    let mut text = cast.fill(&bank.system.opening.join(" "));
    for rule in &bank.system.rules {
        if text.len() < room {
            text.push_str("\n- ");
            text.push_str(rule);
        }
    }
    let mut notes = world
        .components
        .iter()
        .flat_map(|component| bank.system.notes.iter().map(move |note| (component, note.as_str())));
    while text.len() + 40 < room {
        let (component, note) = notes.next().unwrap_or_else(|| {
            let component = pick_ref(&mut rng, &world.components);
            (component, pick_line(&mut rng, &bank.system.history))
        });
        cast.set("component", component.name.as_str());
        cast.set("dir", component.dir.as_str());
        cast.draw(&["noun", "thing"], &mut rng);
        cast.set("n", rng.random_range(100..9_999).to_string());
        text.push('\n');
        text.push_str(&sentence(&cast.fill(note)));
    }
    text
}

/// Tool schemas of about this many tokens: of the tools in use, then of a service that is not.
pub(in crate::synth) fn tools(tokens: u32, seed: Seed) -> String {
    let mut rng = seed.derive(&["tools"]).rng();
    let room = (f64::from(tokens) * 4.2) as usize;
    let mut schemas: Vec<String> = Vec::new();
    for tool in Tool::all() {
        schemas.push(schema(&tool.name, &tool.purpose, &tool.parameters));
    }
    schemas.push(schema("task_completion", "Ends the present task with a result.", &["result"]));
    let mut length = schemas.iter().map(String::len).sum::<usize>();
    while length + 120 < room {
        let (verb, noun) = (pick(&mut rng, &VERBS), pick(&mut rng, &NOUNS));
        let thing = pick(&mut rng, &THINGS);
        let name = format!("desk_{verb}_{noun}");
        let purpose = sentence(&format!("{verb} a {noun} of the service desk by its {thing}."));
        schemas.push(schema(&name, &purpose, &[noun, thing]));
        length += schemas.last().map_or(0, String::len);
    }
    if tokens == 0 { String::new() } else { format!("[{}]", schemas.join(",\n")) }
}

fn schema<T: Display>(name: &str, purpose: &str, parameters: &[T]) -> String {
    let properties: Vec<String> =
        parameters.iter().map(|p| format!("\"{p}\": {{\"type\": \"string\"}}")).collect();
    let required: Vec<String> = parameters.iter().map(|p| format!("\"{p}\"")).collect();
    format!(
        "{{\"name\": \"{name}\", \"description\": \"{purpose}\", \"parameters\": {{\"type\": \"object\", \
         \"properties\": {{{}}}, \"required\": [{}]}}}}",
        properties.join(", "),
        required.join(", ")
    )
}
