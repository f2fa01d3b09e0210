//! The mistakes that a first user makes: each message names the file or flag, the key or name, and
//! what to do.

use std::fs;
use std::path::Path;

use crate::harness::{proctor, work};

/// A mistake: its command line, its exit code, and what its message holds.
type Mistake<'a> = (&'a str, i32, &'a [&'a str]);

const MISTAKES: [Mistake; 30] = [
    // Names that nothing answers to, one of each kind.
    ("run defualt", 2, &["`defualt`", "did you mean `default`?", "`proctor list suites`"]),
    ("run codex", 2, &["`codex`", "`proctor run --strategies codex`"]),
    ("run smoke --strategies codx", 2, &["`codx`", "`--strategies`", "did you mean `codex`?"]),
    ("run smoke --summarizer extractiv", 2, &["--summarizer", "extractiv", "`extractive`"]),
    ("compare run --baseline forge-ard", 2, &["`forge-ard`", "did you mean `forge-adr`?"]),
    (
        "compare run --baseline none --metric recal",
        2,
        &["metric `recal`", "did you mean `recall.", "`proctor list metrics`"],
    ),
    ("inspect run nocell", 2, &["cell `nocell`", "`proctor inspect RUN`"]),
    ("run smoke --filter nothing", 2, &["`nothing`", "`--list`"]),
    // Values of flags.
    ("run smoke --seeds one,two", 2, &["'one'", "--seeds", "`--seeds 1,2,3`"]),
    ("run smoke --window 4000", 3, &["--window 4000", "4096", "`--window 8192`"]),
    // Files that are not there, are no files, or are others than meant.
    ("run mien.toml", 2, &["`mien.toml`", "`proctor new suite NAME`"]),
    (
        "run smoke --strategies pipelin.toml",
        3,
        &["`pipelin.toml`", "--strategies", "did you mean `pipeline.toml`?"],
    ),
    (
        "run folder",
        3,
        &["`folder`", "none of the 0 files below it is a session", "`proctor sessions`"],
    ),
    ("run run", 3, &["`run`", "is a run directory", "`proctor rerun run`"]),
    ("run pipeline.toml", 3, &["pipeline.toml", "`proctor run --strategies pipeline.toml`"]),
    (
        "gate --candidate-config pipeline.toml forge-adr",
        3,
        &["`forge-adr`", "is a pipeline", "`proctor list suites`"],
    ),
    ("report folder", 1, &["folder/manifest.json", "`folder`", "`proctor run`"]),
    ("run unknown.jsonl", 3, &["unknown.jsonl", "FORMAT.md", "`proctor list formats`"]),
    // Files that do not say what they have to.
    (
        "run lacking.toml",
        3,
        &[
            "lacking.toml:1:1",
            "`closing`",
            "`tool-tokens`",
            "`max-output`",
            "`proctor new scenario",
        ],
    ),
    ("run misspelt.toml", 3, &["misspelt.toml:", "`trns`", "did you mean `turns`?"]),
    ("run mistyped.toml", 3, &["mistyped.toml:", "turns = \"many\"", "expected u32"]),
    ("run range.toml", 3, &["range.toml: window", "20", "expected 1000 to"]),
    ("run prose.toml", 3, &["prose.toml:1:6", "expected `=`"]),
    ("run empty.toml", 3, &["empty.toml: scenarios", "`proctor list scenarios`"]),
    ("run unnamed.toml", 3, &["unnamed.toml: pipelines", "`truncat`", "did you mean `truncate`?"]),
    (
        "run short.toml --out new",
        3,
        &["max-output", "64 is less than the answer", "set `max-output`"],
    ),
    // Runs that are there, or not.
    ("run smoke --seeds 1 --out run", 6, &["`run`", "`--resume`", "`--out DIR`"]),
    ("run pocket --resume", 3, &["--resume", "`pocket`", "`--out DIR`"]),
    (
        "run smoke --summarizer http --replay no.jsonl",
        1,
        &["`no.jsonl`", "No such file", "did you mean `unknown.jsonl`?"],
    ),
    ("gate run", 22, &["no baseline", "`proctor bless run --to"]),
];

/// The files and the run that mistakes are made with.
fn laid_out(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("it writes");
    let scenario = fs::read_to_string("scenarios/smoke.toml").expect("it ships");
    let changed = |name: &str, from: &str, to: &str| {
        assert!(scenario.contains(from), "{from}");
        write(name, &scenario.replace(from, to));
    };
    changed("misspelt.toml", "turns = 40", "trns = 40");
    changed("mistyped.toml", "turns = 40", "turns = \"many\"");
    changed("range.toml", "window = 20_000", "window = 20");
    changed("short.toml", "max-output = 4_096", "max-output = 64");
    let suite = |name: &str, scenarios: &str, pipelines: &str| {
        let rest = format!("scenarios = [{scenarios}]\npipelines = [{pipelines}]\n");
        write(name, &format!("name = \"s\"\nabout = \"\"\nseeds = [1]\n{rest}"));
    };
    suite("empty.toml", "", "\"none\"");
    suite("unnamed.toml", "\"smoke\"", "\"truncat\"");
    write("lacking.toml", "[session.synth]\nturns = 3\n");
    write("prose.toml", "this is no toml\n");
    write("unknown.jsonl", "{\"a\":1}\n");
    let pipeline = fs::read_to_string("scenarios/strategies/truncate.toml").expect("it ships");
    write("pipeline.toml", &pipeline.replace("name = \"truncate\"", "name = \"mine\""));
    fs::create_dir(folder.join("folder")).expect("a directory");
    let words = ["run", "smoke", "--seeds", "1", "--strategies", "none,forge-adr", "--out", "run"];
    proctor(&words).within(folder).run().succeeds();
}

#[test]
fn every_mistake_is_told_with_its_place_and_its_remedy() {
    let work = work();
    laid_out(work.path());
    let mut wrong = Vec::new();
    for (line, code, parts) in MISTAKES {
        let words: Vec<&str> = line.split(' ').collect();
        let made = proctor(&words).within(work.path()).run();
        let said = format!("{}{}", made.stdout, made.stderr);
        let missing: Vec<&&str> = parts.iter().filter(|part| !said.contains(**part)).collect();
        if made.code != code || !missing.is_empty() || said.contains("panicked") {
            wrong.push(format!("{line}: exit {}, without {missing:?}:\n{said}", made.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
