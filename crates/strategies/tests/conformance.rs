//! Strategies of other systems over several acts, where a scene does not reach: rows with what they
//! cover, failures, and plans that go through JSON and come back unchanged.

#[path = "conformance/adk.rs"]
mod adk;
#[path = "conformance/cline.rs"]
mod cline;
#[path = "conformance/gemini_cli.rs"]
mod gemini_cli;
#[path = "conformance/langchain.rs"]
mod langchain;
#[path = "conformance/scene.rs"]
mod scene;
#[path = "conformance/shown.rs"]
mod shown;
