"""The ``proctor`` binary as a process."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

_PATIENCE = 30.0
"""Seconds that an interrupted process has to write what it must."""


class ProctorError(Exception):
    """``proctor`` ended without what was asked for. ``exit_code`` is one of its exit codes."""

    def __init__(self, message: str, exit_code: int, stderr: str = "") -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.stderr = stderr


def binary() -> str:
    """The path of the binary.

    It is what the environment variable ``PROCTOR_BIN`` names, or else the script that is installed
    beside this package, or else ``proctor`` on the path.
    """
    named = os.environ.get("PROCTOR_BIN")
    if named:
        found = shutil.which(named)
        if found is None:
            raise FileNotFoundError(f"PROCTOR_BIN names `{named}`, which cannot be run")
        return found
    installed = shutil.which("proctor", path=sysconfig.get_path("scripts"))
    found = installed or shutil.which("proctor")
    if found is None:
        raise FileNotFoundError(
            "the `proctor` binary is not found: it is no script of this environment and not on "
            "the path; the environment variable PROCTOR_BIN may name it"
        )
    return found


@dataclass(frozen=True)
class Finished:
    """A process that has ended."""

    exit_code: int
    stdout: str
    stderr: str


def option(name: str, value: Any) -> list[str]:
    """An option as words: ``max_calls=5`` is ``--max-calls=5``, ``True`` the option alone."""
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = ",".join(os.fspath(one) if isinstance(one, Path) else str(one) for one in value)
    return [f"{flag}={value}"]


def options(values: Mapping[str, Any]) -> list[str]:
    """Options as words, those that are ``None`` or ``False`` left out."""
    return [word for name, value in values.items() for word in option(name, value)]


def call(words: Sequence[str], *, progress: bool = False) -> Finished:
    """Runs ``proctor`` to its end. ``progress`` shows its standard error while it runs."""
    process = subprocess.Popen(
        [binary(), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    assert process.stdout is not None
    assert process.stderr is not None
    lines: list[str] = []
    reader = threading.Thread(target=_read, args=(process.stderr, lines, progress), daemon=True)
    reader.start()
    try:
        stdout = process.stdout.read()
        code = process.wait()
    except KeyboardInterrupt:
        # Ctrl-C reaches the process, too: it ends by itself and keeps what has landed.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
        raise
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
    reader.join()
    return Finished(code, stdout, "".join(lines))


def failed(words: Sequence[str], finished: Finished) -> ProctorError:
    """What is raised where a call did not do what it should."""
    said = finished.stderr.strip() or "it said nothing"
    text = f"`proctor {' '.join(words)}` ended with exit code {finished.exit_code}:\n{said}"
    return ProctorError(text, finished.exit_code, finished.stderr)


def _read(stream: IO[str], lines: list[str], progress: bool) -> None:
    with stream:
        for text in stream:
            lines.append(text)
            if progress:
                sys.stderr.write(text)
                sys.stderr.flush()
