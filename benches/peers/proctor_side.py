"""Proctor's side: sessions, and what a pipeline costs in a run."""

import csv
import glob
import gzip
import json

from contestants import REPEATS, SIZES
from machine import HERE, WORK, binary, fresh, run

# Cells of one run, each in a window that differs by a token. What one more cell costs is the
# difference of runs with many and with one, so that start, reading and counting cancel out.
CELLS = {"50k": 41, "200k": 21, "1M": 11}
# Where one cell of 1M takes seconds, two are enough.
SLOW = {"langchain-clear-tool-uses": 2}
IDLE = "idle"


def scenario(size):
    text = (HERE / "scenarios/session.toml").read_text()
    path = WORK / f"session-{size}.toml"
    path.write_text(text.replace("turns = 0\n", f"turns = {SIZES[size]}\n"))
    return path


def session(size):
    """The log of a size, with its truth beside it, and its figures."""
    log = WORK / f"{size}.jsonl"
    for file in (log, log.with_suffix(".truth.jsonl")):
        file.unlink(missing_ok=True)
    _, told, _ = run([binary(), "synth", scenario(size), "--out", log])
    figures = [int(word) for word in told.replace(",", " ").split() if word.isdigit()]
    steps = sum('"role":"assistant"' in line for line in log.read_text().splitlines())
    keys = ("messages", "turns", "tokens", "facts", "needs")
    return {**dict(zip(keys, figures)), "steps": steps}


def suite(scenarios, pipeline, cells=1, mode="deployed"):
    windows = [4_000_000 + more for more in range(cells)]
    path = WORK / "suite.toml"
    path.write_text(
        'name = "peers"\nabout = "One pipeline over one session."\n'
        f"scenarios = {json.dumps([str(one) for one in scenarios])}\n"
        f'modes = ["{mode}"]\nseeds = [1]\nsummarizer = "empty"\nprobes = false\n\n[[grid]]\n'
        f'pipeline = "{HERE / "pipelines" / pipeline}.toml"\nparameters = {{}}\n'
        f"windows = {windows}\n"
    )
    return path


def drive(suite, report=True, stories="none"):
    """CPU seconds of a whole run. One cell at a time; no probes; nothing asked of a model.

    A run of one part of one writes its tables and no report.
    """
    out = fresh(WORK / "run")
    words = ["--jobs", "1", "--lenient", "--stories", stories, "--out", out]
    words += [] if report else ["--partition", "1/1"]
    _, _, seconds = run([binary(), "run", suite, *words])
    return seconds


def cell_ms():
    """The least that a cell of the last run took, by the run's own clock, in whole ms."""
    host = json.loads((WORK / "run/host.json").read_text())
    return min(host["cell_wall_ms"].values())


def cells_of_run():
    with open(WORK / "run/measurements.csv", newline="") as file:
        return list(csv.DictReader(file))


def measured(pipeline, size, scenarios=None, mode="deployed"):
    """The least of several runs, and what one more cell costs: driving, measuring, tables."""
    scenarios = scenarios or [scenario(size)]
    cells = SLOW.get(pipeline, CELLS[size]) if size == "1M" else CELLS[size]
    one, many, cell = [], [], []
    for _ in range(REPEATS):
        one.append(drive(suite(scenarios, pipeline, 1, mode), report=False))
        many.append(drive(suite(scenarios, pipeline, cells, mode), report=False))
        cell.append(cell_ms())
    rows = cells_of_run()
    return {
        "cells": cells,
        "one_seconds": min(one),
        "many_seconds": min(many),
        "cell_seconds": (min(many) - min(one)) / (cells - 1),
        "cell_wall_ms": min(cell),
        "completed": all(row["ended_by"] == "completed" for row in rows),
        "compactions": int(rows[0]["compactions.count"] or 0),
    }


def pipeline_costs(pipelines):
    costs = {}
    for size in SIZES:
        for pipeline in (IDLE, *pipelines):
            found = measured(pipeline, size)
            whole = min(drive(suite([scenario(size)], pipeline)) for _ in range(REPEATS))
            costs.setdefault(pipeline, {})[size] = {**found, "command_seconds": whole}
    return costs


def start_seconds():
    """CPU seconds of the program doing nothing."""
    return min(run([binary(), "--version"])[2] for _ in range(REPEATS))


def sizes_sent(pipeline, size):
    """Tokens of o200k that were sent at each step, the fixed part left out."""
    drive(suite([scenario(size)], pipeline), stories="all")
    (story,) = glob.glob(str(WORK / "run/stories/*.json.gz"))
    with gzip.open(story) as file:
        steps = json.load(file)["steps"]
    fixed = steps["prompt"][0] - steps["kept"][0]
    return [prompt - fixed for prompt in steps["prompt"]]
