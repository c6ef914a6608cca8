"""The environments that the live scenarios run in: the one list to extend when an SDK releases.

In:  nothing but the tables below.
Out: `ENVIRONMENTS`, in the order of the report, and `NOT_TRIED`, what cannot exist and why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

NEWEST_POSTHOG: Final = "7.91.1"
NEWEST_PYDANTIC: Final = "2.14.4"
ANALYTICS: Final = "7.75.11"
"""The newest posthoganalytics that has `.mcp`."""
PYTHON: Final = "3.11"
TOOLS: Final = ("pytest==9.2.0",)
GENERATES: Final = ("hypothesis==6.170.17; python_version >= '3.11'", "hypothesis; python_version < '3.11'")
"""For the argument guard's property tests, where all of its tests run."""
SLOW_SINK: Final = frozenset({"7.21.0"})
"""posthog versions whose client needs 20 seconds to give up a loopback sink: tests through the wire are left out."""


@dataclass(frozen=True)
class Line:
    """A release of an SDK.

    `posthogs` are the oldest that instruments it, one in between, and the newest. `pydantic` is the oldest that the
    SDK's own metadata takes. `beside` pins what the SDK stands on.
    """

    sdk: str
    version: str
    family: str
    posthogs: tuple[str, str, str]
    pydantic: str
    beside: tuple[str, ...] = ()


# posthog.mcp came with 7.21.0. 7.39.2 still imports a module that mcp 2 has renamed; 7.40.0 does not. From there to
# 7.52.0 `instrument` takes a server of fastmcp 4 without complaint, and no event ever arrives; 7.52.1 sends them.
# Found by bisecting: one refused call and one fault of a body, with each version, on mcp 2.0.1 and 2.3.0, fastmcp
# 4.0.11 and 4.2.3.
_ON_1: Final = ("7.21.0", "7.45.4", NEWEST_POSTHOG)
_ON_2: Final = ("7.40.0", "7.79.0", NEWEST_POSTHOG)
_ON_FASTMCP_4: Final = ("7.52.1", "7.79.0", NEWEST_POSTHOG)

# Found the same way: until then, what fastmcp answers to refused arguments is captured as a text, `Error`, without a
# frame; 7.79.0 is the last release that did so. A body's fault mostly comes the same way.
FRAMES_FROM: Final = {"mcp": "7.21.0", "fastmcp": "7.91.1"}
"""The oldest posthog that sends a refusal with its traceback. Without one the hook must send it, redacted."""

LINES: Final = (
    Line("mcp", "1.26.0", "mcp1", _ON_1, "2.11.0"),
    Line("mcp", "1.28.1", "mcp1", _ON_1, "2.11.0"),
    Line("mcp", "1.30.0", "mcp1", _ON_1, "2.11.0"),
    Line("mcp", "2.0.1", "mcp2", _ON_2, "2.12.0"),
    Line("mcp", "2.1.1", "mcp2", _ON_2, "2.12.0"),
    Line("mcp", "2.3.0", "mcp2", _ON_2, "2.12.0"),
    Line("fastmcp", "2.14.7", "fastmcp2", _ON_1, "2.11.7", ("mcp==1.30.0",)),
    Line("fastmcp", "3.0.2", "fastmcp3", _ON_1, "2.11.7", ("mcp==1.30.0",)),
    Line("fastmcp", "3.4.11", "fastmcp3", _ON_1, "2.11.7", ("mcp==1.30.0",)),
    Line("fastmcp", "4.0.11", "fastmcp4", _ON_FASTMCP_4, "2.12.0", ("mcp==2.3.0",)),
    Line("fastmcp", "4.2.3", "fastmcp4", _ON_FASTMCP_4, "2.12.0", ("mcp==2.3.0",)),
)

FASTMCP_ON_3_10: Final = Line("fastmcp", "4.1.7", "fastmcp4", _ON_FASTMCP_4, "2.12.0", ("mcp==2.3.0",))

NEWEST: Final = frozenset({"mcp-1.30.0", "mcp-2.3.0", "fastmcp-2.14.7", "fastmcp-3.4.11", "fastmcp-4.2.3"})
CUT: Final = frozenset({"mcp-1.30.0", "mcp-2.3.0", "fastmcp-2.14.7", "fastmcp-4.2.3"})
WITH_ANALYTICS: Final = frozenset({"mcp-1.30.0", "mcp-2.3.0", "fastmcp-4.2.3"})
OTHER_PYTHONS: Final = ("3.10", "3.13")

GUARD_CORE: Final = tuple(f"tests/guard/test_{name}.py" for name in ("table", "unknown", "aliases", "posthog"))
"""The argument guard's tests that older releases of an SDK, posthog and pydantic can turn red: a few seconds."""

NOT_TRIED: Final = {
    "fastmcp-4.2.3-posthog-7.91.1-python-3.10": "fastmcp 4.2 needs Python 3.11; 4.1.7 stands in its place",
}


@dataclass(frozen=True)
class Environment:
    """One environment: a line with the versions beside it. `name` is its nox session's."""

    line: Line
    posthog: str = NEWEST_POSTHOG
    pydantic: str = NEWEST_PYDANTIC
    python: str = PYTHON
    package: str = "posthog"
    """The distribution whose `.mcp` instruments the server."""

    @property
    def sdk(self) -> str:
        """The SDK and its version, `mcp-1.26.0`."""
        return f"{self.line.sdk}-{self.line.version}"

    @property
    def name(self) -> str:
        """The SDK and what instruments it; pydantic and Python where they are not the usual ones."""
        watcher = self.posthog if self.package == "posthog" else ANALYTICS
        name = f"{self.sdk}-{self.package}-{watcher}"
        if self.pydantic != NEWEST_PYDANTIC:
            name += f"-pydantic-{self.pydantic}"
        return name if self.python == PYTHON else f"{name}-python-{self.python}"

    @property
    def watcher(self) -> str:
        """What instruments the server: posthog's version, or posthoganalytics by name."""
        return self.posthog if self.package == "posthog" else f"{self.package} {ANALYTICS}"

    @property
    def traced(self) -> bool:
        """Whether refusals come with frames, so that they can be told from faults and dropped."""
        watcher = self.posthog if self.package == "posthog" else ANALYTICS
        return _numbers(watcher) >= _numbers(FRAMES_FROM[self.line.sdk])

    @property
    def cut(self) -> bool:
        """Whether the small cut holds it."""
        return self.sdk in CUT and self == Environment(self.line)

    @property
    def guards(self) -> bool:
        """Whether all tests of the argument guard run: on the newest releases. Elsewhere those of `GUARD_CORE` do."""
        usual = Environment(self.line, python=self.python)
        return self.sdk in NEWEST and self == usual

    @property
    def guard_tests(self) -> tuple[str, ...]:
        """The argument guard's test files to run."""
        return ("tests/guard",) if self.guards else GUARD_CORE

    @property
    def requirements(self) -> tuple[str, ...]:
        """What pip is asked for, beside the project."""
        pins = [f"{self.line.sdk}=={self.line.version}", *self.line.beside]
        pins += [f"posthog=={self.posthog}", f"pydantic=={self.pydantic}", *TOOLS]
        pins += GENERATES * self.guards
        if self.package == "posthoganalytics":
            pins.append(f"posthoganalytics=={ANALYTICS}")
        return tuple(pins)

    @property
    def tests(self) -> tuple[str, ...]:
        """The test files to run. The one through the wire knows only posthog by name, and expects a drop."""
        scenarios = ("tests/live/test_scenarios.py",)
        if self.package != "posthog" or self.posthog in SLOW_SINK or not self.traced:
            return scenarios
        return (*scenarios, "tests/live/test_options_hook.py")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _environments() -> Iterator[Environment]:
    for line in LINES:
        usual = Environment(line)
        for posthog in line.posthogs:
            yield Environment(line, posthog)
        yield Environment(line, pydantic=line.pydantic)
        if usual.sdk in WITH_ANALYTICS:
            yield Environment(line, package="posthoganalytics")
        if usual.sdk in NEWEST:
            yield from (Environment(line, python=python) for python in OTHER_PYTHONS)
    yield Environment(FASTMCP_ON_3_10, python="3.10")


ENVIRONMENTS: Final = tuple(one for one in _environments() if one.name not in NOT_TRIED)
