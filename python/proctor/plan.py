"""Plans: the next view in terms of the present one, for strategies of level ``plan``.

The functions make the JSON of the protocol, as dicts. Where an entry is wanted, its id or the entry
itself may be given; where a piece is wanted, a text stands for :func:`literal`::

    from proctor import plan as p

    summary = p.request(1, "Summarize the above.", system="You summarize.",
                        items=map(p.show, view[1:9]), max_tokens=1000)
    return p.plan(p.keep(view[0]), p.new("Summary:\\n", p.answer(summary)),
                  p.keeps(view[9], view[-1]), requests=[summary])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NewType, cast

Entry = Mapping[str, Any]
"""An entry of the view, as a strategy of level ``plan`` is handed it."""
Slot = NewType("Slot", dict[str, Any])
"""One place of the next view."""
Piece = NewType("Piece", dict[str, Any])
"""A stretch of text, with where it comes from."""
Source = NewType("Source", dict[str, Any])
"""What words are taken from."""
Item = NewType("Item", dict[str, Any])
"""A message that a request shows."""
Request = NewType("Request", dict[str, Any])
"""A request to the summarizer."""
Plan = NewType("Plan", dict[str, Any])
"""What a strategy of level ``plan`` returns."""

Role = Literal["system", "user", "assistant", "tool"]
Kind = Literal["message", "summary", "summarized", "goal-batch", "notice", "recalled"]
Covers = Literal["rest", "nothing"] | Iterable[int | Entry]
Clean = Literal["as-is", "trim"] | dict[str, str]
Failure = Literal[
    "overflow", "error", "time-out", "refusal", "empty", "inflated", "truncated", "tool-call"
]
Recovery = dict[str, Any]
GiveUp = Literal["fail-plan", "nothing"] | dict[str, str]
Accept = Literal["not-larger"] | dict[str, float]
Then = Literal["as-pipeline", "continue", "raise"]


def plan(
    *slots: Slot | Iterable[Slot],
    requests: Iterable[Request] = (),
    accept: Iterable[Accept] = (),
    otherwise: Plan | None = None,
    then: Then | None = None,
) -> Plan:
    """The next view: these slots in order. What no slot keeps leaves the view.

    ``accept`` says what must hold of the result. ``otherwise`` is applied instead where an answer
    fails or the result is rejected. ``then`` says what becomes of the pass after that.
    """
    whole: list[Slot] = []
    for slot in slots:
        whole.extend([cast(Slot, slot)] if isinstance(slot, dict) else slot)
    made = {"layout": {"whole": whole}, "requests": list(requests)}
    return Plan(made | _given(accept=list(accept) or None, otherwise=otherwise, then=then))


def frees_share(share: float) -> Accept:
    """The view becomes smaller by this share of what it was, at least (for ``accept``)."""
    return {"frees-share": share}


# Slots


def keep(entry: int | Entry) -> Slot:
    """An entry as it is."""
    return Slot({"keep": _id(entry)})


def keeps(first: int | Entry, last: int | Entry) -> Slot:
    """All entries of the view from one to another as they are, both included."""
    return Slot({"keeps": [_id(first), _id(last)]})


def keep_each(entries: Iterable[int | Entry]) -> list[Slot]:
    """Each of these entries as it is."""
    return [keep(entry) for entry in entries]


def rewrite(
    entry: int | Entry, *pieces: str | Piece, args: Mapping[str, str] | None = None
) -> Slot:
    """An entry with other text, or other arguments of calls. Without pieces its text stays.

    An empty text is the piece ``""``.
    """
    changed = _given(pieces=_pieces(pieces) or None, args=dict(args) if args else None)
    return Slot({"rewrite": {"entry": _id(entry)} | changed})


def new(
    *pieces: str | Piece,
    role: Role = "user",
    kind: Kind = "summary",
    covers: Covers = "rest",
    answers: str | None = None,
    note: str | None = None,
    unless_empty: bool = False,
) -> Slot:
    """A new entry.

    ``covers`` is what leaves the view for it: ``"rest"``, ``"nothing"`` or these entries.
    ``answers`` is the call that it answers. With ``unless_empty`` the entry is left out where all
    the answers in it are empty.
    """
    covered = covers if isinstance(covers, str) else {"entries": [_id(one) for one in covers]}
    made = {"role": role, "kind": kind, "pieces": _pieces(pieces), "covers": covered}
    made |= _given(answers=answers, note=note)
    return Slot({"new-unless-empty" if unless_empty else "new": made})


# Pieces


def literal(text: str) -> Piece:
    """The strategy's own words."""
    return Piece({"literal": text})


def quote(entry: int | Entry, start: int | None = None, stop: int | None = None) -> Piece:
    """Words of an entry: whole, or a part of them as ``content[start:stop]``."""
    content = None if isinstance(entry, int) else entry.get("content", "")
    return _quote({"entry": _id(entry)}, content, start, stop)


def quote_call(
    entry: int | Entry, call: str, start: int | None = None, stop: int | None = None
) -> Piece:
    """Arguments of a call of an entry: whole, or a part of them as ``args[start:stop]``."""
    calls = () if isinstance(entry, int) else entry.get("calls", ())
    args = next((one["args"] for one in calls if one["id"] == call), None)
    return _quote({"call": [_id(entry), call]}, args, start, stop)


def extract(text: str, *sources: Source) -> Piece:
    """Text that was made mechanically from sources, such as a list of files."""
    return Piece({"extract": {"text": text, "of": list(sources)}})


def answer(*requests: int | Request, clean: Clean = "as-is") -> Piece:
    """The answer to the first of these requests that did not come to nothing.

    A request is given itself, by its number, or by that of ``question.complete``.
    """
    first = [_id(request) for request in requests]
    if not first:
        raise ValueError("an answer names a request")
    cleaned = {} if clean == "as-is" else {"clean": clean}
    return Piece({"answer": {"first-of": first, **cleaned}})


def element(name: str) -> Clean:
    """The text inside the first element of this name (for ``clean``)."""
    return {"element": name}


def of_entry(entry: int | Entry) -> Source:
    """The text of an entry as a source."""
    return Source({"entry": _id(entry)})


def of_call(entry: int | Entry, call: str) -> Source:
    """The arguments of a call of an entry as a source."""
    return Source({"call": [_id(entry), call]})


# Requests


def request(
    number: int,
    *instruction: str | Piece,
    max_tokens: int,
    system: str | None = None,
    tools: bool = True,
    items: Iterable[Item] = (),
    model: str | None = None,
    recover: Mapping[Failure, Sequence[Recovery]] | None = None,
    give_up: GiveUp | None = None,
    give_up_on: Mapping[Failure, GiveUp] | None = None,
) -> Request:
    """A request to the summarizer. Numbers of a plan differ and are below 1,000,000.

    With ``system`` it is a conversation of its own. Without, it goes on in the agent's own
    conversation, with the tool schemas unless ``tools`` is false. ``recover`` says how it is asked
    again after a failure, ``give_up`` what stands for the answer after that.
    """
    made: dict[str, Any] = {
        "id": number,
        "frame": {"agent": {"tools": tools}} if system is None else {"own": system},
        "items": list(items),
        "instruction": _pieces(instruction),
        "max-tokens": max_tokens,
    }
    remedies = {failure: list(steps) for failure, steps in (recover or {}).items()} or None
    given_up_on = dict(give_up_on) if give_up_on else None
    made |= _given(model=model, recover=remedies, give_up=give_up, give_up_on=given_up_on)
    return Request(made)


def show(entry: int | Entry) -> Item:
    """An entry of the view, with its calls, as a message of a request."""
    return Item({"entry": _id(entry)})


def message(*pieces: str | Piece, role: Role = "user", answers: str | None = None) -> Item:
    """A message that is written for a request."""
    return Item({"message": {"role": role, "pieces": _pieces(pieces)} | _given(answers=answers)})


def retry(times: int) -> Recovery:
    """Asks again, so many times (for ``recover``)."""
    return {"retry": times}


def trim_oldest(*, leave: int, pairs: bool = True) -> Recovery:
    """Drops the oldest item and asks again, while more than ``leave`` remain (for ``recover``).

    With ``pairs`` a call takes its results along, and the other way round.
    """
    return {"trim-oldest": {"pairs": pairs, "leave": leave}}


def say(text: str) -> GiveUp:
    """This text stands for the answer (for ``give_up``)."""
    return {"say": text}


def _id(of: int | Mapping[str, Any]) -> int:
    found = of if isinstance(of, int) else of["id"]
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise TypeError(f"an id is a number from 0, not {found!r}")
    return found


def _pieces(pieces: Iterable[str | Piece]) -> list[Piece]:
    return [literal(piece) if isinstance(piece, str) else piece for piece in pieces]


def _quote(of: dict[str, Any], text: str | None, start: int | None, stop: int | None) -> Piece:
    if start is None and stop is None:
        return Piece({"quote": {"of": of}})
    if text is not None:
        start, stop, _ = slice(start, stop).indices(len(text))
    elif stop is None or stop < 0 or (start or 0) < 0:
        raise ValueError("the end of a part is known only where the entry itself is given")
    return Piece({"quote": {"of": of, "bytes": [start or 0, max(start or 0, stop)]}})


def _given(**values: Any) -> dict[str, Any]:
    given = {key: value for key, value in values.items() if value is not None}
    return {key.replace("_", "-"): value for key, value in given.items()}
