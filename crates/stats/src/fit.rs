//! How a figure grows: four models fitted by least squares and compared by AICc.

use proctor_core::words;

words! {
    /// Laws of growth that can be told apart from checkpoints of a session.
    pub enum Model {
        /// y = a.
        Constant = "constant",
        /// y = a + b (1 − exp(−(x − x₀) / τ)), x₀ the least x: it fills up and stays.
        Saturating = "saturating",
        /// y = a + b ln x, for x > 0.
        Logarithmic = "logarithmic",
        /// y = a + b x.
        Linear = "linear",
    }
}

impl Model {
    /// Fitted parameters, the variance among them.
    fn parameters(self) -> usize {
        match self {
            Model::Constant => 2,
            Model::Logarithmic | Model::Linear => 3,
            Model::Saturating => 4,
        }
    }
}

/// The τ that are tried, as shares of the range of x. A slower law has come to under 95 % of its
/// rise by the end, and is one that still rises.
const FILLS_IN: [f64; 8] =
    [1.0 / 48.0, 1.0 / 32.0, 1.0 / 24.0, 1.0 / 16.0, 1.0 / 12.0, 1.0 / 8.0, 1.0 / 5.0, 1.0 / 3.0];

/// How a saturating law bends; the others have no use for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bend {
    /// x₀.
    pub from: f64,
    /// τ.
    pub over: f64,
}

impl Bend {
    /// Those that are tried for some points; one for a law without a bend.
    fn tried(model: Model, points: &[(f64, f64)]) -> Vec<Bend> {
        if model != Model::Saturating {
            return vec![Bend::default()];
        }
        let ends =
            points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), (x, _)| {
                (least.min(*x), most.max(*x))
            });
        let bend = |share: f64| Bend { from: ends.0, over: share * (ends.1 - ends.0) };
        FILLS_IN.map(bend).into_iter().filter(|bend| bend.over > 0.0).collect()
    }

    fn regressor(self, model: Model, x: f64) -> f64 {
        match model {
            Model::Constant => 0.0,
            Model::Saturating => 1.0 - (-(x - self.from) / self.over).exp(),
            Model::Logarithmic => x.ln(),
            Model::Linear => x,
        }
    }
}

/// A model with the parameters that fit some points best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The model.
    pub model: Model,
    /// a: the value where the regressor (x, ln x, or what is filled up) is 0.
    pub level: f64,
    /// b: growth per unit of the regressor; 0 for a constant.
    pub rate: f64,
    /// x₀ and τ of a saturating law.
    pub bend: Bend,
    /// Sum of the squared residuals.
    pub residual_sum: f64,
    /// Akaike's criterion for small samples, the smaller the better; `None` with too few points.
    pub aicc: Option<f64>,
}

impl Fit {
    /// The fitted value at x.
    pub fn at(&self, x: f64) -> f64 {
        self.level + self.rate * self.bend.regressor(self.model, x)
    }

    /// What the law is a sum of besides its level. A saturating law stands with the direction in
    /// which τ moves it, so that what is fitted beside it need not mend a τ that is a little off.
    pub(crate) fn regressors(&self) -> Vec<impl Fn(f64) -> f64> {
        let Fit { model, bend, .. } = *self;
        let filled = move |x: f64| (x - bend.from) / bend.over;
        let count = match model {
            Model::Constant => 0,
            Model::Logarithmic | Model::Linear => 1,
            Model::Saturating => 2,
        };
        let regressor = move |number: usize| {
            move |x: f64| match number {
                0 => bend.regressor(model, x),
                _ => filled(x) * (-filled(x)).exp(),
            }
        };
        (0..count).map(regressor).collect()
    }

    /// The same model held at the rate of a constant; it still pays for its parameter.
    pub fn without_rate(self, constant: &Fit, points: &[(f64, f64)]) -> Fit {
        let residual_sum = constant.residual_sum;
        let aicc = aicc(residual_sum, points, self.model.parameters());
        Fit { level: constant.level, rate: 0.0, residual_sum, aicc, ..self }
    }
}

/// Least squares; of a saturating law the bend that fits best. `None` without finite points, where
/// all regressors are equal, and for [`Model::Logarithmic`] where some x is not positive.
pub fn fit(model: Model, points: &[(f64, f64)]) -> Option<Fit> {
    let bends = Bend::tried(model, points).into_iter();
    let fits = bends.filter_map(|bend| fit_bent(model, bend, points));
    fits.reduce(|best, next| if next.residual_sum < best.residual_sum { next } else { best })
}

fn fit_bent(model: Model, bend: Bend, points: &[(f64, f64)]) -> Option<Fit> {
    if points.is_empty() {
        return None;
    }
    let count = points.len() as f64;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let (level, rate) = match model {
        Model::Constant => (mean_y, 0.0),
        _ => slope_through(|x| bend.regressor(model, x), points, mean_y)?,
    };
    let mut fit = Fit { model, level, rate, bend, residual_sum: 0.0, aicc: None };
    fit.residual_sum = points.iter().map(|&(x, y)| (y - fit.at(x)).powi(2)).sum();
    fit.aicc = aicc(fit.residual_sum, points, model.parameters());
    let sound = [level, rate, fit.residual_sum].iter().all(|value| value.is_finite());
    sound.then_some(fit)
}

/// Level and rate of the least-squares line over a regressor.
fn slope_through(
    regressor: impl Fn(f64) -> f64,
    points: &[(f64, f64)],
    mean_y: f64,
) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let mean_r = points.iter().map(|&(x, _)| regressor(x)).sum::<f64>() / count;
    let (mut along, mut across) = (0.0, 0.0);
    for &(x, y) in points {
        let from_mean = regressor(x) - mean_r;
        along += from_mean * from_mean;
        across += from_mean * (y - mean_y);
    }
    // The logarithm of a negative x makes it NaN.
    if along.is_nan() || along <= 0.0 {
        return None;
    }
    let rate = across / along;
    Some((mean_y - rate * mean_r, rate))
}

/// AICc under Gaussian residuals, where k counts the variance (Hurvich and Tsai, "Regression and
/// time series model selection in small samples", 1989). `None` where n ≤ k + 1. The variance is at
/// least a millionth of the largest |y|, squared, so that a perfect fit has a criterion.
fn aicc(residual_sum: f64, points: &[(f64, f64)], parameters: usize) -> Option<f64> {
    if points.len() <= parameters + 1 {
        return None;
    }
    let (n, k) = (points.len() as f64, parameters as f64);
    let largest = points.iter().map(|(_, y)| y.abs()).fold(0.0, f64::max);
    // The last bound is for points that are all 0.
    let least = (largest * 1e-6).powi(2).max(f64::MIN_POSITIVE);
    let variance = (residual_sum / n).max(least);
    let deviance = n * ((2.0 * std::f64::consts::PI * variance).ln() + 1.0);
    let criterion = deviance + 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0);
    criterion.is_finite().then_some(criterion)
}
