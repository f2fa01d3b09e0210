"""`proctor.gate` against a stub of the binary."""

from __future__ import annotations

import itertools
import os
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import proctor
from stubs import Stub

REPORT = "verdict: regression\nrecall of mine: 91.1% → 36.8%\n\n table\n"


def judgement(verdict: str = "regression") -> dict[str, Any]:
    finding = {"rule": "near", "verdict": verdict, "counts": True, "metric": "recall", "n": 8}
    finding |= {"baseline": 0.9, "candidate": 0.4, "low": None, "reason": "it fell", "kind": "soft"}
    return {"verdict": verdict, "warned": False, "findings": [finding], "next": []}


@pytest.mark.parametrize(
    ("code", "passed"),
    [(0, True), (30, True), (31, True), (20, False), (21, False), (24, False), (26, False)],
)
def test_the_exit_code_decides(stub: Stub, tmp_path: Path, code: int, passed: bool) -> None:
    stub(code=code, json=judgement(), stdout=REPORT)
    gate = proctor.gate(tmp_path, tmp_path)
    assert (gate.passed, bool(gate), gate.exit_code) == (passed, passed, code)
    assert gate.verdict == "regression"
    assert gate.report == REPORT
    (finding,) = gate.findings
    assert (finding.rule, finding.n, finding.candidate, finding.low) == ("near", 8, 0.4, None)
    assert finding.raw["kind"] == "soft"
    assert not finding.passed
    assert repr(gate) == "<Gate verdict: regression; recall of mine: 91.1% → 36.8%>"


def words(called: Any) -> list[str]:
    return [word for word in called() if not word.startswith("--json=")]


def test_a_pass_by_the_policy_alone_is_warned_of(stub: Stub, tmp_path: Path) -> None:
    stub(json=judgement("undecided") | {"warned": True})
    with pytest.warns(UserWarning, match="undecided and passes only by its policy"):
        assert proctor.gate(tmp_path, tmp_path).passed


def test_runs_are_judged(stub: Stub, tmp_path: Path) -> None:
    called = stub(json=judgement("pass"))
    proctor.gate("base.json", tmp_path, policy="p.toml", strict=True)
    expected = ["gate", "--baseline=base.json", "--policy=p.toml", "--strict", "--", str(tmp_path)]
    assert words(called) == expected
    proctor.gate(None, proctor.Run(Path("some/run")))
    assert words(called) == ["gate", "--", os.path.join("some", "run")]  # noqa: PTH118
    with pytest.raises(ValueError, match="suite"):
        proctor.gate(None, tmp_path, suite="smoke")


def test_configurations_are_driven(stub: Stub) -> None:
    called = stub(json=judgement("pass"))
    options: dict[str, Any] = {"seeds": [1, 2], "blame": True, "jobs": 2, "until_decided": 32}
    proctor.gate("main:s/mine.toml", "s/mine.toml", suite="smoke", **options, junit="g.xml")
    sides = ["--baseline-config=main:s/mine.toml", "--candidate-config=s/mine.toml"]
    driven = ["--seeds=1,2", "--until-decided=32", "--blame", "--jobs=2", "--junit=g.xml"]
    assert words(called) == ["gate", *sides, *driven, "--", "smoke"]
    proctor.gate(None, "codex", blame=3)
    assert words(called) == ["gate", "--candidate-config=codex", "--blame=3", "--"]


@pytest.mark.parametrize("what", [{"code": 3}, {"code": 1, "json": judgement()}, {"code": 20}])
def test_no_judgement_is_an_error(stub: Stub, tmp_path: Path, what: dict[str, Any]) -> None:
    stub(**what, stderr="error: invalid pipeline\n")
    with pytest.raises(proctor.ProctorError, match="invalid pipeline"):
        proctor.gate(tmp_path, tmp_path)


IS_INSTALLED = any(one.value == "proctor.pytest_plugin" for one in entry_points(group="pytest11"))
PLUGIN = [] if IS_INSTALLED else ["-p", "proctor.pytest_plugin"]

SIDES = """
import itertools
import os
import proctor
import pytest

HERE = os.getcwd()
"""
CASES = [
    ("def test_it():\n    assert proctor.gate(HERE, HERE).passed", True),
    ("def test_it():\n    assert proctor.gate(HERE, HERE)", True),
    ("def test_it(proctor_gate):\n    proctor_gate(HERE, HERE)", True),
    (
        "@pytest.fixture(scope='module')\ndef gate():\n    return proctor.gate(HERE, HERE)\n"
        "def test_first(gate):\n    pass\n"
        "def test_it(gate):\n    assert gate.passed",
        True,
    ),
    ("def test_it():\n    proctor.gate(HERE, HERE)\n    raise OSError", False),
]


@pytest.mark.parametrize(("test", "shown"), CASES)
def test_pytest_shows_the_text(
    stub: Stub, pytester: pytest.Pytester, test: str, shown: bool
) -> None:
    stub(code=20, json=judgement(), stdout=REPORT)
    pytester.makepyfile(SIDES + test)
    result = pytester.runpytest_inprocess(*PLUGIN)
    result.assert_outcomes(failed=1, passed=1 if "test_first" in test else 0)
    # Alone on a line: once, whole. Where `CI` is set, pytest's own summary repeats the message.
    told = itertools.takewhile(lambda line: "short test summary" not in line, result.outlines)
    assert list(told).count("recall of mine: 91.1% → 36.8%") == int(shown)


def test_pytest_is_quiet_where_the_gate_passes(stub: Stub, pytester: pytest.Pytester) -> None:
    stub(json=judgement("pass"), stdout="verdict: pass\n")
    test = "def test_it(proctor_gate):\n    assert proctor_gate(HERE, HERE).verdict == 'pass'"
    pytester.makepyfile(SIDES + test)
    result = pytester.runpytest_inprocess(*PLUGIN)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*verdict*")
