"""A real MCP server, client and posthog, without the hook and with it: what leaves, side by side.

    python docs/examples/demo.py

Nothing leaves this machine: posthog's host is a sink on 127.0.0.1. Exit code 0 if what it
claims holds, else 1.
"""

from __future__ import annotations

import faulthandler
import platform
import sys
from importlib import metadata

from demo_parts import checks, loopback, report, wire
from demo_parts.clinic import CALLS, is_mcp1

from scrubber import Scrubber, Settings

LONGEST_SECONDS = 120.0

INVITATION = """\
Next, your own server:

    from mcp.server.{module} import {name}
    from posthog import Posthog
    from posthog.mcp import instrument
    from scrubber import Scrubber

    server = {name}("yours")  # and its tools
    posthog = Posthog("phc_...", before_send=Scrubber())
    instrument(server, posthog)
    server.run()
"""


def main() -> int:
    """Run the calls three times and print what left. Out: the exit code."""
    faulthandler.dump_traceback_later(LONGEST_SECONDS, exit=True)
    connected = loopback.stay_on_loopback()
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("mcp", "posthog"))
    print(f"posthog-scrubber, on {versions}, Python {platform.python_version()}\n")

    hook = Scrubber()
    without = wire.run(None)
    with_ = wire.run(hook)
    shape = wire.run(Scrubber(Settings(error_messages={"ValidationError": "shape"})))

    print("Three calls to a real MCP server; what posthog then sent, read off the requests.")
    print(f"Every connection went to {', '.join(sorted(set(connected)))}. Long values are cut. Marks:")
    print("    !  holds planted content    [-] removed    [+] added    [X] the whole event dropped\n")
    for number, call in enumerate(CALLS):
        print(report.call_table(call, *(run.by_call[number] for run in (without, with_, shape))), end="\n\n")
    print(report.summary(without, with_, shape), end="\n\n")
    print(report.honest(with_), end="\n\n")
    print(report.counts(hook.counts()), end="\n\n")

    claims = checks.claims(without, with_, shape)
    broken = [claim for claim, holds in claims.items() if not holds]
    if broken:
        failure = "THE DEMONSTRATION DOES NOT HOLD. Not true of what left:"
        print(failure, *broken, sep="\n  - ", file=sys.stderr)
        return 1
    print(f"All {len(claims)} claims of demo_parts/checks.py hold for these bytes.\n")
    module, name = ("fastmcp", "FastMCP") if is_mcp1() else ("mcpserver", "MCPServer")
    print(INVITATION.format(module=module, name=name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
