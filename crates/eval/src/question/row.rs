//! `questions.csv`: one line per question and condition, and how it came about.

use crate::prelude::*;
use crate::question::{Condition, Kind, SheetCounts};
use crate::run_dir::redact;
use crate::run_dir::write::{bytes, json_file, lines, read_json, write_whole};

/// The table.
pub const FILE: &str = "questions.csv";
const NOTES: &str = "questions.json";
/// What stands where a session did not come to the step.
pub(super) const NOT_REACHED: &str = "not-reached";
const LONGEST: usize = 300;

/// One question under one condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionRow {
    /// The cell.
    pub cell: String,
    /// The fact's number in the truth, or `decoy-N`.
    pub fact: String,
    /// What the question is after.
    pub kind: Kind,
    /// The fact's own kind.
    pub fact_kind: String,
    /// The step whose prompt was asked, from 1.
    pub step: u32,
    /// From what it was answered.
    pub condition: Condition,
    /// Digest of version, session, fact, step and words.
    pub question: String,
    /// The answer, cut to 300 characters, or its digest; empty where there is none.
    pub answer: String,
    /// 1 where it is right to the letter; empty where nobody answered.
    pub strict: Option<u8>,
    /// 1 where a forgiving reader takes it; empty where nobody answered.
    pub lenient: Option<u8>,
    /// 1 where the judge takes it, 0 where not; empty where it says neither.
    pub judge: Option<u8>,
    /// How the fact stood in the view by its words (`present`, `inverted`, ...); empty for decoys.
    pub present: String,
    /// What went wrong; empty where it is right to the letter.
    pub failure: String,
}

impl QuestionRow {
    /// Whether the reader owes an answer: too long a prompt, or a failed call.
    pub fn is_unanswered(&self) -> bool {
        self.strict.is_none() && self.failure != NOT_REACHED
    }

    /// With a digest in place of its answer.
    #[must_use]
    pub fn redacted(self) -> QuestionRow {
        QuestionRow { answer: redact::text(&self.answer), ..self }
    }
}

pub(super) fn one_line(answer: &str) -> String {
    let line: Vec<&str> = answer.split_whitespace().collect();
    line.join(" ").chars().take(LONGEST).collect()
}

/// How the questions of a run were asked (`questions.json`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// See [`QUESTIONS_VERSION`](crate::question::QUESTIONS_VERSION).
    pub version: u32,
    /// `quoting`, or what a live reader is called.
    pub reader: String,
    /// Whether it is a language model.
    pub is_model: bool,
    /// Whether its answers were judged, by the same model.
    pub judged: bool,
    /// Most questions of a session.
    pub per_cell: usize,
    /// Source of the lots.
    pub seed: u64,
    /// Least distance of the last mention, in windows.
    pub windows: f64,
    /// Cells whose trace was not the recorded one when they were driven again.
    pub differing: Vec<String>,
    /// Prompts that were put to the reader.
    pub calls: usize,
    /// By session: needs, and how many could be asked about.
    pub sessions: Vec<(String, SheetCounts)>,
}

/// Writes both files into a run directory.
pub fn write(dir: &Path, header: &Header, rows: &[QuestionRow]) -> Result<()> {
    let names = "cell,fact,kind,fact_kind,step,condition,question,answer,strict,lenient,judge,\
                 present,failure\n";
    write_whole(dir, FILE, format!("{names}{}", lines(rows)?).as_bytes())?;
    write_whole(dir, NOTES, &json_file(NOTES, header)?)
}

/// Reads both; `None` where a run was asked nothing, an error where a file cannot be used.
pub fn load(dir: &Path) -> Result<Option<(Header, Vec<QuestionRow>)>> {
    let table = dir.join(FILE);
    if !table.exists() {
        return Ok(None);
    }
    let (header, _) = read_json(&dir.join(NOTES))?;
    let text = bytes(&table)?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    let rows = reader.deserialize().collect::<Result<Vec<QuestionRow>, csv::Error>>();
    let rows = rows.map_err(|error| Error::Line {
        file: table.display().to_string(),
        line: error.position().map_or(1, csv::Position::line) as usize,
        rule: error.to_string(),
    })?;
    Ok(Some((header, rows)))
}
