import os
from pathlib import Path

import pytest

from caveat.adapters.corpus.walk import survey
from caveat.contracts.envelope import FailureCategory, FailureType
from caveat.rules.sources.unread import describe_unread


def paths(folder: Path) -> list[str]:
    return [file.path for file in survey(folder).files]


def test_sorted_recursive_without_hidden_and_foreign(tmp_path: Path) -> None:
    for name in ["b.md", "a/z.TXT", "a/b/c.html", ".hidden.md", ".git/x.md", "d.dwg", "e.rst"]:
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
    (corpus / "ignored.dwg").symlink_to(outside / "secret.md")
    found = survey(corpus)
    assert not found.files
    assert [broken.path for broken in found.refused] == ["folder", "secret.md"]
    for broken in found.refused:
        assert broken.failure.category is FailureCategory.VALIDATION
        assert "leads out" in broken.failure.message


def unread(folder: Path) -> str:
    return describe_unread(survey(folder).unread)


def test_everything_that_is_not_looked_at_is_counted_by_kind(tmp_path: Path) -> None:
    outside = tmp_path / "outside.xls"
    outside.write_text("1,2")
    folder = tmp_path / "corpus"
    for name in [
        "read.md", "one.dwg", "sub/two.DWG", "three.dwg", "table.xls", "LICENSE", "Makefile",
        "notes.2024-05-01 draft", ".env", ".git/HEAD", ".git/x.md", "sub/.cache/y.md",
    ]:  # fmt: skip
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
    (folder / "out.xls").symlink_to(outside)
    (folder / "gone.xls").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.md")
    assert [file.path for file in survey(folder).files] == ["read.md"]
    assert unread(folder) == (
        "3 .dwg, 3 .xls, 3 without an ending that is known, 1 hidden file (.env), "
        "2 hidden folders (.git, sub/.cache), 1 that is no file"
    )


def test_a_path_too_long_ends_no_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "read.md").write_text("words")
    monkeypatch.chdir(tmp_path)
    for _ in range(25):
        name = "d" * 200
        os.mkdir(name)  # noqa: PTH102  # a path of that length can only be made step by step
        os.chdir(name)
    Path("deep.md").write_text("words")
    found = survey(tmp_path)
    assert [file.path for file in found.files] == ["read.md"]
    (broken,) = found.refused
    assert "deeper than this system opens files" in broken.failure.message
    assert broken.failure.failure_type is FailureType.PERMANENT


# What a folder leaves out on purpose is not read, and is named once.


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("Words.")


def found(folder: Path) -> list[str]:
    return [file.path for file in survey(folder).files]


@pytest.mark.parametrize(
    ("rules", "left"),
    [
        ("*.log.md", ["a.md", "deep/b.md", "deep/c/d.md"]),
        ("/a.md", ["a.log.md", "deep/b.md", "deep/c/d.md", "deep/e.log.md"]),
        ("deep/", ["a.log.md", "a.md"]),
        ("deep/**/d.md", ["a.log.md", "a.md", "deep/b.md", "deep/e.log.md"]),
        ("**/c", ["a.log.md", "a.md", "deep/b.md", "deep/e.log.md"]),
        ("# a.md\n[ab].md", ["a.log.md", "deep/c/d.md", "deep/e.log.md"]),
        ("*.md\n!a.md", ["a.md"]),
        ("?.md", ["a.log.md", "deep/e.log.md"]),
        ("!\n[z-a]\na.md\\\n?.md", ["a.log.md", "deep/e.log.md"]),  # git skips what it cannot read
    ],
)
def test_gitignore_is_minded_as_git_does(rules: str, left: list[str], tmp_path: Path) -> None:
    put(tmp_path, "a.md", "a.log.md", "deep/b.md", "deep/c/d.md", "deep/e.log.md")
    (tmp_path / ".gitignore").write_text(rules)
    assert found(tmp_path) == left


def test_a_gitignore_counts_below_its_folder_and_may_be_switched_off(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "deep/a.md")
    (tmp_path / "deep/.gitignore").write_text("a.md\n")
    assert found(tmp_path) == ["a.md"]
    (tmp_path / "caveat.toml").write_text("gitignore = false\n")
    assert found(tmp_path) == ["a.md", "deep/a.md"]


def test_the_manifest_excludes_paths_and_folders(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "drafts/b.md", "deep/c.bak.md")
    (tmp_path / "caveat.toml").write_text('exclude = ["drafts", "*.bak.md"]\n')
    assert found(tmp_path) == ["a.md"]
    said = describe_unread(survey(tmp_path).unread)
    assert said == "2 that caveat.toml excludes (deep/c.bak.md, drafts)"


def test_packages_and_built_folders_are_named_once(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "app/package.json", "app/node_modules/x/readme.md", "app/dist/b.md")
    put(tmp_path, "letters/build/c.md")  # nothing that builds lies beside it
    assert found(tmp_path) == ["a.md", "app/package.json", "letters/build/c.md"]
    said = describe_unread(survey(tmp_path).unread)
    assert said == "2 folders of installed or built files (app/dist, app/node_modules)"
