//! Strategies of other systems, written against the plan types as faithfully as
//! their sources allow. Each file proposes plans for a realistic view, has them
//! answered by a script, failures included, and checks the next view exactly.
//! Every plan also goes through JSON and comes back unchanged.

mod adk;
mod cline;
mod codex;
mod full_replace;
mod gemini_cli;
mod langchain;
mod scene;
mod vibe_head;
