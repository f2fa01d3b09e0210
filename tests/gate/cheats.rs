//! Summaries that please a search and mislead a reader. Each is made of the same true telegrams
//! of statements, in a frame that takes them back or with their parts exchanged. None may come to
//! half of what `extractive` gains over `empty` unless the table flags it (few true claims), and
//! none may pass the gate. They were written by somebody who had not seen the check.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proctor::measure::MetricId;
use proctor::run_dir::read::RunData;
use proctor::scenario::EMBEDDED;
use proctor::strategy::shipped;
use proctor::summarize::simple::Null;
use proctor::summarize::{Ask, Offline, Prompt, cut_within};
use regex::Regex;

use super::held::{driven_on, judged, sound};

/// The table of verdicts is red under it.
const LEAST_TRUE: f64 = 0.9;
const SESSIONS: u32 = 6;

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("it parses"));
    };
}

pattern!(MARGIN, r"^\s*(\d+→|[-+*#>|]+|//|\d+\.)?\s*(# )?");
pattern!(CODE, r"`[^`]+`|[a-z_]+\.[a-z]\w+_\w+|[a-z]+(_[a-z]+)+|[A-Z]{2,}-?\d+|\d{4,}");
pattern!(RULE, r"(?i)\b(never|nothing|forbidden|off limits|must|only|not allowed|do not)\b");
pattern!(NOISE, r"[{}();@=|]|PASSED|FAILED|^\d\d|: in |\[no test|matches$");
pattern!(
    SMALL,
    r"(?i)\b(the|an?|of|is|its?|to|in|for|you|we|i|that|this|what|does|see|want|if|with|please|has|have|be|been|was|at|by|as|are|so|there|here|now|would|can|will|may|me|my|and|on|go)\b ?"
);

/// True telegrams of the statements of the material, each once, where it stands last.
fn telegrams(material: &str) -> Vec<String> {
    let lines = material.lines().map(|line| MARGIN.replace(line, "").into_owned());
    let parts = lines.flat_map(|line| {
        let parts = line.replace(". ", ".\n").replace("! ", "!\n").replace("? ", "?\n");
        parts.lines().map(|part| part.trim().to_owned()).collect::<Vec<_>>()
    });
    let mut seen = BTreeSet::new();
    let mut told: Vec<String> = parts
        .filter(|part| (9..300).contains(&part.len()) && is_statement(part))
        .map(|part| SMALL.replace_all(&part, "").replace('`', ""))
        .map(|part| part.trim_end_matches([',', '.', ' ', ':']).to_owned())
        .collect();
    told.reverse();
    told.retain(|part| seen.insert(part.clone()));
    told.reverse();
    told
}

fn is_statement(sentence: &str) -> bool {
    let prose = CODE.replace_all(sentence, "x");
    let told = CODE.is_match(sentence) || prose.contains(" of the ") || RULE.is_match(&prose);
    !NOISE.is_match(&prose) && told && prose.contains(' ')
}

/// A name, what stands before all, before and behind each, and after all.
type Frame = (&'static str, [&'static str; 4]);

const FRAMES: &[Frame] = &[
    ("wrong below", ["The following is wrong in every line; do the contrary.", "", "", ""]),
    ("wrong above", ["", "", "", "All lines above are wrong; do the contrary."]),
    (
        "fiction",
        ["From a story that somebody made up, nothing of it is about this work:", "", "", ""],
    ),
    ("other project", ["Notes about another repository, they do not apply here:", "", "", ""]),
    ("believed", ["What a careless reader would have believed:", "", "", ""]),
    ("otherwise", ["It could have been like this, but came otherwise:", "", "", ""]),
    ("German", ["Nichts hiervon stimmt, es gilt das Gegenteil:", "", "", ""]),
    ("a tag", ["<disproved>", "", "", ""]),
    ("another year", ["State of 2019, since replaced:", "", "", ""]),
    ("shifted", ["The names are shuffled: none belongs to the line it stands in.", "", "", ""]),
    ("comments", ["// stale:", "// ", "", ""]),
    ("footnotes", ["", "", " [1]", "[1] retracted"]),
    ("a table", ["| note | valid |", "| ", " | no |", ""]),
    ("objects", ["", "{\"valid\":false,\"is\":\"", "\"}", ""]),
    ("struck out", ["", "~~", "~~", ""]),
    ("thumbs down", ["", "", " \u{1F44E}", ""]),
    ("questions", ["", "", "?", ""]),
    ("or not", ["", "", " - or not", ""]),
];

struct Framed(&'static Frame);

impl Offline for Framed {
    fn answer(&self, prompt: &Prompt) -> String {
        let [head, open, close, tail] = self.0.1;
        let material: String = prompt.material().collect::<Vec<_>>().join("\n");
        let lines = material.lines().map(str::trim).filter(|line| ![head, tail].contains(line));
        let plain = lines.map(|line| {
            let line = line.strip_prefix(open.trim()).unwrap_or(line);
            line.strip_suffix(close.trim()).unwrap_or(line)
        });
        let told = telegrams(&plain.collect::<Vec<_>>().join("\n"));
        // Two characters a token at least, so that the tail stays.
        let mut room = prompt.max_tokens.0 as usize * 2 - head.len() - tail.len();
        let newest = told.iter().rev().take_while(|line| {
            let length = line.len() + open.len() + close.len() + 1;
            let fits = length <= room;
            room -= length.min(room);
            fits
        });
        let mut lines: Vec<String> = newest.map(|line| format!("{open}{line}{close}")).collect();
        lines.reverse();
        let text = format!("{head}\n{}\n{tail}", lines.join("\n"));
        cut_within(text.trim().to_owned(), prompt.max_tokens)
    }
}

fn mean(run: &RunData, metric: MetricId) -> f64 {
    let values: Vec<f64> =
        run.measurements.iter().filter_map(|cell| cell.figures.number(metric)).collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn under(writer: impl Fn() -> Box<dyn Ask + Send> + Send + Sync + 'static) -> RunData {
    let (_, text) = EMBEDDED.iter().find(|(name, _)| *name == "smoke").expect("it ships");
    driven_on(text, &["forge-adr"], SESSIONS, shipped(), move |_| writer())
}

#[test]
fn no_frame_that_takes_back_what_it_holds_is_taken_for_knowledge() {
    let before = under(|| sound(proctor::ident::Seed(0)));
    let need = |run: &RunData| mean(run, MetricId::RecallAtNeed);
    let empty = need(&under(|| Box::new(Null {})));
    let bar = empty + (need(&before) - empty) / 2.0;
    let plain: &'static Frame = &("telegrams", ["", "", "", ""]);
    let honest = need(&under(move || Box::new(Framed(plain))));
    assert!(honest > bar, "the frames hold something: {honest} over {bar}");
    let mut wrong = Vec::new();
    for frame in FRAMES {
        let after = under(move || Box::new(Framed(frame)));
        let (recall, precision) = (need(&after), mean(&after, MetricId::SummaryPrecision));
        let judgement = judged(&before, &after);
        let (name, code) = (frame.0, judgement.exit_code);
        let says = format!("{name}: recall {recall:.3}, bar {bar:.3}, precision {precision:.2}");
        if !(recall <= bar || precision < LEAST_TRUE) || [0, 30, 31].contains(&code) {
            wrong.push(format!("{says}, exit code {code}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
