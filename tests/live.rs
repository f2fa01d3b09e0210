//! Runs against a model behind HTTP: servers that misbehave, runs that are killed, keys
//! that are echoed, and the recording that ships.

mod cassettes;
mod dead;
mod interrupted;
mod keys;
mod labels;
mod misbehaviour;
mod prompts;
mod recording;
#[path = "live/server.rs"]
#[expect(dead_code, reason = "shared with the bench of concurrency")]
mod server;
mod setting;
