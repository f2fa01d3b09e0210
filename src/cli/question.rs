//! `proctor question`: facts asked of a reader, from the compacted view alone.

mod again;

use clap::ValueEnum;

use crate::cli::live::{self, EndpointArguments, Interrupts};
use crate::cli::prelude::*;
use crate::compare::render::{self, Column, written};
use crate::frame::MeasuredCell;
use crate::number::UNDEFINED;
use crate::question::{
    Draw, FILE, Figure, Header, Line, QUESTIONS_VERSION, QuestionRow, Quoting, Reader, Summary,
    summarize, write,
};
use crate::report;
use crate::run_dir::redact;
use crate::summarize::live::Live;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/question.txt"))]
#[command(mut_arg("cassette", |argument| argument.help(KEPT)))]
pub(super) struct Arguments {
    /// The run directory
    run: PathBuf,
    /// Only cells whose id contains this text
    #[arg(long, value_name = "TEXT")]
    cells: Option<String>,
    /// Other modes, limits, summarizers and phrase banks too, not only cells as deployed
    /// in their window under the run's main summarizer
    #[arg(long)]
    all: bool,
    /// Most questions of a session, a third as many about what was never stated
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    per_cell: u16,
    /// Source of the lots by which questions are drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Who answers
    #[arg(long, value_enum, default_value_t = ReaderName::Quoting)]
    reader: ReaderName,
    /// Have the same model judge the answers, beside the grades
    #[arg(long)]
    judge: bool,
    /// Write digests in place of answers, and of names of transcripts
    #[arg(long)]
    redact: bool,
    /// Put an apostrophe before answers that a spreadsheet would read as a formula
    #[arg(long)]
    quote_formulas: bool,
    /// Where the transcript of the cells lies now
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Reader")]
    model: EndpointArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReaderName {
    /// No language model: quotes the sentence that shares most rare words
    Quoting,
    /// A model behind an endpoint, or behind a recording of one
    Http,
}

const CASSETTE: &str = "questions-cassette.jsonl";
const KEPT: &str = "Where calls are recorded and found again [default: questions-cassette.jsonl in \
                    the run directory]";

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    check(arguments)?;
    let data = RunData::load(&arguments.run)?;
    let keys = chosen(&data, arguments)?;
    if arguments.reader == ReaderName::Quoting {
        let reader = Reader::new(&Quoting, false);
        return answers(arguments, &data, &keys, reader, None);
    }
    let live = arguments.model.open(|| Ok(arguments.run.join(CASSETTE)))?;
    let handle = live.ask_handle();
    let _interrupts = Interrupts::watch(Some(handle.clone()), None);
    let reader = Reader::new(&handle, arguments.judge);
    let code = answers(arguments, &data, &keys, reader, Some(&live));
    live.close();
    talk(Shown::laid_out(&live::summary_line(&live.totals(), live.endpoint().price.is_some())));
    code
}

fn check(arguments: &Arguments) -> Result<()> {
    if arguments.reader == ReaderName::Http {
        return Ok(());
    }
    let useless = |flag, rule| Error::refused(flag, rule, "`--reader http` attaches a model");
    match arguments.model.given() {
        _ if arguments.judge => {
            Err(useless("--judge", "the quoting reader is no language model and judges nothing"))
        }
        Some(flag) => Err(useless(flag, "the quoting reader asks no model")),
        None => Ok(()),
    }
}

fn answers(
    arguments: &Arguments,
    data: &RunData,
    keys: &[&CellKey],
    mut reader: Reader,
    live: Option<&Live>,
) -> Result<u8> {
    let per_cell = usize::from(arguments.per_cell);
    let draw = Draw { per_cell, seed: arguments.seed, ..Draw::default() };
    let run = (arguments.run.as_path(), arguments.transcript.as_deref());
    let asked = again::ask(run, draw, keys, &mut reader)?;
    let header = Header {
        version: QUESTIONS_VERSION,
        reader: name(live),
        is_model: live.is_some(),
        judged: reader.judged,
        per_cell: draw.per_cell,
        seed: draw.seed,
        windows: draw.windows,
        differing: asked.differing,
        calls: reader.calls,
        sessions: asked.sessions,
    };
    let summary = summarize(keys, &asked.rows);
    say(Shown::laid_out(&tables(&header, &summary)));
    let redacted = arguments.redact || data.manifest.redacted;
    if redacted && live.is_some_and(|live| !live.is_replay()) {
        talk(shown!("note: the cassette holds what the model was shown, word for word"));
    }
    let (header, mut rows) = match redacted {
        true => redacted_names(data, header, asked.rows),
        false => (header, asked.rows),
    };
    if arguments.quote_formulas {
        rows.iter_mut().for_each(|row| row.answer = sanitize::no_formula(&row.answer));
    }
    write(&arguments.run, &header, &rows)?;
    // Where the run has a report it is made again, now with the answers.
    if arguments.run.join("report.html").exists() {
        report::write(&arguments.run)?;
    }
    say(shown!("{}", arguments.run.join(FILE).display()));
    if asked.left_out > 0 {
        talk(shown!("warning: {} cells could not be driven again", asked.left_out));
    }
    Ok(ExitCode::OK)
}

fn name(live: Option<&Live>) -> String {
    let Some(live) = live else { return "quoting".to_owned() };
    live.endpoint().model.as_ref().map_or("http".to_owned(), |model| format!("http: {model}"))
}

fn chosen<'a>(data: &'a RunData, arguments: &Arguments) -> Result<Vec<&'a CellKey>> {
    let main = data.manifest.main_summarizer();
    let usual = |row: &MeasuredCell| {
        let key = &row.key;
        let is_first = key.is_windowed() && key.is_deployed() && key.replicate == 0;
        is_first && key.summarizer == main && !row.is_twin()
    };
    let text = arguments.cells.as_deref().unwrap_or_default();
    let wanted = |row: &&MeasuredCell| {
        let asked = row.is_done() && row.key.cell.contains(text) && !row.key.is_windowless();
        asked && (arguments.all || usual(row))
    };
    let keys: Vec<&CellKey> = data.measurements.iter().filter(wanted).map(|row| &row.key).collect();
    if keys.is_empty() {
        let hint = match arguments.all {
            true => "`proctor inspect RUN` lists the cells",
            false => "`--all` looks among other modes, limits and summarizers too",
        };
        let text = sanitize::terminal(text);
        return Err(Error::unknown("cell of the run", text, Some(hint.to_owned())));
    }
    Ok(keys)
}

fn redacted_names(
    data: &RunData,
    mut header: Header,
    rows: Vec<QuestionRow>,
) -> (Header, Vec<QuestionRow>) {
    let sessions = &data.manifest.sessions;
    let name = |text: &str| {
        let end = text.find(['@', '/', ' ']).unwrap_or(text.len());
        let of = |own: &&crate::run_dir::ManifestSession| {
            !own.path.is_empty() && own.scenario == text[..end]
        };
        match sessions.iter().find(of) {
            Some(own) => format!("{}{}", redact::name(&own.scenario), &text[end..]),
            None => text.to_owned(),
        }
    };
    for cell in header.differing.iter_mut().chain(header.sessions.iter_mut().map(|one| &mut one.0))
    {
        *cell = name(cell);
    }
    let rows = rows.into_iter().map(|row| QuestionRow { cell: name(&row.cell), ..row.redacted() });
    (header, rows.collect())
}

fn tables(header: &Header, summary: &Summary) -> String {
    let by = |name: &'static str, lines: &[Line]| {
        let judge: Column<Line> = ("judge", |line| with_interval(&line.judge));
        let mut columns: Vec<Column<Line>> = vec![(name, |line| line.name.clone())];
        columns.extend(OF_THE_VIEW);
        columns.extend(header.judged.then_some(judge));
        columns.extend(BESIDE_IT);
        table::drawn(&render::table(&columns, lines))
    };
    let unanswered: usize = summary.configurations.iter().map(|line| line.unanswered).sum();
    let what = if header.is_model { "" } else { " (no language model)" };
    let (asked, fair, needs) = header.sessions.iter().fold((0, 0, 0), |sum, (_, drawn)| {
        (sum.0 + drawn.drawn, sum.1 + drawn.fair, sum.2 + drawn.needs)
    });
    format!(
        "{}\n\n{}\n\nreader `{}`{what}: {asked} questions about facts, drawn from {fair} fair ones \
         of {needs} needs in {} sessions; {} calls; {unanswered} rows without an answer\nmeans over \
         sessions with 95 % intervals; lexical, strict and lenient are of the view",
        by("configuration", &summary.configurations),
        by("kind", &summary.kinds),
        header.reader,
        summary.sessions,
        header.calls,
    )
}

const OF_THE_VIEW: [Column<Line>; 4] = [
    ("asked", |line| line.strict[0].answers.to_string()),
    ("lexical", |line| share(&line.lexical)),
    ("strict", |line| with_interval(&line.strict[0])),
    ("lenient", |line| with_interval(&line.lenient)),
];

const BESIDE_IT: [Column<Line>; 8] = [
    ("full", |line| share(&line.strict[1])),
    ("none", |line| share(&line.strict[2])),
    ("restated", |line| share(&line.strict[3])),
    ("decoys accepted", |line| share(&line.strict[4])),
    ("equal", |line| written(line.agreement[0].equal, percent)),
    ("kappa", |line| line.agreement[0].written().unwrap_or_else(|| UNDEFINED.to_owned())),
    ("equal (lenient)", |line| written(line.agreement[1].equal, percent)),
    ("kappa (lenient)", |line| line.agreement[1].written().unwrap_or_else(|| UNDEFINED.to_owned())),
];

fn percent(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

fn share(figure: &Figure) -> String {
    written(figure.mean, percent)
}

fn with_interval(figure: &Figure) -> String {
    let interval = figure.interval.filter(|_| figure.mean.is_some());
    let interval = interval
        .map(|one| format!(" ({:.0}-{:.0})", one.low * 100.0, one.high * 100.0))
        .unwrap_or_default();
    format!("{}{interval}", share(figure))
}
