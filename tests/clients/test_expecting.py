"""How long a run is expected to take."""

import os
from pathlib import Path

from caveat.clients.expecting import expected_seconds
from caveat.contracts.plan import Depth, ResearchRequest
from caveat.workers.settings import Settings
from tests.fakes.reports import a_report

REPORT = a_report()


def kept(settings: Settings, name: str, seconds: float, age: int = 0) -> Path:
    metrics = REPORT.metrics.model_copy(update={"pipeline_seconds": seconds})
    path = settings.reports_folder / name / "report.json"
    path.parent.mkdir(parents=True)
    path.write_text(REPORT.model_copy(update={"metrics": metrics}).model_dump_json(), "utf-8")
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def like(**more: object) -> ResearchRequest:
    asked = {"topic": "x", "depth": REPORT.depth, "reasoner": REPORT.reasoner.name}
    return ResearchRequest.model_validate(asked | more)


def test_it_is_the_median_of_the_latest_runs_that_are_like_it(tmp_path: Path) -> None:
    settings = Settings(state_dir=tmp_path)
    for number, seconds in enumerate((2.0, 4.0, 30.0)):
        kept(settings, f"r{number}", seconds)
    for number in range(3, 20):
        kept(settings, f"r{number}", 4.0 if number < 8 else 900.0, age=number)
    assert expected_seconds(settings, like()) == 4.0
    other = next(each for each in Depth if each is not REPORT.depth)
    assert expected_seconds(settings, like(depth=other)) is None
    assert expected_seconds(settings, like(reasoner="claude")) is None


def test_what_cannot_be_read_tells_nothing(tmp_path: Path) -> None:
    settings = Settings(state_dir=tmp_path)
    assert expected_seconds(settings, like()) is None
    for name, text in (("broken", "{"), ("list", "[]"), ("other", "{}")):
        kept(settings, name, 1.0).write_text(text, encoding="utf-8")
    assert expected_seconds(settings, like()) is None
