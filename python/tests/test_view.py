"""What a strategy changes in the view is undone."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor._view import TrackedDict, TrackedList, replace_end, restore, tracked

VALUE = {"role": "user", "content": [{"type": "text", "text": "a"}], "calls": [{"f": {"x": "1"}}]}


def fresh() -> Any:
    view = TrackedList()
    replace_end(view, 0, copy.deepcopy([VALUE, VALUE]))
    return view


CHANGES: list[Callable[[Any], object]] = [
    lambda v: v.append(1),
    lambda v: v.clear(),
    lambda v: v.extend([1]),
    lambda v: v.insert(0, 1),
    lambda v: v.pop(),
    lambda v: v.remove(v[0]),
    lambda v: v.reverse(),
    lambda v: v.sort(key=str),
    lambda v: v.__setitem__(slice(0, 1), []),
    lambda v: v.__delitem__(0),
    lambda v: v.__iadd__([1]),
    lambda v: v.__imul__(2),
    lambda v: v[0].update(role="x", more=1),
    lambda v: v[0].pop("role"),
    lambda v: v[0].popitem(),
    lambda v: v[0].setdefault("new", []),
    lambda v: v[0].clear(),
    lambda v: v[0].__ior__({"role": "x"}),
    lambda v: v[0].__delitem__("role"),
    lambda v: v[0]["content"][0].__setitem__("text", "b"),
    lambda v: v[1]["calls"][0]["f"].__setitem__("x", "2"),
    lambda v: v[1]["content"].append({}),
]


@given(st.lists(st.sampled_from(CHANGES), max_size=5))
def test_changes_are_undone(changes: list[Callable[[Any], object]]) -> None:
    view = fresh()
    for change in changes:
        try:
            change(view)
        except (IndexError, KeyError, TypeError, AttributeError, ValueError):
            break
    restore()
    assert view == [VALUE, VALUE]
    assert json.loads(json.dumps(view)) == [VALUE, VALUE]


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v)), lambda v: [*map(dict, v)]]
)
def test_copies_are_plain_and_stay(copied: Callable[[Any], Any]) -> None:
    made = copied(fresh())
    assert type(made) is list
    assert type(made[0]) is dict
    made[0]["role"] = "x"
    restore()
    assert made[0]["role"] == "x"


def test_every_dict_and_list_is_tracked() -> None:
    view = fresh()
    assert type(view[0]["calls"]) is TrackedList
    assert type(view[0]["calls"][0]["f"]) is TrackedDict
    assert tracked("text") == "text"


def test_the_end_is_replaced() -> None:
    view = fresh()
    replace_end(view, 1, [{"a": 1}, {"b": 2}])
    assert view == [VALUE, {"a": 1}, {"b": 2}]
    restore()
    assert view == [VALUE, {"a": 1}, {"b": 2}]


def test_every_method_that_changes_is_known() -> None:
    for tracked_kind, plain in [(TrackedDict, dict), (TrackedList, list)]:
        names = set(dir(plain)) - set(dir(tuple if plain is list else frozenset))
        names -= {"copy", "fromkeys", "get", "items", "keys", "values", "__reversed__"}
        names -= {"__or__", "__ror__", "__class_getitem__"}
        assert names <= set(vars(tracked_kind)) | {"__getitem__"}, plain
