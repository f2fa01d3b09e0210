//! The site of simulated nights: a drift in one figure, a jump in another.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use proctor::gate::Policy;
use proctor::history::{Finding, History, assemble, findings};
use proctor::site::{self, Options};

use crate::browser::browser;
use crate::nightly::simulated::Plan;

/// The night of the jump.
const JUMP: usize = 22;

/// Thirty nights: recall at need of `codex` jumps down by a tenth on the twenty-third,
/// tokens of `forge-adr` drift up by a tenth over all of them.
fn thirty() -> History {
    let nights =
        Plan::plausible(30).write(|night, configuration, metric| match (configuration, metric) {
            ("codex", "recall_at_need") if night >= JUMP => 0.90,
            ("forge-adr", "tokens.mean_prompt") => 1.0 + 0.10 * night as f64 / 29.0,
            _ => 1.0,
        });
    History { nights }
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("nightly").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn the_jump_leads_and_the_drift_is_announced_too() {
    let out = folder("thirty");
    let site = site::render(&thirty(), &out, &Options::default()).expect("a site");
    let first = &site.findings[0];
    assert_eq!(
        (first.key.metric.as_str(), first.key.configuration.as_str()),
        ("recall_at_need", "codex")
    );
    assert_eq!((first.night, first.better), (JUMP, Some(false)), "{first:?}");
    let drift = &site.findings[1];
    let named = (drift.key.metric.as_str(), drift.key.configuration.as_str());
    assert_eq!(named, ("tokens.mean_prompt", "forge-adr"), "{:?}", site.findings);
    let Some(mut browser) = browser() else { return };
    browser.open(&site.index);
    // Eight quiet nights later the largest words are still of what stands.
    let word = browser.text("document.querySelector('.verdict .word').innerText");
    let worse: BTreeSet<_> =
        site.findings.iter().filter(|one| one.stands).map(|one| &one.key).collect();
    assert_eq!(word, format!("{} figures are worse than before", worse.len()));
    let banner = browser.text("document.querySelector('.verdict').innerText");
    for words in ["recall_at_need of codex", "since 2026-01-29", "beyond the noise"] {
        assert!(banner.contains(words), "{words}: {banner}");
    }
    let marks = browser.text("document.querySelector('#marks').innerText");
    assert!(marks.contains("2026-01-11 proctor 0.1.0 → 0.1.1"), "{marks}");
    let words = browser.text("document.querySelector('#changes li').innerText");
    for word in ["2026-01-23", "recall_at_need", "codex", "fell", "worse"] {
        assert!(words.contains(word), "{words}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Findings of single scenarios are those of the scenario: its page tells no figure of
/// another series.
#[test]
fn a_scenarios_page_has_its_own_figures_and_a_configurations_leads_with_what_was_found() {
    let out = folder("own-figures");
    let site = site::render(&thirty(), &out, &Options::default()).expect("a site");
    let step = &site.findings[0];
    assert_eq!(step.scenarios().count(), 3, "{step:?}");
    for part in &step.parts {
        let name = part.key.scenario.as_deref().expect("a scenario");
        assert_ne!((part.from, part.to), (step.from, step.to), "{name}");
        let page = fs::read_to_string(out.join(format!("scenarios/{name}.html"))).expect("a page");
        assert!(page.contains(&format!("on <code>{name}</code>")), "{name}");
        assert!(!page.contains("seen in"), "{name}");
    }
    let page = fs::read_to_string(out.join("configurations/forge-adr.html")).expect("a page");
    let place = |id: &str| page.find(&format!("<section id=\"{id}\">")).expect("a section");
    assert!(place("tokens-mean_prompt") < place("completion"));
    for words in ["class=\"step worse\"", "mean between changes", ">tokens</text>"] {
        assert!(page.contains(words), "{words}");
    }
}

/// A level that came back is no loss any more; one that came back by half is.
#[test]
fn a_step_for_the_worse_stands_until_its_level_has_come_back() {
    for (later, stands) in [(0.90, true), (0.95, true), (1.0, false), (1.05, false)] {
        for noise in [0.0, 0.02] {
            let nights =
                Plan { noise, ..Plan::plausible(60) }.write(|night, name, metric| {
                    match (name, metric) {
                        ("codex", "recall_at_need") if night >= 40 => later,
                        ("codex", "recall_at_need") if night >= 20 => 0.90,
                        _ => 1.0,
                    }
                });
            let found = findings(&assemble(&nights), 59, &Policy::embedded().expect("a policy"));
            let loss = found.iter().find(|one| one.key.configuration == "codex" && one.night == 20);
            let loss = loss.unwrap_or_else(|| panic!("{later} {noise}: {found:?}"));
            assert_eq!(loss.stands, stands, "{later} {noise}: {found:?}");
        }
    }
}

/// No page scrolls sideways as a whole, at a phone's and a laptop's width, and none
/// complains of anything.
#[test]
fn every_page_fits_its_screen_in_light_and_dark() {
    let Some(mut browser) = browser() else { return };
    let out = folder("screens");
    let site = site::render(&thirty(), &out, &Options::default()).expect("a site");
    for (page, name) in [
        ("index.html", "index"),
        ("configurations/codex.html", "configuration"),
        ("configurations/forge-adr.html", "drifting"),
        ("scenarios/mixed.html", "scenario"),
    ] {
        for (scheme, width, height) in
            [("light", 1280, 1700), ("dark", 1280, 1700), ("light", 390, 1700), ("dark", 390, 1700)]
        {
            browser.size(width, height);
            browser.scheme(scheme);
            browser.open(&out.join(page));
            let wide = browser.evaluate("document.documentElement.scrollWidth");
            assert!(wide.as_u64() <= Some(u64::from(width)), "{page} at {width}: {wide}");
            browser.picture(&format!("nightly-{name}-{scheme}-{width}"));
            assert_eq!(browser.complaints(), Vec::<String>::new(), "{page}");
        }
    }
    assert!(site.index.exists());
}

/// Three years of nights with steps in noise, left in the directory of temporary files
/// so that the time of `proctor site` can be taken by hand.
#[test]
fn a_thousand_nights_are_a_site_of_few_pages_with_charts_of_ninety_nights() {
    let plan = Plan::plausible(1_000);
    let nights = plan.write(|night, configuration, metric| match (configuration, metric) {
        ("codex", "recall_at_need") if night >= 700 => 0.9,
        ("cline", "cost.usd") if (300..990).contains(&night) => 1.1,
        _ => 1.0,
    });
    let (kept, out) = (folder("thousand"), folder("thousand-site"));
    for night in &nights {
        fs::write(kept.join(night.name()), night.written().expect("bytes")).expect("written");
    }
    let history = History::load(&kept).expect("a history");
    assert_eq!(history.nights, nights);
    let site = site::render(&history, &out, &Options::default()).expect("a site");
    let named = |finding: &Finding| {
        let key = &finding.key;
        (key.metric.clone(), key.configuration.clone(), finding.night)
    };
    let found: Vec<_> = site.findings.iter().map(named).collect();
    for (metric, configuration, night) in
        [("cost.usd", "cline", 990), ("recall_at_need", "codex", 700), ("cost.usd", "cline", 300)]
    {
        assert!(found.contains(&(metric.into(), configuration.into(), night)), "{found:?}");
    }
    // One false one in a hundred nights at most.
    assert!(found.len() <= 13, "{found:?}");
    let page = fs::read_to_string(out.join("configurations/codex.html")).expect("a page");
    assert!(page.contains("All nights from 2026-01-01") && page.len() < 400_000, "{}", page.len());
}
