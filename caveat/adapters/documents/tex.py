"""TeX by pylatexenc, written as HTML; and BibTeX, a paragraph an entry."""

import re
from collections.abc import Iterator
from html import escape

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexWalkerParseError

from caveat.adapters.documents.archives import load_markup
from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable
from caveat.adapters.documents.metadata import parse_authors, parse_date, parse_title
from caveat.rules.sources import is_own_report

_CITED = re.compile(r"~?\\(?:cite|citep|citet|ref|eqref|autoref)\*?(?:\[[^\]]*\])*\{([^}]*)\}")
_TIMES = re.compile(r" ?\\times ?")
_COMMENT = re.compile(r"(?<!\\)%.*")
_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_STATED = re.compile(rf"\\(title|author|date){_GROUP}")
_SECTIONS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4}
_SECTION = re.compile(rf"\\({'|'.join(_SECTIONS)}|title|paragraph)\*?(?:\[[^\]]*\])?{_GROUP}")
_SCRIPT = re.compile(rf"([_^])(?:{_GROUP}|(\\[A-Za-z]+|[^\s{{}}\\]))")
_FRACTION = re.compile(rf"\\[dt]?frac{_GROUP}{_GROUP}")
_NOTE = re.compile(rf"\\footnote{_GROUP}")
_BLOCKS = re.compile(
    r"\\begin\{(tabular\*?|tabularx|longtable|verbatim|lstlisting|enumerate|itemize|description|"
    r"thebibliography)\}(.*?)\\end\{\1\}",
    re.DOTALL,
)
_COLUMNS = re.compile(rf"\A\s*(?:\[[^\]]*\])?{_GROUP}(?:{_GROUP})?")
_ITEM = re.compile(r"\\(?:item|bibitem)(?:\[([^\]]*)\])?(?:(?<=m)\{[^}]*\})?")
_RULE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|cline\{[^}]*\}|endhead|endfirsthead)")
_ENTRY = re.compile(r"@(\w+)\s*\{\s*([^,\s]*)\s*,")
_FIELD = re.compile(
    rf'\b(\w+)\s*=\s*(?:{_GROUP}|"((?:[^"{{}}]|\{{[^{{}}]*\}})*)"|(\w+))', re.DOTALL
)
_WORDS = LatexNodes2Text(math_mode="text", strict_latex_spaces=False, keep_comments=False)
_OPEN = {"^": "\x11", "_": "\x13"}
_CLOSE = {"^": "\x12", "_": "\x14"}


def load_tex(text: str) -> Loaded:
    """Read a TeX document; nothing that it refers to is opened."""
    _, begun, body = text.partition(r"\begin{document}")
    source = _COMMENT.sub("", body.partition(r"\end{document}")[0] if begun else text)
    found = _STATED.findall(_COMMENT.sub("", text))
    stated = {name: " ".join(_convert_words(said).split()) for name, said in found}
    above = "\n\n".join(rf"\{name}{{{said}}}" if name == "title" else said for name, said in found)
    source = source.replace(r"\maketitle", f"\n\n{above}\n\n")
    day = parse_date(stated.get("date", ""))
    authors = parse_authors(stated.get("author", "")) or ()
    metadata = Metadata(parse_title(stated.get("title", "")), published=day, authors=authors)
    return load_markup("".join(_render_blocks(source)), metadata)


def _render_blocks(source: str) -> Iterator[str]:
    """Write environments that hold lines, items or cells, and the prose between them."""
    start = 0
    for block in _BLOCKS.finditer(source):
        yield from _render_prose(source[start : block.start()])
        yield from _render_block(block[1], block[2])
        start = block.end()
    yield from _render_prose(source[start:])


def _render_block(name: str, body: str) -> Iterator[str]:
    if name in {"verbatim", "lstlisting"}:
        yield f"<pre>{escape(body)}</pre>"
    elif name.startswith(("tabular", "longtable")):
        yield f"<table>{''.join(_render_rows(body))}</table>"
    else:
        tag = "ol" if name in {"enumerate", "thebibliography"} else "ul"
        if name == "thebibliography":
            yield "<h2>References</h2>"
        _, *items = _ITEM.split(body)
        texts = zip(items[::2], items[1::2], strict=True)
        shown = (f"<li>{_render_head(head)}{_render_line(item)}</li>" for head, item in texts)
        yield f"<{tag}>{''.join(shown)}</{tag}>"


def _render_head(words: str | None) -> str:
    return f"<b>{_render_line(words)}</b>: " if words else ""


def _render_rows(body: str) -> Iterator[str]:
    body = _RULE.sub("", _COLUMNS.sub("", body))
    for row in re.split(r"\\\\(?:\[[^\]]*\])?", body):
        if row.strip():
            cells = re.split(r"(?<!\\)&", row)
            yield f"<tr>{''.join(map(_render_cell, cells))}</tr>"


def _render_cell(cell: str) -> str:
    spans = re.match(rf"\s*\\multicolumn\{{(\d+)\}}{_GROUP}{_GROUP}", cell)
    across, text = (spans[1], spans[3]) if spans else ("1", cell)
    return f'<td colspan="{across}">{_render_line(text)}</td>'


def _render_prose(source: str) -> Iterator[str]:
    source = _SECTION.sub(lambda match: f"\n\n\x1c{match[1]} {match[2]}\n\n", source)
    source = _NOTE.sub(lambda match: f" ({match[1]})", source)
    for paragraph in re.split(r"\n\s*\n", source):
        section = re.match("\x1c(\\w+) (.*)", paragraph, re.DOTALL)
        text = _render_line(section[2] if section else paragraph)
        tag = f"h{_SECTIONS.get(section[1], 1 if section[1] == 'title' else 5)}" if section else "p"
        if text:
            yield f"<{tag}>{text}</{tag}>"


def _render_line(source: str) -> str:
    text = escape(" ".join(_convert_words(source).split()))
    for sign, tag in (("^", "sup"), ("_", "sub")):
        text = text.replace(_OPEN[sign], f"<{tag}>").replace(_CLOSE[sign], f"</{tag}>")
    return text


def _convert_words(source: str) -> str:
    marked = _TIMES.sub(" × ", _CITED.sub(r" [\1]", source))
    marked = _FRACTION.sub(lambda m: "/".join(map(_parenthesise_part, m.groups())), marked)
    marked = _SCRIPT.sub(lambda m: f"{_OPEN[m[1]]}{m[2] or m[3]} {_CLOSE[m[1]]}", marked)
    try:
        return re.sub(" ([\x12\x14])", r"\1", str(_WORDS.latex_to_text(marked)))
    except (LatexWalkerParseError, IndexError) as error:
        raise Unreadable("has TeX whose groups do not end") from error


def _parenthesise_part(part: str) -> str:
    return part if part.isalnum() else f"({part})"


def load_bibliography(text: str) -> Loaded:
    """Read BibTeX: each entry says what its fields state."""
    composer = Composer()
    starts = list(_ENTRY.finditer(text))
    for entry, following in zip(starts, [*starts[1:], None], strict=True):
        body = text[entry.end() : following.start() if following else len(text)]
        found = _FIELD.findall(body)
        fields = {name.lower(): _convert_words("".join(said)) for name, *said in found}
        if entry[1].lower() not in {"comment", "string", "preamble"}:
            composer.add_term(" ".join(fields.get("title", entry[2]).split()))
            composer.add_paragraph("; ".join(f"{name}: {said}" for name, said in fields.items()))
    return Loaded(composer.finish(), Metadata(), is_own_report(text))
