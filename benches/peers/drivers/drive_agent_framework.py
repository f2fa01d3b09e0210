"""Agent Framework's compaction strategies, step by step, through its own `apply_compaction`.

Its chat client compacts the list that the loop of an agent goes on with: what is left out stays in
the list with a mark, so that the list holds the whole session.
"""

import os

os.environ["AGENT_FRAMEWORK_USER_AGENT_DISABLED"] = "true"
os.environ["ENABLE_INSTRUMENTATION"] = "false"
os.environ["OTEL_SDK_DISABLED"] = "true"

import asyncio

from agent_framework import BaseChatClient, ChatResponse, Content, Message
from agent_framework._compaction import (
    ContextWindowCompactionStrategy,
    SlidingWindowStrategy,
    SummarizationStrategy,
    apply_compaction,
)

from session import chars4, drive, log_messages, options, report, steps_of


class Fixed(BaseChatClient):
    """A model that answers at once, always the same."""

    def __init__(self, summary):
        super().__init__()
        self.summary = summary

    async def _inner_get_response(self, *, messages, stream, options, **kwargs):
        answer = Message(role="assistant", contents=[self.summary])
        return ChatResponse(messages=[answer], finish_reason="stop")


def message_of(one):
    if one["role"] == "tool":
        contents = [
            Content.from_function_result(call_id=one["tool_call_id"], result=one["content"])
        ]
    else:
        contents = [one["content"]] if one["content"] else []
    for call in one.get("tool_calls", []):
        function = call["function"]
        contents.append(
            Content.from_function_call(
                call_id=call["id"], name=function["name"], arguments=function["arguments"]
            )
        )
    return Message(role=one["role"], contents=contents, message_id=one["id"])


def strategy_of(asked):
    if asked.mechanism == "context-window":
        return ContextWindowCompactionStrategy(
            max_context_window_tokens=asked.limit,
            max_output_tokens=0,
            tool_eviction_threshold=0.5,
            truncation_threshold=0.8,
            keep_last_tool_call_groups=4,
        )
    if asked.mechanism == "summarization":
        return SummarizationStrategy(client=Fixed(asked.summary), target_count=4, threshold=2)
    return SlidingWindowStrategy(keep_last_groups=20)


class Contestant:
    def __init__(self, asked):
        self.strategy = strategy_of(asked)
        self.messages = []
        self.compactions = 0
        self.last = 0

    async def append(self, new):
        self.messages.extend(new)
        self.last += len(new)

    async def before_call(self):
        return await apply_compaction(self.messages, strategy=self.strategy)

    def sent(self, view):
        self.compactions += len(view) < self.last
        self.last = len(view)

    def size(self, view):
        return sum(chars4(one.text) for one in view)


def main():
    asked = options()
    contestant = Contestant(asked)
    steps = [[message_of(one) for one in new] for new in steps_of(log_messages(asked.log))]
    report(asyncio.run(drive(contestant, steps, asked)))


main()
