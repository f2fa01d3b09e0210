//! What the answers come to: accuracy by configuration and condition with intervals,
//! and how well lexical presence agrees with a reader. The session is the unit.

use crate::compare::contestant;
use crate::prelude::*;
use crate::question::row::NOT_REACHED;
use crate::question::{Condition, Kind, QuestionRow};
use crate::row::CellKey;
use crate::stats::estimate::{Estimate, Unit};
use crate::stats::resample::Interval;
use crate::stats::{mean, share};

/// A share over sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figure {
    /// Mean of the sessions' shares; `None` where there is none.
    pub mean: Option<f64>,
    /// At 95 %, with two sessions or more.
    pub interval: Option<Interval>,
    /// Sessions with a share.
    pub sessions: usize,
    /// Answers behind it.
    pub answers: usize,
}

/// How far two verdicts on the same questions agree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Share of questions with equal verdicts.
    pub equal: Option<f64>,
    /// Cohen's kappa (1960): what is beyond chance; `None` where chance alone agrees wholly.
    pub kappa: Option<f64>,
    /// Questions.
    pub count: usize,
}

impl Agreement {
    /// Kappa with two digits; `None` where it is undefined.
    pub fn written(&self) -> Option<String> {
        // Adding zero takes the sign off a nought.
        self.kappa.map(|kappa| format!("{:.2}", (kappa * 100.0).round() / 100.0 + 0.0))
    }
}

/// A configuration, or a kind of question over all configurations.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// By condition, as in [`Condition::ALL`]: right to the letter; for decoys, wrongly accepted.
    pub strict: [Figure; 5],
    /// From the view, leniently.
    pub lenient: Figure,
    /// From the view, as the judge has it.
    pub judge: Figure,
    /// Share of the questions whose fact stood in the view by its words.
    pub lexical: Figure,
    /// Lexical presence with strict and with lenient answers.
    pub agreement: [Agreement; 2],
    /// Rows that the reader did not answer: too long for its window, or the call failed.
    pub unanswered: usize,
}

/// All that is shown of a run's answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// By configuration, in the order of the run.
    pub configurations: Vec<Line>,
    /// By kind of question, over all configurations.
    pub kinds: Vec<Line>,
    /// Questions about facts, and distinct sessions.
    pub questions: usize,
    /// See `questions`.
    pub sessions: usize,
}

type Row<'a> = (&'a CellKey, &'a QuestionRow);

/// Sums up rows; those of cells that the run does not know are left out.
pub fn summarize(keys: &[&CellKey], rows: &[QuestionRow]) -> Summary {
    let by_id: BTreeMap<&str, &CellKey> =
        keys.iter().map(|key| (key.cell.as_str(), *key)).collect();
    let known: Vec<Row> =
        rows.iter().filter_map(|row| Some((*by_id.get(row.cell.as_str())?, row))).collect();
    let several = known.iter().any(|row| row.0.summarizer != known[0].0.summarizer);
    // Configurations in the order of the run, kinds in that of tables.
    let mut configurations: Vec<(String, Vec<Row>)> = Vec::new();
    let mut kinds: BTreeMap<Kind, Vec<Row>> = BTreeMap::new();
    for row in &known {
        let name = name(row.0, several);
        match configurations.iter_mut().find(|(known, _)| *known == name) {
            Some((_, rows)) => rows.push(*row),
            None => configurations.push((name, vec![*row])),
        }
        kinds.entry(row.1.kind).or_default().push(*row);
    }
    let views = known.iter().filter(|row| row.1.condition == Condition::View);
    let asked: BTreeSet<&str> = views.map(|row| row.1.question.as_str()).collect();
    let sessions: BTreeSet<(&str, u64)> =
        known.iter().map(|(key, _)| (key.scenario.as_str(), key.seed)).collect();
    let kinds = kinds.into_iter().map(|(kind, rows)| line(kind.name().to_owned(), &rows));
    Summary {
        configurations: configurations.into_iter().map(|(name, rows)| line(name, &rows)).collect(),
        kinds: kinds.filter(|line| line.strict.iter().any(|one| one.answers > 0)).collect(),
        questions: asked.len(),
        sessions: sessions.len(),
    }
}

fn name(key: &CellKey, several: bool) -> String {
    let name = contestant(&key.configuration(), &key.mode);
    if several { format!("{name} under {}", key.summarizer) } else { name }
}

fn line(name: String, rows: &[Row]) -> Line {
    let of = |condition: Condition| -> Vec<Row> {
        rows.iter().copied().filter(|row| row.1.condition == condition).collect()
    };
    let views = of(Condition::View);
    let strict = Condition::ALL.map(|condition| {
        let accepted = condition == Condition::Decoy;
        figure(&of(condition), &|row| row.strict.map(|one| (one == 1) != accepted))
    });
    let agreement = |verdict: fn(&QuestionRow) -> Option<u8>| {
        let reached = views.iter().filter(|row| row.1.failure != NOT_REACHED);
        let pairs = reached.filter_map(|row| Some((is_present(row.1), verdict(row.1)? == 1)));
        agree(&pairs.collect::<Vec<(bool, bool)>>())
    };
    Line {
        strict,
        lenient: figure(&views, &|row| row.lenient.map(|one| one == 1)),
        judge: figure(&views, &|row| row.judge.map(|one| one == 1)),
        lexical: figure(&views, &|row| row.strict.map(|_| is_present(row))),
        agreement: [agreement(|row| row.strict), agreement(|row| row.lenient)],
        unanswered: rows.iter().filter(|row| row.1.is_unanswered()).count(),
        name,
    }
}

fn is_present(row: &QuestionRow) -> bool {
    row.present == "present"
}

/// The mean over sessions of each one's share; cells of one session count together.
fn figure(rows: &[Row], verdict: &dyn Fn(&QuestionRow) -> Option<bool>) -> Figure {
    let mut sessions: BTreeMap<(&str, u64), (usize, usize)> = BTreeMap::new();
    for (key, row) in rows {
        if let Some(right) = verdict(row) {
            let (some, all) = sessions.entry((&key.scenario, key.seed)).or_default();
            *some += usize::from(right);
            *all += 1;
        }
    }
    let values: Vec<f64> = sessions.values().filter_map(|(some, all)| share(*some, *all)).collect();
    let labels: Vec<&str> = sessions.keys().map(|session| session.0).collect();
    let interval = Estimate::of(&values, &labels, Unit::WithinScenarios)
        .and_then(|estimate| estimate.interval(0.95));
    let answers = sessions.values().map(|(_, all)| all).sum();
    Figure { mean: mean(&values), interval, sessions: values.len(), answers }
}

/// By Cohen, "A Coefficient of Agreement for Nominal Scales" (1960).
fn agree(pairs: &[(bool, bool)]) -> Agreement {
    let of = |wanted: fn(&(bool, bool)) -> bool| {
        share(pairs.iter().filter(|pair| wanted(pair)).count(), pairs.len())
    };
    let shares = of(|pair| pair.0).zip(of(|pair| pair.1));
    let chance = shares.map(|(ours, theirs)| ours * theirs + (1.0 - ours) * (1.0 - theirs));
    let equal = of(|pair| pair.0 == pair.1);
    let open = chance.filter(|chance| *chance < 1.0);
    let kappa = equal.zip(open).map(|(equal, chance)| (equal - chance) / (1.0 - chance));
    Agreement { equal, kappa, count: pairs.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_what_agreement_has_beyond_chance() {
        // Cohen's own layout: 20 both, 15 neither, 5 and 10 one alone: 0.7 observed, 0.5
        // by chance.
        let mut pairs = vec![(true, true); 20];
        pairs.extend(vec![(false, false); 15]);
        pairs.extend(vec![(true, false); 5]);
        pairs.extend(vec![(false, true); 10]);
        let found = agree(&pairs);
        assert!((found.kappa.unwrap() - 0.4).abs() < 1e-12, "{found:?}");
        assert_eq!(found.equal, Some(0.7));
        assert_eq!(found.written().as_deref(), Some("0.40"));
        let nought = Agreement { kappa: Some(-1e-17), ..found };
        assert_eq!(nought.written().as_deref(), Some("0.00"));
        assert_eq!(agree(&[]), Agreement::default());
        assert_eq!(agree(&[(true, true), (true, true)]).kappa, None);
        assert_eq!(agree(&[(true, false), (false, true)]).kappa, Some(-1.0));
    }
}
