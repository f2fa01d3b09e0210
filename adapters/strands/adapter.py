"""Strands Agents' own context management as contestants (strands-agents; classes unmodified).

parameters.mechanism
  sliding-window    (default) SlidingWindowConversationManager, the default of an Agent
                    (strands/agent/conversation_manager/sliding_window_conversation_manager.py)
  summarizing       SummarizingConversationManager (summarizing_conversation_manager.py, there)
  context-manager   Agent(context_manager="auto") (strands/_context_manager/context_manager.py)

parameters of sliding-window
  window-size       40 messages (Strands' default)
  per-turn          false (default): the window is applied when the agent's turn ends; true or a
                    number N: before each or each N-th call of the model
parameters of summarizing
  summary-ratio     0.3 (Strands' default): share of the messages that one reduction summarizes
  preserve-recent   10 messages (default)
parameter of both
  proactive         0 (default): only an overflow reduces; otherwise the share of the window from
                    which on a reduction is tried before a call of the model (Strands offers 0.7)
parameter of context-manager
  preset            "auto" (default) or "agentic": here the tools of the latter are not offered

A real strands.Agent is built of the view, and Strands' own hooks run: BeforeModelCallEvent before a
call, apply_management at the end of a turn, and for an overflow reduce_context with the exception
(the context manager: AfterModelCallEvent). Forced is as an overflow. An overflow that Strands cannot
reduce ends the agent: `raise`; where no prompt was refused, the view stays as it is. Strands reduces and
sends until a prompt is accepted, without limit. Here it is reduced again while the prompt is certainly
larger than the window, at most 16 times; beyond that Proctor sends and asks again.

Messages are in Strands' form: all results of one answer are one message. What Strands merges into a
neighbour (markers of the context manager, user texts) is a message of its own in the answer.

Tokens: Strands projects what the provider reported with the last answer and adds its heuristic (four
characters a token, two for JSON) for what came later. The report is made from `tokens` (its share up
to that answer, by the heuristic) and `budget`, once for each answer: it is in `memory`, since after a
reduction the real one is stale too.

Failures: a summary is asked once; Strands' retries do not cover it, not even a 429. Reactive, the
exception ends the agent; proactive, it is logged and the view stays. The same for an answer without
text (an error here: "model response contained no text"). The context manager logs any failure of the
summary and, after an overflow, drops the oldest fifth.

As read in the source: one overflow of the sliding window shortens the results of the oldest message
that has some, and only if they are shortened already it removes messages: two at least, up to the next
user message; so a tool loop may be emptied. The summarizer sees tool calls and results as such.
Strands retries the context manager three times for one call; here Proctor's limit of sends holds, and its
retrieve_context tool cannot be called, so what it stashes is gone.
"""

from __future__ import annotations

import os
import sys

os.environ |= {"OTEL_SDK_DISABLED": "true", "AWS_EC2_METADATA_DISABLED": "true"}
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

import asyncio
import json
from importlib.metadata import version
from typing import Any, AsyncIterator

from strands import Agent
from strands.agent.conversation_manager import SlidingWindowConversationManager, SummarizingConversationManager
from strands.event_loop.event_loop import _estimate_input_tokens
from strands.hooks import AfterModelCallEvent, BeforeModelCallEvent
from strands.models import Model
from strands.types.exceptions import ContextWindowOverflowException, ModelThrottledException

from proctor import ModelError, Question, Raise, strategy

Message = dict[str, Any]
REDUCTIONS = 16


class ProviderError(Exception):
    """An error of a provider's SDK, which Strands passes on."""


class Summarizer(Model):
    """The run's summarizer as a model of Strands."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.config = {"model_id": "proctor", "context_window_limit": question.budget["window"]}

    def update_config(self, **model_config: Any) -> None:
        self.config.update(model_config)

    def get_config(self) -> Any:
        return self.config

    def structured_output(self, output_model: Any, prompt: Any, system_prompt: Any = None, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def stream(
        self, messages: Any, tool_specs: Any = None, system_prompt: Any = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        asked = [one for message in messages for one in openai_of(message)]
        try:
            answer = self.question.complete(asked, system=system_prompt)
            text, finish = answer.text, answer.finish
        except ModelError as error:
            if error.kind != "refusal":
                raise failure(error) from error
            text, finish = "", "stop"  # a refusal has no text
        yield {"messageStart": {"role": "assistant"}}
        if text:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": text}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "max_tokens" if finish == "length" else "end_turn"}}


def failure(error: ModelError) -> Exception:
    if error.kind == "overflow":
        return ContextWindowOverflowException(str(error))
    return ModelThrottledException(str(error)) if error.status == 429 else ProviderError(str(error))


def text_of(one: Message) -> str:
    content = one.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def result_text(result: Message) -> str:
    return "".join(item.get("text", "") for item in result["content"])


def openai_of(message: Message) -> list[Message]:
    """A message of Strands in the protocol's shape."""
    answer, texts, calls = [], [], []
    for block in message["content"]:
        if "text" in block:
            texts.append(block["text"])
        elif "toolUse" in block:
            use = block["toolUse"]
            function = {"name": use["name"], "arguments": json.dumps(use["input"], ensure_ascii=False)}
            calls.append({"id": use["toolUseId"], "type": "function", "function": function})
        elif "toolResult" in block:
            result = block["toolResult"]
            answer.append({"role": "tool", "tool_call_id": result["toolUseId"], "content": result_text(result)})
    if texts or calls:
        said: Message = {"role": message["role"], "content": "\n".join(texts)}
        answer.append({**said, "tool_calls": calls} if calls else said)
    return answer


def blocks_of(one: Message) -> list[Message]:
    text = text_of(one)
    if one["role"] == "tool":
        result = {"toolUseId": one["tool_call_id"], "status": "success", "content": [{"text": text}]}
        return [{"toolResult": result}]
    blocks = [{"text": text}] if text or not one.get("tool_calls") else []
    for call in one.get("tool_calls") or []:
        words = call["function"]["arguments"]
        try:
            given = json.loads(words)
        except ValueError:
            given = words
        blocks.append({"toolUse": {"toolUseId": call["id"], "name": call["function"]["name"], "input": given}})
    return blocks


MARKERS = ("[Summarized: ", "[... ")


def strands_of(view: list[Message]) -> tuple[list[Message], dict[int, int], tuple[int, str] | None]:
    """Messages of Strands, to which message of the view each block belongs, and where the last answer is."""
    messages: list[Message] = []
    owner: dict[int, int] = {}
    last = None
    marked = False  # the message before is a marker, which joins the answer behind it
    for at, one in enumerate(view):
        blocks = blocks_of(one)
        owner |= {id(block): at for block in blocks}
        role = "assistant" if one["role"] == "assistant" else "user"
        joins = marked if role == "assistant" else one["role"] == "tool" and at and view[at - 1]["role"] == "tool"
        if joins and messages:
            messages[-1]["content"].extend(blocks)
        else:
            messages.append({"role": role, "content": blocks})
        marked = role == "assistant" and not one.get("tool_calls") and text_of(one).startswith(MARKERS)
        if role == "assistant" and not marked:
            last = (len(messages) - 1, one["id"])
    return messages, owner, last


def messages_back(messages: list[Message], view: list[Message], owner: dict[int, int]) -> list[Message]:
    results = {one["tool_call_id"]: at for at, one in enumerate(view) if one["role"] == "tool"}
    answer: list[Message] = []
    done: set[int] = set()
    for message in messages:
        old: list[Message] = []
        new: list[Message] = []
        for block in message["content"]:
            at = owner.get(id(block))
            if at is None and "toolResult" in block:
                result = block["toolResult"]
                old.append({**view[results[result["toolUseId"]]], "content": result_text(result)})
            elif at is None:
                words = {"role": message["role"], "content": block["text"]}
                (new if message["role"] == "assistant" else old).append(words)
            elif at not in done:
                done.add(at)
                old.append(view[at])
        # A marker beside calls goes before them: their results follow.
        answer.extend([*new, *old] if any("toolUse" in block for block in message["content"]) else [*old, *new])
    return answer


def report_usage(agent: Agent, at: int, name: str, question: Question, memory: Message) -> None:
    """The usage that the provider reported with the last answer, which is message `at`."""
    known = memory.get("reported")
    if known and known[0] == name:
        total = known[1]
    else:
        upto = asyncio.run(agent.model.count_tokens(agent.messages[: at + 1]))
        whole = asyncio.run(agent.model.count_tokens(agent.messages))
        total = question.budget["system"] + question.budget["schemas"] + question.tokens * upto // max(whole, 1)
    memory["reported"] = [name, total]
    agent.messages[at]["metadata"] = {"usage": {"inputTokens": total, "outputTokens": 0, "totalTokens": total}}


def manager_of(question: Question) -> Any:
    settings = question.parameters
    threshold = settings.get("proactive", 0)
    proactive = {"compression_threshold": threshold} if threshold else None
    if settings.get("mechanism", "sliding-window") == "sliding-window":
        return SlidingWindowConversationManager(
            settings.get("window-size", 40), per_turn=settings.get("per-turn", False), proactive_compression=proactive
        )
    return SummarizingConversationManager(
        settings.get("summary-ratio", 0.3), settings.get("preserve-recent", 10), proactive_compression=proactive
    )


async def before_call(agent: Agent) -> None:
    tokens = await _estimate_input_tokens(agent)
    event = BeforeModelCallEvent(agent=agent, invocation_state={}, projected_input_tokens=tokens)
    await agent.hooks.invoke_callbacks_async(event)


async def on_overflow(agent: Agent, question: Question) -> None:
    """What the agent's loop does with the exception."""
    error = ContextWindowOverflowException("prompt is too long")
    event = AfterModelCallEvent(agent=agent, invocation_state={}, exception=error)
    await agent.hooks.invoke_callbacks_async(event)
    if event.retry:
        return
    budget, before = question.budget, await agent.model.count_tokens(agent.messages)
    for _ in range(REDUCTIONS):
        agent.conversation_manager.reduce_context(agent, e=error)
        view = question.tokens * await agent.model.count_tokens(agent.messages) // max(before, 1)
        if question.hook != "overflow" or budget["system"] + budget["schemas"] + view <= budget["window"]:
            return


@strategy(name="strands", version=f"strands-agents {version('strands-agents')}")
def compact(view: list[Message], question: Question) -> Any:
    settings = question.parameters
    setup = (
        {"context_manager": settings.get("preset", "auto")}
        if settings.get("mechanism") == "context-manager"
        else {"conversation_manager": manager_of(question)}
    )
    filler = "x" * 4 * (question.budget["system"] + question.budget["schemas"])
    messages, owner, last = strands_of(view)
    agent = Agent(Summarizer(question), messages, system_prompt=filler, callback_handler=None, **setup)
    memory = dict(question.memory or {})
    if memory.get("state"):
        agent.conversation_manager.restore_from_session(memory["state"])
    if last is not None:
        report_usage(agent, *last, question, memory)
    try:
        if question.forced:
            asyncio.run(on_overflow(agent, question))
        elif question.hook == "turn-end":
            agent.conversation_manager.apply_management(agent)
        else:
            asyncio.run(before_call(agent))
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        if question.hook == "overflow":
            raise Raise(reason) from error
        return reason
    state = agent.conversation_manager.get_state()
    if state.get("summary_message"):
        state["summary_message"] = {key: state["summary_message"][key] for key in ("role", "content")}
    question.memory = {**memory, "state": state}
    answer = messages_back(agent.messages, view, owner)
    return None if answer == view else answer


if __name__ == "__main__":
    compact.serve()
