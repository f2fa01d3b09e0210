"""LangChain's whole agent over a session: `create_agent` with the middleware, a model that answers
from the session, and tools whose results are the session's.

This is what replaying a session through the framework costs. There is no checkpointer.
"""

import os

os.environ |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, SummarizationMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool

from drive_langchain import Fixed, message_of
from session import Scripted, log_messages, options, report


class Model(BaseChatModel):
    """Answers what the session says next."""

    script: Any

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **kwargs):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        said = message_of(self.script.answer(len(messages)))
        return ChatResult(generations=[ChatGeneration(message=said)])


class Recorded(AgentMiddleware):
    """A tool's result is the one that the session has."""

    def __init__(self, script):
        super().__init__()
        self.results = script.results

    def wrap_tool_call(self, request, handler):
        call = request.tool_call["id"]
        return ToolMessage(self.results[call], tool_call_id=call)


def tool(name):
    schema = {"type": "object", "properties": {}, "additionalProperties": True}
    return StructuredTool(name=name, description=name, args_schema=schema, func=lambda **_: "")


def main():
    asked = options()
    script = Scripted(log_messages(asked.log), asked.seconds)
    summarization = SummarizationMiddleware(
        Fixed(summary=asked.summary),
        trigger=("tokens", asked.limit * 4 // 5),
        keep=("messages", 20),
        trim_tokens_to_summarize=4000,
    )
    agent = create_agent(
        Model(script=script),
        tools=[tool(name) for name in script.tools],
        middleware=[summarization, Recorded(script)],
    )
    state = []

    def turn(text):
        nonlocal state
        asked_now = {"messages": [*state, HumanMessage(text)]}
        state = agent.invoke(asked_now, {"recursion_limit": 100_000})["messages"]

    report(script.drive(turn))


if __name__ == "__main__":
    main()
