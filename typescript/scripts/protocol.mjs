// Writes src/protocol.ts from docs/protocol.schema.json; with --check, says whether it is current.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const NOTES = ["title", "description", "default"];
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The schema in the words that json-schema-to-typescript knows. */
function prepared(schema) {
  if (typeof schema !== "object") return schema;
  const { $ref, ...own } = schema;
  for (const key of ["properties", "$defs"]) {
    if (own[key]) own[key] = Object.fromEntries(Object.entries(own[key]).map(([name, one]) => [name, prepared(one)]));
  }
  for (const key of ["anyOf", "oneOf", "allOf"]) if (own[key]) own[key] = own[key].map(prepared);
  for (const key of ["items", "additionalProperties"]) if (own[key]) own[key] = prepared(own[key]);
  if (own.prefixItems) {
    own.items = own.prefixItems.map(prepared);
    delete own.prefixItems;
  }
  // A reference beside properties means both.
  if ($ref && own.properties) return { allOf: [{ $ref }, own] };
  if ($ref) return { $ref };
  // No rule at all: any value.
  return Object.keys(own).every((key) => NOTES.includes(key)) ? { ...own, tsType: "unknown" } : own;
}

const schema = JSON.parse(readFileSync(at("../../docs/protocol.schema.json"), "utf8"));
const text = await compile(prepared({ ...schema, title: "Line" }), "Line", {
  additionalProperties: false,
  bannerComment: "// Written by `npm run protocol` from docs/protocol.schema.json.",
  style: { printWidth: 100 },
});

const file = at("../src/protocol.ts");
if (!process.argv.includes("--check")) {
  writeFileSync(file, text);
} else if (readFileSync(file, "utf8") !== text) {
  console.error("src/protocol.ts is not what docs/protocol.schema.json says: npm run protocol");
  process.exit(1);
}
