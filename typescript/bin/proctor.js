#!/usr/bin/env node
// Runs the native program: PROCTOR_BIN, or the one in this machine's platform package.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";

function fail(message) {
  console.error(`proctor-bench: ${message}`);
  process.exit(127);
}

function program() {
  const named = process.env.PROCTOR_BIN;
  if (named) return existsSync(named) ? named : fail(`PROCTOR_BIN names no file: ${named}`);
  const platform = `${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`@proctor-bench/${platform}/proctor`);
  } catch {
    return fail(
      `the package @proctor-bench/${platform} is not installed. ` +
        "It comes with proctor-bench where the platform is Linux or macOS on x64 or arm64, " +
        "unless optional packages are left out. " +
        "Or set PROCTOR_BIN to a proctor that you built.",
    );
  }
}

const path = program();
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`cannot run ${path}: ${error.message}`));
// A terminal sends its interrupt to both; the program decides when to end.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
