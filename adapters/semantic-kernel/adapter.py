"""Semantic Kernel's chat history reducers as contestants (semantic-kernel,
semantic_kernel/contents/history_reducer).

An agent with a reducer is asked by its user to reduce the history (`thread.reduce()`), in Semantic
Kernel's samples between two turns. Nothing is reduced while a turn runs, nor where a prompt is refused as
too long.

parameters:
  mechanism           "summarization" (default) or "truncation"
  target-count        messages that are kept; 10, as in the sample for a single agent. It has no
                      default.
  threshold-count     how many more there may be before it acts, and how far back it looks for a
                      user message to begin with; 10, likewise. Its own default is 0.
  use-single-summary  whether a new summary replaces the one before; true, as in Semantic Kernel
  include-function-content  whether the summarizer is shown tool calls and results; false, likewise:
                      they leave without a trace

Forced: `threshold-count` is lowered so far that the number of messages exceeds it, no further.

Tokens: it counts none.

Failures: the summarization does not try again. It raises, as its default `fail_on_error` says:
here the session ends. An empty answer becomes an empty summary, an assistant message at the
beginning. The instruction stands last in the request, as a system message.
"""

import os
import sys

os.environ["SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS"] = "false"
os.environ["SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE"] = "false"
os.environ["OTEL_SDK_DISABLED"] = "true"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

import asyncio
from importlib.metadata import version

from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.contents import (
    ChatHistorySummarizationReducer,
    ChatHistoryTruncationReducer,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
    TextContent,
)
from semantic_kernel.contents.history_reducer.chat_history_reducer_utils import SUMMARY_METADATA_KEY
from semantic_kernel.exceptions import ChatHistoryReducerException
from semantic_kernel.exceptions.service_exceptions import ServiceContentFilterException, ServiceResponseException

from proctor import ModelError, Raise, strategy


class Service(ChatCompletionClientBase):
    """The run's summarizer as a service for chat completion."""

    question: object = None

    async def _inner_get_chat_message_contents(self, chat_history, settings):
        messages = [protocol_of(one) for one in chat_history.messages]
        try:
            answer = self.question.complete(messages)
        except ModelError as error:
            kind = ServiceContentFilterException if error.kind == "refusal" else ServiceResponseException
            raise kind("service failed to complete the prompt", error) from error
        reason = {"length": "length", "tool-call": "tool_calls"}.get(answer.finish, "stop")
        return [ChatMessageContent(role="assistant", content=answer.text, finish_reason=reason)]


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def kernel_of(message, names):
    role, text = message["role"], text_of(message)
    if role == "tool":
        call = message["tool_call_id"]
        items = [FunctionResultContent(id=call, name=names.get(call, "tool"), result=text)]
    else:
        items = [TextContent(text=text)] if text else []
    for call in message.get("tool_calls") or []:
        function = call["function"]
        names[call["id"]] = function["name"]
        items.append(FunctionCallContent(id=call["id"], name=function["name"], arguments=function["arguments"]))
    return ChatMessageContent(role=role, items=items, metadata={"proctor": message["id"]})


def protocol_of(message):
    new = {"role": message.role.value, "content": message.content}
    calls = [item for item in message.items if isinstance(item, FunctionCallContent)]
    results = [item for item in message.items if isinstance(item, FunctionResultContent)]
    if calls:
        new["tool_calls"] = [
            {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.arguments}}
            for one in calls
        ]
    if results:
        new |= {"tool_call_id": results[0].id, "content": str(results[0].result)}
    return new


@strategy(name="semantic-kernel", version=version("semantic-kernel"))
def compact(view, question):
    parameters = question.parameters
    mechanism = parameters.get("mechanism", "summarization")
    names = {}
    messages = [kernel_of(message, names) for message in view]
    # `memory` has the texts of the summaries, which stand at the beginning.
    summaries = 0
    for message, text in zip(messages, question.memory or []):
        if message.role.value != "assistant" or message.content != text:
            break
        message.metadata[SUMMARY_METADATA_KEY] = True
        summaries += 1

    target, threshold = parameters.get("target-count", 10), parameters.get("threshold-count", 10)
    if question.forced:
        ahead = summaries if mechanism == "summarization" else 0
        threshold = max(0, min(threshold, len(messages) - target - ahead - 1))
    counts = {"messages": messages, "target_count": target, "threshold_count": threshold}
    if mechanism == "truncation":
        reducer = ChatHistoryTruncationReducer(**counts)
    elif mechanism == "summarization":
        reducer = ChatHistorySummarizationReducer(
            service=Service(ai_model_id="proctor", question=question),
            use_single_summary=parameters.get("use-single-summary", True),
            include_function_content_in_summary=parameters.get("include-function-content", False),
            **counts,
        )
    else:
        raise ValueError(f"no such mechanism: {mechanism}")

    try:
        reduced = asyncio.run(reducer.reduce())
    except ChatHistoryReducerException as error:
        cause = error.__cause__
        raise Raise(f"{error} {type(cause).__name__}: {cause.args[-1]}") from error
    if reduced is None:
        return "not enough messages, or none to summarize"
    by_id = {message["id"]: message for message in view}
    question.memory = [one.content for one in reduced.messages if one.metadata.get(SUMMARY_METADATA_KEY)]
    return [by_id.get(one.metadata.get("proctor")) or protocol_of(one) for one in reduced.messages]


compact.serve()
