//! What is asked of a model, reduced to what decides its answer, and the key made of it.

use std::fmt;
use std::str::FromStr;

use crate::prelude::*;
use thiserror::Error;

/// First bytes under every key; a change of the canonical form changes it.
const FORM: &[u8] = b"proctor request 1";

/// A request with nothing in it but what decides the answer: no address, no credentials.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CanonicalRequest {
    /// The model, as it is asked for.
    pub model: String,
    /// The conversation, system prompt first where there is one.
    pub messages: Vec<CanonicalMessage>,
    /// Most tokens of the answer.
    pub max_tokens: u64,
    /// Sampling temperature.
    pub temperature: f64,
    /// Sampling seed.
    pub seed: u64,
    /// Which of several draws this is.
    pub replicate: u32,
}

/// A message of a canonical request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CanonicalMessage {
    /// Role on the wire.
    pub role: Role,
    /// Its whole text.
    pub text: String,
}

impl CanonicalRequest {
    /// The key: BLAKE3 over the fields in the order of their declaration, each with its
    /// length in bytes before it (8 bytes, least first). Numbers are decimal text, the
    /// temperature in its shortest form; the number of messages stands before them.
    pub fn key(&self) -> RequestKey {
        let mut hasher = blake3::Hasher::new();
        let mut feed = |field: &[u8]| {
            hasher.update(&(field.len() as u64).to_le_bytes());
            hasher.update(field);
        };
        feed(FORM);
        feed(self.model.as_bytes());
        feed(self.messages.len().to_string().as_bytes());
        for CanonicalMessage { role, text } in &self.messages {
            feed(role.name().as_bytes());
            feed(text.as_bytes());
        }
        feed(self.max_tokens.to_string().as_bytes());
        // Zero of either sign is the same temperature.
        feed((self.temperature + 0.0).to_string().as_bytes());
        feed(self.seed.to_string().as_bytes());
        feed(self.replicate.to_string().as_bytes());
        RequestKey(*hasher.finalize().as_bytes())
    }
}

/// What a request is recorded under. Written as 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RequestKey([u8; 32]);

impl fmt::Display for RequestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from(self.0).to_hex())
    }
}

/// Not a key.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no key (expected 64 digits of 0-9, a-f)")]
pub struct RequestKeyError(pub String);

impl FromStr for RequestKey {
    type Err = RequestKeyError;

    fn from_str(text: &str) -> Result<RequestKey, RequestKeyError> {
        // No key is written in two ways.
        let hash = blake3::Hash::from_hex(text).ok().filter(|hash| *hash.to_hex() == *text);
        hash.map(|hash| RequestKey(hash.into())).ok_or_else(|| RequestKeyError(text.to_owned()))
    }
}

impl From<RequestKey> for String {
    fn from(key: RequestKey) -> String {
        key.to_string()
    }
}

impl TryFrom<String> for RequestKey {
    type Error = RequestKeyError;

    fn try_from(text: String) -> Result<RequestKey, RequestKeyError> {
        text.parse()
    }
}
