"""LangChain's own compaction as contestants (langchain, langchain-core; classes unmodified).

parameters.mechanism
  summarization     SummarizationMiddleware.before_model (langchain/agents/middleware/summarization.py)
  clear-tool-uses   ContextEditingMiddleware with ClearToolUsesEdit (middleware/context_editing.py)
  trim-messages     trim_messages before the model (langchain_core/messages/utils.py)

parameters of summarization
  trigger            "fraction:0.8" (default), "tokens:N" or "messages:N". LangChain's default is no
                     trigger at all (never); 0.8 of the model's limit is the example of its docs.
                     The limit is the window, by the model's profile.
  keep               "messages:20" (LangChain's default), or as above
  trim-to-summarize  4000 (default): tokens of old messages that are shown to the summarizer;
                     0 shows all
  reported-usage     true (default): the last answer carries the usage that a provider would have
                     reported; see below
parameters of clear-tool-uses
  trigger-share      0.5 (default) of the window. LangChain's default is 100,000 tokens, for
                     windows of 200,000.
  keep               3 (default): newest tool results that stay
  clear-at-least     0 (default)
parameters of trim-messages
  share              0.8 (default) of the window, less system prompt and schemas, is max_tokens.
                     LangChain has no default. strategy="last", start_on="human", approximate
                     counter, as in the recipe of its docs; its end_on changes nothing before a
                     call of the model and is left out.

Forced: the trigger is one token (summarization) or none (clear-tool-uses); what is kept is the
same. trim-messages has no trigger of its own. LangChain does nothing when the agent's prompt is
refused as too long, so the pipelines ask on before-call only.

Tokens: count_tokens_approximately (four characters a token, messages only), the default. It needs
no data. SummarizationMiddleware also triggers on what the provider reported for the last answer,
which includes system prompt and schemas; that report is made here from `tokens` (its share up to
that answer, by the approximate counter) and `budget`.

Failures: a summary is tried three times (Runnable.with_retry; it backs off, here without sleep),
but not after a 4xx other than 429. A prompt that is too long for the summarizer is sent once more
with its middle cut out. Then the exception ends the agent: `raise`. (Retries inside of a
provider's SDK are not modelled.) An empty answer or a refusal is committed as an empty summary.

Differs from older versions: errors are no longer committed as the summary; the cut looks for the
call of a tool result backward without limit. As before: only the last 4,000 tokens of what leaves
are shown, from a user message on; where there is none, the summary is "Previous conversation was
too long to summarize." without a call. The cut may be moved to index 0, then nothing is done.
clear-tool-uses edits a copy for each request: the state keeps the originals, so once it triggers it
goes on with every call. The view here is the edited one; `memory` has the lengths of what was
cleared, so that the trigger reads the same. trim-messages may leave nothing (no user message in the
last max_tokens): the answer is then an empty list, as the agent would send it.
"""

from __future__ import annotations

import os
import sys

os.environ |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false", "LANGCHAIN_TRACING": "false"}
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

import time
from importlib.metadata import version
from typing import Any

from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware, SummarizationMiddleware
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core import exceptions
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.base import LangSmithParams
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage, trim_messages
from langchain_core.messages.utils import convert_to_openai_messages, count_tokens_approximately
from langchain_core.output_parsers.openai_tools import make_invalid_tool_call, parse_tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime

from proctor import ModelError, Question, Raise, strategy

Message = dict[str, Any]
PROVIDER = "proctor"
time.sleep = lambda seconds: None  # tenacity's back-off


class Summarizer(BaseChatModel):
    """The run's summarizer as a chat model; its failures are those of a provider's integration."""

    question: Any

    @property
    def _llm_type(self) -> str:
        return PROVIDER

    def _get_ls_params(self, stop: Any = None, **kwargs: Any) -> LangSmithParams:
        return LangSmithParams(ls_provider=PROVIDER, ls_model_type="chat")

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        try:
            answer = self.question.complete(convert_to_openai_messages(messages), max_tokens=kwargs.get("max_tokens"))
            message = AIMessage(answer.text, response_metadata={"finish_reason": answer.finish})
        except ModelError as error:
            if error.kind != "refusal":
                raise failure(error) from error
            # Integrations return a refusal as a message without text.
            message = AIMessage("", additional_kwargs={"refusal": str(error)})
        return ChatResult(generations=[ChatGeneration(message=message)])


def failure(error: ModelError) -> exceptions.ModelError:
    if error.kind == "overflow":
        return exceptions.ContextOverflowError(str(error))
    if error.kind == "time-out":
        return exceptions.ModelTimeoutError(str(error))
    if error.status is None:
        return exceptions.ModelConnectionError(str(error))
    kinds = {
        401: exceptions.ModelAuthenticationError,
        403: exceptions.ModelPermissionDeniedError,
        404: exceptions.ModelNotFoundError,
        429: exceptions.ModelRateLimitError,
    }
    other = exceptions.ModelAPIError if error.status >= 500 else exceptions.ModelInvalidRequestError
    return kinds.get(error.status, other)(str(error))


def message_of(one: Message) -> BaseMessage:
    content = one.get("content") or ""
    if one["role"] == "user":
        return HumanMessage(content, id=one["id"])
    if one["role"] == "system":
        return SystemMessage(content, id=one["id"])
    if one["role"] == "tool":
        return ToolMessage(content, tool_call_id=one["tool_call_id"], id=one["id"])
    calls, invalid = [], []
    for call in one.get("tool_calls") or []:
        try:
            parsed = parse_tool_call(call, return_id=True)
            if not isinstance(parsed["args"], dict):
                raise ValueError("arguments are not an object")
            calls.append(parsed)
        except Exception as error:  # as the integration for OpenAI does it
            invalid.append(make_invalid_tool_call(call, str(error)))
    said_by = {"model_provider": PROVIDER}
    return AIMessage(content, tool_calls=calls, invalid_tool_calls=invalid, id=one["id"], response_metadata=said_by)


def messages_back(after: list[BaseMessage], view: list[Message], before: list[BaseMessage]) -> list[Message] | None:
    """The next view: messages that are still there by their id, others in LangChain's words."""
    known = {old["id"]: (old, message.content) for old, message in zip(view, before)}
    answer = []
    for message in after:
        if message.id not in known:
            answer.append(convert_to_openai_messages(message))
            continue
        old, content = known[message.id]
        answer.append(old if message.content == content else {**old, "content": message.content})
    return None if answer == view else answer


def size_of(words: str) -> tuple[str, float]:
    kind, _, value = words.partition(":")
    return (kind, float(value) if kind == "fraction" else int(value))


def report_usage(messages: list[BaseMessage], question: Question) -> None:
    """The usage that the provider would have reported with the last answer."""
    last = next((i for i in range(len(messages) - 1, -1, -1) if isinstance(messages[i], AIMessage)), None)
    if last is None:
        return
    share = count_tokens_approximately(messages[: last + 1]) / count_tokens_approximately(messages)
    total = question.budget["system"] + question.budget["schemas"] + int(question.tokens * share)
    messages[last].usage_metadata = {"input_tokens": total, "output_tokens": 0, "total_tokens": total}


def summarization(view: list[Message], question: Question) -> Any:
    settings = question.parameters
    trigger = "tokens:1" if question.forced else settings.get("trigger", "fraction:0.8")
    middleware = SummarizationMiddleware(
        Summarizer(question=question, profile={"max_input_tokens": question.budget["window"]}),
        trigger=size_of(trigger),
        keep=size_of(settings.get("keep", "messages:20")),
        trim_tokens_to_summarize=settings.get("trim-to-summarize", 4000) or None,
    )
    messages = [message_of(one) for one in view]
    if settings.get("reported-usage", True):
        report_usage(messages, question)
    try:
        update = middleware.before_model({"messages": messages}, Runtime())
    except exceptions.ModelError as error:
        raise Raise(f"{type(error).__name__}: {error}") from error
    if update is None:
        return "SummarizationMiddleware has nothing to do"
    return messages_back(add_messages(messages, update["messages"]), view, messages)


def clear_tool_uses(view: list[Message], question: Question) -> Any:
    settings = question.parameters
    edit = ClearToolUsesEdit(
        trigger=0 if question.forced else int(question.budget["window"] * settings.get("trigger-share", 0.5)),
        clear_at_least=settings.get("clear-at-least", 0),
        keep=settings.get("keep", 3),
    )
    memory: dict[str, int] = question.memory or {}
    results = (one["tool_call_id"] for one in view if one["role"] == "tool" and one["content"] == edit.placeholder)
    cleared = {call: memory[call] for call in results if call in memory}
    before = [message_of(one) for one in view]
    state = [
        message.model_copy(update={"content": "x" * cleared[message.tool_call_id]})
        if isinstance(message, ToolMessage) and message.tool_call_id in cleared
        else message
        for message in before
    ]
    sent: list[BaseMessage] = []

    def handler(request: ModelRequest) -> ModelResponse:
        sent.extend(request.messages)
        return ModelResponse(result=[AIMessage("")])

    request = ModelRequest(model=Summarizer(question=question), messages=state, state={"messages": state})
    ContextEditingMiddleware(edits=[edit]).wrap_model_call(request, handler)
    after = []
    for old, original, message in zip(before, state, sent):
        if message.content == original.content:
            message = old  # not cleared, or once cleared: its own words are gone
        elif isinstance(original, ToolMessage):
            cleared[original.tool_call_id] = len(original.content)
        after.append(message)
    question.memory = cleared or None
    return messages_back(after, view, before)


def trim(view: list[Message], question: Question) -> Any:
    budget = question.budget
    room = int(budget["window"] * question.parameters.get("share", 0.8)) - budget["system"] - budget["schemas"]
    before = [message_of(one) for one in view]
    after = trim_messages(
        before,
        strategy="last",
        token_counter="approximate",
        max_tokens=max(room, 1),
        start_on="human",
        include_system=True,
    )
    return messages_back(after, view, before)


MECHANISMS = {"summarization": summarization, "clear-tool-uses": clear_tool_uses, "trim-messages": trim}


@strategy(name="langchain", version=f"langchain {version('langchain')}, langchain-core {version('langchain-core')}")
def compact(view: list[Message], question: Question) -> Any:
    return MECHANISMS[question.parameters.get("mechanism", "summarization")](view, question)


if __name__ == "__main__":
    compact.serve()
