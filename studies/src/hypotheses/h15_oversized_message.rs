//! Half-compaction against what halving cannot reach.

use proctor_core::drive::Session;
use proctor_core::error::Result;
use proctor_core::pipeline::Repeat;
use proctor_core::trace::Trace;

use super::constructed::{Construction, window};
use super::reading::{only, runs_of};
use super::summarizers::brief;
use super::{Finding, Laboratory, Measured, Rows};
use crate::table::row;

/// Messages in the view when the threshold is reached.
const LENGTHS: [usize; 7] = [4, 5, 6, 10, 20, 60, 200];
/// The window, and the size of the one message that fills it.
const WINDOW: u64 = 100_000;
const HUGE: u32 = 85_000;

pub(super) fn gives_up(lab: &Laboratory) -> Result<Finding> {
    let once = only(&proctor_strategies::pipeline("forge-head")?, 1);
    let mut still = once.clone();
    for stage in &mut still.stages {
        stage.repeat = Repeat::ToTarget;
        for pressure in &mut stage.pressure {
            pressure.target = Some(pressure.limit.clone());
        }
    }
    let mut rows = Rows::default();
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
        rows.push(row![n, bound, rest, left, on, end]);
    }
    let parts = [bounded, given_up == LENGTHS.len(), follows, released == 0];
    let lengths = |what: &str, lengths: usize| Measured::exact(what, "of 7", lengths as f64);
    let measured = vec![
        lengths("lengths at which it gives up above the limit, nothing in between", given_up),
        Measured::exact("most firings with messages in between", "", most as f64),
        lengths("lengths at which the huge message is folded in the end", released),
    ];
    Ok(Finding::of(&parts, measured).with(rows))
}

/// So many messages, the last of them huge, and so many calls.
fn session(n: usize, calls: usize) -> Session {
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

/// The view after the last firing, in tokens.
fn after(trace: &Trace) -> f64 {
    runs_of(trace, 0).last().map_or(f64::NAN, |run| run.after.as_f64())
}
