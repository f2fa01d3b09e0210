//! Many tests at once.

/// p-values adjusted by Holm's step-down procedure, in the order given: compared with
/// a level, they hold the chance of any false finding in the family at that level
/// (Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979). `None`
/// where one is no probability.
pub fn holm(probabilities: &[f64]) -> Option<Vec<f64>> {
    let count = probabilities.len();
    let order = ascending(probabilities)?;
    let mut adjusted = vec![0.0; count];
    let mut most: f64 = 0.0;
    for (place, &index) in order.iter().enumerate() {
        most = most.max((count - place) as f64 * probabilities[index]).min(1.0);
        adjusted[index] = most;
    }
    Some(adjusted)
}

/// p-values adjusted by the step-up procedure of Benjamini and Hochberg ("Controlling
/// the False Discovery Rate", 1995), in the order given: compared with a level, they
/// hold the expected share of false findings among all findings. For exploration.
/// `None` where one is no probability.
pub fn benjamini_hochberg(probabilities: &[f64]) -> Option<Vec<f64>> {
    let count = probabilities.len();
    let order = ascending(probabilities)?;
    let mut adjusted = vec![0.0; count];
    let mut least: f64 = 1.0;
    for (place, &index) in order.iter().enumerate().rev() {
        least = least.min(probabilities[index] * count as f64 / (place + 1) as f64);
        adjusted[index] = least;
    }
    Some(adjusted)
}

fn ascending(probabilities: &[f64]) -> Option<Vec<usize>> {
    if probabilities.iter().any(|probability| !(0.0..=1.0).contains(probability)) {
        return None;
    }
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|one, other| probabilities[*one].total_cmp(&probabilities[*other]));
    Some(order)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_probability_is_refused() {
        for wrong in [f64::NAN, -0.1, 1.1] {
            assert_eq!(holm(&[0.5, wrong]), None);
            assert_eq!(benjamini_hochberg(&[0.5, wrong]), None);
        }
        assert_eq!(holm(&[]), Some(vec![]));
        assert_eq!(benjamini_hochberg(&[]), Some(vec![]));
    }

    proptest! {
        /// raw ≤ Benjamini-Hochberg ≤ Holm ≤ Bonferroni, and no change of order.
        #[test]
        fn the_procedures_stand_in_their_order(
            raw in proptest::collection::vec(0.0..=1.0f64, 1..20),
        ) {
            let (strict, lenient) = (holm(&raw).unwrap(), benjamini_hochberg(&raw).unwrap());
            for (index, probability) in raw.iter().enumerate() {
                prop_assert!(*probability <= lenient[index] + 1e-12);
                prop_assert!(lenient[index] <= strict[index] + 1e-12);
                prop_assert!(strict[index] <= (probability * raw.len() as f64).min(1.0) + 1e-12);
                for (other, beside) in raw.iter().enumerate() {
                    prop_assert!(probability > beside || strict[index] <= strict[other]);
                }
            }
        }
    }
}
