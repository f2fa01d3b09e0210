//! A model endpoint on loopback. Programs that speak HTTP to OpenAI or Anthropic speak to it with
//! the clients that they have, and a function of this process answers:
//!
//! ```
//! use std::sync::Arc;
//!
//! use proctor_serve::{Completion, Config, ModelRequest, Server, Token};
//!
//! let server = Server::start(Config::default())?;
//! let token = Token::random()?;
//! let echo = |request: ModelRequest| Ok(Completion::complete(&request, "Hello."));
//! server.grant(&token, Arc::new(echo));
//! // OPENAI_BASE_URL, OPENAI_API_KEY; or ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY.
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! assert_eq!(format!("{}/v1", server.anthropic_url()), server.url());
//! # Ok::<(), proctor_core::error::Error>(())
//! ```
//!
//! It speaks chat completions, responses and messages, whole or as a stream of events, and the
//! lists of models. All else is an error in the provider's shape that says what is not spoken.
//! A stream begins when the whole answer is there, so that a failure is always a status.

pub mod recording;
pub mod summarizing;

mod anthropic;
mod events;
mod fault;
mod field;
mod model;
mod openai;
mod prelude;
mod server;
mod spoken;
mod token;

use std::sync::{Mutex, MutexGuard, PoisonError};

use proctor_core::{error, ident, log, summarize, token as count, unit};

pub use model::{
    Answers, ChatMessage, Completion, ModelRequest, Refusal, RefusalClass, Reply, Tool,
};
pub use server::{Config, Server};
pub use token::Token;

/// A thread that panicked while it held the lock left no half-made change.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
