"""A stand-in for the binary, as a script."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).resolve().parent

Stub = Callable[..., Callable[[], list[str]]]
"""Says what the binary does; gives a function that tells the words of its last call."""


def make_stub(folder: Path) -> Path:
    """A program that runs tests/stub.py."""
    is_windows = os.name == "nt"
    script = folder / ("proctor.bat" if is_windows else "proctor")
    call = f'"{sys.executable}" "{TESTS / "stub.py"}"'
    script.write_text(f"@{call} %*\n" if is_windows else f'#!/bin/sh\nexec {call} "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script
