"""One nox session for each environment of tools/matrix_parts/environments.py.

In:  `nox -l` lists them, `nox -t cut` runs the small cut, `nox -s NAME` one; arguments after `--` go to pytest.
     With MATRIX_KEEP=1 the environment of a session that passed stays.
Out: for each session `.venvs/matrix-results/NAME.json`, and `NAME.log` with what pip printed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import nox
from nox.command import CommandFailed

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tools"))

from matrix_parts.environments import ENVIRONMENTS, Environment  # noqa: E402

RESULTS = ROOT / ".venvs" / "matrix-results"
LEFT_OUT_OF_CUT = ("--ignore=tests/guard/test_properties.py",)
PIP = ("python", "-m", "pip", "--disable-pip-version-check", "install", "--no-compile")

nox.needs_version = ">=2024.4"
nox.options.envdir = str(ROOT / ".venvs" / "matrix")
nox.options.default_venv_backend = "virtualenv"


@lru_cache
def interpreter(version: str) -> str | None:
    """In: `3.10`. Out: a Python of that version that starts, else None.

    A shim of pyenv is found by name and then refuses to start, so each is tried, and pyenv's own folders after it.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = sorted(pyenv.glob(f"{version}.*/bin/python3"), reverse=True)
    for candidate in (f"python{version}", *map(str, folders)):
        path = shutil.which(candidate)
        if path is None:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
        if said.returncode == 0 and said.stdout.startswith(f"Python {version}."):
            return path
    return None


def install(session: nox.Session, env: Environment) -> None:
    """Install the pins and the project; where pip cannot, leave its reason as the result, and fail the session."""
    log = RESULTS / f"{env.name}.log"
    with log.open("w", encoding="utf-8") as out:
        try:
            session.run(*PIP, *env.requirements, "-e", ".", stdout=out, stderr=subprocess.STDOUT)
        except CommandFailed:
            out.flush()
            said = re.findall(r"^ERROR: (.+)", log.read_text("utf-8"), re.MULTILINE)
            why = (said or ["pip failed; see its log"])[0].partition(" (from versions")[0]
            (RESULTS / f"{env.name}.json").write_text(json.dumps({"not_installed": why}), encoding="utf-8")
            session.error(f"could not be installed: {why}")


def check(session: nox.Session, env: Environment) -> None:
    """Install the environment, run its tests with the recorder, and then those of the argument guard."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    result, guarded = RESULTS / f"{env.name}.json", RESULTS / f"{env.name}.guard.json"
    result.unlink(missing_ok=True)
    guarded.unlink(missing_ok=True)
    install(session, env)
    # fastmcp stands on mcp, which is a family of its own: only the environment's is run.
    chosen = ["-p", "matrix_parts.recorder", "--matrix-json", str(result), "--matrix-package", env.package]
    chosen += ["-k", env.line.family, "-p", "no:cacheprovider", "-q", "--tb=line", "--disable-warnings"]
    ended = passed(session, [*env.tests, *chosen, *session.posargs])
    # The table's columns are about the hook's verdicts; the guard's own tests pass or fail.
    chosen = ["-p", "matrix_parts.guarding", "--guard-json", str(guarded), "--guard-family", env.line.family]
    chosen += ["-p", "no:cacheprovider", "-q", "--tb=line", "--disable-warnings", *LEFT_OUT_OF_CUT * in_cut()]
    both = passed(session, [*env.guard_tests, *chosen])
    if not os.environ.get("MATRIX_KEEP"):
        shutil.rmtree(session.virtualenv.location, ignore_errors=True)
    if not ended or not both:
        session.error("tests failed")


def passed(session: nox.Session, arguments: list[str]) -> bool:
    """Run pytest; a failure does not end the session, whose other tests have their own result."""
    try:
        session.run("python", "-m", "pytest", *arguments, env={"PYTHONPATH": str(ROOT / "tools")})
    except CommandFailed:
        return False
    return True


def in_cut() -> bool:
    """Whether the small cut is run, which is to be quick: the development environments generate arguments as well."""
    return bool(os.environ.get("MATRIX_CUT"))


def define(env: Environment) -> None:
    """Make the session of an environment; one whose Python is not here skips itself and says so."""
    python = interpreter(env.python)
    tags = ["matrix", *(["cut"] if env.cut else [])]

    if python is None:

        @nox.session(name=env.name, venv_backend="none", tags=tags)
        def absent(session: nox.Session) -> None:
            RESULTS.mkdir(parents=True, exist_ok=True)
            why = f"Python {env.python} is not on this machine"
            (RESULTS / f"{env.name}.json").write_text(json.dumps({"skipped": why}), encoding="utf-8")
            session.skip(why)
    else:

        @nox.session(name=env.name, python=python, tags=tags)
        def present(session: nox.Session) -> None:
            check(session, env)


for one in ENVIRONMENTS:
    define(one)
