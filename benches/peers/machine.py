"""Environments, and the CPU time of a process."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = HERE / ".work"
VENVS = HERE / ".venvs"
# Others may build on this machine meanwhile; CPU time says what wall time would not.
NICE = 10


def pinned(requirements):
    """What a file pins, with the files that it includes: what an environment is known by."""
    text = requirements.read_text()
    included = [line[3:].strip() for line in text.splitlines() if line.startswith("-r ")]
    return text + "".join((requirements.parent / name).read_text() for name in included)


def python_of(name):
    """The interpreter of an environment, which is made where it is not as pinned."""
    requirements, venv = HERE / f"requirements-{name}.txt", VENVS / name
    python, installed = venv / "bin/python", venv / "installed.txt"
    wanted = pinned(requirements)
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    if not installed.exists() or installed.read_text() != wanted:
        print(f"installing {name}", file=sys.stderr)
        words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([python, *words, "--requirement", requirements], check=True)
        installed.write_text(wanted)
    return str(python)


def binary():
    """The release binary; `PROCTOR` names another."""
    named = os.environ.get("PROCTOR", ROOT / "target/release/proctor")
    if not os.access(named, os.X_OK):
        sys.exit(f"{named} is no program: `cargo build --release`, or PROCTOR=FILE")
    return str(named)


def run(words):
    """Standard output of a command, and the CPU seconds (user and system) of its process."""
    words = ["nice", "-n", str(NICE), *map(str, words)]
    with open(WORK / "stdout", "w+b") as out, open(WORK / "stderr", "w+b") as err:
        child = subprocess.Popen(words, stdout=out, stderr=err, cwd=WORK)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        stdout, stderr = out.read().decode(), err.read().decode()
    if child.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{stderr[-3000:]}")
    return stdout, stderr, usage.ru_utime + usage.ru_stime


def driver(environment, name, *words):
    """What a driver prints, which is one line of JSON."""
    stdout, _, _ = run([python_of(environment), HERE / "drivers" / f"{name}.py", *words])
    return json.loads(stdout.splitlines()[-1])


def fresh(path):
    shutil.rmtree(path, ignore_errors=True)
    return path
