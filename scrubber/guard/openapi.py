"""The OpenAPI tools of fastmcp 2.14 to 4.2: nothing binds, and names that lead nowhere are left out of the request.

An argument without a place in the request is dropped, with its name in a WARNING, and the API answers another question.
fastmcp 4.2 refuses a call that lacks a part of the path; before, the API is asked for `/flocks/{farm}`.
"""

from __future__ import annotations

import sys
from typing import Any

from scrubber.guard.aliases import Parameter
from scrubber.guard.calls import Fault


def is_openapi(tool: Any) -> bool:
    """Whether fastmcp made this tool from an OpenAPI document."""
    return any(one.__name__ == "OpenAPITool" and one.__module__.startswith("fastmcp.") for one in type(tool).__mro__)


def parameters(tool: Any) -> list[Parameter] | None:
    """All arguments that have a place in the request; None where fastmcp does not know them and guesses."""
    route = getattr(tool, "_route", None)
    places = getattr(route, "parameter_map", None)
    if places:
        return [Parameter((name,), ((name,),)) for name in places]
    return None if getattr(route, "parameters", True) or getattr(route, "request_body", True) else []


def faults(tool: Any, arguments: dict[str, Any]) -> list[Fault]:
    """The parts of the path that the call lacks, by fastmcp's own judgement; [] where it does not judge."""
    missing = getattr(sys.modules.get(type(tool).__module__), "_missing_path_arguments", None)
    route = getattr(tool, "_route", None)
    if missing is None or route is None:
        return []
    return [Fault("missing_argument", (name,)) for name in missing(route, route.parameter_map, arguments)]
