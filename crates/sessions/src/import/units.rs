//! One unit for a recorded session: how much larger the provider's tokens are than the reference's,
//! what every prompt holds beside the messages, and the context window.

use crate::prelude::*;

/// Fewer steps than this show no ratio.
pub(super) const LEAST_STEPS: usize = 5;

/// Steps that appended less say more about hidden reminders than about counting.
const LEAST_APPENDED: Tokens = Tokens(200);

/// Windows of models by what their names hold, as their vendors state them; the first that fits
/// counts.
const BY_MODEL: [(&str, Tokens); 5] = [
    ("gemini", Tokens(1_048_576)),
    ("gpt-4.1", Tokens(1_047_576)),
    ("gpt-5", Tokens(272_000)),
    ("gpt-4", Tokens(128_000)),
    ("claude", Tokens(200_000)),
];

/// Of a model that is not listed, or that was given more: the least that holds the largest prompt.
const WINDOWS: [Tokens; 5] =
    [Tokens(128_000), Tokens(200_000), Tokens(400_000), Tokens(1_000_000), Tokens(2_000_000)];

/// A ratio beyond these is no ratio of tokenizers: 2.0 is the largest that was measured.
const RATIOS: std::ops::RangeInclusive<f64> = 0.5..=3.0;

/// Infers ratio, overhead and window of a log from its recorded usage.
pub(super) fn infer(log: &mut Log) {
    if !log.usage.is_empty() {
        let mut table = TokenTable::new(log, Tokenizer::O200k);
        let shown = growth_per_counted(log, &table).filter(|(_, steps)| *steps >= LEAST_STEPS);
        let ratio = shown.map(|(ratio, _)| crate::unit::nine(ratio));
        log.ratio = ratio.filter(|ratio| RATIOS.contains(ratio));
        if log.ratio.is_some() {
            table = TokenTable::new(log, Tokenizer::O200k);
        }
        log.overhead = overhead(log, &table);
    }
    let pre = log.boundaries.iter().filter_map(|boundary| boundary.pre_tokens);
    let largest = log.usage.iter().map(|usage| usage.prompt).chain(pre).max();
    let holds = |window: &Tokens| largest.is_none_or(|largest| *window >= largest);
    let named = |(part, window): &(&str, Tokens)| {
        log.model.as_ref().is_some_and(|model| model.contains(part)).then_some(*window)
    };
    let stated = log.window.or(BY_MODEL.iter().find_map(named)).filter(holds);
    log.window = stated.or(largest.and_then(|_| WINDOWS.into_iter().find(holds)));
}

/// The largest prompt of the session, counted from its messages as they stood between recorded
/// compactions: a little more or less than the recorded one.
pub fn largest_counted(log: &Log) -> Tokens {
    let table = TokenTable::new(log, Tokenizer::O200k);
    let fixed = table.system + table.tools + log.overhead;
    let ends = log.boundaries.iter().map(|next| next.before.index()).chain([log.messages.len()]);
    let starts = [None].into_iter().chain(log.boundaries.iter().map(Some));
    let of = |(start, end): (Option<&Boundary>, usize)| fixed + held(log, &table, start, end);
    starts.zip(ends).map(of).max().unwrap_or(fixed)
}

/// What the prompt held of messages before `end`, behind a boundary or from the beginning.
fn held(log: &Log, table: &TokenTable, start: Option<&Boundary>, end: usize) -> Tokens {
    let of = |range: Range<usize>| -> Tokens {
        table.messages[range].iter().map(MessageTokens::total).sum()
    };
    let from = match start {
        Some(Boundary { action: BoundaryAction::Summary(_), before, .. }) => before.index(),
        // What was cleared is held still: a little too much.
        _ => 0,
    };
    let summary = match start.map(|start| &start.action) {
        Some(BoundaryAction::Summary(text)) => log.tokens_of(text),
        _ => Tokens::ZERO,
    };
    let kept = start.iter().flat_map(|start| &start.kept);
    let kept: Tokens = kept.map(|id| of(id.index()..id.index() + 1)).sum();
    summary + kept + of(from..end.max(from))
}

/// What every prompt held beyond its messages: the least that the first prompt of the session, or
/// the first behind a boundary, shows. Behind a boundary only its summary, what it kept and what
/// followed are messages of the prompt, so lost history is never counted as fixed.
fn overhead(log: &Log, table: &TokenTable) -> Tokens {
    let known = table.system + table.tools;
    let segment = |start: Option<&Boundary>| {
        let clears = start.is_some_and(|start| !matches!(start.action, BoundaryAction::Summary(_)));
        let from = start.map_or(0, |start| start.before.index());
        let first = log.usage.iter().find(|usage| usage.message.index() >= from)?;
        let held = held(log, table, start, first.message.index()) + known;
        (!clears).then(|| first.prompt - held)
    };
    let segments = log.boundaries.iter().map(Some).chain([None]);
    let shown = segments.filter_map(segment).filter(|overhead| *overhead > Tokens::ZERO);
    shown.min().unwrap_or(Tokens::ZERO)
}

/// Tokens by which recorded prompts grew per reference token of what was appended, over all steps
/// that can be compared, and how many these are. `None` where there are none. Steps far from any
/// ratio of tokenizers appended what the file does not hold.
pub(super) fn growth_per_counted(log: &Log, table: &TokenTable) -> Option<(f64, usize)> {
    let compared = |(span, growth): (Range<usize>, Tokens)| {
        let counted: Tokens = table.messages[span].iter().map(MessageTokens::total).sum();
        let sound = counted >= LEAST_APPENDED && RATIOS.contains(&growth.over(counted));
        sound.then_some((growth, counted))
    };
    let steps: Vec<(Tokens, Tokens)> = grown_spans(log).filter_map(compared).collect();
    let grown: Tokens = steps.iter().map(|(growth, _)| *growth).sum();
    let counted: Tokens = steps.iter().map(|(_, counted)| *counted).sum();
    (!steps.is_empty()).then(|| (grown.over(counted), steps.len()))
}

/// The messages between two calls and by how much the prompt grew with them.
pub(super) fn grown_spans(log: &Log) -> impl Iterator<Item = (Range<usize>, Tokens)> + '_ {
    log.usage.windows(2).filter_map(|pair| {
        let span = pair[0].message.index()..pair[1].message.index();
        Some((span, growth(log, &pair[0], &pair[1])?))
    })
}

/// By how much the prompt grew; `None` where it shrank or a boundary lies between.
fn growth(log: &Log, earlier: &Usage, later: &Usage) -> Option<Tokens> {
    let between = earlier.message..=later.message;
    let mut places = log.boundaries.iter().map(|boundary| boundary.before);
    let compacted = places.any(|at| between.contains(&at) && at != earlier.message);
    (!compacted && later.prompt > earlier.prompt).then(|| later.prompt - earlier.prompt)
}
