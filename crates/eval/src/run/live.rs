//! Runs whose summaries come from a model: who is asked, when it stops, what the calls were.

use std::borrow::Cow;
use std::fs::OpenOptions;
use std::io::Write;

use crate::drive::Session;
use crate::matrix::{Summarizer, SummarizerName};
use crate::prelude::*;
use crate::run::{Options, Outcome, Plan};
use crate::run_dir::host::LiveHost;
use crate::run_dir::write::{lines, write_whole};
use crate::simulated::Fitted;
use crate::summarize::live::{CallRow, Live, Terms};
use crate::summarize::own::OwnName;
use crate::summarize::{Ask, Stopped};

/// What was asked of the model, in a run directory.
pub const CALLS: &str = "calls.csv";
/// Cells side by side for each call in flight: most wait for others' calls.
const CELLS_PER_CALL: usize = 4;

impl Plan {
    /// Whether any cell is driven under the summarizer `http`.
    pub fn asks_a_model(&self) -> bool {
        self.summarizers().any(|name| name == SummarizerName::Http)
    }

    fn summarizers(&self) -> impl Iterator<Item = SummarizerName> {
        let all = self.suite.brackets.iter().chain([&self.suite.summarizer]);
        all.map(|summarizer| summarizer.name)
    }

    /// A summarizer from outside that the suite names and the options do not hold.
    fn missing_summarizer(&self, options: &Options) -> Option<OwnName> {
        self.summarizers().find_map(|name| match name {
            SummarizerName::Own(name) => (!options.summarizers.holds(name)).then_some(name),
            _ => None,
        })
    }

    /// The same plan, stages whose strategy has a model of its own asking that.
    #[must_use]
    pub fn addressed(mut self, terms: &Terms) -> Plan {
        let pipelines = self.configurations.iter_mut().map(|one| &mut one.pipeline);
        for stage in pipelines.flat_map(|pipeline| &mut pipeline.stages) {
            let name = stage.strategy.name();
            if stage.model.is_none() && terms.models.contains_key(name) {
                stage.model = Some(name.to_owned());
            }
        }
        self
    }
}

pub(super) fn addressed<'a>(plan: &'a Plan, options: &Options) -> Result<Cow<'a, Plan>> {
    if let Some(name) = plan.missing_summarizer(options) {
        let hint = "a program that brings it puts it into `Options::summarizers`".to_owned();
        return Err(Error::unknown("summarizer", name.to_string(), Some(hint)));
    }
    match &options.live {
        Some(live) => Ok(Cow::Owned(plan.clone().addressed(live.terms()))),
        // Whoever names single cells has left out those that ask.
        None if options.only.is_none() && plan.asks_a_model() => Err(no_endpoint()),
        None => Ok(Cow::Borrowed(plan)),
    }
}

/// The summarizer of a session's cells: one that ships, the model, or one from outside.
pub(super) fn summarizer(
    options: &Options,
    summarizer: Summarizer,
    (session, seed): (&Session, Seed),
    fitted: &Fitted,
) -> Box<dyn Ask + Send> {
    let given: Option<Box<dyn Ask + Send>> = match summarizer.name {
        SummarizerName::Http => options.live.as_ref().map(|live| Box::new(live.ask_handle()) as _),
        SummarizerName::Own(name) => options.summarizers.make(name, seed),
        _ => None,
    };
    match given {
        Some(sound) => summarizer.around(sound, seed),
        None => summarizer.build(session, seed, fitted),
    }
}

/// A model is to be asked, and none is at hand.
pub fn no_endpoint() -> Error {
    Error::refused(
        "summarizer `http`",
        "no endpoint and no recording is named",
        "`--base-url URL --model NAME` or `--endpoint FILE` asks a model, `--replay FILE` answers \
         from a cassette",
    )
}

/// Threads of the run: each waits for one cell's answers.
pub(super) fn threads(options: &Options) -> usize {
    let jobs = options.jobs.unwrap_or(0);
    let Some(live) = &options.live else { return jobs };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if live.is_replay() { jobs } else { jobs.max(cores).max(live.endpoint().concurrency.0) }
}

/// Open cells at which sessions are driven rather than further ones made ready.
pub(super) fn cells_at_once(options: &Options) -> usize {
    let live = options.live.as_ref().filter(|live| !live.is_replay());
    live.map_or(0, |live| CELLS_PER_CALL * live.endpoint().concurrency.0)
}

/// Whether further cells may be driven: none may once the model is not asked any more.
pub(super) fn check_not_stopped(options: &Options) -> Result<()> {
    let stopped = options.live.as_ref().and_then(|live| live.stopped());
    stopped.map_or(Ok(()), |stopped| Err(error_of(stopped)))
}

/// The error that a run ends with when its summarizer will not answer any more.
pub(super) fn error_of(stopped: &Stopped) -> Error {
    let going_on = "`--resume` goes on from here; no recorded call is made again";
    let hint = match &stopped.remedy {
        Some(remedy) => format!("{remedy}; {going_on}"),
        None => going_on.to_owned(),
    };
    Error::Stopped { reason: stopped.reason.clone(), hint }
}

/// Waits for the calls in flight and writes what they were, whatever became of the run.
pub(super) fn finish(outcome: Result<Outcome>, options: &Options) -> Result<Outcome> {
    if let Some(live) = &options.live {
        live.close();
        if matches!(outcome, Err(Error::WrongRun { .. })) {
            return outcome;
        }
        let written = write_calls(&options.out, live.calls());
        if outcome.is_ok() {
            written?;
        }
    }
    outcome
}

/// Appends the calls made since the last cell landed: a killed run still knows them.
pub(super) fn note_calls(options: &Options) -> Result<()> {
    let Some(live) = &options.live else { return Ok(()) };
    live.new_calls(|rows| {
        let path = calls_so_far(&options.out);
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let text = lines(rows)?;
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|source| Error::io("write", &path, source))
    })
}

fn calls_so_far(out: &Path) -> PathBuf {
    out.join("shards").join(CALLS)
}

/// Writes the calls of a run, with those of the parts of it that ran before.
fn write_calls(out: &Path, calls: Vec<CallRow>) -> Result<()> {
    let mut rows = BTreeMap::new();
    for (path, headed) in [(out.join(CALLS), true), (calls_so_far(out), false)] {
        let reader = csv::ReaderBuilder::new().has_headers(headed).from_path(path);
        // OK to leave out what does not parse, such as a half-written line: the cassette
        // has every call.
        let before = reader.into_iter().flat_map(csv::Reader::into_deserialize);
        rows.extend(before.filter_map(Result::ok).map(|row: CallRow| (row.key.clone(), row)));
    }
    rows.extend(calls.into_iter().map(|row| (row.key.clone(), row)));
    if rows.is_empty() {
        return Ok(());
    }
    let rows: Vec<CallRow> = rows.into_values().collect();
    let head = "key,model,result,tries,latency_ms,provider_prompt,provider_completion,\
                provider_cached,prompt_tokens,answer_tokens\n";
    write_whole(out, CALLS, (head.to_owned() + &lines(&rows)?).as_bytes())?;
    // OK to ignore: what it says is in the other file now, and is the same if read again.
    let _ = std::fs::remove_file(calls_so_far(out));
    Ok(())
}

pub(super) fn host(live: &Live) -> LiveHost {
    let endpoint = live.endpoint();
    let address = endpoint.base_url.as_ref().filter(|_| !live.is_replay());
    LiveHost {
        base_url: address.map(|url| url.as_str().to_owned()),
        cassette: live.cassette().path().to_owned(),
        replay: live.is_replay(),
        concurrency: endpoint.concurrency.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Suite, Summarizer};
    use crate::strategy::shipped;
    use crate::summarize::live::Endpoint;

    fn plan() -> Plan {
        let suite = Suite::embedded("default").expect("it ships").expect("it parses");
        Plan::new(shipped(), suite, Vec::new(), String::new()).expect("they ship")
    }

    #[test]
    fn a_strategy_with_a_model_of_its_own_is_sent_there() {
        let models = [("forge-threshold".to_owned(), "small".to_owned())].into();
        let endpoint = Endpoint { model: Some("large".to_owned()), models, ..Endpoint::default() };
        let terms = endpoint.terms().unwrap_or_else(|error| panic!("{error}"));
        let plan = plan().addressed(&terms);
        let stages = || plan.configurations.iter().flat_map(|one| &one.pipeline.stages);
        let (own, rest): (Vec<_>, Vec<_>) =
            stages().partition(|stage| stage.strategy.name() == "forge-threshold");
        assert!(!own.is_empty() && !rest.is_empty());
        assert!(own.iter().all(|stage| terms.model_for(stage.model.as_deref()) == "small"));
        assert!(rest.iter().all(|stage| stage.model.is_none()));
    }

    #[test]
    fn a_model_is_asked_where_a_cell_wants_one() {
        let mut plan = plan();
        assert!(!plan.asks_a_model());
        plan.suite.brackets.push(Summarizer::sound(SummarizerName::Http));
        assert!(plan.asks_a_model());
    }

    #[test]
    fn a_half_written_line_of_calls_is_left_out() {
        let folder = tempfile::tempdir().expect("a directory");
        let out = folder.path();
        let row = |key: &str, tries| CallRow {
            key: key.to_owned(),
            model: "m".to_owned(),
            result: "stop".to_owned(),
            tries,
            latency_ms: 5,
            provider_prompt: Some(7),
            provider_completion: None,
            provider_cached: None,
            prompt_tokens: 6,
            answer_tokens: 3,
        };
        write_calls(out, vec![row("b", 1)]).unwrap_or_else(|error| panic!("{error}"));
        std::fs::create_dir(out.join("shards")).expect("it is made");
        let cut = lines(&[row("c", 1)]).expect("it is flat") + "d,m,sto";
        std::fs::write(calls_so_far(out), cut).expect("it is written");
        write_calls(out, vec![row("a", 2)]).unwrap_or_else(|error| panic!("{error}"));
        let text = std::fs::read_to_string(out.join(CALLS)).expect("it is there");
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(rows, ["a,m,stop,2,5,7,,,6,3", "b,m,stop,1,5,7,,,6,3", "c,m,stop,1,5,7,,,6,3"]);
        assert!(!calls_so_far(out).exists());
    }
}
