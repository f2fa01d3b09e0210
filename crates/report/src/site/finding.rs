//! A finding as the pages and the feed show it.

use super::prelude::*;

pub fn view(book: &Book, finding: &Finding) -> Value {
    let key = &finding.key;
    let (from, to) = pair(&key.metric, finding.from, finding.to);
    let marks = book.marks_of(key).filter(|mark| mark.night == finding.night);
    let scenarios: Vec<&str> = finding.scenarios().collect();
    let seen = (!scenarios.is_empty()).then(|| format!("seen in {}", scenarios.join(", ")));
    context! {
        date => book.date(finding.night),
        metric => &key.metric,
        contestant => key.contestant(),
        scenario => key.scenario.as_deref(),
        verb => if finding.to > finding.from { "rose" } else { "fell" },
        from,
        to,
        share => share_of(finding.from, finding.to),
        worth => worth(finding.better),
        sure => if finding.is_exact { "exact" } else { "beyond the noise" },
        is_new => finding.is_new,
        beside => marks.map(|mark| mark.says.clone()).chain(seen).collect::<Value>(),
        link => book::place_of(key),
        reason => match &finding.state {
            State::Acknowledged(reason) => Some(reason.as_str()),
            State::Announced | State::Small => None,
        },
        made => (finding.made != finding.night).then(|| book.date(finding.made)),
    }
}
