//! The metric table in the documentation, and measurement of driven cells.

mod memory;

use std::collections::BTreeMap;
use std::path::Path;

use proctor::derive::{Record, controls_hold, derive};
use proctor::drive::{Cell, Limits, Session, drive};
use proctor::frame::{Basis, Derived, Frame, MeasuredCell};
use proctor::log::Log;
use proctor::measure::{Measurement, MetricId, Subject, measure, rows, survival, table};
use proctor::pipeline::Pipeline;
use proctor::price::PriceSheet;
use proctor::row::{CellKey, CompactionRow, FloorRow, StepRow, SurvivalRow};
use proctor::scenario::Admits;
use proctor::summarize::Ask;
use proctor::summarize::simple::Null;
use proctor::testkit::{self, Line, fact, message, needed, with_cell};
use proctor::token::Tokenizer;
use proctor::trace::{Ending, Trace};
use proctor::truth::{Fact, FactKind, Truth};
use proctor::unit::Tokens;

const BEGIN: &str = "<!-- metric table: begin -->\n";
const END: &str = "<!-- metric table: end -->";

#[test]
fn the_methodology_holds_the_metric_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("METHODOLOGY.md");
    let text = std::fs::read_to_string(path).expect("METHODOLOGY.md is readable");
    let (before, rest) = text.split_once(BEGIN).expect("the begin marker");
    let (_, after) = rest.split_once(END).expect("the end marker");
    let expected = format!("{before}{BEGIN}\n{}{END}{after}", table::markdown());
    if text != expected {
        let regenerated = Path::new(env!("CARGO_TARGET_TMPDIR")).join("METHODOLOGY.md");
        std::fs::write(&regenerated, expected).expect("the target directory is writable");
        let path = regenerated.display();
        panic!("METHODOLOGY.md differs from the metric table: copy `{path}` over it");
    }
}

/// Thirty turns of a question and an answer; the first tells a port, the last needs it.
fn session() -> Session {
    let messages = (0..60).map(|number| {
        let told = if number == 0 { "The port is 48213. " } else { "" };
        let filler = "This is a sentence of about a dozen tokens or so. ".repeat(8);
        let text = format!("{told}Message {number}. {filler}");
        message(number, if number % 2 == 0 { Line::User(&text) } else { Line::Says(&text) })
    });
    let (system, tools) = ("You help.".into(), "".into());
    let log = Log { system, tools, ..testkit::log(messages.collect()) };
    let port =
        Fact { statement: "The port is 48213.".to_owned(), ..fact(0, FactKind::Value, "48213", 0) };
    let truth = Truth { facts: vec![port], demands: vec![needed(0, 59)], ..Truth::default() };
    Session::new(log, truth, [Tokenizer::Chars4])
}

/// A driven cell with what is read from it.
pub struct Driven {
    pub key: CellKey,
    pub trace: Trace,
    pub found: Measurement,
    pub steps: Vec<StepRow>,
    pub floor: Vec<FloorRow>,
    pub compactions: Vec<CompactionRow>,
    pub survival: Vec<SurvivalRow>,
}

/// A probed cell of a session, windowless where its window is not the base window.
pub fn driven(
    session: &Session,
    pipeline: &Pipeline,
    limits: Limits,
    ask: &dyn Ask,
    base_window: Tokens,
) -> Driven {
    let trace =
        with_cell(session, pipeline, limits, ask, |cell| drive(Cell { probes: true, ..cell }));
    read(session, pipeline, limits, trace, base_window)
}

fn read(
    session: &Session,
    pipeline: &Pipeline,
    limits: Limits,
    trace: Trace,
    base_window: Tokens,
) -> Driven {
    let sheet = &PriceSheet::embedded();
    let subject = Subject { trace: &trace, session, pipeline, limits, base_window, sheet };
    let variant = if limits.window == base_window { "windowed" } else { "windowless" };
    let key = CellKey {
        cell: format!("hand-made/{}@{variant}/1", pipeline.name),
        scenario: "hand-made".to_owned(),
        family: "hand-made".to_owned(),
        turns: session.turns,
        window: base_window.0,
        pipeline: pipeline.name.clone(),
        variant: variant.to_owned(),
        mode: "deployed".to_owned(),
        seed: 1,
        summarizer: "any".to_owned(),
        replicate: 0,
    };
    Driven {
        found: measure(&subject),
        steps: rows::step_rows(&key.cell, &subject),
        floor: rows::floor_rows(&key.cell, &subject),
        compactions: rows::compaction_rows(&key.cell, &subject),
        survival: survival::rows(&key.cell, &subject),
        key,
        trace,
    }
}

/// The figures that follow from these cells.
pub fn derived(cells: &[Driven]) -> Vec<Derived> {
    let measured: Vec<MeasuredCell> = cells
        .iter()
        .map(|cell| MeasuredCell::done(cell.key.clone(), cell.found.as_written()))
        .collect();
    let floor: Vec<FloorRow> = cells.iter().flat_map(|cell| cell.floor.clone()).collect();
    let compactions: Vec<CompactionRow> =
        cells.iter().flat_map(|cell| cell.compactions.clone()).collect();
    let references = BTreeMap::from([("truncate".to_owned(), "none".to_owned())]);
    let rows = derive(&Record {
        frame: &Frame::new(&measured, &floor, &compactions, &[]),
        triggers: &[],
        references: &references,
        steps_of: &|name| {
            let own = cells.iter().find(|cell| cell.key.cell == name);
            Ok(own.map_or_else(Vec::new, |cell| cell.steps.clone()))
        },
    });
    rows.expect("the steps are there")
}

const WINDOW: Tokens = Tokens(2_000);

fn thirty(session: &Session, pipeline: &str, window: Tokens) -> Driven {
    let pipeline = proctor::strategy::pipeline(pipeline).expect("a shipped pipeline");
    let limits = Limits { admits: Admits::PromptPlusOutput, ..Limits::new(window, Tokens(200)) };
    driven(session, &pipeline, limits, &Null::default(), WINDOW)
}

#[test]
fn a_windowless_none_knows_everything() {
    let session = session();
    let control = thirty(&session, "none", Tokens::UNBOUNDED);
    let found = |id| control.found.number(id);
    assert_eq!(found(MetricId::Completion), Some(1.0));
    assert_eq!(found(MetricId::StepsReached), Some(30.0));
    assert_eq!(
        (found(MetricId::DemandsAtNeed), found(MetricId::RecallAtNeed)),
        (Some(1.0), Some(1.0))
    );
    assert_eq!(
        (found(MetricId::RecallMean), found(MetricId::RetentionValue)),
        (Some(1.0), Some(1.0))
    );
    assert_eq!((found(MetricId::DecoysSeen), found(MetricId::Violations)), (Some(0.0), Some(0.0)));
    assert_eq!(
        (found(MetricId::CompactionsCount), found(MetricId::FloorLowWater)),
        (Some(0.0), None)
    );
    assert_eq!(controls_hold(&derived(&[control])), Ok(()));
}

#[test]
fn a_windowed_none_dies_and_its_misses_count() {
    let session = session();
    let none = thirty(&session, "none", WINDOW);
    let found = |id| none.found.number(id);
    assert_eq!(found(MetricId::Completion), Some(0.0));
    assert_eq!(none.found.ended_by(), Some(Ending::Overflow));
    assert_eq!(
        (found(MetricId::RecallAtNeed), found(MetricId::RecallAtNeedReached)),
        (Some(0.0), None)
    );
    assert_eq!(found(MetricId::MissedNotReached), Some(1.0));
    assert!(found(MetricId::TokensPeak).is_some_and(|peak| peak <= 2_000.0));
}

#[test]
fn truncation_completes_saves_and_forgets() {
    let session = session();
    let truncate = thirty(&session, "truncate", WINDOW);
    let found = |id| truncate.found.number(id);
    assert_eq!(
        (found(MetricId::Completion), found(MetricId::RecallAtNeed)),
        (Some(1.0), Some(0.0))
    );
    assert_eq!(
        (found(MetricId::LossesDropped), found(MetricId::MissedDropped)),
        (Some(1.0), Some(1.0))
    );
    assert_eq!(found(MetricId::CostUnrecoverable), Some(1.0));
    assert_eq!(found(MetricId::TokensSummarizer), Some(0.0));
    let total = found(MetricId::TokensPromptTotal).expect("it was sent");
    let control = thirty(&session, "none", Tokens::UNBOUNDED);
    let theirs = control.found.number(MetricId::TokensPromptTotal).expect("it was sent");
    let subject = truncate.key.cell.clone();
    let rows = derived(&[truncate, control]);
    let saved = rows
        .iter()
        .find(|row| row.subject.cell_id() == Some(&subject) && row.metric == MetricId::SavingsNet);
    let saved = saved.and_then(Derived::as_number).expect("a number");
    assert!((saved - (1.0 - total / theirs)).abs() < 1e-8, "{saved}");
    for row in &rows {
        assert!(row.value.is_some() || row.basis != Basis::Direct, "{row:?}");
    }
}
