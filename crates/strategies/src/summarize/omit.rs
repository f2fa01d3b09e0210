//! A dial on forgetting: any summarizer, less a share of the lines of its answers.
//!
//! No real one forgets like this. It is there so that a loss of known size can be
//! planted, to see whether comparisons and gates find it. Whether a line is left out is
//! drawn from the seed, the replicate and the line itself: what a share of 0.05 leaves
//! out a share of 0.1 leaves out too, equal lines fare alike under every strategy, and a
//! line that was kept once is kept whenever it is summarized again.

use crate::ident::Seed;
use crate::summarize::fault::PerMille;
use crate::summarize::{Answer, Ask, Prompt, Reply, Stopped};
use crate::unit::Tokens;

/// A summarizer that leaves lines out.
pub struct Omitting {
    inner: Box<dyn Ask + Send>,
    share: PerMille,
    seed: Seed,
}

impl Omitting {
    /// Leaves this share of all lines out, but for headings and empty ones; the seed is
    /// the session's.
    pub fn new(inner: Box<dyn Ask + Send>, share: PerMille, seed: Seed) -> Omitting {
        Omitting { inner, share, seed: seed.derive(&["omission"]) }
    }

    fn keeps(&self, line: &str, replicate: &str) -> bool {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return true;
        }
        !self.share.strikes(self.seed.derive(&[replicate, line]))
    }

    fn less(&self, text: &str, replicate: u32) -> String {
        let replicate = replicate.to_string();
        text.split_inclusive('\n').filter(|line| self.keeps(line, &replicate)).collect()
    }
}

impl Ask for Omitting {
    fn name(&self) -> &'static str {
        "omitting"
    }

    fn window(&self) -> Tokens {
        self.inner.window()
    }

    fn max_output(&self) -> Tokens {
        self.inner.max_output()
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

    struct Lines(usize);

    impl Offline for Lines {
        const NAME: &'static str = "lines";

        fn answer(&self, _: &Prompt) -> String {
            let lines: String = (0..self.0).map(|number| format!("- fact {number}\n")).collect();
            format!("# Facts\n\n{lines}")
        }
    }

    fn kept(share: f64, replicate: u32) -> Vec<String> {
        let share = PerMille::of(share).expect("a share");
        let omitting = Omitting::new(Box::new(Lines(2_000)), share, Seed(7));
        let prompt = Prompt { replicate, ..Prompt::of_user([], 1_000) };
        let answer = omitting.ask(&[prompt]).unwrap().remove(0).expect("an answer");
        answer.text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_share_is_left_out_and_headings_stay() {
        let lines = kept(0.1, 0);
        assert_eq!(lines[..2], ["# Facts", ""]);
        let left_out = 2_002 - lines.len();
        assert!((150..250).contains(&left_out), "{left_out}");
    }

    #[test]
    fn what_a_small_share_leaves_out_a_greater_one_leaves_out_too() {
        let (small, great) = (kept(0.05, 0), kept(0.2, 0));
        assert!(great.len() < small.len());
        assert!(great.iter().all(|line| small.contains(line)));
    }

    #[test]
    fn replicates_leave_out_other_lines() {
        assert_ne!(kept(0.1, 0), kept(0.1, 1));
        assert_eq!(kept(0.1, 1), kept(0.1, 1));
    }
}
