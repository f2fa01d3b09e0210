//! Ranks, and several treatments ranked within every session.

use serde::Serialize;

use super::distribution::{chi_squared_above, f_above, normal_range_quantile};

/// Ranks from 1 for the least; equal values share the mean of their places.
fn midranks(values: &[f64]) -> Option<Vec<f64>> {
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    for tied in order.chunk_by(|one, other| values[*one] == values[*other]) {
        let below = order.iter().take_while(|index| **index != tied[0]).count();
        let rank = below as f64 + (tied.len() + 1) as f64 / 2.0;
        tied.iter().for_each(|index| ranks[*index] = rank);
    }
    Some(ranks)
}

/// How many values share each rank, where more than one does.
fn tie_sizes(ranks: &[f64]) -> Vec<f64> {
    let mut sorted = ranks.to_vec();
    sorted.sort_by(f64::total_cmp);
    let tied = sorted.chunk_by(|one, other| one == other).filter(|tied| tied.len() > 1);
    tied.map(|tied| tied.len() as f64).collect()
}

/// Friedman's test of treatments over blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Friedman {
    /// Mean rank of every treatment, 1 the best.
    pub mean_ranks: Vec<f64>,
    /// Blocks: sessions.
    pub blocks: usize,
    /// Blocks in which treatments share a rank.
    pub tied_blocks: usize,
    /// Friedman's statistic, corrected for ties.
    pub statistic: f64,
    /// Its p, chi-squared.
    pub p: f64,
    /// p of the F form (Iman and Davenport, "Approximations of the Critical Region of the Friedman
    /// Statistic", 1980); 0 where every block ranks alike.
    pub p_of_f: f64,
}

/// Friedman's test ("The Use of Ranks to Avoid the Assumption of Normality", 1937). Each block
/// holds a value for every treatment, the least the best. `None` with fewer than two blocks or
/// treatments, with unequal blocks, and where all blocks are tied throughout.
pub fn friedman(blocks: &[Vec<f64>]) -> Option<Friedman> {
    let treatments = blocks.first()?.len();
    if blocks.len() < 2 || treatments < 2 || blocks.iter().any(|block| block.len() != treatments) {
        return None;
    }
    let ranks: Vec<Vec<f64>> = blocks.iter().map(|block| midranks(block)).collect::<Option<_>>()?;
    let (k, n) = (treatments as f64, blocks.len() as f64);
    let sums: Vec<f64> =
        (0..treatments).map(|place| ranks.iter().map(|block| block[place]).sum()).collect();
    let ties: f64 =
        ranks.iter().flat_map(|block| tie_sizes(block)).map(|size| size.powi(3) - size).sum();
    let untied = 1.0 - ties / (k * (k * k - 1.0) * n);
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let statistic = (12.0 / (k * n * (k + 1.0)) * squares - 3.0 * n * (k + 1.0)) / untied;
    let statistic = super::finite(statistic).filter(|_| untied > 1e-12)?.max(0.0);
    let rest = n * (k - 1.0) - statistic;
    let p_of_f = if rest > 1e-9 {
        f_above((n - 1.0) * statistic / rest, k - 1.0, (k - 1.0) * (n - 1.0))
    } else {
        0.0
    };
    Some(Friedman {
        mean_ranks: sums.iter().map(|sum| sum / n).collect(),
        blocks: blocks.len(),
        tied_blocks: ranks.iter().filter(|block| !tie_sizes(block).is_empty()).count(),
        statistic,
        p: chi_squared_above(statistic, k - 1.0),
        p_of_f,
    })
}

/// The difference of mean ranks from which two treatments differ at this level, over all pairs
/// (Nemenyi 1963; Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", 2006).
/// `None` with fewer than two treatments, without blocks, and with a level outside 0 to 1.
pub fn critical_difference(treatments: usize, blocks: usize, level: f64) -> Option<f64> {
    if treatments < 2 || blocks == 0 || !(level > 0.0 && level < 1.0) {
        return None;
    }
    let range = normal_range_quantile(1.0 - level, treatments) / std::f64::consts::SQRT_2;
    let (k, n) = (treatments as f64, blocks as f64);
    // The range over the standard error of a difference of two mean ranks.
    super::finite(range * (k * (k + 1.0) / (6.0 * n)).sqrt())
}

/// The longest runs of treatments, in the order of mean ranks, whose first and last differ by less
/// than the critical difference, as indices; those of one are left out.
pub fn undecided_groups(mean_ranks: &[f64], critical: f64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..mean_ranks.len()).collect();
    order.sort_by(|one, other| mean_ranks[*one].total_cmp(&mean_ranks[*other]));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut reached = 0;
    for (start, first) in order.iter().enumerate() {
        let near = |index: &&usize| mean_ranks[**index] - mean_ranks[*first] < critical;
        let end = start + order[start..].iter().take_while(near).count();
        if end > reached && end > start + 1 {
            groups.push(order[start..end].to_vec());
        }
        reached = reached.max(end);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_longest_undecided_runs() {
        for (ranks, critical, expected) in [
            (vec![1.0, 2.0, 3.0, 4.0], 1.5, vec![vec![0, 1], vec![1, 2], vec![2, 3]]),
            (vec![4.0, 1.0, 1.2], 1.0, vec![vec![1, 2]]),
            (vec![2.0, 2.0, 2.0], 0.5, vec![vec![0, 1, 2]]),
            (vec![1.0, 2.0], 0.5, vec![]),
            (vec![], 0.5, vec![]),
        ] {
            assert_eq!(undecided_groups(&ranks, critical), expected, "{ranks:?}");
        }
    }

    #[test]
    fn what_cannot_be_ranked_is_nothing() {
        let row = || vec![1.0, 2.0];
        assert_eq!(friedman(&[]), None);
        assert_eq!(friedman(&[row()]), None);
        assert_eq!(friedman(&[vec![1.0], vec![2.0]]), None);
        assert_eq!(friedman(&[row(), vec![1.0]]), None);
        assert_eq!(friedman(&[row(), vec![1.0, f64::NAN]]), None);
        assert_eq!(friedman(&[vec![1.0, 1.0], vec![2.0, 2.0]]), None);
        assert_eq!(critical_difference(1, 5, 0.05), None);
        assert_eq!(critical_difference(3, 0, 0.05), None);
    }
}
