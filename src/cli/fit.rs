//! `proctor fit`: the simulated summarizer, fitted to what recorded compactions of one's own kept, or
//! the summaries that a model wrote in a run.

use crate::cli::audit::sessions;
use crate::cli::prelude::*;
use crate::extract;
use crate::fit::{self, Foresight, Observed, Own};
use crate::import::Imported;
use crate::run::rerun::Recorded;

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/fit.txt"))]
pub(super) struct Arguments {
    /// Sessions, or directories of them; their format is told from their content. Or directories of
    /// runs that asked a model
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Write the parameters into this file, for `--summarizer simulated:FILE`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let is_run = |path: &&PathBuf| path.join("manifest.json").is_file();
    let (runs, paths): (Vec<&PathBuf>, Vec<&PathBuf>) = arguments.paths.iter().partition(is_run);
    let mut all: Vec<Observed> = Vec::new();
    for run in runs {
        all.extend(fit::of_run(&Recorded::open(registry(), run, &[])?)?);
    }
    let paths: Vec<PathBuf> = paths.into_iter().cloned().collect();
    let code = sessions(&paths, |place, imported| {
        let Imported { log, truth, .. } = imported;
        let truth = truth.unwrap_or_else(|| extract::extract(&log));
        let found = fit::observed(&log, &truth);
        let recorded = log.boundaries.iter().filter(|one| one.took()).count();
        if found.len() < recorded {
            let left_out = recorded - found.len();
            talk(shown!(
                "note: {}: {} of {} compactions have no text of a summary",
                place.display(),
                left_out,
                recorded
            ));
        }
        all.extend(found);
        Ok(())
    });
    if code != ExitCode::OK && all.is_empty() {
        return Ok(code);
    }
    let own = fit::own(&all)?;
    say(Shown::laid_out(told(&own).trim_end()));
    if let Some(path) = &arguments.out {
        let comment = format!("Fitted by `proctor fit` to {}.\n{NEAR}", data(&own));
        std::fs::write(path, own.parameters.written(&comment)?)
            .map_err(|source| Error::io("write", path, source))?;
        let path = sanitize::line(&path.display().to_string());
        talk(shown!("parameters: {}; a run takes them by `--summarizer simulated:{}`", path, path));
    }
    Ok(code)
}

/// What the file says of how it was fitted.
const NEAR: &str = "Few data leave the recorded parameters as they are: priors around them, standard\n\
                    deviations 2 for all sorts together, 1 for each beside that, 0.25 for each slope.\n\
                    The slope and the deviation of `length` are the recorded ones, and all rates of errors.";

fn data(own: &Own) -> String {
    let Own { facts, compactions, sessions, .. } = own;
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    format!(
        "{facts} facts, {compactions} compaction{}, {sessions} session{}",
        plural(*compactions),
        plural(*sessions)
    )
}

fn told(own: &Own) -> String {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let mut text = format!("{}\n\n", data(own));
    text.push_str("sort      facts    kept  fitted  simulated\n");
    for of in &own.sorts {
        text.push_str(&format!(
            "{:<8}{:>7}{:>8}{:>8}{:>11}\n",
            of.sort.name(),
            of.facts,
            percent(of.kept),
            percent(of.fitted),
            percent(of.recorded)
        ));
    }
    let interval = own.interval.map_or_else(
        || "; too few compactions for an interval".to_owned(),
        |of| format!(" [{:+.2}, {:+.2}], 95 % over compactions", of.low, of.high),
    );
    text.push_str(&format!(
        "\nskill: {:+.2} units of log-odds from `simulated`{interval}; `simulated-poor` stands at \
         -2, `simulated-good` at +2\n",
        own.skill
    ));
    match own.held_out {
        Some(held_out) => text.push_str(&format!(
            "sessions left out: {} by a fit to the others, {} as `simulated` has it\n",
            quality(held_out),
            quality(own.recorded)
        )),
        None => text.push_str(&format!(
            "one session: how well the fit foretells another cannot be told; `simulated` has {}\n",
            quality(own.recorded)
        )),
    }
    text
}

fn quality(of: Foresight) -> String {
    let area = of.area.map_or_else(|| "–".to_owned(), |area| format!("{area:.2}"));
    let points = of.calibration.map_or_else(|| "–".to_owned(), |one| format!("{:.1}", 100.0 * one));
    let brier = of.brier.map_or_else(|| "–".to_owned(), |one| format!("{one:.3}"));
    format!("area {area}, calibration error {points} points, Brier score {brier}")
}
