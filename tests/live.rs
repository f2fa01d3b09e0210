//! Runs against a model behind HTTP: servers that misbehave, runs that are killed, keys
//! that are echoed, and the recording that ships.

#[path = "live/cassettes.rs"]
mod cassettes;
#[path = "cli/harness.rs"]
#[expect(dead_code, reason = "shared with the other tests of the binary")]
mod harness;
#[path = "live/interrupted.rs"]
mod interrupted;
#[path = "live/keys.rs"]
mod keys;
#[path = "live/misbehaviour.rs"]
mod misbehaviour;
#[path = "live/recording.rs"]
mod recording;
#[path = "live/server.rs"]
#[expect(dead_code, reason = "shared with the bench of concurrency")]
mod server;
#[path = "live/setting.rs"]
mod setting;
