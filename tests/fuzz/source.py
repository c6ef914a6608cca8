"""Bytes read as choices. Written here and not taken from a fuzzer, so that a saved input means the same without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

_NAMES = (
    "$mcp_parameters $mcp_error_message $mcp_error_type $mcp_error_code $mcp_error_field $mcp_tool_name "
    "$mcp_resource_name $mcp_input_keys $mcp_is_error $mcp_intent $mcp_response $mcp_server_name $mcp_unheard_of "
    "$exception $exception_list $exception_fingerprint $exception_message $exception_sources $exception_types "
    "$exception_level $ai_error $groups $set $set_once $lib $lib_version $session_id $scrubber_removed "
    "$scrubber_guard $mcp_tool_call mine properties event timestamp uuid distinct_id value type module mechanism "
    "stacktrace frames function filename abs_path lineno context_line in_app vars source raw exception_id parent_id "
    "ValidationError ToolError pydantic_core._pydantic_core KeyError invalid_argument cause context [Object] "
    "[redacted] request params arguments name number items prices owners either pet mode pair keyed kind sku "
    "int_parsing missing extra_forbidden value_error [key] * N 0 7.21.0 7.91.1"
).split()
_ODD = ("", " ", "\n", " $MCP_PARAMETERS ", "$Mcp_Parameters", "\ud800", "é", "a\nb", "a b", "1e999")
WORDS = (*_NAMES, *_ODD)
"""Names that the rules know, and near misses of them."""


class Source:
    """Reads bytes from the front. Where none are left every choice is the first: any bytes mean something."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """Bytes that were not read yet."""
        return len(self._data) - self._at

    def below(self, most: int) -> int:
        """A number from 0 to `most` - 1; `most` at most 65,536."""
        size = 1 if most <= 256 else 2
        piece = self._data[self._at : self._at + size]
        self._at = min(self._at + size, len(self._data))
        return int.from_bytes(piece, "big") % most if piece else 0

    def pick(self, options: Sequence[T]) -> T:
        """One of `options`."""
        return options[self.below(len(options))]

    def rest(self) -> bytes:
        """All that is left."""
        piece = self._data[self._at :]
        self._at = len(self._data)
        return piece

    def raw_text(self, most: int) -> str:
        """At most `most` characters as the bytes spell them; bytes that spell none become lone surrogates."""
        size = self.below(most + 1)
        piece = self._data[self._at : self._at + size]
        self._at += len(piece)
        return piece.decode("utf-8", "surrogateescape")

    def text(self) -> str:
        """A word that the rules know, a text as the bytes spell it, or both."""
        match self.below(4):
            case 0 | 1:
                return self.pick(WORDS)
            case 2:
                return self.raw_text(60)
            case _:
                return self.pick(WORDS) + self.raw_text(12)


_SCALARS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**30, 0.5, -0.0, 1e308, 3.0, float("inf"),
)  # fmt: skip
_DEEPEST = 6


def json_value(source: Source, depth: int = 0, text: Callable[[Source], str] = Source.text) -> Any:
    """Any JSON value, with infinity for good measure; its texts are made by `text`."""
    kind = source.below(8)
    if kind == 0:
        return source.pick(_SCALARS)
    if kind == 1:
        return source.below(65536) - 1000
    if kind <= 4 or depth >= _DEEPEST:
        return text(source)
    size = source.below(4)
    if kind <= 6:
        return {text(source): json_value(source, depth + 1, text) for _ in range(size)}
    return [json_value(source, depth + 1, text) for _ in range(size)]
