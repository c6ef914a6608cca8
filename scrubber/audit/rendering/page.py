"""The report for a browser: one file that asks for nothing else and works without its script.

A policy in the page forbids every request, and every style and script but the two in this package, by their hashes.
What is in the report is text in the page and never in the script, which reads the tables.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import Any

# jinja2: the field's template engine, with escaping that cannot be forgotten.
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from scrubber.audit.records import Report
from scrubber.audit.rendering import charts, outcome, wording
from scrubber.words.verdict import Verdict


def render_html(report: Report) -> str:
    """The report as an HTML document. Complete: nothing is cut, long charts are folded."""
    style, script = _file("page.css"), _file("page.js")
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            report=report,
            result=outcome.outcome(report),
            outcome=outcome,
            charts=charts,
            fates=wording.FATES,
            verdicts=list(Verdict),
            words=wording.VERDICTS,
            # Markup: the two files are ours, and escaping them would change them.
            style=Markup(style),  # noqa: S704
            script=Markup(script),  # noqa: S704
            style_hash=_hash(style),
            script_hash=_hash(script),
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_file),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "number": wording.number,
        "size": wording.size,
        "named": wording.named,
        "place": wording.place,
        "most_first": outcome.most_first,
    }
    environment.globals |= {"counted": wording.counted, "share": wording.share, "saving": outcome.saving}
    return environment


def _shown(value: Any) -> Any:
    """Every text of the page passes here: control characters and what reorders a line are written out."""
    return wording.printable(value) if type(value) is str else value


@cache
def _file(name: str) -> str:
    return resources.files("scrubber.audit.rendering").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
