"""The comparison as a picture: what still leaves, what is hidden, what is still sent, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from bench_parts.peers import Quality, Truth
from bench_parts.report import Measured

OURS, THEIRS, INK, PAPER, KEPT = "#1f6feb", "#9aa4b2", "#1f2328", "#ffffff", "#a5c8ff"
_NOT_DRAWN = ("no hook", "clean")
_TIMED = ("hook", "first sight", "Sentry", "logfire", "sanitiser", "clean", "by type", "by frames")


def draw(path: Path, truth: Truth, qualities: Sequence[Quality], measured: Measured) -> None:
    """Write the picture. Its paper is white, so that it reads the same on a dark page; its letters stay letters."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "peers", "font.family": "sans-serif", "font.size": 9})
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(10, 6.6), facecolor=PAPER, layout="constrained")
    grid = figure.add_gridspec(2, 3, height_ratios=[9, 7], wspace=0.06)
    rows = [one for one in qualities if one.name not in _NOT_DRAWN]
    names = [one.name for one in rows]
    titles = (
        f"events that leave with a canary, of {truth.leaking:,}\n(pale: where the policy keeps a text)",
        f"real faults hidden, of {truth.faults:,}\n",
        f"refusals still sent, of {truth.refusals:,}\n",
    )
    values = ([one.leaking for one in rows], [one.hidden for one in rows], [one.noise for one in rows])
    for at, (title, figures) in enumerate(zip(titles, values, strict=True)):
        axes = figure.add_subplot(grid[0, at])
        _bars(axes, names, figures, title, named=at == 0)
        if at == 0:
            chosen = [one.leaking - one.elsewhere if one.name.startswith("hook") else 0 for one in rows]
            axes.barh(names, chosen, color=KEPT, height=0.66)
    axes = figure.add_subplot(grid[1, :])
    costs = {name: median(measured["$exception"]["all"][name]) for name in _TIMED}
    _bars(axes, list(costs), list(costs.values()), "microseconds per $exception event, logarithmic", named=True)
    axes.set_xscale("log")
    axes.set_xlim(min(costs.values()) / 3, max(costs.values()) * 3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", bbox_inches="tight", pad_inches=0.2, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    # matplotlib ends lines with blanks, which no editor would keep.
    lines = path.read_text("utf-8").splitlines()
    path.write_text("".join(f"{line.rstrip()}\n" for line in lines), "utf-8")


def _bars(axes: Any, names: list[str], figures: list[Any], title: str, *, named: bool) -> None:
    colours = [OURS if name.startswith(("hook", "first")) else THEIRS for name in names]
    drawn = axes.barh(names, figures, color=colours, height=0.66)
    axes.bar_label(drawn, [_said(figure) for figure in figures], padding=3, color=INK, fontsize=8.5)
    axes.invert_yaxis()
    axes.set_title(title, loc="left", fontsize=9, color=INK)
    axes.set_facecolor(PAPER)
    axes.margins(x=0.22)
    axes.tick_params(length=0, colors=INK, labelleft=named)
    axes.xaxis.set_visible(False)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    axes.spines["left"].set_color(THEIRS)


def _said(figure: float) -> str:
    if isinstance(figure, int):
        return f"{figure:,}"
    return f"{figure:,.0f}" if figure >= 10 else f"{figure:.2g}"
