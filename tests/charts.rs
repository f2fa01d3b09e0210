//! Charts through the public interface: escaped, deterministic, absent where empty.

use proctor::chart::*;
use proctor::unit::Tokens;

const HOSTILE: &str = "<script>alert(\"1\")</script> & 'quoted'\u{0}\n\u{FFFE}]]>";

fn context(name: &str) -> Vec<ContextPanel> {
    let panel = ContextPanel {
        configuration: name.to_owned(),
        prompt: vec![(1, Tokens(10_000)), (2, Tokens(30_000)), (3, Tokens(12_000))],
        window: Some(Tokens(32_000)),
        compactions: vec![3],
        end: Some(End { step: 3, reason: name.to_owned() }),
    };
    vec![panel]
}

fn lines(name: &str) -> LineChart {
    let points = vec![(10.0, 4_000.0), (20.0, 5_000.0)];
    let fitted = LineSeries {
        name: name.to_owned(),
        colour: Some(3),
        points: points.clone(),
        fit: Some(points),
    };
    let joined = LineSeries { points: vec![(0.0, 1.0)], fit: None, ..fitted.clone() };
    let panel = |y, series| LinePanel {
        title: name.to_owned(),
        y_title: "what it measures",
        y,
        series: vec![series],
    };
    LineChart {
        x_title: "turn",
        x: Across::Whole(5),
        point: "a point",
        limit: Some((6_000.0, "usable window")),
        columns: 2,
        height: 250.0,
        panels: vec![panel(Upwards::Tokens, fitted), panel(Upwards::Share, joined)],
    }
}

fn survived(name: &str) -> LineChart {
    LineChart { x: Across::Named(vec![name.to_owned()]), ..lines(name) }
}

fn tones(name: &str) -> ToneChart {
    let rows = vec![(name.to_owned(), vec![Some(0.25)])];
    ToneChart::of_shares(name, vec![name.to_owned()], rows)
}

fn scatter(name: &str) -> ScatterChart {
    let point = |cost| ScatterPoint {
        configuration: name.to_owned(),
        colour: 1,
        cost,
        recall: 0.5,
        interval: Some((0.4, 0.6)),
        brackets: Some((0.25, 0.75)),
        bounds: Some((0.125, 1.0)),
        completed: true,
        sweep: Some(name.to_owned()),
        unranked: false,
    };
    let points = vec![point(1_000.0), point(2_000.0)];
    let control = ScatterPoint { recall: 1.0, ..point(9_000.0) };
    let (control, trials) = (Some(control), vec![(1_500.0, 0.25)]);
    ScatterChart { across: "mean prompt", unit: "tokens", points, trials, control }
}

fn bars(name: &str, of: &'static Amount) -> BarChart {
    let bar = Bar {
        configuration: name.to_owned(),
        parts: [0.4, 0.3, 0.2, 0.1, 0.05],
        remark: name.to_owned(),
        failed: Some(name.to_owned()),
    };
    BarChart { of, bars: vec![bar] }
}

fn made_of(name: &str) -> Vec<CompositionPanel> {
    let step = |step| CompositionStep { step, tokens: [900, 10, 20, 30, 40, 50, 600, step * 99] };
    let panel = CompositionPanel {
        configuration: name.to_owned(),
        steps: (1..9).map(step).collect(),
        end: Some(End { step: 8, reason: name.to_owned() }),
    };
    vec![panel]
}

fn saved(name: &str) -> Vec<SavingRow> {
    let row = SavingRow {
        configuration: name.to_owned(),
        savings: [0.6, 0.5, -0.1].map(|value| Some((value, Some((value - 0.1, value + 0.1))))),
        sessions: name.to_owned(),
        partial: true,
    };
    vec![row]
}

fn fired(name: &str, of: Firings) -> StripChart {
    let configuration = name.to_owned();
    let row = StripRow { configuration, values: vec![0.5, 0.81, 3.97], trigger: Some(0.8) };
    StripChart { of, rows: vec![row] }
}

fn all(name: &str) -> Vec<(&'static str, Rendered)> {
    let charts: [(_, &dyn Chart); 11] = [
        ("context", &context(name)),
        ("lines", &lines(name)),
        ("tones", &tones(name)),
        ("scatter", &scatter(name)),
        ("survival", &survived(name)),
        ("loss", &bars(name, &LOST_FACTS)),
        ("composition", &made_of(name)),
        ("savings", &saved(name)),
        ("dollars", &bars(name, &DOLLARS)),
        ("pressure", &fired(name, Firings::Pressure)),
        ("latency", &fired(name, Firings::Waits)),
    ];
    let drawn = |(kind, chart): (_, &dyn Chart)| {
        (kind, chart.draw(name).expect("it draws").expect("it has something to show"))
    };
    charts.map(drawn).into()
}

#[test]
fn hostile_text_is_escaped_everywhere() {
    for (chart, drawn) in all(HOSTILE) {
        assert!(drawn.svg.contains("&lt;script&gt;"), "{chart}");
        assert!(!drawn.svg.contains("<script"), "{chart}");
        assert!(!drawn.svg.contains("]]>"), "{chart}");
        assert!(!drawn.svg.contains(['\0', '\u{FFFE}']), "{chart}");
        // Every ampersand begins an entity.
        for (at, _) in drawn.svg.match_indices('&') {
            let entity = drawn.svg[at..].split_inclusive(';').next().unwrap();
            let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"];
            assert!(known.contains(&entity), "{chart}: {entity}");
        }
    }
}

#[test]
fn the_same_data_give_the_same_bytes() {
    assert_eq!(all("forge-threshold+goal-batch"), all("forge-threshold+goal-batch"));
}

#[test]
fn other_data_give_other_bytes_in_both_formats() {
    for ((chart, one), (_, other)) in all("one").iter().zip(&all("other")) {
        assert_ne!(one.svg, other.svg, "{chart}");
        assert_ne!(one.png, other.png, "{chart}");
    }
}

#[test]
fn the_png_is_twice_the_size_of_the_svg() {
    for (chart, drawn) in all("forge-head") {
        assert!(drawn.png.starts_with(b"\x89PNG\r\n\x1a\n"), "{chart}");
        let number = |at: usize| u32::from_be_bytes(drawn.png[at..at + 4].try_into().unwrap());
        assert_eq!((number(16), number(20)), (drawn.width * 2, drawn.height * 2), "{chart}");
        let size = format!("<svg width=\"{}\" height=\"{}\"", drawn.width, drawn.height);
        assert!(drawn.svg.starts_with(&size), "{chart}");
    }
}

/// The opening and every text, not the coordinates.
#[test]
fn an_svg_says_what_it_is_and_names_its_axes() {
    let mut outline = String::new();
    for (_, drawn) in all("forge-head") {
        let (opening, rest) = drawn.svg.split_at(drawn.svg.find("</title>").unwrap());
        let texts: Vec<&str> = rest.lines().filter(|line| !line.starts_with('<')).collect();
        outline.push_str(&format!("{opening}</title>\n{}\n\n", texts.join(" | ")));
    }
    insta::assert_snapshot!(outline);
}
