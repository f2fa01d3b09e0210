"""Strands' whole agent over a session: its event loop and a conversation manager, a model that
answers from the session, and tools whose results are the session's.

This is what replaying a session through the framework costs. Telemetry is off.
"""

import os

os.environ |= {"OTEL_SDK_DISABLED": "true", "AWS_EC2_METADATA_DISABLED": "true"}

import json

from strands import Agent
from strands.tools.tools import PythonAgentTool

from drive_strands import MANAGERS, Fixed, blocks_of, block_size
from session import Scripted, log_messages, options, report


class Model(Fixed):
    """Answers what the session says next, and a fixed summary where one is asked for."""

    def __init__(self, script, asked):
        super().__init__(asked.summary, asked.limit)
        self.script = script
        self.sizes = {}

    def size(self, block):
        """Counted once for each block, so that the count takes no part of the measured time."""
        if id(block) not in self.sizes:
            self.sizes[id(block)] = (block_size(block), block)
        return self.sizes[id(block)][0]

    async def stream(self, messages, tool_specs=None, system_prompt=None, **kwargs):
        if not tool_specs:
            async for event in super().stream(messages):
                yield event
            return
        said = self.script.answer(len(messages))
        yield {"messageStart": {"role": "assistant"}}
        for block in blocks_of(said):
            for event in events_of(block):
                yield event
        yield {"messageStop": {"stopReason": "tool_use" if said.get("tool_calls") else "end_turn"}}
        tokens = sum(self.size(block) for message in messages for block in message["content"])
        usage = {"inputTokens": tokens, "outputTokens": 0, "totalTokens": tokens}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 0}}}


def events_of(block):
    if "text" in block:
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": block["text"]}}}
    else:
        use = block["toolUse"]
        start = {"toolUseId": use["toolUseId"], "name": use["name"]}
        yield {"contentBlockStart": {"start": {"toolUse": start}}}
        given = {"toolUse": {"input": json.dumps(use["input"])}}
        yield {"contentBlockDelta": {"delta": given}}
    yield {"contentBlockStop": {}}


def tool(name, results):
    schema = {"type": "object", "properties": {}, "additionalProperties": True}
    spec = {"name": name, "description": name, "inputSchema": {"json": schema}}

    def recorded(use, **_):
        content = [{"text": results[use["toolUseId"]]}]
        return {"toolUseId": use["toolUseId"], "status": "success", "content": content}

    return PythonAgentTool(name, spec, recorded)


def main():
    asked = options()
    script = Scripted(log_messages(asked.log), asked.seconds)
    agent = Agent(
        Model(script, asked),
        [],
        tools=[tool(name, script.results) for name in script.tools],
        system_prompt="",
        callback_handler=None,
        conversation_manager=MANAGERS[asked.mechanism](),
    )
    report(script.drive(agent))


if __name__ == "__main__":
    main()
