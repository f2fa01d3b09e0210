//! The history's directory: whole files, once each, whoever writes.

use std::fs;

use proctor::error::Error;
use proctor::history::kept::{self, RUNS};
use proctor::history::{Added, History, Night};
use proctor::ident::Digest;
use tempfile::TempDir;

use crate::nightly::simulated::Plan;

fn nights(count: usize) -> Vec<Night> {
    let plan =
        Plan { scenarios: vec!["mixed"], configurations: vec!["codex"], ..Plan::plausible(count) };
    plan.write(|_, _, _| 1.0)
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

#[test]
fn a_night_added_twice_is_one_and_its_file_stays() {
    let directory = directory();
    let night = nights(1).remove(0);
    let added = History::add(directory.path(), night.clone()).expect("written");
    let before = fs::read(added.path()).expect("there");
    let mut other = night.clone();
    other.tool = "another word".to_owned();
    let again = History::add(directory.path(), other).expect("known");
    assert_eq!(again, Added::Known(added.path().to_owned()));
    assert_eq!(fs::read(added.path()).expect("there"), before);
    assert_eq!(History::load(directory.path()).expect("a history").nights, [night]);
}

#[test]
fn many_that_add_at_once_lose_nothing_and_leave_nothing_behind() {
    let directory = directory();
    let nights = nights(12);
    std::thread::scope(|scope| {
        for turn in 0..4 {
            let (nights, path) = (&nights, directory.path());
            scope.spawn(move || {
                for index in 0..nights.len() {
                    let night = nights[(index * 5 + turn * 3) % nights.len()].clone();
                    History::add(path, night).expect("added or known");
                    History::load(path).expect("whole nights at any time");
                }
            });
        }
    });
    assert_eq!(History::load(directory.path()).expect("a history").nights, nights);
    assert_eq!(fs::read_dir(directory.path()).expect("readable").count(), nights.len());
}

#[test]
fn a_night_that_is_half_written_is_not_seen() {
    let directory = directory();
    let nights = nights(2);
    History::add(directory.path(), nights[0].clone()).expect("written");
    let bytes = nights[1].written().expect("bytes");
    let draft = directory.path().join(format!(".{}.77", nights[1].name()));
    fs::write(&draft, &bytes[..bytes.len() / 2]).expect("a draft");
    assert_eq!(History::load(directory.path()).expect("a history").nights, nights[..1]);
    History::add(directory.path(), nights[1].clone()).expect("written");
    assert_eq!(History::load(directory.path()).expect("a history").nights, nights);
}

#[test]
fn histories_are_joined_by_copying_files_in_any_order() {
    let (one, other) = (directory(), directory());
    let nights = nights(6);
    for (index, night) in nights.iter().enumerate() {
        let into = if index % 2 == 0 { &one } else { &other };
        History::add(into.path(), night.clone()).expect("written");
    }
    for entry in fs::read_dir(other.path()).expect("readable") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, one.path().join(path.file_name().expect("a name"))).expect("copied");
    }
    // A copy under a name of its own is the same night.
    fs::copy(one.path().join(nights[0].name()), one.path().join("copy.json")).expect("copied");
    assert_eq!(History::load(one.path()).expect("a history").nights, nights);
}

#[test]
fn runs_of_one_date_stand_in_the_order_they_came() {
    let directory = directory();
    let mut nights = nights(3);
    let date = nights[0].date.clone();
    nights.iter_mut().for_each(|night| night.date = date.clone());
    nights.sort_by(|one, other| other.run.cmp(&one.run));
    for night in &nights {
        History::add(directory.path(), night.clone()).expect("written");
    }
    let read = History::load(directory.path()).expect("a history").nights;
    let runs = |nights: &[Night]| nights.iter().map(|night| night.run.clone()).collect::<Vec<_>>();
    assert_eq!(runs(&read), runs(&nights));
}

#[test]
fn a_newer_layout_is_refused_by_name_and_a_broken_file_by_its_line() {
    let directory = directory();
    let night = nights(1).remove(0);
    let path = History::add(directory.path(), night.clone()).expect("written").path().to_owned();
    let text = fs::read_to_string(&path).expect("there");
    fs::write(&path, text.replacen("\"schema\":2", "\"schema\":3,\"later\":true", 1))
        .expect("changed");
    let error = History::load(directory.path()).expect_err("refused");
    assert!(matches!(error, Error::Invalid { .. }), "{error}");
    for word in ["layout is version 3", "this reader knows 1 to 2", &night.name()] {
        assert!(error.to_string().contains(word), "{error}");
    }
    assert!(error.hint().is_some_and(|hint| hint.contains("later one")));
    fs::write(&path, text.replacen("\"suite\"", "\"suit\"", 1)).expect("changed");
    let error = History::load(directory.path()).expect_err("refused");
    assert!(error.to_string().contains("unknown field `suit`"), "{error}");
    fs::write(&path, &text[..text.len() / 2]).expect("changed");
    assert!(matches!(History::load(directory.path()), Err(Error::Line { .. })));
}

#[test]
fn a_night_without_a_finite_figure_is_not_written() {
    let directory = directory();
    let mut night = nights(1).remove(0);
    let figure = night.groups[0].figures.values_mut().next().expect("a figure");
    figure.mean = f64::NAN;
    assert!(History::add(directory.path(), night).is_err());
    assert_eq!(fs::read_dir(directory.path()).expect("readable").count(), 0);
}

#[test]
fn a_night_of_the_first_layout_is_read_as_one_without_parameters() {
    let directory = directory();
    let night = nights(1).remove(0);
    let path = History::add(directory.path(), night.clone()).expect("written").path().to_owned();
    let text = fs::read_to_string(&path).expect("there");
    assert!(!text.contains("parameters"), "{text}");
    fs::write(&path, text.replacen("\"schema\":2", "\"schema\":1", 1)).expect("changed");
    let read = History::load(directory.path()).expect("a history").nights;
    assert_eq!(read, [Night { schema: 1, ..night }]);
}

/// Only directories of a night's date with that night's run are the history's own.
#[test]
fn runs_of_earlier_nights_are_removed_and_nothing_else_is() {
    let directory = directory();
    let path = directory.path();
    let runs = path.join(RUNS);
    let mut nights = nights(3);
    for night in &mut nights {
        let manifest = format!("run of {}", night.date);
        let run = runs.join(format!("{}-smoke", night.date));
        fs::create_dir_all(&run).expect("a directory");
        fs::write(run.join("manifest.json"), &manifest).expect("written");
        night.run = Digest::of(manifest.as_bytes());
        History::add(path, night.clone()).expect("added");
    }
    // Another run of the first date, a run without a date, and a file.
    for (name, text) in [("2026-01-01-own", "another"), ("mine", "run of 2026-01-01")] {
        fs::create_dir_all(runs.join(name)).expect("a directory");
        fs::write(runs.join(name).join("manifest.json"), text).expect("written");
    }
    fs::write(runs.join("2026-01-01-notes"), "notes").expect("written");
    let history = History::load(path).expect("a history");
    assert_eq!(kept::runs(path, &history.nights).expect("read").len(), 3);
    let removed = kept::keep(path, &history.nights, 2).expect("removed");
    assert_eq!(removed, [runs.join("2026-01-01-smoke")]);
    let mut left: Vec<String> = fs::read_dir(&runs)
        .expect("readable")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    let expected =
        ["2026-01-01-notes", "2026-01-01-own", "2026-01-02-smoke", "2026-01-03-smoke", "mine"];
    assert_eq!(left, expected);
    assert_eq!(History::load(path).expect("a history"), history);
    assert!(kept::keep(path, &history.nights, 9).expect("nothing").is_empty());
}
