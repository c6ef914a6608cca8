"""Settings: what a user may choose, where it is read from, and how a mistake is said.

Arguments win over `SCRUBBER_*` environment variables, these over the TOML file named by `SCRUBBER_CONFIG` or given
to `Settings.from_file`, these over the defaults. Nothing is read from the working directory unasked.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings.exceptions import SettingsError as UnreadableSource

from scrubber import settings_help as help_
from scrubber.words import properties as listed
from scrubber.words.errors import SettingsError
from scrubber.words.policy import Policy

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MessageMode = Literal["keep", "shape", "remove"]


def _default_messages() -> dict[str, MessageMode]:
    return {"ValidationError": "keep"}


Scalar = bool | int | float | str


def _words(true: str, false: str) -> BeforeValidator:
    """True and false are understood for a choice of two words."""

    def translate(value: Any) -> Any:
        if value is True or value == "true":
            return true
        return false if value is False or value == "false" else value

    return BeforeValidator(translate)


class Settings(BaseSettings):
    """The policy of a hook. Every field has a default; the built-in policy is `Settings()`.

    Raises `SettingsError` at construction for an unknown key, a misspelt value, a set of values that is empty, a name
    that is no property, or a wish to open what never opens.
    """

    model_config = SettingsConfigDict(env_prefix="SCRUBBER_", extra="forbid", frozen=True, hide_input_in_errors=True)
    _file: ClassVar[dict[str, Any] | None] = None

    profile: Literal["standard", "strict"] = Field(
        "standard",
        description="`standard` closes `$mcp_*` and `$exception_*` and leaves your own properties alone; `strict` "
        "closes every property of every event that is not listed or allowed by name.",
    )
    drop_argument_rejections: bool = Field(
        True, description="Drop `$exception` events that originate in a tool's argument validation."
    )
    corroborate: bool = Field(
        True,
        description="Drop an argument refusal only if the arguments of the call event beside it explain it, where that "
        "event was seen. Off: the `$exception` event's own evidence decides.",
    )
    expected_exceptions: list[str] = Field(
        default_factory=list,
        description="Exception types (`Type` or `module.Type`) whose `$exception` events are dropped, matched on the "
        "outermost exception and its causes.",
    )
    drop_refusals: bool = Field(
        False,
        description="Drop `$exception` events of a ToolError that tool code raised on purpose, with no cause.",
    )
    error_messages: dict[str, MessageMode] = Field(
        default_factory=_default_messages,
        description="What happens to `$mcp_error_message`, by exact error type: `keep`, `shape` or `remove`. A given "
        "mapping replaces the default; types not in it are removed.",
    )
    allow: list[str] = Field(default_factory=list, description="Properties opened by exact name on every event.")
    allow_on: dict[str, list[str]] = Field(
        default_factory=dict, description="Properties opened by exact name on the events of one name."
    )
    block: list[str] = Field(default_factory=list, description="Properties removed by exact name; wins over `allow`.")
    values: dict[str, list[Scalar]] = Field(
        default_factory=dict, description="Properties closed to a set of values; any other value is removed."
    )
    source_lines: Annotated[Literal["keep", "remove"] | None, _words("keep", "remove")] = Field(
        None, description="Source lines of frames. Unset: `keep` in `standard`, `remove` in `strict`."
    )
    paths: Annotated[Literal["full", "relative"] | None, _words("full", "relative")] = Field(
        None,
        description="Paths of frames: `full`, or `relative` to their package. Unset: `full` in `standard`, `relative` "
        "in `strict`.",
    )
    placeholder: str = Field(
        "[redacted]", min_length=1, max_length=80, description="What stands in place of an exception's text."
    )
    annotate: bool = Field(
        False,
        description=f"Add `{listed.ANNOTATION}`, the names (never values) of the properties that were removed.",
    )

    def __init__(self, **given: Any) -> None:
        fields = list(type(self).model_fields)
        help_.check_environment(os.environ, fields)
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise SettingsError(help_.explain(error, fields)) from None
        except UnreadableSource as error:
            # pydantic-settings names the field and, in the text of its cause, the value: only the first is said.
            raise SettingsError(help_.unreadable(str(error), fields)) from None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, environment, the named file; no `.env`, no secrets directory, nothing found by itself."""
        sources = (init_settings, env_settings, _FileSource(settings_cls, cls._file))
        return (_FirstWins(settings_cls, sources),)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], **given: Any) -> Settings:
        """Settings with `path` as their file: a `scrubber.toml`, or a `pyproject.toml` with `[tool.scrubber]`."""
        content = read_file(Path(path))
        reader = type(cls.__name__, (cls,), {"_file": content, "__module__": cls.__module__})
        made = reader(**given)
        return cls.model_construct(_fields_set=made.model_fields_set, **dict(made))

    @field_validator("expected_exceptions")
    @classmethod
    def _types(cls, value: list[str]) -> list[str]:
        return help_.check_types(value, "expected_exceptions")

    @field_validator("error_messages")
    @classmethod
    def _message_types(cls, value: dict[str, MessageMode]) -> dict[str, MessageMode]:
        help_.check_types(list(value), "error_messages")
        return value

    @field_validator("allow", "block")
    @classmethod
    def _names(cls, value: list[str], info: Any) -> list[str]:
        help_.check_names(value, info.field_name)
        return value

    @field_validator("allow_on")
    @classmethod
    def _names_on(cls, value: dict[str, list[str]]) -> dict[str, list[str]]:
        for event, names in value.items():
            help_.check_event(event)
            help_.check_names(names, "allow_on")
        return value

    @field_validator("values")
    @classmethod
    def _value_sets(cls, value: dict[str, list[Scalar]]) -> dict[str, list[Scalar]]:
        help_.check_names(list(value), "values")
        for name, allowed in value.items():
            if not allowed:
                raise ValueError(f"values: the list for {name} is empty; to remove the property use block")
        return value

    def policy(self) -> Policy:
        """The settings as the rules read them."""
        strict = self.profile == "strict"
        return Policy(
            strict=strict,
            drop_argument_rejections=self.drop_argument_rejections,
            corroborate=self.corroborate,
            expected_exceptions=frozenset(self.expected_exceptions),
            drop_refusals=self.drop_refusals,
            error_messages=dict(self.error_messages),
            allow=frozenset(self.allow),
            allow_on={event: frozenset(names) for event, names in self.allow_on.items()},
            block=frozenset(self.block),
            values={name: frozenset((type(item), item) for item in allowed) for name, allowed in self.values.items()},
            source_lines=self.source_lines != "remove" if self.source_lines is not None else not strict,
            full_paths=self.paths != "relative" if self.paths is not None else not strict,
            placeholder=self.placeholder,
            annotate=self.annotate,
        )


class _FirstWins(PydanticBaseSettingsSource):
    """Each setting whole from the first source that has it. pydantic-settings by itself merges mappings of several
    sources, and then a mapping given as an argument would not replace the one in a file."""

    def __init__(self, settings_cls: type[BaseSettings], sources: tuple[PydanticBaseSettingsSource, ...]) -> None:
        super().__init__(settings_cls)
        self._sources = sources

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        """Unused: whole sources are asked, so that an unknown key in one is refused too."""
        raise NotImplementedError

    def __call__(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for source in self._sources:
            for name, value in source().items():
                found.setdefault(name, value)
        return found


class _FileSource(PydanticBaseSettingsSource):
    """The TOML file that `from_file` or `SCRUBBER_CONFIG` names; nothing where neither does."""

    def __init__(self, settings_cls: type[BaseSettings], content: dict[str, Any] | None) -> None:
        super().__init__(settings_cls)
        self._content = content

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:
        """Unused: the whole file is handed over at once, so that an unknown key in it is refused too."""
        raise NotImplementedError

    def __call__(self) -> dict[str, Any]:
        if self._content is not None:
            return self._content
        named = os.environ.get("SCRUBBER_CONFIG")
        return read_file(Path(named)) if named else {}


def read_file(path: Path) -> dict[str, Any]:
    """The settings in a TOML file: `[tool.scrubber]` of a `pyproject.toml`, else the whole of it."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(
            f"{path}: cannot be read ({error.strerror}); name a scrubber.toml or a pyproject.toml"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise SettingsError(f"{path}: is no TOML; see the settings reference for an example") from None
    tool = content.get("tool")
    if isinstance(tool, dict) and isinstance(tool.get("scrubber"), dict):
        if path.name != "pyproject.toml" and len(content) > 1:
            raise SettingsError(
                f"{path}: has more than [tool.scrubber]; in a scrubber.toml use that table alone, or none"
            )
        return dict(tool["scrubber"])
    if isinstance(tool, dict) and path.name != "pyproject.toml":
        raise SettingsError(
            f"{path}: has a [tool] table without [tool.scrubber]; name it so, or write the settings bare"
        )
    if path.name == "pyproject.toml":
        raise SettingsError(f"{path}: has no [tool.scrubber] table; add one, or name a scrubber.toml")
    return dict(content)
