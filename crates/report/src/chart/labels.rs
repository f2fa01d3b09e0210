//! Keeping labels apart.

use super::palette;
use super::picture::{Bounds, DOTS, Label, Picture, Point, Side};
use super::text::{Font, LABEL};
use crate::prelude::*;

pub const LINE: f64 = 14.0;
/// From the edge of a plot to the names beside it.
pub const LEADER: f64 = 16.0;

pub struct EndName {
    pub at: Point,
    pub name: String,
    pub colour: RGBColor,
}

/// Names what ends in an area at the right of it, apart from each other.
pub fn name_ends(picture: &mut Picture, area: &Bounds, ends: Vec<EndName>, font: Font) {
    let wanted: Vec<f64> = ends.iter().map(|end| end.at.1).collect();
    let heights = spread(&wanted, LINE, area.top, area.bottom());
    let edge = area.right();
    for (EndName { at: (x, y), name, colour }, height) in ends.into_iter().zip(heights) {
        picture.dashes((x + 4.0, y), (edge.max(x + 4.0), y), DOTS, colour);
        picture.line(vec![(edge + 2.0, y), (edge + LEADER - 2.0, height)], colour, 0.75);
        let at = (edge + LEADER + 2.0, height);
        picture.text(Label::new(name, at, Side::Start, font, palette::text_of(colour)));
    }
}

/// Moves heights apart by at least `gap`, each as near to where it was as its neighbours let
/// it, between `low` and `high` where they fit; in the order of the input.
fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&one, &other| wanted[one].total_cmp(&wanted[other]));
    // A group and its first height: its members stand around the mean of what they wanted.
    let group_of = |members: Range<usize>| {
        let half = (members.len() - 1) as f64 * gap / 2.0;
        let sum: f64 = order[members.clone()].iter().map(|&index| wanted[index]).sum();
        let centre = (sum / members.len() as f64).min(high - half).max(low + half);
        (members, centre - half)
    };
    let mut groups: Vec<(Range<usize>, f64)> = Vec::new();
    for at in 0..order.len() {
        let mut group = group_of(at..at + 1);
        // Groups that would touch become one.
        while let Some((above, _)) =
            groups.pop_if(|(above, first)| group.1 < *first + above.len() as f64 * gap)
        {
            group = group_of(above.start..group.0.end);
        }
        groups.push(group);
    }
    let mut placed = vec![0.0; wanted.len()];
    for (members, first) in groups {
        for (step, at) in members.enumerate() {
            placed[order[at]] = first + step as f64 * gap;
        }
    }
    placed
}

/// A free place for a label beside its point or farther out; `None` where all is taken.
pub fn place_near(
    label: &Label,
    point: Point,
    taken: &[Bounds],
    disliked: &[Bounds],
    paper: &Bounds,
) -> Option<Label> {
    let is_led_to = |place: &Label| {
        let leader = leader(point, place.at);
        !taken.iter().any(|other| leader.iter().any(|dot| dot.meets(other)))
    };
    let places: Vec<Label> = free(label, point, taken, paper).filter(is_led_to).collect();
    let is_pleasant = |place: &Label| {
        let bounds = place.bounds();
        !disliked.iter().any(|other| other.meets(&bounds))
    };
    // A pleasant place far away is worse than a line behind the text.
    let near = |place: &Label| distance(place.at, point) < 40.0;
    let pleasant = places.iter().position(is_pleasant).filter(|&index| near(&places[index]));
    places.into_iter().nth(pleasant.unwrap_or(0))
}

/// A free place, though the line from its point may cross what is taken; `None` where all is taken.
pub fn place_across(
    label: &Label,
    point: Point,
    taken: &[Bounds],
    paper: &Bounds,
) -> Option<Label> {
    free(label, point, taken, paper).next()
}

fn free(
    label: &Label,
    point: Point,
    taken: &[Bounds],
    paper: &Bounds,
) -> impl Iterator<Item = Label> {
    candidates(label, point).into_iter().filter(|place| {
        let bounds = place.bounds();
        paper.holds(&bounds) && !taken.iter().any(|other| other.meets(&bounds))
    })
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

pub fn distance(one: Point, other: Point) -> f64 {
    (one.0 - other.0).hypot(one.1 - other.1)
}

fn candidates(label: &Label, (x, y): Point) -> Vec<Label> {
    let line = LABEL.size;
    let beside = [
        (9.0, 0.0, Side::Start),
        (-9.0, 0.0, Side::End),
        (0.0, -line - 1.0, Side::Middle),
        (0.0, line + 1.0, Side::Middle),
        (7.0, -line + 1.0, Side::Start),
        (7.0, line - 1.0, Side::Start),
        (-7.0, -line + 1.0, Side::End),
        (-7.0, line - 1.0, Side::End),
    ];
    let farther = (2..=14_i32).flat_map(|ring| {
        (0..16_i32).map(move |part| {
            let angle = f64::from(part) * std::f64::consts::TAU / 16.0;
            let (dx, dy) = (angle.cos() * 14.0, angle.sin() * 12.0);
            let (dx, dy) = (dx * f64::from(ring), dy * f64::from(ring));
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
    fn labels_with_room_stay_and_equal_ones_fan_out_in_input_order() {
        assert_eq!(spread(&[10.0, 90.0, 50.0], 12.0, 0.0, 100.0), [10.0, 90.0, 50.0]);
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
