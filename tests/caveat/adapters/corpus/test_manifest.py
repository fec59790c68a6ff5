"""A manifest vouches for documents by their paths; one that is wrong is refused in a sentence."""

import datetime as dt
from pathlib import Path

import pytest

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.library import CorpusLibrary
from caveat.adapters.corpus.manifest import apply_manifest, read_manifest
from caveat.contracts.source import KindBy, SourceKind, SourceRef
from caveat.failures import PortFailure


def given(folder: Path, text: str) -> Path:
    (folder / "caveat.toml").write_text(text)
    return folder


def document(folder: Path, path: str) -> SourceRef:
    return SourceRef(id="s-1", title="A", corpus=str(folder), path=path)


def test_the_last_pattern_that_matches_counts(tmp_path: Path) -> None:
    given(
        tmp_path,
        '[[documents]]\nmatch = "*"\nkind = "news"\nauthor = "The town"\n'
        '[[documents]]\nmatch = "papers/*"\nkind = "peer-reviewed"\npublished = 2020-01-02\n',
    )
    paper = apply_manifest(document(tmp_path, "papers/old/a.pdf"))
    assert (paper.kind, paper.kind_by) == (SourceKind.PEER_REVIEWED, KindBy.PERSON)
    assert (paper.authors, paper.published) == (("The town",), dt.date(2020, 1, 2))
    assert apply_manifest(document(tmp_path, "note.md")).kind is SourceKind.NEWS


def test_a_date_alone_vouches_for_no_kind(tmp_path: Path) -> None:
    given(tmp_path, '[[documents]]\nmatch = "*"\npublished = 2020-01-02\n')
    told = apply_manifest(document(tmp_path, "a.md"))
    assert (told.kind, told.kind_by) == (SourceKind.UNKNOWN, KindBy.METADATA)


def test_without_a_manifest_and_on_the_web_nothing_is_vouched_for(tmp_path: Path) -> None:
    plain = document(tmp_path, "a.md")
    page = plain.model_copy(update={"corpus": None})
    assert (apply_manifest(plain), apply_manifest(page)) == (plain, page)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[documents]\n", "is not valid TOML"),
        ('[[documents]]\nkind = "news"\n', "match is missing"),
        ('[[documents]]\nmatch = "*"\nkind = "gossip"\n', "kind must be"),
        ('[[documents]]\nmatch = "*"\nkinds = "news"\n', "is not known"),
    ],
)
async def test_a_manifest_that_is_wrong_is_refused_before_anything_is_read(
    tmp_path: Path, text: str, said: str
) -> None:
    given(tmp_path, text)
    library = CorpusLibrary(CorpusIndex(tmp_path.parent / "cache"))
    with pytest.raises(PortFailure) as refused:
        await library.take_stock((str(tmp_path),))
    assert said in refused.value.failure.message
    assert "caveat.toml" in refused.value.failure.message


def test_a_manifest_that_changes_is_read_again(tmp_path: Path) -> None:
    given(tmp_path, '[[documents]]\nmatch = "*"\nkind = "news"\n')
    before = read_manifest(tmp_path)
    given(tmp_path, '[[documents]]\nmatch = "*.md"\nkind = "report"\n')
    assert read_manifest(tmp_path) != before
