//! Many tests at once.

/// p-values adjusted by Holm's step-down procedure, in the order given ("A Simple Sequentially
/// Rejective Multiple Test Procedure", 1979). `None` where one is no probability.
pub fn holm(probabilities: &[f64]) -> Option<Vec<f64>> {
    if probabilities.iter().any(|probability| !(0.0..=1.0).contains(probability)) {
        return None;
    }
    let count = probabilities.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| probabilities[*one].total_cmp(&probabilities[*other]));
    let mut adjusted = vec![0.0; count];
    let mut most: f64 = 0.0;
    for (place, &index) in order.iter().enumerate() {
        most = most.max((count - place) as f64 * probabilities[index]).min(1.0);
        adjusted[index] = most;
    }
    Some(adjusted)
}
