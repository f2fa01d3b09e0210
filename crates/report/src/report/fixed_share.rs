//! Where the ranking turns with the share of the window that every prompt carries anyway.

use super::prelude::*;
use crate::compare::LEAST_SESSIONS;
use crate::ident::Seed;
use crate::stats::resample::{Difference, Resampling, paired_difference};
use crate::stats::turning::{Place, Turning, turning};

/// The same sessions with fixed prompts of several sizes, by fixed share, the least first.
type Family<'a> = Vec<Member<'a>>;

struct Member<'a> {
    scenario: &'a str,
    /// Tokens of every prompt beside its messages, over the window.
    share: f64,
}

/// `None` where no two scenarios of the run differ in their fixed share alone.
pub fn parts(figures: &Figures) -> Result<Option<Parts>> {
    let families = families(&figures.run.manifest.sessions);
    if families.is_empty() {
        return Ok(None);
    }
    let mut parts = Parts::default();
    let shown: Vec<Value> = families
        .iter()
        .map(|family| {
            let table = parts.place(by_share(figures, family));
            let turns = parts.place(turns(figures, family));
            context! { table, turns }
        })
        .collect();
    Ok(Some(parts.value("families", shown).value("least", LEAST_SESSIONS)))
}

/// Sessions that are one message by message, told by their sizes, and differ in the fixed share.
fn families(sessions: &[ManifestSession]) -> Vec<Family<'_>> {
    let own = sessions.iter().filter(|session| twin_of(&session.scenario).is_none());
    let alike = grouped(own.map(|session| {
        let ManifestSession { seed, turns, steps, messages, tokens, window, .. } = session;
        ((*seed, *turns, *steps, *messages, *tokens, *window), session)
    }));
    let mut known: BTreeSet<Vec<&str>> = BTreeSet::new();
    let mut families = Vec::new();
    for (_, sessions) in alike {
        let members = sessions.iter().map(|session| Member {
            scenario: &session.scenario,
            share: Tokens(session.fixed_tokens).over(Tokens(session.window)),
        });
        let mut members: Family = members.collect();
        members.sort_by(|one, other| one.share.total_cmp(&other.share));
        members.dedup_by(|one, other| one.share <= other.share);
        let names = members.iter().map(|member| member.scenario).collect();
        if members.len() > 1 && known.insert(names) {
            families.push(members);
        }
    }
    families
}

fn configs<'a>(figures: &'a Figures) -> Vec<&'a Config> {
    let in_window = figures.shown_but_control().filter(|config| !config.is_windowless());
    in_window.filter(|config| config.is_deployed()).collect()
}

fn by_share(figures: &Figures, family: &[Member]) -> Table {
    let titles = family.iter().map(|member| format!("#{}", number::share(member.share)));
    let titles = ["Configuration".to_owned()].into_iter().chain(titles);
    let rows = configs(figures).into_iter().map(|config| {
        let cells = family.iter().map(|member| {
            let cells = figures.cells_where(config, |key| key.scenario == member.scenario);
            let recall = figures.mean(&cells, MetricId::RecallAtNeed);
            let complete = cells.iter().filter(|row| row.completed()).count();
            let cell = Cell::figure(&recall, number::share);
            let tone = if complete < cells.len() { Tone::Bad } else { Tone::Plain };
            cell.followed_by(&format!("({complete}/{})", cells.len())).toned(tone)
        });
        [Cell::code(config.name())].into_iter().chain(cells).collect()
    });
    let names: Vec<&str> = family.iter().map(|member| member.scenario).collect();
    let caption =
        format!("Recall at need (sessions completed) by fixed share: {}", names.join(", "));
    Table::of(caption, titles, rows)
}

/// Pairs of configurations whose order is not the same at every share.
fn turns(figures: &Figures, family: &[Member]) -> Table {
    let configs = configs(figures);
    let pairs = configs
        .iter()
        .enumerate()
        .flat_map(|(place, one)| configs[place + 1..].iter().map(move |other| (*one, *other)));
    let rows = pairs.filter_map(|(one, other)| {
        let places = family.iter().filter_map(|member| between(figures, one, other, member));
        let places: Vec<Place> = places.collect();
        let at = match turning(&places, LEAST_SESSIONS) {
            Turning::Never => return None,
            Turning::NotShown => Cell::text("not shown"),
            Turning::At(shares) => {
                let written: Vec<String> = shares.iter().map(|at| number::share(*at)).collect();
                Cell { value: shares.first().copied(), ..Cell::text(written.join(", ")) }
            }
        };
        let ends = [places.first()?, places.last()?].map(|place| {
            let Difference { mean, interval, .. } = place.difference;
            let ends = interval.map(|ends| (ends.low, ends.high));
            Cell::number(Some(mean), number::points, "").within(ends, number::points)
        });
        let names = [Cell::code(one.name()), Cell::code(other.name())];
        Some(names.into_iter().chain(ends).chain([at]).collect())
    });
    let ends = family.first().zip(family.last());
    let ends = ends.map_or([0.0; 2], |(first, last)| [first.share, last.share]);
    let [least, most] = ends.map(number::share);
    let titles = [
        "Configuration".to_owned(),
        "less".to_owned(),
        format!("#at {least}"),
        format!("#at {most}"),
        "#Their order turns at".to_owned(),
    ];
    Table::of("Where the order turns", titles, rows)
}

/// The difference in recall at need at one share, session by session.
fn between(figures: &Figures, one: &Config, other: &Config, member: &Member) -> Option<Place> {
    let by_seed = |config: &Config| {
        let cells = figures.cells_where(config, |key| key.scenario == member.scenario);
        let known = cells
            .iter()
            .filter_map(|row| Some((row.key.seed, row.number(MetricId::RecallAtNeed)?)));
        let mut seeds: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        known.for_each(|(seed, recall)| seeds.entry(seed).or_default().push(recall));
        seeds
    };
    let (ours, theirs) = (by_seed(one), by_seed(other));
    let pairs = ours
        .iter()
        .filter_map(|(seed, own)| Some((stats::mean(own)?, stats::mean(theirs.get(seed)?)?)));
    let pairs: Vec<(f64, f64)> = pairs.collect();
    let names = [one.configuration.as_str(), other.configuration.as_str()];
    let seed = Seed(0).derive(&["derive", "fixed-share", names[0], names[1], member.scenario]);
    let difference = paired_difference(&pairs, Resampling::standard(seed))?;
    Some(Place { at: member.share, difference })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ident::Digest;

    fn session(scenario: &str, seed: u64, fixed_tokens: u64, tokens: u64) -> ManifestSession {
        ManifestSession {
            scenario: scenario.to_owned(),
            seed,
            log: Digest::of(b""),
            truth: Digest::of(b""),
            path: String::new(),
            turns: 90,
            steps: 400,
            messages: 1_000,
            tokens,
            fixed_tokens,
            window: 100_000,
            facts: 0,
            demands: 0,
            boundaries: 0,
            fact_load: 0.0,
        }
    }

    #[test]
    fn the_same_sessions_with_other_fixed_prompts_are_a_family() {
        let sessions = [
            session("more", 1, 21_000, 5),
            session("plain", 1, 6_000, 5),
            session("plain", 2, 6_000, 7),
            session("more", 2, 21_000, 7),
            session("plain-bank-b", 1, 9_000, 5),
            session("other", 1, 15_000, 8),
        ];
        let found = families(&sessions);
        let names = found.iter().map(|family| {
            family.iter().map(|member| (member.scenario, member.share)).collect::<Vec<_>>()
        });
        assert_eq!(names.collect::<Vec<_>>(), [[("plain", 0.06), ("more", 0.21)]]);
        assert!(families(&sessions[4..]).is_empty());
    }
}
