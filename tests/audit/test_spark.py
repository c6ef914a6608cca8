"""The audit on Spark in local mode: the same report as from one process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from scrubber import Settings
from scrubber.audit.reading import open_inputs
from scrubber.audit.records import Report
from scrubber.audit.running import audit

from ..support import ROOT, call, recorded, refusal

pyspark = pytest.importorskip("pyspark")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")

from scrubber.audit import spark

EVENTS = [one.event for one in recorded() if one.file.startswith(("mcp2-2.3.0", "fastmcp2-2.14"))]
MESS = b"{broken\n\n[]\n"


@pytest.fixture(scope="module")
def context() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    settings = pyspark.SparkConf().setMaster("local[2]").set("spark.ui.enabled", "false")
    settings = settings.set("spark.driver.bindAddress", "127.0.0.1").set("spark.driver.host", "127.0.0.1")
    made = pyspark.SparkContext(conf=settings)
    made.setLogLevel("ERROR")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spark") / "events.jsonl"
    path.write_bytes(b"".join(orjson.dumps(event) + b"\n" for event in EVENTS) + MESS)
    return path


def but_for_files(report: Report) -> Report:
    report.files = []
    report.unreadable = []
    return report


@pytest.mark.parametrize("split, partitions", [(1, 1), (7, 3), (3, 8)])
@pytest.mark.parametrize("policy", [Settings(), Settings(profile="strict", allow=["plan"])], ids=["standard", "strict"])
def test_the_report_is_that_of_one_process(
    context: Any, recording: Path, policy: Settings, split: int, partitions: int
) -> None:
    expected = audit(open_inputs([str(recording)]), policy, reveal=True)
    found = spark.audit_lines(context.textFile(str(recording), split), policy, reveal=True, partitions=partitions)
    assert (found.rows, found.unreadable_count) == (len(EVENTS), 2)
    assert [(one.line, one.reason) for one in found.unreadable] == [
        (one.line, one.reason) for one in expected.unreadable
    ]
    assert but_for_files(found) == but_for_files(expected)


def test_a_call_and_its_exception_meet_however_far_apart_they_stand(context: Any) -> None:
    text = refusal("another")["properties"]["$exception_list"][1]["value"]
    failed, fault = call(text, **{"$mcp_conversation_id": None}), refusal("another")
    others = [{**call(), "distinct_id": f"person {at}"} for at in range(300)]
    texts = [orjson.dumps(one).decode() for one in (fault, *others, failed)]
    report = spark.audit_lines(context.parallelize(texts, 5), Settings(), partitions=4)
    assert report.rules["corroboration"]
    assert report.refusals == []


def test_it_runs_as_the_documented_line_says(recording: Path, tmp_path: Path) -> None:
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    config = tmp_path / "scrubber.toml"
    config.write_text('profile = "strict"\n')
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("SCRUBBER_")},
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    result = subprocess.run(
        [
            *(str(submit), "--master", "local[2]", "--conf", "spark.ui.enabled=false", spark.__file__),
            *(str(recording), "--config", str(config), "--format", "json"),
        ],
        capture_output=True,
        timeout=180,
        env=environment,
        cwd=tmp_path,
        check=False,
    )
    assert result.returncode == 2, result.stderr.decode()[-2000:]
    report = orjson.loads(result.stdout)
    assert (report["profile"], report["totals"]["events"]) == ("strict", len(EVENTS))
