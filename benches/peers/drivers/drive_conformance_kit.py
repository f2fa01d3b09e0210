"""compaction-conformance-kit: its own corpus, and Proctor's sessions as cases of its form.

A case is what the kit calls a run: one session, one of its compactors, five rounds, and after each
round every canary looked up in what is left.
"""

import json
import sys
import time
from functools import partial

from compaction_kit.canaries import Canary, CanaryType
from compaction_kit.compactors import (
    ChecklistCompactor,
    LossyTruncationCompactor,
    NaiveSummaryCompactor,
)
from compaction_kit.corpus import build_random_session
from compaction_kit.runner import run_conformance
from compaction_kit.session import SeededSession, Turn

from session import log_messages, truth_facts

COMPACTORS = (LossyTruncationCompactor, NaiveSummaryCompactor, ChecklistCompactor)
SEEDS = range(1, 13)
ROUNDS = 5


def text_of(one):
    calls = (call["function"]["arguments"] for call in one.get("tool_calls", []))
    return "\n".join([one["content"], *calls])


def own_session(log):
    turns = tuple(Turn(one["role"], text_of(one)) for one in log_messages(log))
    canaries = [
        Canary(f"f{number}", CanaryType.FACT, statement, needles, statement)
        for number, (statement, needles) in enumerate(truth_facts(log))
    ]
    return SeededSession(turns, {}), canaries


KINDS = {
    CanaryType.SAFETY_RULE: "safety-rule",
    CanaryType.HARD_CONSTRAINT: "constraint",
    CanaryType.FACT: "value",
    CanaryType.GOAL_STATE: "pending",
    CanaryType.USER_PREFERENCE: "preference",
}


def export(session, canaries, name):
    """A session of the kit as log and truth of Proctor, with five points at which to compact."""
    known = [turn for turn in session.turns if turn.role in ("user", "assistant")]
    bounds = {len(known) * part // (ROUNDS + 1) for part in range(1, ROUNDS + 1)}
    head = {"proctor": "log", "version": 1, "id": "kit", "source": "compaction-conformance-kit"}
    lines = [{**head, "system": session.turns[0].text, "tools": "", "overhead": 0}]
    for number, turn in enumerate(known):
        if number in bounds:
            lines.append({"boundary": {"before": number, "trigger": "auto", "action": "none"}})
        author = "human" if turn.role == "user" else "agent"
        said = {"id": number, "role": turn.role, "author": author, "at": number * 1000}
        lines.append({"message": {**said, "content": turn.text}})
    last = max(number for number, turn in enumerate(known) if turn.role == "assistant")
    truth = [{"proctor": "truth", "version": 1, "log": "kit"}]
    truth.append({"goal": {"id": 0, "title": "the session", "arc": [0]}})
    for number, canary in enumerate(canaries):
        truth.append({"fact": fact_of(number, canary, known)})
    for number in range(len(canaries)):
        truth.append({"demand": {"fact": number, "at": last, "origin": "planned"}})
    for suffix, rows in ((".jsonl", lines), (".truth.jsonl", truth)):
        with open(name + suffix, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)


def fact_of(number, canary, known):
    """A canary as a fact: each of its tokens is a needle. It is born where it was planted."""
    born = next(at for at, turn in enumerate(known) if turn.text == canary.content)
    return {
        "id": number,
        "kind": KINDS[canary.type],
        "goal": 0,
        "statement": canary.content,
        "needles": [{"prose": token} for token in canary.required_tokens],
        "born": born,
        "mentions": [born],
    }


def run_all(cases):
    """CPU seconds of a case, by compactor."""
    found = {}
    for compactor in COMPACTORS:
        begun = time.process_time()
        for make in cases:
            session, canaries = make()
            run_conformance(session, compactor(), rounds=ROUNDS, canaries=canaries)
        found[compactor.name] = (time.process_time() - begun) / len(cases)
    return found


def shape_of(cases):
    made = [make() for make in cases]
    return {
        "cases": len(cases),
        "rounds": ROUNDS,
        "turns": sum(len(session.turns) for session, _ in made) / len(cases),
        "characters": sum(len(one.text) for session, _ in made for one in session.turns)
        / len(cases),
        "facts": sum(len(canaries) for _, canaries in made) / len(cases),
    }


def main():
    if sys.argv[1:2] == ["--export"]:
        for seed in range(1, int(sys.argv[3]) + 1):
            export(*build_random_session(seed), f"{sys.argv[2]}/kit-{seed}")
        return
    # Its own sessions are built within the measured time, as its command `corpus` does.
    cases = [partial(build_random_session, seed) for seed in SEEDS]
    if sys.argv[1:]:
        made = own_session(sys.argv[1])
        cases = [lambda: made]
    print(json.dumps({**shape_of(cases), "seconds": run_all(cases)}))


main()
