"""Counts how hard the English of documentation, help and messages is, and refuses what is too hard.

A sentence has at most 30 words, and 16 on average. Words that hide who acts stay rare.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

MEAN, LONGEST = 16, 30
RARE_IN_1000 = 2.0
FEWEST = 4  # words of a string that says something
FOLDERS = ("clients", "workflows", "caveat/rendering", "caveat/rules/report")  # that say something
RARE = re.compile(
    r"\b(whoever|nobody|whatever|of which|in which|so that nobody|is told)\b", re.IGNORECASE
)
_NOT_PROSE = re.compile(
    r"^```.*?^```$|<!--.*?-->|^\|[^\n]*$|^#[^\n]*$|^!\[[^\n]*$|<[a-z/][^>]*>",
    re.MULTILINE | re.DOTALL,
)
_HELP = re.compile(
    r"^```text\nUsage:[^\n]*\n(.*?)(?:^  Examples:$.*?)?^```$", re.MULTILINE | re.DOTALL
)
_NO_HELP = re.compile(r"^(?:[A-Z][a-z]+:$|  \S.*? {2,})", re.MULTILINE)  # what stands left of it
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]*`")
_END = re.compile(
    r"(?<=[.!?:;])[\"”)*]*\s+(?=[\"“(*`\[]?[A-Z0-9`])|\s·\s|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s"
)


def read_sentences(markdown: str) -> list[list[str]]:
    """Split the prose of a page into sentences, each a list of its words."""
    text = _CODE.sub("Code", _LINK.sub(r"\1", _NOT_PROSE.sub("\n\n", markdown)))
    sentences = (re.findall(r"[\w'’%$.,/-]*\w[\w'’%$/-]*", part) for part in _END.split(text))
    return [words for words in sentences if len(words) > 1]


def find_faults(page: str) -> list[str]:
    """Say what is too hard to read in a page."""
    markdown = _HELP.sub(lambda match: _NO_HELP.sub("\n\n", match[1]), page)
    sentences = read_sentences(markdown)
    count = sum(map(len, sentences))
    if not count:
        return []
    faults = [
        f"{len(words)} words: {' '.join(words[:12])} …"
        for words in sentences
        if len(words) > LONGEST
    ]
    if (mean := count / len(sentences)) > MEAN:
        faults.append(f"{mean:.1f} words a sentence on average")
    rare = len(RARE.findall(_NOT_PROSE.sub("", markdown)))
    if rare > 1 and 1000 * rare / count > RARE_IN_1000:
        faults.append(f"{rare} words of the kind of “whoever” in {count}")
    return faults


def read_messages(folder: Path) -> str:
    """Read the strings in the code of a folder, without docstrings."""
    strings = []
    for path in sorted(folder.rglob("*.py")):
        nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
        outer = [node for node in nodes if isinstance(node, (ast.Expr, ast.JoinedStr))]
        silent = {id(child) for node in outer for child in ast.iter_child_nodes(node)}
        for node in nodes:
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "X" for part in parts
            )
            if id(node) not in silent and len(text.split()) >= FEWEST:
                strings.append(text)
    return "\n\n".join(strings)


def main(texts: dict[str, str]) -> int:
    """Print what is wrong, and return the exit code."""
    wrong = [(name, fault) for name, text in texts.items() for fault in find_faults(text)]
    for name, fault in wrong:
        print(f"{name}: {fault}")  # noqa: T201  # a check prints what it finds
    return 1 if wrong else 0


if __name__ == "__main__":
    pages = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    texts = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in pages}
    sys.exit(
        main(texts | {"messages": "\n\n".join(read_messages(ROOT / folder) for folder in FOLDERS)})
    )
