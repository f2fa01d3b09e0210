//! `mask-tool-results`: old tool results give way to a placeholder.

use crate::prelude::*;

/// What is counted from the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Count {
    /// Results of tools.
    #[default]
    Results,
    /// Events, as OpenHands has them: a message, or a call of one.
    Events,
}

parameters! {
    /// Every tool result but the last `keep-last` says only how long it was: the baseline of
    /// summaries, which asks no model. Where `count` is `events`, results among the last so many
    /// events stay, and with a `placeholder` the others say that, however short they were.
    ///
    /// After observation masking as OpenHands (`observation_masking`, 100 events), SWE-agent
    /// (`last_n_observations`) and the JetBrains study (arXiv 2508.21433, 10 results) have it.
    /// There the view is masked anew for every request, here what is masked stays masked,
    /// which is the same text; SWE-agent never masks the first observation, its task; they
    /// mask however short a result is, here one that the placeholder would not shorten stays.
    ///
    /// Keep-rules: `keep-last`, `count`. Pressure: none.
    pub struct MaskToolResults {
        eligibility "keep-last" keep_last: usize = 10, "results at the end that stay";
        eligibility "count" count: Count = Count::Results,
            "what `keep-last` counts: `results`, or `events`, whose results stay",
            absent where "is_default";
        eligibility "placeholder" placeholder: String = String::new(),
            "what stands in place of a result; nothing for its number of lines",
            absent where "is_default";
    }
}

impl Strategy for MaskToolResults {
    fn asks(&self) -> bool {
        false
    }

    fn plan(&self, view: &View, _: &PlanContext) -> Decision {
        let entries = view.entries();
        let is_result = |place: &usize| entries[*place].role == Role::Tool;
        let (end, stay) = match self.count {
            Count::Results => (view.len(), self.keep_last),
            Count::Events => (before_last(entries, self.keep_last), 0),
        };
        let results = (0..end)
            .rev()
            .filter(is_result)
            .skip(stay)
            .take_while(|place| !entries[*place].rewritten)
            .filter(|place| entries[*place].kind == Kind::Message);
        let masked: BTreeMap<usize, Vec<Piece>> =
            results.filter_map(|place| Some((place, self.masked(&entries[place])?))).collect();
        if masked.is_empty() {
            return Decision::decline("no result is old and long enough");
        }
        mechanical(rewording(view, masked))
    }
}

impl MaskToolResults {
    /// What stands in place of a result, if anything.
    fn masked(&self, result: &Entry) -> Option<Vec<Piece>> {
        if !self.placeholder.is_empty() {
            return Some(vec![Piece::literal(self.placeholder.as_str())]);
        }
        let text = result.content();
        let placeholder = format!("Earlier output left out ({} lines).", text.lines().count());
        (placeholder.len() < text.len()).then(|| vec![Piece::literal(placeholder)])
    }
}

/// The place behind what stands before the last events. An event is a message or a call.
fn before_last(entries: &[Arc<Entry>], events: usize) -> usize {
    let mut left = events;
    let recent = entries.iter().rev().take_while(|entry| {
        let stays = left > 0;
        left = left.saturating_sub(event_count(entry));
        stays
    });
    entries.len() - recent.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Scene;

    #[test]
    fn the_placeholder_knows_nothing_of_the_output() {
        let output = "a line of output\n".repeat(20);
        let mut scene = Scene::texts(&[('u', "go"), ('c', ""), ('t', &output), ('u', "on")]);
        scene.act(&MaskToolResults { keep_last: 0, ..Default::default() }, None).expect("it acts");
        let masked = &scene.view.entries()[2];
        assert!(masked.parts.iter().all(|part| part.spans.is_empty()));
        assert!(masked.answers.is_some());
    }
}
