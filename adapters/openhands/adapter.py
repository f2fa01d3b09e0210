"""The condenser of the OpenHands SDK as a contestant (openhands-sdk; classes unmodified).

parameters.mechanism
  llm-summarizing   LLMSummarizingCondenser as default_condenser() makes it for OpenHands' own agent
                    (openhands/sdk/context/condenser/llm_summarizing_condenser.py). It is the only
                    condenser of the SDK that condenses; the others do nothing or chain.
parameters
  max-size          80 events (default_condenser; the class itself has 240)
  keep-first        4 events, the system prompt among them (default_condenser; the class has 2)
  max-tokens        no limit of its own (default); the window, as the limit of the agent's model,
                    holds always

Forced: a CondensationRequest is in the view, which is what OpenHands does when a prompt is refused
as too long or the user asks. It keeps half of the events, by this reason's own rule.

An agent's step that yields a condensation is followed by another step, which asks the condenser
again. So it is asked here until it has nothing to do, at most ten times (an agent: as often as it
has steps).

Events: the system prompt is the first, a filler of as many tokens as system prompt and schemas; each
tool call and each result is an event. Adjacent user messages stay apart in the answer; OpenHands
merges them when it sends them. `memory` has the summaries of the view, which are events of a kind
of their own.

Tokens: litellm's token_counter with the tokenizer file that litellm ships (the default for a model
that it does not know). A window below 16,384, which OpenHands refuses, is allowed by its own
environment variable.

Failures: a call is tried five times by the SDK's LLM (it backs off, here without sleep) after 5xx,
429, a lost connection or a time-out. Then there is no condensation: with only the number of events
as reason the view stays as it is; with a request or too many tokens all events are summarized at
once, five times with shorter events (each with the retries above), and then the exception ends the
agent: `raise`. An empty answer becomes an empty summary; a refusal (an answer without content) no
summary at all: the events are gone.

Differs from what one expects: the summarizer is shown previews, not events: 500 characters of a
message, a result, a thought or a summary before, and of a call only the class of its action, without
arguments. Here the class is named after the tool, as OpenHands names its own.
"""

from __future__ import annotations

import os
import sys

os.environ |= {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "OPENHANDS_SUPPRESS_BANNER": "1",
    "ALLOW_SHORT_CONTEXT_WINDOWS": "true",
    "LOG_LEVEL": "CRITICAL",
    "OTEL_SDK_DISABLED": "true",
}
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

import re
import time
import warnings
from importlib.metadata import version
from typing import Any

import litellm
from litellm.types.utils import Choices, ModelResponse
from litellm.types.utils import Message as Reply
from openhands.sdk.context.condenser import NoCondensationAvailableException, default_condenser
from openhands.sdk.context.view import View
from openhands.sdk.event import (
    ActionEvent,
    CondensationRequest,
    LLMConvertibleEvent,
    MessageEvent,
    ObservationEvent,
    SystemPromptEvent,
)
from openhands.sdk.event.condenser import CondensationSummaryEvent
from openhands.sdk.llm import LLM, Message, MessageToolCall, TextContent
from openhands.sdk.tool.schema import Action, Observation
from pydantic import PrivateAttr

from proctor import ModelError, Question, Raise, strategy

MODEL = "openai/proctor"
PROVIDER = {"llm_provider": "openai", "model": MODEL}
STEPS = 10
litellm.telemetry = False
warnings.filterwarnings("ignore", message="Cost calculation failed")
time.sleep = lambda seconds: None  # tenacity's back-off


class Summarizer(LLM):
    """The SDK's LLM, with the run's summarizer in the place of the call of litellm."""

    _question: Any = PrivateAttr(default=None)

    def _transport_call(
        self, *, messages: list[dict[str, Any]], enable_streaming: bool = False, on_token: Any = None, **kwargs: Any
    ) -> ModelResponse:
        limit = kwargs.get("max_completion_tokens") or kwargs.get("max_tokens")
        texts = [{"role": one["role"], "content": text_of(one)} for one in messages]
        system = "\n".join(one["content"] for one in texts if one["role"] == "system")
        asked = [one for one in texts if one["role"] != "system"]
        try:
            answer = self._question.complete(asked, system=system or None, max_tokens=limit)
            reply, finish = Reply(role="assistant", content=answer.text), answer.finish
        except ModelError as error:
            if error.kind != "refusal":
                raise failure(error) from error
            reply, finish = Reply(role="assistant", content=None), "content_filter"
        return ModelResponse(model=MODEL, choices=[Choices(index=0, finish_reason=finish, message=reply)])


def failure(error: ModelError) -> Exception:
    words = str(error)
    if error.kind == "overflow":
        return litellm.ContextWindowExceededError(words, **PROVIDER)
    if error.kind == "time-out":
        return litellm.Timeout(words, **PROVIDER)
    if error.status is None:
        return litellm.APIConnectionError(words, **PROVIDER)
    if error.status == 401:
        return litellm.AuthenticationError(words, **PROVIDER)
    if error.status == 429:
        return litellm.RateLimitError(words, **PROVIDER)
    if error.status == 503:
        return litellm.ServiceUnavailableError(words, **PROVIDER)
    kind = litellm.InternalServerError if error.status >= 500 else litellm.BadRequestError
    return kind(words, **PROVIDER)


def text_of(one: dict[str, Any]) -> str:
    content = one.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def texts_of(one: dict[str, Any]) -> list[TextContent]:
    text = text_of(one)
    return [TextContent(text=text)] if text else []


ACTIONS = {kind.__name__: kind for kind in Action.__subclasses__()}


def action_of(tool: str) -> Action:
    """An action of the class that a tool of this name would have, without its arguments."""
    name = "".join(word[:1].upper() + word[1:] for word in re.split(r"[^0-9A-Za-z]+", tool)) + "Action"
    if name not in ACTIONS:
        ACTIONS[name] = type(name, (Action,), {"__module__": __name__})
    return ACTIONS[name].model_construct()


class Result(Observation):
    """What a tool answered."""


def events_of(view: list[dict[str, Any]], summaries: list[str]) -> tuple[list[LLMConvertibleEvent], dict[str, int]]:
    """The events of the messages, and to which message each belongs."""
    events: list[LLMConvertibleEvent] = []
    owner: dict[str, int] = {}
    actions: dict[str, ActionEvent] = {}

    def add(kind: type, at: int, part: int, **fields: Any) -> LLMConvertibleEvent:
        event = kind(id=f"message-{at}-{part}", **fields)
        events.append(event)
        owner[event.id] = at
        return event

    for at, one in enumerate(view):
        text, answer = text_of(one), f"answer-{at}"
        if one["role"] == "user" and text in summaries:
            add(CondensationSummaryEvent, at, 0, summary=text)
        elif one["role"] == "user":
            add(MessageEvent, at, 0, source="user", llm_message=Message(role="user", content=texts_of(one)))
        elif one["role"] == "tool":
            call = one["tool_call_id"]
            action = actions.get(call)
            add(
                ObservationEvent,
                at,
                0,
                observation=Result(content=texts_of(one)),
                action_id=action.id if action else f"unknown-{call}",
                tool_name=action.tool_name if action else "tool",
                tool_call_id=call,
            )
        elif not one.get("tool_calls"):
            said = Message(role="assistant", content=texts_of(one))
            add(MessageEvent, at, 0, source="agent", llm_message=said, llm_response_id=answer)
        for part, call in enumerate(one.get("tool_calls") or []):
            name = call["function"]["name"]
            actions[call["id"]] = add(
                ActionEvent,
                at,
                part,
                thought=texts_of(one) if part == 0 else [],
                action=action_of(name),
                tool_name=name,
                tool_call_id=call["id"],
                tool_call=MessageToolCall(
                    id=call["id"], name=name, arguments=call["function"]["arguments"], origin="completion"
                ),
                llm_response_id=answer,
            )
    return events, owner


def llm_summarizing(view: list[dict[str, Any]], question: Question) -> Any:
    if not view:
        return "there is nothing to condense"
    settings, budget = question.parameters, question.budget
    limits = {"max_input_tokens": budget["window"], "max_output_tokens": budget["max-output"]}
    llm = Summarizer(model=MODEL, api_key="none", usage_id="agent", **limits)
    llm._question = question
    standard = default_condenser(llm)
    condenser = type(standard)(
        llm=llm,
        max_size=settings.get("max-size", standard.max_size),
        keep_first=settings.get("keep-first", standard.keep_first),
        max_tokens=settings.get("max-tokens"),
    )
    filler = TextContent(text=" a" * (budget["system"] + budget["schemas"]))
    events, owner = events_of(view, question.memory or [])
    log = [SystemPromptEvent(id="system", system_prompt=filler, tools=[]), *events]
    state = View.from_events([*log, CondensationRequest()] if question.forced else log)
    for _ in range(STEPS):
        try:
            result = condenser.condense(state, agent_llm=llm)
        except NoCondensationAvailableException as error:
            raise Raise(f"NoCondensationAvailableException: {error}") from error
        if isinstance(result, View):
            break
        state.append_event(result)
    answer, summaries, done = [], [], set()
    for event in state.events[1:]:
        at = owner.get(event.id)
        if isinstance(event, CondensationSummaryEvent):
            summaries.append(event.summary)
        if at is None:
            answer.append({"role": "user", "content": event.summary})
        elif at not in done:
            answer.append(view[at])
            done.add(at)
    question.memory = summaries or None
    return "the condenser has nothing to do" if answer == view else answer


MECHANISMS = {"llm-summarizing": llm_summarizing}


@strategy(name="openhands", version=f"openhands-sdk {version('openhands-sdk')}")
def compact(view: list[dict[str, Any]], question: Question) -> Any:
    return MECHANISMS[question.parameters.get("mechanism", "llm-summarizing")](view, question)


if __name__ == "__main__":
    compact.serve()
