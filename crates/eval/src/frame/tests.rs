use super::*;
use crate::measure::floor::LinearGrowth;
use crate::measure::floor::verdict::Support;
use crate::measure::{Sign, Word};
use crate::record::Value::Text;
use crate::record::{self, Field, Line, Values, columns};
use crate::stats::resample::Interval;

#[test]
fn a_basis_is_read_back_from_its_code_and_parameters() {
    let verdict = Basis::FloorVerdict {
        sessions: 3,
        enough: 8,
        lengths: 1,
        support: Some(Support::OnePassAlone),
    };
    let growth = Basis::Growth { linear: LinearGrowth::Open, level: 0.5, rate: -1e-7 };
    let reasons = vec![("no \"batch\", yet".to_owned(), 5)];
    for basis in [
        Basis::Direct,
        Basis::NoDemands,
        Basis::Beside { reference: "forge-adr".to_owned() },
        Basis::Declined { reasons, more: 2 },
        verdict,
        growth,
    ] {
        let (code, parameters) = basis.code();
        assert_eq!(Basis::parse(&code, &parameters).ok(), Some(basis), "{code} {parameters}");
    }
    for (code, parameters) in [("no-such-code", ""), ("beside", ""), ("beside", "{}")] {
        assert!(Basis::parse(code, parameters).is_err(), "{code} {parameters}");
    }
    let (code, parameters) = Basis::ReferenceNotDriven { reference: "a".to_owned() }.code();
    assert_eq!((&*code, &*parameters), ("reference-not-driven", r#"{"reference":"a"}"#));
}

#[test]
fn a_verdict_says_first_what_weakens_it() {
    let basis = Basis::FloorVerdict { sessions: 3, enough: 8, lengths: 1, support: None };
    let expected = "n too small: 3 of 8 sessions; one session length only; no fit of one_pass";
    assert_eq!(basis.to_string(), expected);
    assert!(basis.is_too_few());
}

fn subject(scope: Scope) -> Subject {
    let text = str::to_owned;
    let setting = Setting {
        configuration: text("forge-adr@limit=0.40"),
        mode: text("deployed"),
        summarizer: text("extractive"),
    };
    Subject {
        cell: text("valve@50k/forge-adr/1"),
        seed: Some(7),
        beside: text("b"),
        stage: Some(Stage { number: 2, strategy: text("truncate") }),
        occasion: text("before-call"),
        ..Subject::on("valve", scope, setting)
    }
}

fn line_of(derived: &Derived) -> Line {
    let mut line = Line::default();
    derived.write(&mut line);
    line
}

#[test]
fn a_figure_is_read_back_as_written() {
    let word = Word::Sign(Sign::SummarizerDependent);
    for scope in Scope::ALL {
        let basis = Basis::Beside { reference: "x".to_owned() };
        let third = Some(1.0 / 3.0);
        let metric = MetricId::BracketSign;
        for figure in [
            Derived::number(subject(scope), MetricId::RecallAtNeed, third, 3, basis)
                .within(Some(Interval { low: 0.1, high: 2.0 / 3.0 })),
            Derived::word(subject(scope), metric, word, 2, Basis::Direct),
            Derived::undefined(subject(scope), MetricId::CostUsd, Basis::NoSession),
        ] {
            assert_eq!(Derived::read(&mut Values::new(&line_of(&figure))), Ok(figure));
        }
    }
}

#[test]
fn a_row_that_says_something_else_is_refused() {
    let undefined = |subject| Derived::undefined(subject, MetricId::CostUsd, Basis::NoSession);
    let sound = line_of(&undefined(subject(Scope::Configuration)));
    for (column, wrong) in [
        ("metric", Text("cost.euro")),
        ("value", record::Value::Number(f64::INFINITY)),
        ("word", Text("eliminated")),
        ("low", record::Value::Number(1.0)),
        ("basis", Text("because")),
    ] {
        let mut line = Line::default();
        for (place, of) in columns::<Derived>().iter().enumerate() {
            line.push(if of.name == column { wrong } else { sound.get(place) });
        }
        assert!(Derived::read(&mut Values::new(&line)).is_err(), "{column}");
    }
}
