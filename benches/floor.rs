//! What the verdict on a floor finds and misses, by simulation: `cargo bench --bench floor`. The
//! table stands in METHODOLOGY.md. `PROCTOR_SIMULATED` is the number of families a cell.

#[path = "floor/simulated.rs"]
mod simulated;

use std::io::Write;

use proctor::ident::Seed;
use proctor::measure::floor::{Growth, LinearGrowth, growth_over};
use proctor::stats;
use proctor::stats::fit::Model;
use proctor::stats::resample::Resampling;
use rayon::prelude::*;
use simulated::{DESIGNS, NOISES, Noise, TRUTHS, Truth, family};

const SIMULATED: u64 = 400;
/// Fewer than a run draws: only the lead of a law rests on them.
const RESAMPLES: u32 = 200;

fn main() {
    let asked = std::env::var("PROCTOR_SIMULATED").ok().and_then(|text| text.parse().ok());
    let simulated = asked.unwrap_or(SIMULATED);
    say(&format!(
        "linear growth excluded / open / established, in percent of {simulated} families"
    ));
    say(
        "in brackets: a saturating law is named; the median rise, in percent of the level, under which a line beside the law would have been missed",
    );
    for turns in DESIGNS {
        say(&format!("\nsessions of {turns:?} turns, three of each\n"));
        let head = NOISES.map(|(name, _)| format!(" {name} |")).concat();
        say(&format!("| truth |{head}"));
        say(&format!("|---|{}", "---|".repeat(NOISES.len())));
        for truth in TRUTHS {
            let cells =
                NOISES.map(|(_, noise)| format!(" {} |", cell(turns, truth, noise, simulated)));
            say(&format!("| {} |{}", truth.0, cells.concat()));
        }
    }
}

fn cell(turns: &[u32], truth: Truth, noise: Noise, simulated: u64) -> String {
    let judged = |number| {
        let series = family(turns, truth, noise, number);
        let resampling = Resampling { resamples: RESAMPLES, ..Resampling::standard(Seed(number)) };
        growth_over(&series, resampling)
    };
    let all: Vec<Growth> = (0..simulated).into_par_iter().filter_map(judged).collect();
    let percent = |is: &dyn Fn(&Growth) -> bool| {
        let count = all.iter().filter(|growth| is(growth)).count();
        format!("{:.0}", 100.0 * count as f64 / simulated as f64)
    };
    let linear = |of: LinearGrowth| percent(&move |growth| growth.linear == of);
    let shares =
        [LinearGrowth::Excluded, LinearGrowth::Open, LinearGrowth::Established].map(linear);
    let fills = percent(&|growth| growth.model == Model::Saturating);
    // `shallow` is the slope of a rise of 5 %.
    let missed = all.iter().filter_map(|growth| Some(5.0 * growth.missed()? / growth.shallow));
    let missed = stats::median(&missed.collect::<Vec<f64>>());
    let missed = missed.map_or("–".to_owned(), |rise| format!("{rise:.0}"));
    format!("{} ({fills}; {missed})", shares.join(" / "))
}

fn say(line: &str) {
    // A closed pipe is no reason to fail.
    let _ = writeln!(std::io::stdout(), "{line}");
}
