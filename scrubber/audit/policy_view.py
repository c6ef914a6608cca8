"""The policy in effect, setting by setting with where it came from, and a file to start one's own from."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, get_args

from pydantic_settings import EnvSettingsSource

from scrubber.settings import Settings, read_file
from scrubber.settings_help import CONFIG, PREFIX

_WIDTH = 118
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")


class Source(str, Enum):
    """Where a setting came from."""

    DEFAULT = "default"
    ENVIRONMENT = "environment"
    FILE = "file"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Effective:
    """One setting in effect. where: the variable's name or the file's path; empty for a default.

    followed: what an unset setting comes to under the profile, or empty.
    """

    name: str
    value: Any
    source: Source
    where: str = ""
    followed: str = ""

    @property
    def written(self) -> str:
        """The value as TOML writes it, `unset` for none."""
        if self.value is None:
            return f"unset ({self.followed}, by the profile)" if self.followed else "unset"
        return toml(self.value)


@dataclass(frozen=True, slots=True)
class InEffect:
    """Every setting in effect, in the order of the reference. file: the one that was read, or None."""

    settings: tuple[Effective, ...]
    file: str | None

    @property
    def set(self) -> tuple[Effective, ...]:
        """The settings that somebody set, to whatever value."""
        return tuple(one for one in self.settings if one.source is not Source.DEFAULT)


def in_effect(config: Path | None = None) -> InEffect:
    """The settings that a hook of this process would have. config: as `Settings.from_file` takes it; else what
    `SCRUBBER_CONFIG` names. Raises `SettingsError` for a mistake in any of them."""
    settings = Settings() if config is None else Settings.from_file(config)
    named = os.environ.get(CONFIG)
    path = config if config is not None else Path(named) if named else None
    # The sources that `Settings` itself asks, strongest first; each gives the settings that it has.
    from_environment = EnvSettingsSource(Settings)()
    from_file = read_file(path) if path is not None else {}
    policy = settings.policy()
    followed = {
        "source_lines": "keep" if policy.source_lines else "remove",
        "paths": "full" if policy.full_paths else "relative",
    }

    def one(name: str) -> Effective:
        value = getattr(settings, name)
        if name in from_environment:
            return Effective(name, value, Source.ENVIRONMENT, _variable(name))
        if name in from_file:
            return Effective(name, value, Source.FILE, str(path))
        return Effective(name, value, Source.DEFAULT, "", followed.get(name, ""))

    return InEffect(tuple(map(one, Settings.model_fields)), str(path) if path is not None else None)


def _variable(name: str) -> str:
    """The variable as the environment has it: its case does not matter to `Settings`, and of two the last counts."""
    wanted = f"{PREFIX}{name}".upper()
    return [written for written in os.environ if written.upper() == wanted][-1]


def starter() -> str:
    """A `scrubber.toml` in which every setting stands commented out, under its description, at its default."""
    return "\n".join(_starter())


def _starter() -> Iterator[str]:
    yield "# scrubber.toml: what may leave for PostHog. Name it in SCRUBBER_CONFIG, or load it with Settings.from_file."
    yield "# Every setting is at its default; take the # before a line away to set it."
    yield "# Completion in an editor: run `scrubber settings --schema > scrubber.schema.json`, and begin this file with"
    yield "# `#:schema ./scrubber.schema.json`."
    for name, field in Settings.model_fields.items():
        yield ""
        yield from (f"# {line}" for line in textwrap.wrap(field.description or "", _WIDTH, break_on_hyphens=False))
        value = field.get_default(call_default_factory=True)
        if value is not None:
            yield f"#{name} = {toml(value)}"
        else:
            # A value here would stop following the profile, and could open what `strict` closes.
            yield f"# {name} is not set. It may be {' or '.join(map(toml, _choices(field.annotation)))}."
    yield ""


def _choices(annotation: Any) -> Iterator[str]:
    """The words that a setting may be, from its type."""
    for inner in get_args(annotation):
        if isinstance(inner, str):
            yield inner
        else:
            yield from _choices(inner)


def toml(value: Any) -> str:
    """A setting's value as TOML writes it on one line."""
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)} = {toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _text(value) if isinstance(value, str) else repr(value)


def _key(key: str) -> str:
    return key if _BARE_KEY.match(key) else _text(key)


_ESCAPED = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_MUST_ESCAPE = re.compile('[\x00-\x1f"\\\\\x7f]')


def _text(value: str) -> str:
    """A basic string. Not JSON's: TOML has no surrogate pairs, and wants DEL escaped."""
    escaped = _MUST_ESCAPE.sub(lambda found: _ESCAPED.get(found[0]) or f"\\u{ord(found[0]):04X}", value)
    return f'"{escaped}"'
