//! `datapackage.json`: every table and column as a Frictionless Data Package
//! (<https://datapackage.org>), from the records and the metric table.

use serde_json::{Value, json};

use crate::error::Result;
use crate::record::{Column, ColumnType};
use crate::run_dir::tables::{TableInfo, infos};
use crate::run_dir::write::json_file;

pub const FILE: &str = "datapackage.json";

/// The description of a run's tables; the same for every run of one version.
pub fn file() -> Result<Vec<u8>> {
    let resources: Vec<Value> = infos().iter().map(resource).collect();
    let package = json!({
        "name": "proctor-run",
        "profile": "tabular-data-package",
        "resources": resources,
    });
    json_file(FILE, &package)
}

fn resource(info: &TableInfo) -> Value {
    let fields: Vec<Value> = info.columns.iter().map(field).collect();
    json!({
        "name": info.file.split('.').next(),
        "path": info.file,
        "profile": "tabular-data-resource",
        "description": info.meaning.trim(),
        "encoding": "utf-8",
        "schema": { "fields": fields, "missingValues": [""] },
    })
}

fn field(column: &Column) -> Value {
    let mut field = json!({
        "name": column.name,
        "type": column.kind,
        "description": column.meaning,
        "constraints": { "required": !column.optional && column.kind != ColumnType::String },
    });
    if !column.unit.is_empty() {
        field["unit"] = json!(column.unit);
    }
    if !column.words.is_empty() {
        field["constraints"]["enum"] = json!(column.words);
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_says_what_it_means() {
        let bytes = file().expect("it is JSON");
        let package: Value = serde_json::from_slice(&bytes).expect("it is JSON");
        let resources = package["resources"].as_array().expect("a list");
        assert_eq!(resources.len(), 10);
        for resource in resources {
            let fields = resource["schema"]["fields"].as_array().expect("a list");
            assert!(!fields.is_empty());
            for field in fields {
                let meaning = field["description"].as_str().unwrap_or_default();
                assert!(meaning.len() > 5, "{}: {field}", resource["name"]);
            }
            let names: std::collections::BTreeSet<&str> =
                fields.iter().filter_map(|field| field["name"].as_str()).collect();
            assert_eq!(names.len(), fields.len(), "{}", resource["name"]);
        }
    }
}
