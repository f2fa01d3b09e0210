"""Pydantic AI's own compaction as contestants (pydantic-ai-harness; classes unmodified).

The agent library itself (pydantic-ai-slim) has only a hook, ProcessHistory, for functions that the user
writes, and the server-side compaction of two providers. The strategies are in its official capability
library, pydantic_ai_harness/compaction; each is run here by its before_model_request.

parameters.mechanism
  summarizing          SummarizingCompaction: (default) all but the newest messages become a summary
  sliding-window       SlidingWindowCompaction: only the newest messages stay, and the first user message
  clear-tool-results   ClearToolResults: old tool results become a placeholder
  tiered               TieredCompaction of ClearToolResults and SummarizingCompaction

parameters
  fraction             share of the window that triggers (max_fraction, of tiered target_fraction). The
                       library has no default. Here 0.9 for the first two, as in its README; 0.8 for
                       tiered, likewise; 0.5 for clear-tool-results, whose example is 100,000 tokens and
                       whose assumed window 200,000
  keep-messages        20 (summarizing, tiered) or 40 (sliding-window), the library's defaults
  keep-pairs           3 (clear-tool-results, tiered), the library's default
  tool-return-chars    500 (default): of each tool result, what the summarizer is shown

Forced: the trigger is one token, for tiered the target, so that all tiers run; what each keeps is the
same. The library does nothing when a prompt is refused as too long, so the pipelines ask on before-call.

Messages: one ModelRequest for each user message and for all results of one answer, one ModelResponse for
each answer. (Between two runs of an agent Pydantic AI merges adjacent requests; within a run it does not,
and here it is not done.) A summary is a CompactionPart; its text in the answer is what Pydantic AI sends
to a model, with its frame. `memory` has the summaries of the view, so that they are such parts again.

Tokens: the library takes what the provider reported with the last answer and adds four characters a token
for what came later. The report is made from `tokens` (its share up to that answer, by the library's own
estimate) and `budget`.

Failures: the summary is a run of an Agent of its own, without a retry after an error of the provider; the
exception ends the agent: `raise`. (FallbackCompaction, which would go on with another strategy, is not
used by default. Retries inside of a provider's SDK are not modelled.) An empty answer is asked for once
more; the second ends the agent with UnexpectedModelBehavior, as does an answer cut off without text. A
refusal without text is a ContentFilterError.

As read in the source: the summarizer is shown 500 characters of each tool result, and tool calls whole.
A later summary updates the one before, which is shown to it apart. The first user message stays.
"""

from __future__ import annotations

import os
import sys

os.environ |= {"OTEL_SDK_DISABLED": "true", "LOGFIRE_SEND_TO_LOGFIRE": "false"}
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

import asyncio
from importlib.metadata import version
from typing import Any

from pydantic_ai import exceptions
from pydantic_ai._model_errors import http_status_category
from pydantic_ai.messages import (
    CompactionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestContext, ModelRequestParameters, _conversation_summary_text
from pydantic_ai.tools import RunContext
from pydantic_ai.usage import RequestUsage, RunUsage
from pydantic_ai_harness.compaction import (
    ClearToolResults,
    SlidingWindowCompaction,
    SummarizingCompaction,
    TieredCompaction,
    estimate_token_count,
)
from pydantic_ai_harness.compaction._summary import summary_request

from proctor import ModelError, Question, Raise, strategy

Message = dict[str, Any]
MODEL = "proctor"


class Summarizer(Model):
    """The run's summarizer as a model of Pydantic AI."""

    def __init__(self, question: Question) -> None:
        super().__init__(profile={"context_window": question.budget["window"]})
        self.question = question

    @property
    def model_name(self) -> str:
        return MODEL

    @property
    def system(self) -> str:
        return MODEL

    async def request(
        self, messages: list[ModelMessage], model_settings: Any, model_request_parameters: Any
    ) -> ModelResponse:
        system = "\n\n".join(part.content for part in model_request_parameters.instruction_parts or [])
        asked = [one for message in messages for one in openai_of(message)]
        try:
            limit = (model_settings or {}).get("max_tokens")
            answer = self.question.complete(asked, system=system or None, max_tokens=limit)
            text, finish = answer.text, "length" if answer.finish == "length" else "stop"
        except ModelError as error:
            if error.kind != "refusal":
                raise failure(error) from error
            text, finish = "", "content_filter"
        parts = [TextPart(text)] if text else []
        return ModelResponse(parts=parts, model_name=MODEL, finish_reason=finish)


def failure(error: ModelError) -> Exception:
    words = str(error)
    if error.kind == "time-out":
        return exceptions.ModelTimeoutError(MODEL, words)
    if error.kind != "overflow" and error.status is None:
        return exceptions.ModelConnectionError(MODEL, words)
    status = error.status or 400
    overflow = error.kind == "overflow"
    category = exceptions.ModelContextWindowExceededError if overflow else http_status_category(status, words)
    return exceptions.ModelHTTPError.for_category(category, status_code=status, model_name=MODEL, body=words)


def openai_of(message: ModelMessage) -> list[Message]:
    """What the summarizing agent sends: prompts, and where it tries again its answer and the feedback."""
    if isinstance(message, ModelResponse):
        text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
        return [{"role": "assistant", "content": text}] if text else []
    prompts = []
    for part in message.parts:
        content = part.content if isinstance(part, UserPromptPart) else part.model_response()
        prompts.append({"role": "user", "content": content})
    return prompts


def text_of(one: Message) -> str:
    content = one.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def messages_of(view: list[Message], summaries: list[str]) -> tuple[list[ModelMessage], dict[int, int]]:
    """Messages of Pydantic AI, and to which message of the view each part belongs."""
    messages: list[ModelMessage] = []
    owner: dict[int, int] = {}
    names: dict[str, str] = {}
    framed = {_conversation_summary_text(summary): summary for summary in summaries}
    for at, one in enumerate(view):
        text = text_of(one)
        if one["role"] == "assistant":
            calls = []
            for call in one.get("tool_calls") or []:
                name = names[call["id"]] = call["function"]["name"]
                calls.append(ToolCallPart(name, call["function"]["arguments"], call["id"]))
            said = [TextPart(text)] if text or not calls else []
            message: ModelMessage = ModelResponse([*said, *calls], model_name=MODEL)
        elif one["role"] == "tool":
            call_id = one["tool_call_id"]
            part = ToolReturnPart(names.get(call_id, "tool"), text, call_id)
            if at and view[at - 1]["role"] == "tool":
                owner[id(part)] = at
                messages[-1].parts.append(part)
                continue
            message = ModelRequest([part])
        elif text in framed:
            message = summary_request(framed[text])
        else:
            message = ModelRequest([UserPromptPart(text)])
        owner |= {id(part): at for part in message.parts}
        messages.append(message)
    return messages, owner


def report_usage(messages: list[ModelMessage], question: Question) -> None:
    """The usage that the provider would have reported with the last answer."""
    last = next((i for i in range(len(messages) - 1, -1, -1) if isinstance(messages[i], ModelResponse)), None)
    if last is None:
        return
    share = estimate_token_count(messages[: last + 1]) / max(estimate_token_count(messages), 1)
    total = question.budget["system"] + question.budget["schemas"] + int(question.tokens * share)
    messages[last].usage = RequestUsage(input_tokens=total)


def strategy_of(mechanism: str, question: Question) -> Any:
    settings = question.parameters

    def trigger(standard: float, name: str = "max") -> dict[str, Any]:
        return {f"{name}_tokens": 1} if question.forced else {f"{name}_fraction": settings.get("fraction", standard)}

    def summarizing(**when: Any) -> Any:
        kept, shown = settings.get("keep-messages", 20), settings.get("tool-return-chars", 500)
        return SummarizingCompaction(keep_messages=kept, tool_return_max_chars=shown, **when)

    def clearing(**when: Any) -> Any:
        return ClearToolResults(keep_pairs=settings.get("keep-pairs", 3), **when)

    if mechanism == "summarizing":
        return summarizing(**trigger(0.9))
    if mechanism == "sliding-window":
        return SlidingWindowCompaction(keep_messages=settings.get("keep-messages", 40), **trigger(0.9))
    if mechanism == "clear-tool-results":
        return clearing(**trigger(0.5))
    if mechanism == "tiered":
        # A tier's own trigger is required and not read.
        return TieredCompaction(tiers=[clearing(max_tokens=1), summarizing(max_messages=1)], **trigger(0.8, "target"))
    raise ValueError(f"no mechanism {mechanism}")


def messages_back(
    messages: list[ModelMessage], view: list[Message], owner: dict[int, int]
) -> tuple[list[Message], list[str]]:
    """The next view and the summaries in it."""
    results = {one["tool_call_id"]: at for at, one in enumerate(view) if one["role"] == "tool"}
    answer: list[Message] = []
    summaries: list[str] = []
    done: set[int] = set()
    for message in messages:
        for part in message.parts:
            at = owner.get(id(part))
            if isinstance(part, CompactionPart):
                summaries.append(part.content or "")
            if at is not None:
                if at not in done:
                    answer.append(view[at])
                done.add(at)
            elif isinstance(part, ToolReturnPart):
                answer.append({**view[results[part.tool_call_id]], "content": part.model_response_str()})
            elif isinstance(part, CompactionPart):
                answer.append({"role": "user", "content": _conversation_summary_text(part.content)})
            else:
                raise TypeError(f"a new {type(part).__name__}")
    return answer, summaries


PACKAGES = ("pydantic-ai-harness", "pydantic-ai-slim")


@strategy(name="pydantic-ai", version=", ".join(f"{package} {version(package)}" for package in PACKAGES))
def compact(view: list[Message], question: Question) -> Any:
    if not view:
        return "there is nothing to compact"
    capability = strategy_of(question.parameters.get("mechanism", "summarizing"), question)
    messages, owner = messages_of(view, question.memory or [])
    report_usage(messages, question)
    model = Summarizer(question)
    context: RunContext[None] = RunContext(deps=None, model=model, usage=RunUsage(), messages=list(messages))
    request = ModelRequestContext(
        model=model,
        messages=list(messages),
        model_settings=None,
        model_request_parameters=ModelRequestParameters(),
    )
    try:
        after = asyncio.run(capability.before_model_request(context, request))
    except exceptions.AgentRunError as error:
        raise Raise(f"{type(error).__name__}: {error}") from error
    answer, summaries = messages_back(after.messages, view, owner)
    question.memory = summaries or None
    return None if answer == view else answer


if __name__ == "__main__":
    compact.serve()
