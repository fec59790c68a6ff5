import datetime as dt
import hashlib
from pathlib import Path

import pytest

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.library import CorpusLibrary, CorpusSearch
from caveat.adapters.corpus.manifest import apply_manifest, read_manifest
from caveat.contracts.envelope import FailureCategory, FailureType
from caveat.contracts.source import KindBy, SourceKind, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.failures import PortFailure


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus"
    (corpus / "deep").mkdir(parents=True)
    (corpus / "a.md").write_text("---\ntitle: Bees\nkind: blog\n---\nBees make honey.")
    (corpus / "deep" / "b.txt").write_text("Wasps make paper nests.")
    (corpus / "empty.md").write_text("")
    return corpus


@pytest.fixture
def library(tmp_path: Path) -> CorpusLibrary:
    return CorpusLibrary(CorpusIndex(tmp_path / "cache"))


async def found(library: CorpusLibrary, folder: Path, query: str) -> SourceRef:
    task = SearchTask(task_id="t", description="d", query=query, corpus=(str(folder),), limit=5)
    (hit,) = (await CorpusSearch(library.index).search(task)).hits
    return hit.source


async def test_stock_search_and_reading_agree(library: CorpusLibrary, folder: Path) -> None:
    inventory = await library.take_stock((f"{folder}/deep/..",))
    assert inventory.corpus == (str(folder),)
    assert inventory.documents == 2
    assert [broken.path for broken in inventory.broken] == ["empty.md"]
    source = await found(library, folder, "wasps paper nests")
    address = f"{folder}/deep/b.txt"
    assert source.id == "s-" + hashlib.sha256(address.encode()).hexdigest()[:10]
    document = await library.read(source)
    assert document.source == source
    assert document.snapshot.text == "Wasps make paper nests."


async def test_a_manifests_word_is_found_and_read(library: CorpusLibrary, folder: Path) -> None:
    (folder / "caveat.toml").write_text('[[documents]]\nmatch = "deep/*"\nkind = "report"\n')
    inventory = await library.take_stock((str(folder),))
    source = await found(library, folder, "wasps paper nests")
    read = (await library.read(source)).source
    assert [each.kind for each in (source, read)] == [SourceKind.REPORT] * 2
    assert not [each for each in inventory.unread if ".toml" in each.ending]


async def test_a_page_with_anothers_address_is_own(library: CorpusLibrary, folder: Path) -> None:
    stated = '<link rel=canonical href="https://journal.test/paper">'
    for name, height in (("note.html", 52), ("liar.html", 25)):
        text = f"<html><head>{stated}</head><body><p>The tower is {height} m tall.</p></body>"
        (folder / name).write_text(text)
    await library.take_stock((str(folder),))
    task = SearchTask(task_id="t", description="d", query="tower", corpus=(str(folder),), limit=5)
    hits = (await CorpusSearch(library.index).search(task)).hits
    assert {hit.source.path for hit in hits} == {"note.html", "liar.html"}
    assert {hit.source.url for hit in hits} == {"https://journal.test/paper"}
    assert len({hit.source.id for hit in hits}) == 2


async def test_default_corpus_and_nested_folders(library: CorpusLibrary, folder: Path) -> None:
    own = CorpusLibrary(library.index, default_corpus=(str(folder), str(folder / "deep")))
    inventory = await own.take_stock(())
    assert inventory.corpus == (str(folder),)


@pytest.mark.parametrize(
    ("corpus", "says"),
    [
        ((), "No corpus"),
        (("/no/such/folder",), "does not exist"),
        (("/home/somebody/uploads/632423031f381de7",), "“your documents” does not exist"),
        ((__file__,), "is not a folder"),
        (("nul\x00",), "cannot be"),
        (("x" * 5000,), "cannot be"),
    ],
)
async def test_unusable_corpora(library: CorpusLibrary, corpus: tuple[str, ...], says: str) -> None:
    with pytest.raises(PortFailure, match=says) as caught:
        await library.take_stock(corpus)
    assert caught.value.failure.category is FailureCategory.VALIDATION


async def test_reading_what_vanished_or_broke(library: CorpusLibrary, folder: Path) -> None:
    source = await found(library, folder, "bees honey")
    (folder / "a.md").write_bytes(b"\xff\x00\xfe")
    with pytest.raises(PortFailure) as broken:
        await library.read(source)
    assert broken.value.failure.failure_type is FailureType.PERMANENT
    (folder / "a.md").unlink()
    with pytest.raises(PortFailure) as gone:
        await library.read(source)
    assert gone.value.failure.failure_type is FailureType.NOT_FOUND
    (folder / "a.md").mkdir()
    with pytest.raises(PortFailure, match="no longer a file"):
        await library.read(source)


@pytest.mark.parametrize("path", ["../secret.md", "link.md", "/etc/passwd", "a.exe", None])
async def test_reading_stays_inside(library: CorpusLibrary, folder: Path, path: str | None) -> None:
    (folder.parent / "secret.md").write_text("secret")
    (folder / "link.md").symlink_to("../secret.md")
    source = SourceRef(id="s-0000000000", title="t", corpus=str(folder), path=path)
    with pytest.raises(PortFailure) as caught:
        await library.read(source)
    assert caught.value.failure.category is FailureCategory.VALIDATION


# A manifest vouches for documents by their paths; one that is wrong is refused in a sentence.


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
