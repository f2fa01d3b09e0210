//! `mask-tool-results`: old tool results give way to a placeholder.

use crate::prelude::*;

parameters! {
    /// Every tool result but the last `keep-last` says only how long it was: the baseline of
    /// summaries, which asks no model.
    ///
    /// After observation masking as OpenHands (`observation_masking`, 100 events), SWE-agent
    /// (`last_n_observations`) and the JetBrains study (arXiv 2508.21433, 10 results) have it.
    /// There the view is masked anew for every request, here what is masked stays masked,
    /// which is the same text; SWE-agent never masks the first observation, its task; they
    /// mask however short a result is, here one that the placeholder would not shorten stays.
    ///
    /// Keep-rules: `keep-last`. Pressure: none.
    pub struct MaskToolResults {
        eligibility "keep-last" keep_last: usize = 10, "results at the end that stay";
    }
}

impl Strategy for MaskToolResults {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let entries = view.entries();
        let results = (0..entries.len())
            .rev()
            .filter(|place| entries[*place].role == Role::Tool)
            .skip(self.keep_last)
            .take_while(|place| !entries[*place].rewritten)
            .filter(|place| entries[*place].kind == Kind::Message);
        let mut masked: BTreeMap<usize, Vec<Piece>> = BTreeMap::new();
        for place in results {
            let text = entries[place].content();
            let placeholder = format!("Earlier output left out ({} lines).", text.lines().count());
            if placeholder.len() < text.len() {
                masked.insert(place, vec![Piece::literal(placeholder)]);
            }
        }
        if masked.is_empty() {
            return Decision::decline("no result is old and long enough");
        }
        mechanical(rewording(view, masked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Scene, rules, scene};

    /// The shape, its results twenty lines long.
    fn long(shape: &str) -> Scene {
        let mut scene = scene(shape);
        scene.reword(|entry| (entry.role == Role::Tool).then(|| "a line of output\n".repeat(20)));
        scene
    }

    #[test]
    fn all_results_but_the_last_are_masked_once() {
        for (keep_last, shape, masked) in [
            (1, "uctctctu", vec![2, 4]),
            (0, "uctu", vec![2]),
            (2, "u2ttctu", vec![2]),
            (3, "uctctctu", vec![]),
            (9, "", vec![]),
        ] {
            let (mut scene, mask) = (long(shape), MaskToolResults { keep_last });
            let applied = scene.act(&mask, None);
            assert_eq!(applied.is_some(), !masked.is_empty(), "{keep_last} {shape}");
            assert!(applied.is_none_or(|applied| rules(&applied).is_empty()), "pairs hold");
            for (place, entry) in scene.view.entries().iter().enumerate() {
                assert_eq!(entry.rewritten, masked.contains(&place), "{keep_last} {shape}");
            }
            assert!(scene.act(&mask, None).is_none(), "once is enough");
        }
    }

    #[test]
    fn the_placeholder_says_how_long_the_output_was_and_knows_nothing_of_it() {
        let mut scene = long("uctu");
        scene.act(&MaskToolResults { keep_last: 0 }, None).expect("it acts");
        let masked = &scene.view.entries()[2];
        assert_eq!(masked.content().as_ref(), "Earlier output left out (20 lines).");
        assert!(masked.parts.iter().all(|part| part.spans.is_empty()));
        assert!(masked.answers.is_some());
    }
}
