"""Asking the code: the settings, the closed list and the hook, with nothing of this machine mixed in."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrubber import Scrubber, Settings
from scrubber.rules.closing import Closing
from scrubber.words import properties as listed


@contextlib.contextmanager
def alone(environment: dict[str, str] | None = None) -> Iterator[Path]:
    """An empty working directory and no `SCRUBBER_*` variable but those given; gives the directory."""
    before, here = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for name in before:
            if name.upper().startswith("SCRUBBER_"):
                del os.environ[name]
        os.environ.update(environment or {})
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(before)


def policies(**more: Any) -> tuple[Closing, Closing]:
    """The closed list under the standard and under the strict profile."""
    with alone():
        both = [Settings(profile=profile).policy() for profile in ("standard", "strict")]
    first, second = (Closing(dataclasses.replace(one, **more)) for one in both)
    return first, second


def scrubbed(event: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """What leaves of an event that is sent."""
    with alone():
        sent = Scrubber(Settings(**settings))(event)
    assert sent is not None
    return sent


def sent_message(type_: str, text: str, settings: dict[str, Any]) -> list[str | None]:
    """The message, the code and the field that leave."""
    properties = {"$mcp_tool_name": "find_book", "$mcp_error_type": type_, listed.ERROR_MESSAGE: text}
    sent = scrubbed({"event": listed.TOOL_CALL_EVENT, "properties": properties}, **settings)
    return [sent["properties"].get(name) for name in (listed.ERROR_MESSAGE, listed.ERROR_CODE, listed.ERROR_FIELD)]
