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

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(count: u32, value: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (1..=count).map(|x| (f64::from(x), value(f64::from(x)))).collect()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found} is not {expected}");
    }

    #[test]
    fn fits_and_criteria_are_those_of_numpy_and_scipy() {
        // numpy.linalg.lstsq; −2 Σ scipy.stats.norm.logpdf(residual, 0, √(RSS / n))
        // plus the penalty written out (NumPy 2, SciPy 1.17).
        let points = [(1., 10.), (2., 12.), (3., 11.), (5., 15.), (8., 14.), (13., 21.)];
        for (model, level, rate, residual_sum, aicc) in [
            (Model::Constant, 13.833_333_333_3, 0.0, 78.833_333_333_3, 40.480_721_098_7),
            (
                Model::Logarithmic,
                8.880_460_759_7,
                3.693_606_285_1,
                18.912_388_624_5,
                41.915_608_723_7,
            ),
            (Model::Linear, 9.394_736_842_1, 0.832_236_842_1, 8.648_026_315_8, 37.220_692_323_0),
        ] {
            let fit = fit(model, &points).expect("six points fit");
            close(fit.level, level);
            close(fit.rate, rate);
            close(fit.residual_sum, residual_sum);
            close(fit.aicc.expect("six points have a criterion"), aicc);
        }
    }

    #[test]
    fn too_few_points_have_a_fit_but_no_criterion() {
        for (count, model, has_criterion) in [
            (3, Model::Constant, false),
            (4, Model::Constant, true),
            (4, Model::Linear, false),
            (5, Model::Linear, true),
        ] {
            let fit = fit(model, &curve(count, |x| x * x)).expect("they fit");
            assert_eq!(fit.aicc.is_some(), has_criterion, "{count} points, {model:?}");
        }
    }

    #[test]
    fn what_cannot_be_fitted_is_nothing() {
        for (model, points) in [
            (Model::Constant, vec![]),
            (Model::Constant, vec![(1.0, f64::NAN)]),
            (Model::Linear, vec![(1.0, f64::MAX), (2.0, -f64::MAX)]),
            (Model::Linear, vec![(2.0, 1.0), (2.0, 3.0)]),
            (Model::Logarithmic, vec![(0.0, 1.0), (2.0, 3.0)]),
            (Model::Logarithmic, vec![(-1.0, 1.0), (2.0, 3.0)]),
        ] {
            assert_eq!(fit(model, &points), None, "{model:?} of {points:?}");
        }
    }

    #[test]
    fn a_fit_held_at_no_rate_is_the_constant_at_a_higher_price() {
        let points = curve(12, |x| 100.0 - x);
        let constant = fit(Model::Constant, &points).expect("a fit");
        let held = fit(Model::Linear, &points).expect("a fit").without_rate(&constant, &points);
        assert_eq!((held.level, held.rate), (constant.level, 0.0));
        // 6 + 24 / 8 against 4 + 12 / 9.
        close(held.aicc.expect("a value") - constant.aicc.expect("a value"), 9.0 - 16.0 / 3.0);
    }
}
