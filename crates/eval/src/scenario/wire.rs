//! Scenario files. One that `extends` a shipped file says only what is other. One with a `[vary]`
//! table of keys of `[session.synth]`, or with several `[[vary]]`, stands for one scenario per
//! combination; `name` and `family` say where the values go (`floor-p{pairs}-t{turns}`).

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::transcripts::Transcripts;
use super::{Admits, EMBEDDED, ForcedAt, RETOLD, Scenario, SessionSource, Wire, twin_of};
use crate::config;
use crate::ident::{did_you_mean, is_name};
use crate::prelude::*;
use crate::synth::WirePlan;

#[derive(Deserialize)]
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
    sessions_of: Option<String>,
    session: WireSource,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
enum WireSource {
    Synth(Box<WirePlan>),
    Transcript(Transcripts),
}

/// A varied key and its value as names write it.
type Label = (String, String);

impl Scenario {
    /// All scenarios of a TOML text, which `file` names in errors.
    pub fn parse_all(file: &str, text: &str) -> Result<Vec<Scenario>> {
        let all = Scenario::parsed(file, text)?;
        Ok(all.into_iter().map(|(scenario, _)| scenario).collect())
    }

    /// The same, each with what it says of transcripts.
    pub(super) fn parsed(file: &str, text: &str) -> Result<Vec<(Scenario, Option<Transcripts>)>> {
        let place = Place { file, text };
        let mut table = place.extended(config::table("scenario", file, text)?)?;
        let Some(vary) = table.get_mut().remove("vary") else {
            return Ok(vec![place.scenario(table, &[])?]);
        };
        let mut all = Vec::new();
        for vary in tables(vary.get_ref()) {
            for (table, labels) in place.members(table.clone(), vary)? {
                all.push(place.scenario(table, &labels)?);
            }
        }
        Ok(all)
    }
}

struct Place<'a> {
    file: &'a str,
    text: &'a str,
}

impl<'t> Place<'t> {
    /// The table with what it lacks from the scenario file that it extends: whole keys, and of
    /// `[session.synth]` each key by itself. Name and family are its own.
    fn extended(&self, mut own: Spanned<DeTable<'t>>) -> Result<Spanned<DeTable<'t>>> {
        let Some(extends) = own.get_mut().remove("extends") else { return Ok(own) };
        let name = extends.get_ref().as_str().unwrap_or_default();
        let Some((file, text)) = EMBEDDED.iter().find(|(file, _)| *file == name) else {
            let hint = did_you_mean(name, EMBEDDED.iter().map(|(file, _)| *file));
            let what = "scenario file that can be extended";
            return Err(Error::unknown(what, name, hint));
        };
        let parent = Place { file, text };
        let parent = parent.extended(config::table("scenario", file, text)?)?;
        let mut parent: DeTable<'t> = unplaced(parent.into_inner());
        parent.remove("name");
        parent.remove("family");
        let mut keys = synth_of(&mut parent).map(std::mem::take).unwrap_or_default();
        let vary = own.get_ref().get("vary").map(|vary| tables(vary.get_ref()));
        let vary = vary.into_iter().flatten().filter_map(DeValue::as_table);
        for key in vary.flat_map(DeTable::keys) {
            keys.remove(key.get_ref().as_ref());
        }
        match synth(&mut own) {
            Some(changed) => filled_up(changed, keys),
            None => synth_of(&mut parent).map(|synth| *synth = keys).unwrap_or_default(),
        }
        filled_up(own.get_mut(), parent);
        Ok(own)
    }

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
        let is_transcript = matches!(wire.session, WireSource::Transcript(_));
        let (window, given) = (wire.window, wire.max_output);
        let empty = prose.into_iter().find(|(_, text)| text.trim().is_empty());
        let (key, rule) = if let Some((key, _)) = empty {
            (key, "must not be empty".to_owned())
        } else if !(1_000..=100_000_000).contains(&window) {
            ("window", format!("{window} is out of range: expected 1000 to 100000000"))
        } else if given == 0 || given >= window {
            let most = format!("expected 1 to {}, less than the window", window - 1);
            ("max-output", format!("{given} is out of range: {most}"))
        } else if is_transcript && wire.sessions_of.is_some() {
            ("sessions-of", "a transcript has no draws that it could share".to_owned())
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

    /// The table once per combination, the last key running fastest.
    fn members(
        &self,
        table: Spanned<DeTable<'t>>,
        vary: &DeValue<'t>,
    ) -> Result<Vec<(Spanned<DeTable<'t>>, Vec<Label>)>> {
        let lists = || self.invalid("vary", "expected lists of values, by key of `session.synth`");
        let vary = vary.as_table().filter(|vary| !vary.is_empty()).ok_or_else(lists)?;
        let mut members = vec![(table, Vec::new())];
        for (key, values) in vary {
            let place = format!("vary.{}", key.get_ref());
            let invalid = |rule| self.invalid(&place, rule);
            let values = labelled(values.get_ref()).map_err(invalid)?;
            let mut next = Vec::new();
            for (table, labels) in &members {
                for (label, value) in &values {
                    let (mut table, mut labels) = (table.clone(), labels.clone());
                    let synth = synth(&mut table)
                        .ok_or_else(|| self.invalid("vary", "a transcript cannot be varied"))?;
                    if synth.insert(key.clone(), (*value).clone()).is_some() {
                        let key = format!("session.synth.{}", key.get_ref());
                        return Err(self.invalid(&key, "given twice: `vary` sets it too"));
                    }
                    labels.push((key.get_ref().to_string(), label.clone()));
                    next.push((table, labels));
                }
            }
            members = next;
        }
        Ok(members)
    }

    /// The name of a member. Whatever a file varies is in it, so that no two are the same.
    fn name(&self, template: &str, labels: &[Label]) -> Result<String> {
        let places = labels.iter().map(|(key, _)| format!("{{{key}}}"));
        let missing: Vec<String> = places.filter(|place| !template.contains(place)).collect();
        if !missing.is_empty() {
            let rule = format!("`{template}` must hold {}", missing.join(" and "));
            return Err(self.invalid("name", rule));
        }
        let name = filled(template, labels);
        if !is_name(&name) {
            let rule = format!("`{name}` is no name: expected a-z, 0-9, `-`, `_` and `.`");
            return Err(self.invalid("name", rule));
        }
        if twin_of(&name).is_some() || name.ends_with(RETOLD) {
            let rule = format!("`{name}` is the name of a twin: choose another ending");
            return Err(self.invalid("name", rule));
        }
        Ok(name)
    }

    fn scenario(
        &self,
        mut table: Spanned<DeTable<'t>>,
        labels: &[Label],
    ) -> Result<(Scenario, Option<Transcripts>)> {
        let recorded_window = filled_for_transcripts(&mut table);
        let wire: WireScenario = config::read("scenario", self.file, self.text, table)?;
        self.check(&wire)?;
        if wire.family.as_ref().is_some_and(|family| family.contains("{turns}")) {
            return Err(self.invalid("family", "must not hold {turns}: its members differ by it"));
        }
        let (source, transcripts) = self.source(wire.session)?;
        let transcripts = transcripts.map(|mut one| {
            one.recorded_window = recorded_window;
            one
        });
        let scenario = Scenario {
            name: self.name(&wire.name, labels)?,
            purpose: wire.purpose,
            shows: wire.shows,
            cannot_show: wire.cannot_show,
            expects: wire.expects,
            family: wire.family.map(|family| filled(&family, labels)),
            window: Tokens(wire.window),
            max_output: Tokens(wire.max_output),
            admits: wire.admits,
            wire: wire.wire,
            cut_off_every: wire.cut_off_every,
            forced_at: wire.forced_at,
            sessions_of: wire.sessions_of,
            counter: None,
            source,
        };
        Ok((scenario, transcripts))
    }

    fn source(&self, source: WireSource) -> Result<(SessionSource, Option<Transcripts>)> {
        let plan = match source {
            WireSource::Synth(plan) => *plan,
            WireSource::Transcript(transcripts) => {
                return Ok((transcripts.source(), Some(transcripts)));
            }
        };
        let invalid = |(key, rule)| self.invalid(&format!("session.synth.{key}"), rule);
        Ok((SessionSource::Synth(Box::new(plan.plan().map_err(invalid)?)), None))
    }
}

/// The tables of a key that stands once, or as a list.
fn tables<'a, 't>(value: &'a DeValue<'t>) -> Vec<&'a DeValue<'t>> {
    match value {
        DeValue::Array(tables) if !tables.is_empty() => {
            tables.iter().map(Spanned::get_ref).collect()
        }
        table => vec![table],
    }
}

/// Puts in what holds until a transcript is read that is to show its own window and longest answer;
/// whether it is to show the window.
fn filled_for_transcripts(table: &mut Spanned<DeTable<'_>>) -> bool {
    const UNTIL_READ: &str = "window = 100_000\nmax-output = 8_192\n";
    let table = table.get_mut();
    let session = table.get("session").and_then(|session| session.get_ref().as_table());
    if !session.is_some_and(|session| session.contains_key("transcript")) {
        return false;
    }
    let shows = !table.contains_key("window");
    // OK to leave it as it is where the constant is no TOML: a test reads such a scenario.
    if let Ok(known) = DeTable::parse(UNTIL_READ) {
        filled_up(table, unplaced(known.into_inner()));
    }
    shows
}

/// Keys that a table lacks.
fn filled_up<'t>(table: &mut DeTable<'t>, from: DeTable<'t>) {
    for (key, value) in from {
        if !table.contains_key(key.get_ref().as_ref()) {
            table.insert(key, value);
        }
    }
}

/// The same values without a place: they stand in another text than the one that errors draw.
fn unplaced(table: DeTable<'_>) -> DeTable<'_> {
    let of = |(key, value): (Spanned<_>, Spanned<_>)| {
        (Spanned::new(0..0, key.into_inner()), unplaced_value(value))
    };
    table.into_iter().map(of).collect()
}

fn unplaced_value(value: Spanned<DeValue<'_>>) -> Spanned<DeValue<'_>> {
    let bare = match value.into_inner() {
        DeValue::Table(table) => DeValue::Table(unplaced(table)),
        DeValue::Array(list) => DeValue::Array(list.into_iter().map(unplaced_value).collect()),
        other => other,
    };
    Spanned::new(0..0, bare)
}

/// The table that the synthesizer's parameters stand in; `None` in the file of a transcript.
fn synth<'a, 't>(table: &'a mut Spanned<DeTable<'t>>) -> Option<&'a mut DeTable<'t>> {
    synth_of(table.get_mut())
}

fn synth_of<'a, 't>(table: &'a mut DeTable<'t>) -> Option<&'a mut DeTable<'t>> {
    let within = |table: &'a mut DeTable<'t>, key| match table.get_mut(key)?.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    };
    within(within(table, "session")?, "synth")
}

/// Values with what names write for them: those of a list themselves, those of a table by key.
fn labelled<'a, 't>(
    values: &'a DeValue<'t>,
) -> std::result::Result<Vec<(String, &'a Spanned<DeValue<'t>>)>, &'static str> {
    let all: Option<Vec<_>> = match values {
        DeValue::Array(list) => {
            list.iter().map(|value| Some((label(value.get_ref())?, value))).collect()
        }
        DeValue::Table(table) => {
            table.iter().map(|(name, value)| Some((name.get_ref().to_string(), value))).collect()
        }
        _ => Some(Vec::new()),
    };
    let all = all.ok_or("a range has no name: give names, as in { small = 5, large = 9 }")?;
    if all.is_empty() {
        return Err("expected a list or a table of at least one value");
    }
    let names: BTreeSet<&String> = all.iter().map(|(name, _)| name).collect();
    if names.len() < all.len() {
        return Err("the same value stands twice");
    }
    Ok(all)
}

/// A value as names write it; `None` of a list or table.
fn label(value: &DeValue) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

fn filled(template: &str, labels: &[Label]) -> String {
    let fill = |text: String, (key, label): &Label| text.replace(&format!("{{{key}}}"), label);
    labels.iter().fold(template.to_owned(), fill)
}
