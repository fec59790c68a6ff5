"""Lays out what the site is made of: the documentation, and what it links to elsewhere.

On a forge a link may name any file of the repository. A site holds what lies in its folder alone,
and Caveat has no public address that it could point at: each file that is linked becomes a page.
"""

import re
import shutil
import sys
from os.path import relpath
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?(?=\))")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def page_of(path: str) -> str:
    """Where a file or folder of the repository is found in the site."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/") + ("/index.md" if (ROOT / path).is_dir() else "")
    return f"files/{path.replace('/', '-')}.md"


def linked(page: str, text: str, wanted: set[str]) -> str:
    """Give the text of a page with links that hold in the site, and note what they need there."""

    def moved(match: re.Match[str]) -> str:
        target = (ROOT / page).parent.joinpath(match[1]).resolve()
        if not target.exists():
            sys.exit(f"{page} links to {match[1]}, which is not there.")
        name = target.relative_to(ROOT).as_posix()
        if name not in PAGES and (target.is_dir() or not name.startswith("docs/")):
            wanted.add(name)
        return relpath(page_of(name), PurePosixPath(page_of(page)).parent) + (match[2] or "")

    parts = FENCED.split(text)
    return "".join(part if part.startswith("```") else LINK.sub(moved, part) for part in parts)


def shown(path: str, wanted: list[str]) -> str:
    """Make the page of a file that is no documentation, or of a folder: its text, or its list."""
    place = ROOT / path
    if place.is_file():
        text = place.read_text(encoding="utf-8")
        runs = [2, *map(len, re.findall("`+", text))]
        fence = "`" * (1 + max(runs))  # nothing in the text ends it
        return f"# {path}\n\n{fence} {place.suffix[1:]}\n{text}\n{fence}\n"
    files = sorted(p for p in place.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    names = [each.relative_to(ROOT).as_posix() for each in files]
    wanted.extend(name for name in names if not name.startswith("docs/"))
    here = PurePosixPath(page_of(path)).parent
    lines = [f"- [{Path(n).relative_to(path)}]({relpath(page_of(n), here)})" for n in names]
    return f"# {path}\n\n" + "\n".join(lines) + "\n"


def main(site: Path) -> None:
    """Write the pages of the site into an empty folder."""
    shutil.copytree(ROOT / "docs", site)
    wanted: set[str] = set()
    for source in [*(ROOT / name for name in PAGES), *(ROOT / "docs").rglob("*.md")]:
        name = source.relative_to(ROOT).as_posix()
        text = linked(name, source.read_text(encoding="utf-8"), wanted)
        (site / page_of(name)).write_text(text, encoding="utf-8")
    rest = sorted(wanted)
    for name in rest:  # which grows while folders are listed
        page = site / page_of(name)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(shown(name, rest), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
