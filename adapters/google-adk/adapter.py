"""Google ADK's events compaction as a contestant (google-adk, google/adk/apps/compaction.py).

ADK never removes an event from its session. A compaction appends an event that names a range of
timestamps, and the prompt builder puts its summary in place of the events in that range. Here
the session is built anew from the view and from what `memory` holds of what left it, ADK's own
function decides and summarizes, and ADK's own prompt builder gives the next view.

parameters:
  mechanism             "sliding-window" (default), "token-threshold" or "both"
  compaction-interval   new invocations after which the sliding window acts; 3, as in ADK's
                        documentation. ADK itself has no default.
  overlap-size          invocations before the first new one that are summarized again; 1, likewise
  token-threshold-share ADK's threshold is a number of tokens without a default (4,000 in the
                        example of its documentation): here a share of the window less the
                        longest answer, 0.8
  event-retention-size  events that the token threshold keeps; 5, as in ADK's documentation

An invocation is a user message and all that follows it. The sliding window acts after an
invocation, the token threshold before each call of the model and after an invocation. Neither
acts when a prompt is refused as too long.

Forced: the sliding window needs one new invocation, the token threshold one token. What they
keep is the same. An invocation that still runs is left out by the sliding window, since ADK
would not have asked yet: within the first turn it has nothing to do.

Tokens: ADK reads what the provider reported for its last call, and counts four characters a
token where there is no call since the last compaction. The report is made from `tokens`: the
share (by characters) of the view before the last answer, and system prompt and schemas.

Failures: ADK does not try again. Any exception is logged and the history stays as it is; the
same compaction is tried at the next occasion. An empty answer is taken: its range leaves the
context, and nothing stands for it here (ADK sends a content without parts).

Other than in older versions: tool calls and results are shown to the summarizer, each cut to
2,000 characters; the token threshold shows the summary before and replaces it; a range that is
not larger than the last summary is left alone. Summaries of the sliding window accumulate.
"""

import os
import sys

os.environ["OTEL_SDK_DISABLED"] = "true"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

import asyncio
import copy
import json
from importlib.metadata import version

from google.adk.agents import LlmAgent
from google.adk.apps.app import App, EventsCompactionConfig
from google.adk.apps.compaction import (
    _run_compaction_for_sliding_window,
    _run_compaction_for_token_threshold_config,
)
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.flows.llm_flows.context._compaction import _process_compaction_events
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.sessions import InMemorySessionService
from google.genai import errors, types

from proctor import ModelError, strategy

AGENT = "agent"
# What Gemini says of a prompt that is too long.
TOO_LONG = "The input token count exceeds the maximum number of tokens allowed."


class Summarizer(BaseLlm):
    """The run's summarizer in the place of Gemini: its answers and errors look like Gemini's."""

    model: str = "proctor"
    question: object = None

    async def generate_content_async(self, llm_request, stream=False):
        messages = [
            {
                "role": "assistant" if content.role == "model" else "user",
                "content": "".join(part.text or "" for part in content.parts),
            }
            for content in llm_request.contents
        ]
        try:
            answer = self.question.complete(messages)
        except ModelError as error:
            if error.kind == "refusal":
                blocked = types.Candidate(finish_reason="SAFETY", finish_message=str(error))
                yield LlmResponse.create(types.GenerateContentResponse(candidates=[blocked]))
                return
            if error.kind == "overflow":
                raise errors.ClientError(400, {"status": "INVALID_ARGUMENT", "message": TOO_LONG}) from error
            if error.kind == "time-out":
                raise errors.ServerError(504, {"status": "DEADLINE_EXCEEDED", "message": str(error)}) from error
            status = error.status or 500
            kind = errors.ServerError if status >= 500 else errors.ClientError
            raise kind(status, {"message": str(error)}) from error
        candidate = types.Candidate(
            content=types.Content(role="model", parts=[types.Part(text=answer.text)] if answer.text else []),
            finish_reason="MAX_TOKENS" if answer.finish == "length" else "STOP",
        )
        yield LlmResponse.create(types.GenerateContentResponse(candidates=[candidate]))


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def characters(messages):
    return sum(len(text_of(one)) + len(json.dumps(one.get("tool_calls", ""))) for one in messages)


def groups_of(messages):
    """Messages that are one event: results of one answer's calls are merged, as ADK does it."""
    groups = []
    for message in messages:
        if message["role"] == "tool" and groups and groups[-1][0]["role"] == "tool":
            groups[-1].append(message)
        else:
            groups.append([message])
    return groups


def event_of(group, at, invocation, names):
    parts, role = [], group[0]["role"]
    for message in group:
        text = text_of(message)
        if role == "tool":
            call = message["tool_call_id"]
            response = types.FunctionResponse(id=call, name=names.get(call, "tool"), response={"result": text})
            parts.append(types.Part(function_response=response))
            continue
        if text:
            parts.append(types.Part(text=text))
        for call in message.get("tool_calls") or []:
            name, words = call["function"]["name"], call["function"]["arguments"]
            names[call["id"]] = name
            try:
                arguments = json.loads(words)
            except ValueError:
                arguments = None
            if not isinstance(arguments, dict):
                arguments = {"arguments": words}
            parts.append(types.Part(function_call=types.FunctionCall(id=call["id"], name=name, args=arguments)))
    content = types.Content(role="model" if role == "assistant" else "user", parts=parts)
    author = AGENT if role in ("assistant", "tool") else "user"
    return Event(author=author, content=content, timestamp=float(at), invocation_id=invocation)


def compaction_of(past):
    """A compaction event, from what memory holds of it."""
    content = types.Content.model_validate(past["content"])
    compaction = EventCompaction(start_timestamp=past["start"], end_timestamp=past["end"], compacted_content=content)
    return Event(
        author="user",
        actions=EventActions(compaction=compaction),
        timestamp=past["after"],
        invocation_id=f"compaction-{past['start']}-{past['end']}",
    )


def summary_text(content):
    return "".join(part.text or "" for part in content.parts or [])


@strategy(name="google-adk", version=version("google-adk"))
def compact(view, question):
    parameters = question.parameters
    mechanism = parameters.get("mechanism", "sliding-window")
    if mechanism not in ("sliding-window", "token-threshold", "both"):
        raise ValueError(f"no such mechanism: {mechanism}")
    overlap = parameters.get("overlap-size", 1) if mechanism != "token-threshold" else 0
    config = {}
    if mechanism != "token-threshold":
        config["compaction_interval"] = 1 if question.forced else parameters.get("compaction-interval", 3)
        config["overlap_size"] = overlap
    if mechanism != "sliding-window":
        share = parameters.get("token-threshold-share", 0.8)
        threshold = max(1, int(share * (question.budget["window"] - question.budget["max-output"])))
        config["token_threshold"] = 1 if question.forced else threshold
        config["event_retention_size"] = parameters.get("event-retention-size", 5)

    # `summaries` and `covered` are what left the view; `first` and `invocation` belong to its
    # first event that was not summarized.
    memory = copy.deepcopy(question.memory) or {"summaries": [], "covered": [], "first": 1, "invocation": "start"}
    origin, names, stream = {}, {}, []

    def add(event, messages=None):
        stream.append(event)
        origin[id(event)] = messages

    for past in memory["covered"]:
        add(event_of(past["messages"], past["at"], past["invocation"], names), past["messages"])
    texts = [summary_text(types.Content.model_validate(past["content"])) for past in memory["summaries"]]
    summary_message, raw = {}, []
    for message in view:
        place = next(
            (n for n, text in enumerate(texts) if text and n not in summary_message and text == text_of(message)), None
        )
        if message["role"] == "assistant" and not message.get("tool_calls") and place is not None:
            summary_message[place] = message
        else:
            raw.append(message)

    for place, past in enumerate(memory["summaries"]):
        if place not in summary_message:  # empty, or another stage removed it
            past["content"] = {"role": "model", "parts": []}

    groups = groups_of(raw)
    last_answer = max((n for n, group in enumerate(groups) if group[0]["role"] == "assistant"), default=None)
    at, invocation = memory["first"], memory["invocation"]
    fresh = []
    for number, group in enumerate(groups):
        if group[0]["role"] not in ("assistant", "tool"):
            invocation = f"user-{group[0]['id']}"
        event = event_of(group, at, invocation, names)
        if number == last_answer:
            before = view[: view.index(group[0])]
            prompt = question.tokens * characters(before) // max(1, characters(view))
            prompt += question.budget["system"] + question.budget["schemas"]
            event.usage_metadata = types.GenerateContentResponseUsageMetadata(prompt_token_count=prompt)
        fresh.append((event, group))
        at += 1

    running = []
    answered = raw and raw[-1]["role"] == "assistant" and not raw[-1].get("tool_calls")
    if mechanism == "sliding-window" and question.hook != "turn-end" and not answered and fresh:
        current = fresh[-1][0].invocation_id
        running = [one for one in fresh if one[0].invocation_id == current]
        fresh = fresh[: len(fresh) - len(running)]
    for event, group in fresh:
        add(event, group)
    # A compaction stands in the session behind the events that were there when it was made.
    for past in memory["summaries"]:
        behind = next((n for n, one in enumerate(stream) if one.timestamp > past["after"]), len(stream))
        while behind < len(stream) and stream[behind].actions.compaction:
            behind += 1
        stream.insert(behind, compaction_of(past))

    llm = Summarizer(question=question)
    agent = LlmAgent(name=AGENT, model=llm)
    app = App(name="proctor", root_agent=agent, events_compaction_config=EventsCompactionConfig(**config))

    async def run():
        service = InMemorySessionService()
        session = await service.create_session(app_name=app.name, user_id="user", session_id="session")
        session.events = list(stream)
        if question.hook == "turn-end" or mechanism == "sliding-window":
            # As Runner._run_post_invocation_compaction does.
            async for event in _run_compaction_for_sliding_window(app, session, service):
                await service.append_event(session=session, event=event)
        else:
            # As CompactionRequestProcessor does before a call of the model.
            await _run_compaction_for_token_threshold_config(
                config=app.events_compaction_config,
                session=session,
                session_service=service,
                agent=agent,
                agent_name=agent.name,
            )
        return session.events, session.events[len(stream) :]

    events, new = asyncio.run(run())
    if not new:
        return "nothing to compact, or no summary"

    # What the prompt builder makes of the session.
    kept = _process_compaction_events(events, AGENT)
    known = {(past["start"], past["end"]): n for n, past in enumerate(memory["summaries"])}
    made = {(one.actions.compaction.start_timestamp, one.actions.compaction.end_timestamp) for one in new}
    messages, summaries = [], []
    for event in kept:
        if not event.actions.compaction:
            messages += origin[id(event)]
            continue
        compaction = event.actions.compaction
        span = (compaction.start_timestamp, compaction.end_timestamp)
        text = summary_text(compaction.compacted_content)
        old = None if span in made else known[span]
        if old is None:
            after = max(one.timestamp for one in events if not one.actions.compaction)
        else:
            after = memory["summaries"][old]["after"]
        content = compaction.compacted_content.model_dump(mode="json", exclude_none=True)
        summaries.append({"start": span[0], "end": span[1], "after": after, "content": content})
        if old in summary_message:
            messages.append(summary_message[old])
        elif text:
            messages.append({"role": "assistant", "content": text})
    messages += [message for _, group in running for message in group]

    end = max(past["end"] for past in summaries)
    gone = [one for one in events if not one.actions.compaction and one.timestamp <= end]
    names_of_gone = list(dict.fromkeys(one.invocation_id for one in gone))
    wanted = set(names_of_gone[len(names_of_gone) - overlap :] if overlap else [])
    rest = [one for one in events if not one.actions.compaction and one.timestamp > end]
    rest += [event for event, _ in running]
    question.memory = {
        "summaries": summaries,
        "covered": [
            {"at": one.timestamp, "invocation": one.invocation_id, "messages": origin[id(one)]}
            for one in gone
            if one.invocation_id in wanted
        ],
        "first": int(rest[0].timestamp) if rest else int(end) + 1,
        "invocation": rest[0].invocation_id if rest else "start",
    }
    return messages


compact.serve()
