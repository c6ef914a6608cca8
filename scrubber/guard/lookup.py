"""Which tool of a fastmcp server a call will run (fastmcp 2.14 to 4.2).

fastmcp looks a tool up by asking every provider and every transform, which takes longer than all else the guard does.
A tool of the server's own that was looked up before, and that stands where it stood, is not looked up again.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

_MOST = 4096


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

    def _remember(self, server: Any, name: str, tool: Any) -> None:
        for provider in getattr(server, "providers", ()):
            components = getattr(provider, "_components", None)
            if isinstance(components, dict) and components.get(getattr(tool, "key", None)) is tool:
                if len(self._known) >= _MOST:
                    self._known.clear()
                self._known[id(server), name] = _Known(server, tool, components, len(components), _around(server))
                return


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
