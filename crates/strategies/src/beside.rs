//! `beside-summaries`: ours, a stage behind the stages of others. Every summary that they make gets
//! the words that it stands for, without a model: what the user said, a digest of the work, or
//! both. It tells what such words are worth with a strategy that has none (`strata` has them).

use crate::prelude::*;
use crate::verbatim::{Limits, WORDS, WORK, done, said};

parameters! {
    /// Words behind summaries.
    ///
    /// What a summary stands for is taken from the log, so that a summary of summaries has the
    /// words of all. The newest are kept.
    ///
    /// Keep-rules: all. Pressure: none.
    pub struct BesideSummaries {
        eligibility "user-share" user_share: f64 = 0.05,
            "the user's words behind a summary, as a share of the room for messages";
        eligibility "digest-share" digest_share: f64 = 0.0,
            "the digest behind a summary, as a share of the room for messages";
        eligibility "said-tokens" said: Tokens = Tokens(400),
            "most tokens of each message of the user";
        eligibility "text-tokens" text: Tokens = Tokens(60),
            "most tokens of each text of the agent in a digest";
        eligibility "argument-tokens" argument: Tokens = Tokens(15),
            "most tokens of each argument of a call in a digest; without any, calls are not told";
        eligibility "short-tokens" short: Tokens = Tokens(100),
            "results of up to so many tokens stand in a digest";
    }
}

impl Strategy for BesideSummaries {
    fn asks(&self) -> bool {
        false
    }

    fn check(&self) -> Result<(), String> {
        match [self.user_share, self.digest_share].iter().all(|share| (0.0..=1.0).contains(share)) {
            true => Ok(()),
            false => Err("a share is between 0 and 1".to_owned()),
        }
    }

    fn plan(&self, view: &View, context: &PlanContext) -> Decision {
        let mut words: BTreeMap<usize, Vec<Piece>> = BTreeMap::new();
        for place in places(view, Class::Summary) {
            let entry = &view.entries()[place];
            let beside = if entry.rewritten { Vec::new() } else { self.beside(entry, context) };
            if !beside.is_empty() {
                words.insert(place, [vec![Piece::quote(entry.id)], beside].concat());
            }
        }
        if words.is_empty() {
            return Decision::decline("no summary is without its words");
        }
        mechanical(rewording(view, words))
    }
}

impl BesideSummaries {
    fn beside(&self, entry: &Entry, context: &PlanContext) -> Vec<Piece> {
        let budget = context.budget;
        let room = budget.window - budget.system - budget.schemas - budget.max_output;
        let limits = Limits { text: self.text, argument: self.argument, short: self.short };
        let (covers, past) = (&entry.covers, context.past);
        let said = said(covers, past, self.said, room.share(self.user_share));
        let done = done(covers, past, limits, room.share(self.digest_share));
        let mut pieces = Vec::new();
        for (heading, told) in [(WORDS, said), (WORK, done)] {
            if !told.is_empty() {
                pieces.push(Piece::literal(format!("\n\n{heading}")));
                pieces.extend(told);
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::full_replace::FullReplace;
    use crate::testkit::Scene;
    use proctor_core::pressure::Budget;

    /// What stands behind the summary after two rounds of work, each compacted.
    fn behind(beside: &BesideSummaries) -> String {
        behind_in(Scene::texts(&[]), beside)
    }

    fn behind_in(mut scene: Scene, beside: &BesideSummaries) -> String {
        for round in ["first", "second"] {
            let words = [format!("Do the {round}."), format!("I do the {round}."), "ok".to_owned()];
            scene.more_texts(&[
                ('u', &words[0]),
                ('c', &words[1]),
                ('t', &words[2]),
                ('a', "Done."),
            ]);
            scene.act(&FullReplace::default(), None).expect("it replaces");
            scene.act(beside, None).expect("its summary has no words yet");
            assert!(scene.plan(beside, None).is_none(), "a summary gets its words once");
        }
        let text = scene.contents().concat();
        let (_, behind) = text.split_once("\n\nWhat ").unwrap_or_default();
        behind.to_owned()
    }

    #[test]
    fn a_summary_of_summaries_has_the_user_s_words_of_all() {
        let told = behind(&BesideSummaries::default());
        assert_eq!(told, "the user said then:\n\n- Do the first.\n- Do the second.");
    }

    #[test]
    fn a_digest_tells_texts_calls_and_short_results_in_order() {
        let beside = BesideSummaries { user_share: 0.0, digest_share: 0.01, ..Default::default() };
        assert_eq!(
            behind(&beside),
            "was done then:\n\nI do the first.\n(run)\nok\nDone.\n\
             I do the second.\n(run)\nok\nDone.\n"
        );
    }

    #[test]
    fn the_newest_are_kept_where_not_all_fit() {
        let beside =
            BesideSummaries { user_share: 0.00005, digest_share: 0.0, ..Default::default() };
        assert_eq!(behind(&beside), "the user said then:\n\n- Do the second.");
    }

    #[test]
    fn a_share_is_of_the_room_for_messages() {
        let beside = BesideSummaries { user_share: 0.0002, ..Default::default() };
        let mut scene = Scene::texts(&[]);
        let [system, schemas, max_output] = [30_000, 25_000, 20_000].map(Tokens);
        scene.budget = Budget { system, schemas, max_output, ..scene.budget };
        assert_eq!(behind_in(scene, &beside), "the user said then:\n\n- Do the second.");
    }
}
