"""What the code has names for: its rules (the policy page) and its sites (the origin page)."""

from __future__ import annotations

from docs_parts.words import code, table
from scrubber import hook, pipeline
from scrubber.rules import closing, drops, error_message, frames, grouping, mcp
from scrubber.words import sites


def rule_names() -> str:
    """The names under which counts, findings and the log speak of rules."""
    rows = [
        (drops.REFUSAL_RULE, "dropped the `$exception` of a refused argument"),
        (drops.GUARD_RULE, "dropped the `$exception` of a call that the argument guard refused"),
        (drops.EXPECTED_RULE, "dropped a type that `expected_exceptions` names"),
        (drops.DELIBERATE_RULE, "dropped a ToolError raised on purpose (`drop_refusals`)"),
        (pipeline.ENVELOPE_RULE, "dropped what is no event with properties"),
        (mcp.PARAMETERS_RULE, "removed `$mcp_parameters`"),
        (mcp.CLOSED_RULE, "removed an `$mcp_*` property, or replaced a name in a list"),
        (error_message.RULE, "removed or rewrote `$mcp_error_message`, or set the code and the field"),
        (frames.RULE, "removed an exception's text (also `$ai_error`), or a key or value of an entry or frame"),
        (grouping.RULE, "set or replaced `$exception_fingerprint`"),
        (closing.NESTED_RULE, "closed or cut a container under a name that passes"),
        (closing.STRICT_RULE, "removed what the strict profile does not list"),
        (closing.BLOCK_RULE, "removed what `block` names"),
        (closing.VALUES_RULE, "removed a value that `values` does not list"),
        (pipeline.TOP_LEVEL_RULE, "removed or changed a key beside `properties`"),
        (hook.THEN_RULE, "your own hook dropped or changed the event"),
    ]
    return table(("Rule", "What it did"), [(code(name), text) for name, text in rows])


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
