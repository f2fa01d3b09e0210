//! Python, TypeScript and Java.

use super::Dialect;

pub(super) const PYTHON: Dialect = Dialect {
    ending: "py",
    indent: "    ",
    head: &[
        "\"\"\"{Noun} {thing}: {verbs} what the {other} hands over.\"\"\"",
        "",
        "from __future__ import annotations",
        "",
        "import asyncio",
        "import json",
        "import logging",
        "from collections import defaultdict",
        "from collections.abc import Iterable, Iterator, Mapping",
        "from dataclasses import dataclass, field",
        "from pathlib import Path",
        "",
        "from sqlalchemy import select",
        "from {noun}.models import {Noun}, {Other}{Thing}",
        "from {other}.errors import {Other}Closed, TooLarge",
        "",
        "log = logging.getLogger(__name__)",
        "",
    ],
    items: &[
        "@dataclass(frozen=True, slots=True)\nclass {Noun}{Thing}:\n    \"\"\"One {noun} as the {other} sees it.\"\"\"\n\n    id: int\n    {other}: str | None = None\n    {part}: tuple[bytes, ...] = ()\n    {thing}_limit: int = {small}\n    labels: Mapping[str, str] = field(default_factory=dict)\n",
        "def {verb}_{noun}({noun}: {Noun}, *, limit: int = {small}) -> list[{Other}]:\n    \"\"\"Collect what belongs to one {noun}.\n\n    Rows without a {part} are skipped and counted.\n    \"\"\"\n    found: list[{Other}] = []\n    skipped = 0\n    for {part} in {noun}.{part}:\n        if not {part}:\n            skipped += 1\n            log.debug(\"skipped %s of %s\", {part}, {noun}.id)\n            continue\n        if len(found) >= limit:\n            break\n        found.append({act}_{part}({part}))\n    if skipped > {large}:\n        log.warning(\"%d of %d skipped in %s\", skipped, len({noun}.{part}), {noun}.id, extra={\"{noun}\": {noun}.id})\n    return found\n",
        "async def {act}_{other}(session, {noun}, *, chunk: int = {large}) -> dict[int, {Other}]:\n    async with session.begin():\n        rows = await session.scalars(select({Other}).where({Other}.{noun}_id == {noun}.id).limit(chunk))\n        by_id = {row.id: row for row in rows}\n    try:\n        async with asyncio.timeout({small}):\n            await asyncio.gather(*({verb}_{part}(row) for row in by_id.values()))\n    except TimeoutError:\n        log.exception(\"{act} of %s took too long\", {noun}.id)\n        raise\n    return by_id\n",
        "@pytest.mark.parametrize(\n    (\"{part}\", \"expected\"),\n    [\n        ([], 0),\n        ([b\"{noun}\"], 1),\n        ([b\"\"] * {small}, 0),\n    ],\n)\ndef test_{verb}_{noun}({part}, expected, {thing}_factory):\n    {noun} = {thing}_factory({part}={part})\n    assert len({verb}_{noun}({noun})) == expected\n",
        "def _{act}_{thing}(path: Path) -> Iterator[tuple[str, int]]:\n    with path.open(encoding=\"utf-8\") as lines:\n        for number, line in enumerate(lines, start=1):\n            line = line.strip()\n            if not line or line.startswith(\"#\"):\n                continue\n            key, _, value = line.partition(\"=\")\n            yield key.strip(), int(value or {small})\n",
        "{part}_LIMIT = {large}\n",
    ],
    containers: &[
        (
            "class {Noun}{Other}Store:\n    \"\"\"Keeps {noun}s until the {other} has taken them.\"\"\"\n\n    def __init__(self, {thing}, *, limit={small}):\n        self._{thing} = {thing}\n        self._limit = limit\n        self._open = {}\n",
            "",
        ),
        ("class Test{Noun}{Thing}:", ""),
        ("class {Other}Error(Exception):\n    pass\n\n\nclass {Noun}View(APIView):", ""),
    ],
    members: &[
        "def {act}(self, {other}):\n    key = ({other}.id, {other}.{part})\n    if key in self._open:\n        raise ValueError(f\"twice: {key}\")\n    self._open[key] = {other}\n    return len(self._open)\n",
        "@property\ndef {part}(self) -> int:\n    return sum({other}.{part} for {other} in self._open.values())\n",
        "async def {verb}(self, request, {noun}_id: int):\n    {noun} = await self.{thing}.get({noun}_id)\n    if {noun} is None:\n        return Response({\"detail\": \"no such {noun}\"}, status=404)\n    data = await {act}_{other}(self.session, {noun})\n    return Response({\"{noun}\": {noun}.id, \"{other}\": sorted(data), \"count\": len(data)})\n",
        "def test_{verb}_twice(self, {thing}):\n    first = {thing}.{verb}()\n    with pytest.raises({Other}Error, match=\"{part}\"):\n        {thing}.{verb}()\n    assert first.{part} == {small}\n",
        "@staticmethod\ndef _{act}(rows: Iterable[{Noun}]) -> dict[str, list[{Noun}]]:\n    grouped = defaultdict(list)\n    for row in rows:\n        grouped[row.{part}].append(row)\n    return dict(grouped)\n",
    ],
    statements: &[
        "    {part} = self.{verb}_{part}({noun})",
        "        self._{thing}[{noun}.id] = {small}",
        "    if {noun}.{part} > {large}: raise OverflowError({noun}.id)",
        "        await {other}.{act}()",
        "    return [row.{part} for row in rows if row.{thing} is not None]",
    ],
    remarks: &[
        "# --- {noun} ---\n",
        "# NOTE: the {other} calls this from its own thread, see {act}_{part}.\n",
        "# TODO({noun}): {verb} before the {thing} is closed.\n",
    ],
};

pub(super) const TYPESCRIPT: Dialect = Dialect {
    ending: "ts",
    indent: "  ",
    head: &[
        "import { Injectable, Logger, NotFoundException } from \"@nestjs/common\";",
        "import { InjectRepository } from \"@nestjs/typeorm\";",
        "import { z } from \"zod\";",
        "import type { {Noun}, {Other}{Thing} } from \"../{noun}/types\";",
        "import { {verb}{Part} } from \"../lib/{part}\";",
        "import { logger } from \"../logger\";",
        "",
        "/** How many {noun}s one {thing} holds. */",
        "const MAX_PER_PAGE = {small};",
        "",
    ],
    items: &[
        "export interface {Noun}{Thing} {\n  id: number;\n  {other}?: {Other};\n  /** Raw {part}, at most {large} bytes. */\n  {part}: Uint8Array;\n  readonly {thing}: Map<string, number>;\n  createdAt: Date;\n}\n",
        "export async function {verb}{Noun}({noun}: {Noun}, { limit = {small}, signal }: {Verb}Options = {}): Promise<{Other}[]> {\n  const rows = await {thing}.{act}({noun}.id, { signal });\n  if (rows.length > {large}) {\n    logger.warn(\"cut\", { id: {noun}.id, rows: rows.length, limit });\n  }\n  const found: {Other}[] = [];\n  for (const row of rows) {\n    if (row.{part} === undefined) {\n      continue;\n    }\n    try {\n      found.push(await {verb}{Part}(row));\n    } catch (error) {\n      logger.error(`{verb} failed for ${row.id}`, { error });\n      throw error;\n    }\n  }\n  return found.slice(0, limit);\n}\n",
        "const {noun}Schema = z.object({\n  id: z.number().int().positive(),\n  {part}: z.string().max({large}),\n  {other}: z.array(z.string()).optional(),\n  {thing}: z.enum([\"open\", \"waiting\", \"done\"]).default(\"open\"),\n});\n\nexport type {Noun}Input = z.infer<typeof {noun}Schema>;\n",
        "export type {Noun}Event =\n  | { type: \"{verb}\"; {noun}: {Noun} }\n  | { type: \"{act}\"; id: number; {part}: string }\n  | { type: \"failed\"; error: Error };\n",
        "export function use{Noun}{Thing}(id: number) {\n  const [state, setState] = useState<{Noun} | null>(null);\n  useEffect(() => {\n    let cancelled = false;\n    void {verb}{Noun}(id).then((next) => {\n      if (!cancelled) {\n        setState(next);\n      }\n    });\n    return () => {\n      cancelled = true;\n    };\n  }, [id]);\n  return useMemo(() => ({ {noun}: state, {verb}: () => setState(null) }), [state]);\n}\n",
    ],
    containers: &[
        (
            "@Injectable()\nexport class {Noun}{Thing}Service {\n  private readonly log = new Logger({Noun}{Thing}Service.name);\n  private open = new Map<number, {Other}>();\n",
            "}\n",
        ),
        ("describe(\"{noun} {thing}\", () => {", "});\n"),
        (
            "class {Noun}{Other}Store {\n  constructor(private readonly {thing}: {Thing}) {}\n",
            "}\n",
        ),
    ],
    members: &[
        "{act}({other}: {Other}): void {\n  if (this.open.has({other}.id)) {\n    throw new Error(`{other} ${{other}.id} twice`);\n  }\n  this.open.set({other}.id, {other});\n}\n",
        "async {verb}(id: number): Promise<{Noun}> {\n  const row = await this.{thing}.findOne({ where: { id }, relations: [\"{other}\", \"{part}\"] });\n  if (!row) {\n    this.log.warn(`no {noun} ${id}`);\n    throw new NotFoundException(`{noun} ${id} does not exist`);\n  }\n  return { ...row, {part}: row.{part} ?? [] };\n}\n",
        "it(\"{verbs} each {part} once\", async () => {\n  const {thing} = await make{Thing}({ {part}: {small} });\n  await {thing}.{verb}();\n  expect({thing}.{part}).toHaveLength({small});\n  expect(logger.warn).not.toHaveBeenCalled();\n});\n",
        "get {part}(): number {\n  return [...this.open.values()].filter((row) => row.{thing} !== null).length;\n}\n",
    ],
    statements: &[
        "  const {part} = await this.{verb}({noun});",
        "    this.{thing}.set({noun}.id, {small});",
        "  if ({noun}.{part} > {large}) throw new RangeError(\"{noun}\");",
        "    await {other}.{act}();",
        "      .filter((row) => row.{part} !== undefined && !row.{thing})",
    ],
    remarks: &[
        "// {noun}: see the notes of the {other} team.\n",
        "// eslint-disable-next-line @typescript-eslint/no-floating-promises\n",
    ],
};

pub(super) const JAVA: Dialect = Dialect {
    ending: "java",
    indent: "    ",
    head: &[
        "package io.example.{noun}.{thing};",
        "",
        "import java.time.Duration;",
        "import java.util.ArrayList;",
        "import java.util.List;",
        "import java.util.Map;",
        "import java.util.Optional;",
        "import java.util.concurrent.ConcurrentHashMap;",
        "",
        "import org.slf4j.Logger;",
        "import org.slf4j.LoggerFactory;",
        "import org.springframework.stereotype.Service;",
        "",
        "import io.example.{other}.{Other}{Thing};",
        "",
    ],
    items: &[
        "public record {Noun}{Thing}(long id, String {other}, byte[] {part}, Map<String, String> labels) {\n    public {Noun}{Thing} {\n        if ({part}.length > {large}) {\n            throw new IllegalArgumentException(\"{part} has \" + {part}.length + \" bytes\");\n        }\n    }\n}\n",
        "enum {Noun}State {\n    OPEN,\n    WAITING,\n    DONE;\n\n    boolean is{Thing}() {\n        return this == WAITING;\n    }\n}\n",
    ],
    containers: &[
        (
            "@Service\npublic class {Noun}{Thing}Service implements {Other}Listener<{Noun}> {\n    private static final Logger LOG = LoggerFactory.getLogger({Noun}{Thing}Service.class);\n    private final Map<Long, {Other}> open = new ConcurrentHashMap<>();\n",
            "}\n",
        ),
        (
            "class {Noun}{Thing}Test {\n    private final {Other}Fixture fixture = new {Other}Fixture();\n",
            "}\n",
        ),
    ],
    members: &[
        "@Override\npublic List<{Other}> {verb}({Noun} {noun}, int limit) throws {Other}Exception {\n    List<{Other}> found = new ArrayList<>();\n    for ({Other} row : {noun}.get{Thing}()) {\n        if (row.{part}() == null) {\n            LOG.debug(\"skipped {} of {}\", row.id(), {noun}.id());\n            continue;\n        }\n        if (found.size() >= Math.min(limit, {large})) {\n            break;\n        }\n        found.add({act}(row));\n    }\n    return List.copyOf(found);\n}\n",
        "private Optional<{Other}> {act}(long id) {\n    return Optional.ofNullable(open.get(id)).filter(row -> row.{part}() > {small});\n}\n",
        "@Test\nvoid {verbs}Every{Part}() throws Exception {\n    var {thing} = fixture.with{Part}({small});\n    assertThat({thing}.{verb}()).hasSize({small});\n    assertThat({thing}.is{Part}Open()).isFalse();\n}\n",
        "public void set{Part}(String {part}) {\n    this.{part} = {part};\n}\n",
        "public String get{Part}() {\n    return {part};\n}\n",
    ],
    statements: &[
        "        var {part} = {thing}.{verb}({noun});",
        "        if ({noun}.{part}() > {large}) throw new IllegalStateException(\"{noun}\");",
        "            {other}.{act}();",
    ],
    remarks: &[
        "// {Noun}s are immutable, {other}s are not.\n",
        "/** Called by the {other} {thing}. */\n",
    ],
};
