//! The key of an endpoint: sent, and never seen again.

use std::ops::Range;

use crate::config;
use crate::prelude::*;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use regex::{NoExpand, Regex, RegexBuilder};

/// What stands where the key stood.
const MARK: &str = "[key]";
/// Shorter keys would be found in ordinary words, and their removal would change answers.
const SHORTEST: usize = 8;
/// So many characters of a key in a row give it away.
const PART: usize = 12;
/// A regular expression of a long key in all its forms, in bytes.
const LARGEST: usize = 1 << 26;

/// A key, which cannot be printed, compared or written to a file.
#[derive(Clone)]
pub struct ApiKey(Arc<Secret>);

struct Secret {
    key: String,
    /// The key in every form in which a server or a library may repeat it.
    forms: Regex,
}

impl ApiKey {
    /// Takes a key without the blanks around it. One that no header can carry, or of under
    /// eight characters, is an error, which names `place` and not the key.
    pub fn new(key: &str, place: &str) -> Result<ApiKey> {
        let key = key.trim();
        if key.is_empty() {
            return Err(Error::invalid(place, "there is no key in it"));
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::invalid(place, "a key is printable ASCII without blanks"));
        }
        if key.len() < SHORTEST {
            let rule = format!("a key has at least {SHORTEST} characters");
            let hint = "leave it out where the server takes any key: it needs none";
            return Err(refused(place, rule, hint));
        }
        let forms = RegexBuilder::new(&forms(key)).size_limit(LARGEST).build();
        let forms = forms.map_err(|_| Error::invalid(place, "the key is too long"))?;
        Ok(ApiKey(Arc::new(Secret { key: key.to_owned(), forms })))
    }

    /// Reads it from an environment variable, which has to be set.
    pub fn from_environment(variable: &str) -> Result<ApiKey> {
        // Who gives the key itself for the name must not find it in the error.
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let shown = if variable.chars().all(is_name) { variable } else { "VAR" };
        let place = format!("--api-key-env {shown}");
        let Ok(key) = std::env::var(variable) else {
            let hint = "it takes the name of a variable, not the key";
            return Err(refused(place, "this environment variable is not set", hint));
        };
        ApiKey::new(&key, &place)
    }

    /// Reads it from a file that holds nothing else.
    pub fn from_file(path: &Path) -> Result<ApiKey> {
        ApiKey::new(&config::text(path)?, &format!("--api-key-file {}", path.display()))
    }

    /// The value of the header that carries it.
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "nothing is sent"))]
    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.0.key)
    }

    /// The text without the key, whatever form it had there.
    pub fn scrub(&self, text: &str) -> String {
        let mut text = self.0.forms.replace_all(text, NoExpand(MARK)).into_owned();
        for part in parts(&self.0.key, &text).into_iter().rev() {
            // OK to cut there: a key is ASCII.
            text.replace_range(part, MARK);
        }
        text
    }
}

/// What of a text is the key: its characters, as they are or escaped as in URLs, JSON, HTML, shells
/// and mails, also in two-byte letters; its hexadecimal digits; what base64, base64 of that, and
/// base32 make of it wherever it begins among the encoded bytes.
fn forms(key: &str) -> String {
    let characters: Vec<String> = key.bytes().map(character).collect();
    let digits: Vec<String> = key.bytes().map(|b| format!(r"(?:0x|\\x)?{b:02x}")).collect();
    let mut forms = vec![
        characters.join(r"(?:\x00|\\u0000|\\0)?"),
        format!("(?i:{})", digits.join(r"[\s:,;._-]*")),
    ];
    let encoders: [(usize, Encode); 3] = [
        (6, &|bytes| STANDARD_NO_PAD.encode(bytes)),
        (6, &|bytes| URL_SAFE_NO_PAD.encode(bytes)),
        (5, &base32),
    ];
    for (bits, encode) in encoders {
        let encoded = cores(key.as_bytes(), bits, encode);
        let twice = cores(STANDARD_NO_PAD.encode(key).as_bytes(), bits, encode);
        forms.extend(encoded.into_iter().chain(twice).map(|core| {
            // Encoded text is broken into lines.
            let letters: Vec<String> =
                core.chars().map(|letter| regex::escape(&letter.to_string())).collect();
            letters.join(r"(?:\s|\\[rn]|=\r?\n)*")
        }));
    }
    forms.join("|")
}

/// Letters of bytes.
type Encode<'a> = &'a dyn Fn(&[u8]) -> String;

/// What encodings of so many bits a letter make of the bytes, wherever they begin. A letter that
/// holds bits of a neighbour is not theirs alone.
fn cores(bytes: &[u8], bits: usize, encode: Encode) -> Vec<String> {
    let at = |before: usize| {
        let padded = [&vec![0; before][..], bytes].concat();
        let (first, last) = ((before * 8).div_ceil(bits), padded.len() * 8 / bits);
        encode(&padded).get(first..last).map(str::to_owned)
    };
    (0..bits).filter_map(at).collect()
}

/// RFC 4648, without padding.
fn base32(bytes: &[u8]) -> String {
    let bit = |place: usize| bytes.get(place / 8).map_or(0, |byte| byte >> (7 - place % 8) & 1);
    let letter = |group: usize| {
        let value = (0..5).fold(0, |value, of| value << 1 | bit(group * 5 + of));
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[usize::from(value)])
    };
    (0..(bytes.len() * 8).div_ceil(5)).map(letter).collect()
}

/// A character of the key, in any writing and case.
fn character(byte: u8) -> String {
    let plain = regex::escape(&char::from(byte).to_string());
    let named = match byte {
        b'&' => "|&amp;",
        b'<' => "|&lt;",
        b'>' => "|&gt;",
        b'"' => "|&quot;",
        b'\'' => "|&apos;",
        _ => "",
    };
    format!(
        r"(?i:\\?{plain}|%(?:25)*{byte:02x}|\\+(?:u00|x){byte:02x}|\\+{byte:03o}|={byte:02x}|&#0*{byte};|&#x0*{byte:x};{named})"
    )
}

/// Where parts of the key stand that would give it away.
fn parts(key: &str, text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let pieces: Vec<&[u8]> = key.as_bytes().windows(PART).collect();
    for (place, window) in text.as_bytes().windows(PART).enumerate() {
        if !pieces.contains(&window) {
            continue;
        }
        match found.last_mut().filter(|last| last.end >= place) {
            Some(last) => last.end = place + PART,
            None => found.push(place..place + PART),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_key_is_scrubbed_in_every_form() {
        let text = "sk-live/Abc+123=xyz&9";
        let key = ApiKey::new(text, "here").unwrap_or_else(|error| panic!("{error}"));
        let hex: String = text.bytes().map(|byte| format!("{byte:02X}")).collect();
        let hex_with = |mark: &str| {
            let bytes: Vec<String> = text.bytes().map(|byte| format!("{byte:02x}")).collect();
            bytes.join(mark)
        };
        let each = |write: fn(char) -> String| text.chars().map(write).collect::<String>();
        let mixed = text.replace('/', "%2F").replace('+', "\\u002b").replace('&', "&amp;");
        for shown in [
            text.to_owned(),
            hex,
            mixed,
            text.replace('/', "\\/"),
            each(|c| format!("%{:02x}", c as u32)),
            each(|c| format!("%25{:02X}", c as u32)),
            each(|c| format!("\\u{:04x}", c as u32)),
            each(|c| format!("&#{};", c as u32)),
            each(|c| format!("\\x{:02x}", c as u32)),
            each(|c| format!("\\{:03o}", c as u32)),
            each(|c| format!("={:02X}", c as u32)),
            each(|c| format!("{c}\0")).trim_end_matches('\0').to_owned(),
            hex_with(":"),
            hex_with(" "),
            hex_with(", 0x"),
            text.to_uppercase(),
            STANDARD_NO_PAD.encode(text).replacen("c2st", "c2st\r\n", 1),
        ] {
            assert_eq!(key.scrub(&format!("a {shown} b")), "a [key] b", "{shown}");
        }
        assert_eq!(key.scrub("nothing of it"), "nothing of it");
        // Its last letter holds bits of what follows.
        let twice = STANDARD_NO_PAD.encode(STANDARD_NO_PAD.encode(text));
        for encoded in [twice, base32(text.as_bytes())] {
            let scrubbed = key.scrub(&encoded);
            assert!(scrubbed.len() <= MARK.len() + 1, "{encoded}: {scrubbed}");
        }
        assert_eq!(key.scrub("a live/Abc+123=x… b"), "a [key]… b");
        assert_eq!(base32(b"foobar"), "MZXW6YTBOI");
    }

    #[test]
    fn what_is_no_key_or_a_key_in_place_of_a_name_is_refused_without_being_shown() {
        for (given, shown) in [("sk-live-123456789", false), ("PROCTOR_NO_SUCH_KEY", true)] {
            let Err(error) = ApiKey::from_environment(given) else { panic!("{given} is set") };
            assert_eq!(error.to_string().contains(given), shown, "{error}");
        }
        for text in ["", "  \n", "short", "two words of it", "schlüssel-schlüssel"] {
            let Err(error) = ApiKey::new(text, "FILE") else { panic!("{text} is taken") };
            let said = format!("{error} {}", error.hint().unwrap_or_default());
            assert!(said.contains("FILE"), "{said}");
            assert!(text.trim().is_empty() || !said.contains(text.trim()), "{said}");
        }
    }

    proptest! {
        /// forall key, what stands around it: base64 of both holds nothing of the key's core.
        #[test]
        fn base64_around_a_key_is_scrubbed(
            text in "[!-~]{12,40}", before in "[a-z]{0,5}", after in "[a-z]{0,5}",
        ) {
            let key = ApiKey::new(&text, "here").unwrap_or_else(|error| panic!("{error}"));
            let around = format!("{before}{text}{after}");
            for encoded in [STANDARD_NO_PAD.encode(&around), URL_SAFE_NO_PAD.encode(&around)] {
                let scrubbed = key.scrub(&encoded);
                prop_assert!(scrubbed.contains(MARK), "{encoded}");
                prop_assert!(scrubbed.len() + 8 < encoded.len() + MARK.len());
            }
        }
    }
}
