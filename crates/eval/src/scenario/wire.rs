//! Scenario files. One with a `[vary]` table stands for one scenario per combination of `pairs` and
//! `turns`; `name` and `family` say where the two numbers go (`floor-p{pairs}-t{turns}`).

use super::{Admits, ForcedAt, Scenario, SessionSource, Wire, twin_of};
use crate::config;
use crate::ident::is_name;
use crate::prelude::*;
use crate::synth::{Draw, WirePlan};

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WireScenario {
    name: String,
    purpose: String,
    shows: String,
    cannot_show: String,
    expects: String,
    family: Option<String>,
    window: u64,
    max_output: u64,
    admits: Admits,
    wire: Wire,
    #[serde(default)]
    cut_off_every: u32,
    forced_at: Option<ForcedAt>,
    vary: Option<WireVary>,
    session: WireSource,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WireVary {
    pairs: Vec<u32>,
    turns: Vec<u32>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
enum WireSource {
    Synth(Box<WirePlan>),
    Transcript { path: PathBuf },
}

impl Scenario {
    /// All scenarios of a TOML text, which `file` names in errors.
    pub fn parse_all(file: &str, text: &str) -> Result<Vec<Scenario>> {
        let wire: WireScenario = config::parse("scenario", file, text)?;
        let place = Place { file };
        place.check(&wire)?;
        match wire.vary.clone() {
            None => Ok(vec![place.scenario(wire, None)?]),
            Some(vary) => place.vary(&wire, &vary),
        }
    }
}

struct Place<'a> {
    file: &'a str,
}

impl Place<'_> {
    fn invalid(&self, key: &str, rule: impl Into<String>) -> Error {
        Error::invalid(format!("{}: {key}", self.file), rule)
    }

    fn check(&self, wire: &WireScenario) -> Result<()> {
        let prose = [
            ("purpose", &wire.purpose),
            ("shows", &wire.shows),
            ("cannot-show", &wire.cannot_show),
            ("expects", &wire.expects),
        ];
        let (window, given) = (wire.window, wire.max_output);
        let empty = prose.into_iter().find(|(_, text)| text.trim().is_empty());
        let is_transcript = matches!(wire.session, WireSource::Transcript { .. });
        let (key, rule) = if let Some((key, _)) = empty {
            (key, "must not be empty".to_owned())
        } else if !(1_000..=100_000_000).contains(&window) {
            ("window", format!("{window} is out of range: expected 1000 to 100000000"))
        } else if given == 0 || given >= window {
            let most = format!("expected 1 to {}, less than the window", window - 1);
            ("max-output", format!("{given} is out of range: {most}"))
        } else if is_transcript && wire.forced_at.is_some() {
            let rule = "a transcript has boundaries of its own: only synthesized sessions are \
                        given any";
            ("forced-at", rule.to_owned())
        } else {
            let checked = wire.forced_at.map_or(Ok(()), ForcedAt::check);
            return checked.map_err(|rule| self.invalid("forced-at", rule));
        };
        Err(self.invalid(key, rule))
    }

    fn vary(&self, wire: &WireScenario, vary: &WireVary) -> Result<Vec<Scenario>> {
        for (key, list) in [("vary.pairs", &vary.pairs), ("vary.turns", &vary.turns)] {
            if list.is_empty() || !list.windows(2).all(|two| two[0] < two[1]) {
                return Err(self.invalid(key, "expected numbers in ascending order, at least one"));
            }
        }
        if !wire.name.contains("{pairs}") || !wire.name.contains("{turns}") {
            let rule = format!("`{}` must hold {{pairs}} and {{turns}}", wire.name);
            return Err(self.invalid("name", rule));
        }
        if wire.family.as_ref().is_some_and(|family| family.contains("{turns}")) {
            return Err(self.invalid("family", "must not hold {turns}: its members differ by it"));
        }
        let of = |&pairs| vary.turns.iter().map(move |&turns| (pairs, turns));
        let members = vary.pairs.iter().flat_map(of);
        members.map(|member| self.scenario(wire.clone(), Some(member))).collect()
    }

    fn scenario(&self, wire: WireScenario, member: Option<(u32, u32)>) -> Result<Scenario> {
        let name = numbered(&wire.name, member);
        if !is_name(&name) {
            let rule = format!("`{name}` is no name: expected a-z, 0-9, `-`, `_` and `.`");
            return Err(self.invalid("name", rule));
        }
        if twin_of(&name).is_some() {
            let rule = format!("`{name}` is the name of a twin: choose another ending");
            return Err(self.invalid("name", rule));
        }
        Ok(Scenario {
            name,
            purpose: wire.purpose,
            shows: wire.shows,
            cannot_show: wire.cannot_show,
            expects: wire.expects,
            family: wire.family.map(|family| numbered(&family, member)),
            window: Tokens(wire.window),
            max_output: Tokens(wire.max_output),
            admits: wire.admits,
            wire: wire.wire,
            cut_off_every: wire.cut_off_every,
            forced_at: wire.forced_at,
            source: self.source(wire.session, member)?,
        })
    }

    fn source(&self, source: WireSource, member: Option<(u32, u32)>) -> Result<SessionSource> {
        let mut plan = match source {
            WireSource::Synth(plan) => *plan,
            WireSource::Transcript { .. } if member.is_some() => {
                return Err(self.invalid("vary", "a transcript cannot be varied"));
            }
            WireSource::Transcript { path } => return Ok(SessionSource::Transcript(path)),
        };
        let pairs = plan.pairs.take();
        let varied = member.map(|(pairs, _)| Draw::fixed(pairs));
        let pairs = self.either("session.synth.pairs", pairs, varied)?;
        let turns = plan.turns.take();
        let turns = self.either("session.synth.turns", turns, member.map(|(_, turns)| turns))?;
        let invalid = |(key, rule)| self.invalid(&format!("session.synth.{key}"), rule);
        let plan = plan.plan(turns, pairs).map_err(invalid)?;
        Ok(SessionSource::Synth(Box::new(plan)))
    }

    fn either<T>(&self, key: &str, given: Option<T>, varied: Option<T>) -> Result<T> {
        match (given, varied) {
            (Some(_), Some(_)) => Err(self.invalid(key, "given twice: `vary` sets it too")),
            (Some(value), None) | (None, Some(value)) => Ok(value),
            (None, None) => Err(self.invalid(key, "missing: give it here or in `vary`")),
        }
    }
}

fn numbered(template: &str, member: Option<(u32, u32)>) -> String {
    let Some((pairs, turns)) = member else { return template.to_owned() };
    template.replace("{pairs}", &pairs.to_string()).replace("{turns}", &turns.to_string())
}
