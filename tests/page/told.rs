//! Stories by hand.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use proctor::run_dir::story::*;

/// Puts a story into a run directory.
pub fn write(dir: &Path, number: usize, story: &Story) {
    let folder = dir.join("stories");
    fs::create_dir_all(&folder).unwrap();
    put(&folder.join(format!("{number:04}.json.gz")), &serde_json::to_string(story).unwrap());
}

/// Writes a text packed, as stories are.
pub fn put(path: &Path, text: &str) {
    let mut packer = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap();
}

const SHARES: [&str; 8] =
    ["system", "user", "assistant", "tool", "summarized", "goal-batch", "summary", "other"];

/// Sixty steps; compactions before the calls of steps 20 and 41. The first loses fact 1,
/// which step 33 needs.
pub fn story() -> Story {
    let lost =
        LostFact { fact: 1, class: "covered-but-unseen".to_owned(), needed_at: vec![33, 52] };
    let facts = [
        ("path", "The reader is in src/reader.rs."),
        ("constraint", "The signature of parse stays."),
        ("value", "The limit is 4096."),
    ];
    let facts =
        facts.map(|(kind, says)| StoryFact { kind: kind.to_owned(), statement: says.to_owned() });
    Story {
        cell: "multi-goal-arcs@100k/forge-adr/7".to_owned(),
        configuration: "forge-adr".to_owned(),
        scenario: "multi-goal-arcs@100k".to_owned(),
        seed: 7,
        mode: "deployed".to_owned(),
        summarizer: "extractive".to_owned(),
        window: 100_000,
        usable: 90_000,
        ended_by: "completed".to_owned(),
        share_names: SHARES.map(str::to_owned).to_vec(),
        steps: steps(),
        compactions: vec![compaction(1, 20, vec![lost]), compaction(2, 41, Vec::new())],
        facts: facts.to_vec(),
        demands: [(33, 1, false), (52, 1, false), (55, 2, true)]
            .map(|(step, fact, met)| StoryDemand { step, fact, met })
            .to_vec(),
    }
}

/// The same, ended behind so many steps.
pub fn first(steps: usize) -> Story {
    let mut story = story();
    let last = steps as u32;
    let Steps { step, turn, prompt, kept, live, present, cached, shares } = &mut story.steps;
    [step, turn, live, present].into_iter().for_each(|column| column.truncate(steps));
    [prompt, kept, cached].into_iter().for_each(|column| column.truncate(steps));
    shares.truncate(steps);
    story.compactions.retain(|compaction| compaction.step <= last);
    story.demands.retain(|demand| demand.step <= last);
    story.cell = format!("multi-goal-arcs@100k/forge-adr/{steps}");
    story
}

fn steps() -> Steps {
    let mut steps = Steps::default();
    for step in 1..=60_u32 {
        let since = match step {
            ..20 => step,
            20..41 => step - 16,
            _ => step - 36,
        };
        let tool = u64::from(since) * 3_600;
        let summary = if step < 20 { 0 } else { 2_400 };
        let shares = vec![0, 400 + u64::from(step) * 20, 1_500, tool, summary, 0, 0, 0];
        let kept = shares.iter().sum::<u64>();
        steps.step.push(step);
        steps.turn.push(1 + step / 6);
        steps.prompt.push(kept + 1_100);
        steps.kept.push(kept);
        steps.live.push(3);
        steps.present.push(if step < 20 { 3 } else { 2 });
        steps.cached.push(1_100);
        steps.shares.push(shares);
    }
    steps
}

fn compaction(number: u32, step: u32, lost: Vec<LostFact>) -> StoryCompaction {
    StoryCompaction {
        number,
        step,
        turn: 1 + step / 6,
        occasion: "before-call".to_owned(),
        stage: "forge-threshold".to_owned(),
        outcome: "accepted".to_owned(),
        before: 71_000,
        after: 17_000,
        usd: 0.0421,
        attempts: 1,
        covers: vec![Covered {
            what: "message 4".to_owned(),
            role: "user".to_owned(),
            tokens: 40,
            text: "Keep the public signature of `parse` as it is.".to_owned(),
            shown: number == 2,
        }],
        more_covered: 3,
        more_kinds: vec![MoreCovered {
            kind: "tool".to_owned(),
            entries: 3,
            tokens: 900,
            shown: 2,
        }],
        instruction: "Say what was done.".to_owned(),
        answers: vec!["## Done\n- The reader was rewritten.".to_owned()],
        lived: vec![0, 2],
        lost,
        ..StoryCompaction::default()
    }
}

/// The same with one text wherever a text stands.
pub fn saying(text: &str) -> Story {
    let mut story = story();
    let own = || text.to_owned();
    for word in [
        &mut story.cell,
        &mut story.configuration,
        &mut story.scenario,
        &mut story.mode,
        &mut story.summarizer,
        &mut story.ended_by,
    ] {
        *word = own();
    }
    story.share_names = vec![own(); 8];
    story.facts = vec![StoryFact { kind: own(), statement: own() }; 3];
    for compaction in &mut story.compactions {
        for word in [
            &mut compaction.occasion,
            &mut compaction.stage,
            &mut compaction.outcome,
            &mut compaction.instruction,
        ] {
            *word = own();
        }
        compaction.violations = vec![own()];
        compaction.answers = vec![own()];
        for covered in &mut compaction.covers {
            (covered.what, covered.role, covered.text) = (own(), own(), own());
        }
        compaction.lost.iter_mut().for_each(|lost| lost.class = own());
    }
    story
}

/// The story of a cell, at least so many bytes long.
pub fn long(cell: &str, bytes: usize) -> Story {
    let mut story = story();
    story.cell = cell.to_owned();
    story.compactions[0].answers = vec!["All of it. ".repeat(360); bytes / 3_960 + 1];
    story
}
