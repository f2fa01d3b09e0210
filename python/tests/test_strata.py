"""The example `strata`: what is rare in the sessions of tests/strata_in_python.rs."""

from __future__ import annotations

import copy
import json
import runpy
from typing import Any

import proctor
from harness import BUDGET, PACKAGE

STRATA = runpy.run_path(str(PACKAGE / "examples/strata.py"))


def entry(number: int, role: str, kind: str = "message") -> dict[str, Any]:
    author = "human" if role == "user" else "agent"
    what = {"id": number, "role": role, "author": author, "kind": kind}
    return {**what, "content": f"Message {number}.", "tokens": 4, "turn": 1}


def test_the_lowest_of_two_full_levels_is_merged() -> None:
    view = [entry(number, "user", "summary") for number in range(6)]
    levels = dict(enumerate([3, 2, 2, 1, 1, 1]))
    past = STRATA["Past"](known={str(number): ([], level) for number, level in levels.items()})
    layers = STRATA["Layers"](6, slice(6, 6), [], slice(6, 6), 6)
    assert layers.merged(view, past, 2, 1_000) == slice(3, 5)
    assert layers.merged(view, past, 4, 1_000) == slice(0, 0)
    assert layers.merged(view, past, 4, 1) == slice(0, 4)


def test_a_decline_leaves_the_memory_as_it_is() -> None:
    view = [entry(number, role) for number, role in enumerate(["user", "assistant"])]
    question = proctor.Question(forced=True, hook="boundary", budget=BUDGET)
    memory = json.loads(json.dumps(STRATA["Past"].of(view, None).memory(view)))
    question.memory = copy.deepcopy(memory)
    more = [*view, entry(2, "user"), entry(3, "assistant")]
    assert STRATA["strata"](more, question) == "every layer is within its share"
    assert question.memory == memory
