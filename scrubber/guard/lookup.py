"""Which tool of a fastmcp server a call will run (fastmcp 2.14 to 4.2).

fastmcp looks a tool up by asking every provider and every transform, which takes longer than all else the guard does.
A tool of the server's own that was looked up before, and that stands where it stood, is not looked up again.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

_MOST = 4096
_DEEPEST = 16

Inside = dict[int, tuple[Any, Any, Any]]
"""By the id of a mounted server's tool as its parent has it: that tool, the server's own, and the server."""


class _Known(NamedTuple):
    """A tool, and all that would have to change for the name to mean another one."""

    server: Any
    tool: Any
    components: dict[str, Any]
    size: int
    around: tuple[Any, ...]

    def still(self) -> bool:
        """Whether the server would find the same again. Not whether this session may see it: that the SDK says."""
        return (
            self.components.get(self.tool.key) is self.tool
            and len(self.components) == self.size
            and _around(self.server) == self.around
        )


class Lookup:
    """Finds tools, and remembers those that are the server's own."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], _Known] = {}

    def known(self, server: Any, message: Any, request: Any) -> Any:
        """The tool, if it was found before and nothing changed; None otherwise."""
        known = self._known.get((id(server), message.name))
        if known is None or known.server is not server or _version_of(message, request) is not None:
            return None
        return known.tool if known.still() else None

    async def find(self, server: Any, message: Any, request: Any) -> Any:
        """The tool that the SDK will run; None where it will say that there is none, or where nobody can tell."""
        version = _version_of(message, request)
        try:
            if version is not None:
                spec = import_module("fastmcp.utilities.versions").VersionSpec
                return await server.get_tool(message.name, version=spec(**version))
            tool = await server.get_tool(message.name)
            enabled = getattr(server, "_should_enable_component", None)
            if enabled is not None and not enabled(tool):
                # fastmcp 2 hands out disabled tools too, and does not run them.
                return None
        except Exception:
            # Not found, disabled, not allowed: the SDK meets the same on its way, and says it.
            return None
        self._remember(server, message.name, tool)
        return tool

    async def child(self, server: Any, name: str) -> Any:
        """The mounted server that fastmcp 2 hands the call to, or None. From 3 on the tool itself says it."""
        for mounted in reversed(getattr(server, "_mounted_servers", ())):
            inner = _inner_name(mounted, name)
            if inner is None:
                continue
            try:
                if server._should_enable_component(await mounted.server.get_tool(inner)):
                    return mounted.server
            except Exception:  # noqa: S112
                # Not found there; fastmcp asks the next one.
                continue
        return None

    async def inside(self, tool: Any) -> Inside | None:
        """What stands behind a transformed tool of a mounted server (fastmcp 3 and 4); None where nobody can tell.

        That is so too where middleware of the mounted server may change the arguments before the tool gets them.
        """
        found: Inside = {}
        at = tool
        for _ in range(_DEEPEST):
            while (parent := getattr(at, "parent_tool", None)) is not None:
                at = parent
            server = getattr(at, "_server", None)
            if server is None:
                return found
            if any(map(_may_change, server.middleware)):
                return None
            version = getattr(at, "version", None)
            spec = {"version": import_module("fastmcp.utilities.versions").VersionSpec(eq=version)} if version else {}
            behind = await server.get_tool(at._original_name, **spec)
            if behind is None:
                return None
            found[id(at)] = (at, behind, server)
            at = behind
        return None

    def _remember(self, server: Any, name: str, tool: Any) -> None:
        if is_mounted(tool):
            return
        for provider in getattr(server, "providers", ()):
            components = getattr(provider, "_components", None)
            if isinstance(components, dict) and components.get(getattr(tool, "key", None)) is tool:
                if len(self._known) >= _MOST:
                    self._known.clear()
                self._known[id(server), name] = _Known(server, tool, components, len(components), _around(server))
                return


def is_mounted(tool: Any) -> bool:
    """Whether a tool, or the one that it transforms, is run by another server."""
    while (parent := getattr(tool, "parent_tool", None)) is not None:
        tool = parent
    return getattr(tool, "_server", None) is not None


def _may_change(middleware: Any) -> bool:
    """Whether middleware sees the arguments of a call: fastmcp's own that only lists does not."""
    if hasattr(middleware, "scrubber_guard"):
        return False
    base = import_module("fastmcp.server.middleware").Middleware
    hooks = ("__call__", "on_message", "on_request", "on_call_tool")
    return any(getattr(type(middleware), hook, None) is not getattr(base, hook, None) for hook in hooks)


def _inner_name(mounted: Any, name: str) -> str | None:
    """What a mounted server of fastmcp 2 calls a tool that its parent's client calls `name`; None: it has none."""
    for inner, shown in (mounted.tool_names or {}).items():
        if shown == name:
            return str(inner)
    if not mounted.prefix:
        return name
    return name.removeprefix(f"{mounted.prefix}_") if name.startswith(f"{mounted.prefix}_") else None


def _around(server: Any) -> tuple[Any, ...]:
    """The providers and transforms between a name and its tool. Compared by identity: none of them defines another."""
    providers = server.providers
    if len(providers) == 1:
        return (providers[0], *providers[0].transforms, *server.transforms)
    inner = [one for provider in providers for one in (provider, *provider.transforms)]
    return (*inner, *server.transforms)


def _version_of(message: Any, request: Any) -> dict[str, Any] | None:
    """The version that a call asks for, in `_meta.fastmcp.version` (fastmcp 3 and 4; 3.0 shows it to no middleware)."""
    meta = getattr(message, "meta", None) or getattr(request, "meta", None)
    if meta is None:
        return None
    held = meta if isinstance(meta, dict) else getattr(meta, "model_extra", None) or {}
    fastmcp = held.get("fastmcp")
    version = fastmcp.get("version") if isinstance(fastmcp, dict) else None
    if isinstance(version, str):
        return {"eq": version}
    return version if isinstance(version, dict) else None
