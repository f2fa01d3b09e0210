"""A small Proctor: it starts a program and speaks the protocol with it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent

Json = dict[str, Any]

BUDGET = {"window": 100_000, "max-output": 8192, "system": 900, "schemas": 4100}


def user(number: int, content: str = "text") -> Json:
    """A message of the user."""
    return {"id": str(number), "role": "user", "content": content}


def _environment(folder: Path) -> dict[str, str]:
    """What Proctor gives a program; Windows needs more."""
    if sys.platform == "win32":
        return {**os.environ, "PYTHONUNBUFFERED": ""}
    home = str(folder)
    return {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8"}


class Harness:
    """A program and what was said to it. ``model`` answers its calls."""

    def __init__(self, program: str, folder: Path, model: Callable[[Json], Json] | None = None):
        file = folder / "mine.py"
        begin = f"import sys\nsys.path.insert(0, {str(PACKAGE)!r})\nimport proctor\n"
        file.write_text(begin + textwrap.dedent(program), encoding="utf-8")
        self.model = model
        self.calls: list[Json] = []
        self.view: list[Json] = []
        self.memory: Any = None
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, str(file)],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=folder,
            env=_environment(folder),
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.to, self.by = self.process.stdin, self.process.stdout

    def __enter__(self) -> Harness:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
        self.process.wait()

    def send(self, message: Json) -> None:
        """Sends a message, in ASCII."""
        self.to.write(json.dumps(message).encode() + b"\n")
        self.to.flush()

    def receive(self) -> Json:
        """Waits for a message. The line must be strict JSON in strict UTF-8."""
        line = self.by.readline()
        if not line:
            raise EOFError
        message: Json = json.loads(line.decode("utf-8"), parse_constant=lambda name: 1 / 0)
        return message

    def ask(self, message: Json) -> Json:
        """Sends a message, answers the calls that follow and gives the answer."""
        self.send(message)
        while (reply := self.receive())["type"] == "complete":
            self.calls.append(reply)
            assert self.model is not None
            number = 999_999 + len(self.calls)
            self.send({"request": number} | self.model(reply))
        return reply

    def hello(self, **parameters: Any) -> Json:
        """Says hello and begins a session."""
        hello = self.ask({"type": "hello", "protocol": 1, "parameters": parameters})
        self.reset()
        return hello

    def reset(self) -> None:
        """Begins another session."""
        assert self.ask({"type": "reset"}) == {"type": "ready"}
        self.view, self.memory = [], None

    def evaluate(self, view: list[Json], **other: Any) -> Json:
        """Asks for an answer. Only what changed in the view is sent."""
        pairs = enumerate(zip(self.view, view, strict=False))
        same = min(len(self.view), len(view))
        keep = next((place for place, (old, new) in pairs if old != new), same)
        self.view = view
        message: Json = {"type": "evaluate", "hook": "before-call", "forced": False, "turn": 1}
        message |= {"budget": BUDGET, "tokens": 10, "pressure": None, "memory": self.memory}
        answer = self.ask(message | other | {"keep": keep, "view": view[keep:]})
        self.memory = answer.get("memory", self.memory)
        return answer

    def end(self, *, close: bool = False) -> tuple[int, str]:
        """Ends the program: its exit code and what it wrote to standard error."""
        with contextlib.suppress(BrokenPipeError):
            if not close:
                self.send({"type": "shutdown"})
            self.to.close()
        assert self.process.stderr is not None
        text = self.process.stderr.read().decode()
        return self.process.wait(10), text
