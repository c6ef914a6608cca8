"""The doctor's look at a user's own client, and at what posthog does when a hook raises."""

from __future__ import annotations

import functools
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("posthog.mcp", reason="needs posthog with .mcp")
pytest.importorskip("mcp", reason="needs an MCP SDK")
pytest.importorskip("typer", reason="needs the command line's packages")

from posthog import Posthog

from scrubber import Scrubber, SettingsError
from scrubber.doctor import CannotRunError, Level, client, guard, load_client, raising
from scrubber.doctor.raising import Fate

from ..support import ROOT

NOWHERE = "http://127.0.0.1:9"
SHARED_HOOK = Scrubber()


@pytest.fixture(autouse=True)
def _open_again() -> Iterator[None]:
    yield
    guard._guard.shut = 0


def looked_at(fate: Fate = Fate.DROPPED, **options: Any) -> list[tuple[str, str]]:
    made = Posthog("phc_test", host=NOWHERE, send=False, **options)
    try:
        return [(one.level.value, one.text) for one in client.examine(made, Scrubber, fate)]
    finally:
        made.shutdown()


def findings(**options: Any) -> list[str]:
    return [text for level, text in looked_at(**options) if level == "finding"]


def test_a_client_with_the_hook_is_sound() -> None:
    assert looked_at(before_send=Scrubber()) == [("note", "before_send is a Scrubber; no leaking option is on")]
    assert findings(before_send=Scrubber(), fate=Fate.SENT) == []


def test_a_client_without_a_hook_is_found() -> None:
    assert findings() == ["has no before_send: arguments and exception texts leave as they are"]


@pytest.mark.promise("doctor:client")
@pytest.mark.parametrize("option", ["capture_exception_code_variables", "enable_exception_autocapture", "debug"])
def test_an_option_that_collects_content_is_a_finding_without_the_hook_only(option: str) -> None:
    assert any(option in text for text in findings(**{option: True}))
    assert findings(**{option: True}, before_send=Scrubber()) == []


def test_what_the_hook_makes_harmless_is_noted_where_it_costs() -> None:
    noted = looked_at(before_send=Scrubber(), capture_exception_code_variables=True, debug=True)
    assert [level for level, _ in noted] == ["note", "note"]
    assert "the hook removes them" in noted[0][1]


def test_a_hook_of_ones_own_is_found() -> None:
    said = findings(before_send=lambda event: event)
    assert said[0] == "before_send is no Scrubber and does not wrap one"
    assert "lets the arguments through" in said[1]


def wraps_global(event: Any) -> Any:
    return SHARED_HOOK(event)


class Keeps:
    def __init__(self) -> None:
        self.inner = Scrubber()

    def __call__(self, event: Any) -> Any:
        return self.inner(event)

    def send(self, event: Any) -> Any:
        return self.inner(event)


class CallsGlobal:
    def __call__(self, event: Any) -> Any:
        return SHARED_HOOK(event)


def closure() -> Any:
    inner = Scrubber()
    return lambda event: inner({**event})


@pytest.mark.parametrize(
    "hook",
    [
        wraps_global,
        Keeps(),
        Keeps().send,
        CallsGlobal(),
        closure(),
        functools.partial(lambda inner, event: inner(event), SHARED_HOOK),
        lambda event, inner=SHARED_HOOK: inner(event),
        SHARED_HOOK.__call__,
    ],
)
def test_a_hook_that_wraps_the_scrubber_is_noted(hook: Any) -> None:
    said = looked_at(before_send=hook)
    assert [level for level, _ in said] == ["note"], said
    assert "wraps a Scrubber" in said[0][1]


def test_a_wrapper_that_leaks_all_the_same_is_found() -> None:
    assert "lets the arguments through" in findings(before_send=lambda event: SHARED_HOOK(event) and event)[0]
    text = findings(before_send=lambda e: SHARED_HOOK(e) if e["event"] == "$mcp_tool_call" else e)
    assert "lets the text of an exception through" in text[0]


def test_a_hook_that_raises_or_is_asynchronous_is_found() -> None:
    def raises(event: Any) -> Any:
        SHARED_HOOK(event)
        raise KeyError(event)

    async def later(event: Any) -> Any:
        return SHARED_HOOK(event)

    assert "raises KeyError" in findings(before_send=raises)[0]
    assert "asynchronous" in findings(before_send=later)[0]


def test_an_asynchronous_hook_of_an_asynchronous_client_is_waited_for() -> None:
    posthog = pytest.importorskip("posthog")
    pytest.importorskip("httpx")
    if not hasattr(posthog, "AsyncPosthog"):
        pytest.skip("this posthog has no AsyncPosthog")

    async def later(event: Any) -> Any:
        return SHARED_HOOK(event)

    async def leaks(event: Any) -> Any:
        return SHARED_HOOK(event) and event

    for hook, level in ((later, Level.NOTE), (leaks, Level.FINDING)):
        made = posthog.AsyncPosthog("phc_test", host=NOWHERE, send=False, before_send=hook)
        assert level in {one.level for one in client.examine(made, Scrubber, Fate.DROPPED)}
        assert (level is Level.FINDING) is any(
            one.level is Level.FINDING for one in client.examine(made, Scrubber, Fate.DROPPED)
        )


def test_ones_own_hook_weighs_more_where_posthog_sends_the_original() -> None:
    assert any("sends the original event" in text for text in findings(before_send=wraps_global, fate=Fate.SENT))
    assert findings(before_send=wraps_global, fate=Fate.DROPPED) == []


class Fake:
    """A client of a version with ways past before_send; older ones do not take the options."""

    before_send = Scrubber()

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)

    def capture(self) -> None:
        """What makes it a client."""


@pytest.mark.parametrize(
    "options, level",
    [
        ({"_metrics_config": {"service_name": "x"}}, Level.FINDING),
        ({"_metrics_config": {"before_send": print}}, Level.NOTE),
        ({"_traces_config": {}}, Level.FINDING),
        ({"_traces_config": {"before_span_send": [print]}}, Level.NOTE),
        ({"metrics": {"a": 1}}, Level.FINDING),
        ({"log_captured_exceptions": True}, Level.NOTE),
        ({"disabled": True}, Level.NOTE),
        ({"enable_full_ai_capture": True}, Level.NOTE),
    ],
)
def test_ways_past_before_send(options: dict[str, Any], level: Level) -> None:
    [said] = client.examine(Fake(**options), Scrubber, Fate.DROPPED)
    assert said.level is level
    assert "no leaking option" not in said.text


def test_metrics_and_traces_of_a_real_client() -> None:
    try:
        said = findings(before_send=Scrubber(), metrics={"service_name": "x"}, traces={"service_name": "x"})
    except TypeError:
        pytest.skip("this posthog has no metrics and traces")
    assert [text.split()[0] for text in said] == ["metrics", "traces"]


# -- a hook that raises


@pytest.mark.promise("doctor:client")
def test_the_probe_tells_what_this_posthog_does() -> None:
    """The same, by the version's own answer: a client that sends nothing says whether it would have."""

    def raises(_event: Any) -> Any:
        raise ValueError

    made = Posthog("phc_test", host=NOWHERE, send=False, before_send=raises)
    answer = made.capture("probe", distinct_id="x")
    made.shutdown()
    assert raising.probe("posthog") is (Fate.DROPPED if answer is None else Fate.SENT)


def test_the_probe_sees_a_posthog_that_sends_the_original(monkeypatch: pytest.MonkeyPatch) -> None:
    def sends(client_: Any, msg: Any, *_: Any) -> Any:
        try:
            return client_.before_send(msg)
        except ValueError:
            return msg

    if hasattr(Posthog, "_run_before_send"):
        monkeypatch.setattr(Posthog, "_run_before_send", sends)
    elif raising.probe("posthog") is not Fate.SENT:
        pytest.skip("this posthog drops the event, and has no place where that can be changed")
    assert raising.probe("posthog") is Fate.SENT
    assert "ORIGINAL" in raising.remark("posthog", "1", Fate.SENT).text


def test_a_probe_that_cannot_be_made_says_so() -> None:
    assert raising.probe("json") is Fate.UNKNOWN
    assert "could not be tried" in raising.remark("json", "1", Fate.UNKNOWN).text


def test_a_proxy_in_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.1:8")
    monkeypatch.setenv("http_proxy", "http://192.0.2.1:8")
    before = guard.refused()
    assert raising.probe("posthog") is not Fate.UNKNOWN
    assert guard.refused() == before


# -- importing it


def written(folder: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    (folder / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    return name


def test_a_client_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"from posthog import Posthog\nclass box:\n    posthog = Posthog('phc', host={NOWHERE!r}, send=False)\n"
    name = written(tmp_path, "doctor_app_good", text, monkeypatch)
    assert isinstance(load_client(f"{name}:box.posthog"), Posthog)


def test_the_module_level_client_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = written(tmp_path, "doctor_app_module", "import posthog\n", monkeypatch)
    found = client.examine(load_client(f"{name}:posthog"), Scrubber, Fate.DROPPED)
    assert "no before_send" in found[0].text


@pytest.mark.parametrize(
    "text, spec, said",
    [
        ("", "doctor_app_a", "write it as module:attribute"),
        ("", "no_such_module_here:x", "there is no module no_such_module_here here"),
        ("", "doctor_app_a:posthog", "has no attribute posthog; name the variable"),
        ("posthog = 3", "doctor_app_a:posthog", "is an int, no posthog client"),
        ("import no_such_thing", "doctor_app_a:posthog", "failed with ModuleNotFoundError: No module named"),
        ("x = (", "doctor_app_a:posthog", "failed with SyntaxError"),
        ("raise RuntimeError('secret-7')", "doctor_app_a:posthog", "failed with RuntimeError at "),
        ("raise SystemExit(3)", "doctor_app_a:posthog", "failed with SystemExit"),
        (
            "import socket\nsocket.create_connection(('192.0.2.1', 80), 1)",
            "doctor_app_a:posthog",
            "the doctor allows no network",
        ),
    ],
)
def test_what_goes_wrong_is_said(
    text: str, spec: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "doctor_app_a", text, monkeypatch)
    monkeypatch.delitem(sys.modules, "doctor_app_a", raising=False)
    with pytest.raises(CannotRunError) as caught:
        load_client(spec)
    assert said in str(caught.value)
    assert "secret-7" not in str(caught.value)
    monkeypatch.delitem(sys.modules, "doctor_app_a", raising=False)
    assert not issubclass(CannotRunError, SettingsError)


def test_the_command_finds_a_leaking_client_and_exits_by_it(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(
        "from posthog import Posthog\nfrom scrubber import Scrubber\n"
        "print('noise')\n"
        f"leaking = Posthog('phc', host={NOWHERE!r}, send=False, capture_exception_code_variables=True)\n"
        f"good = Posthog('phc', host={NOWHERE!r}, send=False, before_send=Scrubber())\n",
        "utf-8",
    )

    def run(*arguments: str) -> Any:
        command = [sys.executable, "-m", "scrubber", "doctor", *arguments]
        environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)

    leaking, good, absent = run("--client", "app:leaking"), run("--client", "app:good"), run("--client", "app:none")
    assert (leaking.returncode, good.returncode, absent.returncode) == (1, 0, 2)
    assert "has no before_send" in leaking.stdout
    assert "capture_exception_code_variables is on" in leaking.stdout
    assert "noise" not in leaking.stdout + leaking.stderr
    assert absent.stdout == ""
    assert "has no attribute none" in absent.stderr


# -- the network


@pytest.mark.promise("doctor:truth")
def test_the_guard_lets_loopback_through_and_nothing_else() -> None:
    with guard.loopback_only():
        with pytest.raises(OSError, match="allows no network"):
            socket.create_connection(("192.0.2.1", 80), 1)
        with pytest.raises(OSError, match="allows no network"):
            socket.getaddrinfo("example.org", 80)
        with pytest.raises(OSError, match="allows no network"), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.sendto(b"x", ("192.0.2.1", 53))
        assert socket.getaddrinfo("127.0.0.1", 80)
        assert socket.getaddrinfo("localhost", 80)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", 9), 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect(("127.0.0.1", 9))
