"""Properties of the words one by one, on any value: each test names a mutation that it catches."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import strategies as st

from scrubber.rules.comparing import CUT_CONTAINERS, MOST_NODES, MOST_TEXT, decoded, is_bounded, shows
from scrubber.rules.frame_paths import relative
from scrubber.words import chain, kinds, message, quickly
from scrubber.words.kinds import Remembering
from scrubber.words.paths import MASK, at_property, shown
from scrubber.words.verdict import Decision, Verdict

from ..support import entry, frame
from .property_kit import CANARY, given, json_values, objects, planted, text

# -- paths


@given(objects | st.from_regex(r"\$?[A-Za-z_0-9]{0,60}", fullmatch=True))
def test_a_printed_name_can_only_be_one_from_code(name: Any) -> None:
    """Broken by: `shown` that returns the name; digits in its pattern."""
    printed = shown(name)
    assert printed == MASK or (printed == name and re.fullmatch(r"\$?[A-Za-z_]{1,48}", printed))
    assert shown(printed) == printed
    assert at_property(name) == f"properties.{printed}"


@given(st.sampled_from(Verdict), json_values)
def test_a_decision_can_be_logged(verdict: Verdict, value: Any) -> None:
    """Broken by: a `__repr__` of the dataclass's own, which prints the event."""
    assert CANARY not in repr(Decision(verdict, {"properties": planted(value), CANARY: 1}))


# -- the chain

sources = st.sampled_from([None, "cause", "context"])
entries = st.lists(
    st.builds(
        lambda module, type_, frames, source, number: entry(
            module, type_, "x", frames, source=source, **({"exception_id": number} if number is not None else {})
        ),
        st.sampled_from([None, "pydantic_core._pydantic_core", "mcp.server.fastmcp.exceptions", 7]),
        st.sampled_from(["ValidationError", "ToolError", "KeyError", None]),
        st.none() | st.just([]) | st.lists(st.builds(frame, text, text), max_size=3) | st.just(["no frame"]),
        sources,
        st.none() | st.integers(0, 3),
    ),
    max_size=4,
)
versions = st.sampled_from(["7.21.0", "7.30.9", "7.31.0", "7.91.1", "x", None, 7])


@given(entries | json_values, versions | json_values)
def test_a_chain_is_read_whole_or_not_at_all(listed: Any, version: Any) -> None:
    """Broken by: a `links` that skips a malformed entry."""
    found = chain.links(listed, version)
    if found is None:
        return
    assert len(found) == len(listed)
    types = [one["type"] if isinstance(one.get("type"), str) else None for one in listed]
    assert [link.type for link in found] in (types, types[::-1])
    for link in found:
        assert all(type(one) is dict for one in link.frames)


@given(entries, versions)
def test_numbered_entries_keep_their_order_whatever_the_version(listed: list[dict[str, Any]], version: Any) -> None:
    """Broken by: no way out for entries that are all numbered; `parent_id` not looked at."""
    for at, one in enumerate(listed):
        one["mechanism"] |= {"exception_id": at, **({"parent_id": at - 1} if at else {})}
    found = chain.links(listed, version)
    readable = bool(listed) and all(chain.frames_of(one) is not None for one in listed)
    assert (found is not None) is readable
    if found is not None:
        assert [link.type for link in found] == [one["type"] for one in listed]
    if len(listed) > 1:
        listed[-1]["mechanism"]["parent_id"] = -7
        assert chain.links(listed, version) is None


@given(entries, versions)
def test_causes_end_at_the_first_context(listed: list[dict[str, Any]], version: Any) -> None:
    """Broken by: `continue` for `return` in `cause_chain`."""
    found = chain.links(listed, version) or []
    causes = list(chain.cause_chain(found))
    assert causes == found[: len(causes)]
    assert all(link.source != "context" for link in causes[1:])
    assert not found or causes


# -- kinds


@given(text | objects, st.sampled_from([kinds.name, kinds.identifier, kinds.tool, kinds.version]))
def test_a_kind_that_remembers_says_the_same_every_time(value: Any, kind: kinds.Kind) -> None:
    """Broken by: a `Remembering` that remembers what it refused."""
    remembering = Remembering(kind)
    assert [remembering(value) for _ in range(3)] == [kind(value)] * 3
    assert all(type(known) is str and kind(known) for known in remembering.known)


# -- paths of frames

segments = st.lists(st.sampled_from(["a", "b", "srv", "app", "home", "jane", "x.y", "..", ".", "~"]), max_size=5)
roots = st.sampled_from(
    ["", "/", "C:\\", "/usr/lib/python3.11/", "/srv/.venv/lib/python3.11/site-packages/", "C:\\Lib\\site-packages\\"]
)
modules = st.none() | segments.map(".".join)


@given(roots, segments, st.sampled_from(["m.py", "__init__.py", "<string>", "m"]), modules)
def test_shrinking_a_path_twice_is_shrinking_it_once(root: str, inside: list[str], name: str, module: Any) -> None:
    """Broken by: a library's part that is kept without a module and cut the next time."""
    sep = "\\" if "\\" in root else "/"
    once = relative(root + sep.join([*inside, name]), module)
    assert relative(once, module) == once
    assert not once.startswith(("/", "~", "\\", "C:"))
    assert "site-packages" not in once
    assert once.endswith(name.rsplit("/", maxsplit=1)[-1])


# -- comparing


@given(objects)
def test_what_may_be_walked_is_bounded(value: Any) -> None:
    """Broken by: an `is_bounded` without its sizes, or true where the levels end."""
    bounded = is_bounded(value)
    assert bounded in (True, False)
    assert not is_bounded([value] * (MOST_NODES + 1))
    assert not is_bounded({"a": value, "b": "x" * (MOST_TEXT + 1)})
    around: Any = value
    for _ in range(50):
        around = [around]
    assert not is_bounded(around)


@given(json_values, text)
def test_only_lists_and_objects_are_decoded(value: Any, noise: str) -> None:
    """Broken by: `except ValueError` alone; no look at the size of what was found."""
    found = decoded(json.dumps(value))
    assert found == (value if isinstance(value, (list, dict)) else None)
    assert decoded(noise) is None or isinstance(decoded(noise), (list, dict))
    assert decoded("[" * 5000 + noise) is None
    assert decoded(json.dumps([value] * (MOST_NODES + 1))) is None


@given(json_values, json_values)
def test_a_value_shows_as_its_own_print_and_as_no_other(value: Any, other: Any) -> None:
    """Broken by: a `shows` that is always true; one without the look at what is equal."""
    assert shows(value, repr(value), str)
    cut = any(word in repr((value, other)) for word in ("redacted", "...", *CUT_CONTAINERS, "MaxProperties"))
    if repr(other) != repr(value) and len(repr(other).encode()) < 46 and not cut:
        assert not shows(value, repr(other), str)


@given(st.text(min_size=60, max_size=200))
def test_a_long_value_shows_as_its_cut_print(value: str) -> None:
    """Broken by: `endswith`, or `startswith`, left out of `_fits`."""
    whole = repr(value)
    assert shows(value, f"{whole[:25]}...{whole[-24:]}", str)
    assert not shows(value, f"{whole[:25]}...{whole[-24:]}#", str)
    assert not shows(value, f"#{whole[:25]}...{whole[-24:]}", str)


# -- messages


@given(
    st.integers(1, 4),
    st.lists(st.sampled_from(["number", "items.0.sku", "a.b", "", "x\ny", CANARY]), min_size=1, max_size=4),
    st.sampled_from(["int_parsing", "missing", "own_code", "no code"]),
    text,
)
def test_two_ways_to_read_a_text_agree(count: int, places: list[str], code: str, value: str) -> None:
    """Broken by: a `first` that does not count the tails; a `parse` that does not count the blocks."""
    tail = f"  said so [type={code}, input_value={value!r}, input_type=str]"
    plural = "s" if count > 1 else ""
    body = "\n".join(f"{place}\n{tail}" for place in places)
    printed = f"{count} validation error{plural} for findArguments\n{body}"
    quick, whole = quickly.first(printed), message.parse(printed)
    assert whole is not None
    assert whole.count == count
    assert CANARY not in message.shape(whole)
    read = quickly.parse(printed)
    assert read is not None
    assert message.shape(read) == message.shape(whole)
    assert [one[:4] for one in read.problems] == [one[:4] for one in whole.problems]
    if printed.count("[type=") != count:
        assert quick is None
    if quick is not None and whole.complete:
        assert (quick[1].location, quick[1].code) == (whole.problems[0].location, whole.problems[0].code)
    if len(places) != count:
        assert not whole.complete
