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
    use crate::testkit::Scene;

    #[test]
    fn the_placeholder_knows_nothing_of_the_output() {
        let output = "a line of output\n".repeat(20);
        let mut scene = Scene::texts(&[('u', "go"), ('c', ""), ('t', &output), ('u', "on")]);
        scene.act(&MaskToolResults { keep_last: 0 }, None).expect("it acts");
        let masked = &scene.view.entries()[2];
        assert!(masked.parts.iter().all(|part| part.spans.is_empty()));
        assert!(masked.answers.is_some());
    }
}
