import hashlib
from pathlib import Path

import pytest

from caveat.clients.cli.conclusion import write_report
from caveat.clients.publishing import choose_free_folder, note
from caveat.contracts.plan import Format
from caveat.rules.audit.seal import add_stamp
from caveat.workers.settings import Settings
from tests.fakes.reports import a_report

RUN, OTHER = "research-one-aaaaaa", "research-two-bbbbbb"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "state" / "written"


def put(folder: Path, *names: str, text: str = "ours") -> dict[str, str]:
    """Write files, and return what is noted of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text(text, encoding="utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {str(folder / name): digest for name in names}


@pytest.mark.parametrize("name", ["report.md", "report.pdf", "report.json"])
def test_foreign_reports_in_all_forms_stay(name: str, tmp_path: Path, notes: Path) -> None:
    wanted = tmp_path / "out"
    put(wanted, name)
    assert choose_free_folder(wanted, [RUN], notes) == wanted / RUN


def test_the_same_run_replaces_its_own(tmp_path: Path, notes: Path) -> None:
    wanted = tmp_path / "out"
    note(notes, RUN, put(wanted, "report.md", "report.json"))
    assert choose_free_folder(wanted, [RUN], notes) == wanted
    assert choose_free_folder(wanted, [OTHER], notes) == wanted / OTHER
    # A revision has a run of its own, and replaces what it revises.
    assert choose_free_folder(wanted, [RUN, OTHER], notes) == wanted


def test_what_a_person_changed_is_theirs(tmp_path: Path, notes: Path) -> None:
    wanted = tmp_path / "out"
    note(notes, RUN, put(wanted, "report.md", "report.json"))
    put(wanted, "report.md", text="ours, with my remarks")
    assert choose_free_folder(wanted, [RUN], notes) == wanted / RUN
    put(wanted / RUN, "report.json", text="and this is mine as well")
    assert choose_free_folder(wanted, [RUN], notes) == wanted / f"{RUN}-2"


def test_what_its_run_published_is_copied_and_what_was_changed_written_anew(tmp_path: Path) -> None:
    settings = Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    report = a_report()
    own = settings.reports_folder / report.run_id
    own.mkdir(parents=True)
    # As another version of Caveat would have written it.
    for chosen, change in ((Format.MARKDOWN, b""), (Format.BIB, b"changed since ")):
        published = add_stamp(b"as it was written", chosen, report)
        (own / f"report.{chosen}").write_bytes(change + published)
    write_report(report, (Format.MARKDOWN, Format.BIB), tmp_path / "out", settings)
    assert (tmp_path / "out" / "report.md").read_bytes() == (own / "report.md").read_bytes()
    assert b"as it was written" not in (tmp_path / "out" / "report.bib").read_bytes()
    # A report of the same run that says something else, such as the provisional one before it.
    other = report.model_copy(update={"topic": "Another question?"})
    write_report(other, (Format.MARKDOWN,), tmp_path / "out", settings)
    assert b"as it was written" not in (tmp_path / "out" / "report.md").read_bytes()
