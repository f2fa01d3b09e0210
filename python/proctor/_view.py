"""The view that a strategy is handed, and may change: what it changes is undone afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

_before: dict[int, tuple[Any, Any]] = {}
"""What was changed since the last :func:`restore`: the object by its id, and what it held."""


class TrackedDict(dict[str, Any]):
    """A dict that keeps what it held before it was changed. Copies of it are plain."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    def __reduce_ex__(self, _protocol: object) -> tuple[Any, ...]:
        return self.__reduce__()


class TrackedList(list[Any]):
    """A list that keeps what it held before it was changed. Copies of it are plain."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    def __reduce_ex__(self, _protocol: object) -> tuple[Any, ...]:
        return self.__reduce__()


def _keeping(kind: type, name: str) -> Callable[..., Any]:
    plain = getattr(kind, name)

    def change(self: Any, *values: Any, **named: Any) -> Any:
        if id(self) not in _before:
            _before[id(self)] = (self, kind(self))
        return plain(self, *values, **named)

    change.__name__ = name
    return change


_DICT = "__setitem__ __delitem__ __ior__ clear pop popitem setdefault update"
_LIST = (
    "__setitem__ __delitem__ __iadd__ __imul__ append clear extend insert pop remove reverse sort"
)
for _name in _DICT.split():
    setattr(TrackedDict, _name, _keeping(dict, _name))
for _name in _LIST.split():
    setattr(TrackedList, _name, _keeping(list, _name))


def tracked(value: Any) -> Any:
    """The value, with each dict and list in it tracked."""
    kind = type(value)
    if kind is dict:
        for key, part in value.items():
            if type(part) is dict or type(part) is list:
                value[key] = tracked(part)
        return TrackedDict(value)
    if kind is list:
        return TrackedList(map(tracked, value))
    return value


def replace_end(view: TrackedList, keep: int, messages: Iterable[Any]) -> None:
    """Keeps so many messages at the beginning and puts others behind them."""
    list.__setitem__(view, slice(keep, None), map(tracked, messages))


def restore() -> None:
    """Undoes what was changed since the last time."""
    for value, held in _before.values():
        if isinstance(value, dict):
            dict.clear(value)
            dict.update(value, held)
        else:
            list.__setitem__(value, slice(None), held)
    _before.clear()
