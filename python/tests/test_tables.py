"""`proctor.load` on a small run directory."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import proctor


def field(name: str, kind: str, *, required: bool = False, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "constraints": {"required": required}, **more}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with two tables."""
    pandas = pytest.importorskip("pandas")
    cells = [
        field("cell", "string", description="The id."),
        field("seed", "integer", required=True),
        field("rounds", "integer"),
        field("share", "number", unit="share"),
    ]
    facts = [field("cell", "string"), field("lost_by", "integer"), field("step", "integer")]
    tables = {"measurements.csv": cells, "facts.parquet": facts}
    resources = [
        {"name": path.split(".")[0], "path": path, "schema": {"fields": fields}}
        for path, fields in tables.items()
    ]
    (tmp_path / "datapackage.json").write_text(json.dumps({"resources": resources}))
    (tmp_path / "manifest.json").write_text('{"format": 1}')
    text = "cell,seed,rounds,share\n007,1,,0.5\nNA,2,3,\n"
    (tmp_path / "measurements.csv").write_text(text)
    frame = pandas.DataFrame({"cell": ["a", "b"], "lost_by": [1.0, None], "step": [1, 2]})
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "facts.parquet")
    return tmp_path


def test_tables_have_the_types_of_the_data_package(run: Path) -> None:
    tables = proctor.load(run)
    cells = tables.measurements
    assert list(cells["cell"]) == ["007", "NA"]
    assert [str(kind) for kind in cells.dtypes][1:] == ["int64", "Int64", "float64"]
    assert cells["rounds"].isna().tolist() == [True, False]
    assert str(tables.facts["lost_by"].dtype) == "Int64"
    assert tables["facts"] is tables.facts
    assert tables.names == ["measurements", "facts"]
    assert tables.manifest == {"format": 1}
    share = proctor.Column("share", "number", "", "share", required=False)
    assert tables.columns("measurements")["share"] == share
    assert proctor.Run(run).tables.dir == run


def test_what_is_not_there_is_said(run: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="no table `steps`; it has measurements, facts"):
        _ = proctor.load(run).steps
    with pytest.raises(FileNotFoundError, match="no finished run"):
        proctor.load(tmp_path / "nothing")


def test_missing_packages_are_named(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = proctor.load(run)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="needs pyarrow"):
        _ = tables.facts
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"proctor-bench\[pandas\]"):
        proctor.load(run)


def test_the_package_itself_imports_no_pandas() -> None:
    import subprocess

    code = "import sys, proctor; sys.exit('pandas' in sys.modules or 'pytest' in sys.modules)"
    package = Path(__file__).resolve().parent.parent
    assert subprocess.run([sys.executable, "-c", code], cwd=package, check=False).returncode == 0
