"""What a folder leaves out on purpose is not read, and is named once."""

from pathlib import Path

import pytest

from caveat.adapters.corpus.walk import survey
from caveat.rules.sources import describe_unread


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
