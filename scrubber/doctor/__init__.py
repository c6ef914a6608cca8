"""The doctor: tries the hook on this machine, with whatever versions of the SDKs are installed.

It starts small in-memory servers of every installed family, lets a real posthog client with `send=False` watch them,
provokes refusals and faults, and reports what the hook did. Nothing leaves the machine, and no record holds a value
from an event.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from scrubber.doctor import client as client_options
from scrubber.doctor import families, names, raising
from scrubber.doctor.families.base import found
from scrubber.doctor.guard import loopback_only, refused, silence
from scrubber.doctor.loading import CannotRunError, load_client
from scrubber.doctor.playing import Stage, play
from scrubber.doctor.recorder import Hook
from scrubber.doctor.records import Check, Level, Presence, Remark, Report, Result
from scrubber.settings import Settings

__all__ = ["CannotRunError", "Check", "Level", "Presence", "Remark", "Report", "Result", "examine", "load_client"]

WATCHERS = ("posthog", "posthoganalytics")
SECONDS = 25.0
"""How long all servers together may take."""


def examine(
    hook_type: Callable[[Settings], Hook],
    settings: Settings,
    client: Any = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Everything, as a report. Never raises for what the SDKs do.

    hook_type: the hook's class, called with the settings for each family. client: a user's client to look at, as
    `load_client` gives it. progress: told what comes next.
    """
    began = time.monotonic()
    before = refused()
    with loopback_only():
        progress("looking for what is installed")
        with silence():
            present = families.look()
            watchers = [found(f"{name} with .mcp", name, f"{name}.mcp") for name in WATCHERS]
        installed = [presence for _, presence in present] + watchers
        remarks = [_broken(one) for one in installed if one.problem is not None]
        checks: list[Check] = []
        fates: dict[str, raising.Fate] = {}
        for watcher in (one for one in watchers if one.usable):
            progress(f"trying a hook that raises with {watcher.package}")
            fates[watcher.package] = fate = raising.probe(watcher.package)
            remarks.append(raising.remark(watcher.package, watcher.version or "", fate))
            seen: set[str] = set()
            for family, presence in present:
                if not presence.usable:
                    continue
                progress(f"provoking {presence.package} {presence.version}")
                stage = Stage(family, presence.version or "", watcher.package, settings, hook_type(settings))
                played = play(stage, began + SECONDS)
                checks += played.checks
                seen |= played.names
            remarks += names.compare(watcher.package, seen, settings.policy().strict)
        if client is not None:
            remarks += client_options.examine(client, _class_of(hook_type), _fate_of(client, fates))
    if refused() > before:
        remarks.append(Remark(Level.NOTE, "network", "something tried to reach another machine and was refused"))
    return Report(installed, checks, remarks, time.monotonic() - began, _changed(settings))


def _broken(one: Presence) -> Remark:
    # A posthog from before posthog.mcp watches no server; an SDK that does not work is another matter.
    level = Level.NOTE if one.package in WATCHERS else Level.FINDING
    return Remark(level, f"{one.package} {one.version}", f"is installed, but {one.problem}", "upgrade or reinstall it")


def _class_of(hook_type: Any) -> type[Any]:
    return hook_type if isinstance(hook_type, type) else type(hook_type(Settings()))


def _fate_of(client: Any, fates: dict[str, raising.Fate]) -> raising.Fate:
    """What the posthog package that made the client does when a hook raises."""
    modules = [getattr(client, "__name__", ""), *(base.__module__ for base in type(client).__mro__)]
    packages = [str(module).partition(".")[0] for module in modules]
    return next((fates[package] for package in packages if package in fates), raising.Fate.UNKNOWN)


def _changed(settings: Settings) -> dict[str, Any]:
    """Which settings differ from their defaults."""
    fields = type(settings).model_fields
    return {
        name: True
        for name, field in fields.items()
        if getattr(settings, name) != field.get_default(call_default_factory=True)
    }
