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
