"""The real binary, where PROCTOR_BIN names it when the tests begin."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

import proctor

PACKAGE = Path(__file__).resolve().parent.parent
REAL = os.environ.get("PROCTOR_BIN") or None
pytestmark = pytest.mark.skipif(REAL is None, reason="PROCTOR_BIN names no binary")

PIPELINE = """
name = "mine"
about = "The oldest steps go."
source = "our own"
fidelity = "baseline"

[[stage]]
strategy.sliding-window = {{}}
on.before-call = "pressure"
pressure = [{{ used = ["messages"], limit.share = {limit}, target.share = 0.3 }}]
"""

STRATEGY = f"""
import sys
sys.path.insert(0, {str(PACKAGE)!r})
import proctor


@proctor.strategy(name="half", version="1")
def compact(messages, question):
    budget = question.budget
    room = budget["window"] - budget["max-output"] - budget["system"] - budget["schemas"]
    if not question.forced and question.tokens < 0.8 * room:
        return None
    old, kept = messages[: len(messages) // 2], messages[len(messages) // 2 :]
    while kept and kept[0]["role"] == "tool":
        old.append(kept.pop(0))
    text = "\\n".join(str(message["content"]) for message in old)
    summary = question.complete("Summarize:\\n" + text, max_tokens=500)
    return [{{"role": "user", "content": "Summary:\\n" + summary.text}}, *kept]


compact.serve()
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> proctor.Run:
    """A run of the suite for a quick check."""
    out = tmp_path_factory.mktemp("run") / "smoke"
    return proctor.run("smoke", strategies=["truncate", "forge-adr"], out=out, jobs=2)


def test_a_run_has_its_tables(run: proctor.Run) -> None:
    pytest.importorskip("pyarrow")
    assert run.ok
    tables = run.tables
    assert set(tables.measurements["pipeline"]) >= {"truncate", "forge-adr"}
    for name in tables.names:
        assert list(tables[name].columns) == list(tables.columns(name))
        assert len(getattr(tables, name)) > 0
    joined = tables.steps.merge(tables.measurements, on="cell")
    assert len(joined) == len(tables.steps)


def test_a_run_beside_itself_is_identical(run: proctor.Run) -> None:
    gate = proctor.gate(run, run)
    assert gate
    assert gate.verdict == "pass-identical"
    assert all(finding.passed for finding in gate.findings)


def test_pipelines_are_driven_and_judged(tmp_path: Path) -> None:
    before, after = tmp_path / "before.toml", tmp_path / "after.toml"
    before.write_text(PIPELINE.format(limit=0.5))
    after.write_text(PIPELINE.format(limit=0.35))
    gate = proctor.gate(before, after, suite="smoke", seeds=[1, 2], strict=True)
    assert not gate.passed
    assert gate.report.startswith(f"verdict: {gate.verdict}")
    assert gate.judgement["changed"][0]["to"] == "0.35"


def test_errors_of_the_binary_are_raised(tmp_path: Path) -> None:
    with pytest.raises(proctor.ProctorError) as caught:
        proctor.run("no-such-suite", out=tmp_path / "run")
    assert caught.value.exit_code == 2
    with pytest.raises(proctor.ProctorError):
        proctor.gate(tmp_path, tmp_path)


def test_a_strategy_of_ones_own_is_driven(tmp_path: Path) -> None:
    assert REAL is not None
    if "--strategy " not in _help():
        pytest.skip("this binary has no --strategy yet")
    file = tmp_path / "half.py"
    file.write_text(STRATEGY)
    run = proctor.run("smoke", strategy=file, out=tmp_path / "run", jobs=2)
    assert run.ok, run.warnings
    assert "half" in set(run.tables.measurements["pipeline"])


def _help() -> str:
    import subprocess

    found = shutil.which(REAL or "")
    assert found is not None, sys.platform
    return subprocess.run([found, "run", "--help"], capture_output=True, text=True).stdout
