"""Inspect's compaction strategies as contestants (inspect-ai, inspect_ai/model/_compaction).

The view goes through Inspect's own compaction handler, as in its react() agent: the handler
measures it, and where it is too long, asks the strategy up to four times until it fits.

parameters:
  mechanism         "summary" (default), "edit" or "trim"
  threshold         share of the window (or a number of tokens) above which it acts; 0.9, as in
                    Inspect
  keep-tool-uses    edit: newest tool calls whose results are kept; 3, likewise
  keep-tool-inputs  edit: whether calls of cleared results stay; true, likewise
  preserve          trim: share of the messages that is kept; 0.8, likewise
  max-retries       retries of a failed call; 10. Inspect's own default has no end, and would
                    reach the limit of calls.

Forced: the handler's own `force`, which react() uses where a prompt was refused as too long.

Tokens: as react() does it, the provider's report of the last call and Inspect's own count of
what came since. The report is made from `tokens`: the share (by characters) of the view before
the last answer, and system prompt and schemas. Without an answer Inspect counts all. Its count is
o200k and 10 %; the tokenizer is bpe-openai's, since tiktoken would download its vocabulary.
System prompt and schemas are filler of the same length; no model is shown it.

Failures: a server error, a rate limit and a time-out are tried again (waits are left out); then, or
where the summary's prompt is too long or the result does not fit below the threshold, react()
fails: here the session ends. Where it was forced, react() gives the compaction up and goes on
with the refused prompt: here it declines. A refusal becomes the summary, as would its text from
OpenAI. An empty answer becomes an empty summary.

Noted: only the first user message is kept as input by "summary" and "trim"; later ones can go.
The summary is a user message behind it. "trim" drops results without their call and calls without
results, and "edit" and "trim" never end with an assistant message.
CompactionAuto is "summary" where the provider has no compaction of its own, and is left out.
"""

import os
import sys

os.environ["INSPECT_TELEMETRY"] = ""
os.environ["INSPECT_LOG_LEVEL"] = "warning"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

import asyncio
import json
from importlib.metadata import version

import bpe_openai
from inspect_ai.log._transcript import Transcript, init_transcript
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    CompactionEdit,
    CompactionSummary,
    CompactionTrim,
    GenerateConfig,
    ModelAPI,
    ModelInfo,
    ModelOutput,
    ModelUsage,
    compaction,
    get_model,
    modelapi,
    set_model_info,
)
from inspect_ai.model._model import RetryDecision
from inspect_ai.model._trim import partition_messages
from inspect_ai.tool import ToolCall, ToolInfo
from tenacity import RetryError, wait_none

from proctor import ModelError, Raise, strategy

O200K = bpe_openai.get_encoding("o200k_base")
# The words with which Inspect begins a summary; they tell one from what a user said.
SUMMARY = "[CONTEXT COMPACTION SUMMARY]"


class ProviderError(Exception):
    """What a provider's client raises."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status_code = status


@modelapi(name="proctor")
class Provider(ModelAPI):
    """The run's summarizer as a provider. It does as Inspect's provider for OpenAI."""

    def __init__(self, model_name, question, **options):
        super().__init__(model_name, **options)
        self.question = question

    async def generate(self, input, tools, tool_choice, config):
        messages = [protocol_of(one) for one in input if one.role != "system"]
        try:
            answer = self.question.complete(messages, max_tokens=config.max_tokens)
        except ModelError as error:
            if error.kind == "overflow":
                return ModelOutput.from_content(self.model_name, str(error), stop_reason="model_length")
            if error.kind == "refusal":
                return ModelOutput.from_content(self.model_name, str(error), stop_reason="content_filter")
            raise ProviderError(str(error), 408 if error.kind == "time-out" else error.status or 500) from error
        reason = {"length": "max_tokens", "tool-call": "tool_calls"}.get(answer.finish, "stop")
        return ModelOutput.from_content(self.model_name, answer.text, stop_reason=reason)

    def should_retry(self, ex):
        status = getattr(ex, "status_code", 0)
        if status == 429:
            return RetryDecision.rate_limit()
        return RetryDecision.transient() if status in (408, 409) or status >= 500 else RetryDecision.no()

    def retry_wait(self):
        return wait_none()

    def max_tokens(self):
        return self.question.budget["max-output"]

    async def count_text_tokens(self, text):
        # inspect_ai/model/_tokens.py, count_text_tokens
        return max(1, int(len(O200K.encode(text, disallowed_special=())) * 1.1))


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def inspect_of(message, names):
    """A message of the protocol as one of Inspect. Its id goes along in `metadata`, since Inspect
    gives a new id to a message that it changes."""
    role, text = message["role"], text_of(message)
    same = {"id": message["id"], "content": text, "metadata": {"proctor": message["id"]}}
    if role == "tool":
        call = message["tool_call_id"]
        return ChatMessageTool(**same, tool_call_id=call, function=names.get(call))
    if role != "assistant":
        if text.startswith(SUMMARY):
            same["metadata"]["summary"] = True
        return ChatMessageUser(**same)
    calls = []
    for call in message.get("tool_calls") or []:
        names[call["id"]] = call["function"]["name"]
        words = call["function"]["arguments"]
        try:
            arguments = json.loads(words)
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            arguments = {"arguments": words}
        calls.append(ToolCall(id=call["id"], function=call["function"]["name"], arguments=arguments))
    return ChatMessageAssistant(**same, tool_calls=calls or None)


def protocol_of(message, view=None):
    """The other way. `view` holds the messages by id: what is unchanged is given back as it was."""
    old = (view or {}).get((message.metadata or {}).get("proctor"))
    if old is not None and message.id == old["id"]:
        return old
    new = {"role": message.role, "content": message.text}
    if old is not None:
        new["id"] = old["id"]
    if message.role == "tool":
        new["tool_call_id"] = message.tool_call_id
    if message.role == "assistant" and message.tool_calls:
        before = {call["id"]: call for call in (old or {}).get("tool_calls") or []}
        new["tool_calls"] = []
        for call in message.tool_calls:
            words = json.dumps(call.arguments, ensure_ascii=False)
            one = {"id": call.id, "type": "function", "function": {"name": call.function, "arguments": words}}
            if call.id in before and same_arguments(before[call.id], call):
                one = before[call.id]
            new["tool_calls"].append(one)
    return new


def same_arguments(before, call):
    words = before["function"]["arguments"]
    try:
        return json.loads(words) == call.arguments
    except ValueError:
        return call.arguments == {"arguments": words}


def characters(messages):
    return sum(len(text_of(one)) + len(json.dumps(one.get("tool_calls", ""))) for one in messages)


def filler(tokens):
    """A text that Inspect takes for so many tokens."""
    return "x" + " x" * max(0, round(tokens / 1.1) - 1)


def strategy_of(parameters):
    mechanism = parameters.get("mechanism", "summary")
    threshold = parameters.get("threshold", 0.9)
    if mechanism == "summary":
        return CompactionSummary(threshold=threshold)
    if mechanism == "edit":
        keep = parameters.get("keep-tool-uses", 3)
        inputs = parameters.get("keep-tool-inputs", True)
        return CompactionEdit(threshold=threshold, keep_tool_uses=keep, keep_tool_inputs=inputs)
    if mechanism == "trim":
        return CompactionTrim(threshold=threshold, preserve=parameters.get("preserve", 0.8))
    raise ValueError(f"no such mechanism: {mechanism}")


async def run(view, question):
    init_transcript(Transcript())
    budget = question.budget
    config = GenerateConfig(max_retries=question.parameters.get("max-retries", 10))
    model = get_model("proctor/summarizer", config=config, memoize=False, question=question)
    set_model_info(str(model), ModelInfo(context_length=budget["window"], output_tokens=budget["max-output"]))

    names = {}
    messages = [inspect_of(message, names) for message in view]
    first = next((one for one in messages if one.role == "user" and "summary" not in one.metadata), None)
    if first is not None:
        first.source = "input"
    if budget["system"]:
        messages.insert(0, ChatMessageSystem(id="system", content=filler(budget["system"])))
    tools = []
    if budget["schemas"]:
        tools.append(ToolInfo(name="tools", description=filler(budget["schemas"])))
    parted = partition_messages(messages)
    handler = compaction(strategy_of(question.parameters), parted.system + parted.input, tools, model)

    last = max((n for n, one in enumerate(messages) if one.role == "assistant"), default=None)
    if last is not None:
        ids = {one.id for one in messages[:last]}
        before = [one for one in view if one["id"] in ids]
        prompt = question.tokens * characters(before) // max(1, characters(view))
        prompt += budget["system"] + budget["schemas"]
        output = ModelOutput.from_content("agent", "")
        output.usage = ModelUsage(input_tokens=prompt, total_tokens=prompt)
        await handler.record_output(messages[:last], output)
    compacted, _ = await handler.compact_input(messages, force=question.forced)
    return [one for one in compacted if one.role != "system"]


@strategy(name="inspect-ai", version=version("inspect-ai"))
def compact(view, question):
    try:
        compacted = asyncio.run(run(view, question))
    except Exception as error:
        cause = error.last_attempt.exception() if isinstance(error, RetryError) else error
        reason = f"{type(cause).__name__}: {cause}"
        if question.forced:
            return reason
        raise Raise(reason) from error
    by_id = {message["id"]: message for message in view}
    messages = [protocol_of(message, by_id) for message in compacted]
    return "below the threshold" if messages == view else messages


compact.serve()
