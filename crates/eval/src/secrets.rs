//! Likely secrets in texts that are about to be written.
//!
//! A scan knows the shapes of well-known keys and of assignments to names such as
//! `password`. It says what kind, how many and where, never what: a warning that
//! repeated the secret would spread it. It finds what is likely, not all there is, and a
//! text without findings is no proof of anything.

mod shape;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::log::Log;
use crate::run_dir::story::Story;

/// What a likely secret is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An AWS access key id (`AKIA...`).
    AwsAccessKey,
    /// A GitHub token (`ghp_...`, `github_pat_...`).
    GitHubToken,
    /// A GitLab token (`glpat-...`).
    GitLabToken,
    /// A private key in a PEM block.
    PrivateKey,
    /// A signed web token (`eyJ...`).
    WebToken,
    /// A Slack token or hook.
    SlackToken,
    /// A Stripe key (`sk_live_...`).
    StripeKey,
    /// An Anthropic key (`sk-ant-...`).
    AnthropicKey,
    /// A key of OpenAI's shape (`sk-...`).
    OpenAiKey,
    /// A Google key (`AIza...`).
    GoogleKey,
    /// A token of a package registry or model hub (`npm_...`, `hf_...`).
    RegistryToken,
    /// A password: assigned, or in the address of a server.
    Password,
    /// A random value assigned to a name such as `secret` or `api_key`.
    Assigned,
}

impl Kind {
    /// In words, one or several.
    pub fn name(self, count: usize) -> &'static str {
        let (one, several) = match self {
            Kind::AwsAccessKey => ("AWS access key id", "AWS access key ids"),
            Kind::GitHubToken => ("GitHub token", "GitHub tokens"),
            Kind::GitLabToken => ("GitLab token", "GitLab tokens"),
            Kind::PrivateKey => ("private key", "private keys"),
            Kind::WebToken => ("signed web token", "signed web tokens"),
            Kind::SlackToken => ("Slack token", "Slack tokens"),
            Kind::StripeKey => ("Stripe key", "Stripe keys"),
            Kind::AnthropicKey => ("Anthropic key", "Anthropic keys"),
            Kind::OpenAiKey => ("OpenAI-style key", "OpenAI-style keys"),
            Kind::GoogleKey => ("Google key", "Google keys"),
            Kind::RegistryToken => ("registry token", "registry tokens"),
            Kind::Password => ("password", "passwords"),
            Kind::Assigned => ("assigned secret", "assigned secrets"),
        };
        if count == 1 { one } else { several }
    }
}

/// Likely secrets by kind: how many different ones, and where the first stands.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    by_kind: BTreeMap<Kind, (usize, String)>,
    /// The same secret counts once. Kept as digests.
    seen: FxHashSet<[u8; 16]>,
}

impl Findings {
    /// Scans a text; `place` says in words where it stands.
    pub fn scan(&mut self, text: &str, place: impl Fn() -> String) {
        for (kind, range) in shape::find(text) {
            let mut key = [0; 16];
            let value = text.get(range).unwrap_or_default();
            key.copy_from_slice(&blake3::hash(value.as_bytes()).as_bytes()[..16]);
            if self.seen.insert(key) {
                self.by_kind.entry(kind).or_insert_with(|| (0, place())).0 += 1;
            }
        }
    }

    /// How many of a kind there are.
    pub fn count(&self, kind: Kind) -> usize {
        self.by_kind.get(&kind).map_or(0, |(count, _)| *count)
    }

    /// Kinds, counts and places in words; `None` where nothing was found.
    pub fn told(&self) -> Option<String> {
        let parts = self.by_kind.iter().map(|(kind, (count, place))| match count {
            1 => format!("1 {} ({place})", kind.name(1)),
            _ => format!("{count} {} (the first in {place})", kind.name(*count)),
        });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Scans all of a session that a story may quote.
pub fn in_log(log: &Log) -> Findings {
    let mut findings = Findings::default();
    findings.scan(&log.system, || "the system prompt".to_owned());
    for message in &log.messages {
        let place = || format!("message {}", message.id.0);
        findings.scan(&message.content, place);
        for call in &message.calls {
            findings.scan(&call.args, place);
        }
    }
    findings
}

/// Scans the texts of a story.
pub fn in_story(story: &Story, findings: &mut Findings) {
    for compaction in &story.compactions {
        let place = || format!("compaction {} of {}", compaction.number, story.cell);
        findings.scan(&compaction.instruction, place);
        compaction.answers.iter().for_each(|answer| findings.scan(answer, place));
        compaction.covers.iter().for_each(|covered| findings.scan(&covered.text, place));
    }
    for fact in &story.facts {
        findings.scan(&fact.statement, || format!("a fact of {}", story.cell));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_told_once_and_never_repeated() {
        let mut findings = Findings::default();
        let key = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        findings.scan(&format!("{key} and again {key}"), || "message 4".to_owned());
        findings.scan("password = \"hunter2hunter\"", || "message 9".to_owned());
        let told = findings.told().unwrap_or_default();
        assert_eq!(told, "1 GitHub token (message 4), 1 password (message 9)");
        assert_eq!(findings.count(Kind::GitHubToken), 1);
        assert_eq!(Findings::default().told(), None);
    }
}
