"""The tables of a run directory as data frames."""

from __future__ import annotations

import importlib
import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Column:
    """A column of a table, as ``datapackage.json`` describes it."""

    name: str
    type: str
    """``string``, ``integer`` or ``number``."""
    description: str
    unit: str | None
    required: bool
    """Whether each row has a value."""


class Tables:
    """A run directory. Each table is read when it is asked for, and then kept.

    Columns have the types that ``datapackage.json`` gives them; an integer column that may be empty
    is ``Int64``. An empty value means that a figure does not exist there, never zero.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.dir = Path(directory)
        path = self.dir / "datapackage.json"
        if not path.is_file():
            raise FileNotFoundError(f"`{self.dir}` is no finished run: it has no datapackage.json")
        self.datapackage: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        self._resources = {one["name"]: one for one in self.datapackage["resources"]}
        self._frames: dict[str, pd.DataFrame] = {}

    def __repr__(self) -> str:
        return f"Tables({str(self.dir)!r}: {', '.join(self.names)})"

    @property
    def names(self) -> list[str]:
        """The names of the tables."""
        return list(self._resources)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What was run: ``manifest.json``."""
        text = (self.dir / "manifest.json").read_text(encoding="utf-8")
        manifest: dict[str, Any] = json.loads(text)
        return manifest

    def columns(self, name: str) -> dict[str, Column]:
        """The columns of a table, by name."""
        fields = self._resource(name)["schema"]["fields"]
        return {field["name"]: _column(field) for field in fields}

    def __getitem__(self, name: str) -> pd.DataFrame:
        """A table by its name."""
        if name not in self._frames:
            path = self.dir / self._resource(name)["path"]
            self._frames[name] = _read(path, self.columns(name))
        return self._frames[name]

    @property
    def measurements(self) -> pd.DataFrame:
        """One row for each cell: its axes, its state and every metric."""
        return self["measurements"]

    @property
    def derived(self) -> pd.DataFrame:
        """Figures that need several cells, such as means with their intervals."""
        return self["derived"]

    @property
    def curve(self) -> pd.DataFrame:
        """Recall against tokens, with bounds."""
        return self["curve"]

    @property
    def floor(self) -> pd.DataFrame:
        """One row for each round of each floor probe."""
        return self["floor"]

    @property
    def composition(self) -> pd.DataFrame:
        """What views were made of, one row for each share."""
        return self["composition"]

    @property
    def steps(self) -> pd.DataFrame:
        """One row for each model call."""
        return self["steps"]

    @property
    def compactions(self) -> pd.DataFrame:
        """One row for each plan of a strategy, and what became of it."""
        return self["compactions"]

    @property
    def facts(self) -> pd.DataFrame:
        """One row for each demand for a fact, and what the prompt held of it."""
        return self["facts"]

    @property
    def survival(self) -> pd.DataFrame:
        """Facts still known, by age, summaries and turn."""
        return self["survival"]

    @property
    def triggers(self) -> pd.DataFrame:
        """How often each stage was due, fired and declined."""
        return self["triggers"]

    def _resource(self, name: str) -> dict[str, Any]:
        try:
            resource: dict[str, Any] = self._resources[name]
        except KeyError:
            known = ", ".join(self.names)
            raise KeyError(f"`{self.dir}` has no table `{name}`; it has {known}") from None
        return resource


def load(directory: str | os.PathLike[str]) -> Tables:
    """The tables of a run directory as pandas data frames: ``load(DIR).measurements``.

    It needs pandas, and pyarrow for the tables in Parquet.
    """
    _pandas()
    return Tables(directory)


def _pandas() -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError(
            'proctor.load needs pandas and pyarrow: pip install "proctor-bench[pandas]"'
        ) from error


def _column(field: dict[str, Any]) -> Column:
    required = bool(field.get("constraints", {}).get("required", False))
    return Column(
        field["name"], field["type"], field.get("description", ""), field.get("unit"), required
    )


def _read(path: Path, columns: dict[str, Column]) -> pd.DataFrame:
    pandas = _pandas()
    if path.suffix == ".csv":
        dtypes = {name: _dtype(column) for name, column in columns.items()}
        # Only what is empty is missing: a name may be `null` or `NA`.
        options = {"keep_default_na": False, "na_values": [""]}
        return cast("pd.DataFrame", pandas.read_csv(path, dtype=dtypes, **options))
    try:
        frame: pd.DataFrame = pandas.read_parquet(path)
    except ImportError as error:
        raise ImportError(
            f'`{path.name}` is Parquet, which needs pyarrow: pip install "proctor-bench[pandas]"'
        ) from error
    optional = {name for name, column in columns.items() if _dtype(column) == "Int64"}
    types = {name: "Int64" for name in optional if name in frame.columns}
    typed: pd.DataFrame = frame.astype(types)
    return typed


def _dtype(column: Column) -> Any:
    if column.type == "integer":
        return "int64" if column.required else "Int64"
    return {"number": "float64", "boolean": "boolean"}.get(column.type, str)
