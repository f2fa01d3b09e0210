//! The page in a browser.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{fixture, hostile, page, told};
use crate::browser::{Browser, browser};

/// The texts of a column of the table of all cells, as they stand.
fn column(browser: &mut Browser, number: usize) -> Vec<String> {
    let texts = browser.evaluate(&format!(
        "[...document.querySelectorAll('#every-cell tbody tr')].filter((row) => !row.hidden)\
         .map((row) => row.cells[{number}].textContent)"
    ));
    serde_json::from_value(texts).unwrap()
}

/// Opens a report with all of its sections unfolded.
fn unfolded(browser: &mut Browser, file: &Path) {
    browser.open(file);
    browser.evaluate(
        "document.querySelectorAll('details.section').forEach((one) => { one.open = true; })",
    );
    browser.evaluate("new Promise((done) => setTimeout(done, 200))");
}

/// What an expression gives of each cell, chosen one after the other.
fn of_each_cell(browser: &mut Browser, expression: &str) -> Value {
    browser.evaluate(&format!(
        "(async () => {{
           const found = [];
           const select = document.getElementById('cell-select');
           for (const option of document.querySelectorAll('#cell-select option')) {{
             select.value = option.value;
             select.dispatchEvent(new Event('change'));
             await loading;
             found.push({expression});
           }}
           return found;
         }})()"
    ))
}

const ENTER: (&str, u32) = ("Enter", 13);
const RIGHT: (&str, u32) = ("ArrowRight", 39);
const LEFT: (&str, u32) = ("ArrowLeft", 37);
const HOME: (&str, u32) = ("Home", 36);
const END: (&str, u32) = ("End", 35);

#[test]
fn a_table_sorts_by_keyboard_with_undefined_figures_last() {
    let Some(mut browser) = browser() else { return };
    let (_dir, files) = page();
    unfolded(&mut browser, &files.html);
    let head = "document.querySelectorAll('#every-cell thead th')[3]";
    let first = column(&mut browser, 3);
    let figures = |texts: &[String]| -> Vec<f64> {
        let written = texts.iter().filter(|text| *text != "–");
        written.map(|text| text.trim_end_matches('k').parse().unwrap()).collect()
    };
    assert!(first.contains(&"–".to_owned()) && !figures(&first).is_sorted());
    browser.evaluate(&format!("{head}.querySelector('button').focus()"));
    for (sort, rising) in [("ascending", true), ("descending", false)] {
        browser.press(ENTER.0, ENTER.1);
        assert_eq!(browser.text(&format!("{head}.getAttribute('aria-sort')")), sort);
        let sorted = column(&mut browser, 3);
        let mut figures = figures(&sorted);
        assert_eq!(sorted.last().unwrap(), "–", "{sort}");
        if !rising {
            figures.reverse();
        }
        assert!(figures.is_sorted(), "{sort}: {sorted:?}");
    }
    browser.press(ENTER.0, ENTER.1);
    assert_eq!(column(&mut browser, 3), first);
    // Words sort as words do.
    browser.evaluate("document.querySelectorAll('#every-cell thead th button')[0].click()");
    let names = column(&mut browser, 0);
    assert!(names[0].starts_with("floor-p3-t120/") && names.last().unwrap().starts_with("multi"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_table_filters_by_words_and_says_how_many_rows_are_left() {
    let Some(mut browser) = browser() else { return };
    let (_dir, files) = page();
    unfolded(&mut browser, &files.html);
    let all = column(&mut browser, 0);
    browser.evaluate("document.querySelector('#every-cell .filter input').focus()");
    browser.write("NONE t240");
    let left = column(&mut browser, 0);
    let expected = all.iter().filter(|name| name.contains("none") && name.contains("t240")).count();
    assert!(expected > 0 && left.len() == expected, "{left:?}");
    let count =
        browser.text("document.querySelector('#every-cell .filter [role=status]').textContent");
    assert_eq!(count, format!("{expected} of {} rows", all.len()));
    let named = browser.text(
        "document.querySelector(`label[for=\"${document.querySelector('#every-cell .filter input').id}\"]`).textContent",
    );
    assert!(named.contains("Every cell"), "{named}");
}

fn says(browser: &mut Browser) -> String {
    browser.text("document.getElementById('cell-step-says').textContent")
}

fn shown(browser: &mut Browser) -> String {
    browser.text("document.querySelector('#cell-compaction h3')?.textContent ?? 'none'")
}

#[test]
fn the_slider_moves_by_keyboard_and_compactions_by_buttons() {
    let Some(mut browser) = browser() else { return };
    let (_dir, files) = page();
    unfolded(&mut browser, &files.html);
    // A cell opens at its first compaction.
    assert!(says(&mut browser).starts_with("Step 20 of 60, turn 4: "));
    browser.evaluate("document.getElementById('cell-step').focus()");
    for (key, step) in [(RIGHT, 21), (RIGHT, 22), (LEFT, 21), (HOME, 1), (END, 60), (RIGHT, 60)] {
        browser.press(key.0, key.1);
        let says = says(&mut browser);
        assert!(says.starts_with(&format!("Step {step} of 60")), "{}: {says}", key.0);
        let spoken =
            browser.text("document.getElementById('cell-step').getAttribute('aria-valuetext')");
        assert_eq!(spoken, says);
    }
    let click = |id: &str| format!("document.getElementById('cell-{id}').click()");
    assert!(shown(&mut browser).starts_with("Compaction 2,"));
    browser.evaluate(&click("compaction-before"));
    assert!(shown(&mut browser).starts_with("Compaction 1,"));
    assert!(says(&mut browser).starts_with("Step 20 "));
    browser.evaluate(&click("compaction-before"));
    assert_eq!((shown(&mut browser).as_str(), &says(&mut browser)[..7]), ("none", "Step 1 "));
    browser.evaluate(&click("compaction-after"));
    browser.evaluate(&click("compaction-after"));
    assert!(says(&mut browser).starts_with("Step 41 "));
    // What the step holds: the figures add up to the prompt, and the line is the window's.
    let tokens = browser.evaluate(
        "[...document.querySelectorAll('#cell-shares tbody tr')]\
         .map((row) => Number(row.cells[1].textContent.replace(/,/g, '')))",
    );
    let sum: u64 = tokens.as_array().unwrap().iter().filter_map(Value::as_u64).sum();
    assert_eq!(sum, 400 + 41 * 20 + 1_500 + 5 * 3_600 + 2_400 + 1_100);
    assert!(says(&mut browser).contains(": 24,220 tokens (24% of the window)"));
    assert_eq!(browser.evaluate("document.querySelectorAll('#cell-timeline .mark').length"), 2);
    assert_eq!(browser.evaluate("document.querySelectorAll('#cell-timeline .window').length"), 1);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Steps come to none where a cell ended before its first call.
#[test]
fn a_cell_of_one_step_or_none_is_drawn_without_a_complaint() {
    let Some(mut browser) = browser() else { return };
    let dir = tempfile::tempdir().expect("a directory for the run");
    fixture::write(dir.path(), &fixture::ORDINARY);
    for (number, steps) in [(1, 60), (2, 0), (3, 1), (4, 0)] {
        told::write(dir.path(), number, &told::first(steps));
    }
    let files = crate::harness::reported(dir.path()).expect("a report");
    unfolded(&mut browser, &files.html);
    let drawn =
        of_each_cell(&mut browser, "document.querySelectorAll('#cell-timeline svg').length");
    assert_eq!(drawn, json!([1, 0, 1, 0]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_lost_fact_leads_to_the_step_that_needed_it_and_back() {
    let Some(mut browser) = browser() else { return };
    let (_dir, files) = page();
    unfolded(&mut browser, &files.html);
    let lost = browser.text("document.querySelector('#cell-compaction .lost li').textContent");
    assert_eq!(
        lost,
        "covered-but-unseenconstraint The signature of parse stays. – needed at step 33, step 52"
    );
    let more = browser.text("document.querySelector('#cell-compaction .more').textContent");
    assert_eq!(more, "tool: 3 entries, 900 tokens, 2 of them shown");
    browser.evaluate("document.querySelector('#cell-compaction .lost a').focus()");
    let moved = "new Promise((done) => window.addEventListener('hashchange', \
                 () => requestAnimationFrame(() => done(0)), { once: true }))";
    browser.press(ENTER.0, ENTER.1);
    browser.evaluate("new Promise((done) => setTimeout(done, 100))");
    assert!(says(&mut browser).starts_with("Step 33 of 60"), "{}", says(&mut browser));
    assert_eq!(browser.text("document.activeElement.id"), "cell-step");
    let needed = browser.text("document.querySelector('#cell-facts li').textContent");
    assert!(needed.starts_with("not there"), "{needed}");
    assert!(needed.ends_with("lost by compaction 1 at step 20"), "{needed}");
    browser.evaluate(&format!(
        "(() => {{ const moved = {moved}; document.querySelector('#cell-facts li a').click(); return moved; }})()"
    ));
    assert!(says(&mut browser).starts_with("Step 20 of 60"));
    assert!(shown(&mut browser).starts_with("Compaction 1,"));
    browser
        .evaluate(&format!("(() => {{ const moved = {moved}; history.back(); return moved; }})()"));
    assert!(says(&mut browser).starts_with("Step 33 of 60"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_page_fits_a_phone_a_laptop_and_a_wide_screen_in_light_and_dark() {
    let Some(mut browser) = browser() else { return };
    let (_dir, files) = page();
    for (name, width, height) in
        [("phone", 360, 740), ("laptop", 1_280, 800), ("wide", 1_920, 1_080)]
    {
        for (scheme, paper) in [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 27)")] {
            browser.size(width, height);
            browser.scheme(scheme);
            unfolded(&mut browser, &files.html);
            let ground = browser.text("getComputedStyle(document.body).backgroundColor");
            assert_eq!(ground, paper);
            let fits = "document.documentElement.scrollWidth <= window.innerWidth";
            assert_eq!(browser.evaluate(fits), true, "{name}");
            let sideways = "[...document.querySelectorAll('.scroll')]\
                            .filter((box) => box.scrollWidth > box.clientWidth)\
                            .map((box) => `${box.getAttribute('aria-label')}: ${box.scrollWidth} in ${box.clientWidth}`)";
            if width >= 1_280 {
                assert_eq!(browser.evaluate(sideways), json!([]), "at {width}");
            }
            browser.picture(&format!("{name}-{scheme}-top"));
            browser.evaluate("document.getElementById('cell-timeline').scrollIntoView()");
            browser.picture(&format!("{name}-{scheme}-cell"));
            browser.evaluate("document.getElementById('cell-compaction').scrollIntoView()");
            browser.picture(&format!("{name}-{scheme}-compaction"));
            // Charts are as wide as they were drawn, or as the screen allows.
            let drawn = browser.evaluate(
                "[...document.querySelectorAll('.drawing svg')].filter((chart) => chart.clientWidth > 0).every((chart) => chart.clientWidth >= 280)",
            );
            assert_eq!(drawn, true);
            assert_eq!(browser.complaints(), Vec::<String>::new(), "{name} {scheme}");
        }
    }
}

#[test]
fn hostile_text_runs_nothing_loads_nothing_and_is_shown() {
    let Some(mut browser) = browser() else { return };
    let corpus = hostile::corpus();
    let (_dir, files) = hostile::report(&corpus);
    unfolded(&mut browser, &files.html);
    // Marks that steer are replaced; all else is there, letter by letter.
    let letters = |text: &str| text.chars().filter(char::is_ascii_graphic).collect::<String>();
    let names: Vec<String> = column(&mut browser, 0).iter().map(|name| letters(name)).collect();
    for text in &corpus {
        assert!(names.contains(&letters(text)), "{text:?} in {names:?}");
    }
    let told = of_each_cell(
        &mut browser,
        "[option.textContent, document.getElementById('cell-story').textContent]",
    );
    let told: Vec<[String; 2]> = serde_json::from_value(told).unwrap();
    assert_eq!(told.len(), corpus.len());
    for text in &corpus {
        let wanted = letters(text);
        let found = told.iter().any(|[option, story]| {
            letters(option).contains(&wanted) && letters(story).matches(&wanted).count() >= 10
        });
        assert!(found, "{text:?}");
    }
    let alien = "document.querySelectorAll('img, iframe, object, embed, form, base, link, video, \
                 template, math, plaintext, textarea, marquee, [style], [onload], [onerror]').length";
    assert_eq!(browser.evaluate(alien), 0);
    assert_eq!(browser.evaluate("document.scripts.length"), 2);
    assert_eq!(browser.evaluate("document.styleSheets.length"), 1);
    assert_eq!(browser.evaluate("window.__pwned === undefined"), true);
    let wide = browser.evaluate(
        "[...document.querySelectorAll('body *')].filter((one) => !one.closest('.scroll, .covers, pre')\
         && one.getBoundingClientRect().right > window.innerWidth).map((one) => `${one.tagName} ${one.id} ${one.className}`)",
    );
    assert_eq!(wide, json!([]));
    assert_eq!(browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), true);
    browser.picture("hostile");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_browser_would_tell_if_text_ran_or_loaded_or_the_policy_were_broken() {
    let Some(mut browser) = browser() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (open, policed) = (dir.path().join("open.html"), dir.path().join("policed.html"));
    let attempt = "<p>text</p><img src=x onerror='window.__pwned = 1; console.error(1)'>";
    fs::write(&open, attempt).unwrap();
    browser.open(&open);
    assert_eq!(browser.evaluate("window.__pwned"), json!(1));
    assert!(browser.complaints().len() >= 2, "{:?}", browser.complaints());
    let policy = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">";
    fs::write(&policed, format!("{policy}{attempt}<p style='color: red'>red</p>")).unwrap();
    browser.open(&policed);
    assert_eq!(browser.evaluate("window.__pwned === undefined"), true);
    let complaints = browser.complaints();
    assert!(complaints.iter().any(|one| one.starts_with("\"img-src")), "{complaints:?}");
    assert!(complaints.iter().any(|one| one.starts_with("\"style-src")), "{complaints:?}");
}
