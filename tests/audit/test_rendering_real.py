"""Reports of real recordings hold no canary that was planted in them, in any form, unless values were asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrubber.audit.reading import open_inputs
from scrubber.audit.records import Report
from scrubber.audit.rendering import outcome
from scrubber.audit.running import audit
from scrubber.settings import Settings

from ..support import RECORDED, SHARED, recorded
from .test_rendering_outcome import FORMS

CORPUS = SHARED / "corpus"
absent = pytest.mark.skipif(not CORPUS.is_dir(), reason="the shared corpus is not here")
FOLDERS = [pytest.param(RECORDED, id="recorded"), pytest.param(CORPUS, id="corpus", marks=absent)]


def report_of(folder: Path, reveal: bool) -> Report:
    return audit(open_inputs([str(path) for path in sorted(folder.glob("*.jsonl.gz"))]), Settings(), reveal=reveal)


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_canary_is_in_any_form_of_the_report(folder: Path) -> None:
    secrets = {secret for row in recorded(folder) for secret in row.secrets if len(secret) > 3}
    assert len(secrets) > 100
    report = report_of(folder, reveal=False)
    assert report.rows > 1000
    for render in FORMS.values():
        text = render(report)
        assert not [secret for secret in secrets if secret in text]


def test_a_revealing_report_shows_some_and_says_so() -> None:
    secrets = {secret for row in recorded(RECORDED) for secret in row.secrets if len(secret) > 3}
    report = report_of(RECORDED, reveal=True)
    assert outcome.reveals(report)
    for render in FORMS.values():
        text = render(report)
        assert any(secret in text for secret in secrets)
