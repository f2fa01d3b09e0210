"""Who is compared, and with what."""

from dataclasses import dataclass

# Turns of the session, by its length in tokens.
SIZES = {"50k": 37, "200k": 131, "1M": 568}
# Every measurement is made so often; the least counts.
REPEATS = 3
# The model's limit in tokens, of which each trigger is a share.
LIMIT = 32_000
# CPU seconds after which a driver stops within a session.
SECONDS = 40


@dataclass(frozen=True)
class Contestant:
    key: str
    title: str
    environment: str
    driver: str
    mechanism: str
    pipeline: str
    # Whether the pipeline is a port of just this strategy.
    port: bool = False
    # Whether the framework's agent runs, with its loop, or its compaction alone.
    agent: bool = False
    # At 1M, every so-many-th step is asked: only where a step does not hang on the one before.
    stride: int = 1


CONTESTANTS = [
    Contestant(
        "langchain-agent",
        "LangChain agent, SummarizationMiddleware",
        "langchain",
        "drive_langchain_agent",
        "summarization",
        "langchain",
        agent=True,
    ),
    Contestant(
        "strands-sliding-agent",
        "Strands agent, SlidingWindow",
        "strands",
        "drive_strands_agent",
        "sliding-window",
        "sliding-window",
        agent=True,
    ),
    Contestant(
        "strands-summarizing-agent",
        "Strands agent, Summarizing",
        "strands",
        "drive_strands_agent",
        "summarizing",
        "goat-code",
        agent=True,
    ),
    Contestant(
        "langchain-summarization",
        "LangChain SummarizationMiddleware",
        "langchain",
        "drive_langchain",
        "summarization",
        "langchain",
        port=True,
    ),
    Contestant(
        "langchain-clear-tool-uses",
        "LangChain ClearToolUsesEdit",
        "langchain",
        "drive_langchain",
        "clear-tool-uses",
        "langchain-clear-tool-uses",
        port=True,
        stride=25,
    ),
    Contestant(
        "strands-sliding",
        "Strands SlidingWindow",
        "strands",
        "drive_strands",
        "sliding-window",
        "sliding-window",
    ),
    Contestant(
        "strands-summarizing",
        "Strands Summarizing",
        "strands",
        "drive_strands",
        "summarizing",
        "goat-code",
    ),
    Contestant(
        "agent-framework-context-window",
        "Agent Framework ContextWindow",
        "agent-framework",
        "drive_agent_framework",
        "context-window",
        "mask-then-truncate",
    ),
    Contestant(
        "agent-framework-sliding",
        "Agent Framework SlidingWindow",
        "agent-framework",
        "drive_agent_framework",
        "sliding-window",
        "sliding-window",
    ),
    Contestant(
        "agent-framework-summarization",
        "Agent Framework Summarization",
        "agent-framework",
        "drive_agent_framework",
        "summarization",
        "goat-code-short",
    ),
]

PIPELINES = sorted({one.pipeline for one in CONTESTANTS})
