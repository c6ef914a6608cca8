"""Where the guard cannot do its work it says so when it is installed, and importing it loads no SDK.

Mutations that turn a test here red: any `raise GuardError` taken away, an SDK imported at the top of a fitting.
"""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from importlib import import_module
from typing import Any

import pytest

from scrubber import ScrubberError
from scrubber.guard import GuardError, guard_arguments

from ..live.families import Family
from ..support import ROOT
from . import kit
from .kit import families, is_standalone, needs_sdk


def say_so(server: Any, *words: str, **options: Any) -> None:
    with pytest.raises(GuardError) as raised:
        guard_arguments(server, **options)
    assert isinstance(raised.value, ScrubberError)
    for word in words:
        assert word in str(raised.value)


@pytest.mark.parametrize("module", ["scrubber", "scrubber.guard", "scrubber.guard.words"])
def test_importing_loads_no_sdk(module: str) -> None:
    code = (
        f"import sys, {module}\n"
        "roots = {name.split('.')[0] for name in sys.modules}\n"
        "print(sorted(roots & {'mcp', 'mcp_types', 'fastmcp', 'posthog', 'posthoganalytics', 'jsonschema'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_what_is_no_server() -> None:
    say_so(object(), "builtins.object", "FastMCP", "MCPServer")


@pytest.mark.live
@families
def test_wrong_options(family: Family) -> None:
    server = family.make("farm")
    say_so(server, "refuse", "allow", unknown="ignore")
    say_so(server, "ignore", ignore="sessionId")
    say_so(server, "ignore", ignore=[1])


@pytest.mark.live
@families
def test_twice(family: Family) -> None:
    server = family.make("farm")
    guard_arguments(server)
    say_so(server, "has a guard already")


@pytest.mark.live
@families
def test_a_subclass_of_a_server(family: Family) -> None:
    base: Any = getattr(import_module(family.server_module), family.server_class)
    server = type("Mine", (base,), {})("farm")
    guard_arguments(server)


@pytest.mark.live
@families
def test_strict_validation_of_fastmcp(family: Family) -> None:
    if not is_standalone(family):
        pytest.skip("fastmcp's own")
    server = family.make("farm", strict_input_validation=True)
    if family.name in ("fastmcp2", "fastmcp3"):
        say_so(server, "strict_input_validation", "Leave it off")
        return
    calls = []

    def add(a: int) -> str:
        calls.append(a)
        return str(a)

    def day(on: date) -> str:
        return str(on)

    day.__annotations__["on"] = date
    family.add_tool(server, add, None)
    family.add_tool(server, day, None)
    guard_arguments(server)
    bad, good, dated = kit.play(family, server, ("add", {"a": "2"}), ("add", {"a": 2}), ("day", {"on": "2026-11-30"}))
    # Strict on JSON, where a date is a text, from some 4.x on; before it, on Python.
    assert dated.text in ("2026-11-30", "Error executing tool 'day': on must be a date, YYYY-MM-DD.")
    plain = family.make("farm", strict_input_validation=True)
    family.add_tool(plain, day, None)
    assert kit.only(family, plain, "day", {"on": "2026-11-30"}).is_error is dated.is_error
    kit.refused(bad, "Error executing tool 'add': a must be a whole number.", "refused add: a")
    assert (good.text, calls) == ("2", [2])


@pytest.mark.live
@families
def test_a_cache_outside_of_the_guard(family: Family) -> None:
    if not is_standalone(family) or family.version.split(".") >= ["3", "1"]:
        pytest.skip("fastmcp 2 and 3.0 only: their cache forgets that a result was an error")
    caching = import_module("fastmcp.server.middleware.caching").ResponseCachingMiddleware
    server = family.make("farm")
    server.add_middleware(caching())
    say_so(server, "ResponseCachingMiddleware", "before")


@pytest.mark.live
@families
def test_background_tasks_of_fastmcp_2(family: Family) -> None:
    if family.name != "fastmcp2":
        pytest.skip("fastmcp 2 only: it starts tasks before any middleware")

    async def slow(n: int) -> str:
        return str(n)

    say_so(family.make("farm", tasks=True), "background task", "task=False")
    server = family.make("farm")
    server.tool(task=True)(slow)
    say_so(server, "background task")


@pytest.mark.live
@needs_sdk
def test_low_level_servers() -> None:
    family = kit.LowLevel()
    say_so(import_module("mcp.server.lowlevel").Server("bare"), "no handler")
    server = family.make("low", schemas={"f": {"type": "object", "properties": {}}})
    guard_arguments(server)
    say_so(server, "has a guard already")


@pytest.mark.live
@needs_sdk
def test_low_level_servers_that_posthog_instrumented_first() -> None:
    posthog = pytest.importorskip("posthog.mcp")
    client = import_module("posthog").Posthog("phc_guard", host="http://127.0.0.1:9", send=False)
    server = kit.LowLevel().make("low", schemas={"f": {"type": "object", "properties": {}}})
    posthog.instrument(server, client)
    try:
        say_so(server, "before instrument")
    finally:
        client.shutdown()
