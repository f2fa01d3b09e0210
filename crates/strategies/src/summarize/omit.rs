//! A dial on forgetting: any summarizer, less a share of the lines of its answers, so that a
//! loss of known size can be planted. A line's lot depends on the seed, the replicate and the
//! line: it fares alike under every strategy, and a greater share leaves out more of the same.

use crate::ident::Seed;
use crate::summarize::fault::PerMille;
use crate::summarize::{Answer, Ask, Limits, Prompt, Reply, Stopped};

/// A summarizer that leaves lines out.
pub struct Omitting {
    inner: Box<dyn Ask + Send>,
    share: PerMille,
    seed: Seed,
}

impl Omitting {
    /// Leaves this share of lines out, headings and empty ones apart; by the session's seed.
    pub fn new(inner: Box<dyn Ask + Send>, share: PerMille, seed: Seed) -> Omitting {
        Omitting { inner, share, seed: seed.derive(&["omission"]) }
    }

    fn less(&self, text: &str, replicate: u32) -> String {
        let replicate = replicate.to_string();
        let keeps = |line: &&str| {
            let line = line.trim();
            line.is_empty()
                || line.starts_with('#')
                || !self.share.strikes(self.seed.derive(&[&replicate, line]))
        };
        text.split_inclusive('\n').filter(keeps).collect()
    }
}

impl Ask for Omitting {
    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn ask(&self, batch: &[Prompt]) -> Result<Vec<Reply>, Stopped> {
        let replies = self.inner.ask(batch)?.into_iter().zip(batch);
        let less = replies.map(|(reply, prompt)| {
            let answer = reply?;
            Ok(Answer { text: self.less(&answer.text, prompt.replicate), ..answer })
        });
        Ok(less.collect())
    }

    fn memoizes(&self) -> bool {
        self.inner.memoizes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarize::Offline;

    struct Lines;

    impl Offline for Lines {
        fn answer(&self, _: &Prompt) -> String {
            let lines: String = (0..2_000).map(|number| format!("- fact {number}\n")).collect();
            format!("# Facts\n\n{lines}")
        }
    }

    fn kept(share: f64, replicate: u32) -> Vec<String> {
        let share = PerMille::of(share).expect("a share");
        let omitting = Omitting::new(Box::new(Lines), share, Seed(7));
        let prompt = Prompt { replicate, ..Prompt::of_user([], 1_000) };
        let answer = omitting.ask(&[prompt]).unwrap().remove(0).expect("an answer");
        answer.text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_share_is_left_out_headings_stay_and_a_greater_share_leaves_out_more_of_the_same() {
        let lines = kept(0.1, 0);
        assert_eq!(lines[..2], ["# Facts", ""]);
        let left_out = 2_002 - lines.len();
        assert!((150..250).contains(&left_out), "{left_out}");
        let less = kept(0.2, 0);
        assert!(less.len() < lines.len() && less.iter().all(|line| lines.contains(line)));
        assert_ne!(lines, kept(0.1, 1), "replicates leave out other lines");
    }
}
