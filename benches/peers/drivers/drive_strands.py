"""Strands' conversation managers, step by step: a real Agent, its hooks, and no model.

Before a call the agent estimates its tokens and fires BeforeModelCallEvent. At the end of a turn it
applies the manager. The answer carries the usage that a provider would report, so that the
estimate has its base: only messages behind the last answer are counted.
"""

import os

os.environ |= {"OTEL_SDK_DISABLED": "true", "AWS_EC2_METADATA_DISABLED": "true"}

import asyncio
import json

from strands import Agent
from strands.agent.conversation_manager import (
    SlidingWindowConversationManager,
    SummarizingConversationManager,
)
from strands.event_loop.event_loop import _estimate_input_tokens
from strands.hooks import BeforeModelCallEvent
from strands.models import Model

from session import chars4, drive, log_messages, options, report, steps_of


MANAGERS = {
    "sliding-window": lambda: SlidingWindowConversationManager(40),
    "summarizing": lambda: SummarizingConversationManager(
        0.3, 10, proactive_compression={"compression_threshold": 0.7}
    ),
}


class Fixed(Model):
    """A model that answers at once, always the same."""

    def __init__(self, summary, limit):
        self.summary = summary
        self.config = {"model_id": "fixed", "context_window_limit": limit}
        self.calls = 0

    def update_config(self, **model_config):
        self.config.update(model_config)

    def get_config(self):
        return self.config

    def structured_output(self, output_model, prompt, system_prompt=None, **kwargs):
        raise NotImplementedError

    async def stream(self, messages, tool_specs=None, system_prompt=None, **kwargs):
        self.calls += 1
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": self.summary}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def strands_of(new):
    """Messages of Strands. All results of one answer are one message."""
    messages = []
    for one in new:
        blocks = blocks_of(one)
        if one["role"] == "tool" and messages and "toolResult" in messages[-1]["content"][0]:
            messages[-1]["content"] += blocks
        else:
            role = "assistant" if one["role"] == "assistant" else "user"
            messages.append({"role": role, "content": blocks})
    return messages


def blocks_of(one):
    if one["role"] == "tool":
        content = [{"text": one["content"]}]
        result = {"toolUseId": one["tool_call_id"], "status": "success", "content": content}
        return [{"toolResult": result}]
    blocks = [{"text": one["content"]}] if one["content"] or not one.get("tool_calls") else []
    for call in one.get("tool_calls", []):
        given = json.loads(call["function"]["arguments"])
        use = {"toolUseId": call["id"], "name": call["function"]["name"], "input": given}
        blocks.append({"toolUse": use})
    return blocks


def block_size(block):
    if "text" in block:
        return chars4(block["text"])
    if "toolUse" in block:
        return chars4(json.dumps(block["toolUse"]["input"]))
    return sum(chars4(part.get("text", "")) for part in block["toolResult"]["content"])


class Contestant:
    def __init__(self, manager, asked):
        self.model = Fixed(asked.summary, asked.limit)
        self.agent = Agent(
            self.model, [], system_prompt="", callback_handler=None, conversation_manager=manager
        )
        self.manager = manager
        self.known = {}
        self.prompt = 0

    async def append(self, new):
        for message in new:
            if message["role"] == "assistant":
                usage = {"inputTokens": self.prompt, "outputTokens": 0}
                message["metadata"] = {"usage": {**usage, "totalTokens": self.prompt}}
            elif "toolResult" not in message["content"][0] and self.agent.messages:
                # A request of the user: the turn before has ended.
                self.manager.apply_management(self.agent)
            await self.agent._append_messages(message)

    async def before_call(self):
        tokens = await _estimate_input_tokens(self.agent)
        event = BeforeModelCallEvent(
            agent=self.agent, invocation_state={}, projected_input_tokens=tokens
        )
        await self.agent.hooks.invoke_callbacks_async(event)
        return self.agent.messages

    def sent(self, view):
        self.prompt = self.size(view)

    def size(self, view):
        return sum(block_size(block) for message in view for block in message["content"])

    @property
    def compactions(self):
        return self.model.calls or self.manager.removed_message_count


def main():
    asked = options()
    contestant = Contestant(MANAGERS[asked.mechanism](), asked)
    steps = [strands_of(new) for new in steps_of(log_messages(asked.log))]
    report(asyncio.run(drive(contestant, steps, asked)))


if __name__ == "__main__":
    main()
