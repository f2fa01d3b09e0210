"""Microsoft Agent Framework's compaction strategies as contestants (agent-framework-core,
agent_framework/_compaction.py).

The framework compacts before each call of the model: its chat clients hand the messages of a run to
`apply_compaction`. The same is called here.

parameters:
  mechanism                   "context-window" (default), "summarization", "token-budget",
                              "tool-results", "tool-calls" or "sliding-window"
  context-window: what the framework's own harness uses, here with the window and longest answer
    tool-eviction-threshold   share of window less answer above which old tool calls become one
                              message with their results; 0.5, as in the framework
    truncation-threshold      share above which the oldest groups go, down to the share above; 0.8
    keep-last-tool-call-groups  4
    preserve-first-user-group   false
  summarization:
    target-count, threshold   messages that are kept, and how many more there may be before it acts;
                              4 and 2, as in the framework. It counts messages, not tokens.
    max-summary-input-tokens  longest request to the summarizer; 8,000, likewise: of what is to
                              leave, only as much of the oldest is summarized and leaves
  token-budget: tool results, summarization and sliding window one after the other (with the
    parameters of each), until the budget is met; in the end the oldest go. This is the composed
    strategy of the framework's documentation.
    budget-share              share of window less answer; 0.8. The framework has no default.
  tool-results, tool-calls:   old tool calls become one message with their results, or go
    keep-last-tool-call-groups  1, as in the framework
  sliding-window:
    keep-last-groups          20, as in its documentation. It has no default.

Forced: thresholds of tokens are taken as met; `threshold` of the summarization is 0, and a token
budget is one token less than there are. What is kept is the same. The others have no threshold.

The framework does not act where a prompt is refused as too long.

Tokens: the framework's own estimate, four characters a token of the messages as JSON. It does not see
system prompt and schemas.

Failures: the summarization does not try again. An exception or an empty answer is logged and
nothing leaves; it is tried again before the next call. So is a group that alone is longer than
the summarizer's request may be, and with it all that comes later stays.

Noted: a summary is an assistant message where the oldest summarized message was, so the view can
begin with one. Results that become one message are cut at 4,096 characters.
"""

import os
import sys

os.environ["AGENT_FRAMEWORK_USER_AGENT_DISABLED"] = "true"
os.environ["ENABLE_INSTRUMENTATION"] = "false"
os.environ["OTEL_SDK_DISABLED"] = "true"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

import asyncio
from importlib.metadata import version

from agent_framework import BaseChatClient, ChatResponse, Content, Message
from agent_framework._compaction import (
    CharacterEstimatorTokenizer,
    ContextWindowCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    annotate_token_counts,
    apply_compaction,
    included_token_count,
)
from agent_framework.exceptions import ChatClientContentFilterException, ChatClientException

from proctor import ModelError, strategy


class Client(BaseChatClient):
    """The run's summarizer as a chat client."""

    def __init__(self, question):
        super().__init__()
        self.question = question

    async def _inner_get_response(self, *, messages, stream, options, **kwargs):
        system = "\n".join(one.text for one in messages if one.role == "system")
        rest = [{"role": str(one.role), "content": one.text} for one in messages if one.role != "system"]
        try:
            answer = self.question.complete(rest, system=system or None)
        except ModelError as error:
            kind = ChatClientContentFilterException if error.kind == "refusal" else ChatClientException
            raise kind(f"service failed to complete the prompt: {error}", inner_exception=error) from error
        reason = {"length": "length", "tool-call": "tool_calls"}.get(answer.finish, "stop")
        return ChatResponse(messages=[Message(role="assistant", contents=[answer.text])], finish_reason=reason)


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def framework_of(message):
    role, text = message["role"], text_of(message)
    if role == "tool":
        contents = [Content.from_function_result(call_id=message["tool_call_id"], result=text)]
    else:
        contents = [text] if text else []
    for call in message.get("tool_calls") or []:
        function = call["function"]
        contents.append(
            Content.from_function_call(call_id=call["id"], name=function["name"], arguments=function["arguments"])
        )
    return Message(role=role, contents=contents, message_id=message["id"])


def summarization(question, client):
    parameters = question.parameters
    return SummarizationStrategy(
        client=client,
        target_count=parameters.get("target-count", 4),
        threshold=0 if question.forced else parameters.get("threshold", 2),
        max_summary_input_tokens=parameters.get("max-summary-input-tokens", 8000),
    )


def strategy_of(question, client, messages):
    parameters, budget = question.parameters, question.budget
    mechanism = parameters.get("mechanism", "context-window")
    if mechanism == "context-window":
        made = ContextWindowCompactionStrategy(
            max_context_window_tokens=budget["window"],
            max_output_tokens=budget["max-output"],
            tool_eviction_threshold=parameters.get("tool-eviction-threshold", 0.5),
            truncation_threshold=parameters.get("truncation-threshold", 0.8),
            keep_last_tool_call_groups=parameters.get("keep-last-tool-call-groups", 4),
            preserve_first_user_group=parameters.get("preserve-first-user-group", False),
        )
        if question.forced:
            # Both triggers are met; `compact_to` stays.
            made._tool_eviction_tokens = made._truncation_tokens = 0
            made._truncation.max_n = 0
        return made
    if mechanism == "summarization":
        return summarization(question, client)
    if mechanism == "tool-results":
        return ToolResultCompactionStrategy(
            keep_last_tool_call_groups=parameters.get("keep-last-tool-call-groups", 1)
        )
    if mechanism == "tool-calls":
        return SelectiveToolCallCompactionStrategy(
            keep_last_tool_call_groups=parameters.get("keep-last-tool-call-groups", 1)
        )
    if mechanism == "sliding-window":
        return SlidingWindowStrategy(keep_last_groups=parameters.get("keep-last-groups", 20))
    if mechanism == "token-budget":
        tokenizer = CharacterEstimatorTokenizer()
        limit = int(parameters.get("budget-share", 0.8) * (budget["window"] - budget["max-output"]))
        if question.forced:
            annotate_token_counts(messages, tokenizer=tokenizer)
            limit = min(limit, included_token_count(messages) - 1)
        return TokenBudgetComposedStrategy(
            token_budget=max(1, limit),
            tokenizer=tokenizer,
            strategies=[
                ToolResultCompactionStrategy(
                    keep_last_tool_call_groups=parameters.get("keep-last-tool-call-groups", 1)
                ),
                summarization(question, client),
                SlidingWindowStrategy(keep_last_groups=parameters.get("keep-last-groups", 20)),
            ],
        )
    raise ValueError(f"no such mechanism: {mechanism}")


@strategy(name="agent-framework", version=version("agent-framework-core"))
def compact(view, question):
    messages = [framework_of(message) for message in view]
    chosen = strategy_of(question, Client(question), messages)
    compacted = asyncio.run(apply_compaction(messages, strategy=chosen))
    by_id = {message["id"]: message for message in view}
    answer = [by_id.get(one.message_id) or {"role": str(one.role), "content": one.text} for one in compacted]
    return "nothing to compact, or no summary" if answer == view else answer


compact.serve()
