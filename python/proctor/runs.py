"""Runs: what ``proctor run`` makes."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _binary
from .tables import Tables, load

StrPath = str | os.PathLike[str]

_REPORT = "report: "


@dataclass(frozen=True)
class Run:
    """A run directory that ``proctor run`` has written."""

    dir: Path
    exit_code: int = 0
    """0, or why the run is not clean: 3 an input was left out, 4 a cell failed, 5 a control does
    not hold."""
    report: str = field(default="", repr=False)
    """The table that was printed."""
    warnings: str = field(default="", repr=False)
    """What was written to standard error."""

    def __fspath__(self) -> str:
        return str(self.dir)

    @property
    def ok(self) -> bool:
        """Whether the exit code is 0."""
        return self.exit_code == 0

    @property
    def tables(self) -> Tables:
        """Its tables, as :func:`proctor.load` gives them."""
        return load(self.dir)


def run(
    suite: StrPath | Sequence[StrPath] | None = None,
    *,
    strategies: StrPath | Sequence[StrPath] = (),
    pipelines: StrPath | Sequence[StrPath] = (),
    strategy: StrPath | Sequence[str] | None = None,
    out: StrPath | None = None,
    jobs: int | None = None,
    progress: bool = False,
    **flags: Any,
) -> Run:
    """Drives suites, scenarios or transcripts, as ``proctor run`` does.

    ``strategies`` are driven in place of the suite's, ``pipelines`` beside them: names or TOML
    files. ``strategy`` is a program that speaks the strategy protocol: a command line, its words,
    or a file ``*.py``, which this Python runs. ``out`` is the run directory; without it the next
    free one under ``reports/runs`` is taken. ``progress`` shows standard error while it runs.

    Other flags have underscores for hyphens: ``seeds=[1, 2]``, ``lenient=True``, ``window=20_000``.

    A run that is finished but not clean is returned with its exit code.
    :class:`~proctor.ProctorError` is raised where there is no finished run.
    """
    words = ["run"]
    words += _binary.options({"strategies": _several(strategies) or None, "out": out, "jobs": jobs})
    for pipeline in _several(pipelines):
        words += _binary.option("pipeline", pipeline)
    if strategy is not None:
        words += _binary.option("strategy", _command(strategy))
    words += _binary.options(flags)
    words += ["--", *_several(suite)] if suite is not None else []
    finished = _binary.call(words, progress=progress)
    directory = _directory(finished.stdout, out)
    if directory is None:
        raise _binary.failed(words, finished)
    return Run(directory, finished.exit_code, finished.stdout, finished.stderr)


def _several(values: StrPath | Sequence[StrPath]) -> list[str]:
    if isinstance(values, (str, os.PathLike)):
        return [os.fspath(values)]
    return [os.fspath(value) for value in values]


def _command(strategy: StrPath | Sequence[str]) -> str:
    if not isinstance(strategy, (str, os.PathLike)):
        return shlex.join(strategy)
    text = os.fspath(strategy)
    is_file = text.endswith(".py") and Path(text).is_file()
    return shlex.join([sys.executable, str(Path(text).absolute())]) if is_file else text


def _directory(stdout: str, out: StrPath | None) -> Path | None:
    """The run directory, by the line that names its report; of a part of a run, by its name."""
    lines = stdout.splitlines()
    for line in reversed(lines):
        if line.startswith(_REPORT):
            return Path(out) if out is not None else Path(line[len(_REPORT) :]).parent
    last = Path(lines[-1]) if lines else None
    return last if last is not None and last.is_dir() else None
