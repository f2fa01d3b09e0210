//! The shapes of secrets. One automaton finds where one may begin; a pattern anchored
//! there decides. So most text is passed over once, whatever the number of kinds.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use regex::Regex;

use crate::secrets::Kind;

/// Most bytes after a mark that a pattern may look at.
const REACH: usize = 512;

/// How a match is judged beyond its pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Judge {
    /// The shape is enough.
    Shape,
    /// The value must look random: letters of both cases and digits.
    Mixed,
    /// A password: anything but a placeholder, a name or an expression.
    Password,
    /// A value that is assigned: random, and no identifier of another sort.
    Assigned,
}

/// A kind with the marks that it begins with and its pattern, whose first group is the
/// value where it is not the whole.
struct Shape {
    kind: Kind,
    marks: &'static [&'static str],
    pattern: &'static str,
    judge: Judge,
}

/// `=`, `:` or `=>`, with the quotes and escapes that JSON puts around them.
macro_rules! assigned {
    ($value:literal) => {
        concat!(
            r#"(?i)^[a-z_-]*\\{0,3}["']?\s{0,4}(?:=>|[:=])\s{0,4}(\\{0,3}["'`]?"#,
            $value,
            r#"\\{0,3}["'`]?)"#
        )
    };
}

const SHAPES: &[Shape] = &[
    Shape {
        kind: Kind::AwsAccessKey,
        marks: &["AKIA", "ASIA"],
        pattern: r"^A[KS]IA[A-Z2-7]{16}\b",
        judge: Judge::Shape,
    },
    Shape {
        kind: Kind::GitHubToken,
        marks: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        pattern: r"^(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})\b",
        judge: Judge::Shape,
    },
    Shape {
        kind: Kind::GitLabToken,
        marks: &["glpat-"],
        pattern: r"^glpat-[A-Za-z0-9_-]{20,64}",
        judge: Judge::Mixed,
    },
    Shape {
        kind: Kind::PrivateKey,
        marks: &["-----BEGIN "],
        // The key itself must follow: code that only names the line is no secret.
        pattern: r"^-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*(?:[A-Za-z0-9+/=]|\s|\\[nr]){64,}",
        judge: Judge::Shape,
    },
    Shape {
        kind: Kind::WebToken,
        marks: &["eyJ"],
        pattern: r"^eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}",
        judge: Judge::Shape,
    },
    Shape {
        kind: Kind::SlackToken,
        marks: &["xoxb-", "xoxa-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "hooks.slack.com/services/"],
        pattern: r"^(?:xox[abprs]-[A-Za-z0-9-]{20,}|xapp-[A-Za-z0-9-]{20,}|hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,})",
        judge: Judge::Mixed,
    },
    Shape {
        kind: Kind::StripeKey,
        marks: &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"],
        pattern: r"^(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{20,255}\b",
        judge: Judge::Mixed,
    },
    Shape {
        kind: Kind::AnthropicKey,
        marks: &["sk-ant-"],
        pattern: r"^sk-ant-[A-Za-z0-9_-]{24,255}",
        judge: Judge::Mixed,
    },
    Shape {
        kind: Kind::OpenAiKey,
        marks: &["sk-"],
        pattern: r"^sk-[A-Za-z0-9_-]{32,255}",
        judge: Judge::Mixed,
    },
    Shape {
        kind: Kind::GoogleKey,
        marks: &["AIza"],
        pattern: r"^AIza[0-9A-Za-z_-]{35}(?:[^0-9A-Za-z_-]|$)",
        judge: Judge::Mixed,
    },
    Shape {
        kind: Kind::RegistryToken,
        marks: &["npm_", "hf_"],
        pattern: r"^(?:npm_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{34})\b",
        judge: Judge::Mixed,
    },
    Shape {
        kind: Kind::Password,
        marks: &["://"],
        pattern: r"^://[^\s/:@]{1,64}:([^\s/@:]{4,64})@[A-Za-z0-9]",
        judge: Judge::Password,
    },
    Shape {
        kind: Kind::Password,
        marks: &["password", "passwd", "passphrase", "pwd"],
        pattern: assigned!(r#"[^\s"'`\\,;]{6,128}"#),
        judge: Judge::Password,
    },
    Shape {
        kind: Kind::Assigned,
        marks: &[
            "secret",
            "token",
            "api_key",
            "api-key",
            "apikey",
            "access_key",
            "accesskey",
            "private_key",
            "credential",
            "auth_key",
            "authorization",
        ],
        pattern: concat!(
            r#"(?i)^[a-z_-]*\\{0,3}["']?\s{0,4}(?:=>|[:=])\s{0,4}\\{0,3}["'`]?(?:bearer |basic )?"#,
            r#"([A-Za-z0-9+/_.=-]{20,255})"#
        ),
        judge: Judge::Assigned,
    },
];

/// The automaton and, by mark, the shape.
struct Scanner {
    marks: AhoCorasick,
    shape_of: Vec<usize>,
    patterns: Vec<Regex>,
}

static SCANNER: LazyLock<Scanner> = LazyLock::new(|| {
    let marked = SHAPES.iter().enumerate();
    let (marks, shape_of): (Vec<&str>, Vec<usize>) = marked
        .flat_map(|(place, shape)| shape.marks.iter().map(move |mark| (*mark, place)))
        .unzip();
    let marks = AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(marks)
        .expect("OK because the marks are few and short");
    let compile = |shape: &Shape| Regex::new(shape.pattern).expect("OK because a test compiles it");
    Scanner { marks, shape_of, patterns: SHAPES.iter().map(compile).collect() }
});

/// Likely secrets of a text, in order, with where their values stand.
pub(super) fn find(text: &str) -> Vec<(Kind, Range<usize>)> {
    let scanner = &*SCANNER;
    let mut found: Vec<(Kind, Range<usize>)> = Vec::new();
    for mark in scanner.marks.find_iter(text) {
        let place = scanner.shape_of[mark.pattern().as_usize()];
        let shape = &SHAPES[place];
        if found.last().is_some_and(|(_, last)| mark.start() < last.end) {
            continue;
        }
        let begins = match shape.judge {
            // Names end in the mark, and the pattern begins behind it.
            Judge::Assigned => mark.end(),
            Judge::Password if shape.marks[0] != "://" => mark.end(),
            Judge::Shape | Judge::Mixed | Judge::Password => mark.start(),
        };
        if begins == mark.start() && !stands_alone(text, begins) {
            continue;
        }
        let window = window(text, begins);
        let Some(groups) = scanner.patterns[place].captures(window) else { continue };
        let Some(value) = groups.get(1).or_else(|| groups.get(0)) else { continue };
        if accepts(shape.judge, value.as_str()) {
            found.push((shape.kind, begins + value.start()..begins + value.end()));
        }
    }
    found
}

/// Whether a key can begin here: it does not in the middle of a word.
fn stands_alone(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let own = text[at..].starts_with(|c: char| c.is_ascii_alphanumeric());
    !own || before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
}

fn window(text: &str, from: usize) -> &str {
    let mut end = (from + REACH).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[from..end]
}

fn accepts(judge: Judge, value: &str) -> bool {
    if is_placeholder(value) {
        return false;
    }
    match judge {
        Judge::Shape => true,
        Judge::Mixed => is_mixed(value),
        Judge::Password => is_password(value),
        Judge::Assigned => is_random(value),
    }
}

/// What stands where a secret would: examples, references, masks.
fn is_placeholder(value: &str) -> bool {
    let folded = value.to_ascii_lowercase();
    let words = [
        "example",
        "placeholder",
        "your",
        "changeme",
        "redacted",
        "dummy",
        "secret-here",
        "xxxx",
        "****",
        "....",
        "${",
        "{{",
        "%(",
        "process.env",
        "os.environ",
        "getenv",
        "env.",
        "env[",
    ];
    words.iter().any(|word| folded.contains(word))
        || folded.trim_matches(is_quote).starts_with(['<', '$', '%', '{', '[', '*'])
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '\\')
}

fn is_mixed(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    digits >= 2 && letters >= 4 && entropy(value) >= 3.0
}

/// A quoted value is taken at its word; a bare one may be a name or an expression, and
/// must hold a digit beside letters.
fn is_password(value: &str) -> bool {
    let bare = value.trim_matches(is_quote);
    let is_quoted = value.starts_with(is_quote);
    let has = |test: fn(&u8) -> bool| bare.bytes().any(|byte| test(&byte));
    let is_expression = bare.contains(['(', ')', '<', '>', '[', ']']) || bare.contains("::");
    let common = ["password", "passwd", "string", "secret", "required", "optional", "hidden"];
    if common.contains(&bare.to_ascii_lowercase().as_str()) || is_expression {
        return false;
    }
    if is_quoted {
        return bare.len() >= 6;
    }
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && !bare.contains('.')
}

/// Random enough for a key, and neither a UUID nor the digest of some object.
fn is_random(value: &str) -> bool {
    let is_hex = value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digest = is_hex && [32, 40, 56, 64, 96, 128].contains(&value.len());
    let uuid = value.len() == 36
        && value.bytes().filter(|byte| *byte == b'-').count() == 4
        && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let path = value.matches('/').count() > 2 && entropy(value) < 4.5 || value.starts_with('/');
    let named = ["sha256-", "sha384-", "sha512-", "sha1-"].iter().any(|p| value.starts_with(p));
    let dotted = value.split('.').count() > 2 && !value.starts_with("eyJ");
    !(digest || uuid || path || named || dotted)
        && is_mixed(value)
        && entropy(value) >= 3.5
        && changes_class_often(value)
}

/// Words joined by hyphens or underscores change between letters and digits seldom.
fn changes_class_often(value: &str) -> bool {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let classes: Vec<u8> = value.bytes().map(class).collect();
    let changes = classes.windows(2).filter(|pair| pair[0] != pair[1]).count();
    changes * 4 >= value.len()
}

/// Bits a byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[byte as usize] += 1);
    let all = value.len().max(1) as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all);
    shares.map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests;
