"""Builders of plans make the JSON of the protocol."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor import plan as p

DOCS = Path(__file__).resolve().parents[2] / "docs"

texts = st.text(max_size=8)
ids = st.integers(0, 2**32 - 1)
entries = st.builds(lambda number, text: {"id": number, "content": text}, ids, texts)
either = ids | entries
pieces = (
    texts
    | st.builds(p.literal, texts)
    | st.builds(p.quote, either)
    | st.builds(p.quote, entries, st.integers(-9, 9), st.integers(-9, 9))
    | st.builds(p.quote_call, either, texts)
    | st.builds(p.answer, ids, ids, clean=st.sampled_from(["as-is", "trim", {"element": "s"}]))
    | st.builds(p.extract, texts, st.builds(p.of_entry, either), st.builds(p.of_call, ids, texts))
)
some = st.lists(pieces, max_size=3)
covers = st.sampled_from(["rest", "nothing"]) | st.lists(either, max_size=3)
kinds = st.sampled_from(["message", "summary", "notice"])
roles = st.sampled_from(["user", "assistant"])


def _new(of: list[Any], **named: Any) -> p.Slot:
    return p.new(*of, **named)


slots = (
    st.builds(p.keep, either)
    | st.builds(p.keeps, either, either)
    | st.builds(lambda entry, of: p.rewrite(entry, *of, args={"c": "{}"}), either, some)
    | st.builds(_new, some, covers=covers, kind=kinds, role=roles, unless_empty=st.booleans())
)
requests = st.builds(
    lambda number, of, entry, system: p.request(
        number,
        *of,
        max_tokens=100,
        system=system,
        items=[p.show(entry), p.message(*of, role="assistant")],
        recover={"overflow": [p.trim_oldest(leave=1)], "error": [p.retry(2)]},
        give_up=p.say("none"),
        give_up_on={"refusal": "nothing"},
    ),
    ids,
    some,
    either,
    st.none() | texts,
)
plans = st.builds(
    lambda of, asked, then: p.plan(
        of,
        requests=asked,
        accept=["not-larger", p.frees_share(0.2)],
        otherwise=p.plan(of[:1]),
        then=then,
    ),
    st.lists(slots, max_size=4),
    st.lists(requests, max_size=2),
    st.sampled_from([None, "continue", "raise"]),
)


def _example(begin: str) -> Any:
    """The example of the protocol's page that begins so."""
    page = (DOCS / "protocol.md").read_text(encoding="utf-8")
    found = re.search(r"```json\n(" + re.escape(begin) + r".*?)```", page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


@pytest.mark.skipif(not (DOCS / "protocol.md").is_file(), reason="no checkout")
def test_the_example_of_the_page() -> None:
    summary = p.request(
        1,
        "Summarize the above.",
        system="You summarize.",
        items=[p.show(4), p.show(5)],
        max_tokens=1000,
    )
    made = p.plan(
        p.keeps(0, 3),
        p.new("Summary:\n", p.answer(summary)),
        p.keep(9),
        requests=[summary],
    )
    assert made == _example('{"type": "plan"')["plan"]


@given(plans)
def test_plans_are_json_and_refer_by_number(made: p.Plan) -> None:
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    for slot in made["layout"]["whole"]:
        ((name, value),) = slot.items()
        assert name in ("keep", "keeps", "rewrite", "new", "new-unless-empty")
        if name == "new":
            assert value["covers"] in ("rest", "nothing") or list(value["covers"]) == ["entries"]
        for piece in value.get("pieces", []) if isinstance(value, dict) else []:
            assert list(piece) in (["literal"], ["quote"], ["extract"], ["answer"])


@given(st.text(max_size=9), st.none() | st.integers(-12, 12), st.none() | st.integers(-12, 12))
def test_a_quote_is_a_slice(text: str, start: int | None, stop: int | None) -> None:
    quote = p.quote({"id": 1, "content": text}, start, stop)["quote"]
    first, last = quote.get("bytes", [0, len(text)])
    assert text[first:last] == text[start:stop]
    assert 0 <= first <= last <= len(text)
    calls = [{"id": "c", "name": "f", "args": text}]
    of_call = p.quote_call({"id": 1, "calls": calls}, "c", start, stop)["quote"]
    assert of_call == {**quote, "of": {"call": [1, "c"]}}


def test_a_quote_by_number_names_its_end() -> None:
    assert p.quote(3, 1, 4) == {"quote": {"of": {"entry": 3}, "bytes": [1, 4]}}
    assert p.quote(3, stop=4) == {"quote": {"of": {"entry": 3}, "bytes": [0, 4]}}
    for start, stop in [(1, None), (None, -1), (-3, 4)]:
        with pytest.raises(ValueError, match="entry itself"):
            p.quote(3, start, stop)


def test_slots() -> None:
    entry = {"id": 2, "content": "x"}
    assert p.keep_each([1, entry]) == [{"keep": 1}, {"keep": 2}]
    assert p.rewrite(entry) == {"rewrite": {"entry": 2}}
    assert p.rewrite(2, "") == {"rewrite": {"entry": 2, "pieces": [{"literal": ""}]}}
    assert p.rewrite(2, args={"c": "{}"}) == {"rewrite": {"entry": 2, "args": {"c": "{}"}}}
    notice = p.new("n", role="tool", kind="notice", covers=[entry, 4], answers="c", note="m")
    told: dict[str, Any] = {"role": "tool", "kind": "notice", "pieces": [{"literal": "n"}]}
    told |= {"covers": {"entries": [2, 4]}, "answers": "c", "note": "m"}
    assert notice == {"new": told}


def test_requests() -> None:
    assert p.request(1, max_tokens=5, tools=False)["frame"] == {"agent": {"tools": False}}
    assert p.request(1, max_tokens=5, system="")["frame"] == {"own": ""}
    assert p.request(1, max_tokens=5, give_up="nothing")["give-up"] == "nothing"
    assert p.answer(1, clean=p.element("s"))["answer"]["clean"] == {"element": "s"}


@pytest.mark.parametrize("wrong", ["1", None, -1, True, {"id": "1"}])
def test_what_is_no_id_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError):
        p.keep(wrong)


@pytest.mark.skipif(not (DOCS / "protocol.schema.json").is_file(), reason="no schema yet")
@given(plans)
def test_plans_are_valid_by_the_schema(made: p.Plan) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((DOCS / "protocol.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate({"type": "plan", "plan": made}, schema)
