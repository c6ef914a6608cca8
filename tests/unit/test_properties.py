"""The closed list against the installed SDK's constants: a renamed or new property fails here by name."""

from __future__ import annotations

import re

import pytest

from scrubber.words import properties as listed

constants = pytest.importorskip("posthog.mcp.constants")


def of_class(name: str) -> dict[str, str]:
    return {
        key: value
        for key, value in vars(getattr(constants, name)).items()
        if isinstance(value, str) and value.startswith("$")
    }


SDK = sorted(of_class("PostHogMCPAnalyticsProperty").values())


@pytest.mark.promise("leaves:mcp-closed")
@pytest.mark.parametrize("name", SDK)
def test_every_property_of_the_installed_sdk_is_known(name: str) -> None:
    assert name in listed.MCP_KNOWN or name in listed.STRICT_LISTED, (
        f"{name} is new: list it, with its kind, or close it"
    )


def test_every_mcp_property_we_know_is_the_sdks_or_posthogs_own() -> None:
    # The two that PostHog's taxonomy knows and its Python SDK does not send.
    taxonomy = {listed.ERROR_CODE, listed.ERROR_FIELD}
    assert listed.MCP_KNOWN - set(SDK) <= taxonomy


def test_no_property_has_two_handlings() -> None:
    groups = [
        set(listed.MCP_LISTED),
        set(listed.MCP_NAME_LISTS),
        set(listed.MCP_CLOSED),
        {listed.PARAMETERS},
        {listed.ERROR_MESSAGE},
    ]
    assert sum(map(len, groups)) == len(set().union(*groups))


def test_names_are_spelt_like_properties() -> None:
    for name in listed.MCP_KNOWN | listed.EXCEPTION_KNOWN | set(listed.STRICT_LISTED):
        assert re.fullmatch(r"\$[a-z0-9_]+", name), name
