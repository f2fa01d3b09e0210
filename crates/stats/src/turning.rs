//! Where the order of two contestants turns along a factor.

use super::resample::Difference;

/// What is known of two contestants at one value of the factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The factor.
    pub at: f64,
    /// One less the other, session by session.
    pub difference: Difference,
}

impl Place {
    /// The mean difference where its whole interval lies on one side of 0, over so many sessions.
    fn shown(&self, least: usize) -> Option<f64> {
        let Difference { mean, interval, pairs } = self.difference;
        let ends = interval.filter(|_| pairs >= least)?;
        (ends.low > 0.0 || ends.high < 0.0).then_some(mean)
    }
}

/// Where along a factor the order turns.
#[derive(Clone, Debug, PartialEq)]
pub enum Turning {
    /// The means are never on both sides of 0.
    Never,
    /// They are, but the difference is not shown on both sides.
    NotShown,
    /// Here: between two neighbouring places at which the difference is shown, with unlike signs,
    /// on the straight line between them.
    At(Vec<f64>),
}

/// Places in the order of the factor; a difference is shown over at least so many sessions.
pub fn turning(places: &[Place], least: usize) -> Turning {
    let shown = places.iter().filter_map(|place| Some((place.at, place.shown(least)?)));
    let shown: Vec<(f64, f64)> = shown.collect();
    let between = |two: &[(f64, f64)]| {
        let ((from, one), (to, other)) = (two[0], two[1]);
        (one * other < 0.0).then(|| from + (to - from) * one / (one - other))
    };
    let found: Vec<f64> = shown.windows(2).filter_map(between).collect();
    let has = |side: fn(f64) -> bool| places.iter().any(|place| side(place.difference.mean));
    match (found.is_empty(), has(|mean| mean > 0.0) && has(|mean| mean < 0.0)) {
        (false, _) => Turning::At(found),
        (true, true) => Turning::NotShown,
        (true, false) => Turning::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::super::resample::Interval;
    use super::*;

    /// A place with the middle and half the width of its interval.
    fn place(at: f64, mean: f64, half: f64) -> Place {
        let interval = Some(Interval { low: mean - half, high: mean + half });
        Place { at, difference: Difference { mean, interval, pairs: 8 } }
    }

    #[test]
    fn the_order_turns_between_two_shares_at_which_the_difference_is_shown() {
        let found = turning(&[place(6.0, 0.2, 0.1), place(10.0, -0.2, 0.1)], 8);
        assert_eq!(found, Turning::At(vec![8.0]));
        // What lies between and is not shown is left out.
        let open = [place(6.0, 0.3, 0.1), place(10.0, -0.01, 0.1), place(15.0, -0.15, 0.1)];
        assert_eq!(turning(&open, 8), Turning::At(vec![12.0]));
        let twice = [place(6.0, 0.2, 0.1), place(10.0, -0.2, 0.1), place(15.0, 0.2, 0.1)];
        assert_eq!(turning(&twice, 8), Turning::At(vec![8.0, 12.5]));
    }

    #[test]
    fn an_order_that_is_not_shown_on_both_sides_is_not_shown_to_turn() {
        assert_eq!(turning(&[place(6.0, 0.2, 0.1), place(10.0, -0.2, 0.3)], 8), Turning::NotShown);
        // Too few sessions show nothing, however far apart.
        let firm = [place(6.0, 0.2, 0.1), place(10.0, -0.2, 0.1)];
        assert_eq!(turning(&firm, 9), Turning::NotShown);
        let alone = firm.map(|place| Place {
            difference: Difference { interval: None, ..place.difference },
            ..place
        });
        assert_eq!(turning(&alone, 1), Turning::NotShown);
    }

    #[test]
    fn an_order_that_stays_never_turns() {
        assert_eq!(turning(&[place(6.0, 0.2, 0.1), place(10.0, 0.1, 0.3)], 8), Turning::Never);
        assert_eq!(turning(&[place(6.0, 0.0, 0.1), place(10.0, 0.1, 0.3)], 8), Turning::Never);
        assert_eq!(turning(&[], 8), Turning::Never);
    }
}
