//! Boosted stumps: of many one-question trees each corrects those before it. They find any
//! threshold on any figure, and sums of such.

/// What is known of one thing, and whether it is a fact's.
#[derive(Clone)]
pub struct Sample {
    pub figures: Vec<f64>,
    pub is_needle: bool,
}

/// A question and what its two answers add to the score.
struct Stump {
    figure: usize,
    above: f64,
    adds: [f64; 2],
}

pub struct Stumps {
    all: Vec<Stump>,
}

const ROUNDS: usize = 120;
const RATE: f64 = 0.3;
/// Thresholds tried of a figure.
const CUTS: usize = 24;

impl Stumps {
    pub fn taught(samples: &[Sample]) -> Stumps {
        let width = samples[0].figures.len();
        let cuts: Vec<Vec<f64>> = (0..width).map(|figure| cuts(samples, figure)).collect();
        // Into which stretch between cuts each figure falls.
        let bins: Vec<Vec<u8>> = (0..width)
            .map(|figure| {
                let bin = |sample: &Sample| {
                    cuts[figure].partition_point(|cut| *cut < sample.figures[figure]) as u8
                };
                samples.iter().map(bin).collect()
            })
            .collect();
        let mut scores = vec![0.0_f64; samples.len()];
        let mut all = Vec::new();
        for _ in 0..ROUNDS {
            let pulls: Vec<(f64, f64)> = samples
                .iter()
                .zip(&scores)
                .map(|(sample, score)| {
                    let chance = 1.0 / (1.0 + (-score).exp());
                    (f64::from(u8::from(sample.is_needle)) - chance, chance * (1.0 - chance))
                })
                .collect();
            let best = (0..width)
                .map(|figure| best_cut(figure, &bins[figure], cuts[figure].len(), &pulls))
                .max_by(|one, two| one.0.total_cmp(&two.0));
            let Some((_, figure, cut, adds)) = best else { break };
            let Some(&above) = cuts[figure].get(cut) else { break };
            for (score, bin) in scores.iter_mut().zip(&bins[figure]) {
                *score += adds[usize::from(usize::from(*bin) > cut)];
            }
            all.push(Stump { figure, above, adds });
        }
        Stumps { all }
    }

    fn score(&self, sample: &Sample) -> f64 {
        let adds =
            |stump: &Stump| stump.adds[usize::from(sample.figures[stump.figure] > stump.above)];
        self.all.iter().map(adds).sum()
    }

    /// Share of needles among the highest scores that hold this share of all needles.
    pub fn precision(&self, samples: &[Sample], recall: f64) -> f64 {
        let mut scored: Vec<(f64, bool)> =
            samples.iter().map(|sample| (self.score(sample), sample.is_needle)).collect();
        // Of equals those that are none first: a tie earns nothing.
        scored.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1)));
        let wanted = samples.iter().filter(|sample| sample.is_needle).count() as f64 * recall;
        let mut found = 0.0;
        for (place, (_, is_needle)) in scored.iter().enumerate() {
            found += f64::from(u8::from(*is_needle));
            if found >= wanted {
                return found / (place + 1) as f64;
            }
        }
        0.0
    }
}

fn cuts(samples: &[Sample], figure: usize) -> Vec<f64> {
    let mut values: Vec<f64> = samples.iter().map(|sample| sample.figures[figure]).collect();
    values.sort_by(f64::total_cmp);
    let mut cuts: Vec<f64> =
        (1..=CUTS).map(|n| values[n * (values.len() - 1) / (CUTS + 1)]).collect();
    cuts.dedup();
    cuts
}

/// What the best cut of a figure gains, and what it adds to either side.
fn best_cut(
    figure: usize,
    bins: &[u8],
    cuts: usize,
    pulls: &[(f64, f64)],
) -> (f64, usize, usize, [f64; 2]) {
    let mut sums = vec![(0.0, 0.0); cuts + 1];
    for (bin, (pull, weight)) in bins.iter().zip(pulls) {
        let sum: &mut (f64, f64) = &mut sums[usize::from(*bin)];
        *sum = (sum.0 + pull, sum.1 + weight);
    }
    let all = sums.iter().fold((0.0, 0.0), |all, sum| (all.0 + sum.0, all.1 + sum.1));
    let mut low = (0.0, 0.0);
    let mut best = (f64::MIN, figure, 0, [0.0; 2]);
    for (cut, sum) in sums[..cuts].iter().enumerate() {
        low = (low.0 + sum.0, low.1 + sum.1);
        let high = (all.0 - low.0, all.1 - low.1);
        let gain = |(pull, weight): (f64, f64)| pull * pull / (weight + 1.0);
        let adds = |(pull, weight): (f64, f64)| RATE * pull / (weight + 1.0);
        if gain(low) + gain(high) > best.0 {
            best = (gain(low) + gain(high), figure, cut, [adds(low), adds(high)]);
        }
    }
    best
}
