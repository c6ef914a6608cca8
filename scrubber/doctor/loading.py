"""Importing the user's client, and saying plainly why it did not work."""

from __future__ import annotations

import io
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from scrubber.doctor.guard import close_until_exit, refused, silence
from scrubber.words.errors import ScrubberError

IMPORT_SECONDS = 10.0


class CannotRunError(ScrubberError):
    """The doctor was asked for something it cannot do: what, where, and what to do instead."""


def load_client(written: str) -> Any:
    """The object that `module:attribute` names, imported from the working directory or the environment.

    The attribute may be dotted. Raises `CannotRunError`. The network stays closed from here to the end of the process,
    because a real client sends what it queued when the process ends.
    """
    module_name, colon, attribute = written.partition(":")
    if not colon or not module_name or not attribute:
        raise CannotRunError(f"--client {written}: write it as module:attribute, for example app.analytics:posthog")
    module = _module(module_name, written)
    found: Any = module
    for name in attribute.split("."):
        try:
            found = getattr(found, name)
        except Exception:
            where = getattr(module, "__file__", None) or module_name
            raise CannotRunError(
                f"--client {written}: {where} has no attribute {attribute}; name the variable that holds your client"
            ) from None
    if not callable(getattr(found, "capture", None)) or not hasattr(found, "before_send"):
        raise CannotRunError(
            f"--client {written}: is {_a(type(found).__name__)}, no posthog client; "
            "name the object that Posthog(...) or AsyncPosthog(...) made"
        )
    return found


def _module(name: str, written: str) -> Any:
    here = str(os.getcwd())  # noqa: PTH109 - an entry of sys.path is a string
    if here not in sys.path:
        sys.path.insert(0, here)
    before = refused()
    close_until_exit()
    try:
        with silence(), _watched(written, name):
            return import_module(name)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and error.name and (name + ".").startswith(error.name + "."):
            raise CannotRunError(
                f"--client {written}: there is no module {error.name} here; run the doctor from your project's folder, "
                "in the environment that your server runs in"
            ) from None
        # An exception's text may hold anything; an import's own says only names.
        what = type(error).__name__ + (f": {error}" if isinstance(error, ImportError) else "")
        offline = "; the doctor allows no network, and the module asked for it" if refused() > before else ""
        raise CannotRunError(
            f"--client {written}: importing {name} failed with {what}{_place(error)}{offline}; "
            "make the client in a module that can be imported by itself"
        ) from None


@contextmanager
def _watched(written: str, name: str) -> Iterator[None]:
    """End the process if the import does not come back: a module may start its server when it is imported. One that
    speaks stdio finds it closed."""

    def give_up() -> None:
        said = (
            f"scrubber doctor: --client {written}: importing {name} took longer than {IMPORT_SECONDS:.0f} s; "
            'if it starts the server, put that under if __name__ == "__main__"\n'
        )
        if sys.__stderr__ is not None:
            sys.__stderr__.write(said)
            sys.__stderr__.flush()
        os._exit(2)

    timer = threading.Timer(IMPORT_SECONDS, give_up)
    timer.daemon = True
    timer.start()
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO())
    try:
        yield
    finally:
        sys.stdin = stdin
        timer.cancel()


def _place(error: BaseException) -> str:
    """File and line of the innermost frame that is not the import machinery's."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith("<frozen")]
    outside = [one for one in frames if one.filename not in (__file__,) and "importlib" not in one.filename]
    if isinstance(error, SyntaxError):
        return f" at {error.filename}:{error.lineno}"
    return f" at {outside[-1].filename}:{outside[-1].lineno}" if outside else ""


def _a(name: str) -> str:
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"
