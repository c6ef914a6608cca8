"""Every scenario through the real door: the installed SDK's server and client, real posthog, the hook as `before_send`."""

from __future__ import annotations

from typing import Any

import pytest

from scrubber import Scrubber, Settings

from ..support import texts, without_source_lines

pytest.importorskip("posthog.mcp")

from .families import installed_families
from .run import run
from .scenarios import scenarios_for

pytestmark = pytest.mark.live

CASES = [
    pytest.param(family, one, id=f"{family.name}-{one.name}")
    for family in installed_families()
    for one in scenarios_for(family.name)
]


@pytest.mark.promise("drops:refusal", "drops:traceback", "leaves:parameters")
@pytest.mark.parametrize("family, scenario", CASES)
def test_a_scenario_gets_its_verdict_and_nothing_of_it_leaks(family: Any, scenario: Any) -> None:
    hook = Scrubber(Settings(error_messages={"ValidationError": "shape"}))
    for captured in run(scenario, hook, family=family):
        if captured.event["event"] == "$exception" and captured.truth in ("drop", "keep"):
            got = "drop" if captured.sent is None else "keep"
            assert got == captured.truth, captured.why
        if captured.sent is not None and scenario.name != "unknown_tool":
            for secret in captured.secrets:
                assert secret not in texts(without_source_lines(captured.sent))
    assert hook.counts()["failed"] == 0
