"""The settings page: what is refused, and how it is said."""

from __future__ import annotations

import dataclasses
from typing import Any

from docs_parts.asking import alone
from docs_parts.words import code, table
from scrubber import Settings, SettingsError


@dataclasses.dataclass(frozen=True)
class Mistake:
    """Something that is refused: how it is written, and what writes it."""

    shown: str
    given: dict[str, Any] = dataclasses.field(default_factory=dict)
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    file: tuple[str, str | None] | None = None
    """A file's name, and its content (None: no such file)."""


MISTAKES: tuple[Mistake, ...] = (
    Mistake('Settings(profil="strict")', {"profil": "strict"}),
    Mistake('Settings(profile="strikt")', {"profile": "strikt"}),
    Mistake('Settings(error_messages={"ValidationError": "shpe"})', {"error_messages": {"ValidationError": "shpe"}}),
    Mistake('Settings(error_messages={"Validation Error": "keep"})', {"error_messages": {"Validation Error": "keep"}}),
    Mistake('Settings(allow=["$mcp_parameters"])', {"allow": ["$mcp_parameters"]}),
    Mistake('Settings(allow=["$mcp_error_message"])', {"allow": ["$mcp_error_message"]}),
    Mistake('Settings(allow=["$exception_message"])', {"allow": ["$exception_message"]}),
    Mistake('Settings(allow=["$mcp_intnt"])', {"allow": ["$mcp_intnt"]}),
    Mistake('Settings(allow=[" plan"])', {"allow": [" plan"]}),
    Mistake('Settings(allow_on={"$mcp_tool_cal": ["plan"]})', {"allow_on": {"$mcp_tool_cal": ["plan"]}}),
    Mistake('Settings(block=["distinct_id"])', {"block": ["distinct_id"]}),
    Mistake('Settings(values={"plan": []})', {"values": {"plan": []}}),
    Mistake('Settings(values={"plan": [None]})', {"values": {"plan": [None]}}),
    Mistake('Settings(placeholder="")', {"placeholder": ""}),
    Mistake('Settings(drop_refusals="perhaps")', {"drop_refusals": "perhaps"}),
    Mistake("SCRUBBER_PROFIL=strict", environment={"SCRUBBER_PROFIL": "strict"}),
    Mistake("SCRUBBER_PROFILES_DIR=/srv", environment={"SCRUBBER_PROFILES_DIR": "/srv"}),
    Mistake("SCRUBBER_ALLOW=plan", environment={"SCRUBBER_ALLOW": "plan"}),
    Mistake("SCRUBBER_CONFIG=absent.toml", environment={"SCRUBBER_CONFIG": "absent.toml"}),
    Mistake('Settings.from_file("scrubber.toml"), with `profile = `', file=("scrubber.toml", "profile = ")),
    Mistake(
        'Settings.from_file("scrubber.toml"), with a setting above `[tool.scrubber]`',
        file=("scrubber.toml", 'profile = "strict"\n[tool.scrubber]\nannotate = true\n'),
    ),
    Mistake(
        'Settings.from_file("pyproject.toml"), without `[tool.scrubber]`', file=("pyproject.toml", "[tool.other]\n")
    ),
)


def said(mistake: Mistake) -> str:
    """What the code says of a mistake."""
    with alone(mistake.environment) as folder:
        try:
            if mistake.file is None:
                Settings(**mistake.given)
            else:
                name, content = mistake.file
                if content is not None:
                    (folder / name).write_text(content, "utf-8")
                Settings.from_file(name)
        except SettingsError as error:
            return str(error)
    raise AssertionError(f"{mistake.shown} is not refused")


def refused_settings() -> str:
    """What is refused, and how it is said: asked of the code."""
    rows = []
    for mistake in MISTAKES:
        shown = mistake.shown if "`" in mistake.shown else code(mistake.shown)
        message = said(mistake).split(" (settings: ")[0]
        rows.append(
            (shown.replace("Settings.from_file(", "`Settings.from_file(").replace("), with", ")`, with"), message)
        )
    return table(("You write", "It says"), [(left, code(right)) for left, right in rows])
