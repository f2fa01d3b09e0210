//! Redaction: texts and names of transcripts as digests, the same in every run. Whoever suspects a
//! short text can try it: this hides what was said, it does not encrypt it.

use crate::run_dir::story::Story;

/// What every digest begins with: a digest made for another purpose is another one.
const SALT: &str = "proctor redacted text";

/// What stands for a text: `text:1f3a9c (240 characters)`. Nothing stands for nothing.
pub fn text(text: &str) -> String {
    match text.chars().count() {
        0 => String::new(),
        1 => format!("text:{} (1 character)", digest(text)),
        count => format!("text:{} ({count} characters)", digest(text)),
    }
}

/// What stands for a name in cell ids: `text-1f3a9c`. A redacted name stays.
pub fn name(name: &str) -> String {
    let is_digest = |rest: &str| rest.len() == 6 && rest.bytes().all(|b| b.is_ascii_hexdigit());
    if name.is_empty() || name.strip_prefix("text-").is_some_and(is_digest) {
        return name.to_owned();
    }
    format!("text-{}", digest(name))
}

fn digest(text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(SALT.as_bytes());
    hasher.update(text.as_bytes());
    hasher.finalize().to_hex()[..6].to_owned()
}

/// A story without the words of its session.
#[must_use]
pub fn story(mut story: Story) -> Story {
    let hide = |words: &mut String| *words = text(words);
    for compaction in &mut story.compactions {
        hide(&mut compaction.instruction);
        compaction.answers.iter_mut().for_each(hide);
        compaction.covers.iter_mut().for_each(|covered| hide(&mut covered.text));
    }
    story.facts.iter_mut().for_each(|fact| hide(&mut fact.statement));
    story
}
