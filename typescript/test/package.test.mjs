import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "proctor-bench-"));
const home = join(folder, "home");
const stub = join(folder, "stub");

/** Runs `npx`, or another program, in the directory of an installation. */
function run(words, { cwd = home, env = {}, program = "npx" } = {}) {
  const { PROCTOR_BIN, ...rest } = process.env;
  return spawnSync(program, words, { cwd, env: { ...rest, ...env }, encoding: "utf8" });
}

before(() => {
  writeFileSync(stub, '#!/bin/sh\n[ "$1" = die ] && kill -TERM $$\necho "native $*"\nexit 3\n');
  chmodSync(stub, 0o755);
  mkdirSync(home);
  const packed = execFileSync(process.execPath, [join(root, "pack.mjs"), "--binary", stub, "--out", folder], { encoding: "utf8" });
  execFileSync("npm", ["install", "--offline", "--no-audit", ...packed.trim().split("\n")], { cwd: home, stdio: "pipe" });
});

after(() => rmSync(folder, { recursive: true }));

test("both names run the program and pass on words and exit code", () => {
  for (const name of ["proctor", "proctor-bench"]) {
    const { stdout, status } = run(["--offline", name, "run", "two words"]);
    assert.deepEqual([stdout, status], ["native run two words\n", 3]);
  }
});

test("a program that a signal ended", () => {
  assert.equal(run(["--offline", "proctor", "die"]).status, 128 + 15);
});

test("PROCTOR_BIN goes first", () => {
  const { stdout } = run(["--offline", "proctor", "-c", "echo other"], { env: { PROCTOR_BIN: "/bin/sh" } });
  assert.equal(stdout, "other\n");
  const { stderr, status } = run(["--offline", "proctor"], { env: { PROCTOR_BIN: "/no/such" } });
  assert.match(stderr, /PROCTOR_BIN names no file: \/no\/such/);
  assert.equal(status, 127);
});

test("the library is in the package", () => {
  const code = 'import { strategy } from "proctor-bench"; console.log(typeof strategy)';
  const { stdout } = run(["--input-type=module", "--eval", code], { program: process.execPath });
  assert.equal(stdout, "function\n");
});

test("without a platform package it says what to do", () => {
  const { stderr, status } = run([join(root, "bin/proctor.js")], { program: process.execPath });
  assert.match(stderr, /@proctor-bench\/\S+ is not installed.*PROCTOR_BIN/);
  assert.equal(status, 127);
});

test("pack.mjs says what it lacks", () => {
  const { stderr, status } = run([join(root, "pack.mjs"), "--binary", stub, "--platform", "sunos-x64", "--out", folder], { program: process.execPath });
  assert.match(stderr, /the platform is one of linux-x64/);
  assert.equal(status, 1);
});
