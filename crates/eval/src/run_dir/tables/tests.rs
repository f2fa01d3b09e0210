use super::*;
use crate::prelude::*;
use crate::record;
use crate::record::Field;
use crate::trace::LossClass;

const FILE: &str = "floor.parquet";

record! {
    /// A row with values that may be missing.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Sparse {
        /// A number.
        pub share: Option<f64>,
        /// A word.
        pub word: Option<LossClass>,
        /// A text.
        pub text: String,
    }
}

fn row(cell: &str, round: u32) -> FloorRow {
    let (cell, tokens) = (cell.to_owned(), Tokens(7));
    FloorRow { cell, checkpoint: 1, step: 2, turn: 3, round, tokens, live: 5, present: 4 }
}

fn written(rows: &[FloorRow]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    write_table(dir.path(), FILE, rows).expect("it is written");
    dir
}

fn read<R: Field>(path: &Path) -> Result<Vec<R>> {
    rows(path)?.collect()
}

#[test]
fn a_packed_table_is_read_as_it_was_written() {
    let of_groups = (0..packed::GROUP as u32 * 2 + 5).map(|n| row("b, c", n)).collect();
    for rows in [vec![], of_groups] {
        let dir = written(&rows);
        assert_eq!(read::<FloorRow>(&dir.path().join(FILE)).expect("it reads"), rows);
    }
    let sparse = |share, word| Sparse { share, word, text: String::new() };
    let rows =
        [sparse(Some(0.25), None), sparse(None, Some(LossClass::Unseen)), sparse(Some(1.0), None)];
    let dir = tempfile::tempdir().expect("a directory");
    write_table(dir.path(), "sparse.parquet", &rows).expect("it is written");
    let found = read::<Sparse>(&dir.path().join("sparse.parquet"));
    assert_eq!(found.expect("it reads"), rows);
}

#[test]
fn rows_are_handed_out_cell_by_cell() {
    let dir = written(&[row("a", 0), row("a", 1), row("c", 0)]);
    let open = || ByCell::open(dir.path(), &of_cells()[0]).expect("it opens");
    let mut table = open();
    let mut taken = |cell: &str| table.take(cell).expect("it reads").len();
    assert_eq!(["a", "b", "c", "d"].map(&mut taken), [2, 0, 1, 0]);
    let mut table = open();
    assert_eq!(table.take("c").expect("it reads"), []);
    let error = table.finish().expect_err("rows of `a` are left");
    assert!(error.to_string().contains("`a`"), "{error}");
}

#[test]
fn a_line_that_cannot_be_used_is_named_with_its_column() {
    let header = "cell,checkpoint,step,turn,round,tokens,live,present";
    for (text, expected) in [
        (format!("{header}\na,1,2,3,0,7,5,4\na,1,2,3,0,many,5,4\n"), ":3: `tokens`: `many`"),
        (format!("{header}\na,4294967296,2,3,0,7,5,4\n"), ":2: `checkpoint`: `4294967296`"),
        (format!("{header}\na,1,2\n"), ":2: the line has 3 fields, the header 8"),
        ("cell,checkpoint\n".to_owned(), ":1: the header has no column `step`"),
    ] {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("floor.csv");
        std::fs::write(&path, text).expect("it writes");
        let error = read::<FloorRow>(&path).expect_err("bad");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn a_file_that_is_no_table_is_named() {
    let dir = written(&[row("a", 0)]);
    let path = dir.path().join(FILE);
    assert!(read::<TriggerRow>(&path).expect_err("other columns").to_string().contains("`stage`"));
    std::fs::write(&path, "PAR1").expect("it writes");
    assert!(read::<FloorRow>(&path).expect_err("no table").to_string().contains(FILE));
}
