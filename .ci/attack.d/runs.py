"""`runs`: run directories with a broken file in them, under every verb that reads one."""

import csv
import gzip
import hashlib
import io
import json
import pathlib
import random
import re
import shutil
import tempfile

from bench import ENDS, VALUES, Area, broken, each, keep, must, proctor

SUITE = """\
name = "small"
about = "a test"
scenarios = ["pocket"]
pipelines = ["none", "forge-adr"]
windowless = ["none"]
seeds = [1]
probes = false
"""
# RUN is the broken run, WHOLE the sound one, OUT a place for what is written. Of a merge, RUN is a part.
VERBS = [
    [["report", "RUN"]],
    [["compare", "RUN", "WHOLE"], ["compare", "WHOLE", "RUN", "--allow"], ["compare", "RUN", "--baseline", "none"]],
    [["gate", "RUN", "--baseline", "BASELINE"], ["gate", "WHOLE", "--baseline", "RUN"], ["gate", "RUN", "--baseline", "BASELINE", "--json", "OUT"]],
    [["bless", "--why", "a test", "--even-though", "a test", "--to", "OUT", "RUN"]],
    [["verify", "RUN"]],
    [["inspect", "RUN", "forge-adr", "--compaction", "1"], ["inspect", "RUN"], ["inspect", "RUN", "forge-adr", "--full"], ["inspect", "RUN", "forge-adr", "--step", "12"]],
    [["question", "RUN"]],
    [["rerun", "RUN", "--out", "OUT"]],
    [["merge", "OUT", "RUN", "PART"]],
]
WRITTEN_AGAIN = shutil.ignore_patterns("charts", "report.*")


def sealed(run):
    """Makes the digests fit what is there, as an attacker would."""
    path = run / "digests.txt"
    head, *lines = path.read_text().splitlines()
    for name in re.findall(r"(?m)^[0-9a-f]{64}  (.+)$", "\n".join(lines)):
        if (run / name).is_file():
            data = (run / name).read_bytes()
            head += f"\n# {len(data)} bytes\n{hashlib.sha256(data).hexdigest()}  {name}"
    path.write_text(head + "\n")


def places(value, at=()):
    """Where values stand in a value of JSON."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*at, key)
        yield from places(inner, (*at, key))


def node(data, rng):
    """A value of JSON removed, doubled, or replaced by one of another type."""
    lines = data.splitlines() if data.count(b"\n}\n") == 0 and data.count(b"\n") > 1 and data[:2] != b"{\n" else [data]
    number = rng.randrange(len(lines))
    value = json.loads(lines[number])
    *way, last = rng.choice(list(places(value)))
    held = value
    for key in way:
        held = held[key]
    kind = rng.randrange(6)
    if kind == 0:
        del held[last]
    elif kind == 1 and isinstance(held, list):
        held.insert(last, held[last])
    elif kind == 2:
        held[last] = held[rng.choice(list(held) if isinstance(held, dict) else range(len(held)))]
    else:
        held[last] = rng.choice([None, True, -1, 2**64 - 1, 1e308, "", "\0\u202e", "\x1b]0;a\a", "../../a", "\n::error::a", [], {}, [[[[1]]]], "x" * 100_000])
    lines[number] = json.dumps(value).encode()
    return b"\n".join(lines)


def fields(data, rng):
    """Two fields of a table exchanged, or one replaced."""
    rows = list(csv.reader(io.StringIO(data.decode())))
    one, other = rng.choice(rows), rng.choice(rows)
    at, to = rng.randrange(len(one)), rng.randrange(len(other))
    if rng.randrange(2):
        one[at], other[to] = other[to], one[at]
    else:
        one[at] = rng.choice([*ENDS, *(value.decode() for value in VALUES), "", "\x1b[2J", "\n::error::a"])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def end(data, rng):
    """A byte of a footer, where Parquet says what a file holds."""
    at = max(0, len(data) - 1 - rng.randrange(1200)) if rng.randrange(4) else len(data) - 1 - rng.randrange(8)
    return data[:at] + rng.choice([b"\0", b"\xff", b"\x80", bytes([data[at] ^ 1 << rng.randrange(8)])]) + data[at + 1 :]


def unpacked(change):
    return lambda data, rng: gzip.compress(change(gzip.decompress(data), rng), 1)


# How files are broken, by the end of their names; and how all are.
WAYS = {
    ".json": [node, node, node],
    ".csv": [fields, fields],
    ".parquet": [end, end],
    ".gz": [unpacked(node), unpacked(node), unpacked(broken)],
    "": [broken, broken, lambda data, rng: data[: rng.randrange(len(data))], lambda *_: b"", lambda data, _: data * 2],
}


def break_one(run, rng):
    """Breaks a file of the run, or puts another in its place; its name."""
    there = sorted(path for path in run.rglob("*") if path.is_file())
    path = rng.choice(there)
    ways = [*WAYS.get(path.suffix, []), *WAYS[""], "swapped", "gone"]
    way = rng.choice(ways)
    if way == "swapped":
        alike = [other for other in there if other.suffix == path.suffix and other != path] or there
        path.write_bytes(rng.choice(alike if rng.randrange(2) else there).read_bytes())
    elif way == "gone":
        path.unlink()
    else:
        path.write_bytes(way(path.read_bytes(), rng))
    return path.name


def runs(_, work, share):
    area = Area("runs", "run directories: bytes, structure, tables, other files, under 9 verbs")
    home = work / "runs"
    home.mkdir()
    suite, whole, baseline = home / "small.toml", home / "whole", home / "baseline.json"
    suite.write_text(SUITE)
    parts = [home / "part-1", home / "part-2"]
    must(["run", suite, "--out", whole], home)
    for number, part in enumerate(parts, 1):
        must(["run", suite, "--partition", f"{number}/2", "--out", part], home)
    must(["bless", "--why", "a test", "--even-though", "a test", "--to", baseline, whole], home)

    def one(number):
        rng = random.Random(f"runs {number}")
        lines = VERBS[number % len(VERBS)]
        words = lines[number // len(VERBS) % len(lines)]
        with tempfile.TemporaryDirectory(dir=home) as scratch:
            run = pathlib.Path(scratch) / "run"
            shutil.copytree(parts[0] if "PART" in words else whole, run, ignore=WRITTEN_AGAIN)
            name = break_one(run, rng)
            # In half of the cases the digests fit.
            if rng.randrange(2) and name != "digests.txt":
                sealed(run)
            names = {"RUN": run, "WHOLE": whole, "PART": parts[1], "BASELINE": baseline, "OUT": pathlib.Path(scratch) / "out"}
            keep(area, run, lambda: proctor(area, [str(names.get(word, word)) for word in words], scratch))
    each(range(max(1, int(2_250 * share))), one)
    return area
