//! Charts through the public interface: escaped, deterministic, absent where empty.

use proctor::chart::*;
use proctor::unit::Tokens;

const HOSTILE: &str = "<script>alert(\"1\")</script> & 'quoted'\u{0}\n\u{FFFE}]]>";

fn context(name: &str) -> ContextChart {
    let panel = ContextPanel {
        configuration: name.to_owned(),
        prompt: vec![(1, Tokens(10_000)), (2, Tokens(30_000)), (3, Tokens(12_000))],
        window: Some(Tokens(32_000)),
        compactions: vec![3],
        end: Some(End { step: 3, reason: name.to_owned() }),
    };
    ContextChart { title: name.to_owned(), panels: vec![panel] }
}

fn floor(name: &str) -> FloorChart {
    let series = FloorSeries {
        configuration: name.to_owned(),
        points: vec![(10.0, 4_000.0), (20.0, 5_000.0)],
        fit: vec![(10.0, 4_000.0), (20.0, 5_000.0)],
    };
    let families = vec![FloorFamily { name: name.to_owned(), series: vec![series] }];
    FloorChart { title: name.to_owned(), families, usable_window: None }
}

fn curve(name: &str) -> CurveChart {
    let rounds = vec![CurveRound { round: 0, tokens: Tokens(9_000), recall: Some(0.5) }];
    let series = vec![CurveSeries { configuration: name.to_owned(), rounds }];
    CurveChart { title: name.to_owned(), series }
}

fn tones(name: &str) -> ToneChart {
    let rows = vec![(name.to_owned(), vec![Some(0.25)])];
    ToneChart::of_shares(name, name, vec![name.to_owned()], rows)
}

fn scatter(name: &str) -> ScatterChart {
    let point = |mean_prompt, family| ScatterPoint {
        configuration: name.to_owned(),
        family,
        mean_prompt,
        recall: 0.5,
        brackets: Some((0.25, 0.75)),
        bounds: Some((0.125, 1.0)),
        completed: true,
        sweep: Some(name.to_owned()),
        unranked: false,
    };
    let points = vec![point(1_000.0, Family::Forge), point(2_000.0, Family::Truncation)];
    let control = ScatterControl { name: name.to_owned(), mean_prompt: 9_000.0, recall: 1.0 };
    ScatterChart { title: name.to_owned(), unit: "tokens", points, control: Some(control) }
}

fn survived(name: &str) -> SurvivalChart {
    let series = vec![SurvivalSeries { name: name.to_owned(), points: vec![(0, 1.0)] }];
    SurvivalChart {
        title: name.to_owned(),
        x_title: "age (windows)",
        buckets: vec![name.to_owned()],
        panels: vec![SurvivalPanel { configuration: name.to_owned(), series }],
    }
}

fn loss(name: &str) -> LossChart {
    let configuration = name.to_owned();
    let early = Some(name.to_owned());
    let bars = vec![LossBar { configuration, facts: [1, 2, 3, 4, 5], steps: 300, early }];
    LossChart { title: name.to_owned(), bars }
}

fn made_of(name: &str) -> CompositionChart {
    let step = |step| CompositionStep { step, tokens: [900, 10, 20, 30, 40, 50, 600, step * 99] };
    let panel = CompositionPanel {
        configuration: name.to_owned(),
        steps: (1..9).map(step).collect(),
        end: Some(End { step: 8, reason: name.to_owned() }),
    };
    CompositionChart { title: name.to_owned(), panels: vec![panel] }
}

fn saved(name: &str) -> SavingsChart {
    let row = SavingRow {
        configuration: name.to_owned(),
        savings: [0.6, 0.5, -0.1]
            .map(|value| Some(Estimate { value, interval: Some((value - 0.1, value + 0.1)) })),
        sessions: name.to_owned(),
        partial: true,
    };
    SavingsChart { title: name.to_owned(), rows: vec![row] }
}

fn paid(name: &str) -> DollarChart {
    let bar = DollarBar {
        configuration: name.to_owned(),
        parts: [0.4, 0.3, 0.2, 0.1, 0.05],
        hit_rate: Some(0.7),
        early: Some(name.to_owned()),
    };
    DollarChart { title: name.to_owned(), bars: vec![bar] }
}

fn fired(name: &str) -> PressureChart {
    let utilization = vec![0.5, 0.81, 0.97];
    let row = PressureRow { configuration: name.to_owned(), utilization, trigger: Some(0.8) };
    PressureChart { title: name.to_owned(), rows: vec![row] }
}

fn waited(name: &str) -> LatencyChart {
    let row = LatencyRow { configuration: name.to_owned(), seconds: vec![3.0, 4.0, 14.0] };
    LatencyChart { title: name.to_owned(), target: 5.0, rows: vec![row] }
}

fn all(name: &str) -> [(&'static str, Rendered); 12] {
    [
        ("context", context_over_steps(&context(name))),
        ("floor", floor_over_turns(&floor(name))),
        ("curve", floor_curve(&curve(name))),
        ("tones", table_of_tones(&tones(name))),
        ("scatter", recall_against_tokens(&scatter(name))),
        ("survival", survival(&survived(name))),
        ("loss", loss_attribution(&loss(name))),
        ("composition", composition_over_steps(&made_of(name))),
        ("savings", savings_with_intervals(&saved(name))),
        ("dollars", dollars_by_part(&paid(name))),
        ("pressure", pressure_when_compacting(&fired(name))),
        ("latency", blocking_by_firing(&waited(name))),
    ]
    .map(|(chart, drawn)| (chart, drawn.expect("it draws").expect("it has something to say")))
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
fn a_chart_with_nothing_to_say_is_left_out() {
    let empty = [
        context_over_steps(&ContextChart::default()),
        floor_over_turns(&FloorChart::default()),
        floor_curve(&CurveChart::default()),
        table_of_tones(&ToneChart::default()),
        recall_against_tokens(&ScatterChart::default()),
        survival(&SurvivalChart::default()),
        loss_attribution(&LossChart::default()),
        composition_over_steps(&CompositionChart::default()),
        savings_with_intervals(&SavingsChart::default()),
        dollars_by_part(&DollarChart::default()),
        pressure_when_compacting(&PressureChart::default()),
        blocking_by_firing(&LatencyChart::default()),
    ];
    assert!(empty.into_iter().all(|drawn| drawn.unwrap().is_none()));
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
