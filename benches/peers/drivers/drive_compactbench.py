"""CompactBench: Proctor's sessions as cases of its form, through its own case loop.

The package has no templates: its corpus is in its repository alone. So its loop is given cases made
of Proctor's sessions. A case is one session, one of its methods, the first cycle and four drift
cycles, and after each cycle a question for each fact to its mock provider, and the scores.

It counts tokens with tiktoken, whose tables are fetched at first use. Its cache of encoders is given
one that takes four characters for a token, which is faster than the real one.
"""

import asyncio
import json
import sys
import time

from compactbench.contracts import (
    EvaluationItem,
    EvaluationItemType,
    GeneratedCase,
    GroundTruth,
    Transcript,
    Turn,
    TurnRole,
)
from compactbench.compactors import get_built_in
from compactbench.providers.mock import MockProvider
from compactbench.runner.run import _execute_case
from compactbench.scoring import compression

from session import SUMMARY, log_messages, truth_facts

METHODS = ("naive-summary", "hybrid-ledger")
DRIFT_CYCLES = 4


class FourCharacters:
    def encode(self, text):
        return range(-(-len(text) // 4))


compression._ENCODER_CACHE["cl100k_base"] = FourCharacters()


def text_of(one):
    calls = (call["function"]["arguments"] for call in one.get("tool_calls", []))
    return "\n".join([one["content"], *calls])


def case_of(log):
    # Its transcripts have no tools: a result is the user's, as in a chat.
    roles = {"assistant": TurnRole.ASSISTANT, "system": TurnRole.SYSTEM}
    turns = [
        Turn(id=number, role=roles.get(one["role"], TurnRole.USER), content=text_of(one))
        for number, one in enumerate(log_messages(log))
    ]
    items = [
        EvaluationItem(
            key=f"f{number}",
            item_type=EvaluationItemType.IMMUTABLE_FACT_RECALL,
            prompt=statement,
            expected={"check": "set_match", "values": list(needles)},
        )
        for number, (statement, needles) in enumerate(truth_facts(log))
    ]
    return GeneratedCase(
        case_id="own",
        template_key="own",
        template_version="1.0.0",
        seed=1,
        difficulty="medium",
        transcript=Transcript(turns=turns),
        ground_truth=GroundTruth(),
        evaluation_items=items,
    )


def timed(case, method):
    provider = MockProvider(default=SUMMARY)
    compactor = get_built_in(method)(provider, "mock")
    begun = time.process_time()
    asyncio.run(
        _execute_case(
            case=case,
            compactor=compactor,
            provider=provider,
            model="mock",
            drift_cycles=DRIFT_CYCLES,
            case_seed=1,
        )
    )
    return time.process_time() - begun


def main():
    case = case_of(sys.argv[1])
    shape = {
        "cases": 1,
        "rounds": DRIFT_CYCLES + 1,
        "turns": len(case.transcript.turns),
        "characters": sum(len(turn.content) for turn in case.transcript.turns),
        "facts": len(case.evaluation_items),
    }
    seconds = {method: timed(case, method) for method in METHODS}
    print(json.dumps({**shape, "seconds": seconds}))


main()
