use std::fs::{self, OpenOptions};
use std::io::Write as _;

use super::digests::{FILE, check, check_sizes, files, seal};
use super::partition::Partition;
use super::redact::{name, text};
use super::shard::{Landed, Shard};
use super::tables::{MEASUREMENTS, TableInfo, infos};
use crate::error::Error;
use crate::frame::MeasuredCell;
use crate::measure::{MetricId, Value};
use crate::row::CellKey;

#[test]
fn every_column_says_what_it_means() {
    let infos = infos();
    assert_eq!(infos.len(), 10);
    for TableInfo { file, columns, .. } in infos {
        let names: std::collections::BTreeSet<&str> =
            columns.iter().map(|column| column.name).collect();
        assert!(!names.is_empty() && names.len() == columns.len(), "{file}");
        assert!(columns.iter().all(|column| column.meaning.len() > 5), "{columns:?}");
    }
}

fn sealed() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("stories")).unwrap();
    let mut names = files(dir.path()).unwrap();
    names.push("stories/0001.json.gz".to_owned());
    for name in names {
        fs::write(dir.path().join(&name), format!("what {name} says\n")).unwrap();
    }
    seal(dir.path(), b"{}\n").unwrap();
    dir
}

#[test]
fn what_was_sealed_holds() {
    let dir = sealed();
    check_sizes(dir.path()).unwrap();
    let (compared, faults) = check(dir.path()).unwrap().unwrap();
    assert_eq!((compared, faults.len()), (15, 0));
    let text = fs::read_to_string(dir.path().join(FILE)).unwrap();
    // SHA-256 of "{}\n".
    let of_manifest = "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356";
    assert!(text.contains(&format!("# 3 bytes\n{of_manifest}  manifest.json\n")), "{text}");
}

#[test]
fn an_emptied_changed_removed_or_added_file_is_named() {
    for (file, bytes, by_size) in [
        ("steps.parquet", Some(&b""[..]), true),
        ("traces.jsonl.gz", None, true),
        // As long as before.
        ("facts.parquet", Some(b"what facts.parquet sayz\n"), false),
        ("stories/0002.json.gz", Some(b"more"), false),
    ] {
        let dir = sealed();
        let path = dir.path().join(file);
        match bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let cheap = check_sizes(dir.path()).err().map(|error| error.to_string());
        assert_eq!(cheap.is_some_and(|told| told.contains(file)), by_size, "{file}");
        let (_, faults) = check(dir.path()).unwrap().unwrap();
        assert_eq!(faults.len(), 1, "{file}");
        assert_eq!(faults[0].file, file);
    }
}

#[test]
fn a_run_without_digests_passes_and_a_broken_file_of_them_does_not() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(check(dir.path()).unwrap(), None);
    check_sizes(dir.path()).unwrap();
    fs::write(dir.path().join(FILE), "# 3 bytes\nabc  manifest.json\n").unwrap();
    let error = check_sizes(dir.path()).unwrap_err().to_string();
    assert!(error.contains("digests.txt:2"), "{error}");
}

#[test]
fn a_part_is_read_as_it_is_written() {
    for text in ["1/1", "2/3", "1000000/1000000"] {
        assert_eq!(text.parse::<Partition>().unwrap().to_string(), text);
    }
    for text in ["", "1", "0/3", "4/3", "a/b", "1/0", "1/2/3", "-1/2", "1/1000001"] {
        assert!(text.parse::<Partition>().unwrap_err().contains("expected `K/N`"), "{text}");
    }
}

#[test]
fn the_same_text_has_the_same_digest_and_its_length() {
    assert_eq!(text("kohlrabi"), text("kohlrabi"));
    assert_ne!(text("kohlrabi"), text("Kohlrabi"));
    assert!(text("größe").ends_with("(5 characters)"), "{}", text("größe"));
    assert_eq!(text("kohlrabi"), "text:b565dd (8 characters)");
    assert_eq!((text("").as_str(), name("").as_str()), ("", ""));
    assert_eq!(name(&name("my-session")), name("my-session"));
}

fn measured(cell: &str) -> MeasuredCell {
    let key = CellKey { cell: cell.to_owned(), ..CellKey::default() };
    MeasuredCell::done(key, [(MetricId::CostUsd, Value::Number(0.1))].into_iter().collect())
}

fn land(shard: &Shard, cell: &str) {
    shard.land(cell, &Landed::of(&measured(cell), Vec::new())).expect("it lands");
}

#[test]
fn a_half_written_cell_is_cut_off_and_the_rest_is_kept() {
    let dir = tempfile::tempdir().expect("a directory");
    let shard = Shard::open(dir.path()).expect("it opens");
    land(&shard, "a");
    let path = dir.path().join("shards/cells");
    for half in [&b"{\"cell\":\"b"[..], b"{\"cell\":\"b\",\"bytes\":9}\n1234"] {
        let mut file = OpenOptions::new().append(true).open(&path).expect("it opens");
        file.write_all(half).expect("it writes");
        drop(file);
        let held = Shard::open(dir.path());
        assert!(matches!(held, Err(Error::WrongRun { .. })), "the lock is held");
    }
    drop(shard);
    let shard = Shard::open(dir.path()).expect("it opens");
    land(&shard, "c");
    let places = shard.landed().expect("it reads");
    let cells: Vec<&str> = places.iter().map(|place| place.cell.as_str()).collect();
    assert_eq!(cells, ["a", "c"]);
    let read = shard.read(&places[1]).expect("it reads");
    let rows: Vec<MeasuredCell> = read.rows(MEASUREMENTS).expect("a row");
    assert_eq!(rows, [measured("c")]);
}
