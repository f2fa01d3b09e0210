"""The Python clients of OpenAI and Anthropic against `proctor serve`; see `.ci/clients`."""

import json
import sys
from pathlib import Path

import anthropic
import openai

TEXT = "We chose SQLite for the store. The tests of the parser fail since Tuesday. Never touch vendor/."
MESSAGES = [{"role": "user", "content": TEXT}]
work = Path(sys.argv[1])
checked = 0


def places(name):
    return json.loads((work / f"{name}.json").read_text())


def open_client(name, token=None, retries=0):
    place = places(name)
    return openai.OpenAI(base_url=place["url"], api_key=token or place["token"], max_retries=retries)


def anthropic_client(name, token=None, retries=0):
    place = places(name)
    key = token or place["token"]
    return anthropic.Anthropic(base_url=place["anthropic_url"], api_key=key, max_retries=retries)


def chat(client, **more):
    return client.chat.completions.create(model="any", messages=MESSAGES, **more)


def respond(client, **more):
    return client.responses.create(model="any", input=TEXT, **more)


def message(client, **more):
    return client.messages.create(model="any", max_tokens=500, messages=MESSAGES, **more)


def check(holds, what):
    global checked
    checked += 1
    if not holds:
        raise AssertionError(what)


def raises(kind, call, part=None):
    try:
        call()
    except kind as error:
        check(type(error) is kind, f"{type(error)} is not {kind}")
        check(part is None or part in str(error), f"{part} is not in {error}")
        return error
    raise AssertionError(f"no {kind}")


def openai_answers():
    client = open_client("sound")
    answer = chat(client)
    text = answer.choices[0].message.content
    check("SQLite" in text and answer.choices[0].finish_reason == "stop", answer)
    check(answer.usage.prompt_tokens > 5 and answer.usage.completion_tokens > 5, answer.usage)
    chunks = list(chat(client, stream=True, stream_options={"include_usage": True}))
    pieces = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    check("".join(pieces) == text and len(pieces) > 3, pieces)
    check(chunks[-1].usage.total_tokens == answer.usage.total_tokens, chunks[-1])
    tool = {"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}
    check(chat(client, tools=[tool]).choices[0].message.content == text, "tools are let pass")
    check(chat(client, max_completion_tokens=5).choices[0].finish_reason in ("stop", "length"), "short")

    response = respond(client)
    check(response.output_text == text and response.status == "completed", response)
    check(response.usage.total_tokens == answer.usage.total_tokens, response.usage)
    events = list(respond(client, stream=True))
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    check("".join(deltas) == text, events)
    check(events[0].type == "response.created" and events[-1].type == "response.completed", events)
    with client.responses.stream(model="any", input=TEXT) as stream:
        check(stream.get_final_response().output_text == text, "the helper gathers a stream")
    with client.chat.completions.stream(model="any", messages=MESSAGES) as stream:
        gathered = stream.get_final_completion().choices[0].message.content
        check(gathered == text, "the helper gathers a stream")

    models = [model.id for model in client.models.list()]
    check(models == ["extractive"], models)
    check(client.models.retrieve("extractive").id == "extractive", "one model")
    raises(openai.NotFoundError, lambda: client.models.retrieve("none/such"), "none/such")


def openai_failures():
    for call in (chat, respond):
        raises(openai.AuthenticationError, lambda: call(open_client("sound", "wrong")))
        raises(openai.InternalServerError, lambda: call(open_client("error")), "overloaded")
        late = raises(openai.InternalServerError, lambda: call(open_client("time-out")))
        check(late.status_code == 504, late)
        overflow = raises(openai.BadRequestError, lambda: call(open_client("overflow")))
        check(overflow.code == "context_length_exceeded", overflow)
        check("maximum context length" in overflow.message, overflow)
        raises(openai.InternalServerError, lambda: call(open_client("error"), stream=True))
    refused = chat(open_client("refusal")).choices[0]
    check(refused.finish_reason == "content_filter" and refused.message.content is None, refused)
    check("declined" in refused.message.refusal, refused)
    response = respond(open_client("refusal"))
    check(response.incomplete_details.reason == "content_filter", response)
    check(response.output[0].content[0].type == "refusal", response)
    called = chat(open_client("tool-call")).choices[0]
    check(called.finish_reason == "tool_calls" and called.message.tool_calls, called)
    check(respond(open_client("tool-call")).output[0].type == "function_call", "a call")
    raises(openai.BadRequestError, lambda: chat(open_client("sound"), n=2), "`n`")
    embeddings = lambda: open_client("sound").embeddings.create(model="any", input="x")
    raises(openai.InternalServerError, embeddings, "embeddings")
    check(chat(open_client("once-openai-py", retries=2)).choices, "it tries again")
    chat(open_client("spent-openai-py"))
    raises(openai.RateLimitError, lambda: chat(open_client("spent-openai-py", retries=2)), "1 calls")


def anthropic_answers():
    client = anthropic_client("sound")
    answer = message(client, system="You summarize.")
    text = answer.content[0].text
    check("SQLite" in text and answer.stop_reason == "end_turn", answer)
    check(answer.usage.input_tokens > 5 and answer.usage.output_tokens > 5, answer.usage)
    events = list(message(client, system="You summarize.", stream=True))
    deltas = [event.delta.text for event in events if event.type == "content_block_delta"]
    check("".join(deltas) == text and len(deltas) > 1, events)
    ends = (events[0].type, events[-1].type)
    check(ends == ("message_start", "message_stop"), ends)
    with client.messages.stream(model="any", max_tokens=500, messages=MESSAGES) as stream:
        gathered = stream.get_final_message()
        check("SQLite" in gathered.content[0].text, "the helper gathers a stream")
        check(gathered.usage.output_tokens > 5, gathered.usage)
    count = client.messages.count_tokens(model="any", messages=MESSAGES)
    check(count.input_tokens > 5, count)
    models = [model.id for model in client.models.list()]
    check(models == ["extractive"], models)
    check(client.models.retrieve("extractive").display_name == "extractive", "one model")
    raises(anthropic.NotFoundError, lambda: client.models.retrieve("none"))


def anthropic_failures():
    raises(anthropic.AuthenticationError, lambda: message(anthropic_client("sound", "wrong")))
    raises(anthropic.InternalServerError, lambda: message(anthropic_client("error")), "overloaded")
    late = None
    try:
        message(anthropic_client("time-out"))
    except anthropic.APIStatusError as error:
        late = error
    check(late is not None and late.status_code == 504, late)
    overflow = raises(anthropic.BadRequestError, lambda: message(anthropic_client("overflow")))
    check("prompt is too long: " in overflow.message, overflow)
    refused = message(anthropic_client("refusal"))
    check(refused.stop_reason == "refusal" and refused.content == [], refused)
    check("declined" in refused.stop_details.explanation, refused)
    called = message(anthropic_client("tool-call"))
    check(called.stop_reason == "tool_use" and called.content[0].type == "tool_use", called)
    choice = {"type": "any"}
    raises(anthropic.BadRequestError, lambda: message(anthropic_client("sound"), tool_choice=choice))
    check(message(anthropic_client("once-anthropic-py", retries=2)).content, "it tries again")
    message(anthropic_client("spent-anthropic-py"))
    spent = lambda: message(anthropic_client("spent-anthropic-py", retries=2))
    raises(anthropic.RateLimitError, spent, "1 calls")


for part in (openai_answers, openai_failures, anthropic_answers, anthropic_failures):
    part()
print(f"Python: openai {openai.__version__} and anthropic {anthropic.__version__}: {checked} checks hold")
