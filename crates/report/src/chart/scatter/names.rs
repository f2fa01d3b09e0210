//! Names beside the points of a crowd: a name where it finds room, else a number that a
//! key under the chart explains.

use super::super::prelude::*;
use super::{Dot, Drawn};

/// Points nearer to each other than this are one place and named together.
const ONE_PLACE: f64 = 8.0;
/// Names longer than this are cut in the picture; the key has them whole.
const LONGEST: f64 = 230.0;
/// A name farther from its point than this is a number instead.
const FAR: f64 = 60.0;
/// From a point to a number that found no room.
const BESIDE: f64 = 9.0;

/// Names every place; returns the names that numbers stand for, the first that of 1.
pub fn draw<'a>(
    picture: &mut Picture,
    dots: &[Dot<'a>],
    Drawn { marks: mut taken, lines }: Drawn,
    area: &Bounds,
) -> Vec<&'a str> {
    taken.extend(dots.iter().map(|dot| Bounds::around(dot.at, 5.5)));
    let paper = Bounds::new(area.left, area.top - 6.0, area.width + 30.0, area.height + 2.0);
    let mut numbered: Vec<&str> = Vec::new();
    for place in places(dots) {
        let Dot { at, colour, point } = *place[0];
        let label = |says| Label::new(says, at, Side::Start, LABEL, palette::text_of(colour));
        let near = |label: &Label| labels::place_near(label, at, &taken, &lines, &paper);
        let name = (place.len() == 1).then(|| text::fit(&point.configuration, LABEL, LONGEST));
        let named = name.and_then(|name| near(&label(name)));
        let named = named.filter(|found| labels::distance(found.at, at) < FAR);
        let label = named.unwrap_or_else(|| {
            let from = numbered.len() + 1;
            numbered.extend(place.iter().map(|dot| dot.point.configuration.as_str()));
            let number = label(match place.len() {
                1 => from.to_string(),
                many => format!("{from}\u{2013}{}", from + many - 1),
            });
            // The key must find its point: at worst it stands over something else.
            near(&number)
                .or_else(|| labels::place_across(&number, at, &taken, &paper))
                .unwrap_or(Label { at: (at.0 + BESIDE, at.1), ..number })
        });
        let leader = labels::leader(at, label.at);
        if let (Some(first), Some(last)) = (leader.first(), leader.last()) {
            picture.line(vec![(first.left, first.top), (last.left, last.top)], colour, 0.75);
        }
        taken.extend(leader);
        taken.push(label.bounds());
        picture.text_on_paper(label);
    }
    numbered
}

/// Points that stand in one place, in the order of the first of each.
fn places<'a, 'b>(dots: &'b [Dot<'a>]) -> Vec<Vec<&'b Dot<'a>>> {
    let mut places: Vec<Vec<&Dot>> = Vec::new();
    for dot in dots {
        let near = |place: &&mut Vec<&Dot>| labels::distance(place[0].at, dot.at) < ONE_PLACE;
        match places.iter_mut().find(near) {
            Some(place) => place.push(dot),
            None => places.push(vec![dot]),
        }
    }
    places
}

/// What the numbers stand for, in columns under the chart.
pub fn draw_key(picture: &mut Picture, numbered: &[&str]) {
    const LINE: f64 = 15.0;
    if numbered.is_empty() {
        return;
    }
    let columns = if figure::is_narrow(picture.width) { 1 } else { 3 };
    let room = (picture.width - 2.0 * figure::MARGIN) / columns as f64;
    let lines = numbered.len().div_ceil(columns);
    for (index, name) in numbered.iter().enumerate() {
        let left = figure::MARGIN + room * (index / lines) as f64;
        let y = picture.height + (index % lines) as f64 * LINE;
        let number = (index + 1).to_string();
        picture.text(Label::new(number, (left + 18.0, y), Side::End, FIGURE, INK));
        let name = text::fit(name, LABEL, room - 34.0);
        picture.text(Label::new(name, (left + 24.0, y), Side::Start, LABEL, SOFT));
    }
    picture.height += lines as f64 * LINE + figure::MARGIN;
}

#[cfg(test)]
mod tests {
    use super::super::super::picture::Mark;
    use super::super::ScatterPoint;
    use super::*;

    #[test]
    fn a_number_of_the_key_stands_in_the_chart_even_where_nothing_is_free() {
        let area = Bounds::new(0.0, 0.0, 200.0, 100.0);
        let mut picture =
            Picture { title: String::new(), width: 200.0, height: 100.0, marks: Vec::new() };
        let point = ScatterPoint { configuration: "crowded".to_owned(), ..Default::default() };
        let dots = [Dot { at: (100.0, 50.0), colour: INK, point: &point }];
        let drawn = Drawn { marks: vec![area], lines: Vec::new() };
        assert_eq!(draw(&mut picture, &dots, drawn, &area), ["crowded"]);
        let is_number = |mark: &Mark| matches!(mark, Mark::Text(label) if label.text == "1");
        assert!(picture.marks.iter().any(is_number));
    }
}
