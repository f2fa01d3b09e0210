//! What lets a client in.

use std::fmt;
use std::sync::Arc;

use rand::TryRng;
use rand::rngs::SysRng;

use crate::error::{Error, Result};
use crate::ident::key_of;

/// Random bytes of a token.
const BYTES: usize = 32;

/// The words with which a client shows that it may ask. It is not shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Arc<str>);

impl Token {
    /// A new one, from the system's random numbers. Fails where there are none.
    pub fn random() -> Result<Token> {
        let mut bytes = [0; BYTES];
        let filled = SysRng.try_fill_bytes(&mut bytes);
        filled.map_err(|error| Error::invalid("token", format!("no random numbers: {error}")))?;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Token(format!("proctor-{digits}").into()))
    }

    /// A token of one's own: visible ASCII, so that a header can carry it.
    pub fn new(words: &str) -> Result<Token> {
        if words.is_empty() || !words.bytes().all(|byte| byte.is_ascii_graphic()) {
            let rule = "a token is one or more visible ASCII characters without spaces";
            return Err(Error::invalid("token", rule));
        }
        Ok(Token(words.into()))
    }

    /// The words, for whoever hands them to a client.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What stands for it in the table of those that are valid. Comparing digests tells nothing of
    /// how much of a guess was right.
    pub(crate) fn digest(words: &str) -> u128 {
        key_of([words])
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_are_not_shown() {
        let [one, other] = [(), ()].map(|()| Token::random().expect("random numbers"));
        assert_ne!(one, other);
        assert_eq!(one.reveal().len(), "proctor-".len() + 2 * BYTES);
        assert_eq!(format!("{one:?}"), "Token(…)");
        assert!(Token::new(one.reveal()).is_ok());
    }

    #[test]
    fn a_token_fits_into_a_header() {
        for words in ["", "a b", "ä", "a\nb"] {
            assert!(Token::new(words).is_err(), "{words:?}");
        }
    }
}
