"""Write the generated parts of `docs/`, or say which page is stale.

In:  `--write`, or `--check` (the default). Each generated part stands between `<!-- NAME:begin -->` and
     `<!-- NAME:end -->` in its page.
Out: with `--write` the pages, rewritten; with `--check` one line a stale part on stderr, and the exit status 1 then.

What a part says is read from the code where the code can be asked: the settings' model, the closed list, the rules'
answers under both profiles, the sites, the hook itself. What only a person knows (who writes a property, an example
of a kind) stands in the tables below, and a name that has no row there fails here by name.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import inspect
import json
import os
import sys
import tempfile
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scrubber import Scrubber, Settings, SettingsError, hook, pipeline  # noqa: E402
from scrubber.rules import closing, drops, error_message, exceptions, grouping, mcp  # noqa: E402
from scrubber.rules.base import REMOVE  # noqa: E402
from scrubber.rules.closing import Closing, Handling, Mode  # noqa: E402
from scrubber.words import kinds, sites  # noqa: E402
from scrubber.words import properties as listed  # noqa: E402

DOCS = ROOT / "docs"
CLIENT, AUTHOR, SDK, CONTENT = "**client or agent**", "server's author", "SDK", "**content**"

WRITERS: dict[str, str] = {
    **dict.fromkeys(
        "$mcp_source $mcp_interface $mcp_duration_ms $mcp_is_error $mcp_error_status $mcp_intent_source "
        "$mcp_llm_model_source $mcp_input_keys $mcp_input_aliases_used $mcp_error_type".split(),
        SDK,
    ),
    "$mcp_error_code": "this hook, or you",
    "$mcp_error_field": "this hook, or you",
    **dict.fromkeys(
        "$mcp_server_name $mcp_server_version $mcp_server_build $mcp_tool_category $mcp_listed_tool_names "
        "$mcp_tool_description".split(),
        AUTHOR,
    ),
    "$mcp_tool_name": f"{AUTHOR}; {CLIENT} on `$mcp_unknown_tool`",
    "$mcp_resource_name": f"{AUTHOR} on tool events; {CLIENT} on resource events",
    **dict.fromkeys(
        "$mcp_client_name $mcp_client_version $mcp_client_user_agent $mcp_vendor_client $mcp_protocol_version "
        "$mcp_conversation_id $mcp_llm_model $mcp_intent $mcp_feedback_details $mcp_feedback_friction_points "
        "$mcp_feedback_sentiment $mcp_feedback_suggested_improvement $mcp_feedback_summary "
        "$mcp_feedback_task_completed $mcp_feedback_tool $mcp_feedback_type".split(),
        CLIENT,
    ),
    **dict.fromkeys((listed.PARAMETERS, "$mcp_response", listed.ERROR_MESSAGE), CONTENT),
}
"""Who chooses the value of each `$mcp_*` property."""

MADE_BY_RULE: dict[str, str] = {
    listed.INPUT_KEYS: "list; each item an identifier, else `[redacted]`",
    "$mcp_input_aliases_used": "list; each item an identifier, else `[redacted]`",
    listed.RESOURCE_NAME: "only where it repeats the tool's name, or names a prompt",
    listed.ERROR_MESSAGE: "[by error type](#the-error-message)",
    listed.EXCEPTION_LIST: "[rebuilt](#exception-entries-and-frames)",
    listed.FINGERPRINT: "[as it is, or its hash](#the-fingerprint)",
    "$exception_types": "list of type names",
    "$exception_functions": "list of code names",
    "$exception_sources": "list of file names",
    listed.STRICT_GROUPS: "one level of short scalars",
}
"""What the properties with a rule of their own are told in one phrase."""

KIND_EXAMPLES: dict[str, tuple[list[Any], list[Any]]] = {
    "flag": ([True], ["true", 1]),
    "number": ([3.2, 0], [True, "3.2", 10**40]),
    "name": (["claude-ai", "Visual Studio Code"], ["jane@example.test", "please look up my account now"]),
    "title": (["Acme Books & Co (staging)"], ["https://acme.test/admin"]),
    "names": ([["find_book", "files-read"]], [["find_book", "_private"]]),
    "identifier": (["since", "order.id"], ["a sentence"]),
    "type_name": (["app.errors.NotFoundError"], ["ValueError: no such book"]),
    "code_name": (["f.<locals>.g", "<lambda>"], ["a sentence"]),
    "slug": (["posthog_mcp_analytics"], ["Free text"]),
    "field": (["lines.N.sku"], ["jane@example.test"]),
    "version": (["2026-07-28", "1.4.0"], ["1.0 for Jane"]),
    "model": (["anthropic/claude-opus-4-8"], ["jane@example.test"]),
    "agent": (["claude-code/2.0.1 node/22.4.0"], ["Mozilla/5.0 (X11; jane)"]),
    "identity": (["ses_01a22bec"], ["jane@example.test"]),
    "minted_id": (["01a22c07-6c87-7d18-ab71-a25aa3773c9f"], ["jane-doe-biopsy"]),
    "fingerprint": (["checkout:declined"], ["https://acme.test/7", "customer Jane is overdue"]),
    "file_name": (["app/tools.py", "<string>"], ["see file, line 3"]),
}
"""Good and bad values of each kind. Tried when the page is written."""

_INT = (
    "1 validation error for find_bookArguments\nnumber\n  Input should be a valid integer, unable to parse string as "
    "an integer [type=int_parsing, input_value='ten', input_type=str]\n    For further information visit "
    "https://errors.pydantic.dev/2.14/v/int_parsing"
)
MESSAGES: tuple[tuple[str, str, str], ...] = (
    ("A refused argument", "ValidationError", _INT),
    (
        "Two refused arguments, one of them in a list",
        "ValidationError",
        "2 validation errors for call[order]\nlines.1\n  Input should be a valid integer, unable to parse string as an "
        "integer [type=int_parsing, input_value='two', input_type=str]\n    For further information visit "
        "https://errors.pydantic.dev/2.14/v/int_parsing\nname\n  Missing required argument [type=missing_argument, "
        "input_value={'lines': [1, 'two']}, input_type=dict]\n    For further information visit "
        "https://errors.pydantic.dev/2.14/v/missing_argument",
    ),
    (
        "An argument that the tool does not know: its name is the client's choice",
        "ValidationError",
        "1 validation error for call[order]\njane_doe\n  Unexpected keyword argument "
        "[type=unexpected_keyword_argument, input_value=1, input_type=int]\n    For further information visit "
        "https://errors.pydantic.dev/2.14/v/unexpected_keyword_argument",
    ),
    (
        "The tool's body read a bad row of its own: not the caller's value, and kept all the same",
        "ValidationError",
        "1 validation error for Customer\nemail\n  Input should be a valid string [type=string_type, "
        "input_value=['jane@example.test'], input_type=list]\n    For further information visit "
        "https://errors.pydantic.dev/2.14/v/string_type",
    ),
    ("The same refusal under a wrapper's type", "ToolError", f"Error executing tool find_book: {_INT}"),
    ("A wrapper's type with free text", "ToolError", "No customer jane@example.test"),
    ("Any other type", "AuthenticationError", "Incorrect API key provided: sk-live-1"),
)
"""Texts that pydantic 2.14 and the SDKs print, with the type beside them."""

MODES: tuple[tuple[str, list[dict[str, Any]]], ...] = (
    ("`keep` (the default)", [{}, {"error_messages": {"ValidationError": "keep"}}]),
    ("`shape`", [{"error_messages": {"ValidationError": "shape"}}]),
    ("`remove`, or an empty mapping", [{"error_messages": {"ValidationError": "remove"}}, {"error_messages": {}}]),
)
"""How `ValidationError` may be set, and the settings that must all have the same effect."""

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
    Mistake('Settings(values={"plan": []})', {"values": {"plan": []}}),
    Mistake('Settings(placeholder="")', {"placeholder": ""}),
    Mistake('Settings(drop_refusals="perhaps")', {"drop_refusals": "perhaps"}),
    Mistake("SCRUBBER_PROFIL=strict", environment={"SCRUBBER_PROFIL": "strict"}),
    Mistake("SCRUBBER_ALLOW=plan", environment={"SCRUBBER_ALLOW": "plan"}),
    Mistake("SCRUBBER_CONFIG=absent.toml", environment={"SCRUBBER_CONFIG": "absent.toml"}),
    Mistake('Settings.from_file("scrubber.toml"), with `profile = `', file=("scrubber.toml", "profile = ")),
    Mistake(
        'Settings.from_file("pyproject.toml"), without `[tool.scrubber]`', file=("pyproject.toml", "[tool.other]\n")
    ),
)


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


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    names = list(head)
    lines = [names, ["---"] * len(names), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def code(text: str) -> str:
    """Text as inline code."""
    return f"`{text}`"


# -- settings


def plain(annotation: Any) -> str:
    """A type in plain words."""
    origin, inner = get_origin(annotation), get_args(annotation)
    simple = {bool: "true or false", str: "text", int: "whole number", float: "number", type(None): "unset"}
    if annotation in simple:
        return simple[annotation]
    if origin is Annotated:
        return plain(inner[0])
    if origin is Literal:
        return either([code(word) for word in inner])
    if origin is list:
        return f"list; each item: {plain(inner[0])}"
    if origin is dict:
        return f"mapping; each key: {plain(inner[0])}; each value: {plain(inner[1])}"
    if origin in (Union, types.UnionType):
        return either([plain(one) for one in inner])
    raise TypeError(f"no words for {annotation}")


def either(words: list[str]) -> str:
    """Alternatives, as a sentence lists them."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def limits(field: Any) -> str:
    """The length that a text may have, in words; empty where there is no limit."""
    least = next((one.min_length for one in field.metadata if hasattr(one, "min_length")), None)
    most = next((one.max_length for one in field.metadata if hasattr(one, "max_length")), None)
    return f", {least or 0} to {most} characters" if most is not None else ""


def toml(value: Any) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, dict):
        inner = ", ".join(f"{k if k.isidentifier() else json.dumps(k)} = {toml(v)}" for k, v in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)


def in_environment(value: Any) -> str:
    """A value as a shell sets it."""
    if isinstance(value, (dict, list)):
        return f"'{json.dumps(value)}'"
    return json.dumps(value) if isinstance(value, bool) else str(value) if str(value).isalnum() else f"'{value}'"


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


def wrapped(text: str, width: int) -> list[str]:
    """Text in lines of at most `width` characters."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


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


# -- policy


def policies(**more: Any) -> tuple[Closing, Closing]:
    """The closed list under the standard and under the strict profile."""
    with alone():
        both = [Settings(profile=profile).policy() for profile in ("standard", "strict")]
    first, second = (Closing(dataclasses.replace(one, **more)) for one in both)
    return first, second


def kind_name(kind: Any) -> str:
    """A kind's name, as its function is called."""
    kind = kind.kind if isinstance(kind, kinds.Remembering) else kind
    if kind.__name__ == "has_one":
        return " or ".join(kind_name(one) for one in inspect.getclosurevars(kind).nonlocals["kinds"])
    return {"_annotation": "list of names"}.get(kind.__name__, f"[{kind.__name__}](#kinds)")


def told(name: str, handling: Handling) -> str:
    """What happens to a property, in a phrase."""
    if handling.mode is Mode.OPEN:
        return "as it is"
    if handling.mode is Mode.CLOSED:
        return "never" if name == listed.PARAMETERS else "closed"
    if handling.mode is Mode.RULE:
        return MADE_BY_RULE[name]
    return kind_name(handling.check)


def opened_by(name: str) -> str:
    """Which setting opens a property. Asked of the settings and of the closed list."""
    with alone():
        try:
            Settings(allow=[name])
        except SettingsError as error:
            return "`error_messages`" if "error_messages" in str(error) else "nothing"
    opened = policies(allow=frozenset({name}))[0].resolve(name, listed.TOOL_CALL_EVENT)
    before = policies()[0].resolve(name, listed.TOOL_CALL_EVENT)
    if opened.mode is not Mode.OPEN:
        return "nothing"
    return "`allow`, `allow_on`" if before.mode is Mode.CLOSED else "passes; `allow` lifts the check"


def property_rows(names: Iterable[str], writer: Callable[[str], str]) -> list[tuple[str, ...]]:
    """A row for each property."""
    standard, strict = policies()
    rows: list[tuple[str, ...]] = []
    for name in names:
        first, second = (told(name, one.resolve(name, listed.TOOL_CALL_EVENT)) for one in (standard, strict))
        rows.append((code(name), writer(name), first, "the same" if first == second else second, opened_by(name)))
    return rows


HEAD = ("Property", "Written by", "`standard`", "`strict`", "Opened by")


def mcp_properties() -> str:
    """`$mcp_*`, in the order of the closed list, and one that nobody knows."""
    order = (*listed.MCP_LISTED, *sorted(listed.MCP_NAME_LISTS), listed.ERROR_MESSAGE, *sorted(listed.MCP_CLOSED))
    rows = property_rows((*order, listed.PARAMETERS), WRITERS.__getitem__)
    return table(HEAD, [*rows, *property_rows(["$mcp_anything_else"], lambda _: "a later SDK")])


def exception_properties() -> str:
    """`$exception_*`."""
    by_user = {listed.FINGERPRINT: "you, or this hook"}
    derived = set(listed.EXCEPTION_NAME_LISTS) | {"$exception_values", "$exception_issue_id"}
    order = sorted(listed.EXCEPTION_KNOWN, key=lambda name: (name != listed.EXCEPTION_LIST, name))

    def writer(name: str) -> str:
        return by_user.get(name, "PostHog's ingestion" if name in derived else SDK)

    rows = property_rows(order, writer)
    return table(HEAD, [*rows, *property_rows(["$exception_anything_else"], lambda _: "a later SDK")])


def strict_properties() -> str:
    """All other properties: what the strict profile knows, and what it does not."""
    others = (listed.STRICT_GROUPS, *listed.STRICT_LISTED, listed.ANNOTATION, "$feature/beta")
    unknown = ("$ai_input", "$ai_error", "$set", "plan")
    standard, strict = policies()
    rows = []
    for name in (*others, *unknown):
        first, second = (told(name, one.resolve(name, "any event")) for one in (standard, strict))
        shown = {"plan": "any other, such as `plan`", "$feature/beta": "`$feature/` and a flag's name"}
        rows.append((shown.get(name, code(name)), first, second))
    return table(("Property", "`standard`", "`strict`"), rows)


def envelope() -> str:
    """The keys beside `properties`: asked of the rule, with a scalar and with a container."""
    standard, strict = policies()
    rows = []
    for key in (*listed.TOP_LEVEL, *sorted(listed.PERSON_KEYS), "mine", listed.PARAMETERS, listed.EXCEPTION_LIST):
        cells = []
        for one in (standard, strict):
            text, tree = (one.top_level(key, value)[0] is not REMOVE for value in ("x", {"a": 1}))
            words = {(True, True): "passes, closed inside", (True, False): "passes, unless it is a container"}
            cells.append(words.get((text, tree), "removed"))
        rows.append((code(key) if key != "mine" else "any other key", *cells))
    return table(("Key", "`standard`", "`strict`"), rows)


def private_kind(kind: Any) -> str:
    """The words for a kind of a frame's key."""
    words = {
        exceptions._text_or_none: "text or null",
        exceptions._name_or_none: "[code_name](#kinds) or null",
        exceptions._file_or_none: "[file_name](#kinds) or null",
        exceptions._int_or_none: "[number](#kinds) or null",
        exceptions._lines: "list of at most 50 texts, or null",
    }
    return words.get(kind) or kind_name(kind)


def frames() -> str:
    """The keys of a frame and of a mechanism."""
    rows = []
    for key, kind in exceptions.FRAME_LISTED.items():
        strict = "relative to the package" if key in exceptions._PATH_KEYS else "the same"
        rows.append((f"frame: `{key}`", private_kind(kind), strict))
    for key, kind in exceptions.SOURCE_LISTED.items():
        rows.append((f"frame: `{key}`", private_kind(kind), "removed"))
    for key, kind in exceptions.MECHANISM_LISTED.items():
        rows.append((f"mechanism: `{key}`", f"{private_kind(kind)} or null", "the same"))
    rows.append(("frame: any other key, so also `code_variables`", "removed", "the same"))
    return table(("Key", "`standard`", "`strict`"), rows)


def kind_table() -> str:
    """Each kind: its docstring, a good and a bad value. The examples are tried."""
    rows = []
    for name, (good, bad) in KIND_EXAMPLES.items():
        kind = getattr(kinds, name)
        assert all(map(kind, good)), f"{name}: {good}"
        assert not any(map(kind, bad)), f"{name}: {bad}"
        text = " ".join((inspect.getdoc(kind) or "").split())
        rows.append((code(name), text, *(", ".join(code(shortened(one)) for one in side) for side in (good, bad))))
    return table(("Kind", "What it accepts", "Good", "Bad"), rows)


def shortened(value: Any) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:8]}... ({len(text)} characters)"


def error_messages() -> str:
    """What becomes of real texts under each mode: asked of the hook."""
    head = ("`ValidationError`", "`$mcp_error_message`", "`$mcp_error_code`", "`$mcp_error_field`")
    parts = []
    for title, type_, text in MESSAGES:
        rows = []
        for mode, ways in MODES:
            first, *same = (sent_message(type_, text, settings) for settings in ways)
            assert all(one == first for one in same), mode
            rows.append((mode, *("the text above" if one == text else code(one) if one else "-" for one in first)))
        block = f"```text\n$mcp_error_type: {type_}\n$mcp_error_message: {text}\n```"
        parts.append(f"**{title}.**\n\n{block}\n\n{table(head, rows)}")
    return "\n\n".join(parts)


def sent_message(type_: str, text: str, settings: dict[str, Any]) -> list[str | None]:
    """The message, the code and the field that leave."""
    properties = {"$mcp_tool_name": "find_book", "$mcp_error_type": type_, listed.ERROR_MESSAGE: text}
    with alone():
        sent = Scrubber(Settings(**settings))({"event": listed.TOOL_CALL_EVENT, "properties": properties})
    assert sent is not None
    return [sent["properties"].get(name) for name in (listed.ERROR_MESSAGE, listed.ERROR_CODE, listed.ERROR_FIELD)]


def rule_names() -> str:
    """The names under which counts, findings and the log speak of rules."""
    rows = [
        (drops.REFUSAL_RULE, "dropped the `$exception` of a refused argument"),
        (drops.EXPECTED_RULE, "dropped a type that `expected_exceptions` names"),
        (drops.DELIBERATE_RULE, "dropped a ToolError raised on purpose (`drop_refusals`)"),
        (pipeline.ENVELOPE_RULE, "dropped what is no event with properties"),
        (mcp.PARAMETERS_RULE, "removed `$mcp_parameters`"),
        (mcp.CLOSED_RULE, "removed an `$mcp_*` property, or replaced a name in a list"),
        (error_message.RULE, "removed or rewrote `$mcp_error_message`, or set the code and the field"),
        (exceptions.RULE, "removed an exception's text, or a key or value of an entry or frame"),
        (grouping.RULE, "set or replaced `$exception_fingerprint`"),
        (closing.NESTED_RULE, "closed or cut a container under a name that passes"),
        (closing.STRICT_RULE, "removed what the strict profile does not list"),
        (closing.BLOCK_RULE, "removed what `block` names"),
        (closing.VALUES_RULE, "removed a value that `values` does not list"),
        (pipeline.TOP_LEVEL_RULE, "removed or changed a key beside `properties`"),
        (hook.THEN_RULE, "your own hook dropped or changed the event"),
    ]
    return table(("Rule", "What it did"), [(code(name), text) for name, text in rows])


def profiles() -> str:
    """One event through both profiles, item by item."""
    sent = []
    for profile in ("standard", "strict"):
        with alone():
            out = Scrubber(Settings(profile=profile))(PROFILE_EVENT)
        assert out is not None
        sent.append(out)
    rows = []
    for name, at in PROFILE_ITEMS:
        cells = ["removed" if (found := pick(one, at)) is None else code(json.dumps(found)) for one in sent]
        rows.append((name, code(json.dumps(pick(PROFILE_EVENT, at))), *cells))
    return table(("Item", "In", "`standard`", "`strict`"), rows)


def pick(value: Any, at: tuple[str | int, ...]) -> Any:
    """What stands at a path, or None."""
    for step in at:
        try:
            value = value[step]
        except (KeyError, IndexError):
            return None
    return value


_FRAME = ("properties", "$exception_list", 0, "stacktrace", "frames", 0)
PROFILE_ITEMS: tuple[tuple[str, tuple[str | int, ...]], ...] = (
    ("`distinct_id`", ("distinct_id",)),
    ("your own property `plan`", ("properties", "plan")),
    ("`$groups`", ("properties", "$groups")),
    ("`$ai_input_tokens`", ("properties", "$ai_input_tokens")),
    ("`$ai_input`", ("properties", "$ai_input")),
    ("`$set` beside `properties`", ("$set",)),
    ("`$mcp_tool_name`", ("properties", "$mcp_tool_name")),
    ("`$mcp_intent`", ("properties", "$mcp_intent")),
    ("an exception's `value`", ("properties", "$exception_list", 0, "value")),
    ("a frame's `abs_path`", (*_FRAME, "abs_path")),
    ("a frame's `context_line`", (*_FRAME, "context_line")),
    ("a frame's `code_variables`", (*_FRAME, "code_variables")),
)
PROFILE_EVENT: dict[str, Any] = {
    "event": "$exception",
    "distinct_id": "jane@example.test",
    "timestamp": "2026-11-30T10:07:58+00:00",
    "uuid": "01a22bec-f066-712e-a449-aa93ffa4ab32",
    "$set": {"email": "jane@example.test"},
    "properties": {
        "plan": "pro",
        "$groups": {"organization": "org_9"},
        "$ai_input_tokens": 1204,
        "$ai_input": "a prompt",
        "$mcp_tool_name": "find_book",
        "$mcp_intent": "a sentence",
        "$exception_list": [
            {
                "type": "KeyError",
                "module": None,
                "value": "'jane@example.test'",
                "mechanism": {"type": "generic", "handled": True},
                "stacktrace": {
                    "type": "raw",
                    "frames": [
                        {
                            "platform": "python",
                            "filename": "app/tools.py",
                            "abs_path": "/home/jane/shop/app/tools.py",
                            "function": "find_book",
                            "module": "app.tools",
                            "lineno": 7,
                            "context_line": "    return books[name]",
                            "code_variables": {"name": "jane@example.test"},
                        }
                    ],
                },
            }
        ],
    },
}


# -- origin


def spelt(call: sites.Call) -> str:
    """A call as `module:function`."""
    return code("a thread's frames" if call == sites.THREAD_HOP else f"{call[0]}:{call[1]}")


def site_list() -> str:
    """Each site, with every piece of evidence it asks for."""
    parts = []
    for site in sites.SITES:
        title = "`<function>Arguments`" if site.title == sites.ARGUMENTS else "`call[<function>]`"
        outer = ", ".join(sorted(code(f"{module}.{name}") for module, name in site.outer))
        rows = [
            ("Handed over by", " or ".join(sorted(map(spelt, site.dispatch)))),
            ("Frames from the entry on", "<br>".join(map(spelt, site.path))),
            ("Ends in", " or ".join(sorted(map(spelt, site.terminal)))),
            ("Title of the text", title),
            ("Links above", f"none, or {outer}"),
        ]
        if site.line is not None:
            rows.append(("Innermost source line holds", code(site.line)))
        if site.handed_by is not None:
            rows.append(("Reached only from", spelt(site.handed_by)))
        if site.bare_cause:
            rows.append(("Pydantic's own link", "has no frames"))
        parts.append(f"#### {site.sdk}\n\n{table(('Evidence', 'Wanted'), rows)}")
    hop = "<br>".join(sorted(map(spelt, sites.THREAD_FRAMES)))
    parts.append(f"`a thread's frames` stands for any of these:\n\n{table(('Thread frames',), [(hop,)])}")
    return "\n\n".join(parts)


PARTS: dict[str, tuple[str, Callable[[], str]]] = {
    "settings": ("settings.md", settings_reference),
    "complete": ("settings.md", complete_file),
    "refused": ("settings.md", refused_settings),
    "profiles": ("settings.md", profiles),
    "mcp": ("policy.md", mcp_properties),
    "exception": ("policy.md", exception_properties),
    "others": ("policy.md", strict_properties),
    "envelope": ("policy.md", envelope),
    "frames": ("policy.md", frames),
    "kinds": ("policy.md", kind_table),
    "messages": ("policy.md", error_messages),
    "rules": ("policy.md", rule_names),
    "sites": ("origin.md", site_list),
}
"""Each generated part: its page, and what writes it."""


def with_part(page: str, name: str, text: str) -> str:
    """`page` with the part `name` replaced."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise SystemExit(f"the markers of {name} must stand once in its page")
    head, _, rest = page.partition(begin)
    return f"{head}{begin}\n{text}\n{end}{rest.partition(end)[2]}"


def main(argv: list[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true", help="rewrite the generated parts")
    what.add_argument("--check", action="store_true", help="say which page is stale (the default)")
    write = parser.parse_args(argv).write
    stale = False
    for name, (page, make) in PARTS.items():
        path = DOCS / page
        before = path.read_text("utf-8")
        after = with_part(before, name, make())
        if after == before:
            continue
        if write:
            path.write_text(after, "utf-8")
        else:
            stale = True
            print(f"docs/{page} is stale ({name}): run python tools/docs_tables.py --write", file=sys.stderr)
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
