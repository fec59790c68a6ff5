"""Rich text, .rtf: its words by striprtf, and what stands beside them by the same."""

import re
from collections.abc import Iterator

from striprtf.striprtf import rtf_to_text

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Metadata, Unreadable
from caveat.adapters.documents.metadata import parse_title
from caveat.adapters.documents.plain import add_text

_BESIDE = {
    "footnote": "note", "annotation": "comment", "header": "page header", "headerf": "page header",
    "headerl": "page header", "headerr": "page header", "footer": "page footer",
    "footerf": "page footer", "footerl": "page footer", "footerr": "page footer",
    "shptxt": "text box",
}  # fmt: skip
_DELETED = re.compile(r"\{[^{}]*\\deleted\b[^{}]*\}")
_HIDDEN = re.compile(r"\{([^{}]*\\v(?![a-z\d])[^{}]*)\}")
_ALTERNATIVE = re.compile(r"\{\\sn wzDescription\}\s*\{\\sv ([^{}]*)\}")
_CODE_PAGE = re.compile(r"\\ansicpg(\d+)")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)


def load_rich_text(composer: Composer, data: bytes) -> Metadata:
    """Read an .rtf with its tables, notes, comments, headers and footers."""
    source = strip_deleted(data)
    if not source.lstrip().startswith(r"{\rtf"):
        raise Unreadable
    rows: list[list[str]] = []
    # The numbers of lists are marked as what programs may leave out.
    shown = _HIDDEN.sub(r"{[hidden: \1]}", re.sub(r"\{(?:\\\*)?\\pntext\b", "{", source))
    for line in convert_rich_text(shown).split("\n"):
        if line.endswith("|"):
            rows.append(line.split("|")[:-1])
            continue
        composer.add_table(rows)
        rows = []
        add_text(composer, line)
    composer.add_table(rows)
    for name, group in _find_groups(source, *_BESIDE):
        composer.add_paragraph(convert_rich_text(group, source), name=_BESIDE[name])
    for words in _ALTERNATIVE.findall(source):
        shown = convert_rich_text(rf"{{\rtf1 {words}}}", source)
        composer.add_paragraph(shown, name="picture")
    titles = (convert_rich_text(group, source) for _, group in _find_groups(source, "title"))
    if pictures := len(re.findall(r"\\(?:pict|objdata)\b", source)):
        composer.losses.append(f"pictures or embedded objects ({pictures})")
    return Metadata(title=parse_title(next(titles, "")))


def strip_deleted(data: bytes) -> str:
    """Return a rich text without what was taken out of it."""
    return _DELETED.sub("", data.decode("latin-1"))


def convert_rich_text(rtf: str, within: str = "") -> str:
    """Return the words of a rich text, or of a group within one that says how it is written."""
    page = _CODE_PAGE.search(within or rtf)
    encoding = f"cp{page[1]}" if page and page[1] not in {"0", "10000"} else "cp1252"
    try:
        return str(rtf_to_text(rtf, encoding=encoding, errors="replace"))  # type: ignore[no-untyped-call]  # it ships no types
    except (ValueError, LookupError, IndexError) as error:
        raise Unreadable from error


def _find_groups(source: str, *names: str) -> Iterator[tuple[str, str]]:
    """Yield what stands in groups of these names, written as documents of their own."""
    for head in re.finditer(rf"\{{(?:\\\*)?\\({'|'.join(names)})(?![a-z]) ?", source):
        depth = 1
        for sign in _BRACES.finditer(source, head.end()):
            depth += {"{": 1, "}": -1}.get(sign[0], 0)
            if not depth:
                yield head[1], rf"{{\rtf1 {source[head.end() : sign.end()]}"
                break
