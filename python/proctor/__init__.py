"""Proctor from Python: strategies of your own, runs and their tables, the gate."""

from . import plan
from ._binary import ProctorError
from .contestant import (
    Compact,
    Completion,
    Message,
    ModelError,
    Question,
    Raise,
    Strategy,
    strategy,
)
from .gates import Finding, Gate, gate
from .runs import Run, run
from .tables import Column, Tables, load

__all__ = [
    "Column",
    "Compact",
    "Completion",
    "Finding",
    "Gate",
    "Message",
    "ModelError",
    "ProctorError",
    "Question",
    "Raise",
    "Run",
    "Strategy",
    "Tables",
    "gate",
    "load",
    "plan",
    "run",
    "strategy",
]
