"""LlamaIndex's memories as contestants (llama-index-core, llama_index/core/memory).

LlamaIndex's agents put the user's message into a memory, read it before each call of the model, and
put calls and results of the turn into it when the turn is over; until then these follow what was
read, and nothing can shorten them. Likewise here: the memory is what stands up to the last user
message, or all after a turn.

parameters:
  mechanism           "summary-buffer" (default): ChatSummaryMemoryBuffer; what is beyond its limit is
                      summarized. "buffer": ChatMemoryBuffer; it is left out. "memory": Memory; it is
                      flushed. "memory-facts": Memory with a FactExtractionMemoryBlock
  token-limit-share   limit as a share of the window; 0.75, what the buffers take of a model's.
                      Memory's own default is 30,000 tokens.
  chat-history-token-ratio  share of it above which Memory flushes; 0.7, as in LlamaIndex
  flush-share         share of the limit that it flushes at a time; 0.1, likewise
  max-facts           50, likewise

Forced: the limit is one token less than the memory holds, where that is less. The buffers have
no other trigger. Memory flushes as much at a time as it would have.

LlamaIndex does not act where a prompt is refused as too long.

Tokens: its own count, cl100k (LlamaIndex brings the vocabulary). It does not see system prompt and
schemas, nor calls of tools.

Failures: nothing is tried again, and nothing is caught: the exception ends the agent, and here the
session. (Its packages for providers have retries of their own; they are not modelled.) An empty
answer becomes an empty summary, or no facts: what was flushed is gone.

Noted: a summary or the facts are a system message at the beginning, and the kept part begins with
a user message, so whole turns leave. Calls without a text are not shown to the summarizer. Of the
results only the text is. The facts are asked for with the flushed messages themselves.
"""

import os
import sys

os.environ["OTEL_SDK_DISABLED"] = "true"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

import asyncio
import json
from importlib.metadata import version

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata, TextBlock, ToolCallBlock
from llama_index.core.llms.custom import CustomLLM
from llama_index.core.memory import (
    ChatMemoryBuffer,
    ChatSummaryMemoryBuffer,
    FactExtractionMemoryBlock,
    Memory,
)
from llama_index.core.storage.chat_store.sql import MessageStatus

from proctor import ModelError, Raise, strategy

FACTS = "<memory>"


class ProviderError(Exception):
    """What a provider's client raises."""


class Summarizer(CustomLLM):
    """The run's summarizer as an LLM."""

    question: object = None

    @property
    def metadata(self):
        budget = self.question.budget
        return LLMMetadata(
            context_window=budget["window"], num_output=budget["max-output"], is_chat_model=True, model_name="proctor"
        )

    def chat(self, messages, **kwargs):
        system = "\n".join(one.content or "" for one in messages if one.role.value == "system")
        rest = [protocol_of(one) for one in messages if one.role.value != "system"]
        try:
            answer = self.question.complete(rest, system=system or None)
        except ModelError as error:
            raise ProviderError(f"{error.kind}: {error}") from error
        return ChatResponse(message=ChatMessage(role="assistant", content=answer.text))

    async def achat(self, messages, **kwargs):
        return self.chat(messages, **kwargs)

    def complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError

    def stream_complete(self, prompt, formatted=False, **kwargs):
        raise NotImplementedError


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def llama_of(message):
    role, text = message["role"], text_of(message)
    blocks = [TextBlock(text=text)] if text or role != "assistant" else []
    for call in message.get("tool_calls") or []:
        function = call["function"]
        blocks.append(
            ToolCallBlock(tool_call_id=call["id"], tool_name=function["name"], tool_kwargs=function["arguments"])
        )
    more = {"tool_call_id": message["tool_call_id"]} if role == "tool" else {}
    return ChatMessage(role=role, blocks=blocks, additional_kwargs=more)


def protocol_of(message):
    new = {"role": message.role.value, "content": message.content or ""}
    if "tool_call_id" in message.additional_kwargs:
        new["tool_call_id"] = message.additional_kwargs["tool_call_id"]
    calls = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
    if calls:
        new["tool_calls"] = []
        for call in calls:
            words = call.tool_kwargs if isinstance(call.tool_kwargs, str) else json.dumps(call.tool_kwargs)
            function = {"name": call.tool_name, "arguments": words}
            new["tool_calls"].append({"id": call.tool_call_id, "type": "function", "function": function})
    return new


def buffered(kind, stored, question, limit):
    """What a buffer gives back for what is stored, and how many of the newest are among it."""
    options = {"llm": Summarizer(question=question)} if kind is ChatSummaryMemoryBuffer else {}
    if question.forced:
        held = kind.from_defaults(token_limit=limit)._token_count_for_messages(stored)
        limit = min(limit, max(1, held - 1))
    buffer = kind.from_defaults(chat_history=list(stored), token_limit=limit, **options)
    got = buffer.get()
    known = {id(one) for one in stored}
    return got, sum(1 for one in got if id(one) in known)


async def queued(stored, facts, question, limit):
    """The same for Memory, and its facts. All but the newest message are in it already."""
    parameters = question.parameters
    ratio = parameters.get("chat-history-token-ratio", 0.7)
    flush = max(1, int(limit * parameters.get("flush-share", 0.1)))
    blocks = []
    if parameters.get("mechanism") == "memory-facts":
        most = parameters.get("max-facts", 50)
        blocks = [FactExtractionMemoryBlock(llm=Summarizer(question=question), facts=facts, max_facts=most)]
    options = {"session_id": "session", "chat_history_token_ratio": ratio, "token_flush_size": flush}
    memory = Memory.from_defaults(token_limit=limit, memory_blocks=blocks, **options)
    if question.forced:
        held = sum(memory._estimate_token_count(one) for one in stored)
        memory.token_limit = min(limit, max(1, int((held - 1) / ratio)))
    try:
        await memory.aset(stored[:-1])
        await memory.aput(stored[-1])
        kept = len(await memory.aget_all(status=MessageStatus.ACTIVE))
        return await memory.aget(), kept, blocks[0].facts if blocks else []
    finally:
        # Its database is one of the process's memory, with a thread.
        await memory.sql_store._async_engine.dispose()


@strategy(name="llama-index", version=version("llama-index-core"))
def compact(view, question):
    mechanism = question.parameters.get("mechanism", "summary-buffer")
    limit = max(1, int(question.parameters.get("token-limit-share", 0.75) * question.budget["window"]))

    old = None
    held = list(view)
    if mechanism == "memory-facts" and held and held[0]["role"] == "system":
        if text_of(held[0]).strip().startswith(FACTS):
            old = held.pop(0)
    over = question.hook == "turn-end" or (held and held[-1]["role"] == "assistant" and not held[-1].get("tool_calls"))
    last = max((n + 1 for n, one in enumerate(held) if one["role"] == "user"), default=0)
    end = len(held) if over else last
    if not end:
        return "the memory is empty"
    if mechanism.startswith("memory") and not over and end < len(held) and not question.forced:
        return "nothing was put into the memory"
    stored = [llama_of(message) for message in held[:end]]

    facts = question.memory or []
    try:
        if mechanism == "summary-buffer":
            got, kept = buffered(ChatSummaryMemoryBuffer, stored, question, limit)
        elif mechanism == "buffer":
            got, kept = buffered(ChatMemoryBuffer, stored, question, limit)
        elif mechanism in ("memory", "memory-facts"):
            got, kept, facts = asyncio.run(queued(stored, list(facts), question, limit))
        else:
            raise ValueError(f"no such mechanism: {mechanism}")
    except ProviderError as error:
        raise Raise(f"the memory failed: {error}") from error

    if mechanism == "memory-facts":
        question.memory = facts
    new = [protocol_of(message) for message in got[: len(got) - kept]]
    if old is not None and len(new) == 1 and new[0]["content"] == text_of(old):
        new = [old]
    messages = new + held[end - kept : end] + held[end:]
    return "within the limit" if messages == view else messages


compact.serve()
