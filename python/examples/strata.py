"""`strata` in Python: the reference implementation, for people who build agents.

What is older is told in fewer words, in three layers.

1. The newest messages stay as they are.
2. What leaves them is told twice. A digest, which no model writes, holds the beginnings of what
   the agent wrote, its calls and short results; the user's messages stay as they are. A note,
   which a model writes of all that leaves at once, stands behind it.
3. What is older still is its notes and the user's words, up to a budget. So many of these
   summaries become one of the next level: no text is summarized more often than there are levels,
   and there are as many levels as the logarithm of the session's length.

Names are those of crates/strategies/src/strata.rs; a test (tests/strata_in_python.rs) compares
what both make of the same sessions. `strata.toml` says when the program is asked.
"""

from __future__ import annotations

import copy
import itertools
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import proctor
from proctor import plan as p

Entries = Sequence[p.Entry]
Spans = list[list[int]]
"""Messages of the log as sorted ranges: each the first, and the one behind the last."""

PROMPTS = Path(__file__).resolve().parents[2] / "crates/strategies/prompts"
NOTE, MERGE = ((PROMPTS / f"{name}.md").read_text("utf-8") for name in ("strata", "strata-merge"))
HEADING = "Notes on earlier work:\n\n"
WORDS = "What the user said then:\n"
CUT = " […]"

BYTES = 4
"""Of a token, about. Lengths are in bytes of UTF-8."""
SHOWN = 4_000 * BYTES
"""Results and arguments are cut to about so much in what a note is made of."""
SAID = 400 * BYTES
"""Most of each message of the user in a summary."""
KEPT = 2.0 / 3.0
"""How much of the budget for turns stays full where it is passed."""


@dataclass
class Strata:
    """The parameters. The first is a share of the window, all other shares are of the room."""

    limit_share: float = 0.80  # it acts where prompt and longest answer reach this
    raw_share: float = 0.06  # the newest messages; until half as much can be noted, all stay
    words_share: float = 0.85  # the turns before them that are words, digests and notes
    summaries_share: float = 0.10  # the summaries; the oldest are merged earlier beyond it
    user_share: float = 0.01  # the user's words that a summary keeps, the newest first
    note_share: float = 0.008  # the longest note; with 0 no model is asked for any
    short: int = 100  # results of up to so many tokens stand in a digest
    text: int = 60  # most tokens of each text of the agent in a digest
    argument: int = 10  # most tokens of each argument in a digest; without any, no calls
    fold: int = 4  # summaries of a level that become one of the next

    def room(self, question: proctor.Question) -> int:
        """What messages may take before it acts."""
        beyond = int(question.budget["window"] * (1.0 - self.limit_share))
        return max(0, most(question) - beyond)


def most(question: proctor.Question) -> int:
    """The most that messages can take."""
    budget = question.budget
    fixed = budget["system"] + budget["schemas"] + budget["max-output"]
    return max(0, budget["window"] - fixed)


@proctor.strategy(name="strata", version="1", level="plan")
def strata(view: list[dict[str, Any]], question: proctor.Question) -> p.Plan | str:
    given = question.parameters.items()
    own = Strata(**{key.removesuffix("-tokens").replace("-", "_"): one for key, one in given})
    if question.tokens < own.room(question) and not question.forced:
        return "the limit is not reached"
    past = Past.of(view, question.memory)
    following = Next(own, view, own.room(question), Layers.of(view, own, question), past)
    # Recovery does not hang on another answer of a model.
    if not following.plan(asks=question.hook not in ("overflow", "output-limit")):
        return "every layer is within its share"
    question.memory = past.memory(view)
    accept: list[p.Accept] = ["not-larger"] if following.requests else []
    return p.plan(following.slots, requests=following.requests, accept=accept)


@dataclass
class Next:
    """The next view in the making."""

    strata: Strata
    view: Entries
    room: int
    layers: Layers
    past: Past
    slots: list[p.Slot] = field(default_factory=list)
    requests: list[p.Request] = field(default_factory=list)

    def plan(self, asks: bool) -> bool:
        """Whether it is another one. Without `asks`, nothing is noted or merged."""
        changed = self.summaries(asks)
        for turn in self.layers.turns:
            changed |= self.lay(turn)
        batch = self.view[self.layers.batch]
        if asks and batch and self.strata.note_share > 0:
            self.request(1, NOTE, [piece for entry in batch for piece in whole(entry)])
            covers = self.past.made(batch, level=1 + self.past.level(batch))
            # The digests stand for the same messages, so these are named as messages of the log.
            note = p.new(p.answer(1), covers="nothing")
            note["new"]["covers"] = {"log": covers}
            self.slots.append(note)
            changed = True
        if self.layers.raw < len(self.view):
            self.slots.append(p.keeps(self.view[self.layers.raw], self.view[-1]))
        return changed

    def summaries(self, asks: bool) -> bool:
        """The third layer; whether it changes."""
        view, room = self.view, int(self.room * self.strata.summaries_share)
        run = self.layers.merged(view, self.past, self.strata.fold, room) if asks else slice(0, 0)
        merged = view[run]
        self.slots += p.keep_each(view[: run.start])
        if merged:
            if self.strata.note_share > 0:
                self.request(0, MERGE, quotes(merged, "\n\n"))
                self.summary(merged, [p.answer(0)], level=1 + self.past.level(merged))
            else:
                self.summary(merged, [], level=0)
        self.slots += p.keep_each(view[run.stop : self.layers.summarized])
        self.slots += p.keep_each([one for one in view[self.layers.old] if is_system(one)])
        old = [one for one in view[self.layers.old] if not is_system(one)]
        if old:
            notes = [one for one in old if is_summary(one)]
            self.summary(old, quotes(notes, "\n"), level=self.past.level(notes))
        return bool(merged or old)

    def request(self, number: int, words: str, material: list[p.Piece]) -> None:
        longest = int(self.room * self.strata.note_share)
        # With nothing to recover by, an empty answer is a failure. After one the view stays.
        fails: dict[p.Failure, list[p.Recovery]] = {"empty": []}
        asked = p.request(number, words, *material, system="", max_tokens=longest, recover=fails)
        self.requests.append(asked)

    def summary(self, of: Entries, notes: list[p.Piece], level: int) -> None:
        """A summary in the place of entries, with the user's words among them. It has the user's
        role, and stands there even where nothing is left to say: no answer may come first."""
        words = self.past.said(of, int(self.room * self.strata.user_share) * BYTES)
        pieces: list[p.Piece] = []
        for heading, told in ((HEADING, notes), (WORDS, words)):
            if told:
                pieces += [p.literal(heading), *told, p.literal("\n\n")]
        self.slots.append(p.new(*pieces, covers=of))
        self.past.made(of, level)

    def lay(self, turn: Digest) -> bool:
        """The slots of a turn; whether they change anything."""
        if turn.is_told:
            self.slots += p.keep_each(turn.entries)
            return False
        self.slots += p.keep_each(turn.said)
        if turn.work:
            told = turn.told.pieces
            self.slots.append(p.new(*told, role="assistant", kind="notice", covers=turn.work))
            self.past.made(turn.work, level=0)
        self.slots += p.keep_each(turn.notes)
        return True


@dataclass
class Layers:
    """The places of the layers of a view, oldest first."""

    summarized: int  # what stands before it are system messages and summaries
    old: slice  # the turns that become a summary
    turns: list[Digest]  # the turns behind them, as they are to be told
    batch: slice  # what is to be noted; empty where it is too little
    raw: int  # from here on everything stays

    @staticmethod
    def of(view: Entries, strata: Strata, question: proctor.Question) -> Layers:
        # A refused prompt says that the estimate was wrong; and who asks for room wants some.
        share, room = (0.5 if question.forced else 1.0), strata.room(question)
        system = count_while(is_system, view)
        summarized = system + count_while(is_summary, view[system:])
        asked = (at for at, entry in enumerate(view) if entry["role"] == "assistant")
        unread = max(max(asked, default=len(view)), summarized)
        cuts = seams(view)
        raw = reach(view, cuts, summarized, unread, int(room * (strata.raw_share * share)))
        noted = max((at + 1 for at, entry in enumerate(view) if is_summary(entry)), default=0)
        start = max(seam(cuts, min(max(noted, summarized), raw)), summarized)
        # A note is worth its call where there is something to note.
        if tokens(view[start:raw]) < int(room * (strata.raw_share / 2.0 * share)):
            raw = start
        turns = turns_of(view, cuts, range(summarized, raw), strata)
        # A large result that nobody has read yet leaves less for what is before it.
        left = max(0, most(question) - tokens(view[:summarized]) - tokens(view[raw:]))
        older, turns = folded(turns, min(int(room * (strata.words_share * share)), left))
        old = slice(summarized, summarized + sum(len(turn.entries) for turn in older))
        return Layers(summarized, old, turns, slice(start, raw), raw)

    def merged(self, view: Entries, past: Past, fold: int, most: int) -> slice:
        """The oldest summaries of the lowest level that has so many; of any level where all of
        them are more than `most`."""
        first = count_while(is_system, view[: self.summarized])
        summaries = view[first : self.summarized]
        full, start = slice(0, 0), first
        for _, run in itertools.groupby(summaries, lambda entry: past.level([entry])):
            length = len(list(run))
            if length >= fold:
                full = slice(start, start + fold)  # levels fall, so the last such is the lowest
            start += length
        if full.stop == 0 and tokens(summaries) > most and len(summaries) > 1:
            return slice(first, first + min(fold, len(summaries)))
        return full


def reach(view: Entries, cuts: list[bool], start: int, end: int, budget: int) -> int:
    """How far back a budget reaches, to the beginning of a step, at `end` or before."""
    place, taken = len(view), 0
    while place > start:
        taken += view[place - 1]["tokens"]
        if taken > budget and place <= end:
            break
        place -= 1
    return max(seam(cuts, place), start)


def seams(view: Entries) -> list[bool]:
    """Of each place, the end among them: whether a cut there parts no result from its call."""
    calls = {call["id"]: at for at, entry in enumerate(view) for call in entry.get("calls", ())}
    cuts, earliest = [True] * (len(view) + 1), len(view)
    for place in reversed(range(len(view))):
        earliest = min(earliest, calls.get(view[place].get("answers"), earliest))
        cuts[place] = earliest >= place
    return cuts


def seam(cuts: list[bool], place: int) -> int:
    """The last place up to this one at which no call is parted from its results."""
    return next((at for at in range(place, -1, -1) if cuts[at]), 0)


def turns_of(view: Entries, cuts: list[bool], places: range, strata: Strata) -> list[Digest]:
    """The turns of a stretch, or the parts of turns that lie in it. None begins between a call and
    its result."""
    starts = [at for at in places if at == places.start or (cuts[at] and is_user(view[at]))]
    ends = [*starts[1:], places.stop]
    return [Digest(view[start:end], strata) for start, end in zip(starts, ends, strict=False)]


def folded(turns: list[Digest], budget: int) -> tuple[list[Digest], list[Digest]]:
    """Turns that are too old, and the others. A third of the budget is freed at once, so that
    this is rare."""
    if sum(turn.tokens for turn in turns) <= budget:
        return [], turns
    newest = itertools.accumulate(turn.tokens for turn in reversed(turns))
    kept = count_while(lambda taken: taken <= int(budget * KEPT), newest)
    return turns[: len(turns) - kept], turns[len(turns) - kept :]


class Digest:
    """A turn, or the part of one, as the second layer tells it: in few words, without a model."""

    def __init__(self, entries: Entries, strata: Strata) -> None:
        head = 1 if is_user(entries[0]) else 0
        self.entries = entries
        self.said, rest = entries[:head], entries[head:]
        self.notes = [entry for entry in rest if is_summary(entry) or is_system(entry)]
        self.work = [entry for entry in rest if not (is_summary(entry) or is_system(entry))]
        self.told = Told()
        for entry in self.work:
            if is_digest(entry):
                self.told.quote(entry, len(entry["content"]))
            else:
                self.told.add_entry(entry, strata)
        stands, digest = tokens(self.work), self.told.bytes // BYTES
        # Whether all of it is told already, or is no longer than a digest of it.
        self.is_told = digest >= stands or all(map(is_digest, self.work))
        self.tokens = tokens([*self.said, *self.notes]) + (stands if self.is_told else digest)


class Told:
    """A digest in the making: beginnings of texts, calls and short results, each on its line."""

    def __init__(self) -> None:
        self.pieces: list[p.Piece] = []
        self.bytes = 0
        self.calls: set[str] = set()

    def add_entry(self, entry: p.Entry, strata: Strata) -> None:
        text = entry["content"]
        if entry["role"] == "tool":
            self.quote(entry, len(text) if size(text) <= strata.short * BYTES else 0)
        else:
            self.quote(entry, beginning(text, strata.text * BYTES))
        for call in entry.get("calls", ()) if strata.argument > 0 else ():
            line = f"({call['name']}{arguments(call['args'], strata.argument * BYTES)})\n"
            if line not in self.calls:
                self.calls.add(line)
                self.bytes += size(line)
                self.pieces.append(p.extract(line, p.of_call(entry, call["id"])))

    def quote(self, entry: p.Entry, length: int) -> None:
        """A line of so many characters of an entry."""
        if length > 0:
            self.bytes += size(entry["content"][:length]) + 1
            self.pieces += [p.quote(entry, 0, length), p.literal("\n")]


def arguments(args: str, most: int) -> str:
    """The texts among the arguments of a call, each from its beginning, in the order of keys."""
    try:
        table = json.loads(args)
        texts = [table[key] for key in sorted(table)] if isinstance(table, dict) else []
        begun = [one[: beginning(one, most)] for one in texts if isinstance(one, str)]
    except (ValueError, RecursionError):  # no JSON, or no text
        return ""
    return "".join(" " + one.replace("\n", " ") for one in begun if one)


# Words are kept whole: half a name is another name. A space is what Unicode and Rust call one;
# Python's own `isspace` has four control characters more.
SPACE = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


def beginning(text: str, most: int) -> int:
    """How many characters of a text so many bytes hold, to the end of a word."""
    if size(text) <= most:
        return len(text)
    held = text.encode()[:most].decode(errors="ignore")
    return max((space.start() for space in SPACE.finditer(held)), default=0)


def ends(quote: Callable[[int, int], p.Piece], text: str, most: int) -> list[p.Piece]:
    """A text whole, or its beginning and end in whole words."""
    if size(text) <= most:
        return [quote(0, len(text))]
    rest = text.encode()[size(text) - most // 2 :].decode(errors="ignore")
    space = SPACE.search(rest)
    tail = len(text) - len(rest) + space.start() if space else len(text)
    return [quote(0, beginning(text, most // 2)), p.literal(CUT), quote(tail, len(text))]


def whole(entry: p.Entry) -> list[p.Piece]:
    """The entry as a note's writer sees it."""
    pieces = [p.literal(f"[{entry['role']}] ")]
    pieces += ends(lambda *part: p.quote(entry, *part), entry["content"], SHOWN)
    for call in entry.get("calls", ()):
        part_of = partial(p.quote_call, entry, call["id"])
        told = ends(part_of, call["args"], SHOWN)
        pieces += [p.literal(f" [{call['name']} "), *told, p.literal("]")]
    return [*pieces, p.literal("\n")]


@dataclass
class Past:
    """What an agent knows of its log and the protocol does not send: which messages an entry
    stands for, its level (through how many summaries its words went), and what the user said in
    messages that have left. It is kept as memory. Only a plan changes that: between two plans
    nothing leaves the view, so all that came since the last one is there to be read."""

    newest: int = -1  # the last entry that is known
    messages: int = 0  # so many of the log are known
    known: dict[str, tuple[Spans, int]] = field(default_factory=dict)  # by entry: covers, level
    typed: list[tuple[int, int, list[p.Piece]]] = field(default_factory=list)
    coming: list[tuple[Spans, int]] = field(default_factory=list)  # of the last plan, in order

    @staticmethod
    def of(view: Entries, memory: dict[str, Any] | None) -> Past:
        past = Past(**copy.deepcopy(memory or {}))
        # Where the last plan failed, none of its entries is there.
        coming, past.coming = iter(past.coming), []
        for entry in view:
            if entry["id"] > past.newest:
                is_message = entry["kind"] == "message"
                past.known[str(entry["id"])] = past.append(entry) if is_message else next(coming)
        past.newest = max([past.newest, *(entry["id"] for entry in view)])
        return past

    def append(self, entry: p.Entry) -> tuple[Spans, int]:
        """The next message of the log."""
        call = next((call["id"] for call in entry.get("calls", ())), entry.get("answers") or "")
        if call.startswith("again-"):
            return [], 0  # in the closed loop the agent asks again, and the log does not have it
        number, text = self.messages, entry["content"]
        self.messages += 1
        if entry["role"] == "user" and entry["author"] == "human":
            # A message of the log is quoted in bytes: the view need not hold it.
            def quote(*part: int) -> p.Piece:
                places = [size(text[:place]) for place in part]
                return p.Piece({"quote": {"of": {"log": number}, "bytes": places}})

            self.typed.append((number, min(size(text), SAID), ends(quote, text, SAID)))
        return [[number, number + 1]], 0

    def level(self, of: Entries) -> int:
        return max((self.known[str(entry["id"])][1] for entry in of), default=0)

    def made(self, of: Entries, level: int) -> Spans:
        """A new entry in the place of others; the messages that it stands for."""
        covers = self.covers(of)
        self.coming.append((covers, level))
        return covers

    def covers(self, of: Entries) -> Spans:
        covers: Spans = []
        for start, end in sorted(one for each in of for one in self.known[str(each["id"])][0]):
            if covers and start <= covers[-1][1]:
                covers[-1] = [covers[-1][0], max(covers[-1][1], end)]
            else:
                covers.append([start, end])
        return covers

    def said(self, of: Entries, left: int) -> list[p.Piece]:
        """What the user said in their messages, the newest within the budget; in order."""
        covered = self.covers(of)
        told: list[p.Piece] = []
        for number, length, words in reversed(self.typed):
            if any(start <= number < end for start, end in covered):
                left -= length
                if left < 0:
                    break
                told = [p.literal("\n- "), *words, *told]
        return told

    def memory(self, view: Entries) -> dict[str, Any]:
        ids = [str(entry["id"]) for entry in view]
        return vars(self) | {"known": {key: self.known[key] for key in ids}}


def is_system(entry: p.Entry) -> bool:  # what nobody may take away
    return bool(entry["role"] == "system")


def is_user(entry: p.Entry) -> bool:
    return bool(entry["role"] == "user" and entry["kind"] == "message")


def is_summary(entry: p.Entry) -> bool:
    return bool(entry["kind"] == "summary")


def is_digest(entry: p.Entry) -> bool:  # of an earlier time
    return bool(entry["kind"] == "notice")


def quotes(entries: Entries, behind: str) -> list[p.Piece]:
    return [piece for entry in entries for piece in (p.quote(entry), p.literal(behind))]


def tokens(entries: Entries) -> int:
    # By the reference counter, which is the pipeline's where its file names no other.
    return sum(entry["tokens"] for entry in entries)


def size(text: str) -> int:
    return len(text.encode())


def count_while(holds: Callable[[Any], bool], of: Iterable[Any]) -> int:
    return sum(1 for _ in itertools.takewhile(holds, of))


if __name__ == "__main__":
    strata.serve()
