//! `extractive` beside `simulated`, on recorded compactions whose texts are at hand: each is shown what
//! the recorded summarizer replaced, and what both keep is held against what it kept.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proctor_core::error::Result;
use proctor_core::ident::FactId;
use proctor_core::log::{Log, Message};
use proctor_core::summarize::{Ask, Prompt};
use proctor_core::token::Tokenizer;
use proctor_core::truth::NeedleIndex;
use proctor_eval::fit::{Foresight, Observed, Prior, Row, fitted, observed};
use proctor_eval::simulated::{Sort, Weights};
use proctor_eval::stats::chances::Foretold;
use proctor_sessions::{extract::extract, import};
use proctor_strategies::summarize::extractive::Extractive;
use sha2::{Digest, Sha256};

use crate::artifacts;
use crate::table::{Table, line};

/// Fewer facts than this give no row.
const LEAST: usize = 10;

/// A fact that a recorded compaction met.
struct Met {
    /// The number of its compaction, from 1.
    compaction: usize,
    sort: Sort,
    kept: bool,
    /// The chance that a fit without its session gives it.
    simulated: f64,
    /// Whether a summary of `extractive` as long as the recorded one has it.
    extractive: bool,
}

/// Both summarizers on the compactions of these transcripts; nothing without any.
pub fn section(sessions: &[PathBuf], recorded: &[Row], prior: &Prior) -> Result<String> {
    let mut page = String::new();
    if sessions.is_empty() {
        return Ok(page);
    }
    let (mut met, mut compactions) = (Vec::new(), 0);
    for path in sessions {
        let log = import::load(path)?.log;
        let truth = extract(&log);
        let weights = without(&log.id, recorded, prior);
        let index = NeedleIndex::new(&truth.facts);
        for one in observed(&log, &truth) {
            compactions += 1;
            met.extend(beside(&log, (&one, compactions), &weights, &index));
        }
    }
    if met.is_empty() {
        return Ok(page);
    }
    line(&mut page, "## `extractive` beside `simulated`\n");
    line(
        &mut page,
        &format!(
            "The tables above hold no text, so `extractive` cannot be run on them. It was run on the \
             {compactions} recorded compactions of {} whose texts are at hand ({} facts as extraction \
             finds them, kept where the summary has their needles). Each summary of `extractive` was \
             given the material that the recorded one replaced, and as many tokens. `simulated` is the fit \
             to the tables without the session. A summary either has a fact or not: `by lot` is \
             `simulated` as it answers, in expectation; `chance` is what it draws by.\n",
            counted(sessions),
            met.len(),
        ),
    );
    page.push_str(&survival(&met));
    page.push_str(&foresight(&met));
    line(&mut page, &summed(&met));
    Ok(page)
}

fn counted(sessions: &[PathBuf]) -> String {
    let names = sessions.iter().filter_map(|path| path.file_stem()).map(Path::new);
    let names: Vec<String> = names.map(|name| format!("`{}`", name.display())).collect();
    names.join(", ")
}

/// A fit to the recorded rows but for those of a session.
fn without(id: &str, recorded: &[Row], prior: &Prior) -> Weights {
    let digest = Sha256::digest(id.as_bytes());
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let others: Vec<Row> = recorded.iter().filter(|row| *row.session != *digest).cloned().collect();
    fitted(&others, prior)
}

fn beside(
    log: &Log,
    (one, compaction): (&Observed, usize),
    weights: &Weights,
    index: &NeedleIndex,
) -> Vec<Met> {
    let messages: Vec<Message> =
        one.messages.iter().map(|id| log.messages[id.index()].clone()).collect();
    let room = Tokenizer::O200k.count(&one.summary);
    let before = one.previous.as_deref().unwrap_or_default();
    let prompt = Prompt { max_tokens: room, ..artifacts::prompt(before, &messages) };
    let answer = Extractive::default().ask(&[prompt]).ok();
    let answer = answer.and_then(|replies| replies.into_iter().next()).and_then(Result::ok);
    let text = answer.map(|answer| answer.text).unwrap_or_default();
    let told: BTreeSet<FactId> =
        index.search(&text).iter().filter(|held| held.present()).map(|held| held.fact).collect();
    let met = |(fact, row): &(FactId, Row)| Met {
        compaction,
        sort: row.sort,
        kept: row.survived,
        simulated: row.chance(weights),
        extractive: told.contains(fact),
    };
    one.facts.iter().map(met).collect()
}

fn survival(met: &[Met]) -> String {
    let head = ["kind", "#facts", "#recorded", "#simulated", "#extractive"];
    let mut table = Table::new("Survival in percent", &head);
    for (name, of) in groups(met) {
        let percent = |value: &dyn Fn(&Met) -> f64| {
            let sum: f64 = of.iter().map(|one| value(one)).sum();
            format!("{:.1}", 100.0 * sum / of.len() as f64)
        };
        let flag = |is: bool| f64::from(u8::from(is));
        table.push([
            name.to_owned(),
            of.len().to_string(),
            percent(&|one| flag(one.kept)),
            percent(&|one| one.simulated),
            percent(&|one| flag(one.extractive)),
        ]);
    }
    table.markdown()
}

/// The sorts of which there are enough, and all.
fn groups(met: &[Met]) -> Vec<(String, Vec<&Met>)> {
    let sorts = Sort::ALL.into_iter().map(|sort| {
        (sort.name().to_owned(), met.iter().filter(|one| one.sort == sort).collect::<Vec<&Met>>())
    });
    let known = sorts.filter(|(_, of)| of.len() >= LEAST);
    known.chain([("all".to_owned(), met.iter().collect())]).collect()
}

/// Each compaction by itself.
fn compactions(met: &[Met]) -> impl Iterator<Item = (String, Vec<&Met>)> {
    let each = met.chunk_by(|one, other| one.compaction == other.compaction);
    each.map(|of| (format!("compaction {}", of[0].compaction), of.iter().collect()))
}

fn foresight(met: &[Met]) -> String {
    let head =
        ["", "#area: chance", "#by lot", "#extractive", "#Brier: chance", "#by lot", "#extractive"];
    let mut table = Table::new("How well each foretells what was kept", &head);
    for (name, of) in groups(met).into_iter().chain(compactions(met)) {
        let (chance, words) =
            (told(&of, |one| one.simulated), told(&of, |one| f64::from(u8::from(one.extractive))));
        let (area, brier) = by_lot(&of);
        let two =
            |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |one| format!("{one:.2}"));
        let figures = [chance.area, area, words.area, chance.brier, brier, words.brier];
        table.push([name].into_iter().chain(figures.map(two)));
    }
    table.markdown()
}

fn told(of: &[&Met], value: fn(&Met) -> f64) -> Foresight {
    let rows: Vec<Foretold> = of.iter().map(|one| (value(one), one.kept)).collect();
    Foresight::of(&rows)
}

/// The calibration error of both, and how far they are from the recorded survival of each kind.
fn summed(met: &[Met]) -> String {
    let all: Vec<&Met> = met.iter().collect();
    let sums = |value: fn(&Met) -> f64| {
        let error = told(&all, value).calibration.unwrap_or(f64::NAN);
        let away = |sort: Sort| {
            let of = met.iter().filter(|one| one.sort == sort);
            of.map(|one| value(one) - f64::from(u8::from(one.kept))).sum::<f64>().abs()
        };
        let distance = Sort::ALL.into_iter().map(away).sum::<f64>() / met.len().max(1) as f64;
        (100.0 * error, 100.0 * distance)
    };
    let (simulated, extractive) =
        (sums(|one| one.simulated), sums(|one| f64::from(u8::from(one.extractive))));
    format!(
        "The calibration error over ten equal groups is {:.1} points for the chances of `simulated` and \
         {:.1} for `extractive`, whose chances are 0 and 1. Survival by kind is {:.1} and {:.1} points \
         from the recorded, a mean over facts.",
        simulated.0, extractive.0, simulated.1, extractive.1
    )
}

/// The expected area and Brier score of lots that fall by the chances.
fn by_lot(of: &[&Met]) -> (Option<f64>, Option<f64>) {
    let mean = |kept: bool| {
        let own: Vec<f64> =
            of.iter().filter(|one| one.kept == kept).map(|one| one.simulated).collect();
        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
    };
    let wrong = |one: &&Met| if one.kept { 1.0 - one.simulated } else { one.simulated };
    let brier = of.iter().map(wrong).sum::<f64>() / of.len() as f64;
    (mean(true).zip(mean(false)).map(|(kept, lost)| (1.0 + kept - lost) / 2.0), Some(brier))
}
