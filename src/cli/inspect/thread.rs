//! One step, or one fact through the steps.

use crate::cli::inspect::cell::Shown;
use crate::cli::inspect::compaction::{because, blamed};
use crate::cli::paper::{Paper, Style};
use crate::error::{Error, Result};
use crate::number::tokens;
use crate::run_dir::story::Story;
use crate::truth::Fact;

/// Facts that are followed, unless all are wanted.
const LISTED: usize = 8;

/// What was sent at a step, and what was needed there.
pub(super) fn of_step(paper: &mut Paper, story: &Story, number: u32) -> Result<()> {
    let steps = &story.steps;
    let place = steps.step.iter().position(|step| *step == number);
    let place = place.ok_or_else(|| Error::Invalid {
        place: format!("--step {number}"),
        rule: format!("the cell made {} calls", steps.step.len()),
        hint: None,
    })?;
    let at = |column: &[u64]| column.get(place).copied().unwrap_or(0) as f64;
    let count = |column: &[u32]| column.get(place).copied().unwrap_or(0);
    paper.line(&[(Style::Strong, &story.cell)]);
    paper.heading(&format!("STEP {number}"), &format!("in turn {}", count(&steps.turn)));
    let (prompt, cached) = (tokens(at(&steps.prompt)), tokens(at(&steps.cached)));
    let share = 100.0 * at(&steps.prompt) / (story.usable.max(1)) as f64;
    let of_window = if story.usable == 0 {
        String::new()
    } else {
        format!(" ({share:.0} % of what a prompt may use)")
    };
    paper.line(&[(
        Style::Plain,
        &format!("  prompt {prompt} tokens{of_window}, {cached} from the cache"),
    )]);
    let shares = story.share_names.iter().zip(steps.shares.get(place).into_iter().flatten());
    let shares: Vec<String> = shares
        .filter(|(_, tokens)| **tokens > 0)
        .map(|(name, tokens)| format!("{name} {}", crate::number::tokens(*tokens as f64)))
        .collect();
    let kept = tokens(at(&steps.kept));
    paper.line(&[(Style::Plain, &format!("  messages {kept}: {}", shares.join(", ")))]);
    let (live, present) = (count(&steps.live), count(&steps.present));
    paper.line(&[(
        Style::Plain,
        &format!("  of {live} facts still to be needed the prompt holds {present}"),
    )]);
    compacted(paper, story, number);
    needed(paper, story, number);
    Ok(())
}

fn compacted(paper: &mut Paper, story: &Story, step: u32) {
    let here: Vec<_> = story.compactions.iter().filter(|one| one.step == step).collect();
    if here.is_empty() {
        return;
    }
    paper.heading("COMPACTED", "");
    for one in here {
        let (before, after) = (tokens(one.before as f64), tokens(one.after as f64));
        let what = format!(" {}, {before} → {after}, {} facts lost", one.outcome, one.lost.len());
        paper.line(&[
            (Style::Strong, &format!("  {} ", one.number)),
            (Style::Name, &one.stage),
            (Style::Plain, &what),
        ]);
    }
}

fn needed(paper: &mut Paper, story: &Story, step: u32) {
    let here: Vec<_> = story.demands.iter().filter(|demand| demand.step == step).collect();
    let note = if here.is_empty() { "nothing that the truth knows of" } else { "" };
    paper.heading("NEEDED", note);
    for demand in here {
        let Some(fact) = story.facts.get(demand.fact as usize) else { continue };
        let (style, word) =
            if demand.met { (Style::Good, "there  ") } else { (Style::Bad, "missing") };
        paper.line(&[
            (Style::Plain, "  "),
            (style, word),
            (Style::Name, &format!(" {}", fact.kind)),
        ]);
        paper.wrapped(10, Style::Plain, &fact.statement, 4);
        if let Some((number, why)) = blamed(story, demand.fact, step) {
            let lost = format!("          lost in compaction {number}: {why}");
            paper.line(&[(Style::Faint, &lost)]);
        }
    }
}

/// What happened to a fact, in order.
struct Happening {
    step: u32,
    /// Compactions of a step come before its call.
    order: u32,
    style: Style,
    says: String,
}

/// Facts whose statement holds a text, through the session.
pub(super) fn of_facts(paper: &mut Paper, shown: &Shown, text: &str, full: bool) -> Result<()> {
    let story = &shown.told.story;
    let wanted = text.to_lowercase();
    let holds = |statement: &str| statement.to_lowercase().contains(&wanted);
    let found: Vec<u32> = (0..story.facts.len() as u32)
        .filter(|fact| holds(&story.facts[*fact as usize].statement))
        .collect();
    let truth = shown.session.as_ref().map(|prepared| &prepared.session.book.truth);
    let untouched: Vec<&Fact> = truth
        .iter()
        .flat_map(|truth| &truth.facts)
        .filter(|fact| holds(&fact.statement) && !is_told(story, fact))
        .collect();
    if found.is_empty() && untouched.is_empty() {
        return Err(Error::Invalid {
            place: format!("--fact {text}"),
            rule: "no fact of the session holds this text".to_owned(),
            hint: Some("`proctor inspect SESSION` lists what a session knows".to_owned()),
        });
    }
    paper.line(&[(Style::Strong, &story.cell)]);
    let most = if full { usize::MAX } else { LISTED };
    for place in found.iter().take(most) {
        let told = &story.facts[*place as usize];
        paper.heading("FACT", &told.kind);
        paper.wrapped(2, Style::Plain, &told.statement, 6);
        let facts = truth.iter().flat_map(|truth| &truth.facts);
        let same = |fact: &&Fact| fact.kind.name() == told.kind && begins(told, fact);
        if let Some(fact) = facts.into_iter().find(same) {
            paper.line(&[(Style::Faint, &format!("  first said in message {}", fact.born.0))]);
        }
        let mut happenings = happenings(story, *place);
        happenings.sort_by_key(|one| (one.step, one.order));
        for one in happenings {
            paper.line(&[
                (Style::Plain, &format!("  step {:>5}  ", one.step)),
                (one.style, &one.says),
            ]);
        }
    }
    let rest = found.len().saturating_sub(most);
    if rest > 0 {
        paper.blank();
        paper.line(&[(
            Style::Faint,
            &format!("… {rest} more facts hold this text; `--full` shows them"),
        )]);
    }
    for fact in untouched.iter().take(most) {
        paper.heading("FACT", fact.kind.name());
        paper.wrapped(2, Style::Plain, &fact.statement, 6);
        paper.line(&[(Style::Faint, "  no compaction took its message and no step needed it")]);
    }
    Ok(())
}

fn begins(told: &crate::run_dir::story::ToldFact, fact: &Fact) -> bool {
    fact.statement.starts_with(told.statement.trim_end_matches('…'))
}

fn is_told(story: &Story, fact: &Fact) -> bool {
    story.facts.iter().any(|told| told.kind == fact.kind.name() && begins(told, fact))
}

fn happenings(story: &Story, fact: u32) -> Vec<Happening> {
    let mut all = Vec::new();
    for one in &story.compactions {
        if one.lived.contains(&fact) {
            let says = format!("lived through compaction {} ({})", one.number, one.stage);
            all.push(Happening { step: one.step, order: one.number, style: Style::Plain, says });
        }
        if let Some(lost) = one.lost.iter().find(|lost| lost.fact == fact) {
            let why = because(&lost.class);
            let says = format!("lost in compaction {} ({}): {why}", one.number, one.stage);
            all.push(Happening { step: one.step, order: one.number, style: Style::Bad, says });
        }
    }
    for demand in story.demands.iter().filter(|demand| demand.fact == fact) {
        let (style, says) = match demand.met {
            true => (Style::Good, "needed, and there".to_owned()),
            false => (Style::Bad, "needed, and missing".to_owned()),
        };
        all.push(Happening { step: demand.step, order: u32::MAX, style, says });
    }
    all
}
