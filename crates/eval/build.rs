//! Makes what the crate carries from data: the metric table, and the lists of scenarios and
//! suites, which are the files of their folders.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde::Deserialize;

type Outcome<T> = Result<T, Box<dyn Error>>;

const SCENARIOS: &str = "scenarios";
const FROZEN: &str = "scenarios/proctor-1";
const SUITES: &str = "scenarios/suites";
const METRICS: &str = "data/metrics.toml";

/// Files beside the scenarios that are none.
const OTHER: [&str; 2] = ["gates.toml", "prices.toml"];

fn main() -> Outcome<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    fs::write(out.join("scenarios.rs"), embedded(SCENARIOS)?)?;
    fs::write(out.join("frozen.rs"), embedded(FROZEN)?)?;
    fs::write(out.join("suites.rs"), embedded(SUITES)?)?;
    println!("cargo::rerun-if-changed={METRICS}");
    let table: Table = toml::from_str(&fs::read_to_string(METRICS)?)?;
    fs::write(out.join("metrics.rs"), metrics(&table)?)?;
    Ok(())
}

/// Stem and text of every TOML file of a folder, by name.
fn embedded(folder: &str) -> Outcome<String> {
    println!("cargo::rerun-if-changed={folder}");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry?.path().canonicalize())
        .collect::<io::Result<_>>()?;
    let name = |file: &Path| file.file_name().unwrap_or_default().to_owned();
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.retain(|file| OTHER.iter().all(|other| name(file) != *other));
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        writeln!(list, "({:?}, include_str!({file:?})),", file.file_stem().unwrap_or_default())?;
    }
    Ok(list + "]")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    section: Vec<Section>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    name: String,
    metric: Vec<Metric>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metric {
    name: String,
    unit: String,
    better: String,
    version: u32,
    needs: Option<String>,
    /// The variant of an enum that there is a metric of each of, as `FactKind::Path`.
    of: Option<String>,
    /// What it is called and what it means in plain words, where a gate judges it.
    called: Option<String>,
    means: Option<String>,
    definition: String,
}

impl Metric {
    /// The variant of `MetricId`: its name in camel case.
    fn id(&self) -> String {
        self.name.split(|c: char| !c.is_alphanumeric()).map(capitalized).collect()
    }
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    first.to_uppercase() + rest
}

/// `MetricId`, `METRICS`, `SECTIONS`, and a function from each enum to its metrics.
fn metrics(table: &Table) -> Outcome<String> {
    let (mut ids, mut lines, mut sections) = (String::new(), String::new(), String::new());
    let mut families: BTreeMap<&str, Vec<(&str, String)>> = BTreeMap::new();
    for section in &table.section {
        writeln!(sections, "({:?}, &[", section.name)?;
        for metric in &section.metric {
            let Metric { name, unit, version, definition, called, means, .. } = metric;
            let (id, better) = (metric.id(), capitalized(&metric.better));
            let needs = capitalized(metric.needs.as_deref().unwrap_or("nothing"));
            writeln!(ids, "#[doc = {definition:?}]\n{id},")?;
            writeln!(sections, "MetricId::{id},")?;
            writeln!(
                lines,
                "Metric {{ id: MetricId::{id}, name: {name:?}, unit: {unit:?}, better: \
                 Direction::{better}, version: {version}, needs: Needs::{needs}, definition: \
                 {definition:?}, called: {called:?}, means: {means:?} }},"
            )?;
            if let (Some(of), Some((family, _))) = (&metric.of, name.rsplit_once('.')) {
                families.entry(family).or_default().push((of.as_str(), id));
            }
        }
        sections.push_str("]),\n");
    }
    let mut text = format!(
        "/// A figure of the metric table.\n\
         #[expect(rustdoc::broken_intra_doc_links, reason = \"definitions quote brackets\")]\n\
         #[derive(Clone, Copy, PartialEq, Eq, Hash)]\n#[non_exhaustive]\n\
         pub enum MetricId {{\n{ids}}}\n\
         /// Every metric, in the order of columns.\n\
         pub static METRICS: &[Metric] = &[\n{lines}];\n\
         /// The name under which a section of the table stands, with its metrics.\n\
         const SECTIONS: &[(&str, &[MetricId])] = &[\n{sections}];\n"
    );
    for (family, members) in families {
        text.push_str(&function(family, &members)?);
    }
    Ok(text)
}

/// From each variant of an enum to its metric, called by the last word of their name.
fn function(family: &str, members: &[(&str, String)]) -> Outcome<String> {
    let (of, _) = members[0].0.split_once("::").ok_or("`of` is `Enum::Variant`")?;
    let name = family.rsplit('.').next().unwrap_or(family);
    let mut text = format!(
        "impl MetricId {{\n/// The metric `{family}.*` of a kind.\n\
         pub const fn {name}(of: {of}) -> MetricId {{\nmatch of {{\n"
    );
    for (variant, id) in members {
        writeln!(text, "{variant} => MetricId::{id},")?;
    }
    Ok(text + "}\n}\n}\n")
}
