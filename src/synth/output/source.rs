//! Source files and diffs in the language of the project.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Page, Subject, words};
use crate::synth::draw::pick;
use crate::synth::names::Language;

/// How one language looks: a file's head, and blocks to choose from.
struct Dialect {
    head: &'static [&'static str],
    blocks: &'static [&'static str],
    statements: &'static [&'static str],
}

const RUST: Dialect = Dialect {
    head: &["use std::collections::BTreeMap;", "", "use crate::error::{Error, Result};", ""],
    blocks: &[
        "/// Takes the next {noun} off the {thing}.\npub fn {verb}_{noun}(&mut self) -> Result<{Noun}> {\n    let {thing} = self.{thing}.lock().map_err(Error::poisoned)?;\n    let Some(first) = {thing}.first() else {\n        return Err(Error::Empty(\"{thing}\"));\n    };\n    self.{act}(first.clone())\n}\n",
        "#[derive(Clone, Debug, PartialEq)]\npub struct {Noun} {\n    pub id: u64,\n    pub {other}: Option<{Other}>,\n    pub {part}: Vec<u8>,\n    {thing}: BTreeMap<String, u32>,\n}\n",
        "impl {Noun} {\n    fn {act}_{part}(&self, limit: usize) -> usize {\n        self.{part}\n            .iter()\n            .filter(|{other}| {other}.is_open())\n            .take(limit.min({small}))\n            .count()\n    }\n}\n",
        "fn {act}_{other}(rows: &[{Other}]) -> Result<()> {\n    for row in rows {\n        if row.{part}.is_empty() {\n            tracing::debug!(id = row.id, \"skipped\");\n            continue;\n        }\n        {verb}_row(row)?;\n    }\n    Ok(())\n}\n",
        "match {noun}.{thing} {\n    Some(ref {part}) if {part}.len() > {large} => self.{verb}({part}),\n    Some({part}) => self.{act}(&{part})?,\n    None => return Ok(Vec::new()),\n}\n",
    ],
    statements: &[
        "    let {part} = self.{verb}_{part}(&{noun})?;",
        "    self.{thing}.insert({noun}.id, {small});",
        "    if {noun}.{part} > {large} { return Err(Error::TooLarge); }",
        "    {other}.{act}()?;",
    ],
};

const PYTHON: Dialect = Dialect {
    head: &[
        "from __future__ import annotations",
        "",
        "import logging",
        "from dataclasses import dataclass",
        "",
        "log = logging.getLogger(__name__)",
        "",
    ],
    blocks: &[
        "@dataclass(frozen=True)\nclass {Noun}:\n    id: int\n    {other}: str | None = None\n    {part}: tuple[bytes, ...] = ()\n    {thing}_limit: int = {small}\n",
        "def {verb}_{noun}({noun}: {Noun}, *, limit: int = {small}) -> list[{Other}]:\n    \"\"\"Collect what belongs to one {noun}.\"\"\"\n    found = []\n    for {part} in {noun}.{part}:\n        if not {part}:\n            log.debug(\"skipped %s\", {noun}.id)\n            continue\n        found.append({act}_{part}({part}))\n    return found[:limit]\n",
        "class {Noun}{Other}Store:\n    def __init__(self, {thing}):\n        self._{thing} = {thing}\n        self._open = {}\n\n    def {act}(self, {other}):\n        key = ({other}.id, {other}.{part})\n        if key in self._open:\n            raise ValueError(f\"twice: {key}\")\n        self._open[key] = {other}\n",
        "async def {act}_{other}(session, {noun}):\n    async with session.begin():\n        rows = await session.{verb}({noun}.id)\n        if len(rows) > {large}:\n            rows = rows[:{large}]\n        return [row.{part} for row in rows]\n",
    ],
    statements: &[
        "    {part} = self.{verb}_{part}({noun})",
        "    self._{thing}[{noun}.id] = {small}",
        "    if {noun}.{part} > {large}: raise OverflowError({noun}.id)",
        "    await {other}.{act}()",
    ],
};

const TYPESCRIPT: Dialect = Dialect {
    head: &["import { z } from \"zod\";", "import { logger } from \"../logger\";", ""],
    blocks: &[
        "export interface {Noun} {\n  id: number;\n  {other}?: {Other};\n  {part}: Uint8Array;\n  readonly {thing}: Map<string, number>;\n}\n",
        "export async function {verb}{Noun}({noun}: {Noun}): Promise<{Other}[]> {\n  const rows = await {thing}.{act}({noun}.id);\n  if (rows.length > {large}) {\n    logger.warn(\"cut\", { id: {noun}.id });\n  }\n  return rows.slice(0, {large}).map((row) => row.{part});\n}\n",
        "class {Noun}{Other}Store {\n  private open = new Map<number, {Other}>();\n\n  {act}({other}: {Other}): void {\n    if (this.open.has({other}.id)) throw new Error(\"twice\");\n    this.open.set({other}.id, {other});\n  }\n}\n",
        "const {noun}Schema = z.object({\n  id: z.number().int(),\n  {part}: z.string().max({large}),\n  {other}: z.array(z.string()).optional(),\n});\n",
        "for (const {part} of {noun}.{part}) {\n  if (!{part}) continue;\n  await this.{verb}({part}, { limit: {small} });\n}\n",
    ],
    statements: &[
        "  const {part} = await this.{verb}({noun});",
        "  this.{thing}.set({noun}.id, {small});",
        "  if ({noun}.{part} > {large}) throw new RangeError(\"{noun}\");",
        "  await {other}.{act}();",
    ],
};

fn dialect(language: Language) -> &'static Dialect {
    match language {
        Language::Rust => &RUST,
        Language::Python => &PYTHON,
        Language::TypeScript => &TYPESCRIPT,
    }
}

/// A source file, or the part of one that fits.
pub(super) fn file(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let dialect = dialect(subject.world.language);
    let head = if room > 600 { dialect.head } else { &[] };
    let mut page = Page::new(head.iter().map(|&line| line.to_owned()).collect());
    let templates = if room > 500 { dialect.blocks } else { dialect.statements };
    page.grow(room, || words(rng).fill(pick(rng, templates)));
    page
}

/// What an edit changed.
pub(super) fn diff(subject: &Subject<'_>, room: usize, rng: &mut ChaCha8Rng) -> Page {
    let statements = dialect(subject.world.language).statements;
    let mut page = Page::new(vec![format!("edited {}", subject.target)]);
    let mut line = rng.random_range(10..400);
    if let Some((old, new)) = subject.edit {
        page.head.push(format!("@@ -{line},1 +{line},1 @@\n-{old}\n+{new}"));
    }
    page.grow(room, || {
        line += rng.random_range(9..60);
        let cast = words(rng);
        let (old, new, near) =
            (pick(rng, statements), pick(rng, statements), pick(rng, statements));
        format!(
            "@@ -{line},3 +{line},3 @@\n {}\n-{}\n+{}",
            cast.fill(near),
            cast.fill(old),
            words(rng).fill(new)
        )
    });
    page
}

/// One statement, e.g. for the arguments of an edit.
pub(in crate::synth) fn statement(language: Language, rng: &mut ChaCha8Rng) -> String {
    words(rng).fill(pick(rng, dialect(language).statements)).trim_start().to_owned()
}
