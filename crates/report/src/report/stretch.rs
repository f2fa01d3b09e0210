//! Over which stretch of the axis of summarizers an order holds: from one that writes nothing over
//! simulated ones of growing skill to one that writes every fact it is shown.

use super::prelude::*;
use crate::number::points;
use crate::simulated::FittedName;
use crate::stats::mean;

/// From knowing nothing to knowing everything.
pub const AXIS: [&str; 5] = ["empty", "simulated-poor", "simulated", "simulated-good", "perfect"];
/// Where recorded summaries stand.
const RECORDED: &str = "simulated";
/// Smaller differences of recall are none.
const LEAST: f64 = 0.005;
/// Pairs of a table.
const MOST: usize = 60;

/// One row per pair of configurations, those first whose order turns. Without rows where the run has
/// no simulated summaries.
pub fn table(figures: &Figures, driven: &[&str]) -> Table {
    let configs: Vec<&Config> = figures.shown_but_control().collect();
    let axis = axis(figures, &configs, driven);
    let mut pairs: Vec<(bool, Vec<Cell>)> = Vec::new();
    if axis.contains(&RECORDED) {
        for (place, one) in configs.iter().enumerate() {
            let others = configs[place + 1..].iter().filter(|other| other.mode == one.mode);
            pairs.extend(others.filter_map(|other| row(figures, (one, other), &axis)));
        }
    }
    pairs.sort_by_key(|(turns, _)| !turns);
    let caption = match pairs.len() {
        ..=MOST => "Over which summaries an order holds".to_owned(),
        all => format!("Over which summaries an order holds: {MOST} of {all} pairs"),
    };
    let rows = pairs.into_iter().take(MOST).map(|(_, row)| row);
    let titles = ["Higher", "Lower", "Holds"].map(str::to_owned).into_iter();
    let titles = titles.chain(axis.iter().map(|name| format!("#{name}")));
    Table::of(caption, titles, rows)
}

/// Those of the axis that were driven. A fitted one stands before the first under which more is recalled.
fn axis<'a>(figures: &Figures, configs: &[&Config], driven: &[&'a str]) -> Vec<&'a str> {
    let mean = |name: &str| {
        let recall = |config: &&Config| figures.under(config, name, MetricId::RecallAtNeed).value;
        mean(&configs.iter().filter_map(recall).collect::<Vec<f64>>())
    };
    let mut axis: Vec<&str> = AXIS.into_iter().filter(|name| driven.contains(name)).collect();
    for own in driven.iter().filter(|name| name.parse::<FittedName>().is_ok()) {
        let place = axis.iter().position(|one| mean(one) > mean(own)).unwrap_or(axis.len());
        axis.insert(place, own);
    }
    axis
}

/// Whether the order turns, and its cells; none where a summarizer's recall is not known.
fn row(figures: &Figures, pair: (&Config, &Config), axis: &[&str]) -> Option<(bool, Vec<Cell>)> {
    let recall =
        |config: &Config, name: &str| figures.under(config, name, MetricId::RecallAtNeed).value;
    let difference = |name: &&str| Some(recall(pair.0, name)? - recall(pair.1, name)?);
    let mut differences: Vec<f64> = axis.iter().map(difference).collect::<Option<_>>()?;
    let at = axis.iter().position(|name| *name == RECORDED)?;
    let (mut higher, mut lower) = pair;
    if differences[at] < 0.0 {
        (higher, lower) = (lower, higher);
        differences.iter_mut().for_each(|one| *one = -*one);
    }
    let holds = stretch(&differences, at);
    let turns = turns(&differences);
    let told = match &holds {
        None => "not shown as recorded".to_owned(),
        Some(range) if range.len() == axis.len() => "everywhere".to_owned(),
        Some(range) if range.len() == 1 => format!("at {} alone", axis[range.start]),
        Some(range) => format!("from {} to {}", axis[range.start], axis[range.end - 1]),
    };
    let told = Cell::text(told);
    let told = if turns { told.toned(Tone::Bad) } else { told };
    let cells = [Cell::code(higher.name()), Cell::code(lower.name()), told];
    let figures = differences.iter().map(|one| Cell::number(Some(*one), points, ""));
    Some((turns, cells.into_iter().chain(figures).collect()))
}

/// Whether one is higher here and the other there.
fn turns(differences: &[f64]) -> bool {
    let any = |is: fn(f64) -> bool| differences.iter().any(|one| is(*one));
    any(|one| one >= LEAST) && any(|one| one <= -LEAST)
}

/// The places around one at which a difference is shown without a break; none where it is not there.
fn stretch(differences: &[f64], at: usize) -> Option<Range<usize>> {
    let shown = |place: &usize| differences[*place] >= LEAST;
    shown(&at).then(|| {
        let before = (0..at).rev().take_while(shown).count();
        let after = (at..differences.len()).take_while(shown).count();
        at - before..at + after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_holds_as_far_as_its_sign_does() {
        for (differences, expected) in [
            (&[0.1, 0.1, 0.1][..], Some(0..3)),
            (&[-0.1, 0.1, 0.2], Some(1..3)),
            (&[0.1, 0.0, 0.1], None),
            (&[0.1, 0.2, -0.3], Some(0..2)),
        ] {
            assert_eq!(stretch(differences, 1), expected, "{differences:?}");
            let reversed: Vec<f64> = differences.iter().map(|one| -one).collect();
            assert_eq!(turns(&reversed), turns(differences));
            assert_eq!(turns(differences), differences.iter().any(|one| *one < 0.0));
        }
    }
}
