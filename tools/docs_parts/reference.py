"""The settings page: the reference, and one file with everything in it."""

from __future__ import annotations

from typing import Any

from docs_parts.words import code, in_environment, limits, plain, table, toml, wrapped
from scrubber import Settings

EXAMPLES: dict[str, Any] = {
    "profile": "strict",
    "drop_argument_rejections": False,
    "corroborate": False,
    "expected_exceptions": ["NotFound", "app.errors.RateLimited"],
    "drop_refusals": True,
    "error_messages": {"ValidationError": "shape", "TimeoutError": "keep"},
    "allow": ["plan", "$mcp_tool_description"],
    "allow_on": {"$mcp_feedback": ["$mcp_feedback_summary"]},
    "block": ["$mcp_client_user_agent"],
    "values": {"tier": ["free", "pro"], "seats": [1, 5]},
    "source_lines": "remove",
    "paths": "relative",
    "placeholder": "[removed]",
    "annotate": True,
}
"""A value for each setting that is not its default. A setting without one shows its default."""


def example(name: str) -> Any:
    """A value for a setting."""
    return EXAMPLES[name] if name in EXAMPLES else Settings.model_fields[name].get_default(call_default_factory=True)


def default(name: str) -> str:
    """A setting's default, in words."""
    value = Settings.model_fields[name].get_default(call_default_factory=True)
    return "unset" if value is None else code(toml(value))


def settings_reference() -> str:
    """Every setting: a table to look over, then each by itself."""
    fields = Settings.model_fields
    rows = [(f"[`{name}`](#{name})", default(name), code(f"SCRUBBER_{name.upper()}")) for name in fields]
    parts = [table(("Setting", "Default", "Environment variable"), rows)]
    for name, field in fields.items():
        described = "\n".join(wrapped(field.description or "", 118))
        shell = f"SCRUBBER_{name.upper()}={in_environment(example(name))}"
        parts.append(
            f"### `{name}`\n\n{described}\n\n- Type: {plain(field.annotation)}{limits(field)}.\n"
            f"- Default: {default(name)}.\n- In the environment: `{shell}`\n\n"
            f"```toml\n{name} = {toml(example(name))}\n```"
        )
    return "\n\n".join(parts)


def complete_file() -> str:
    """One file with every setting at its default, each under its description."""
    lines = [
        "```toml",
        "# scrubber.toml: every setting, at its default. A line that starts with # shows another value.",
    ]
    for name, field in Settings.model_fields.items():
        lines += ["", *(f"# {line}" for line in wrapped(field.description or "", 116))]
        value = field.get_default(call_default_factory=True)
        if value is not None:
            lines.append(f"{name} = {toml(value)}")
        if example(name) != value:
            lines.append(f"# {name} = {toml(example(name))}")
    return "\n".join([*lines, "```"])
