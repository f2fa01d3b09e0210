"""LangChain's middleware, step by step: its own classes, called as its agent calls them.

The state grows through LangGraph's reducer `add_messages`, as in an agent. The graph around it,
with its checkpoints, is left out.
"""

import os

os.environ |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false"}

import asyncio
import json

from langchain.agents.middleware import (
    ClearToolUsesEdit,
    ContextEditingMiddleware,
    SummarizationMiddleware,
)
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime

from session import drive, log_messages, options, report, steps_of


class Fixed(BaseChatModel):
    """A model that answers at once, always the same."""

    summary: str

    @property
    def _llm_type(self):
        return "fixed"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.summary))])


def message_of(one):
    if one["role"] == "user":
        return HumanMessage(one["content"], id=one["id"])
    if one["role"] == "tool":
        return ToolMessage(one["content"], tool_call_id=one["tool_call_id"], id=one["id"])
    calls = [
        {
            "id": call["id"],
            "name": call["function"]["name"],
            "args": json.loads(call["function"]["arguments"]),
        }
        for call in one.get("tool_calls", [])
    ]
    return AIMessage(one["content"], tool_calls=calls, id=one["id"])


class Agent:
    """The state of an agent, and the sizes of what it sends."""

    def __init__(self, messages):
        self.state = []
        self.compactions = 0
        self.tokens = {}
        self.call_texts = {
            one["id"]: [
                text
                for call in one.get("tool_calls", [])
                for text in (call["function"]["name"], call["function"]["arguments"])
            ]
            for one in messages
        }

    async def append(self, new):
        self.state = add_messages(self.state, new)

    def sent(self, view):
        pass

    def size(self, view):
        """Tokens of o200k, counted as Proctor does: contents, and names and arguments of calls."""
        texts = (text for one in view for text in (one.content, *self.call_texts.get(one.id, ())))
        return sum(map(self.count, texts))

    def count(self, text):
        if text not in self.tokens:
            from bpe_openai import get_encoding

            self.tokens[text] = len(get_encoding("o200k_base").encode_ordinary(text))
        return self.tokens[text]


class Summarization(Agent):
    def __init__(self, messages, asked):
        super().__init__(messages)
        self.middleware = SummarizationMiddleware(
            Fixed(summary=asked.summary),
            trigger=("tokens", asked.limit * 4 // 5),
            keep=("messages", 20),
            trim_tokens_to_summarize=4000,
        )

    async def before_call(self):
        update = self.middleware.before_model({"messages": self.state}, Runtime())
        if update is not None:
            self.compactions += 1
            self.state = add_messages(self.state, update["messages"])
        return self.state


class ClearToolUses(Agent):
    def __init__(self, messages, asked):
        super().__init__(messages)
        self.model = Fixed(summary=asked.summary)
        edit = ClearToolUsesEdit(trigger=asked.limit // 2, keep=3)
        self.middleware = ContextEditingMiddleware(edits=[edit])

    async def before_call(self):
        sent = []

        def handler(request):
            sent.extend(request.messages)
            return ModelResponse(result=[AIMessage("")])

        request = ModelRequest(
            model=self.model, messages=self.state, state={"messages": self.state}
        )
        self.middleware.wrap_model_call(request, handler)
        return sent

    def sent(self, view):
        self.compactions += any(
            one.content == "[cleared]" for one in view if isinstance(one, ToolMessage)
        )


def main():
    asked = options()
    messages = log_messages(asked.log)
    kinds = {"summarization": Summarization, "clear-tool-uses": ClearToolUses}
    contestant = kinds[asked.mechanism](messages, asked)
    steps = [[message_of(one) for one in new] for new in steps_of(messages)]
    report(asyncio.run(drive(contestant, steps, asked)))


if __name__ == "__main__":
    main()
