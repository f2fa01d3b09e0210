"""The gate: whether a change lets compaction become worse."""

from __future__ import annotations

import json
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from . import _binary
from .runs import Run, StrPath

_PASSES = frozenset({0, 30, 31})
_JUDGED = _PASSES | frozenset(range(20, 27))

observers: list[Callable[[Gate], object]] = []
"""Functions that are told of each gate. The plugin for pytest is one."""


@dataclass(frozen=True)
class Finding:
    """One rule and metric of one configuration. A figure that does not exist is ``None``."""

    rule: str
    verdict: str
    counts: bool
    """Whether it counts for the verdict of the whole."""
    metric: str | None = None
    configuration: str | None = None
    scenario: str | None = None
    n: int = 0
    """Sessions behind it."""
    baseline: float | None = None
    candidate: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    margin: float | None = None
    reason: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """All of it, as ``proctor schema gate`` describes it."""

    @property
    def passed(self) -> bool:
        """Whether it is a pass or an improvement."""
        return self.verdict in ("pass", "pass-identical", "improvement")


@dataclass(frozen=True)
class Gate:
    """What ``proctor gate`` found. It is true where the gate is passed."""

    exit_code: int
    verdict: str
    """``pass``, ``pass-identical``, ``improvement``, ``undecided``, ``regression``, ..."""
    findings: Sequence[Finding]
    """Everything that was found, the worst first."""
    report: str
    """The text that the command prints."""
    warned: bool = False
    """Whether what would fail was let through by the policy."""
    judgement: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The whole JSON, as ``proctor schema gate`` describes it."""

    @property
    def passed(self) -> bool:
        """Whether the exit code is a pass. An undecided gate passes unless it is strict."""
        return self.exit_code in _PASSES

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        said = "; ".join(self.report.strip().splitlines()[:2])
        return f"<Gate {said or self.verdict}>"


def gate(
    before: StrPath | Run | None,
    after: StrPath | Run,
    *,
    suite: StrPath | None = None,
    policy: StrPath | None = None,
    seeds: Sequence[int] | None = None,
    until_decided: int | None = None,
    blame: bool | int = False,
    strict: bool = False,
    jobs: int | None = None,
    out: StrPath | None = None,
    progress: bool = False,
    **flags: Any,
) -> Gate:
    """Judges what is ``after`` against what was ``before``, as ``proctor gate`` does.

    Both are run directories, or both are pipelines or suites: TOML files, names or ``COMMIT:FILE``.
    Pipelines and suites are driven first; ``suite``, ``seeds``, ``until_decided``, ``blame``,
    ``jobs`` and ``out`` are for that. Instead of a run, ``before`` may be a baseline file. Where it
    is ``None``, the usual baseline is taken.

    ``strict`` fails what is undecided; without it such a gate passes with a warning. Other flags
    have underscores for hyphens.

    :class:`~proctor.ProctorError` is raised where nothing was judged, for example since a file is
    not valid.
    """
    driven: dict[str, Any] = {"seeds": seeds, "until_decided": until_decided, "blame": blame}
    driven |= {"jobs": jobs, "out": out}
    words = ["gate", *_sides(before, after), *_binary.options(driven)]
    words += _binary.options({"policy": policy, "strict": strict, **flags})
    with tempfile.TemporaryDirectory(prefix="proctor-gate-") as room:
        path = Path(room) / "gate.json"
        words += _binary.option("json", path)
        words += ["--", *_target(after, suite)]
        finished = _binary.call(words, progress=progress)
        if finished.exit_code not in _JUDGED or not path.is_file():
            raise _binary.failed(words, finished)
        judgement: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    made = _gate(judgement, finished)
    for observer in observers:
        observer(made)
    if made.warned:
        text = f"the gate is {made.verdict} and passes only by its policy"
        warnings.warn(text, stacklevel=2)
    return made


def _gate(judgement: dict[str, Any], finished: _binary.Finished) -> Gate:
    return Gate(
        exit_code=finished.exit_code,
        verdict=judgement["verdict"],
        findings=[_finding(one) for one in judgement["findings"]],
        report=finished.stdout,
        warned=judgement.get("warned", False),
        judgement=judgement,
    )


def _finding(raw: dict[str, Any]) -> Finding:
    named = {one.name for one in fields(Finding)} - {"raw"}
    return Finding(**{key: value for key, value in raw.items() if key in named}, raw=raw)


def _sides(before: StrPath | Run | None, after: StrPath | Run) -> list[str]:
    if _is_run(after):
        return _binary.option("baseline", None if before is None else os.fspath(before))
    given = None if before is None else os.fspath(before)
    sides = {"baseline_config": given, "candidate_config": os.fspath(after)}
    return _binary.options(sides)


def _target(after: StrPath | Run, suite: StrPath | None) -> list[str]:
    if not _is_run(after):
        return [] if suite is None else [os.fspath(suite)]
    if suite is not None:
        raise ValueError("a suite is for pipelines that are driven, not for finished runs")
    return [os.fspath(after)]


def _is_run(side: StrPath | Run) -> bool:
    """A run, a directory, or a path that is no TOML file; names of what ships have no slash."""
    if isinstance(side, Run):
        return True
    text = os.fspath(side)
    if text.endswith(".toml"):
        return False
    return Path(text).is_dir() or re.search(r"[/\\]", text) is not None
