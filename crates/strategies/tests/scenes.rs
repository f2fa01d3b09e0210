//! Scenes: what strategies make of a view, a line each, in `tests/scenes/*.toml`.
//!
//! Before `=>` stands the view, after it the view that one act leaves, and after `??` what
//! the summarizer is shown each time, ` // ` between, where that matters. `-` alone says that the
//! strategy declines.
//!
//! A view is a shape, a letter an entry (see `testkit::scene`); what is left of it is what
//! each entry says, with `+` for `[SUMMARIZED] s` and `*` for `[GOAL BATCH] s`, as every
//! answer is `s`. Or it is entries apart by ` / `, each a letter and its words: then what is
//! left is told likewise, `~` behind the letter of an entry that was rewritten and `*` behind
//! that of a summary. `{NAME}` stands for the words of that name in the file, `{NAME 3}` for
//! three times these.
//!
//! A rule that a scene breaks, growth apart, stands in `breaks`. Where a summary fails, `!CLASS N`
//! is left: the class of the failure, and how often the summarizer was asked; then the model that
//! was named, and `or else` where the plan has another to fall back on. With `falls-back` that one
//! is carried out, and its own; where all fail `! N` is left, and what the plan says to that.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proctor_core::apply::Rule;
use proctor_core::plan::{Frame, Then};
use proctor_core::pressure::{Budget, Occasion};
use proctor_core::strategy::Strategy;
use proctor_core::summarize::{Answer, FailureClass, Finish, Reply};
use proctor_core::testkit::{Fate, Scene, Script, fails, over, rules, says, scene};
use proctor_core::unit::Tokens;
use proctor_strategies::shipped;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The code or document that the cases come from: repository, path and commit, or paper and
    /// section. Where it is given, each case says in `from` which part of it.
    #[serde(default)]
    source: String,
    #[serde(default)]
    words: BTreeMap<String, String>,
    test: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Test {
    name: String,
    /// The test, function or section of the source that this case is of.
    #[serde(default)]
    from: String,
    /// As pipeline files write them; each of several acts alike.
    strategy: BTreeMap<String, serde_json::Value>,
    /// Tokens beyond the target of its pressure, of 1,000.
    over: Option<u64>,
    /// On which occasion it is asked; before a call where nothing is said.
    on: Option<Occasion>,
    /// The window; 100,000 tokens where nothing is said.
    window: Option<u64>,
    /// Tokens of the system prompt and of the tools, and most tokens of an answer; none where
    /// nothing is said.
    #[serde(default)]
    system: u64,
    #[serde(default)]
    schemas: u64,
    #[serde(default)]
    max_output: u64,
    /// What each request to the summarizer begins with, where that matters.
    frame: Option<Frame>,
    /// Whether a plan that fails or is rejected gives way to its fallbacks, as when it is driven.
    #[serde(default)]
    falls_back: bool,
    /// Whether it acts until it declines.
    #[serde(default)]
    repeat: bool,
    #[serde(default)]
    breaks: BTreeSet<String>,
    /// What the summarizer says in turn, the last for ever: `!CLASS` is a failure, `@` stands
    /// before what comes with a tool call.
    #[serde(default = "an_answer")]
    replies: Vec<String>,
    /// What is wrong with the parameters.
    #[serde(default)]
    refused: String,
    #[serde(default)]
    scenes: String,
}

fn an_answer() -> Vec<String> {
    vec!["s".to_owned()]
}

fn reply(said: &str) -> Reply {
    if let Some(class) = said.strip_prefix('!') {
        return fails(FailureClass::named(class).unwrap_or_else(|| panic!("no class {class}")));
    }
    match said.strip_prefix('@') {
        Some(text) => Ok(Answer { text: text.to_owned(), finish: Finish::ToolCall }),
        None => says(said),
    }
}

/// Whether a strategy says that it may ask a summarizer, and whether it did in any scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Asking {
    may: bool,
    did: bool,
}

/// A text with the words that its names stand for.
fn told(text: &str, words: &BTreeMap<String, String>) -> String {
    let mut told = String::new();
    let mut parts = text.split('{');
    told.extend(parts.next());
    for part in parts {
        let named = part.split_once('}').and_then(|(named, after)| {
            let (name, times) = named.split_once(' ').unwrap_or((named, "1"));
            Some((words.get(name)?.repeat(times.parse().ok()?), after))
        });
        match named {
            Some((words, after)) => told.extend([&words, after]),
            None => told.extend(["{", part]),
        }
    }
    told
}

impl Test {
    /// Which strategies may ask a summarizer, and which did.
    fn check(&self, words: &BTreeMap<String, String>, asking: &mut BTreeMap<String, Asking>) {
        for (name, parameters) in &self.strategy {
            let table = serde_json::json!({ name: parameters });
            let spec = shipped().read(&table, None).unwrap_or_else(|error| panic!("{error:?}"));
            let wrong = spec.strategy().check().err().unwrap_or_default();
            assert!(wrong.contains(&self.refused), "{}: {wrong}", self.name);
            assert_eq!(wrong.is_empty(), self.refused.is_empty(), "{}: {wrong}", self.name);
            let (mut broken, mut asked) = (BTreeSet::new(), false);
            for line in self.scenes.lines() {
                let (before, after) = line.split_once("=>").unwrap_or((line, ""));
                let full = |text: &str| told(text.trim(), words);
                let seen = (&mut broken, &mut asked);
                let left = self.act(spec.strategy(), &full(before), after, seen);
                assert_eq!(left, full(after), "{}, {name}: {line}", self.name);
            }
            assert_eq!(broken, self.breaks, "{}, {name}", self.name);
            assert!(self.frame.is_none() || asked, "{}, {name}: no request has a frame", self.name);
            let may = spec.strategy().asks();
            assert!(may || !asked, "{}, {name}: it says that it asks nobody", self.name);
            let asking = asking.entry(name.clone()).or_default();
            *asking = Asking { may: asking.may || may, did: asking.did || asked };
        }
    }

    /// The scene before anything acts.
    fn begun(&self, before: &str) -> Scene {
        let mut scene =
            if is_in_words(before) { Scene::texts(&entries(before)) } else { scene(before) };
        scene.occasion = self.on.unwrap_or(Occasion::BeforeCall);
        scene.budget = Budget {
            window: self.window.map_or(scene.budget.window, Tokens),
            max_output: Tokens(self.max_output),
            system: Tokens(self.system),
            schemas: Tokens(self.schemas),
        };
        scene
    }

    /// What is left, and what was shown where that is asked for.
    fn act(
        &self,
        strategy: &dyn Strategy,
        before: &str,
        after: &str,
        (broken, asked): (&mut BTreeSet<String>, &mut bool),
    ) -> String {
        let in_words = is_in_words(before);
        let mut scene = self.begun(before);
        let script = Script::new(self.replies.iter().map(|said| reply(said)));
        let mut acted = false;
        let reading = self.over.and_then(over);
        while let Some(plan) = scene.plan(strategy, reading) {
            acted = true;
            *asked |= !plan.requests.is_empty();
            if let Some(frame) = &self.frame {
                plan.requests.iter().for_each(|one| assert_eq!(&one.frame, frame, "{}", self.name));
            }
            if self.falls_back {
                if let Fate::Failed(then) = scene.carry_out(&plan, &script) {
                    return format!("! {} {}", script.prompts().len(), said(then))
                        .trim()
                        .to_owned();
                }
                break;
            }
            let result = scene.attempt(strategy, reading, &script).expect("the same plan");
            let applied = match result {
                Ok(applied) => applied,
                Err(class) => {
                    let model = plan.requests.first().and_then(|one| one.model.as_deref());
                    let model = model.unwrap_or_default();
                    let otherwise = plan.otherwise.map_or("", |_| "or else");
                    let asked = script.prompts().len();
                    let left = format!("!{} {asked} {model} {otherwise}", class.name());
                    return left.trim_end().to_owned();
                }
            };
            let found = rules(&applied).into_iter();
            let found = found.filter(|rule| *rule != Rule::Grew);
            broken.extend(found.map(|rule| rule.name().to_owned()));
            if !self.repeat {
                break;
            }
        }
        let left = match (acted, in_words) {
            (false, _) => "-".to_owned(),
            (true, true) => scene.rows().join(" / "),
            (true, false) => scene
                .contents()
                .join(" ")
                .replace("[SUMMARIZED] s", "+")
                .replace("[GOAL BATCH]\ns", "*"),
        };
        if after.contains("??") {
            let shown = (0..script.prompts().len()).map(|number| script.shown(number).join(" / "));
            format!("{left} ?? {}", shown.collect::<Vec<_>>().join(" // "))
        } else {
            left
        }
    }
}

fn said(then: Then) -> &'static str {
    match then {
        Then::AsPipeline => "",
        Then::Continue => "continue",
        Then::Raise => "raise",
    }
}

/// Whether entries have words of their own, or are the letters of a shape.
fn is_in_words(view: &str) -> bool {
    view.contains(' ')
}

/// A letter and its words, for each.
fn entries(view: &str) -> Vec<(char, &str)> {
    let parts = view.split(" / ").map(|entry| entry.split_at(1));
    parts.map(|(letter, words)| (letter.as_bytes()[0].into(), words.trim_start())).collect()
}

#[test]
fn strategies_do_what_their_scenes_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes");
    let mut asking = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("a file").path();
        let text = fs::read_to_string(&path).expect("it reads");
        let file: File =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        file.test.iter().for_each(|test| test.check(&file.words, &mut asking));
        let uncited = file.test.iter().find(|test| test.from.is_empty() != file.source.is_empty());
        let uncited = uncited.map(|test| &test.name);
        assert_eq!(uncited, None, "{}: `from` stands with `source`", path.display());
    }
    let wrong: Vec<_> = asking.iter().filter(|(_, asking)| asking.may != asking.did).collect();
    assert!(wrong.is_empty(), "may ask a summarizer, or does: {wrong:?}");
}
