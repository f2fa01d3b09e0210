//! The chart of one figure with noise: how the level of its nights is watched, night by night.
//!
//! Each night is predicted from the nights before it. The errors of these predictions, scaled,
//! are the recursive residuals of Brown, Durbin and Evans ("Techniques for Testing the Constancy
//! of Regression Relationships over Time", 1975), here about a level with first-order
//! autocorrelation. Each becomes a standard normal score, as in the self-starting chart of
//! Hawkins ("Self-Starting Cusum Charts for Location and Scale", 1987), and is cut off, so that
//! no single night decides (Hawkins and Olwell, "Cumulative Sum Charts and Charting for Quality
//! Improvement", 1998). Two cumulative sums (Page, "Continuous Inspection Schemes", 1954) of the
//! scores, one a side, show a step and a slow drift alike. What a night said, later nights leave.

use statrs::function::beta::beta_reg;
use statrs::function::erf::erfc_inv;

use crate::stats::median;
use crate::unit::nine;

/// Half of the shift, in deviations of a night, that the sums find soonest.
const ALLOWANCE: f64 = 0.5;
/// Scores are cut off here, so that one night moves a sum by little.
const MOST: f64 = 3.0;
/// Degrees of freedom that the noise is known with before a night is judged.
const FEWEST: u32 = 9;
/// The strongest autocorrelation that is allowed for.
const STRONGEST: f64 = 0.9;

/// A shift of the level, as the last night shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Nights of the new level, the last among them.
    pub nights: usize,
    /// Mean of the nights before.
    pub from: f64,
    /// Mean of the new nights.
    pub to: f64,
}

/// The bound of the sums at which a figure without a shift is found once in so many nights, on
/// either side: by Siegmund's approximation ("Sequential Analysis", 1985) for normal scores.
pub fn bound(nights: f64) -> f64 {
    // Each side has half of the alarms. The run length is (e^b − 1 − b) / 2k², b = 2k (h + 1.166).
    let wanted = 4.0 * nights * ALLOWANCE * ALLOWANCE;
    let (mut low, mut high) = (0.0_f64, 700.0_f64);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if middle.exp() - 1.0 - middle < wanted { low = middle } else { high = middle }
    }
    (low / (2.0 * ALLOWANCE) - 1.166).max(0.0)
}

/// The autocorrelation of a metric's nights: the median over its figures, which is steady where
/// one figure's own is not and which one figure's shift does not move. Never below 0.
pub fn common_autocorrelation(charts: &[&Chart]) -> f64 {
    let own: Vec<f64> = charts.iter().filter_map(|chart| chart.autocorrelation()).collect();
    median(&own).unwrap_or(0.0).clamp(0.0, STRONGEST)
}

/// Products of neighbouring nights, for the autocorrelation of a level.
#[derive(Clone, Copy, Debug, Default)]
struct Lag {
    first: f64,
    last: f64,
    count: f64,
    sum: f64,
    squares: f64,
    products: f64,
}

impl Lag {
    fn add(&mut self, value: f64) {
        if self.count == 0.0 {
            self.first = value;
        } else {
            self.products += value * self.last;
        }
        self.last = value;
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    /// Sums of products and of squares about the mean.
    fn sums(&self) -> (f64, f64) {
        if self.count == 0.0 {
            return (0.0, 0.0);
        }
        let mean = self.sum / self.count;
        let ends = self.first + self.last;
        let products =
            self.products - mean * (2.0 * self.sum - ends) + (self.count - 1.0) * mean * mean;
        (products, self.squares - self.count * mean * mean)
    }
}

/// What is known of the nights so far.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Nights of this level, and their mean.
    count: f64,
    mean: f64,
    /// Sum of the squared residuals, and their number.
    squares: f64,
    freedom: u32,
    lag: Lag,
}

/// A night since a sum was 0: what was known before it, its score and its value.
#[derive(Clone, Copy, Debug)]
struct Judged {
    before: Known,
    score: f64,
    value: f64,
}

/// One of the two sums.
#[derive(Clone, Debug)]
struct Side {
    sign: f64,
    sum: f64,
    /// The nights since it was 0.
    nights: Vec<Judged>,
}

impl Side {
    /// The first night of the new level: where the scores from it on are least like noise.
    fn first(&self) -> usize {
        let mut sum = 0.0;
        let (mut first, mut most) = (0, f64::NEG_INFINITY);
        for (count, (at, night)) in (1_u32..).zip(self.nights.iter().enumerate().rev()) {
            sum += self.sign * night.score;
            let clear = sum / f64::from(count).sqrt();
            if clear > most {
                (first, most) = (at, clear);
            }
        }
        first
    }
}

/// One figure over the nights of an era.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The first value: all are taken less it, so that squares stay small.
    origin: f64,
    known: Known,
    sides: [Side; 2],
    last: f64,
    /// Products and squares of the levels that have ended, their nights, and their number.
    ended: (f64, f64, f64, f64),
}

impl Chart {
    /// The chart of a first night.
    pub fn new(value: f64) -> Chart {
        let mut lag = Lag::default();
        lag.add(0.0);
        let known = Known { count: 1.0, mean: 0.0, squares: 0.0, freedom: 0, lag };
        let side = |sign| Side { sign, sum: 0.0, nights: Vec::new() };
        Chart {
            origin: value,
            known,
            sides: [side(1.0), side(-1.0)],
            last: 0.0,
            ended: (0.0, 0.0, 0.0, 0.0),
        }
    }

    /// The mean of the present level.
    pub fn level(&self) -> f64 {
        nine(self.origin + self.known.mean)
    }

    /// The figure's own autocorrelation about its levels, less its bias in short series (Marriott
    /// and Pope, "Bias in the Estimation of Autocorrelations", 1954); `None` of few nights.
    fn autocorrelation(&self) -> Option<f64> {
        let (products, squares) = self.known.lag.sums();
        let (products, squares) = (products + self.ended.0, squares + self.ended.1);
        let (nights, levels) = (self.known.lag.count + self.ended.2, 1.0 + self.ended.3);
        let is_known = self.known.freedom >= FEWEST && squares > 0.0;
        let raw = products / squares;
        is_known.then(|| (nights * raw + levels) / (nights - 3.0 * levels).max(1.0))
    }

    /// Takes the next night; a shift where a sum passes the bound.
    pub fn next(&mut self, value: f64, autocorrelation: f64, bound: f64) -> Option<Shift> {
        let value = value - self.origin;
        let known = self.known;
        let expected = known.mean + autocorrelation * (self.last - known.mean);
        let width = (1.0 + 1.0 / known.count).sqrt();
        let residual = (value - expected) / width;
        // Of a level without any noise the first other night scores most.
        let is_judged = known.freedom >= FEWEST;
        let deviation = (known.squares / f64::from(known.freedom.max(1))).sqrt();
        let score = if is_judged { score(residual / deviation, known.freedom) } else { 0.0 };
        let residual = match score.abs() >= MOST {
            true => residual.signum() * MOST * deviation,
            false => residual,
        };
        for side in &mut self.sides {
            if side.sum <= 0.0 {
                side.nights.clear();
            }
            side.nights.push(Judged { before: known, score, value });
            side.sum = match is_judged {
                true => (side.sum + side.sign * score - ALLOWANCE).max(0.0),
                false => 0.0,
            };
        }
        let kept = expected + residual * width;
        self.known.count += 1.0;
        self.known.mean += (kept - known.mean) / self.known.count;
        self.known.squares += residual * residual;
        self.known.freedom += 1;
        self.known.lag.add(kept);
        self.last = value;
        let passed = self.sides.iter().find(|side| side.sum > bound)?;
        let nights = passed.nights[passed.first()..].to_vec();
        let before = nights.first()?.before;
        let values: Vec<f64> = nights.iter().map(|night| night.value).collect();
        Some(self.begin(before, &values))
    }

    /// Begins a level with these nights; the noise stays as it was known before them.
    fn begin(&mut self, before: Known, values: &[f64]) -> Shift {
        let (products, squares) = before.lag.sums();
        self.ended.0 += products;
        self.ended.1 += squares;
        self.ended.2 += before.lag.count;
        self.ended.3 += 1.0;
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        self.known = Known { count, mean, lag: Lag::default(), ..before };
        self.sides.iter_mut().for_each(|side| side.sum = 0.0);
        let level = |mean| nine(self.origin + mean);
        Shift { nights: values.len(), from: level(before.mean), to: level(mean) }
    }
}

/// The standard normal value that is passed as seldom as t of Student's distribution, cut off.
fn score(t: f64, freedom: u32) -> f64 {
    if t.is_nan() {
        // No noise, and no change.
        return 0.0;
    }
    let freedom = f64::from(freedom);
    let chance = beta_reg(freedom / 2.0, 0.5, freedom / (freedom + t * t));
    let size = std::f64::consts::SQRT_2 * erfc_inv(chance);
    t.signum() * if size.is_finite() { size.min(MOST) } else { MOST }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fixed wobble with no trend of its own.
    fn wobble(at: usize) -> f64 {
        [0.3, -0.2, 0.1, -0.4, 0.25, -0.05][at * 5 % 6]
    }

    /// The nights on which a chart found a shift, with what it found.
    fn found(values: &[f64]) -> Vec<(usize, Shift)> {
        let mut chart = Chart::new(values[0]);
        let next = |(at, value): (usize, &f64)| Some((at, chart.next(*value, 0.0, 9.0)?));
        values.iter().enumerate().skip(1).filter_map(next).collect()
    }

    fn flat_then(level: f64, before: usize, after: usize) -> Vec<f64> {
        (0..before + after).map(|at| wobble(at) + if at < before { 0.0 } else { level }).collect()
    }

    #[test]
    fn a_level_that_stays_is_found_once_and_a_single_night_never() {
        let steps = found(&flat_then(2.0, 20, 20));
        let [(at, shift)] = steps.as_slice() else { panic!("{steps:?}") };
        assert!((22..=25).contains(at) && at + 1 - shift.nights == 20, "{steps:?}");
        assert!(shift.from.abs() < 0.1 && (shift.to - 2.0).abs() < 0.3, "{shift:?}");
        for at in [12, 20, 39] {
            let mut values = flat_then(0.0, 40, 0);
            values[at] += 40.0;
            assert!(found(&values).is_empty(), "{at}");
        }
        let back = [flat_then(2.0, 20, 20), flat_then(0.0, 20, 0)].concat();
        assert_eq!(found(&back).len(), 2);
    }

    #[test]
    fn a_slow_drift_is_found_and_what_cannot_be_judged_is_not() {
        let drifting: Vec<f64> = (0..60).map(|at| wobble(at) + 0.03 * at as f64).collect();
        assert!(!found(&drifting).is_empty());
        assert!(found(&[0.1; 300]).is_empty());
        assert!(found(&[1.0, 2.0, 3.0]).is_empty());
        assert!(found(&[1.0, 9.0, 9.0, 9.0, 9.0]).is_empty());
    }

    #[test]
    fn a_level_without_noise_that_changes_is_found_when_it_stays() {
        let mut values = vec![1.0; 20];
        values.extend([0.9; 6]);
        let steps = found(&values);
        assert!(matches!(steps.as_slice(), [(23, Shift { nights: 4, .. })]), "{steps:?}");
    }

    #[test]
    fn scores_are_those_of_students_and_the_normal_table() {
        // Two-sided 5 % points of t with 10 and 30 degrees of freedom are 1.96 of the normal.
        for (t, freedom) in [(2.228_138_852, 10), (-2.042_272_456, 30)] {
            assert!((score(t, freedom).abs() - 1.959_963_985).abs() < 1e-6);
            assert_eq!(score(t, freedom).signum(), t.signum());
        }
        assert_eq!((score(1e9, 9), score(f64::INFINITY, 9), score(f64::NAN, 9)), (MOST, MOST, 0.0));
    }

    #[test]
    fn the_bound_is_siegmunds() {
        // Two sides at k = 0.5 and h = 5 alarm once in about 465 nights (Montgomery's table).
        assert!((bound(465.0) - 5.0).abs() < 0.02, "{}", bound(465.0));
    }

    #[test]
    fn autocorrelation_is_that_of_the_nights_and_a_step_does_not_move_it() {
        let noise = |seed: u64| {
            let mut state = seed;
            let mut last = 0.0;
            (0..400)
                .map(|_| {
                    let mut sum = 0.0;
                    for _ in 0..12 {
                        state =
                            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
                        sum += (state >> 11) as f64 / (1_u64 << 53) as f64;
                    }
                    last = 0.6 * last + (sum - 6.0);
                    last
                })
                .collect::<Vec<f64>>()
        };
        let chart = |values: &[f64]| {
            let mut chart = Chart::new(values[0]);
            values[1..].iter().for_each(|value| {
                chart.next(*value, 0.6, 1e9);
            });
            chart
        };
        let charts: Vec<Chart> = (1..8).map(|seed| chart(&noise(seed))).collect();
        let all: Vec<&Chart> = charts.iter().collect();
        let found = common_autocorrelation(&all);
        assert!((found - 0.6).abs() < 0.08, "{found}");
        assert_eq!(common_autocorrelation(&[]), 0.0);
    }
}
