"""Where each SDK validates a tool's arguments: the one table to extend when an SDK release moves it.

A site is read from a traceback. `dispatch` is the SDK's frame that hands the call to the tool; from `entry`
on, the frames must be those of `path`, in that order (each may be absent, none may be another's), and end
in `terminal`. A frame of anything else behind the entry means that the tool's body, a resolver or a result
conversion was already running.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Call = tuple[str | None, str | None]
"""A frame's module and function."""


def _call(written: str) -> Call:
    module, function = written.split(":")
    return (module, function)


def _path(*written: str) -> tuple[Call, ...]:
    return tuple(map(_call, written))


def _calls(*written: str) -> frozenset[Call]:
    return frozenset(map(_call, written))


_M1 = "mcp.server.fastmcp"
_M2 = "mcp.server.mcpserver"
_F_TOOL = "fastmcp.tools.tool"
_F_FN = "fastmcp.tools.function_tool"
_F_TRANSFORM = "fastmcp.tools.tool_transform"
_VALIDATE = ("pydantic.type_adapter:validate_python", "pydantic.type_adapter:validate_json")
_THREAD_HOP = "thread:hop"

THREAD_HOP: Final = _call(_THREAD_HOP)
"""Stands in a path for the frames by which a sync tool moves to a worker thread."""

THREAD_FRAMES = _calls(
    "fastmcp.utilities.async_utils:call_sync_fn_in_threadpool",
    "fastmcp.utilities.async_utils:run_sync_in_threadpool",
    "anyio.to_thread:run_sync",
    "anyio._backends._asyncio:run_sync_in_worker_thread",
    "anyio._backends._asyncio:run",
    "anyio._backends._trio:run_sync_in_worker_thread",
    "anyio._backends._trio:wrapper",
    "trio._threads:to_thread_run_sync",
    "asyncio.threads:to_thread",
    "concurrent.futures.thread:run",
)


@dataclass(frozen=True, slots=True)
class Site:
    """One place of argument validation. The field docs are in the module's."""

    sdk: str
    dispatch: frozenset[Call]
    path: tuple[Call, ...]
    terminal: frozenset[Call]
    title: str
    outer: frozenset[tuple[str, str]]
    line: str | None = None
    """What the innermost source line must hold where one function both validates and calls the tool."""
    handed_by: Call | None = None
    """The only frame that may reach the dispatch, where the SDK's own dispatch is what user code calls too."""
    bare_cause: bool = False
    """The pydantic link may have no frames: the SDK built it anew, and the outer link ends at the site."""

    @property
    def entries(self) -> frozenset[Call]:
        """Frames that can be the first behind the dispatch."""
        return ENTRIES[self.sdk]


ARGUMENTS = "Arguments"
CALL = "call[]"

_MCP1_ERROR = frozenset({(f"{_M1}.exceptions", "ToolError")})
_MCP2_ERROR = frozenset({(f"{_M2}.exceptions", "ToolError")})
_FASTMCP_ERROR = frozenset(
    {
        ("fastmcp.exceptions", "ValidationError"),
        # fastmcp.server.middleware.error_handling re-raises as the protocol's error.
        ("mcp.shared.exceptions", "McpError"),
        ("mcp.shared.exceptions", "MCPError"),
    }
)

SITES: tuple[Site, ...] = (
    Site(
        sdk="mcp 1.x",
        dispatch=_calls(f"{_M1}.tools.tool_manager:call_tool"),
        path=_path(f"{_M1}.tools.base:run", f"{_M1}.utilities.func_metadata:call_fn_with_arg_validation"),
        terminal=_calls(f"{_M1}.utilities.func_metadata:call_fn_with_arg_validation"),
        title=ARGUMENTS,
        outer=_MCP1_ERROR,
        line="arg_model.model_validate(",
    ),
    Site(
        sdk="mcp 2.x",
        dispatch=_calls(f"{_M2}.tools.tool_manager:call_tool"),
        path=_path(
            f"{_M2}.tools.base:run",
            f"{_M2}.utilities.func_metadata:call_fn_with_arg_validation",
            f"{_M2}.utilities.func_metadata:validate_arguments",
        ),
        terminal=_calls(f"{_M2}.utilities.func_metadata:validate_arguments"),
        title=ARGUMENTS,
        outer=_MCP2_ERROR,
    ),
    Site(
        sdk="fastmcp 2.14",
        dispatch=_calls("fastmcp.tools.tool_manager:call_tool"),
        path=_path(f"{_F_TRANSFORM}:run", f"{_F_TRANSFORM}:_forward", f"{_F_TOOL}:run", *_VALIDATE),
        terminal=_calls(*_VALIDATE),
        title=CALL,
        outer=_FASTMCP_ERROR,
        handed_by=_call("fastmcp.server.server:_call_tool"),
    ),
    Site(
        sdk="fastmcp 3.x, 4.x",
        dispatch=_calls("fastmcp.tools.base:_run", "fastmcp.tools.tool:_run", "fastmcp.server.server:call_tool"),
        path=_path(
            f"{_F_TRANSFORM}:run",
            f"{_F_FN}:wrapper",
            f"{_F_TRANSFORM}:_forward",
            f"{_F_FN}:run",
            f"{_F_FN}:_run_body",
            f"{_F_FN}:_execute",
            _THREAD_HOP,
            f"{_F_FN}:_validate_input",
            *_VALIDATE,
        ),
        terminal=_calls(*_VALIDATE),
        title=CALL,
        outer=_FASTMCP_ERROR,
    ),
    Site(
        sdk="fastmcp 4.2, renamed argument of a transformed tool",
        dispatch=_calls("fastmcp.tools.base:_run", "fastmcp.server.server:call_tool"),
        path=_path(f"{_F_TRANSFORM}:run", f"{_F_FN}:wrapper", f"{_F_TRANSFORM}:_forward"),
        terminal=_calls(f"{_F_TRANSFORM}:_forward"),
        title=CALL,
        outer=_FASTMCP_ERROR,
        line="raise ValidationError(",
        bare_cause=True,
    ),
)

ENTRIES = {site.sdk: frozenset(site.path) - {THREAD_HOP} - _calls(*_VALIDATE) for site in SITES}
TERMINALS = frozenset().union(*(site.terminal for site in SITES))
"""Every frame in which a refusal can end."""

TRANSFORM_STEP = _calls(f"{_F_TRANSFORM}:run", f"{_F_FN}:wrapper", f"{_F_TRANSFORM}:_forward")
"""Frames that come again when a transformed tool is transformed once more."""

FRESH_DISPATCH: dict[Call, bool] = {
    _call(f"{_M1}.server:call_tool"): False,
    _call(f"{_M2}.server:call_tool"): False,
    _call("fastmcp.server.server:_call_tool_middleware"): True,
    _call("fastmcp.server.server:_run_middleware"): True,
}
"""Frames with which a tool call starts from its beginning, and whether the first of them may stand below user
code (a server class that overrides `call_tool`). Met otherwise below user code, that code called a tool itself."""

SAME_DISPATCH = _calls("fastmcp.server.server:call_tool", "fastmcp.server.server:_dispatch_component_middleware")
"""fastmcp's frames between the code that calls a tool and the start of its dispatch."""
