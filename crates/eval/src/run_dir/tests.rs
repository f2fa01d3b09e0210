use std::fs::{self, OpenOptions};
use std::io::Write as _;

use super::digests::{FILE, check, check_whole, files, seal};
use super::partition::Partition;
use super::redact::{name, text};
use super::shard::{Landed, Packed, Shard};
use super::tables::{MEASUREMENTS, TableInfo, infos};
use crate::frame::MeasuredCell;
use crate::measure::{MetricId, Value};
use crate::prelude::*;
use crate::row::CellKey;

#[test]
fn every_column_says_what_it_means() {
    let infos = infos();
    assert_eq!(infos.len(), 10);
    for TableInfo { file, columns, .. } in infos {
        let names: BTreeSet<&str> = columns.iter().map(|column| column.name).collect();
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
    check_whole(dir.path()).unwrap();
    let (compared, faults) = check(dir.path()).unwrap().unwrap();
    assert_eq!((compared, faults.len()), (15, 0));
    let text = fs::read_to_string(dir.path().join(FILE)).unwrap();
    // SHA-256 of "{}\n".
    let of_manifest = "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356";
    assert!(text.contains(&format!("# 3 bytes\n{of_manifest}  manifest.json\n")), "{text}");
}

#[test]
fn an_emptied_changed_removed_or_added_file_is_named() {
    for (file, bytes) in [
        ("steps.parquet", Some(&b""[..])),
        ("traces.jsonl.gz", None),
        // As long as before.
        ("facts.parquet", Some(b"what facts.parquet sayz\n")),
        ("stories/0002.json.gz", Some(b"more")),
    ] {
        let dir = sealed();
        let path = dir.path().join(file);
        match bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let told = check_whole(dir.path()).unwrap_err().to_string();
        assert!(told.contains(file), "{told}");
        let (_, faults) = check(dir.path()).unwrap().unwrap();
        assert_eq!(faults.len(), 1, "{file}");
        assert_eq!(faults[0].file, file);
    }
}

#[test]
fn a_run_without_digests_or_with_a_broken_file_of_them_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(check(dir.path()).unwrap(), None);
    let error = check_whole(dir.path()).unwrap_err().to_string();
    assert!(error.contains("digests.txt: is not there"), "{error}");
    fs::write(dir.path().join(FILE), "# 3 bytes\nabc  manifest.json\n").unwrap();
    let error = check_whole(dir.path()).unwrap_err().to_string();
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

fn opened(dir: &Path, run: &str) -> Result<Shard> {
    Shard::open(dir, Digest::of(run.as_bytes()))
}

fn land(shard: &Shard, cells: &[&str]) {
    let log = Digest::of(b"log");
    let packed = cells.iter().map(|cell| {
        let landed = Landed::of(&measured(cell), Vec::new());
        Packed::new(cell, &log, &landed, shard).expect("it packs")
    });
    shard.land(&packed.collect::<Vec<_>>()).expect("they land");
}

fn landed(shard: &Shard) -> Vec<String> {
    shard.landed().into_iter().map(|place| place.cell).collect()
}

#[test]
fn a_landed_cell_that_has_changed_is_no_landed_cell() {
    let dir = tempfile::tempdir().expect("a directory");
    let shard = opened(dir.path(), "run").expect("it opens");
    land(&shard, &["a", "b"]);
    land(&shard, &["c"]);
    let (path, places) = (dir.path().join("shards/cells"), shard.landed());
    drop(shard);
    let bytes = fs::read(&path).expect("it reads");
    let mut bodies = 0;
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        fs::write(&path, &damaged).expect("it writes");
        let shard = opened(dir.path(), "run").expect("it opens");
        let left = landed(&shard);
        assert!(
            left.len() < 3
                || !shard.is_of_run()
                || places
                    .iter()
                    .zip(shard.landed())
                    .any(|(before, now)| before.cell != now.cell || before.log != now.log),
            "byte {place}"
        );
        bodies += usize::from(left == ["a", "c"]);
    }
    // A damaged body costs its own cell alone.
    assert!(bodies > 100, "{bodies}");
    fs::write(&path, &bytes).expect("it writes");
    assert_eq!(landed(&opened(dir.path(), "run").expect("it opens")), ["a", "b", "c"]);
    assert!(!opened(dir.path(), "another").expect("it opens").is_of_run());
}

#[test]
fn nothing_lands_through_a_link() {
    let dir = tempfile::tempdir().expect("a directory");
    let victim = dir.path().join("victim");
    fs::write(&victim, "whole\nhalf").expect("it writes");
    fs::create_dir_all(dir.path().join("run/shards")).expect("it is made");
    std::os::unix::fs::symlink(&victim, dir.path().join("run/shards/cells")).expect("it links");
    let error = opened(&dir.path().join("run"), "run").unwrap_err().to_string();
    assert!(error.contains("cells: is a link"), "{error}");
    assert_eq!(fs::read_to_string(&victim).expect("it reads"), "whole\nhalf");
}

#[test]
fn a_half_written_cell_is_cut_off_and_the_rest_is_kept() {
    let dir = tempfile::tempdir().expect("a directory");
    let shard = opened(dir.path(), "run").expect("it opens");
    land(&shard, &["a"]);
    let path = dir.path().join("shards/cells");
    for half in [&b"{\"cell\":\"b"[..], b"{\"cell\":\"b\",\"bytes\":9}\n1234"] {
        let mut file = OpenOptions::new().append(true).open(&path).expect("it opens");
        file.write_all(half).expect("it writes");
        drop(file);
        let held = opened(dir.path(), "run");
        assert!(matches!(held, Err(Error::WrongRun { .. })), "the lock is held");
    }
    drop(shard);
    let shard = opened(dir.path(), "run").expect("it opens");
    land(&shard, &["c"]);
    assert_eq!(landed(&shard), ["a", "c"]);
    let read = shard.read(&shard.landed()[1]).expect("it reads");
    let rows: Vec<MeasuredCell> = read.rows(MEASUREMENTS).expect("a row");
    assert_eq!(rows, [measured("c")]);
}
