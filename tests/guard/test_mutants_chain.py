"""The place of the guard in a server's middleware, whatever is done to the list."""

from __future__ import annotations

from typing import Any

from scrubber.guard.chain import Innermost, has_cache


class ResponseCachingMiddleware:
    """Called as fastmcp's own cache is."""


CACHE, GUARD = ResponseCachingMiddleware(), object()


def test_the_guard_is_the_last_after_every_change() -> None:
    chain: list[Any] = Innermost(["a"], GUARD)
    assert chain == ["a", GUARD]
    chain.append("b")
    assert chain == ["a", "b", GUARD]
    chain.extend(["c", "d"])
    assert chain == ["a", "b", "c", "d", GUARD]
    chain.insert(1, "e")
    assert chain == ["a", "e", "b", "c", "d", GUARD]
    chain.insert(99, "f")
    assert chain[-2:] == ["f", GUARD]
    same = chain
    chain += ["g"]
    assert chain is same
    assert chain == ["a", "e", "b", "c", "d", "f", "g", GUARD]


def test_the_guard_stands_there_once() -> None:
    chain: list[Any] = Innermost([GUARD, "a"], GUARD)
    chain.append(GUARD)
    assert chain == ["a", GUARD]


def test_the_guard_stands_before_a_cache_where_asked_for() -> None:
    chain: list[Any] = Innermost(["a", CACHE, "b"], GUARD, before_cache=True)
    assert chain == ["a", GUARD, CACHE, "b"]
    chain.insert(0, CACHE)
    assert chain == [GUARD, CACHE, "a", CACHE, "b"]
    assert list(Innermost(["a", CACHE], GUARD)) == ["a", CACHE, GUARD]
    assert list(Innermost(["a"], GUARD, before_cache=True)) == ["a", GUARD]


def test_a_cache_is_known_by_the_name_of_its_class() -> None:
    assert has_cache(["a", CACHE]) is True
    assert has_cache(["a", GUARD]) is False
