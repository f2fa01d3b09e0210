//! Run directories are passed around: what is written into one stays in it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::harness::{proctor, work};

fn files(folder: &Path) -> Vec<String> {
    let listed = fs::read_dir(folder).expect("it is listed").flatten();
    let mut names: Vec<String> =
        listed.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_report_follows_no_link_and_removes_nothing_that_it_did_not_make() {
    let work = work();
    let (out, victim) = (work.path().join("run"), work.path().join("victim"));
    proctor(&["run", "smoke", "--seeds", "1", "--out"]).arg(&out).run().succeeds();
    fs::create_dir(&victim).expect("it is made");
    for name in ["kept.svg", "kept.png", "kept.html", "report.md"] {
        fs::write(victim.join(name), name).expect("it is written");
    }
    let before = files(&victim);
    let report = || proctor(&["report"]).arg(&out).run();
    let links = [("charts", "victim"), ("report.md", "victim/report.md")];
    for (inside, target) in links.into_iter().chain([(".made", "victim/report.md")]) {
        let place = if inside == ".made" { out.join("charts/.made") } else { out.join(inside) };
        let aside = work.path().join("aside");
        fs::rename(&place, &aside).expect("it is moved");
        symlink(work.path().join(target), &place).expect("it is linked");
        report().fails_with(3, "is a link");
        fs::remove_file(&place).expect("it is removed");
        fs::rename(&aside, &place).expect("it is moved back");
    }
    assert_eq!(files(&victim), before);
    assert_eq!(fs::read_to_string(victim.join("report.md")).expect("it reads"), "report.md");
    // A chart of somebody's own is left, one of an earlier report is not.
    fs::write(out.join("charts/mine.svg"), "<svg/>").expect("it is written");
    let list = out.join("charts/.made");
    let made = fs::read_to_string(&list).expect("it reads");
    fs::write(&list, format!("{made}stale.svg\n../report.html\n")).expect("it is written");
    fs::write(out.join("charts/stale.svg"), "<svg/>").expect("it is written");
    report().succeeds();
    let charts = files(&out.join("charts"));
    assert!(charts.contains(&"mine.svg".to_owned()) && !charts.contains(&"stale.svg".to_owned()));
    assert!(out.join("report.html").exists());
}

#[test]
fn a_resumed_run_writes_through_no_link() {
    let work = work();
    let (out, victim) = (work.path().join("run"), work.path().join("victim"));
    fs::create_dir_all(out.join("shards")).expect("it is made");
    fs::write(&victim, "a line\nhalf of one").expect("it is written");
    symlink(&victim, out.join("shards/cells")).expect("it is linked");
    let resumed = proctor(&["run", "smoke", "--resume", "--out"]).arg(&out).run();
    resumed.fails_with(3, "is a link");
    assert_eq!(fs::read_to_string(&victim).expect("it reads"), "a line\nhalf of one");
}
