import hashlib
from pathlib import Path

import pytest

from caveat.adapters.files import artifacts, reports
from caveat.clients.cli.output import Output
from caveat.clients.publishing import Written, choose_free_folder
from caveat.contracts.outcome import Artifact
from caveat.contracts.plan import Format
from caveat.rendering.markdown import render
from caveat.workers.settings import Settings
from tests.fakes.reports import a_report

RUN, OTHER = "research-one-aaaaaa", "research-two-bbbbbb"


@pytest.fixture
def written(tmp_path: Path) -> Written:
    return Written(tmp_path / "state" / "written")


def put(folder: Path, *names: str, text: str = "ours") -> tuple[Artifact, ...]:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text(text, encoding="utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return tuple(
        Artifact(format=Format.JSON, path=str(folder / name), sha256=digest, size=len(text))
        for name in names
    )


@pytest.mark.parametrize("name", ["report.md", "report.pdf", "report.json"])
def test_a_foreign_report_in_any_format_is_spared(
    name: str, tmp_path: Path, written: Written
) -> None:
    wanted = tmp_path / "out"
    put(wanted, name)
    assert choose_free_folder(wanted, [RUN], written) == wanted / RUN


def test_the_same_run_replaces_its_own(tmp_path: Path, written: Written) -> None:
    wanted = tmp_path / "out"
    written.remember(RUN, put(wanted, "report.md", "report.json"))
    assert choose_free_folder(wanted, [RUN], written) == wanted
    assert choose_free_folder(wanted, [OTHER], written) == wanted / OTHER
    # A revision has a run of its own, and replaces what it revises.
    assert choose_free_folder(wanted, [RUN, OTHER], written) == wanted


def test_what_a_person_changed_is_theirs(tmp_path: Path, written: Written) -> None:
    wanted = tmp_path / "out"
    written.remember(RUN, put(wanted, "report.md", "report.json"))
    put(wanted, "report.md", text="ours, with my remarks")
    assert choose_free_folder(wanted, [RUN], written) == wanted / RUN
    put(wanted / RUN, "report.json", text="and this is mine as well")
    assert choose_free_folder(wanted, [RUN], written) == wanted / f"{RUN}-2"


def test_a_folder_or_a_broken_link_in_the_place_of_a_file_is_spared(
    tmp_path: Path, written: Written
) -> None:
    wanted = tmp_path / "out"
    (wanted / "report.md").mkdir(parents=True)
    assert choose_free_folder(wanted, [RUN], written) == wanted / RUN
    (wanted / RUN).mkdir()
    (wanted / RUN / "report.pdf").symlink_to(tmp_path / "nowhere")
    assert choose_free_folder(wanted, [RUN], written) == wanted / f"{RUN}-2"


def test_files_that_lie_unchanged_are_copied_and_others_written_anew(tmp_path: Path) -> None:
    settings = Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    report = a_report()
    own = settings.reports_folder / report.run_id
    kept = tuple(
        artifacts.write_artifact(own / f"report.{each}", each, reports.encode_report(report, each))
        for each in (Format.MARKDOWN, Format.JSON)
    )
    (own / "report.md").write_text("damaged", encoding="utf-8")
    # As another version of Caveat would have written it: copied, and not written anew.
    (json,) = put(own, "report.json", text="as it was written")
    kept = (kept[0], json)
    formats = (Format.MARKDOWN, Format.JSON)
    written = Output(settings).write(report, formats, tmp_path / "out", kept)
    assert [each.sha256 for each in written] == [each.sha256 for each in kept]
    assert (tmp_path / "out" / "report.md").read_text(encoding="utf-8").startswith(render(report))
    assert (tmp_path / "out" / "report.json").read_text(encoding="utf-8") == "as it was written"


def test_no_file_is_copied_that_is_not_the_run_s_own(tmp_path: Path) -> None:
    settings = Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    foreign = put(tmp_path / "elsewhere", "secret.json", text="of somebody else")
    report = a_report()
    (written,) = Output(settings).write(report, (Format.JSON,), tmp_path / "out", foreign)
    assert "of somebody else" not in Path(written.path).read_text(encoding="utf-8")
