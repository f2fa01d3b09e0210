//! A night holds what its run measured.

use proctor::measure::MetricId;
use std::collections::BTreeSet;

use proctor::compare::HEADLINES;
use proctor::history::{Day, gather};
use proctor::run_dir::read::RunData;

use crate::fixture;

fn run() -> RunData {
    let directory = tempfile::tempdir().expect("a directory");
    fixture::write(directory.path(), &fixture::ORDINARY);
    RunData::load(directory.path()).expect("a run")
}

#[test]
fn means_are_those_of_the_cells_and_only_of_the_main_summarizer_in_its_window() {
    let run = run();
    let date: Day = "2026-11-22".parse().expect("a date");
    let night = gather(&run, &date, &[], None);
    assert_eq!((&night.run, &night.tool), (&run.manifest_digest, &run.manifest.tool));
    let main = &run.manifest.summarizers[0];
    let mut checked = 0;
    for group in &night.groups {
        let cells = run.measurements.iter().filter(|row| {
            let key = &row.key;
            row.is_done()
                && key.configuration() == group.configuration
                && (&key.mode, &key.scenario, &key.summarizer)
                    == (&group.mode, &group.scenario, main)
        });
        let values: Vec<f64> = cells.filter_map(|row| row.number(MetricId::RecallAtNeed)).collect();
        let Some(figure) = group.figures.get("recall_at_need") else {
            assert!(values.is_empty(), "{group:?}");
            continue;
        };
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert!((figure.mean - mean).abs() < 1e-8, "{group:?}: {mean}");
        assert_eq!(figure.values.len(), group.seeds.len());
        assert!(!group.configuration.contains('@'), "{}", group.configuration);
        checked += 1;
    }
    assert!(checked > 3, "{checked}");
}

#[test]
fn a_policys_metrics_are_kept_beside_the_headlines_with_their_versions() {
    let run = run();
    let date: Day = "2026-11-22".parse().expect("a date");
    let named = [MetricId::TokensPeak];
    let night = gather(&run, &date, &named, None);
    let kept: BTreeSet<&str> =
        night.groups.iter().flat_map(|group| group.figures.keys().map(String::as_str)).collect();
    assert!(
        kept.iter().all(|id| {
            id.parse().is_ok_and(|id| HEADLINES.contains(&id) || named.contains(&id))
        }),
        "{kept:?}"
    );
    let recorded = run.manifest.metrics.iter().filter(|(id, _)| kept.contains(id.as_str()));
    assert!(recorded.clone().count() > 0);
    for (id, version) in recorded {
        assert_eq!(night.metrics.get(id), Some(version), "{id}");
    }
    let scenarios: BTreeSet<&str> =
        run.manifest.sessions.iter().map(|session| session.scenario.as_str()).collect();
    assert!(scenarios.iter().all(|name| night.inputs.contains_key(*name)));
    // The same run gives the same bytes; another log gives another digest of inputs.
    assert_eq!(
        night.written().expect("bytes"),
        gather(&run, &date, &named, None).written().expect("bytes")
    );
    let mut other = run.clone();
    other.manifest.sessions[0].log = proctor::ident::Digest::of(b"another log");
    assert_ne!(gather(&other, &date, &named, None).inputs, night.inputs);
}
