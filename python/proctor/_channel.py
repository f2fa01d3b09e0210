"""JSON Lines over the two standard streams."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

Message = dict[str, Any]
"""A JSON object: a message of the protocol, of the agent's conversation, or an entry."""

_STDIN, _STDOUT, _STDERR = 0, 1, 2

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Gone(SystemExit):
    """Proctor has closed its side, so the program ends."""


def encoded(value: object) -> str:
    """JSON without spaces. What is no JSON raises ``TypeError`` or ``ValueError``."""
    return _encoder.encode(value)


def line(message: Message) -> bytes:
    """A message as a line. A lone surrogate, which UTF-8 does not have, becomes U+FFFD."""
    text = encoded(message)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    return data + b"\n"


class Channel:
    """The two streams. One message is sent, and one is waited for."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source = source
        self._sink = sink
        self._lock = threading.Lock()

    @classmethod
    def take_over(cls) -> Channel:
        """Takes the standard streams for the protocol.

        From here on, standard output is standard error, and standard input is empty: for ``print``,
        for ``input``, for libraries in C and for processes that the program starts.
        """
        source = os.fdopen(os.dup(_STDIN), "rb", buffering=1 << 16)
        sink = os.fdopen(os.dup(_STDOUT), "wb", buffering=0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, _STDIN)
        os.close(nothing)
        os.dup2(_STDERR, _STDOUT)
        # Only now: what was printed before and not yet written goes to standard error, too.
        sys.stdout.flush()
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
        return cls(source, sink)

    def is_by_hand(self) -> bool:
        """Whether somebody types the messages."""
        return self._source.isatty()

    def send(self, message: Message) -> None:
        """Sends a message. Raises :class:`Gone` where nobody listens any more."""
        data = memoryview(line(message))
        try:
            while data:
                data = data[self._sink.write(data) :]
        except OSError:
            raise Gone(0) from None

    def receive(self) -> Message:
        """Waits for a message. Raises :class:`Gone` at the end of the stream."""
        text = self._source.readline()
        if not text:
            raise Gone(0)
        message: Message = json.loads(str(text, "utf-8"))
        return message

    def ask(self, message: Message) -> Message:
        """Sends a message and waits for the reply. Threads take turns."""
        with self._lock:
            self.send(message)
            return self.receive()

    def close(self) -> None:
        """Closes the program's side, so that Proctor sees the end at once."""
        self._sink.close()


@contextlib.contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Leaves Ctrl-C to Proctor, which ends its programs itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # A handler of Python, not SIG_IGN: processes that the program starts do not inherit it.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
