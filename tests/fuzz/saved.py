"""The saved inputs of each target: base64, one on each line."""

from __future__ import annotations

import base64
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus"


def path_of(target: str) -> Path:
    """The file of a target."""
    return CORPUS / f"{target}.txt"


def written(data: bytes) -> str:
    """An input as a line."""
    return base64.b64encode(data).decode("ascii")


def read(target: str) -> list[bytes]:
    """The saved inputs of a target; none where none were saved."""
    path = path_of(target)
    return [base64.b64decode(line, validate=True) for line in path.read_text("ascii").split()] if path.exists() else []
