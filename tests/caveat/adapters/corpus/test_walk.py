import os
from pathlib import Path

from caveat.adapters.corpus.walk import survey
from caveat.contracts.failure import FailureCategory, FailureType


def paths(folder: Path) -> list[str]:
    return [file.path for file in survey(folder).files]


def test_sorted_recursive_without_hidden_and_foreign(tmp_path: Path) -> None:
    for name in ["b.md", "a/z.TXT", "a/b/c.html", ".hidden.md", ".git/x.md", "d.docx", "e.rst"]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
    assert paths(tmp_path) == ["a/b/c.html", "a/z.TXT", "b.md", "e.rst"]


def test_links_inside_count_once_and_loops_end(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "real.md").write_text("text")
    (tmp_path / "alias.md").symlink_to("sub/real.md")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to("sub")
    (tmp_path / "self.md").symlink_to("self.md")
    found = survey(tmp_path)
    assert [file.path for file in found.files] == ["sub/real.md"]
    assert [broken.path for broken in found.refused] == ["self.md"]
    assert found.refused[0].failure.failure_type is FailureType.NOT_FOUND


def test_links_into_hidden_folders_are_followed(tmp_path: Path) -> None:
    (tmp_path / "..data").mkdir()
    (tmp_path / "..data" / "a.md").write_text("text")
    (tmp_path / "a.md").symlink_to("..data/a.md")
    assert paths(tmp_path) == ["a.md"]


def test_links_that_leave_are_refused(tmp_path: Path) -> None:
    outside, corpus = tmp_path / "outside", tmp_path / "corpus"
    outside.mkdir()
    corpus.mkdir()
    (outside / "secret.md").write_text("secret")
    (corpus / "secret.md").symlink_to(outside / "secret.md")
    (corpus / "folder").symlink_to(outside)
    (corpus / "ignored.docx").symlink_to(outside / "secret.md")
    found = survey(corpus)
    assert not found.files
    assert [broken.path for broken in found.refused] == ["folder", "secret.md"]
    for broken in found.refused:
        assert broken.failure.category is FailureCategory.VALIDATION
        assert "leads out" in broken.failure.message


def test_names_that_are_no_unicode_are_refused(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("text")
    found = survey(tmp_path)
    assert [broken.path for broken in found.refused] == ["caf\ufffd.md"]


def test_pipes_are_no_documents(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert paths(tmp_path) == []
