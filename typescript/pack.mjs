#!/usr/bin/env node
// Packs the main package and one platform package, each as a .tgz:
//   node pack.mjs --binary ../target/release/proctor --platform linux-x64 --out /tmp/packages
// The platform is this machine's where none is named. A release runs it once for each platform.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
const LICENSES = ["LICENSE-MIT", "LICENSE-APACHE"];
const here = dirname(fileURLToPath(import.meta.url));

function fail(message) {
  console.error(`pack: ${message}`);
  process.exit(1);
}

function options() {
  const text = { type: "string" };
  try {
    return parseArgs({ options: { binary: text, platform: text, out: text } }).values;
  } catch (error) {
    return fail(error.message);
  }
}

const { binary, platform = `${process.platform}-${process.arch}`, out } = options();
if (!binary || !out) fail("usage: node pack.mjs --binary FILE [--platform PLATFORM] --out DIRECTORY");
if (!existsSync(binary)) fail(`there is no file ${binary}`);
if (!PLATFORMS.includes(platform)) fail(`the platform is one of ${PLATFORMS.join(", ")}, not ${platform}`);
if (!existsSync(join(here, "node_modules"))) fail(`first: cd ${here} && npm ci`);

const main = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const { scripts, devDependencies, ...published } = main;
const { version, license, engines } = main;
const [os, cpu] = platform.split("-");
const name = `@proctor-bench/${platform}`;
const target = resolve(out);
const stage = mkdtempSync(join(tmpdir(), "proctor-pack-"));

function run(words, directory, output) {
  return execFileSync("npm", words, { cwd: directory, stdio: ["ignore", output, "inherit"], encoding: "utf8" });
}

function pack(folder, manifest, fill) {
  const directory = join(stage, folder);
  mkdirSync(directory);
  fill(directory);
  for (const file of LICENSES) copyFileSync(join(here, "..", file), join(directory, file));
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const [{ filename }] = JSON.parse(run(["pack", "--json", "--pack-destination", target], directory, "pipe"));
  console.log(join(target, filename));
}

try {
  mkdirSync(target, { recursive: true });
  const optionalDependencies = Object.fromEntries(PLATFORMS.map((one) => [`@proctor-bench/${one}`, version]));
  const files = [...main.files, ...LICENSES];
  pack("main", { ...published, files, optionalDependencies }, (directory) => {
    run(["exec", "--offline", "tsc", "--", "--outDir", join(directory, "dist")], here, "inherit");
    for (const part of ["bin", "README.md"]) cpSync(join(here, part), join(directory, part), { recursive: true });
    chmodSync(join(directory, "bin/proctor.js"), 0o755);
  });
  const description = `The program of proctor-bench for ${os} on ${cpu}`;
  const native = { name, version, description, license, engines, os: [os], cpu: [cpu], files: ["proctor", ...LICENSES], preferUnplugged: true };
  pack("native", native, (directory) => {
    copyFileSync(binary, join(directory, "proctor"));
    chmodSync(join(directory, "proctor"), 0o755);
    writeFileSync(join(directory, "README.md"), `${description}. Install \`proctor-bench\`, which needs it.\n`);
  });
} finally {
  rmSync(stage, { recursive: true, force: true });
}
