//! Keeping labels apart.

use super::picture::{Bounds, Label, Point, Side};
use super::text::LABEL;

/// Moves heights apart so that neighbours are at least `gap` from each other, each as
/// near to where it was as its neighbours let it, all between `low` and `high` where
/// they fit. Keeps the order of the input in the output.
pub fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&one, &other| wanted[one].total_cmp(&wanted[other]).then(one.cmp(&other)));
    // Each group is (indices into `order`, centre): groups that would touch merge
    // and stand around the mean of what their members wanted.
    let mut groups: Vec<(usize, usize, f64)> = Vec::new();
    for at in 0..order.len() {
        groups.push((at, at + 1, wanted[order[at]]));
        while let [.., above, below] = groups[..] {
            let reach = ((above.1 - above.0) + (below.1 - below.0)) as f64 * gap / 2.0;
            if below.2 - above.2 >= reach {
                break;
            }
            groups.truncate(groups.len() - 2);
            groups.push(merged(above.0, below.1, &order, wanted, (gap, low, high)));
        }
    }
    let mut placed = vec![0.0; wanted.len()];
    for (from, to, centre) in groups {
        let first = centre - (to - from - 1) as f64 * gap / 2.0;
        for at in from..to {
            placed[order[at]] = first + (at - from) as f64 * gap;
        }
    }
    within(&mut placed, &order, (gap, low, high));
    placed
}

fn merged(
    from: usize,
    to: usize,
    order: &[usize],
    wanted: &[f64],
    (gap, low, high): (f64, f64, f64),
) -> (usize, usize, f64) {
    let mean = order[from..to].iter().map(|&index| wanted[index]).sum::<f64>() / (to - from) as f64;
    let half = (to - from - 1) as f64 * gap / 2.0;
    (from, to, mean.min(high - half).max(low + half))
}

/// Pushes what stands beyond the ends back, from the lower end and then from the upper.
fn within(placed: &mut [f64], order: &[usize], (gap, low, high): (f64, f64, f64)) {
    let mut limit = high;
    for &index in order.iter().rev() {
        placed[index] = placed[index].min(limit);
        limit = placed[index] - gap;
    }
    let mut limit = low;
    for &index in order {
        placed[index] = placed[index].max(limit);
        limit = placed[index] + gap;
    }
}

/// A free place for a label near its point: beside it first, then farther out on a
/// circle. `None` where the whole neighbourhood is taken.
pub fn place_near(
    label: &Label,
    point: Point,
    taken: &[Bounds],
    disliked: &[Bounds],
    paper: &Bounds,
) -> Option<Label> {
    let places: Vec<Label> = candidates(label, point)
        .into_iter()
        .filter(|place| {
            let bounds = place.bounds();
            let leader = leader(point, place.at);
            paper.holds(&bounds)
                && !taken
                    .iter()
                    .any(|other| other.meets(&bounds) || leader.iter().any(|dot| dot.meets(other)))
        })
        .collect();
    let pleasant = places.iter().position(|place| {
        let bounds = place.bounds();
        !disliked.iter().any(|other| other.meets(&bounds))
    });
    // A pleasant place far away is worse than a line behind the text.
    let chosen = pleasant.filter(|&index| distance(&places[index], point) < 40.0).unwrap_or(0);
    places.into_iter().nth(chosen)
}

/// Small boxes along the line from a point to a label that does not stand beside it.
pub fn leader(point: Point, at: Point) -> Vec<Bounds> {
    const BESIDE: f64 = 14.0;
    const CLEAR: f64 = 8.0;
    const STEP: f64 = 3.0;
    let (dx, dy) = (at.0 - point.0, at.1 - point.1);
    let length = dx.hypot(dy);
    if length <= BESIDE {
        return Vec::new();
    }
    let count = ((length - CLEAR) / STEP).max(0.0) as usize;
    let parts = (0..=count).map(|index| (CLEAR + index as f64 * STEP) / length);
    parts.map(|part| Bounds::new(point.0 + dx * part, point.1 + dy * part, 1.0, 1.0)).collect()
}

fn distance(label: &Label, point: Point) -> f64 {
    (label.at.0 - point.0).hypot(label.at.1 - point.1)
}

fn candidates(label: &Label, (x, y): Point) -> Vec<Label> {
    let beside = [
        (9.0, 0.0, Side::Start),
        (-9.0, 0.0, Side::End),
        (0.0, -LABEL - 1.0, Side::Middle),
        (0.0, LABEL + 1.0, Side::Middle),
        (7.0, -LABEL + 1.0, Side::Start),
        (7.0, LABEL - 1.0, Side::Start),
        (-7.0, -LABEL + 1.0, Side::End),
        (-7.0, LABEL - 1.0, Side::End),
    ];
    let farther = (2..=14_i32).flat_map(|ring| {
        (0..16_i32).map(move |part| {
            let angle = f64::from(part) * std::f64::consts::TAU / 16.0;
            let (dx, dy) =
                (angle.cos() * f64::from(ring) * 14.0, angle.sin() * f64::from(ring) * 12.0);
            (dx, dy, if dx < -1.0 { Side::End } else { Side::Start })
        })
    });
    let places = beside.into_iter().chain(farther);
    places.map(|(dx, dy, side)| Label { at: (x + dx, y + dy), side, ..label.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_with_room_stay_where_they_are() {
        assert_eq!(spread(&[10.0, 90.0, 50.0], 12.0, 0.0, 100.0), [10.0, 90.0, 50.0]);
    }

    #[test]
    fn equal_labels_fan_out_around_their_place_in_input_order() {
        assert_eq!(spread(&[50.0, 50.0, 50.0], 10.0, 0.0, 100.0), [40.0, 50.0, 60.0]);
        assert_eq!(spread(&[0.0, 0.0], 10.0, 0.0, 100.0), [0.0, 10.0]);
        assert_eq!(spread(&[100.0, 100.0], 10.0, 0.0, 100.0), [90.0, 100.0]);
    }

    proptest! {
        /// forall heights that fit: neighbours are a gap apart, within the ends, in order.
        #[test]
        fn spread_labels_never_touch(wanted in prop::collection::vec(0.0..200.0_f64, 0..17)) {
            let placed = spread(&wanted, 12.0, 0.0, 200.0);
            let mut sorted = placed.clone();
            sorted.sort_by(f64::total_cmp);
            prop_assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= 12.0 - 1e-6));
            prop_assert!(sorted.iter().all(|at| (-1e-6..=200.0 + 1e-6).contains(at)));
            for (one, &first) in wanted.iter().enumerate() {
                for (other, &second) in wanted.iter().enumerate() {
                    prop_assert!(first >= second || placed[one] < placed[other]);
                }
            }
        }
    }
}
