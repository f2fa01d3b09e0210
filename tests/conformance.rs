//! Strategies of other systems, written against the plan types as faithfully as
//! their sources allow. Each file proposes plans for a realistic view, has them
//! answered by a script, failures included, and checks the next view exactly.
//! Every plan also goes through JSON and comes back unchanged.

#[path = "conformance/adk.rs"]
mod adk;
#[path = "conformance/cline.rs"]
mod cline;
#[path = "conformance/codex.rs"]
mod codex;
#[path = "conformance/full_replace.rs"]
mod full_replace;
#[path = "conformance/gemini_cli.rs"]
mod gemini_cli;
#[path = "conformance/langchain.rs"]
mod langchain;
#[path = "conformance/scene.rs"]
mod scene;
#[path = "conformance/vibe_head.rs"]
mod vibe_head;
