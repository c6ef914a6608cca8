"""What the tests share: recorded events, an exception event to vary, and the search for what must not leave."""

from __future__ import annotations

import copy
import gzip
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "tests" / "recorded"
SHARED = ROOT.parent / "shared"

REFUSAL = (
    "1 validation error for find_bookArguments\nnumber\n  Input should be a valid integer, unable to parse string as an "
    "integer [type=int_parsing, input_value='{value}', input_type=str]\n    For further information visit "
    "https://errors.pydantic.dev/2.14/v/int_parsing"
)


class Recorded(NamedTuple):
    """One recorded event and the truth beside it."""

    file: str
    id: str
    scenario: str
    truth: str
    hard: str | None
    secrets: list[str]
    event: dict[str, Any]


def recorded(folder: Path = RECORDED) -> Iterator[Recorded]:
    """Every event of the recordings in `folder`, file by file, in the order of capture."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield Recorded(
                    path.name,
                    row["id"],
                    row["scenario"],
                    row["truth"],
                    row.get("hard"),
                    row.get("secrets") or [],
                    row["event"],
                )


def frame(module: str | None, function: str, line: str | None = None, **more: Any) -> dict[str, Any]:
    """A raw frame as posthog writes it."""
    file = (module or "<string>").replace(".", "/") + (".py" if module else "")
    return {
        "platform": "python",
        "filename": file,
        "abs_path": f"/srv/app/{file}",
        "function": function,
        "module": module,
        "lineno": 10,
        "pre_context": [],
        "context_line": line,
        "post_context": [],
        **more,
    }


def entry(module: str | None, type_: str, value: Any, frames: list[Any] | None, **mechanism: Any) -> dict[str, Any]:
    """An entry of the exception list."""
    return {
        "mechanism": {"type": "generic", "handled": True, "synthetic": False, **mechanism},
        "module": module,
        "type": type_,
        "value": value,
        "stacktrace": {"frames": frames, "type": "raw"} if frames is not None else None,
    }


VALIDATES = "        arguments_parsed_model = self.arg_model.model_validate(arguments_pre_parsed)"
CALLS = "            return await fn(**arguments_parsed_dict)"


def refusal(value: str = "secret-7", tool: str = "find_book") -> dict[str, Any]:
    """An `$exception` event of mcp 1.x and posthog 7.91: the SDK refused `number`."""
    text = REFUSAL.format(value=value)
    base = "mcp.server.fastmcp.tools.base"
    outer = [
        frame("posthog.mcp._instrument_fastmcp", "wrapped", "            result = await original("),
        frame("mcp.server.fastmcp.tools.tool_manager", "call_tool", "        return await tool.run("),
        frame(base, "run", "            raise ToolError("),
    ]
    inner = [
        frame(base, "run", "            result = await self.fn_metadata.call_fn_with_arg_validation("),
        frame("mcp.server.fastmcp.utilities.func_metadata", "call_fn_with_arg_validation", VALIDATES),
    ]
    return {
        "event": "$exception",
        "distinct_id": "ses_01a22bec",
        "properties": {
            "$session_id": "ses_01a22bec",
            "$mcp_resource_name": tool,
            "$mcp_tool_name": tool,
            "$mcp_server_name": "library",
            "$lib": "posthog-python-mcp",
            "$lib_version": "7.91.1",
            "$exception_list": [
                entry(
                    "mcp.server.fastmcp.exceptions",
                    "ToolError",
                    f"Error executing tool {tool}: {text}",
                    outer,
                    exception_id=0,
                ),
                entry(
                    "pydantic_core._pydantic_core",
                    "ValidationError",
                    text,
                    inner,
                    exception_id=1,
                    parent_id=0,
                    source="cause",
                ),
            ],
            "$exception_level": "error",
        },
        "timestamp": "2026-11-30T10:07:58.051151+00:00",
        "uuid": "01a22bec-f066-712e-a449-aa93ffa4ab32",
    }


def call(message: str | None = None, type_: str = "ValidationError", **more: Any) -> dict[str, Any]:
    """A `$mcp_tool_call` event of posthog 7.91; a failed one where a message is given."""
    properties: dict[str, Any] = {
        "$mcp_interface": "mcp",
        "$mcp_source": "posthog_mcp_analytics",
        "$session_id": "ses_01a22bec",
        "$process_person_profile": False,
        "$mcp_resource_name": "find_book",
        "$mcp_tool_name": "find_book",
        "$mcp_server_name": "library",
        "$mcp_server_version": "1.4.0",
        "$mcp_client_name": "claude-code",
        "$mcp_client_version": "2.0.1",
        "$mcp_protocol_version": "2025-11-25",
        "$mcp_conversation_id": "01a22c07-6c87-7d18-ab71-a25aa3773c9f",
        "$mcp_duration_ms": 3.2,
        "$mcp_is_error": message is not None,
        "$mcp_parameters": {"request": {"method": "tools/call", "params": {"arguments": {"number": "secret-7"}}}},
        "$mcp_input_keys": ["number"],
        "$mcp_response": {"content": [{"type": "text", "text": "secret-8"}]},
        "$lib": "posthog-python-mcp",
        "$lib_version": "7.91.1",
    }
    if message is not None:
        properties |= {"$mcp_error_type": type_, "$mcp_error_message": message}
    return {
        "event": "$mcp_tool_call",
        "distinct_id": "ses_01a22bec",
        "properties": properties | more,
        "timestamp": "2026-11-30T10:07:58.051151+00:00",
        "uuid": "01a22bec-f066-712e-a449-aa93ffa4ab33",
    }


def interruptible() -> None:
    """For `Popen(preexec_fn=...)`: a process started from a shell's background ignores Ctrl-C, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def texts(value: Any) -> str:
    """Everything in a value as one text, escaped and unescaped, keys included."""
    return json.dumps(value, default=repr) + json.dumps(value, default=repr, ensure_ascii=False) + repr(value)


def without_source_lines(event: dict[str, Any] | None) -> Any:
    """A copy of an event without the source lines of its frames: those are the author's code, not content."""
    event = copy.deepcopy(event)
    for one in ((event or {}).get("properties") or {}).get("$exception_list") or []:
        stack = one.get("stacktrace") if isinstance(one, dict) else None
        for each in (stack.get("frames") or []) if isinstance(stack, dict) else []:
            for key in ("context_line", "pre_context", "post_context"):
                each.pop(key, None)
    return event
