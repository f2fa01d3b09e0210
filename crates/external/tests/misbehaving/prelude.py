import json, os, signal, sys, time

signal.alarm(30)


def hear():
    line = sys.stdin.readline()
    return json.loads(line) if line else os._exit(0)


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def hello(protocol=1, level="list"):
    hear()
    say({"type": "hello", "protocol": protocol, "name": "bad", "version": "1", "level": level})


def ready():
    hear()
    say({"type": "ready"})


def complete(text):
    say({"type": "complete", "messages": [{"role": "user", "content": text}]})
    return hear()


def plan(slots, requests=()):
    return {"type": "plan", "plan": {"layout": {"whole": slots}, "requests": list(requests)}}
