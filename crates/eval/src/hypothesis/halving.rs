//! Half-compaction against what halving cannot reach.

use super::answering::brief;
use super::constructed::{Construction, window};
use super::reading::runs_of;
use super::trial::only;
use super::{Finding, Hypothesis, Laboratory, Measured, Rows, Verdict};
use crate::drive::Session;
use crate::error::Result;
use crate::pipeline::Repeat;
use crate::trace::Trace;

/// H15.
pub const HYPOTHESES: &[Hypothesis] = &[GIVES_UP];

/// Messages in the view when the threshold is reached.
const LENGTHS: [usize; 7] = [4, 5, 6, 10, 20, 60, 200];
/// The window, and the size of the one message that fills it.
const WINDOW: u64 = 100_000;
const HUGE: u32 = 85_000;

const GIVES_UP: Hypothesis = Hypothesis {
    id: "H15",
    title: "Half-compaction gives up on one huge recent message",
    expects: "Forge folds the older half by number of messages. Where one message in the recent half \
              holds the tokens, the threshold fires again on the next calls, at most ⌈log2 n⌉ times, \
              and then never again although the limit is still exceeded.",
    source: "STRATEGIES 20, H15 and 1.5; Forge at 0bff338, threshold_strategy.go",
    method: "The threshold stage of `forge-head` alone, window 100,000. Constructed sessions of n \
             messages of 20 tokens, the last one of 85,000. Once as the statement has it, with no \
             message in between (the stage repeated until it is under its limit); once as an agent \
             goes on, an answer and a request of 20 tokens between calls.",
    judge: gives_up,
    remarks: &[(
        Verdict::Mixed,
        "With nothing new in between it is as expected: at most ⌈log2 n⌉ firings, then three \
         messages are left and the stage gives up above its limit. An agent that goes on never \
         stays in that state. Every call brings new messages, the huge one moves into the older \
         half as they come, and a few firings later it is folded and the view is under the limit: \
         for every length here, and from 4 messages with one firing more than the bound allows. \
         What is left of the fault is a burst of compactions, and calls in between that are sent \
         above the threshold.",
    )],
};

fn gives_up(lab: &Laboratory) -> Result<Finding> {
    let once = only(&crate::strategy::pipeline("forge-head")?, 1);
    let mut still = once.clone();
    for stage in &mut still.stages {
        stage.repeat = Repeat::ToTarget;
        for pressure in &mut stage.pressure {
            pressure.target = Some(pressure.limit.clone());
        }
    }
    let mut rows = Rows::new(
        "Firings of the threshold stage",
        &[
            "n",
            "⌈log2 n⌉",
            "nothing in between",
            "view after, tokens",
            "with messages in between",
            "view after the last",
        ],
    );
    let (mut bounded, mut follows, mut given_up, mut released) = (true, true, 0, 0);
    let mut most = 0;
    for n in LENGTHS {
        let bound = n.next_power_of_two().trailing_zeros() as usize;
        let at_rest = lab.drive(&session(n, 1), &still, window(WINDOW), &brief(100));
        let going_on = lab.drive(&session(n, 40), &once, window(WINDOW), &brief(100));
        let (rest, on) = (runs_of(&at_rest, 0).count(), runs_of(&going_on, 0).count());
        let (left, end) = (after(&at_rest), after(&going_on));
        bounded &= (1..=bound).contains(&rest);
        given_up += usize::from(left > 0.8 * WINDOW as f64);
        follows &= on <= bound;
        released += usize::from(end < 0.8 * WINDOW as f64);
        most = most.max(on);
        rows.push([
            n.to_string(),
            bound.to_string(),
            rest.to_string(),
            super::number(left),
            on.to_string(),
            super::number(end),
        ]);
    }
    let parts = [bounded, given_up == LENGTHS.len(), follows, released == 0];
    let measured = vec![
        Measured::exact(
            "lengths at which it gives up above the limit, nothing in between",
            "of 7",
            given_up as f64,
        ),
        Measured::exact("most firings with messages in between", "", most as f64),
        Measured::exact(
            "lengths at which the huge message is folded in the end",
            "",
            released as f64,
        ),
    ];
    Ok(Finding::new(Verdict::of_parts(&parts), measured).with(rows))
}

/// So many messages, the last of them huge, and so many calls.
fn session(n: usize, calls: usize) -> Session {
    let mut made = Construction::new("huge-message");
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

/// The view after the last firing, in tokens.
fn after(trace: &Trace) -> f64 {
    runs_of(trace, 0).last().map_or(f64::NAN, |run| run.after.as_f64())
}
