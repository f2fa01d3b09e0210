"""The examples of the README run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import proctor
from harness import PACKAGE, Harness, user

CODE = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text("utf-8"), re.DOTALL)


def test_the_first_example(tmp_path: Path) -> None:
    def model(call: dict[str, Any]) -> dict[str, Any]:
        return {"type": "completion", "text": f"{len(call['messages'])} messages", "finish": "stop"}

    with Harness(CODE[0], tmp_path, model) as harness:
        assert harness.hello()["name"] == "mine"
        view = [user(1), user(2)]
        assert harness.evaluate(view) == {"type": "decline"}
        summary = {"role": "user", "content": "Summary so far:\n3 messages"}
        answer = harness.evaluate(view, tokens=60_000)
        assert answer == {"type": "messages", "messages": [summary, user(2)]}


def test_the_example_of_a_plan() -> None:
    names: dict[str, Any] = {"proctor": proctor}
    exec(CODE[1], names)
    entries = [{"id": number, "content": "x"} for number in range(6)]
    plan = names["compact"](entries, proctor.Question(forced=True))
    assert [list(slot) for slot in plan["layout"]["whole"]] == [["keep"], ["new"]] + [["keep"]] * 2
    assert plan["requests"][0]["items"] == [{"entry": number} for number in (1, 2, 3)]
