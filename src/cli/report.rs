//! `proctor report`: render a run directory's report again, or its tables for a paper.

use clap::ValueEnum;

use crate::cli::prelude::*;
use crate::report;
use crate::run_dir::read::load_manifest;
use crate::run_dir::story::{Story, story, story_files};
use crate::secrets::{self, Findings};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  proctor report RUN                                       the page again, into the run directory
  proctor report RUN --format latex > tables.tex           its tables for a paper
  proctor report RUN --format latex --table answer-1       the first table alone")]
pub(super) struct Arguments {
    /// The run directory
    run: PathBuf,
    /// Rank pipelines that were completed where their source is silent (fidelity `inferred`)
    #[arg(long)]
    include_inferred: bool,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = Format::Page)]
    format: Format,
    /// Of LaTeX, these tables: names as in the links beside them on the page
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    table: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Format {
    /// report.html, report.md and charts, in the run directory
    Page,
    /// Tables of booktabs, on standard output
    Latex,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    let run = &arguments.run;
    if let Some(told) = secrets_in(run)? {
        talk(shown!(
            "warning: the stories of the run seem to hold secrets: {}\n\nhint: `proctor run \
             --redact` writes digests in place of texts",
            told
        ));
    }
    if arguments.format == Format::Latex {
        say(Shown::laid_out(
            report::latex(run, &arguments.table, arguments.include_inferred)?.trim_end(),
        ));
        return Ok(ExitCode::OK);
    }
    if !arguments.table.is_empty() {
        return Err(Error::invalid("--table", "it chooses tables of `--format latex`"));
    }
    let files = report::write_ranking(run, arguments.include_inferred)?;
    say(shown!("{}", files.html.display()));
    say(shown!("{}", files.markdown.display()));
    Ok(ExitCode::OK)
}

fn secrets_in(run: &Path) -> Result<Option<String>> {
    let (manifest, _) = load_manifest(&run.join("manifest.json"))?;
    let is_transcript = |name: &str| {
        manifest.sessions.iter().any(|own| own.scenario == name && !own.path.is_empty())
    };
    if manifest.redacted || manifest.sessions.iter().all(|session| session.path.is_empty()) {
        return Ok(None);
    }
    let mut findings = Findings::default();
    for file in story_files(run)? {
        let story: Story = story(&file)?;
        if is_transcript(&story.scenario) {
            secrets::in_story(&story, &mut findings);
        }
    }
    Ok(findings.told())
}
