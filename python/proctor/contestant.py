"""A strategy as a program: version 1 of the strategy protocol over standard input and output."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any, Literal, overload

from ._channel import Channel, Gone, Message, encoded, interrupts_ignored
from ._view import TrackedList, replace_end, restore, tracked

__all__ = [
    "Compact",
    "Completion",
    "Message",
    "ModelError",
    "Question",
    "Raise",
    "Strategy",
    "strategy",
]

PROTOCOL = 1
"""The version of the protocol."""

Level = Literal["list", "plan"]
Shape = Literal["openai", "anthropic"]


class ModelError(Exception):
    """The model did not answer. ``kind`` is overflow, error, time-out or refusal."""

    def __init__(
        self, kind: str, message: str, status: int | None = None, request: int = 0
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.request = request


class Raise(Exception):
    """Ends the session: an agent with this strategy would have stopped."""


@dataclass(frozen=True)
class Completion:
    """What the model answered."""

    text: str
    finish: str
    """``stop``, ``length`` or ``tool-call``."""
    request: int
    """The number under which a plan may use the answer."""


@dataclass(slots=True)
class Question:
    """Why the strategy is asked, and what it may use to answer.

    Proctor's questions have every field. A test of a strategy makes its own, with the fields that
    it needs: ``Question(tokens=90_000)``.
    """

    hook: str = "before-call"
    """The moment: ``before-call``, ``overflow``, ..."""
    forced: bool = False
    """Compact now, whatever your own threshold says."""
    turn: int = 1
    """The number of user messages so far."""
    budget: Mapping[str, int] = field(default_factory=dict)
    """``window``, ``max-output``, ``system`` and ``schemas``, in tokens."""
    tokens: int = 0
    """Tokens of the view."""
    pressure: Mapping[str, int] | None = None
    """``used``, ``limit`` and ``target`` in tokens, where the stage reads a pressure."""
    memory: Any = None
    """What you set here is given back with the next question of the session. It is JSON."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The stage's table ``parameters``."""
    _ask: Callable[[Message], Message] | None = field(default=None, repr=False, compare=False)

    def complete(
        self,
        messages: str | Sequence[Mapping[str, Any]],
        *,
        system: str | None = None,
        max_tokens: int | None = None,
        model: str | None = None,
    ) -> Completion:
        """Asks the model. A text is one message of the user. Raises :class:`ModelError`.

        Threads may call it at the same time; their calls are answered one after the other.
        """
        if self._ask is None:
            raise RuntimeError("the model can be asked only while Proctor waits for the answer")
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        request: Message = {"type": "complete", "messages": list(messages)}
        optional = (("system", system), ("max-tokens", max_tokens), ("model", model))
        request.update((key, value) for key, value in optional if value is not None)
        reply = self._ask(request)
        if reply["type"] == "completion":
            return Completion(reply["text"], reply["finish"], reply["request"])
        if reply["type"] == "failure":
            status = reply.get("status")
            raise ModelError(reply["class"], reply["message"], status, reply["request"])
        raise RuntimeError(f"no reply to a call of the model: {reply['type']!r}")


Compact = Callable[[list[Message], Question], Any]
"""A function of the view and the question. :func:`strategy` says what it returns."""


class Strategy:
    """A function as a strategy. It can still be called as a function, for example in a test."""

    def __init__(
        self,
        function: Compact,
        hello: Mapping[str, Any],
        reset: Callable[[], object] | None = None,
    ) -> None:
        self.function = function
        self.hello = dict(hello)
        self.reset = reset
        self.__doc__ = function.__doc__

    def __call__(self, view: list[Message], question: Question) -> Any:
        return self.function(view, question)

    def __repr__(self) -> str:
        return f"Strategy({self.hello['name']!r}, version={self.hello['version']!r})"

    def serve(self) -> None:
        """Answers Proctor until it says ``shutdown`` or ends.

        ``print`` goes to standard error, so that it cannot disturb the protocol. An exception of
        the function ends the program with exit code 1 and its traceback on standard error; Proctor
        records it as a crash. Ctrl-C is left to Proctor.
        """
        channel = Channel.take_over()
        by_hand = channel.is_by_hand()
        if by_hand:
            file = sys.argv[0] or "FILE"
            print(f'Proctor starts this program: proctor run smoke --strategy "python3 {file}"')
        with ExitStack() as stack:
            stack.enter_context(closing(channel))
            if not by_hand:
                stack.enter_context(interrupts_ignored())
            try:
                _Service(self, channel).run()
            except Gone:
                pass
            except KeyboardInterrupt:
                sys.exit(130)
            except Exception:
                # Before the stream is closed: then Proctor may end the program at once.
                traceback.print_exc()
                sys.exit(1)


class _Service:
    """What one process knows: the parameters, and the view of the session."""

    def __init__(self, strategy: Strategy, channel: Channel) -> None:
        self.strategy = strategy
        self.channel = channel
        self.view = TrackedList()
        self.parameters: Mapping[str, Any] = {}

    def run(self) -> None:
        while True:
            message = self.channel.receive()
            kind = message["type"]
            if kind == "evaluate":
                replace_end(self.view, message["keep"], message["view"])
                self.channel.send(self.answer(message))
                restore()
            elif kind == "reset":
                self.view = TrackedList()
                if self.strategy.reset is not None:
                    self.strategy.reset()
                self.channel.send({"type": "ready"})
            elif kind == "hello":
                self.parameters = tracked(message.get("parameters") or {})
                hello = {"type": "hello", "protocol": PROTOCOL, "keeps-view": True}
                self.channel.send({**hello, **self.strategy.hello})
            elif kind == "shutdown":
                return
            else:
                raise RuntimeError(f"Proctor sent an unknown message: {kind!r}")

    def answer(self, message: Message) -> Message:
        question = Question(
            message["hook"],
            message["forced"],
            message["turn"],
            message["budget"],
            message["tokens"],
            message["pressure"],
            message["memory"],
            self.parameters,
            self.channel.ask,
        )
        before = _comparable(question.memory)
        try:
            reply = self.reply(self.strategy.function(self.view, question))
        except Raise as error:
            return {"type": "raise", "reason": str(error)}
        finally:
            question._ask = None
        if _comparable(question.memory) != before:
            reply["memory"] = question.memory
        return reply

    def reply(self, answer: Any) -> Message:
        if answer is None:
            return {"type": "decline"}
        if isinstance(answer, str):
            return {"type": "decline", "reason": answer}
        if self.strategy.hello["level"] == "plan":
            if not isinstance(answer, dict):
                raise TypeError(f"a plan is a dict, not {type(answer).__name__}")
            return {"type": "plan", "plan": answer}
        messages = [] if isinstance(answer, Mapping) else list(answer)
        if isinstance(answer, Mapping) or not all(isinstance(one, dict) for one in messages):
            raise TypeError("a strategy of level list returns a list of messages, each a dict")
        return {"type": "messages", "messages": messages}


def _comparable(memory: Any) -> object:
    """What tells a memory from another one, also where the same object was changed."""
    if memory is None or isinstance(memory, (str, int, float)):
        return type(memory), memory
    return encoded(memory)


@overload
def strategy(function: Compact, /) -> Strategy: ...


@overload
def strategy(
    *,
    name: str | None = None,
    version: str = "0",
    level: Level = "list",
    shape: Shape = "openai",
    reset: Callable[[], object] | None = None,
) -> Callable[[Compact], Strategy]: ...


def strategy(
    function: Compact | None = None,
    /,
    *,
    name: str | None = None,
    version: str = "0",
    level: Level = "list",
    shape: Shape = "openai",
    reset: Callable[[], object] | None = None,
) -> Strategy | Callable[[Compact], Strategy]:
    """Makes a strategy of a function of the view and the :class:`Question`.

    At level ``list`` the function returns the next messages, at level ``plan`` a plan (see
    :mod:`proctor.plan`). ``None`` leaves the view as it is; so does a text, which is the reason.

    The view is a list of dicts. The function may change the list and the dicts in it: what it
    changes and does not return is undone before the next question. The list is the same object at
    each question, so a function that keeps something of it keeps a copy (``copy.deepcopy``).

    ``name`` is the function's name where it is absent. ``shape`` is how messages of level ``list``
    are written. ``reset`` is called where another session begins.
    """
    if level not in ("list", "plan"):
        raise ValueError(f'level is "list" or "plan", not {level!r}')
    if shape not in ("openai", "anthropic"):
        raise ValueError(f'shape is "openai" or "anthropic", not {shape!r}')

    def made(function: Compact) -> Strategy:
        own = name or getattr(function, "__name__", "strategy").replace("_", "-")
        hello = {"name": own, "version": str(version), "level": level}
        hello |= {"shape": shape} if level == "list" else {"ranges": "characters"}
        return Strategy(function, hello, reset)

    return made if function is None else made(function)
