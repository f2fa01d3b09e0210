//! The feed and the exposition, and that words of a history stay words.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proctor::history::{GateFinding, GateNote, History};
use proctor::site::{self, Options};
use regex::Regex;
use tempfile::TempDir;

use crate::browser::browser;
use crate::nightly::simulated::Plan;

fn rendered(history: &History, base: Option<&str>) -> TempDir {
    let out = tempfile::tempdir().expect("a directory");
    let options = Options { base: base.map(str::to_owned), ..Options::default() };
    site::render(history, out.path(), &options).expect("a site");
    out
}

fn read(out: &Path, name: &str) -> String {
    fs::read_to_string(out.join(name)).expect("the file is there")
}

fn jump() -> History {
    let plan = Plan { noise: 0.0, ..Plan::plausible(12) };
    let nights = plan.write(|night, configuration, metric| {
        if (configuration, metric) == ("codex", "recall_at_need") && night >= 7 { 0.8 } else { 1.0 }
    });
    History { nights }
}

fn all<'a>(text: &'a str, element: &str) -> Vec<&'a str> {
    let pattern = Regex::new(&format!("<{element}[^>]*>([^<]*)</{element}>")).expect("a pattern");
    pattern.captures_iter(text).map(|one| one.get(1).expect("a group").as_str()).collect()
}

/// RFC 4287: a feed and each entry have one id, one title and one time; ids are absolute
/// and unique; the feed has an author; an entry has a link.
#[test]
fn the_feed_is_atom_with_ids_that_stay() {
    let out = rendered(&jump(), Some("https://nights.example/site/"));
    let feed = read(out.path(), "atom.xml");
    let (head, entries) = feed.split_once("<entry>").expect("entries");
    for element in ["id", "title", "updated", "name"] {
        assert_eq!(all(head, element).len(), 1, "{element} of the feed");
    }
    let entries: Vec<&str> = entries.split("<entry>").collect();
    assert_eq!(entries.len(), 13);
    let time = Regex::new(r"^\d{4}-\d\d-\d\dT00:00:00Z$").expect("a pattern");
    let uuid =
        Regex::new("^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$")
            .expect("a pattern");
    let mut ids = BTreeSet::new();
    for entry in &entries {
        for element in ["id", "title", "updated", "content"] {
            assert_eq!(all(entry, element).len(), 1, "{element} of {entry}");
        }
        assert!(time.is_match(all(entry, "updated")[0]), "{entry}");
        assert!(uuid.is_match(all(entry, "id")[0]) && ids.insert(all(entry, "id")[0]), "{entry}");
        assert!(
            entry.contains("href=\"https:&#x2f;&#x2f;nights.example&#x2f;site&#x2f;"),
            "{entry}"
        );
    }
    assert!(feed.contains("rel=\"self\""));
    // A later night leaves the ids of earlier entries as they were; no base, no self.
    let mut fewer = jump();
    fewer.nights.truncate(10);
    let before = read(rendered(&fewer, None).path(), "atom.xml");
    assert!(!before.contains("rel=\"self\""));
    let known: BTreeSet<&str> = all(&before, "id").into_iter().collect();
    assert!(known.is_subset(&all(&feed, "id").into_iter().collect()));
}

/// A finding's entry bears the date of the night that first could tell it, and keeps its
/// id while nights follow.
#[test]
fn the_feed_tells_a_finding_on_the_night_that_it_was_made() {
    let nights =
        Plan::plausible(40).write(|night, configuration, metric| match (configuration, metric) {
            ("codex", "recall_at_need") if night >= 22 => 0.90,
            ("forge-adr", "tokens.mean_prompt") => 1.0 + 0.20 * night as f64 / 39.0,
            _ => 1.0,
        });
    let entries = |count: usize| {
        let history = History { nights: nights[..count].to_vec() };
        let feed = read(rendered(&history, None).path(), "atom.xml");
        let of = |words: &str| {
            let entry = feed.split("<entry>").find(|entry| entry.contains(words));
            let entry = entry.unwrap_or_else(|| panic!("{words}: {feed}"));
            (all(entry, "id")[0].to_owned(), all(entry, "updated")[0].to_owned())
        };
        (of("recall_at_need of codex fell"), of("tokens.mean_prompt of forge-adr rose"))
    };
    let (step, drift) = entries(30);
    // The step is at the night of 01-23 and takes some nights to be told from chance.
    assert!(
        ("2026-01-25T00:00:00Z".."2026-01-28T00:00:00Z").contains(&step.1.as_str()),
        "{step:?}"
    );
    assert!(
        ("2026-01-10T00:00:00Z"..="2026-01-30T00:00:00Z").contains(&drift.1.as_str()),
        "{drift:?}"
    );
    for count in [28, 35, 40] {
        assert_eq!(entries(count).0, step, "{count}");
    }
    // A drift is announced again when it has gone on; what was announced of it stays.
    let feed = |count: usize| {
        let history = History { nights: nights[..count].to_vec() };
        read(rendered(&history, None).path(), "atom.xml")
    };
    for count in [35, 40] {
        assert!(feed(count).contains(&drift.0), "{count}");
    }
}

/// OpenMetrics 1.0: metadata before samples, each family once and in one piece, names
/// that end in their unit, values that are numbers, an end.
#[test]
fn the_exposition_is_openmetrics() {
    let mut history = jump();
    history.nights[11].gate = Some(GateNote {
        verdict: "a \"b\" \\ c\nd".to_owned(),
        exit_code: 20,
        findings: Vec::new(),
    });
    let text = read(rendered(&history, None).path(), "metrics.txt");
    assert!(text.ends_with("\n# EOF\n") && !text.contains("\n\n"));
    let sample = Regex::new(
        r#"^([a-z_][a-z0-9_]*)(\{[a-z]+="(?:[^"\\]|\\.)*"(?:,[a-z]+="(?:[^"\\]|\\.)*")*\})? (-?[0-9.]+)$"#,
    )
    .expect("a pattern");
    let (mut families, mut open, mut seen) = (BTreeSet::new(), String::new(), BTreeSet::new());
    for line in text.lines().filter(|line| *line != "# EOF") {
        if let Some(told) = line.strip_prefix("# ") {
            let words: Vec<&str> = told.splitn(3, ' ').collect();
            match words[0] {
                "TYPE" => {
                    assert!(families.insert(words[1].to_owned()), "{line}");
                    open = words[1].to_owned();
                }
                "UNIT" => assert!(words[1].ends_with(&format!("_{}", words[2])), "{line}"),
                other => assert_eq!(other, "HELP", "{line}"),
            }
            assert_eq!(words[1], open, "{line}");
            continue;
        }
        let parts = sample.captures(line).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(parts[1].trim_end_matches("_info"), open, "{line}");
        assert!(
            parts[3].parse::<f64>().is_ok() && seen.insert(line.rsplit_once(' ').expect("two").0)
        );
    }
    assert!(text.contains("verdict=\"a \\\"b\\\" \\\\ c d\""), "{text}");
    let recall = "proctor_recall_at_need_ratio{configuration=\"codex\",mode=\"deployed\"} 0.656";
    assert!(text.contains(recall), "{text}");
    let own = "metric=\"recall_at_need\",configuration=\"codex\",mode=\"deployed\"";
    for family in ["proctor_findings", "proctor_findings_standing"] {
        let sample = format!("{family}{{{own},worth=\"worse\"}} 1\n");
        assert!(text.contains(&sample), "{sample}{text}");
    }
    assert!(text.contains("proctor_findings_new{worth=\"worse\"} 0\n"));
    // A family of totals and one of parts; names say a unit once; HELP stands alone.
    for line in text.lines().filter(|line| line.contains("scenario=\"")) {
        assert!(line.starts_with("proctor_scenario_"), "{line}");
    }
    for name in ["proctor_cost_usd{", "proctor_mean_prompt_tokens{", "proctor_savings_net_ratio{"] {
        assert!(text.contains(&format!("\n{name}")), "{name}: {text}");
    }
    let help = text.lines().find(|line| line.starts_with("# HELP proctor_savings_net_ratio"));
    assert!(help.is_some_and(|help| help.contains("savings.gross with")), "{help:?}");
    assert!(text.contains("proctor_night_date_seconds 1768176000"));
}

#[test]
fn hostile_words_stay_words_on_every_page() {
    const HOSTILE: &str =
        "<script>window.__bad=1</script>\"'><img src=x onerror=alert(1)>\u{202E}/../x";
    let mut history = jump();
    for night in &mut history.nights {
        night.suite = HOSTILE.to_owned();
        night.summarizer = HOSTILE.to_owned();
        night.gate = Some(GateNote {
            verdict: HOSTILE.to_owned(),
            exit_code: 20,
            findings: vec![GateFinding { verdict: HOSTILE.to_owned(), says: HOSTILE.to_owned() }],
        });
        for group in &mut night.groups {
            if group.configuration == "codex" {
                group.configuration = HOSTILE.to_owned();
                group.mode = HOSTILE.to_owned();
                group.scenario = format!("{HOSTILE}{}", group.scenario);
                let figure = group.figures["recall_at_need"].clone();
                group.figures.insert(HOSTILE.to_owned(), figure);
            }
        }
    }
    for night in &mut history.nights[5..] {
        night.tool = HOSTILE.to_owned();
    }
    let out = rendered(&history, Some(HOSTILE));
    let mut pages = vec![out.path().join("index.html"), out.path().join("atom.xml")];
    for folder in ["configurations", "scenarios"] {
        let entries = fs::read_dir(out.path().join(folder)).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        pages.extend(paths.filter(|path| path.extension().is_some()));
    }
    assert_eq!(pages.len(), 2 + 6 + 6, "{pages:?}");
    for page in &pages {
        let text = fs::read_to_string(page).expect("a page");
        assert!(!text.contains("<script") && !text.contains("<img"), "{}", page.display());
        assert!(!text.contains('\u{202E}'), "{}", page.display());
    }
    let Some(mut browser) = browser() else { return };
    for page in pages.iter().filter(|page| page.extension().is_some_and(|end| end == "html")) {
        browser.open(page);
        assert!(browser.evaluate("window.__bad === undefined").as_bool() == Some(true));
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{}", page.display());
        let links = "[...document.querySelectorAll('a')].every((a) => a.protocol === 'file:')";
        assert_eq!(browser.evaluate(links).as_bool(), Some(true), "{}", page.display());
    }
}

#[test]
fn every_link_of_the_site_leads_somewhere() {
    let out = rendered(&jump(), None);
    let href = Regex::new("href=\"([^\"]*)\"").expect("a pattern");
    let mut checked = 0;
    for page in ["index.html", "configurations/codex.html", "scenarios/mixed.html"] {
        let text = read(out.path(), page);
        let folder = out.path().join(page).parent().expect("a folder").to_owned();
        for link in href.captures_iter(&text) {
            let link = link[1].replace("&#x2f;", "/");
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { out.path().join(page) } else { folder.join(file) };
            let target = fs::read_to_string(&target).unwrap_or_else(|_| panic!("{page}: {link}"));
            assert!(
                anchor.is_empty() || target.contains(&format!("id=\"{anchor}\"")),
                "{page}: {link}"
            );
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn a_site_rendered_again_is_the_same_and_stale_pages_go() {
    let out = tempfile::tempdir().expect("a directory");
    let mut history = jump();
    let first = site::render(&history, out.path(), &Options::default()).expect("a site");
    assert_eq!(first.written, first.files);
    let again = site::render(&history, out.path(), &Options::default()).expect("a site");
    assert_eq!((again.written, again.files), (0, first.files));
    for night in &mut history.nights {
        night.groups.retain(|group| group.configuration != "cline");
    }
    site::render(&history, out.path(), &Options::default()).expect("a site");
    assert!(!out.path().join("configurations/cline.html").exists());
    assert!(out.path().join("configurations/codex.html").exists());
    assert!(site::render(&History::default(), out.path(), &Options::default()).is_err());
}
