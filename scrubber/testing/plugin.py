"""The pytest plugin: fixtures that give a real posthog client whose wire ends in the test.

On where the package is installed beside pytest (entry point `pytest11`); else `-p scrubber.testing.plugin`. Loading it
imports neither posthog nor pydantic: the fixtures do, when a test asks for one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from scrubber.testing.wire import Wire

MARKER = "posthog_wire"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one option of the kit."""
    parser.getgroup("posthog-scrubber").addoption(
        "--update-baselines",
        action="store_true",
        help="let assert_baseline write what leaves into its file, in place of failing",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, so that `--strict-markers` lets it pass."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(settings=, before_send=, package=, **client_options): how the posthog_wire fixture is made "
        "(posthog-scrubber)",
    )
    if config.getoption("--update-baselines"):
        # A variable and no attribute, so that the processes of pytest-xdist have it too. The name is baseline.UPDATE.
        os.environ["POSTHOG_SCRUBBER_UPDATE"] = "1"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave the environment of a program that runs pytest as it was."""
    if config.getoption("--update-baselines"):
        os.environ.pop("POSTHOG_SCRUBBER_UPDATE", None)


@pytest.fixture
def make_posthog_wire() -> Iterator[Callable[..., Wire]]:
    """A function that makes wires: `make_posthog_wire(settings=..., before_send=..., **client_options)`, as
    `scrubber.testing.open_wire`. All are closed at the end of the test."""
    with ExitStack() as open_:

        def make(settings: Any = None, **options: Any) -> Wire:
            from scrubber.testing.wire import open_wire  # noqa: PLC0415 - posthog and pydantic load only here

            return open_.enter_context(open_wire(settings, **options))

        yield make


@pytest.fixture
def posthog_wire(request: pytest.FixtureRequest, make_posthog_wire: Callable[..., Wire]) -> Wire:
    """A wire: `posthog_wire.client` is a real client with the hook, `.seen` what the hook got, `.left` what left.

    `@pytest.mark.posthog_wire(settings=Settings(...))` says how it is made; the closest mark wins, whole.
    """
    mark = request.node.get_closest_marker(MARKER)
    return make_posthog_wire(**mark.kwargs) if mark is not None else make_posthog_wire()
