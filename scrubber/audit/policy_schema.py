"""The JSON Schema of a `scrubber.toml`, so that an editor completes it and a mistake is seen where it is written.

Written by the settings' own model; what its validators ask beyond types is added here from the same lists. One thing no
schema can say: that a `$mcp_*` name is a slip of the pen for another. `Settings` refuses it all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from scrubber import settings_help as help_
from scrubber.settings import Settings
from scrubber.words import properties as listed

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_END = r"(?![\s\S])"
"""The end of a text. `$` will not do: to Python it also stands before a last line break."""
_TYPE, _EVENT, _OPENED = ({"$ref": f"#/$defs/{name}"} for name in ("type", "event", "opened"))
_PYTHON_END = r"\Z"
_NO_SPACE_AROUND = rf"^\S([\s\S]{{0,198}}\S)?{_END}"


def schema() -> dict[str, Any]:
    """The schema, draft 2020-12: an object for each setting, with its description and default."""
    made = Settings.model_json_schema()
    properties: dict[str, Any] = made["properties"]
    for name, setting in properties.items():
        setting.pop("title", None)
        setting.setdefault("default", Settings.model_fields[name].get_default(call_default_factory=True))
    for name in ("source_lines", "paths"):
        _follows_the_profile(properties[name])
    properties["expected_exceptions"]["items"] = _TYPE
    properties["error_messages"]["propertyNames"] = _TYPE
    properties["allow"]["items"] = _OPENED
    properties["block"]["items"] = _name(listed.TOP_LEVEL)
    properties["values"]["propertyNames"] = _OPENED
    properties["values"]["additionalProperties"]["minItems"] = 1
    properties["allow_on"]["propertyNames"] = _EVENT
    properties["allow_on"]["additionalProperties"]["items"] = _OPENED
    return {
        "$schema": DRAFT,
        "title": "scrubber.toml",
        "description": "What may leave a Python MCP server for PostHog. Every setting has a default.",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "$defs": {"type": _type_name(), "event": _event_name(), "opened": _opened_name()},
    }


def _follows_the_profile(setting: dict[str, Any]) -> None:
    """TOML has no null: a setting that follows the profile is not written. True and false are understood."""
    del setting["default"]
    words = next(one["enum"] for one in setting.pop("anyOf") if "enum" in one)
    setting["enum"] = [*words, True, False, "true", "false"]


def _type_name() -> dict[str, Any]:
    return {"type": "string", "pattern": f"^{help_.TYPE.pattern.removesuffix(_PYTHON_END)}{_END}"}


def _event_name() -> dict[str, Any]:
    pattern = f"^{help_.EVENT.pattern.removesuffix(_PYTHON_END)}{_END}"
    ours = {"pattern": "^(?!\\$mcp_)"}
    return {"type": "string", "pattern": pattern, "anyOf": [ours, {"enum": list(help_.EVENTS)}]}


def _name(but: Iterable[str]) -> dict[str, Any]:
    """A property's name, none of `but`."""
    return {"type": "string", "pattern": _NO_SPACE_AROUND, "not": {"enum": list(but)}}


def _opened_name() -> dict[str, Any]:
    """The name of a property that a setting may open: no text of an exception, no arguments."""
    by_kind = "|".join(re.escape(name) for name in (*listed.EXCEPTION_LISTED, *listed.EXCEPTION_NAME_LISTS))
    closed = rf"^\$exception_(?!(?:{by_kind.replace(re.escape('$exception_'), '')}){_END})"
    named = _name((*listed.TOP_LEVEL, listed.PARAMETERS, listed.ERROR_MESSAGE))
    return {**named, "not": {"anyOf": [named["not"], {"pattern": closed}]}}
