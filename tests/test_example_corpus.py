"""The example corpus is what its documentation says: real publications, complete and quotable."""

import datetime as dt
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from caveat.contracts.source import SourceKind

REPOSITORY = Path(__file__).parents[1]
CORPUS = REPOSITORY / "examples" / "hubble-constant"
NOTES = sorted(CORPUS.glob("*.md"))

# The DOI handbook: "10.", a registrant of four to nine digits, "/", a suffix.
DOI = re.compile(r"https://doi\.org/10\.\d{4,9}/[\w.()/:-]+")
MEASURED = re.compile(r"\d+(\.\d+)? (± \d+(\.\d+)?|\+\d+(\.\d+)? −\d+(\.\d+)?)[^.]*? km/s/Mpc")
PRONOUNS = ("It", "Its", "This", "That", "These", "Those", "They", "Their", "He", "She", "We")


@dataclass(frozen=True)
class Note:
    meta: dict[str, object]
    body: str

    @property
    def sentences(self) -> list[str]:
        return [line for line in self.body.splitlines() if line and not line.startswith("#")]

    def section(self, heading: str) -> str | None:
        found = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", self.body, re.MULTILINE | re.DOTALL)
        return found[1] if found else None


def read(path: Path) -> Note:
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return Note(meta=yaml.safe_load(front), body=body)


@pytest.fixture(params=NOTES, ids=lambda path: path.stem)
def note(request: pytest.FixtureRequest) -> Note:
    return read(request.param)


def test_corpus_has_about_a_dozen_notes_and_nothing_else() -> None:
    assert 12 <= len(NOTES) <= 14
    assert sorted(CORPUS.iterdir()) == NOTES


def test_a_note_says_what_it_is_of_and_doubts_and_compares(note: Note) -> None:
    assert set(note.meta) == {"title", "authors", "url", "date", "kind"}
    assert isinstance(note.meta["title"], str)
    assert isinstance(note.meta["authors"], str)
    assert SourceKind(str(note.meta["kind"])) in {SourceKind.PEER_REVIEWED, SourceKind.PREPRINT}
    assert DOI.fullmatch(str(note.meta["url"]))
    assert isinstance(note.meta["date"], dt.date)
    assert dt.date(2001, 1, 1) <= note.meta["date"] < dt.datetime.now(dt.UTC).date()
    assert 150 <= len(note.body.split()) <= 350
    assert note.section("Main systematic worry")
    assert note.section("Comparison")


def test_every_publication_is_noted_once() -> None:
    urls = [str(read(path).meta["url"]).lower() for path in NOTES]
    assert len(set(urls)) == len(urls)


def test_a_measurement_states_its_value_with_uncertainty_and_unit(note: Note) -> None:
    value = note.section("Value")
    if value is None:
        assert note.section("Result"), "a note that measures nothing new says what it found"
    else:
        assert MEASURED.search(value.strip().splitlines()[0])


def test_a_sentence_quoted_alone_names_its_subject(note: Note) -> None:
    for sentence in note.sentences:
        assert sentence[0].isupper(), sentence
        assert sentence.endswith("."), sentence
        assert sentence.split()[0] not in PRONOUNS, sentence


@pytest.mark.parametrize(
    "angle",
    [
        "distance ladder",
        "Cepheids",
        "cosmic microwave background",
        "tip of the red giant branch",
        "gravitational lensing time delays",
        "systematic error",
        "new physics",
        "Hubble tension",
    ],
)
def test_an_angle_recurs_across_notes(angle: str) -> None:
    # Fewer than four sources for an angle would set off a follow-up search.
    holding = [path.stem for path in NOTES if angle.lower() in read(path).body.lower()]
    assert len(holding) >= 4, holding


def test_the_measurements_really_disagree() -> None:
    values = [
        float(found[1])
        for path in NOTES
        if (section := read(path).section("Value"))
        and (found := re.search(r"Hubble constant of (\d+(?:\.\d+)?)", section))
    ]
    assert min(values) < 68
    assert max(values) > 73


def test_every_note_is_in_the_table_of_checked_figures() -> None:
    table = (REPOSITORY / "docs" / "example-corpus.md").read_text(encoding="utf-8")
    for path in NOTES:
        doi = str(read(path).meta["url"]).removeprefix("https://doi.org/")
        assert f"`{path.name}`" in table
        assert doi in table
