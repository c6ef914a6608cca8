"""The low-level `Server` of the installed mcp, as one more family."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..live.families import Family, version_of

MCP1 = (version_of("mcp") or "").startswith("1.")


class LowLevel(Family):
    """The low-level `Server` of the installed mcp: tools are a handler and a JSON schema."""

    name = "lowlevel1" if MCP1 else "lowlevel2"
    package = "mcp"

    def make(self, name: str, **options: Any) -> Any:
        """A server with the tools `schemas`; each answers with the names it was given."""
        schemas: dict[str, Any] = options["schemas"]
        server = import_module("mcp.server.lowlevel").Server
        if not MCP1:
            types = import_module("mcp_types")

            async def list_tools(context: Any, params: Any) -> Any:
                found = [types.Tool(name=tool, input_schema=schema) for tool, schema in schemas.items()]
                return types.ListToolsResult(tools=found)

            async def call_tool(context: Any, params: Any) -> Any:
                content = [types.TextContent(type="text", text=f"ran {sorted(params.arguments or {})}")]
                return types.CallToolResult(content=content)

            return server(name, on_list_tools=list_tools, on_call_tool=call_tool)
        types = import_module("mcp.types")
        made = server(name)

        @made.list_tools()  # type: ignore[untyped-decorator]
        async def list_tools_1() -> Any:
            return [types.Tool(name=tool, inputSchema=schema) for tool, schema in schemas.items()]

        @made.call_tool(validate_input=options.get("validate_input", True))  # type: ignore[untyped-decorator]
        async def call_tool_1(name: str, arguments: Any) -> Any:
            return [types.TextContent(type="text", text=f"ran {sorted(arguments)}")]

        return made

    def connect(self, server: Any) -> Any:
        if MCP1:
            return import_module("mcp.shared.memory").create_connected_server_and_client_session(server)
        return import_module("mcp").Client(server)
