"""Strategies as programs, driven by the small Proctor."""

from __future__ import annotations

import json
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import proctor
from harness import Harness, user

Start = Callable[..., Harness]


@pytest.fixture
def start(tmp_path: Path) -> Any:
    """Starts a program whose function has this body."""
    started: list[Harness] = []

    def made(body: str, options: str = "", before: str = "", **named: Any) -> Harness:
        head = f"{before}\n@proctor.strategy({options})\ndef my_way(messages, question):\n"
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        harness = Harness(head + lines + "my_way.serve()\n", tmp_path, **named)
        started.append(harness)
        return harness

    yield made
    for harness in started:
        harness.__exit__()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("", {"name": "my-way", "version": "0", "level": "list", "shape": "openai"}),
        ("name='a', version='1.2', shape='anthropic'", {"name": "a", "shape": "anthropic"}),
        ("level='plan'", {"level": "plan", "ranges": "characters"}),
    ],
)
def test_hello(start: Start, options: str, told: dict[str, str]) -> None:
    hello = start("return None", options).hello()
    assert hello.items() >= {"type": "hello", "protocol": 1, "keeps-view": True}.items()
    assert hello.items() >= told.items()


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("return None", {"type": "decline"}),
        ("return 'not yet'", {"type": "decline", "reason": "not yet"}),
        ("return messages[1:]", {"type": "messages", "messages": [user(2, "b")]}),
        ("return (m for m in messages[:1])", {"type": "messages", "messages": [user(1, "a")]}),
        ("return []", {"type": "messages", "messages": []}),
        ("raise proctor.Raise('over')", {"type": "raise", "reason": "over"}),
        (
            "return str([question.hook, question.turn, question.budget['window'],"
            " question.parameters])",
            {"type": "decline", "reason": "['before-call', 1, 100000, {'keep': 3}]"},
        ),
    ],
)
def test_answers(start: Start, body: str, answer: dict[str, Any]) -> None:
    harness = start(body)
    harness.hello(keep=3)
    assert harness.evaluate([user(1, "a"), user(2, "b")]) == answer
    assert harness.end() == (0, "")


def test_plan(start: Start) -> None:
    harness = start("return proctor.plan.plan(proctor.plan.keep(messages[0]))", "level='plan'")
    harness.hello()
    plan = {"layout": {"whole": [{"keep": 7}]}, "requests": []}
    assert harness.evaluate([{"id": 7, "content": ""}]) == {"type": "plan", "plan": plan}


def test_the_view_is_kept_and_may_be_changed(start: Start) -> None:
    body = """
before = [m["content"] for m in messages]
call = messages[0].get("tool_calls")
if call:
    call[0]["function"]["arguments"] = "{}"
messages[-1]["content"] = "gone"
messages.pop(0)
messages.append({"role": "user", "content": "new"})
if question.forced:
    return messages
return str(before)
"""
    harness = start(body)
    harness.hello()
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    first = {"id": "1", "role": "assistant", "content": "", "tool_calls": [call]}
    view = [first, user(2, "b")]
    assert harness.evaluate(view)["reason"] == "['', 'b']"
    view = [*view, user(3, "c")]
    assert harness.evaluate(view)["reason"] == "['', 'b', 'c']"
    forced = harness.evaluate(view, forced=True)["messages"]
    assert [m["content"] for m in forced] == ["b", "gone", "new"]
    assert harness.evaluate(view[1:])["reason"] == "['b', 'c']"
    assert harness.evaluate(view)["reason"] == "['', 'b', 'c']"
    harness.reset()
    assert harness.evaluate([user(9, "z")])["reason"] == "['z']"


def test_any_order_of_views_arrives_as_it_is(start: Start) -> None:
    body = """
seen = json.dumps(messages)
for message in chance.sample(messages, len(messages) // 2):
    message["content"] = "changed"
    message.get("parts", []).append("more")
chance.shuffle(messages)
del messages[chance.randrange(4):]
return seen
"""
    harness = start(body, before="import json, random\nchance = random.Random(1)")
    harness.hello()
    chance = random.Random(2)
    view: list[dict[str, Any]] = []
    for number in range(300):
        view = view[: chance.randrange(len(view) + 2)]
        view = [*view, {**user(number), "parts": [number]}, user(number, "b" * chance.randrange(9))]
        assert json.loads(harness.evaluate(view)["reason"]) == view


def test_parameters_are_the_same_at_each_question(start: Start) -> None:
    harness = start("question.parameters['list'].append(1)\nreturn str(question.parameters)")
    harness.hello(list=[0])
    assert [harness.evaluate([user(1)])["reason"] for _ in "ab"] == ["{'list': [0, 1]}"] * 2


def test_large_messages(start: Start) -> None:
    harness = start("return messages * 3")
    harness.hello()
    assert len(harness.evaluate([user(1, "ä" * 1_000_000)])["messages"]) == 3


@pytest.mark.parametrize(
    ("body", "remembered"),
    [
        ("question.memory = (question.memory or 0) + 1", [1, 2]),
        (
            "question.memory = question.memory or {'n': 0}\nquestion.memory['n'] += 1",
            [{"n": 1}, {"n": 2}],
        ),
        ("question.memory = 1", [1, None]),
        ("question.memory = True if question.memory == 1 else 1", [1, True]),
        ("question.memory = [1]", [[1], None]),
    ],
)
def test_memory_is_sent_where_it_changed(start: Start, body: str, remembered: list[Any]) -> None:
    harness = start(body)
    harness.hello()
    answers = [harness.evaluate([user(1)]).get("memory") for _ in remembered]
    assert list(map(json.dumps, answers)) == list(map(json.dumps, remembered))


def test_the_model_is_asked(start: Start) -> None:
    body = """
done = question.complete("Summarize.", system="You.", max_tokens=9)
try:
    question.complete(messages, model="m")
except proctor.ModelError as error:
    return str([done.text, done.finish, done.request, error.kind, error.status, error.request])
"""

    def model(call: dict[str, Any]) -> dict[str, Any]:
        if "model" in call:
            return {"type": "failure", "class": "error", "status": 500, "message": "no"}
        return {"type": "completion", "text": "sum", "finish": "stop"}

    harness = start(body, model=model)
    harness.hello()
    said = harness.evaluate([user(1)])["reason"]
    assert said == "['sum', 'stop', 1000000, 'error', 500, 1000001]"
    asked = [{"role": "user", "content": "Summarize."}]
    first = {"type": "complete", "messages": asked, "system": "You.", "max-tokens": 9}
    assert harness.calls == [first, {"type": "complete", "messages": [user(1)], "model": "m"}]


def test_threads_ask_one_after_the_other(start: Start) -> None:
    body = """
with ThreadPoolExecutor(8) as pool:
    texts = list(pool.map(lambda n: question.complete(str(n)).text, range(40)))
return ",".join(texts)
"""

    def model(call: dict[str, Any]) -> dict[str, Any]:
        return {"type": "completion", "text": call["messages"][0]["content"], "finish": "stop"}

    harness = start(body, before="from concurrent.futures import ThreadPoolExecutor", model=model)
    harness.hello()
    assert harness.evaluate([user(1)])["reason"] == ",".join(map(str, range(40)))


def test_an_answered_question_asks_no_more(start: Start) -> None:
    body = "kept.append(question)\nif len(kept) == 2:\n    kept[0].complete('late')"
    harness = start(body, before="kept = []")
    harness.hello()
    harness.evaluate([user(1)])
    with pytest.raises(EOFError):
        harness.evaluate([user(1)])
    assert "only while Proctor waits" in harness.end()[1]


def test_nothing_but_the_protocol_reaches_standard_output(start: Start) -> None:
    body = """
print("by print \\ud800")
os.system("echo by a process")
os.write(1, b"by the system\\n")
assert sys.stdin.read() == ""
os.system("cat")
"""
    harness = start(body, before="import os\nprint('before serve')")
    harness.hello()
    assert harness.evaluate([user(1)]) == {"type": "decline"}
    code, said = harness.end()
    expected = ["before serve", "by print \\ud800", "by a process", "by the system"]
    assert (code, said.splitlines()) == (0, expected)


def test_lone_surrogates_become_replacements(start: Start) -> None:
    harness = start("messages[0]['content'] += '\\ud83d\\ude00'\nreturn messages")
    harness.hello()
    said = harness.evaluate([user(1, "a\ud800b\udfff")])["messages"][0]["content"]
    assert said == "a\ufffdb\ufffd\U0001f600"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("return 1 / 0", "ZeroDivisionError"),
        ("return [float('nan')]", "each a dict"),
        ("return [{'role': 'user', 'content': float('nan')}]", "ValueError"),
        ("return [{'role': 'user', 'content': object()}]", "not JSON serializable"),
        ("return {'messages': []}", "each a dict"),
        ("return 5", "TypeError"),
    ],
)
def test_a_crash_has_a_traceback(start: Start, body: str, named: str) -> None:
    harness = start(body)
    harness.hello()
    with pytest.raises(EOFError):
        harness.evaluate([user(1)])
    code, said = harness.end()
    assert code == 1
    assert named in said
    assert "Traceback" in said


def test_a_crash_is_seen_at_once_where_a_thread_goes_on(start: Start) -> None:
    before = "import threading, time"
    harness = start("threading.Thread(target=time.sleep, args=(30,)).start()\n1 / 0", "", before)
    harness.hello()
    with pytest.raises(EOFError):
        harness.evaluate([user(1)])
    assert harness.process.poll() is None


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_is_left_to_proctor(start: Start) -> None:
    harness = start("time.sleep(0.3)", before="import time")
    harness.hello()
    harness.process.send_signal(signal.SIGINT)
    assert harness.evaluate([user(1)]) == {"type": "decline"}
    assert harness.end() == (0, "")


def test_the_end_of_the_stream_is_the_end(start: Start) -> None:
    harness = start("try:\n    question.complete('x')\nexcept Exception:\n    pass")
    harness.hello()
    harness.send(
        {
            "type": "evaluate",
            "hook": "",
            "forced": True,
            "turn": 1,
            "budget": {},
            "tokens": 1,
            "pressure": None,
            "memory": None,
            "keep": 0,
            "view": [],
        }
    )
    assert harness.receive()["type"] == "complete"
    assert harness.end(close=True) == (0, "")


def test_reset_is_told(start: Start) -> None:
    before = "seen = []"
    harness = start("return str(len(seen))", "reset=lambda: seen.append(1)", before)
    harness.hello()
    harness.reset()
    assert harness.evaluate([user(1)])["reason"] == "2"


def test_a_strategy_is_still_a_function() -> None:
    @proctor.strategy
    def mine(messages: list[proctor.Message], question: proctor.Question) -> Any:
        """Keeps the end."""
        return messages[-1:] if question.tokens > 5 else None

    assert mine([user(1), user(2)], proctor.Question(tokens=9)) == [user(2)]
    assert mine.__doc__ == "Keeps the end."
    with pytest.raises(RuntimeError):
        proctor.Question().complete("x")


@pytest.mark.parametrize("options", [{"level": "lists"}, {"shape": "gemini"}])
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is"):
        proctor.strategy(**options)
