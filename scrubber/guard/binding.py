"""Binding the arguments of a fastmcp tool without calling it (fastmcp 2.14 to 4.2, pydantic 2.7 to 2.14).

fastmcp validates by calling: `TypeAdapter(fn).validate_python(arguments)` binds and runs in one. The arguments part
of that very core schema, on its own, binds and does not run.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator, to_json

from scrubber.guard import openapi
from scrubber.guard.aliases import Parameter, of_arguments
from scrubber.guard.calls import Fault
from scrubber.guard.core import faults_of
from scrubber.guard.lookup import Inside

_MISSING = frozenset({"missing", "missing_argument", "missing_keyword_only_argument"})
_MOST = 4096


class Binder:
    """Binds as fastmcp does. Remembers a validator for each function."""

    def __init__(self) -> None:
        self._without_injected = import_module("fastmcp.server.dependencies").without_injected_parameters
        self._adapter = import_module("fastmcp.utilities.types").get_cached_typeadapter
        self._transformed = import_module("fastmcp.tools.tool_transform").TransformedTool
        self._function_tool = _function_tool()
        # From fastmcp 4.1 or 4.2 on strict validation is that of JSON, where a date is a text; before, that of Python.
        self._is_json = getattr(sys.modules.get("fastmcp.tools.function_tool"), "_is_json_data", None)
        self._known: dict[int, tuple[Any, SchemaValidator]] = {}

    def is_open(self, tool: Any) -> bool:
        """Whether a name that the tool's schema does not show may lead somewhere: the SDK does not bind it."""
        if openapi.is_openapi(tool):
            return openapi.parameters(tool) is None
        return not isinstance(tool, (self._transformed, self._function_tool))

    def parameters(self, tool: Any) -> list[Parameter] | None:
        """What the SDK binds or takes, if it says so; None: what the schema shows."""
        if openapi.is_openapi(tool):
            return openapi.parameters(tool)
        if not isinstance(tool, self._function_tool) or type(tool).run is not self._function_tool.run:
            return None
        return of_arguments(_parts(self._core(tool.fn))[0])

    def faults(self, tool: Any, arguments: dict[str, Any], *, strict: bool, inside: Inside) -> list[Fault]:
        """What the SDK would refuse of these arguments; [] where it has no binder here (a proxy, a tool's own `run`).

        inside: what stands behind tools of mounted servers. Raises what a validator or a default factory raises.
        """
        if isinstance(tool, self._function_tool):
            return self._of_function(tool, arguments, strict=strict)
        if isinstance(tool, self._transformed):
            return self._of_transformed(tool, arguments, strict=strict, inside=inside)
        if id(tool) in inside:
            _, behind, server = inside[id(tool)]
            return self.faults(behind, arguments, strict=is_strict(server), inside=inside)
        if openapi.is_openapi(tool):
            return openapi.faults(tool, arguments)
        return []

    def _of_function(self, tool: Any, arguments: dict[str, Any], *, strict: bool) -> list[Fault]:
        if type(tool).run is not self._function_tool.run:
            return []
        validator = self._validator(tool.fn)
        try:
            if strict and self._is_json is not None and self._is_json(arguments):
                validator.validate_json(to_json(arguments), strict=True)
            else:
                validator.validate_python(arguments, strict=True if strict else None)
        except ValidationError as error:
            return faults_of(error)
        return []

    def _of_transformed(self, tool: Any, arguments: dict[str, Any], *, strict: bool, inside: Inside) -> list[Fault]:
        """A tool that only renames, hides and presets: bound as its parent, said in its own names."""
        if tool.fn is not tool.forwarding_fn:
            # A function of the author's: it is called with what was sent, and nothing binds.
            return []
        required = tool.parameters.get("required", ())
        faults = [
            Fault("missing_argument", (name,)) for name in required if name not in arguments and not _preset(tool, name)
        ]
        names: dict[str, str] = {}
        hidden = set()
        for old, transform in (tool.transform_args or {}).items():
            if transform.hide:
                hidden.add(old)
            names[transform.name if isinstance(transform.name, str) else old] = old
        given = {names.get(name, name): value for name, value in arguments.items()}
        found = self.faults(tool.parent_tool, given, strict=strict, inside=inside)
        back = {old: new for new, old in names.items()}
        for code, loc in found:
            first = loc[0] if loc else None
            if first in hidden or (code in _MISSING and len(loc) == 1):
                continue
            faults.append(Fault(code, (back.get(first, first), *loc[1:]) if isinstance(first, str) else loc))
        return faults

    def _validator(self, fn: Any) -> SchemaValidator:
        known = self._known.get(id(fn))
        # The function is kept, so that no other object can have its id.
        if known is not None and known[0] is fn:
            return known[1]
        arguments, definitions = _parts(self._core(fn))
        if definitions is not None:
            arguments = {"type": "definitions", "schema": arguments, "definitions": definitions}
        validator = SchemaValidator(arguments)
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[id(fn)] = (fn, validator)
        return validator

    def _core(self, fn: Any) -> Any:
        adapter: TypeAdapter[Any] = self._adapter(self._without_injected(fn))
        return adapter.core_schema


def is_strict(server: Any) -> bool:
    """fastmcp 4 validates strictly itself; the guard has to bind as it does."""
    return bool(getattr(server, "strict_input_validation", False))


def _preset(tool: Any, name: str) -> bool:
    """Whether a transformed tool fills a parameter in from the default that its schema shows."""
    properties = tool.parameters.get("properties")
    shown = properties.get(name) if isinstance(properties, dict) else None
    return isinstance(shown, dict) and "default" in shown


def _function_tool() -> Any:
    try:
        return import_module("fastmcp.tools.function_tool").FunctionTool
    except (ImportError, AttributeError):
        return import_module("fastmcp.tools.tool").FunctionTool


def _parts(schema: Any) -> tuple[Any, Any]:
    """The part of a function's core schema that binds its arguments, and the definitions that it refers to, or None."""
    definitions = None
    at = schema
    while at.get("type") != "call":
        if at.get("type") == "definitions":
            definitions = at["definitions"]
        at = at["schema"]
    return at["arguments_schema"], definitions
