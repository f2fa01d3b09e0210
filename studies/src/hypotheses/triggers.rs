//! When strategies act, what acting again and again comes to, and what outlives it.

use proctor_core::log::Message;
use proctor_core::pipeline::Repeat;
use proctor_core::trace::{CompactionOutcome, DemandRecord, Found};
use proctor_core::truth::Fact;
use proctor_eval::matrix::{Summarizer, SummarizerName};

use super::prelude::*;

/// Messages in the view when the threshold is reached.
const LENGTHS: [usize; 7] = [4, 5, 6, 10, 20, 60, 200];
/// The window, and the size of the one message that fills it.
const WINDOW: u64 = 100_000;
const HUGE: u32 = 85_000;

pub fn gives_up(_: &Laboratory) -> Result<Finding> {
    let once = only("forge-head", 1)?;
    let mut still = once.clone();
    for stage in &mut still.stages {
        stage.repeat = Repeat::ToTarget;
        for pressure in &mut stage.pressure {
            pressure.target = Some(pressure.limit.clone());
        }
    }
    let mut found = Finding::default();
    let (mut bounded, mut follows, mut given_up, mut released) = (true, true, 0, 0);
    let mut most = 0;
    for n in LENGTHS {
        let bound = n.next_power_of_two().trailing_zeros() as usize;
        let at_rest = trace_of(&with_huge(n, 1), &still, window(WINDOW), &brief(100));
        let going_on = trace_of(&with_huge(n, 40), &once, window(WINDOW), &brief(100));
        let (rest, on) = (runs_of(&at_rest, 0).count(), runs_of(&going_on, 0).count());
        // The view after the last firing, in tokens.
        let [left, end] = [&at_rest, &going_on]
            .map(|trace| runs_of(trace, 0).next_back().map_or(f64::NAN, |run| run.after.as_f64()));
        bounded &= (1..=bound).contains(&rest);
        given_up += usize::from(left > 0.8 * WINDOW as f64);
        follows &= on <= bound;
        released += usize::from(end < 0.8 * WINDOW as f64);
        most = most.max(on);
        found.row(row![n, bound, rest, left, on, end]);
    }
    found.found([bounded, given_up == LENGTHS.len(), follows, released == 0]);
    let gives_up = "lengths at which it gives up above the limit, nothing in between";
    let folded = "lengths at which the huge message is folded in the end";
    found.measured = vec![
        exact(gives_up, "of 7", given_up as f64),
        exact("most firings with messages in between", "", most as f64),
        exact(folded, "", released as f64),
    ];
    Ok(found)
}

/// So many messages, the last of them huge, and so many calls.
fn with_huge(n: usize, calls: usize) -> Session {
    let mut made = Construction::new();
    for place in 0..n - 1 {
        // The huge one is a request, so that a call follows it.
        match (n - place) % 2 {
            1 => made.user(20),
            _ => made.answer(20),
        };
    }
    made.user(HUGE).answer(20);
    for _ in 1..calls {
        made.user(20).answer(20);
    }
    made.session()
}

pub fn stuck(_: &Laboratory) -> Result<Finding> {
    let pipeline = pipeline("goat-code")?;
    let drive =
        |made: &Construction, limits| trace_of(&made.session(), &pipeline, limits, &brief(1_000));
    let [mut small, mut large, mut long] = [(); 3].map(|()| Construction::new());
    small.user(50).pairs(200, 200).answer(20);
    large.system(30_000).user(50).pairs(60, 60).answer(20);
    long.system(30_000).user(50).pairs(20, 60).answer(5_000).user(50).answer(20);
    let [small, large, long] = [
        ("small window", drive(&small, provider(32_000, 16_384))),
        ("large system prompt", drive(&large, provider(50_000, 4_096))),
        ("cut off", drive(&long, provider(50_000, 4_096))),
    ];
    let mut found = Finding::default();
    for (name, trace) in [&small, &large, &long] {
        let Calls { all, compacted, unchanged } = calls(trace);
        found.row(row![name, all, compacted, unchanged, trace.ended_by.name()]);
    }
    let (tight, idle, cut_off) = (calls(&small.1), calls(&large.1), long.1);
    let last = cut_off.steps.len() as u32 + 1;
    let at_the_end = cut_off.compactions.iter().filter(|plan| plan.step == last);
    let idle_at_the_end =
        at_the_end.filter(|plan| plan.outcome == CompactionOutcome::Unchanged).count();
    found.found([
        tight.all > 0 && tight.compacted == tight.all,
        idle.all > 0 && idle.unchanged == idle.all,
        matches!(cut_off.ended_by, EndedBy::MaxTokens) && idle_at_the_end > 1,
    ]);
    let share =
        |what: &str, part: usize, all: usize| exact(what, "%", percent(part, all).unwrap_or(0.0));
    let idle_calls = "large system prompt: calls with a compaction that changes nothing";
    let times = f64::from(cut_off.cut_offs);
    let without_effect = "cut off: compactions at that call, all without effect";
    found.measured = vec![
        share("small window: calls with a compaction before them", tight.compacted, tight.all),
        share(idle_calls, idle.unchanged, idle.all),
        exact("cut off: times that the last call was cut off", "", times),
        exact(without_effect, "", idle_at_the_end as f64),
    ];
    Ok(found)
}

/// Calls from the first plan on, with a plan before them, and with plans that changed nothing.
struct Calls {
    all: usize,
    compacted: usize,
    unchanged: usize,
}

fn calls(trace: &Trace) -> Calls {
    let plans: Vec<_> = trace.compactions.iter().filter(|one| one.stage == 0).collect();
    let first = plans.first().map_or(u32::MAX, |plan| plan.step);
    let mut calls = Calls { all: 0, compacted: 0, unchanged: 0 };
    for step in trace.steps.iter().filter(|step| step.step >= first) {
        let mut own = plans.iter().filter(|plan| plan.step == step.step).peekable();
        let planned = own.peek().is_some();
        calls.all += 1;
        calls.compacted += usize::from(planned);
        let idle = planned && own.all(|plan| plan.outcome == CompactionOutcome::Unchanged);
        calls.unchanged += usize::from(idle);
    }
    calls
}

pub fn five_pairs(lab: &Laboratory) -> Result<Finding> {
    let pipeline = pipeline("forge-head-tool-call")?;
    let mut found = Finding::default();
    let mut least = None;
    for pairs in 1..=8_usize {
        // One request, so many pairs, and 22 messages without tools.
        let mut made = Construction::new();
        made.user(50).pairs(pairs, 50).answer(20);
        for _ in 0..10 {
            made.user(20).answer(20);
        }
        let session = made.user(20).session();
        let trace = trace_of(&session, &pipeline, windowless(), &brief(100));
        let calls = first_batch(&session, &trace);
        found.row(row![pairs, runs_of(&trace, 0).count(), calls.unwrap_or(0)]);
        least = least.or(calls.map(|_| pairs));
    }
    let mut drawn = Vec::new();
    for (_, cells) in by_shape(lab, &[5, 15], TOOL_CALL)? {
        let calls = |cell: &Driven| first_batch(&cell.session, &cell.trace).map(|n| n as f64);
        drawn.push(each(&cells, calls));
    }
    found.measured = vec![
        exact("least pairs on which it acts", "pairs", least.unwrap_or(0) as f64),
        within("calls in the first batch of drawn sessions", "calls", &drawn),
    ];
    found.found([least == Some(5), drawn.iter().flatten().all(|calls| *calls < 10.0)]);
    Ok(found)
}

/// Assistant messages with calls that the first batch stands for.
fn first_batch(session: &Session, trace: &Trace) -> Option<usize> {
    let is_call = |message: &&Message| message.role == Role::Assistant && !message.calls.is_empty();
    let run = runs_of(trace, 0).next()?;
    Some(run.added.iter().flat_map(|entry| covered(session, entry)).filter(is_call).count())
}

pub fn nested(_: &Laboratory) -> Result<Finding> {
    let mut made = Construction::new();
    made.user(100).pairs(400, 500).answer(20);
    let session = made.session();
    let of = |name: &str| -> Result<Vec<f64>> {
        let trace = trace_of(&session, &pipeline(name)?, window(40_000), &brief(500));
        Ok(added(&trace, Share::Summary).map(|summary| summary.tokens.as_f64()).collect())
    };
    let (source, fixed) = (of("full-replace")?, of("full-replace-fixed")?);
    let mut found = Finding::default();
    for place in 0..source.len().max(fixed.len()) {
        let shown = |list: &[f64]| list.get(place).map_or_else(String::new, Shown::shown);
        found.row(row![place + 1, shown(&source), shown(&fixed)]);
    }
    let growth = |what: &str, list: &[f64]| {
        let points: Vec<(f64, f64)> = (0..).map(f64::from).zip(list.iter().copied()).collect();
        exact(what, "tokens", stats::theil_sen(&points).unwrap_or(f64::NAN))
    };
    found.measured = vec![
        growth("growth of the summary from one compaction to the next", &source),
        exact("compactions", "", source.len() as f64),
        growth("growth with the request unnested", &fixed),
        exact("compactions with the request unnested", "", fixed.len() as f64),
    ];
    found.found([source.len() > 2 && source.is_sorted_by(|one, next| one < next)]);
    Ok(found)
}

const STRATEGIES: &str =
    "truncate forge-head forge-adr forge-g2 full-replace goat-code codex roadmap-code";
/// A compaction that frees less hardly paid.
const LITTLE: f64 = 0.05;

pub fn distinguishes(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    let cells = |name: &'static str| Ok((name, lab.cells("ord-long-p10-t28", name)?));
    let driven: Vec<_> = STRATEGIES.split(' ').map(cells).collect::<Result<_>>()?;
    let completed = |cells: &[Arc<Driven>]| {
        cells.iter().filter(|cell| cell.trace.ended_by == EndedBy::Completed).count()
    };
    let compared: Vec<_> =
        driven.iter().filter(|(_, cells)| completed(cells) == cells.len()).collect();
    let names: Vec<&str> = compared.iter().map(|(name, _)| *name).collect();
    let (mut sides, mut tests) = (Vec::new(), Vec::new());
    for (place, (name, ours)) in compared.iter().enumerate() {
        for (other, theirs) in &compared[place + 1..] {
            let differences = paired(ours, theirs, |one, two| Some(index(one)? - index(two)?));
            let difference = mean(format!("{name} less {other}"), "%", &differences);
            let sided = if difference.value > 0.0 { Measured::above } else { Measured::below };
            tests.push(sided(&difference, 0.0));
            sides.push((*name, *other));
        }
    }
    correct(&mut tests);
    let told = |name: &str| {
        let own =
            sides.iter().zip(&tests).filter(|((one, other), _)| [*one, *other].contains(&name));
        own.filter(|(_, test)| test.is_found()).count()
    };
    let (pairs, apart) = (tests.len(), tests.iter().filter(|test| test.is_found()).count());
    for (name, ours) in &driven {
        let count = counts(ours, |cell| freed_shares(&cell.trace).len());
        let freed = |cell: &Driven| Some(100.0 * stats::median(&freed_shares(&cell.trace))?);
        found.row(row![
            format!("`{name}`"),
            format!("{} of {}", completed(ours), ours.len()),
            mean("count", "", &count),
            mean("index", "%", &each(ours, index)).share_of(100.0),
            mean("freed", "%", &each(ours, freed)),
            match names.contains(name) {
                true => format!("{} of {}", told(name), names.len() - 1),
                false => "–".to_owned(),
            },
        ]);
    }
    let share = percent(apart, pairs).unwrap_or(f64::NAN);
    let sessions = driven.first().map_or(0, |(_, cells)| cells.len());
    let what = format!("of {pairs} pairs of strategies, told apart");
    found.measured = vec![exact(what, "%", share).over(sessions)];
    found.found([apart > 0, apart == pairs]);
    Ok(found)
}

/// The share of the view that each firing which took effect freed; negative where it grew.
fn freed_shares(trace: &Trace) -> Vec<f64> {
    let applied: Vec<Compaction> = applied(trace).cloned().collect();
    let firings = firings(&applied).into_iter().filter(|one| one.first.before > Tokens::ZERO);
    firings.map(|one| 1.0 - one.last.after.over(one.first.before)).collect()
}

fn index(driven: &Driven) -> Option<f64> {
    let freed = freed_shares(&driven.trace);
    percent(freed.iter().filter(|share| **share < LITTLE).count(), freed.len())
}

pub fn one_horizon(lab: &Laboratory) -> Result<Finding> {
    let mut found = Finding::default();
    let mut old = Vec::new();
    // The forgetful one first.
    for pipeline in ["roadmap-code", "codex"] {
        let (mut sessions, mut counted) = (Vec::new(), [(0, 0); 2]);
        // Sessions of several windows.
        for scenario in ["ord-short-p2-t120", "turn-shape-p3-t120", "turn-shape-p5-t120"] {
            let perfect = Summarizer::sound(SummarizerName::Perfect);
            let cells = lab.cells_under(scenario, pipeline, perfect)?;
            sessions.push(each(&cells, |cell| recall(&needs(cell))));
            for need in cells.iter().flat_map(|cell| needs(cell)) {
                let (present, all) = &mut counted[usize::from(need.compactions >= 2)];
                *present += usize::from(need.present);
                *all += 1;
            }
        }
        let [recent, older] =
            counted.map(|(present, all)| stats::share(present, all).unwrap_or(f64::NAN));
        let name = format!("`{pipeline}`");
        found.row(row![name, counted[0].1, recent, counted[1].1, older]);
        let what = format!("`{pipeline}`: recall of facts older than one compaction");
        found.measured.push(within(what, "", &sessions).share_of(1.0));
        old.push(counted[1].1);
    }
    if !old.contains(&0) {
        let [forgets, keeps] = [0, 1].map(|place| &found.measured[place]);
        found.parts = vec![Part::Counted(forgets.value == 0.0), keeps.above(0.0)];
    }
    Ok(found)
}

struct Need {
    /// Compactions since the fact was last said.
    compactions: usize,
    present: bool,
}

/// Needs of facts that no user ever said and no compaction could keep word for word.
fn needs(driven: &Driven) -> Vec<Need> {
    let facts = &driven.session.book.truth.facts;
    let reached = driven.trace.demands.iter().filter(|demand| demand.found != Found::NotReached);
    reached.filter_map(|demand| need(driven, demand, facts.get(demand.fact.index())?)).collect()
}

fn need(driven: &Driven, demand: &DemandRecord, fact: &Fact) -> Option<Need> {
    let (log, steps) = (&driven.session.log, &driven.session.steps);
    let answer = |step: u32| steps.get(step as usize - 1).map(|step| step.answer);
    let asked = answer(demand.step)?;
    let said: Vec<MsgId> = fact.mentions.iter().copied().filter(|id| *id < asked).collect();
    if said.iter().any(|id| log.message(*id).is_none_or(|message| message.role == Role::User)) {
        return None;
    }
    let last = *said.last()?;
    let before = applied(&driven.trace).filter(|one| one.step <= demand.step);
    let since: Vec<MsgId> =
        before.filter_map(|one| answer(one.step)).filter(|answer| *answer > last).collect();
    let first = *since.first()?;
    // The turn of the last mention was over before the first compaction after it.
    let mut between = log.messages.iter().filter(|one| one.id > last && one.id < first);
    between.any(proctor_core::log::opens_turn).then_some(Need {
        compactions: since.len(),
        present: matches!(demand.found, Found::Present(_)),
    })
}

fn recall(needs: &[Need]) -> Option<f64> {
    let own = needs.iter().filter(|one| one.compactions >= 2);
    stats::share(own.clone().filter(|one| one.present).count(), own.count())
}
