"""PDF text by PDFium, with paragraphs put together again."""

import re
from collections import Counter
from collections.abc import Iterator

from pypdfium2 import PdfDocument, PdfiumError
from pypdfium2.raw import FPDF_ERR_PASSWORD

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable
from caveat.adapters.documents.metadata import date_of, title_of
from caveat.rules.sources import is_own_keyword, is_own_report

_MARK = "\ufffe"
"""PDFium writes this for a hyphen at a line end, and leaves the line end out."""
_HYPHEN = re.compile(rf"(?<!\w)(\w++)[-{_MARK}]\n(\w++)")
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*(?:\s*\[\d+\])?$")
_BULLET = re.compile(r"\s*(?:[•‣▪–*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
_NUMBERED_HEADING = re.compile(
    r"(?:\d+\.)+\d*\.?\s+[^\W\d_]|(?:chapter|appendix|section)\s+\w+\b", re.IGNORECASE
)
_BULLET_SIGN = re.compile(r"^[•‣▪]\s+")
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_MADE_UP = re.compile(r"untitled|microsoft word - |.*\.(?:docx?|tex|dvi|indd|pdf)$", re.IGNORECASE)
_SHORT_LINE = 0.75
"""Share of the page's longest line: the last line of a paragraph usually stays below."""


def load_pdf(data: bytes) -> Loaded:
    """Read a PDF's text layer.

    Raises:
        Unreadable: it is no PDF, damaged, or locked with a password.
    """
    try:
        pages, metadata, is_marked = _extract(data)
    except PdfiumError as error:
        if getattr(error, "err_code", None) == FPDF_ERR_PASSWORD:
            raise Unreadable("is a PDF that is locked with a password") from error
        raise Unreadable("is a damaged PDF, or none at all") from error
    composer = Composer()
    _compose(composer, _without_running_titles(pages))
    is_own = is_marked or is_own_report("\n".join(pages))
    return Loaded(composer.finish(), metadata, is_own)


def _extract(data: bytes) -> tuple[list[str], Metadata, bool]:
    """Return the text of the pages, the metadata, and whether it marks one of Caveat's reports."""
    with PdfDocument(data) as document:
        facts = document.get_metadata_dict()
        metadata = Metadata(
            title=_stated_title(facts.get("Title", "")),
            published=date_of(facts.get("CreationDate", "")),
        )
        pages = [_page_text(document, number) for number in range(len(document))]
        return pages, metadata, is_own_keyword(facts.get("Keywords", ""))


def _page_text(document: PdfDocument, number: int) -> str:
    page = document[number]
    try:
        text_page = page.get_textpage()
        try:
            text = str(text_page.get_text_range(errors="replace"))
            return text.replace("\r\n", "\n").replace(_MARK, f"{_MARK}\n")
        finally:
            text_page.close()
    finally:
        page.close()


def _stated_title(title: str) -> str | None:
    """Ignore what word processors put there by themselves: file names and `untitled`."""
    words = title_of(title)
    return None if words is None or _MADE_UP.match(words) else words


def _without_running_titles(pages: list[str]) -> list[list[str]]:
    """Drop first and last lines that return on most pages, whatever their page number."""
    split = [[line.strip() for line in page.split("\n") if line.strip()] for page in pages]
    edges = Counter(key for lines in split if lines for key in {_edge(lines[0]), _edge(lines[-1])})
    # From three pages on a line that returns on every other page (left and right) is a running
    # title and no coincidence.
    running = {key for key, count in edges.items() if count >= max(3, len(pages) * 0.3)}
    return [_trimmed(lines, running) for lines in split]


def _trimmed(lines: list[str], running: set[str]) -> list[str]:
    start = 1 if lines and _edge(lines[0]) in running else 0
    stop = len(lines)
    if stop > start and (_edge(lines[-1]) in running or lines[-1].isdecimal()):
        stop -= 1
    return lines[start:stop]


def _edge(line: str) -> str:
    return _DIGITS.sub("#", line.lower())


def _compose(composer: Composer, pages: list[list[str]]) -> None:
    words = Counter(re.findall(r"[\w-]+", "\n".join("\n".join(page) for page in pages).lower()))
    last = ""
    for number, lines in enumerate(pages, start=1):
        paragraphs = [_whole_words(p, words) for p in _paragraphs(lines)]
        if not paragraphs:
            continue
        if _goes_on(last, paragraphs[0]):
            composer.continuation(paragraphs.pop(0), number, divided=last.endswith(_MARK))
        else:
            composer.page(number)
        for paragraph in paragraphs:
            composer.paragraph(_BULLET_SIGN.sub("", paragraph))
        last = lines[-1]


def _goes_on(last: str, first: str) -> bool:
    """Whether a page's last line and the next page's first one belong to one sentence."""
    return bool(last) and first[:1].islower() and _SENTENCE_END.search(last) is None


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Put lines together; PDFium does not say where paragraphs end, so their last line must."""
    width = _full_width(lines)
    paragraph: list[str] = []
    for line in lines:
        if paragraph and _begins_anew(paragraph[-1], line, width):
            yield "\n".join(paragraph)
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield "\n".join(paragraph)


def _full_width(lines: list[str]) -> int:
    """Return the length of a full line: one in five may be longer, as code and tables are."""
    lengths = sorted(map(len, lines))
    return lengths[len(lengths) * 4 // 5] if lengths else 0


def _begins_anew(before: str, line: str, width: int) -> bool:
    is_short = len(before) < width * _SHORT_LINE
    if _BULLET.match(line) or _NUMBERED_HEADING.match(line):
        return _SENTENCE_END.search(before) is not None or is_short
    if is_short and _NUMBERED_HEADING.match(before):
        return True
    if before.endswith(_MARK) or line[:1].islower():
        return False
    ends = len(before) < width * 0.9 and _SENTENCE_END.search(before) is not None
    return ends or (is_short and not line[:1].isdigit())


def _whole_words(paragraph: str, words: Counter[str]) -> str:
    """Join words that line ends divide, as the rest of the document writes them."""

    def joined(match: re.Match[str]) -> str:
        left, right = match.groups()
        compound, whole = f"{left}-{right}", f"{left}{right}"
        if words[compound.lower()] > words[whole.lower()]:
            return compound
        # Where the document does not tell: typesetters divide words of letters in lower case.
        return whole if left[-1].isalpha() and right.islower() else compound

    return _HYPHEN.sub(joined, paragraph)
