"""A plugin for pytest: a test that fails at a gate shows what the gate says."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest

from . import gates
from .gates import Gate

_made = pytest.StashKey[list[Gate]]()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, None, None]:
    """Remembers the gates of a test."""
    made: list[Gate] = []
    item.stash[_made] = made
    observer = made.append
    gates.observers.append(observer)
    try:
        yield
    finally:
        gates.observers.remove(observer)
        del item.stash[_made]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, None]:
    """Adds the text of each gate that did not pass to the report of a failing test."""
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    if not report.failed or call.excinfo is None or not call.excinfo.errisinstance(AssertionError):
        return
    shared = getattr(item, "funcargs", {}).values()
    seen = [*item.stash.get(_made, []), *(value for value in shared if isinstance(value, Gate))]
    for gate in {id(one): one for one in seen if not one.passed}.values():
        report.sections.append(("proctor gate", gate.report.strip()))


@pytest.fixture
def proctor_gate() -> Callable[..., Gate]:
    """:func:`proctor.gate`, which fails the test with the gate's text where it does not pass."""

    def passed(*sides: Any, **options: Any) -> Gate:
        __tracebackhide__ = True
        gate = gates.gate(*sides, **options)
        if not gate.passed:
            pytest.fail(f"the gate is not passed\n{gate.report.strip()}", pytrace=False)
        return gate

    return passed
