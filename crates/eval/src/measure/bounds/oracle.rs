//! The best choice of whole messages, by a relaxed knapsack over intervals: a want charges its
//! steps with the least share of a message, so the best choice is feasible for
//!
//! max Σ demands x,  Σ over wants at a step of charge x <= room,  0 <= x <= 1,
//!
//! and by weak duality every price u >= 0 on steps bounds it from above, rounded down:
//!
//! Σ u + Σ max(0, demands - charge Σ over its steps of u / room).

use super::{Choice, Want};

const STEPS: usize = 300;

/// Demands met by the best choice: at most and at least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub(super) above: f64,
    pub(super) below: f64,
}

#[derive(Clone, Debug)]
struct Task {
    want: Want,
    by: Vec<usize>,
    charge: f64,
    from: usize,
}

pub(super) fn bounds(choice: &Choice) -> Bounds {
    let tasks = tasks(choice);
    let below = packed(choice, &tasks);
    let all: f64 = tasks.iter().map(|task| task.want.demands).sum();
    // Whole needs: nothing lies between two counts. The hair is for rounding.
    let above = (priced(choice, &tasks, all, below) + 1e-6).floor();
    Bounds { above: above.min(all).max(below), below }
}

fn tasks(choice: &Choice) -> Vec<Task> {
    let narrowest = |from: usize, to: usize| {
        choice.room.get(from..=to).into_iter().flatten().copied().fold(f64::INFINITY, f64::min)
    };
    let mut holders: Vec<Vec<usize>> = Vec::new();
    for (number, item) in choice.items.iter().enumerate() {
        for fact in &item.facts {
            holders.resize_with(holders.len().max(fact + 1), Vec::new);
            holders[*fact].push(number);
        }
    }
    let mut previous: Option<Want> = None;
    let mut tasks = Vec::new();
    for want in &choice.wants {
        let after = previous.filter(|one| one.fact == want.fact).map_or(0, |one| one.step + 1);
        previous = Some(*want);
        let by: Vec<usize> = holders
            .get(want.fact)
            .into_iter()
            .flatten()
            .copied()
            .filter(|number| {
                let item = &choice.items[*number];
                item.arrives <= want.step && item.tokens <= narrowest(item.arrives, want.step)
            })
            .collect();
        let items = || by.iter().map(|number| &choice.items[*number]);
        let Some(latest) = items().map(|item| item.arrives).max() else { continue };
        let charge = items().map(|item| item.tokens / item.facts.len() as f64);
        let charge = charge.fold(f64::INFINITY, f64::min);
        tasks.push(Task { want: *want, by, charge, from: latest.max(after) });
    }
    tasks
}

/// Demands met by a policy built greedily, least tokens times steps first.
fn packed(choice: &Choice, tasks: &[Task]) -> f64 {
    let mut order: Vec<&Task> = tasks.iter().collect();
    let area =
        |task: &Task| task.charge * (task.want.step + 1 - task.from) as f64 / task.want.demands;
    order.sort_by(|one, other| {
        area(one).total_cmp(&area(other)).then(one.want.step.cmp(&other.want.step))
    });
    let mut left = choice.room.clone();
    // By message: the step from which it is let go.
    let mut kept: Vec<usize> = choice.items.iter().map(|item| item.arrives).collect();
    for task in order {
        let to = task.want.step + 1;
        let more =
            |number: &usize| choice.items[*number].tokens * to.saturating_sub(kept[*number]) as f64;
        let fits = |number: &usize| {
            let tokens = choice.items[*number].tokens;
            kept[*number] >= to || left[kept[*number]..to].iter().all(|room| *room >= tokens)
        };
        let best = task.by.iter().filter(|number| fits(number));
        let best = best.min_by(|one, other| more(one).total_cmp(&more(other))).copied();
        if let Some(number) = best.filter(|number| kept[*number] < to) {
            for room in &mut left[kept[number]..to] {
                *room -= choice.items[number].tokens;
            }
            kept[number] = to;
        }
    }
    let met = tasks.iter().filter(|task| task.by.iter().any(|one| kept[*one] > task.want.step));
    met.map(|task| task.want.demands).sum()
}

/// Stretches of steps that the same wants charge, each as its narrowest step; and every task's.
fn stretches(choice: &Choice, tasks: &[Task]) -> (Vec<f64>, Vec<(usize, usize)>) {
    let ends = tasks.iter().flat_map(|task| [task.from, task.want.step + 1]);
    let mut cuts: Vec<usize> = ends.collect();
    cuts.sort_unstable();
    cuts.dedup();
    let rooms = cuts.windows(2).map(|ends| {
        let rooms = choice.room[ends[0]..ends[1]].iter().copied();
        rooms.fold(f64::INFINITY, f64::min)
    });
    let place = |step: usize| cuts.partition_point(|cut| *cut < step);
    let spans = tasks.iter().map(|task| (place(task.from), place(task.want.step + 1)));
    (rooms.collect(), spans.collect())
}

fn priced(choice: &Choice, tasks: &[Task], all: f64, below: f64) -> f64 {
    let (rooms, spans) = stretches(choice, tasks);
    let mut prices = vec![0.0; rooms.len()];
    let mut best = all;
    for _ in 0..STEPS {
        let (value, slopes) = bound(tasks, &rooms, &spans, &prices);
        best = value.min(best);
        let square: f64 = slopes.iter().map(|slope| slope * slope).sum();
        if best - below < 1.0 - 1e-6 || square < 1e-18 {
            break;
        }
        // Polyak's step towards the policy that was built.
        let step = (value - below) / square;
        for (price, slope) in prices.iter_mut().zip(&slopes) {
            *price = (*price - step * slope).max(0.0);
        }
    }
    best
}

/// The bound under these prices, and how it changes with each.
fn bound(
    tasks: &[Task],
    rooms: &[f64],
    spans: &[(usize, usize)],
    prices: &[f64],
) -> (f64, Vec<f64>) {
    // Sums over stretches as differences of running sums. A stretch without room is
    // charged by no task.
    let mut sums = vec![0.0];
    for (price, room) in prices.iter().zip(rooms) {
        let rate = if *room > 0.0 { price / room } else { 0.0 };
        sums.push(sums[sums.len() - 1] + rate);
    }
    let mut value: f64 = prices.iter().sum();
    let mut changes = vec![0.0; rooms.len() + 1];
    for (task, span) in tasks.iter().zip(spans) {
        let gain = task.want.demands - task.charge * (sums[span.1] - sums[span.0]);
        if gain > 0.0 {
            value += gain;
            changes[span.0] += task.charge;
            changes[span.1] -= task.charge;
        }
    }
    let mut load = 0.0;
    let slopes = rooms.iter().zip(prices).zip(&changes).map(|((room, price), change)| {
        load += change;
        let slope = if *room > 0.0 { 1.0 - load / room } else { 0.0 };
        // A price at nothing cannot fall.
        if *price <= 0.0 && slope > 0.0 { 0.0 } else { slope }
    });
    let slopes = slopes.collect();
    (value, slopes)
}
