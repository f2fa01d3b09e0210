"""Where a step's time goes in the frameworks whose steps take longer in longer sessions."""

from contestants import CONTESTANTS, LIMIT
from machine import WORK, driver

PROFILED = (
    "langchain-clear-tool-uses",
    "agent-framework-context-window",
    "agent-framework-summarization",
)
SIZE = "200k"


def profiles():
    found = {}
    for one in (one for one in CONTESTANTS if one.key in PROFILED):
        words = [one.mechanism, WORK / f"{SIZE}.jsonl", "--limit", LIMIT, "--profile"]
        found[one.key] = driver(one.environment, one.driver, *words)["functions"]
    return found
