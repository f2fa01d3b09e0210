//! A finding as the pages and the feed show it.

use super::prelude::*;

pub fn view(book: &Book, finding: &Finding) -> Value {
    let key = &finding.key;
    let (from, to) = pair(&key.metric, finding.from, finding.to);
    let is_step = finding.kind == Kind::Step;
    let marks = book.marks_of(key).filter(|mark| is_step && mark.night == finding.night);
    let scenarios: Vec<&str> = finding.scenarios().collect();
    let seen = (!scenarios.is_empty()).then(|| format!("seen in {}", scenarios.join(", ")));
    context! {
        date => book.date(finding.night),
        metric => &key.metric,
        contestant => key.contestant(),
        scenario => key.scenario.as_deref(),
        verb => match (finding.kind, finding.to > finding.from) {
            (Kind::Step, true) => "rose",
            (Kind::Step, false) => "fell",
            (Kind::Drift, true) => "drifts up",
            (Kind::Drift, false) => "drifts down",
            (Kind::Spread, true) => "grows noisier",
            (Kind::Spread, false) => "grows calmer",
        },
        from,
        to,
        share => share_of(finding.from, finding.to),
        worth => worth(finding.better),
        sure => finding.p.map_or_else(|| "exact".to_owned(), chance),
        is_new => finding.is_new,
        beside => marks.map(|mark| mark.says.clone()).chain(seen).collect::<Value>(),
        link => book::place_of(key),
        until => (!is_step).then(|| book.date(finding.other)),
        // What the two figures are, where they are not the levels beside a step.
        fitted => match finding.kind {
            Kind::Step => None,
            Kind::Drift => Some("level"),
            Kind::Spread => Some("distance from the level"),
        },
        made => (finding.made != finding.night).then(|| book.date(finding.made)),
    }
}
