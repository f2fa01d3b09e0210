//! Where facts were lost, by cause.

use super::prelude::*;
use crate::number::count;

/// Why a configuration can lose nothing and recall nothing.
const NOTHING_TAKEN: &str = "no compaction took a fact; needs after the early end of its sessions \
                             are not met all the same, so its recall may be 0 %";

/// A configuration with its facts lost, causes in the order of [`LOST_FACTS`].
type Losses<'b> = (&'b Config, [u64; 5]);

pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let configs = figures.shown_but_control();
    let losses: Vec<Losses> = configs.map(|config| (config, lost(figures, config))).collect();
    let choice = choose(figures, losses.iter().map(|(config, _)| *config).collect(), ROWS);
    let drawn = losses.iter().filter(|(config, _)| choice.drawn.contains(config));
    let bars = drawn.map(|(config, facts)| {
        let cells = figures.cells(config).iter();
        let steps = cells.filter_map(|row| row.number(MetricId::StepsReached)).sum();
        Bar {
            configuration: config.name(),
            parts: facts.map(|facts| facts as f64),
            remark: rate(facts.iter().sum::<u64>() as f64, steps),
            failed: completion::early(figures, config),
        }
    });
    let drawn = BarChart { of: &LOST_FACTS, bars: bars.collect() }.draw("Facts lost, by cause")?;
    let parts = Parts::default().table("losses", table(figures, &losses));
    Ok(Some(parts.chart("causes", "losses", drawn).value("causes_choice", choice.left_out)))
}

fn lost(figures: &Figures, config: &Config) -> [u64; 5] {
    let mut sum = [0; 5];
    for row in figures.cells(config).iter().flat_map(|cell| figures.frame.compactions_of(cell)) {
        let facts = [
            row.lost_dropped,
            row.lost_unseen,
            row.lost_omitted,
            row.lost_resummarized,
            row.lost_inverted,
        ];
        for (sum, facts) in sum.iter_mut().zip(facts) {
            *sum += u64::from(facts);
        }
    }
    sum
}

/// Losses for each hundred steps reached: what sessions of different ends have in common.
fn rate(facts: f64, steps: f64) -> String {
    if steps < 1.0 {
        return String::new();
    }
    let rate = facts * 100.0 / steps;
    let figure = if rate < 9.95 { format!("{rate:.1}") } else { number::axis(rate.round()) };
    format!("{figure} per 100 steps")
}

fn table(figures: &Figures, losses: &[Losses]) -> Table {
    let facts = |facts: u64| Cell::number(Some(facts as f64), count, "");
    let rows = losses.iter().map(|(config, lost)| {
        let all: u64 = lost.iter().sum();
        let is_marked = all == 0 && ended_early(figures, config);
        let all = if is_marked { facts(all).noted(NOTHING_TAKEN) } else { facts(all) };
        let means = [MetricId::CostUnrecoverable, MetricId::CostReacquire]
            .map(|metric| up_to_the_end(figures, config, metric));
        let lost = [Cell::code(config.name())].into_iter().chain(lost.map(facts));
        lost.chain([all]).chain(means).collect()
    });
    let causes = LOST_FACTS.parts.map(|(cause, _)| format!("#{cause}")).join("|");
    let titles = format!("Configuration|{causes}|#All|#Unrecoverable|#Re-acquired (tokens)");
    Table::of("Facts lost by cause", titles.split('|'), rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_given_for_each_hundred_steps_reached() {
        assert_eq!(rate(2.0, 0.0), "");
        assert_eq!(rate(3.0, 400.0), "0.8 per 100 steps");
        assert_eq!(rate(200.0, 100.0), "200 per 100 steps");
    }
}
