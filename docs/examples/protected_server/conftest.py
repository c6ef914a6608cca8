"""The server that the tests check: the shop's own, with a client whose wire ends in the test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from server import SETTINGS, build

CUSTOMER, ADDRESS = "Ottilie Brandt", "14 Quay Street, Port Selby"


@pytest.fixture
def wire(make_posthog_wire: Callable[..., Any]) -> Any:
    """A real posthog client with the shop's settings."""
    return make_posthog_wire(SETTINGS)


@pytest.fixture
def server(wire: Any) -> Any:
    """The shop with one customer."""
    return build(wire.client, {CUSTOMER: ADDRESS})
