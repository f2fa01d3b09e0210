"""`proctor.run` against a stub of the binary."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import pytest

import proctor
from proctor import _binary
from stubs import Stub, make_stub


def test_flags_become_words(stub: Stub, tmp_path: Path) -> None:
    called = stub(stdout="table\n\nreport: somewhere/report.html\n", stderr="bar\n")
    run = proctor.run(
        "smoke",
        strategies=["codex", tmp_path / "mine.toml"],
        pipelines=["a", "b.toml"],
        strategy=["python3", "my file.py"],
        jobs=2,
        seeds=[1, 2],
        lenient=True,
        resume=False,
        window=20_000,
    )
    assert called() == [
        "run",
        f"--strategies=codex,{tmp_path / 'mine.toml'}",
        "--jobs=2",
        "--pipeline=a",
        "--pipeline=b.toml",
        "--strategy=python3 'my file.py'",
        "--seeds=1,2",
        "--lenient",
        "--window=20000",
        "--",
        "smoke",
    ]
    assert (run.dir, run.exit_code, run.ok) == (Path("somewhere"), 0, True)
    assert run.report.startswith("table")
    assert run.warnings == "bar\n"
    assert os.fspath(run) == "somewhere"


def test_a_python_file_is_run_by_this_python(stub: Stub, tmp_path: Path) -> None:
    called = stub(stdout="report: r/report.html\n")
    file = tmp_path / "mine.py"
    file.write_text("")
    proctor.run(strategy=file)
    assert called() == ["run", f"--strategy={sys.executable} {file}"]
    proctor.run(strategy="python3 mine.py", strategies="a", pipelines="b")
    words = ["run", "--strategies=a", "--pipeline=b", "--strategy=python3 mine.py"]
    assert called() == words


def test_a_run_that_is_not_clean_is_returned(stub: Stub, tmp_path: Path) -> None:
    stub(code=4, stdout="report: x/report.html\n", stderr="error: 1 of 9 cells failed\n")
    run = proctor.run("smoke", out=tmp_path)
    assert (run.dir, run.exit_code, run.ok) == (tmp_path, 4, False)


def test_a_part_of_a_run_is_returned(stub: Stub, tmp_path: Path) -> None:
    stub(stdout=f"{tmp_path}\n")
    assert proctor.run("smoke", partition="1/2").dir == tmp_path


@pytest.mark.parametrize("code", [2, 3, 7])
def test_no_run_is_an_error(stub: Stub, code: int) -> None:
    stub(code=code, stderr="error: no suite `smok`\n")
    with pytest.raises(proctor.ProctorError, match="no suite `smok`") as caught:
        proctor.run("smok")
    assert caught.value.exit_code == code


def test_progress_is_shown(stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    stub(stdout="report: r/report.html\n", stderr="1 of 2\n2 of 2\n")
    assert proctor.run("smoke", progress=True).warnings == "1 of 2\n2 of 2\n"
    assert capsys.readouterr().err == "1 of 2\n2 of 2\n"


def test_the_binary_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named, scripts, path = (tmp_path / name for name in ("named", "scripts", "path"))
    for folder in (named, scripts, path):
        folder.mkdir()
    on_path = make_stub(path)
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.delenv("PROCTOR_BIN", raising=False)
    monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(scripts))
    assert Path(_binary.binary()) == on_path
    installed = make_stub(scripts)
    assert Path(_binary.binary()) == installed
    given = make_stub(named)
    monkeypatch.setenv("PROCTOR_BIN", str(given))
    assert Path(_binary.binary()) == given
    monkeypatch.setenv("PROCTOR_BIN", str(tmp_path / "nothing"))
    with pytest.raises(FileNotFoundError, match="PROCTOR_BIN names"):
        _binary.binary()
    monkeypatch.delenv("PROCTOR_BIN")
    for script in (installed, on_path):
        script.unlink()
    with pytest.raises(FileNotFoundError, match="not found"):
        proctor.run("smoke")
