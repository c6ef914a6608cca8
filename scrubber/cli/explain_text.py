"""An explanation as a tree, for people; and as JSON, for programs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from enum import Enum
from typing import Any

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from scrubber.audit.explaining import ADDED, DROPPED, Answer, Call, Explanation, Origin
from scrubber.audit.explaining.records import FrameSaid, LinkSaid, PropertySaid, Question, RuleSaid
from scrubber.audit.reading import dumps
from scrubber.audit.records import Fate
from scrubber.audit.rendering.wording import counted, printable, size
from scrubber.cli.drawing import draw
from scrubber.words.properties import EXCEPTION_LIST
from scrubber.words.verdict import Verdict

_VALUES = ("value", "text", "source")
"""Fields that hold what came in the event."""
_VERDICTS = {Verdict.PASS: "passes unchanged", Verdict.REDACT: "is sent, redacted", Verdict.DROP: "is dropped"}
_STYLES: dict[Any, str] = {
    Verdict.PASS: "green",
    Verdict.REDACT: "yellow",
    Verdict.DROP: "red",
    Answer.YES: "green",
    Answer.NO: "bold red",
    Answer.OPEN: "dim",
}
_FATES: dict[Fate | str, str] = {
    Fate.REMOVED: "removed",
    Fate.UNKNOWN: "unknown and removed",
    Fate.REDACTED: "redacted",
    ADDED: "added",
    Fate.PASSES: "pass",
}


def as_json(found: Explanation, reveal: bool = False) -> str:
    """One object. Values from the event are in it only where `reveal` says so."""
    return json.dumps(_plain(found, reveal), indent=2, default=repr)


def _plain(value: Any, reveal: bool) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [one.name for one in dataclasses.fields(value)]
        shown = [name for name in names if reveal or name not in _VALUES]
        out = {name: _plain(getattr(value, name), reveal) for name in shown}
        return {**out, "exit_code": value.exit_code} if isinstance(value, Explanation) else out
    if isinstance(value, Enum):
        return str(value)
    return [_plain(item, reveal) for item in value] if isinstance(value, tuple) else value


def render(found: Explanation, reveal: bool = False, console: Console | None = None) -> None:
    """Print the tree. Without a terminal: no colour, and lines of at most 120 characters."""
    tree = _tree(found, reveal)
    draw(console or Console(highlight=False), lambda to: to.print(tree))


def _tree(found: Explanation, reveal: bool) -> Tree:
    head = Text(f"{printable(found.event)} ", style="bold").append(_VERDICTS[found.verdict], _STYLES[found.verdict])
    tree = Tree(head.append(f"  {printable(found.file)}, line {found.line}", "dim"), highlight=False)
    _rules(tree, found.rules)
    if found.origin is not None:
        _origin(tree, found.origin, found)
        _chain(tree, found.origin.links, reveal)
    _properties(tree, "Properties", found.properties, reveal)
    _properties(tree, "Beside properties", found.beside, reveal)
    return tree


def _rules(tree: Tree, rules: Iterable[RuleSaid]) -> None:
    branch = tree.add(Text("Rules", "bold"))
    for one in rules:
        line = Text(f"{one.verdict!s:<6}", _STYLES[one.verdict]).append(f"  {one.rule}", "default")
        branch.add(line.append(f"  {one.evidence}", "dim" if one.verdict is Verdict.PASS else "default"))
    if not branch.children:
        branch.add(Text("none has anything to do", "dim"))


def _origin(tree: Tree, origin: Origin, found: Explanation) -> None:
    held = "held for an argument refusal" if origin.refusal else "not held for an argument refusal"
    head = Text("Origin: ", "bold").append(held, "yellow" if origin.refusal else "default")
    branch = tree.add(head.append(f", {origin.site}" if origin.site else "", "default"))
    for one in origin.questions:
        branch.add(_question(one))
    if origin.errors:
        branch.add(Text("errors in its text: ").append("; ".join(origin.errors)))
    if found.call_said:
        style = {Call.EXPLAINS: "green", Call.CONTRADICTS: "bold red"}.get(found.call, "dim")
        branch.add(Text("call event: ").append(str(found.call), style).append(f"  {found.call_said}"))


def _question(one: Question) -> Text:
    line = Text(f"{one.answer!s:<9}", _STYLES[one.answer])
    line.append(f" {one.asked}", "dim" if one.answer is Answer.OPEN else "default")
    return line.append(f": {one.evidence}" if one.evidence else "")


def _chain(tree: Tree, links: tuple[LinkSaid, ...], reveal: bool) -> None:
    if not links:
        return
    branch = tree.add(Text(f"Cause chain, {counted(len(links), 'link')}", "bold"))
    for link in links:
        line = Text(link.type, "cyan").append(f"  {link.relation}", "dim")
        below = branch.add(line if link.frames else line.append(", without a traceback", "dim"))
        if reveal and link.text is not None:
            below.add(Text("text: ", "dim").append(printable(link.text)))
        width = min(max((len(_place(one)) for one in link.frames), default=0), 64)
        for one in link.frames:
            below.add(_frame(one, width, reveal))


def _place(one: FrameSaid) -> str:
    return f"{one.call}:{one.line}" if one.line is not None else one.call


def _frame(one: FrameSaid, width: int, reveal: bool) -> Text:
    style = "green" if one.role == "validation site" else "default" if one.role == "other code" else "dim"
    line = Text(f"{_place(one):<{width}}  ", "default").append(one.role, style)
    line.append(f"  <- {one.breaks}" if one.breaks else "", "bold red")
    return line.append(f"  {printable(one.source.strip())}", "italic") if reveal and one.source else line


def _properties(tree: Tree, title: str, properties: tuple[PropertySaid, ...], reveal: bool) -> None:
    numbers = [(fate, sum(one.fate == fate for one in properties)) for fate in _FATES]
    said = ", ".join(f"{number} {_FATES[fate]}" for fate, number in numbers if number)
    branch = tree.add(Text(f"{title}: ", "bold").append(said or "none", "default"))
    for fate, number in numbers:
        if not number:
            continue
        below = branch.add(Text(_FATES[fate], "green" if fate == Fate.PASSES else "yellow"))
        groups: dict[str, list[PropertySaid]] = {}
        for one in properties:
            if one.fate == fate:
                groups.setdefault(f"{one.why} ({one.rule})" if one.rule else one.why, []).append(one)
        for why, group in groups.items():
            names = ", ".join(_named(one) for one in group)
            leaf = below.add(Text(f"{why}: ", "dim").append(names, "default"))
            for one in group if reveal else ():
                if one.name == EXCEPTION_LIST:
                    continue  # its texts and source lines stand in the cause chain
                leaf.add(Text(f"{printable(one.name)} = ", "dim").append(_value(one.value)))


def _named(one: PropertySaid) -> str:
    name = printable(one.name)
    return name if one.fate == Fate.PASSES or one.why == DROPPED else f"{name} ({one.kind}, {size(one.size)})"


def _value(value: Any) -> str:
    try:
        return printable(dumps(value).decode())
    except (TypeError, ValueError):
        return "cannot be written as JSON"
