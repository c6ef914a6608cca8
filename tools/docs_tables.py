"""Write the generated parts of `docs/`, or say which page is stale.

In:  `--write`, or `--check` (the default). Each generated part stands between `<!-- NAME:begin -->` and
     `<!-- NAME:end -->` in its page.
Out: with `--write` the pages, rewritten; with `--check` one line a stale part on stderr, and the exit status 1 then.

What a part says is read from the code where the code can be asked: the settings' model, the closed list, the rules'
answers under both profiles, the sites, the hook itself. What only a person knows (who writes a property, an example
of a kind) stands in the tables of `docs_parts`, and a name that has no row there fails here by name.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from docs_parts.closed_list import exception_properties, mcp_properties, strict_properties  # noqa: E402
from docs_parts.commands import command_help  # noqa: E402
from docs_parts.messages import error_messages  # noqa: E402
from docs_parts.mistakes import refused_settings  # noqa: E402
from docs_parts.named import rule_names, site_list  # noqa: E402
from docs_parts.profiles import profiles  # noqa: E402
from docs_parts.promises import guarantees  # noqa: E402
from docs_parts.reference import complete_file, settings_reference  # noqa: E402
from docs_parts.shapes import envelope, frames, kind_table  # noqa: E402

DOCS = ROOT / "docs"

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
    "commands": ("commands.md", command_help),
    "promises": ("guarantees.md", guarantees),
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
