//! Who is let in: clients on this machine that call it by a name of loopback and show a token.

use hyper::header::{AUTHORIZATION, CONTENT_ENCODING, HOST, HeaderMap};
use hyper::http::request::Parts;

use crate::prelude::*;
use crate::server::{Granted, Shared};
use crate::token::Token;

/// A page in a browser may reach loopback under a name of its own; nobody else is misled.
pub(super) fn host(parts: &Parts) -> Result<(), Fault> {
    let header = |value: &hyper::header::HeaderValue| value.to_str().unwrap_or("?").to_owned();
    let mut names: Vec<String> = parts.headers.get_all(HOST).iter().map(header).collect();
    names.extend(parts.uri.authority().map(ToString::to_string));
    if let Some(other) = names.iter().find(|name| !is_loopback(name)) {
        let rule = "this endpoint is on loopback: call it 127.0.0.1 or localhost";
        return Err(Fault::new(Kind::Host, format!("host `{other}`: {rule}")));
    }
    match names.is_empty() {
        true => Err(Fault::new(Kind::Host, "the request has no `Host` header")),
        false => Ok(()),
    }
}

fn is_loopback(authority: &str) -> bool {
    let name = match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    };
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Who answers a client with these headers.
pub(super) fn granted(shared: &Shared, headers: &HeaderMap) -> Result<Granted, Fault> {
    let granted = held(&shared.granted);
    let mut shown = tokens(headers).peekable();
    let message = match shown.peek() {
        Some(_) => "the token is not valid, or no longer",
        None => "there is no token: send it as `Authorization: Bearer TOKEN` or `x-api-key: TOKEN`",
    };
    let known = shown.find_map(|words| granted.get(&Token::digest(words)).cloned());
    known.ok_or_else(|| Fault::new(Kind::Token, message))
}

fn tokens(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let bearer = headers.get_all(AUTHORIZATION).iter().filter_map(|value| {
        let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    let keys = headers.get_all("x-api-key").iter().filter_map(|value| value.to_str().ok());
    bearer.chain(keys).filter(|token| !token.is_empty())
}

/// Bodies are read as they are.
pub(super) fn encoding(headers: &HeaderMap) -> Result<(), Fault> {
    let encodings = headers.get_all(CONTENT_ENCODING).iter();
    let mut other = encodings.filter(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"));
    match other.next() {
        Some(_) => Err(Fault::new(Kind::Encoding, "send the body without a content encoding")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_loopback_are_let_in() {
        for name in ["127.0.0.1", "127.0.0.1:80", "localhost:9", "LOCALHOST", "[::1]", "[::1]:8"] {
            assert!(is_loopback(name), "{name}");
        }
        for name in [
            "",
            "evil.example",
            "127.0.0.1.evil.example:80",
            "localhost.evil.example",
            "evil.example:127.0.0.1",
            "user@127.0.0.1",
            "127.0.0.1:80:80",
            "0.0.0.0",
        ] {
            assert!(!is_loopback(name), "{name}");
        }
    }

    #[test]
    fn tokens_stand_in_either_header() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("authorization", "Basic abc"),
            ("authorization", "bearer one"),
            ("authorization", "Bearer "),
            ("x-api-key", "two"),
        ] {
            headers.append(name, value.parse().expect("a value"));
        }
        assert_eq!(tokens(&headers).collect::<Vec<_>>(), ["one", "two"]);
    }
}
