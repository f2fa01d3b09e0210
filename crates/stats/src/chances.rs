//! How well chances foretell what came: whether they order it, and whether they are its rates.

/// Groups of the calibration error.
const GROUPS: usize = 10;

/// A chance, and whether it came.
pub type Foretold = (f64, bool);

/// The area under the ROC curve: the chance that one that came was given a higher chance than one that
/// did not; ties are halves. `None` where all came, or none.
pub fn area(rows: &[Foretold]) -> Option<f64> {
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut sum) = (0.0, 0.0);
    for group in sorted.chunk_by(|one, other| one.0 == other.0) {
        let came = group.iter().filter(|one| one.1).count() as f64;
        let others = group.len() as f64 - came;
        sum += came * (below + others / 2.0);
        below += others;
    }
    let came = rows.len() as f64 - below;
    (came > 0.0 && below > 0.0).then(|| sum / (came * below))
}

/// The mean distance of chance and rate over ten groups of equal size by chance. `None` of nothing.
pub fn calibration(rows: &[Foretold]) -> Option<f64> {
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let distance = |group: &[Foretold]| {
        let came = group.iter().filter(|one| one.1).count() as f64;
        (came - group.iter().map(|one| one.0).sum::<f64>()).abs()
    };
    let groups = sorted.chunks(rows.len().div_ceil(GROUPS).max(1));
    (!rows.is_empty()).then(|| groups.map(distance).sum::<f64>() / rows.len() as f64)
}

/// The mean square of what came less its chance (Brier, 1950). `None` of nothing.
pub fn brier(rows: &[Foretold]) -> Option<f64> {
    let square = |(chance, came): &Foretold| (f64::from(u8::from(*came)) - chance).powi(2);
    (!rows.is_empty()).then(|| rows.iter().map(square).sum::<f64>() / rows.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_a_calibration_and_a_score_are_what_they_are_by_hand() {
        let rows = [(0.1, false), (0.4, true), (0.4, false), (0.9, true)];
        assert_eq!(area(&rows), Some(0.875));
        assert_eq!(area(&rows[..1]), None);
        assert_eq!(calibration(&[(0.75, true), (0.25, false)]), Some(0.25));
        assert_eq!(brier(&[(0.5, true), (1.0, false)]), Some(0.625));
        assert_eq!((calibration(&[]), brier(&[])), (None, None));
    }
}
