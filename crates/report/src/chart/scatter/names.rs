//! Names beside the points of a crowd: a name where it finds room, else a number that a
//! key under the chart explains.

use super::Dot;
use crate::chart::figure;
use crate::chart::labels;
use crate::chart::palette::{self, INK, SOFT};
use crate::chart::picture::{Bounds, Label, Picture, Point, Side};
use crate::chart::text::{self, LABEL, Weight};

/// Points nearer to each other than this are one place, told together.
const ONE_PLACE: f64 = 8.0;
/// Names longer than this are cut in the picture; the key has them whole.
const LONGEST: f64 = 230.0;

/// Names every place; returns the numbers that were given and what they stand for.
pub fn draw(
    picture: &mut Picture,
    dots: &[Dot],
    (mut taken, lines): (Vec<Bounds>, Vec<Bounds>),
    area: &Bounds,
) -> Vec<(usize, String)> {
    let around =
        |(x, y): Point, reach: f64| Bounds::new(x - reach, y - reach, 2.0 * reach, 2.0 * reach);
    taken.extend(dots.iter().map(|dot| around(dot.at, 5.5)));
    let paper = Bounds::new(area.left, area.top - 6.0, area.width + 30.0, area.height + 2.0);
    let mut numbered: Vec<(usize, String)> = Vec::new();
    for place in places(dots) {
        let first = &dots[place[0]];
        let colour = palette::text_of(first.colour);
        let label = |says: String| Label::new(says, first.at, Side::Start, LABEL, colour);
        let name = |index: &usize| dots[*index].point.configuration.clone();
        let near = |label: &Label| labels::place_near(label, first.at, &taken, &lines, &paper);
        let named = match place[..] {
            [only] => {
                let name = text::fit(&name(&only), LABEL, Weight::Regular, LONGEST);
                near(&label(name)).filter(|found| far(found, first.at) < 60.0)
            }
            _ => None,
        };
        let label = match named {
            Some(label) => Some(label),
            None => {
                let from = numbered.len() + 1;
                numbered.extend(place.iter().enumerate().map(|(at, dot)| (from + at, name(dot))));
                let says = match place.len() {
                    1 => from.to_string(),
                    many => format!("{from}\u{2013}{}", from + many - 1),
                };
                near(&label(says))
            }
        };
        let Some(label) = label else { continue };
        let leader = labels::leader(first.at, label.at);
        if let (Some(first_dot), Some(last)) = (leader.first(), leader.last()) {
            let ends = vec![(first_dot.left, first_dot.top), (last.left, last.top)];
            picture.line(ends, first.colour, 0.75);
        }
        taken.extend(leader);
        taken.push(label.bounds());
        picture.text_on_paper(label);
    }
    numbered
}

fn far(label: &Label, at: Point) -> f64 {
    (label.at.0 - at.0).hypot(label.at.1 - at.1)
}

/// Points that stand in one place, in the order of the first of each.
fn places(dots: &[Dot]) -> Vec<Vec<usize>> {
    let mut places: Vec<Vec<usize>> = Vec::new();
    for (index, dot) in dots.iter().enumerate() {
        let near = |place: &&mut Vec<usize>| {
            let other = dots[place[0]].at;
            (dot.at.0 - other.0).hypot(dot.at.1 - other.1) < ONE_PLACE
        };
        match places.iter_mut().find(near) {
            Some(place) => place.push(index),
            None => places.push(vec![index]),
        }
    }
    places
}

/// What the numbers stand for, in columns under the chart.
pub fn draw_key(picture: &mut Picture, numbered: &[(usize, String)]) {
    const COLUMNS: usize = 3;
    const LINE: f64 = 15.0;
    if numbered.is_empty() {
        return;
    }
    let room = (picture.width - 2.0 * figure::MARGIN) / COLUMNS as f64;
    let lines = numbered.len().div_ceil(COLUMNS);
    for (index, (number, name)) in numbered.iter().enumerate() {
        let left = figure::MARGIN + room * (index / lines) as f64;
        let y = picture.height + (index % lines) as f64 * LINE;
        let number = Label::new(number.to_string(), (left + 18.0, y), Side::End, LABEL, INK);
        picture.text(Label { weight: Weight::Bold, ..number });
        let name = text::fit(name, LABEL, Weight::Regular, room - 34.0);
        picture.text(Label::new(name, (left + 24.0, y), Side::Start, LABEL, SOFT));
    }
    picture.height += lines as f64 * LINE + figure::MARGIN;
}
