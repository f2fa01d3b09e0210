//! The verdict table of the page: what a screen has room for, and the rest below it.

use super::super::document::{Block, Cell, Document, Table};

/// The section with the table.
const SECTION: &str = "verdicts";
/// Its columns that go to the second table.
const DETAILS: [&str; 3] = ["n of recall", "Worst-retained kind at the end", "Rules broken"];

/// Splits the first table of the verdicts in two, where it has columns to spare.
pub fn split(document: &mut Document) {
    let Some(section) = document.sections.iter_mut().find(|section| section.id == SECTION) else {
        return;
    };
    let place = section.blocks.iter().position(|block| matches!(block, Block::Table(_)));
    let Some(Block::Table(table)) = place.map(|place| section.blocks[place].clone()) else {
        return;
    };
    let is_detail =
        |column: usize| column > 0 && DETAILS.contains(&table.columns[column].title.as_str());
    if !(0..table.columns.len()).any(is_detail) {
        return;
    }
    let main = part(&table, "", |column| !is_detail(column));
    let details = part(&table, ": rules and losses", |column| column == 0 || is_detail(column));
    let place = place.unwrap_or_default();
    let blocks = [Block::Table(main), Block::Table(details)];
    section.blocks.splice(place..=place, blocks);
}

/// Some columns of a table, with the footnotes that these have.
fn part(table: &Table, caption: &str, wanted: impl Fn(usize) -> bool) -> Table {
    let mut part = Table {
        caption: format!("{}{caption}", table.caption),
        columns: Vec::new(),
        rows: Vec::new(),
        notes: Vec::new(),
    };
    let columns = table.columns.iter().enumerate().filter(|(column, _)| wanted(*column));
    part.columns = columns.map(|(_, column)| column.clone()).collect();
    for row in &table.rows {
        let cells = row.iter().enumerate().filter(|(column, _)| wanted(*column));
        let cells: Vec<Cell> = cells
            .map(|(_, cell)| {
                let says = cell.note.and_then(|note| table.notes.get(note - 1));
                Cell { note: says.map(|says| part.note(says)), ..cell.clone() }
            })
            .collect();
        part.rows.push(cells);
    }
    part
}

#[cfg(test)]
mod tests {
    use super::super::super::document::Section;
    use super::*;

    #[test]
    fn every_field_and_footnote_is_in_one_of_the_two_tables() {
        let mut table =
            Table::new("Verdicts", &["Configuration", "Floor", "#n of recall", "Rules broken"]);
        let floor = table.undefined("no floor");
        let broken = table.undefined("not checked");
        table.rows.push(vec![Cell::code("none"), floor, Cell::text("2"), broken]);
        let section = Section { id: SECTION, title: "Verdicts", blocks: vec![Block::Table(table)] };
        let mut document =
            Document { title: String::new(), answer: Vec::new(), sections: vec![section] };
        split(&mut document);
        let [Block::Table(main), Block::Table(details)] = &document.sections[0].blocks[..] else {
            panic!("{document:?}")
        };
        assert_eq!(
            main.columns.iter().map(|one| &one.title[..]).collect::<Vec<_>>(),
            ["Configuration", "Floor"]
        );
        assert_eq!(
            (&main.notes[..], main.rows[0][1].note),
            (&["no floor".to_owned()][..], Some(1))
        );
        assert_eq!(details.rows[0][0].text, "none");
        assert_eq!(
            (&details.notes[..], details.rows[0][2].note),
            (&["not checked".to_owned()][..], Some(1))
        );
    }
}
