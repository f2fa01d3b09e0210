"""What the areas of `.ci/attack` share: commands within their bounds, what came of them, broken bytes."""

import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROCTOR = os.path.abspath(os.environ.get("PROCTOR", ROOT / "target/release/proctor"))
SECONDS, MEMORY = 20, 1 << 30
# A command that waits takes no processor time.
PATIENCE = 300
STEERS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]|^\s*::|##\[", re.M)
ENDS = "0 -1 1 -0.0 1e308 -1e308 1e-308 nan inf 4294967296 9223372036854775807 18446744073709551615 -9223372036854775808".split()
VALUES = [b'""', b"true", b"[]", b"{}", b'"\\u0000\\u202e"', b"[[[[[[[[1]]]]]]]]", b"''", b"1979-05-27", '"é"'.encode()]


class Area:
    """What was tried in an area, and what came of it."""

    def __init__(self, name, what):
        self.name, self.what = name, what
        self.codes, self.faults = collections.Counter(), []
        self.seconds = self.memory = 0.0

    def tried(self):
        return sum(self.codes.values())

    def row(self):
        done, refused = self.codes[0], self.tried() - self.codes[0]
        kinds = collections.Counter(kind for kind, _ in self.faults)
        faults = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "0"
        megabytes = self.memory / 1e6
        return f"| {self.what} | {self.tried():,} | {done:,} | {refused:,} | {faults} | {self.seconds:.1f} | {megabytes:.0f} |\n"


def proctor(area, words, cwd, codes=range(0, 40)):
    """Runs a command within its bounds; its exit code and what it said."""
    def bounds():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS + 1, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 30, 4 << 30))
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([PROCTOR, *words], cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=bounds)
        late = threading.Timer(PATIENCE, child.kill)
        late.start()
        _, status, used = os.wait4(child.pid, 0)
        late.cancel()
        child.returncode = code = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read(1 << 20)
    seconds = used.ru_utime + used.ru_stime
    area.seconds, area.memory = max(area.seconds, seconds), max(area.memory, used.ru_maxrss * 1024)
    area.codes[code] += 1
    if code < 0 or code not in codes or b"panicked" in said:
        fault = "hung" if seconds > SECONDS or late.finished.is_set() and code == -9 else "crashed"
    elif seconds > SECONDS:
        fault = "hung"
    elif used.ru_maxrss * 1024 > MEMORY:
        fault = "took too much memory"
    elif STEERS.search(said):
        fault = "steers"
    elif code and not said.strip():
        fault = "said nothing"
    else:
        return code, said
    area.faults.append((fault, f"{code}: {' '.join(map(str, words))} (in {cwd})\n{said[-400:].decode(errors='replace')}"))
    return code, said


def must(words, cwd):
    """Runs a command that an area is prepared with."""
    code, said = proctor(Area("prepared", ""), list(map(str, words)), cwd)
    if code:
        sys.exit(f"`proctor {' '.join(map(str, words))}` ends with {code}: {said.decode(errors='replace')}")


def broken(data, rng):
    """The bytes with one to three places broken."""
    for _ in range(rng.randrange(1, 4)):
        data = broken_once(data, rng)
    return data


def broken_once(data, rng):
    def put(pattern, new):
        found = list(re.finditer(pattern, data))
        if not found:
            return None
        at = rng.choice(found)
        return data[: at.start()] + new(at.group()) + data[at.end() :]
    structural = [
        lambda: put(rb"-?\d+(\.\d+)?", lambda _: rng.choice(ENDS).encode()),
        lambda: put(rb'"[^"\n]*"|\d+|true|false', lambda _: rng.choice(VALUES)),
        lambda: put(rb"(?m)^.*\n", lambda _: b""),
        lambda: put(rb"(?m)^.*\n", lambda line: line * 2),
        lambda: put(rb"[A-Za-z_-]+", lambda _: b"other"),
        lambda: put(rb"[^,\n]*,", lambda _: b","),
    ]
    kind = rng.randrange(11)
    made = structural[kind]() if kind < len(structural) else None
    if made is not None:
        return made
    at, to = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    to = min(to, at + 64)
    piece = data[at:to]
    return [
        lambda: data[:at],
        lambda: data[:at] + data[to:],
        lambda: data[:at] + piece + data[at:],
        lambda: data[:at] + rng.randbytes(len(piece)) + data[to:],
        lambda: data[:at] + bytes(byte ^ 1 << rng.randrange(8) for byte in data[at : at + 1]) + data[at + 1 :],
    ][rng.randrange(5)]()


class Talk:
    """A transcript as Claude Code writes it: each line names the one before."""

    def __init__(self):
        self.lines, self.last = [], None

    def line(self, **fields):
        uuid = f"l{len(self.lines)}"
        head = {"parentUuid": self.last, "uuid": uuid, "sessionId": "s", "isSidechain": False, "timestamp": "2026-01-01T00:00:00Z"}
        self.lines.append(json.dumps({**head, **fields}) + "\n")
        self.last = uuid
        return self

    def turn(self, text):
        """A person's words, and an answer."""
        usage = {"input_tokens": len(self.lines), "output_tokens": 1}
        answer = {"role": "assistant", "id": f"m{len(self.lines)}", "model": "a", "content": [{"type": "text", "text": "done"}], "usage": usage}
        self.line(type="user", message={"role": "user", "content": text})
        return self.line(type="assistant", message=answer)

    def text(self):
        return "".join(self.lines)


def each(tasks, do, at_once=None):
    """Does them on all cores, in no order."""
    with concurrent.futures.ThreadPoolExecutor(at_once or os.cpu_count()) as pool:
        list(pool.map(do, tasks))


def keep(area, made, run):
    """Runs, and keeps the file or directory where that came to a fault."""
    run()
    for number, (kind, told) in enumerate(area.faults):
        if str(made.parent) in told and "it is kept" not in told:
            kept = pathlib.Path(tempfile.gettempdir()) / f"attack-{area.name}-{number}-{made.name}"
            shutil.copytree(made, kept, dirs_exist_ok=True) if made.is_dir() else shutil.copy(made, kept)
            area.faults[number] = (kind, f"{told}\nit is kept: {kept}")
