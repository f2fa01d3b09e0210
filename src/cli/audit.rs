//! `proctor audit`: what the compactions of one's own sessions kept and lost, what that cost, and
//! what other strategies would have kept at the same points.

mod habits;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, context};
use serde::Serialize;

use self::habits::Habits;
use crate::audit::{Audit, LEAST_NEEDS, Other, audit};
use crate::cli::complain;
use crate::cli::prelude::*;
use crate::cli::run::{prices, widen};
use crate::import::{self, Imported};
use crate::matrix::Suite;
use crate::price::PriceSheet;
use crate::run::Plan;
use crate::sanitize;
use crate::scenario::session_name;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/audit.txt"))]
pub(super) struct Arguments {
    /// Sessions, or directories of them; their format is told from their content
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Strategies to drive beside the recording, by name, file or command line
    #[arg(long, value_delimiter = ',')]
    strategies: Vec<String>,
    /// The context window of the others, in tokens; that of the recording where it is not given
    #[arg(long)]
    window: Option<u64>,
    /// Tokens of the provider by token of `o200k_base`, in place of what the recorded usage shows
    #[arg(long, value_name = "FACTOR", value_parser = super::a_counter)]
    counter: Option<f64>,
    /// Prices: a sheet as TOML file, or the list price of a model by its name [default: that of the
    /// session's model, else the example sheet]
    #[arg(long, value_name = "FILE | MODEL")]
    prices: Option<String>,
    /// Write the pages of all sessions as one HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write all figures as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Exit with 20 where the median compaction kept less than this share of what was said
    #[arg(long, value_name = "SHARE")]
    fail_below: Option<f64>,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    if let Some(share) = arguments.fail_below.filter(|share| !(0.0..=1.0).contains(share)) {
        return Err(Error::invalid(
            format!("--fail-below {share}"),
            "expected a share from 0 to 1",
        ));
    }
    let mut audits = Vec::new();
    let code = sessions(&arguments.paths, |place, one| {
        if !one.log.steps().is_empty() {
            audits.push(one_of(place, one, arguments)?);
        }
        Ok(())
    });
    if audits.is_empty() {
        let rule = "no session was found";
        let hint = "`proctor sessions` says where agents keep theirs";
        return if code == ExitCode::OK {
            Err(Error::refused("audit", rule, hint))
        } else {
            Ok(code)
        };
    }
    let page = Page::new(&audits);
    let text = page.render("audit.md", include_str!("audit/audit.md"))?;
    say(Shown::laid_out(&text));
    let written = |path: &Path, text: &str| {
        std::fs::write(path, text).map_err(|source| Error::io("write", path, source))
    };
    if let Some(path) = &arguments.html {
        written(path, &page.render("audit.html", include_str!("audit/audit.html"))?)?;
        talk(shown!("page: {}", path.display()));
    }
    if let Some(path) = &arguments.json {
        let json = serde_json::to_string_pretty(&page);
        written(path, &json.map_err(|error| Error::invalid("audit", error.to_string()))?)?;
    }
    let failed = arguments
        .fail_below
        .is_some_and(|least| page.habits.said_median.is_some_and(|median| median < least));
    Ok(if failed && code == ExitCode::OK { ExitCode::REGRESSION } else { code })
}

/// Hands over the sessions of files and directories. The exit code is that of the last error, which is
/// told; among the files of a directory there are others than sessions, which are counted.
pub(super) fn sessions(
    paths: &[PathBuf],
    mut take: impl FnMut(&Path, Imported) -> Result<()>,
) -> u8 {
    let (mut code, mut others) = (ExitCode::OK, 0);
    for path in paths {
        let is_directory = path.is_dir();
        let files = if is_directory { import::places::below(path) } else { vec![path.clone()] };
        for file in files {
            let all = import::load_named(&file);
            match all.and_then(|all| all.into_iter().try_for_each(|(at, one)| take(&at, one))) {
                Ok(()) => {}
                Err(_) if is_directory => others += 1,
                Err(error) => {
                    complain(&error);
                    code = error.exit_code();
                }
            }
        }
    }
    if others > 0 {
        talk(shown!("note: {} files are no sessions", others));
    }
    code
}

fn one_of(place: &Path, mut imported: Imported, arguments: &Arguments) -> Result<Audit> {
    imported.log.ratio = arguments.counter.or(imported.log.ratio);
    let name = session_name(place);
    let mut scenario = Scenario::of_session(place, &name, &imported.log);
    if let Some(window) = arguments.window {
        widen(std::slice::from_mut(&mut scenario), window)?;
    }
    let mut suite = Suite::of_sessions(vec![name], imported.log.was_compacted())?;
    suite.brackets.clear();
    if !arguments.strategies.is_empty() {
        suite.pipelines.retain(|name| name == "recorded");
        suite.pipelines.extend(arguments.strategies.iter().cloned());
    }
    let command = "proctor audit".to_owned();
    let mut plan = Plan::new(registry(), suite, vec![scenario.clone()], command)?;
    let listed = || PriceSheet::of_model(imported.log.model.as_deref()?);
    let sheet = match &arguments.prices {
        Some(named) => Some(prices(named)?),
        None => listed(),
    };
    plan.sheet = sheet.unwrap_or(plan.sheet);
    audit(imported, &plan, &scenario)
}

/// What is written.
#[derive(Serialize)]
struct Page<'a> {
    habits: Habits,
    sessions: Vec<Told<'a>>,
}

/// A session with the sentence that answers for it.
#[derive(Serialize)]
struct Told<'a> {
    answer: String,
    #[serde(flatten)]
    audit: &'a Audit,
}

impl Page<'_> {
    fn new(audits: &[Audit]) -> Page<'_> {
        let sessions = audits.iter().map(|audit| Told { answer: answer(audit), audit }).collect();
        Page { habits: Habits::of(audits), sessions }
    }

    fn render(&self, name: &'static str, text: &'static str) -> Result<String> {
        let failed = |error: minijinja::Error| Error::invalid("audit", error.to_string());
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(failed)?);
        environment.add_filter("tokens", |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), crate::number::tokens)
        });
        environment.add_filter("share", |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0))
        });
        environment.add_filter("dollars", |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |usd| format!("${usd:.2}"))
        });
        environment
            .add_filter("cell", |value: String| value.replace('|', "\\|").replace('\n', " "));
        environment
            .add_filter("short", |value: String, most: usize| sanitize::beginning(&value, most));
        environment.add_template(name, text).map_err(failed)?;
        let template = environment.get_template(name).map_err(failed)?;
        let page = context! { habits => Serde(&self.habits), sessions => Serde(&self.sessions) };
        template.render(page).map_err(failed)
    }
}

/// Whether another strategy would have done better, in a sentence.
fn answer(audit: &Audit) -> String {
    if audit.compactions.is_empty() {
        return "No compaction is recorded in this session.".to_owned();
    }
    let Some(own) = audit.strategies.iter().find(|one| one.name == "recorded") else {
        return "The recording could not be driven.".to_owned();
    };
    if audit.compactions.iter().all(|one| one.hidden) {
        return format!(
            "Whether another strategy would have kept more cannot be told: the file does not hold \
             the text of the summaries. Of {} things said, {} stand in the messages that stayed.",
            own.said.of, own.said.kept
        );
    }
    let completed = |one: &&Other| one.completed && !one.name.starts_with("none");
    let others = audit.strategies.iter().filter(completed).filter(|one| one.name != "recorded");
    let share = |one: &Other| if own.recall.is_some() { one.recall } else { one.said.share() };
    let figure = match own.recall {
        Some(_) => format!("of {} needs it met", own.needs.of),
        None => format!(
            "of what was said it kept ({} needs are fewer than {LEAST_NEEDS})",
            own.needs.of
        ),
    };
    let Some(mine) = share(own) else {
        return "Nothing that was said or needed lies behind its compactions.".to_owned();
    };
    let size = |one: &Other| one.tokens_after.unwrap_or(0) as f64;
    let as_small = |one: &&Other| size(one) <= SIMILAR * size(own);
    let best = |of: Vec<&Other>| {
        let ranked =
            of.into_iter().filter_map(|one| Some((one.name.clone(), share(one)?, size(one))));
        ranked.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, other, _)| *other > mine)
    };
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let tokens = crate::number::tokens;
    let (small, any) = (best(others.clone().filter(as_small).collect()), best(others.collect()));
    let mine = percent(mine);
    let told = match (small, any) {
        (Some((name, other, _)), _) => format!(
            "Another strategy would have kept more in as small a prompt: {figure} {mine}, `{name}` {}.",
            percent(other)
        ),
        (None, Some((name, other, after))) => format!(
            "No strategy would have kept more in as small a prompt: {figure} {mine}. `{name}` kept {}, \
             with prompts of {} tokens after a compaction instead of {}.",
            percent(other),
            tokens(after),
            tokens(size(own))
        ),
        (None, None) => {
            format!("No strategy that was driven would have kept more: {figure} {mine}.")
        }
    };
    told + &unseen(audit)
}

/// What may have been in the prompts besides, in a sentence; nothing where the file shows them whole.
fn unseen(audit: &Audit) -> String {
    let most = audit.compactions.iter().filter_map(|one| one.tokens_unseen).max();
    most.map_or_else(String::new, |most| {
        format!(
            " Up to {} tokens of the recorded prompts are not in the file, and may have held more.",
            crate::number::tokens(most as f64)
        )
    })
}

/// Prompts of up to this many times the recorded size are as small.
const SIMILAR: f64 = 1.25;
