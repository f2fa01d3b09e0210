//! The site of simulated nights: a drift in one figure, a jump in another.

use std::fs;
use std::path::PathBuf;

use proctor::history::{History, Kind};
use proctor::site::{self, Options};

use crate::browser::browser;
use crate::simulated::Plan;

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
fn the_jump_is_the_first_step_and_the_drift_the_first_drift() {
    let out = folder("thirty");
    let site = site::render(&thirty(), &out, &Options::default()).expect("a site");
    let first = &site.findings[0];
    assert_eq!(
        (first.key.metric.as_str(), first.key.configuration.as_str()),
        ("recall_at_need", "codex")
    );
    assert_eq!((first.night, first.better), (JUMP, Some(false)), "{first:?}");
    let drifts: Vec<_> = site.findings.iter().filter(|one| one.kind != Kind::Step).collect();
    let named = (drifts[0].key.metric.as_str(), drifts[0].key.configuration.as_str());
    assert_eq!(named, ("tokens.mean_prompt", "forge-adr"), "{drifts:?}");
    let Some(mut browser) = browser() else { return };
    browser.open(&site.index);
    let words = browser.text("document.querySelector('#steps li').innerText");
    for word in ["2026-01-23", "recall_at_need", "codex", "fell", "worse"] {
        assert!(words.contains(word), "{words}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
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
    let steps: Vec<_> = site.findings.iter().filter(|one| one.kind == Kind::Step).collect();
    let named = |at: usize| (steps[at].key.configuration.as_str(), steps[at].night);
    assert_eq!([named(0), named(1), named(2)], [("cline", 990), ("codex", 700), ("cline", 300)]);
    let page = fs::read_to_string(out.join("configurations/codex.html")).expect("a page");
    assert!(page.contains("All nights from 2026-01-01") && page.len() < 400_000, "{}", page.len());
}
