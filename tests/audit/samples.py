"""Reports written by hand, for the renderers: a full one, and the edges."""

from __future__ import annotations

from scrubber.audit.records import (
    Breach,
    EventUse,
    Fate,
    FileRead,
    Leak,
    LeakKind,
    PropertyUse,
    RefusalCount,
    Report,
    Unreadable,
)
from scrubber.words.verdict import Verdict

CALL, EXCEPTION = "$mcp_tool_call", "$exception"
CLOSED = "not open in $mcp_*"


def use(
    name: str, fates: dict[Fate, int], events: dict[str, int], kinds: dict[str, int], **more: object
) -> PropertyUse:
    """One property's use."""
    return PropertyUse(name, dict(fates), dict(events), kinds=dict(kinds), **more)  # type: ignore[arg-type]


def full() -> Report:
    """Something of everything: every verdict, fate, leak kind; mixed fates; unreadable rows; a baseline."""
    return Report(
        version="0.1.0",
        settings={"error_messages": {"ValidationError": "shape"}, "allow": ["$mcp_intent"]},
        profile="standard",
        files=[
            FileRead("events-2026-11.jsonl.gz", "JSON lines, gzip", 4521, 2),
            FileRead("export.parquet", "Parquet", 12, 0),
            FileRead("broken.json.zst", "JSON array, zstd", 3, 1, "the archive ends before its end mark"),
        ],
        unreadable=[
            Unreadable("events-2026-11.jsonl.gz", 17, "no JSON"),
            Unreadable("events-2026-11.jsonl.gz", 4012, "no event: `properties` is no mapping"),
            Unreadable("broken.json.zst", 4, "no JSON"),
        ],
        events=[
            EventUse(EXCEPTION, {Verdict.REDACT: 624, Verdict.DROP: 688}, 9_412_330, 3_010_021),
            EventUse(CALL, {Verdict.PASS: 2, Verdict.REDACT: 1294}, 2_118_404, 901_556),
            EventUse("$mcp_tools_list", {Verdict.PASS: 1264}, 802_118, 802_118),
            EventUse("$mcp_initialize", {Verdict.PASS: 635}, 301_776, 301_776),
            EventUse("book_borrowed", {Verdict.PASS: 28, Verdict.REDACT: 1}, 9_120, 9_220),
        ],
        properties=_properties(),
        rules={
            "mcp_parameters": {Verdict.REDACT: 1296},
            "exception": {Verdict.REDACT: 624},
            "argument_refusal": {Verdict.DROP: 641},
            "mcp_closed": {Verdict.REDACT: 1294, Verdict.DROP: 12},
            "guard_refusal": {Verdict.DROP: 47},
        },
        leaving={CALL: {"$mcp_tool_name": {"text": 1296}, "$mcp_duration_ms": {"number": 1296}}},
        leaks=[
            Leak(LeakKind.CLOSED, "properties.$mcp_parameters", 1296, '{"xxxxxx": "xxx-99"}'),
            Leak(
                LeakKind.EXCEPTION, "properties.$exception_list[N].value", 1311, "Xxxxx xxxxxxxxx xxxx xxxx_xxxx: 9 x"
            ),
            Leak(LeakKind.EMAIL, "properties.shelf_owner", 3, "xxx.xxxxxx@xxxxxxx.xxx"),
            Leak(LeakKind.CREDENTIAL, "properties.import_source", 1, "xx_xxxx_99X9xXxX9xXx9999"),
        ],
        refusals=[
            RefusalCount("find_book", "number", "int_parsing", 402),
            RefusalCount("find_book", "number", "missing", 139),
            RefusalCount("lend_book", "reader.card", "string_type", 100),
            RefusalCount("*", "*", "extra_forbidden", 47),
        ],
        baseline=[
            Breach("property", "shelf_owner", "book_borrowed", 3, ("text",)),
            Breach("kind", "$mcp_error_status", CALL, 12, ("text", "null")),
            Breach("event", "book_borrowed", "book_borrowed", 29),
        ],
    )


def _properties() -> list[PropertyUse]:
    both = {CALL: 1296, EXCEPTION: 1312}
    return [
        use("$lib", {Fate.PASSES: 4536}, {**both, "$mcp_tools_list": 1264, "$mcp_initialize": 635, "book_borrowed": 29},
            {"text": 4536}, bytes=90_720, largest=20),
        use("$mcp_tool_name", {Fate.PASSES: 1920, Fate.REMOVED: 688}, both, {"text": 2608},
            rules={"argument_refusal": 641, "guard_refusal": 47}, reasons={"the event is dropped": 688}, bytes=31_296, largest=41),
        use("$mcp_parameters", {Fate.REMOVED: 1296}, {CALL: 1296}, {"object": 1296}, rules={"mcp_parameters": 1296},
            reasons={"the tool's arguments never leave": 1296}, bytes=402_118, largest=18_220),
        use("$mcp_response", {Fate.REMOVED: 1290}, {CALL: 1290}, {"object": 1290}, rules={"mcp_closed": 1290},
            reasons={"closed until a setting opens it": 1290}, bytes=801_220, largest=64_120),
        use("$exception_list", {Fate.REDACTED: 624, Fate.REMOVED: 688}, {EXCEPTION: 1312}, {"list": 1311, "text": 1},
            rules={"exception": 624, "argument_refusal": 688},
            reasons={"the event is dropped": 688, "the text of an exception is content": 624}, bytes=8_120_441, largest=99_120),
        use("$mcp_flavour", {Fate.UNKNOWN: 18}, {CALL: 18}, {"text": 16, "null": 2}, rules={"mcp_closed": 18},
            reasons={CLOSED: 18}, bytes=402, largest=31),
        use("$mcp_error_status", {Fate.PASSES: 1200, Fate.REMOVED: 12}, {CALL: 1212}, {"number": 1200, "text": 10, "null": 2},
            rules={"mcp_closed": 12}, reasons={"the value has not the listed kind": 12}, bytes=4_848, largest=9),
        use("$mcp_duration_ms", {Fate.PASSES: 1296}, {CALL: 1296}, {"number": 1296}, bytes=7_776, largest=8),
        use("shelf_owner", {Fate.PASSES: 3}, {"book_borrowed": 3}, {"text": 3}, bytes=78, largest=29),
        use("import_source", {Fate.PASSES: 29}, {"book_borrowed": 29}, {"text": 29}, bytes=812, largest=44),
    ]  # fmt: skip


def empty() -> Report:
    """An audit that read no file."""
    return Report(version="0.1.0")


def nothing_read() -> Report:
    """A file without an event."""
    return Report(version="0.1.0", files=[FileRead("-", "JSON lines")], baseline=[])


def one_event() -> Report:
    """A clean report of one event."""
    return Report(
        version="0.1.0",
        files=[FileRead("one.json", "JSON object", 1)],
        events=[EventUse(CALL, {Verdict.PASS: 1}, 812, 812)],
        properties=[use("$mcp_tool_name", {Fate.PASSES: 1}, {CALL: 1}, {"text": 1}, bytes=11, largest=11)],
        leaving={CALL: {"$mcp_tool_name": {"text": 1}}},
    )


def incomplete() -> Report:
    """A clean report of a file of which a record could not be read."""
    report = one_event()
    report.files[0].unreadable = 1
    report.unreadable = [Unreadable("one.json", 2, "no JSON")]
    return report


def revealing() -> Report:
    """A report that shows values: one of them hostile to terminals and pages."""
    report = full()
    report.leaks[0].revealed = '{"number": "book-17"}'
    report.leaks[1].revealed = "Error executing tool <b>find_book</b>:\n1 \x1b[31mvalidation error\x1b[0m"
    return report


def huge() -> Report:
    """Counts in the billions, and more rows than a terminal or a pull request should show."""
    many = 2_345_678_901
    return Report(
        version="0.1.0",
        files=[FileRead(f"part-{at:05}.parquet", "Parquet", many, many // 7) for at in range(240)],
        unreadable=[Unreadable("part-00000.parquet", at + 1, "no JSON") for at in range(100)],
        events=[
            EventUse(f"custom_event_{at}", {Verdict.PASS: many - at, Verdict.REDACT: 1}, many * 900 - at, many * 800)
            for at in range(300)
        ],
        properties=[
            use(
                f"property_{at}",
                {Fate.PASSES: many, Fate.UNKNOWN: at % 3},
                {f"custom_event_{at}": many},
                {"text": many},
            )
            for at in range(900)
        ],
        refusals=[RefusalCount(f"tool_{at}", "field", "missing", many) for at in range(400)],
        leaks=[Leak(LeakKind.CLOSED, f"properties.property_{at}", many, "xxx") for at in range(200)],
    )


ALL = {
    "full": full,
    "empty": empty,
    "nothing_read": nothing_read,
    "one_event": one_event,
    "incomplete": incomplete,
    "revealing": revealing,
    "huge": huge,
}


def named(name: str) -> Report:
    """A report in which every text that can come from outside is `name`."""
    return Report(
        version="0.1.0",
        settings={name: name},
        files=[FileRead(name, name, 1, 1, name or "breaks off")],
        unreadable=[Unreadable(name, 1, name)],
        events=[EventUse(name, {Verdict.REDACT: 1, Verdict.DROP: 1}, 10, 5)],
        properties=[
            PropertyUse(name, dict.fromkeys(Fate, 1), {name: 1}, {name: 1}, {name: 1}, {name: 1}, 10, 10),
            PropertyUse("other", {Fate.UNKNOWN: 1}, {name: 3, "b": 2, "c": 1}, {}, {}, {name: 1}, 10, 10),
        ],
        rules={name: {Verdict.REDACT: 1}},
        leaving={name: {name: {name: 1}}},
        leaks=[Leak(kind, name, 1, name, name) for kind in LeakKind],
        refusals=[RefusalCount(name, name, name, 1)],
        baseline=[Breach("property", name, name, 1, (name or "text",))],
    )


HOSTILE = (
    "</script><script>alert(1)</script>",
    "</style><svg onload=alert(1)>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "a|b\\|c\\\\|d",
    "`a` ``b`` |",
    "<!-- <b> --> &amp; &lt; &#60;",
    "[x](javascript:alert(1)) ![y](http://127.0.0.1/z) @someone #1",
    "$a_b$ *c* __d__ ~~e~~ $$f$$",
    "\x1b[31mred\x1b[0m\x07\x08\r\n\tnext\x00",
    "\u202egnp.exe \u200b\u2028\ud800\ufeff",
    "[bold red]markup[/] :smile:",
    "properties.",
    " ",
    "",
    "x" * 500,
    "漢字" * 60,
)
"""Names that break a page, a table, a terminal or a file, where one is careless."""
