"""The stub of the binary as a fixture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from stubs import Stub, make_stub

# How long an example takes says more of the machine than of the code.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """Says what the binary does; gives a function that tells the words of its last call."""
    words = tmp_path / "words.json"
    monkeypatch.setenv("PROCTOR_BIN", str(make_stub(tmp_path)))
    monkeypatch.setenv("STUB_WORDS", str(words))

    def does(**what: Any) -> Callable[[], list[str]]:
        monkeypatch.setenv("STUB", json.dumps(what))

        def called() -> list[str]:
            told: list[str] = json.loads(words.read_text(encoding="utf-8"))
            return told

        return called

    return does
