"""A session in Proctor's log format as the steps of an agent, and the loop that times a contestant.

The drivers of frameworks import this from their own environments, so it needs Python alone.
"""

import argparse
import cProfile
import json
import pathlib
import pstats
import sys
import time

# What every summary says. A model would take seconds; here it takes none of the measured time.
SUMMARY = "The earlier part of the session was about the same project."


def log_messages(path):
    """The messages of a log (scenarios/FORMAT.md), in the shape of the OpenAI chat API."""
    messages = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            one = json.loads(line).get("message")
            if one:
                messages.append(openai_of(one))
    return messages


def truth_facts(log):
    """Statement and needles of each fact in the truth file beside a log."""
    with open(log.replace(".jsonl", ".truth.jsonl"), encoding="utf-8") as file:
        facts = [fact for line in file if (fact := json.loads(line).get("fact"))]
    return [
        (fact["statement"], tuple(text for one in fact["needles"] for text in one.values()))
        for fact in facts
    ]


def openai_of(one):
    message = {"id": str(one["id"]), "role": one["role"], "content": one["content"]}
    if one.get("calls"):
        message["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["args"]},
            }
            for call in one["calls"]
        ]
    if "answers" in one:
        message["tool_call_id"] = one["answers"]
    return message


def steps_of(messages):
    """For each call of the model, what has come since the call before: answer, results, request."""
    steps, new = [], []
    for message in messages:
        if message["role"] == "assistant":
            steps.append(new)
            new = []
        new.append(message)
    return steps


def chars4(text):
    return -(-len(text) // 4)


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("mechanism")
    parser.add_argument("log")
    parser.add_argument("--limit", type=int, required=True, help="tokens that the model would take")
    parser.add_argument("--every", type=int, default=1, help="ask at each so-many-th step alone")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so much CPU time")
    parser.add_argument("--sizes", action="store_true", help="print each view's size, untimed")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    parser.add_argument("--summary", default=SUMMARY)
    return parser.parse_args()


async def drive(contestant, steps, asked):
    if not asked.profile:
        return await driven(contestant, steps, asked)
    with cProfile.Profile() as profile:
        await driven(contestant, steps, asked)
    return {"functions": shares(pstats.Stats(profile).stats)}


def shares(stats):
    """Of the whole time, what functions take with all that they call; the driver's left out."""
    total = sum(row[2] for row in stats.values())
    rows = [
        (round(row[3] / total, 2), f"{pathlib.Path(file).stem}.{name}")
        for (file, _, name), row in stats.items()
        if "/drivers/" not in file and not file.startswith("~")
    ]
    return [{"share": share, "function": name} for share, name in sorted(rows, reverse=True)[:20]]


async def driven(contestant, steps, asked):
    """Appends and asks at each step. Only what the framework does is timed."""
    now = time.process_time
    appending = asking = 0.0
    calls, taken, sizes = 0, 0, []
    for number, new in enumerate(steps):
        before = now()
        await contestant.append(new)
        between = now()
        appending += between - before
        taken += 1
        if number % asked.every == 0:
            between = now()
            view = await contestant.before_call()
            asking += now() - between
            calls += 1
            contestant.sent(view)
            if asked.sizes:
                sizes.append(contestant.size(view))
        if appending + asking > asked.seconds:
            break
    return {
        "steps": len(steps),
        "steps_taken": taken,
        "steps_asked": calls,
        "append_seconds": appending,
        "ask_seconds": asking,
        "ms_per_step": 1000 * (appending / taken + asking / calls),
        "compactions": contestant.compactions,
        "last_view": len(view),
        "sizes": sizes,
    }


class Over(Exception):
    """The time that was given is used up."""


class Scripted:
    """A session as what a model answers and tools return, for whole agents."""

    def __init__(self, messages, seconds):
        self.results = {m["tool_call_id"]: m["content"] for m in messages if m["role"] == "tool"}
        self.requests = [m["content"] for m in messages if m["role"] == "user"]
        self.answers = [m for m in messages if m["role"] == "assistant"]
        named = (call["function"]["name"] for m in self.answers for call in m.get("tool_calls", []))
        self.tools = sorted(set(named))
        self.seconds = seconds
        self.steps = self.last_view = 0
        self.begun = 0.0

    def answer(self, view):
        if time.process_time() - self.begun > self.seconds:
            raise Over
        self.last_view = view
        self.steps += 1
        return self.answers[self.steps - 1]

    def drive(self, turn):
        """One call of the agent for each request of the user."""
        self.begun = time.process_time()
        try:
            for request in self.requests:
                turn(request)
        except Over:
            pass
        seconds = time.process_time() - self.begun
        return {
            "steps": len(self.answers),
            "steps_taken": self.steps,
            "steps_asked": self.steps,
            "ask_seconds": seconds,
            "ms_per_step": 1000 * seconds / self.steps,
            "last_view": self.last_view,
        }


def report(result):
    """One line of JSON."""
    print(json.dumps(result))
    sys.stdout.flush()
