//! How a figure grows: three models fitted by least squares and compared by AICc.

use crate::words;

words! {
    /// Laws of growth that can be told apart from checkpoints of a session.
    pub enum Model {
        /// y = a.
        Constant = "constant",
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
        }
    }

    fn regressor(self, x: f64) -> f64 {
        match self {
            Model::Constant => 0.0,
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
    /// a: the value where the regressor (x, or ln x) is 0.
    pub level: f64,
    /// b: growth per unit of the regressor; 0 for a constant.
    pub rate: f64,
    /// Sum of the squared residuals.
    pub residual_sum: f64,
    /// Akaike's criterion for small samples, the smaller the better; `None` with too few points.
    pub aicc: Option<f64>,
}

impl Fit {
    /// The fitted value at x.
    pub fn at(&self, x: f64) -> f64 {
        self.level + self.rate * self.model.regressor(x)
    }

    /// The same model held at the rate of a constant; it still pays for its parameter.
    pub fn without_rate(self, constant: &Fit, points: &[(f64, f64)]) -> Fit {
        let residual_sum = constant.residual_sum;
        let aicc = aicc(residual_sum, points, self.model.parameters());
        Fit { model: self.model, level: constant.level, rate: 0.0, residual_sum, aicc }
    }
}

/// Least squares. `None` without finite points, where all regressors are equal, and for
/// [`Model::Logarithmic`] where some x is not positive.
pub fn fit(model: Model, points: &[(f64, f64)]) -> Option<Fit> {
    if points.is_empty() {
        return None;
    }
    let count = points.len() as f64;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let (level, rate) = match model {
        Model::Constant => (mean_y, 0.0),
        Model::Logarithmic | Model::Linear => slope_through(model, points, mean_y)?,
    };
    let mut fit = Fit { model, level, rate, residual_sum: 0.0, aicc: None };
    fit.residual_sum = points.iter().map(|&(x, y)| (y - fit.at(x)).powi(2)).sum();
    fit.aicc = aicc(fit.residual_sum, points, model.parameters());
    let sound = [level, rate, fit.residual_sum].iter().all(|value| value.is_finite());
    sound.then_some(fit)
}

/// Level and rate of the least-squares line over the model's regressor.
fn slope_through(model: Model, points: &[(f64, f64)], mean_y: f64) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let mean_r = points.iter().map(|&(x, _)| model.regressor(x)).sum::<f64>() / count;
    let (mut along, mut across) = (0.0, 0.0);
    for &(x, y) in points {
        let from_mean = model.regressor(x) - mean_r;
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
