"""PDF text by PDFium: what it raises, fills in and notes, with columns and paragraphs put right."""

import math
import re
import resource
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from itertools import groupby

from pypdfium2 import PdfDocument, PdfiumError
from pypdfium2.raw import FORMTYPE_XFA_FULL, FPDF_ERR_PASSWORD

from caveat.adapters.documents.accounting import list_losses
from caveat.adapters.documents.composer import Composer, heads_listing
from caveat.adapters.documents.loaded import Metadata, Unreadable
from caveat.adapters.documents.metadata import parse_title
from caveat.adapters.documents.pdf_front import describe_paper
from caveat.adapters.documents.pdf_page import (
    MARK,
    SCAN,
    UNMAPPED,
    Page,
    read_front,
    read_page,
    split_lines,
)
from caveat.adapters.documents.pdf_tables import Row
from caveat.adapters.documents.recognition import BY_OCR, Recogniser
from caveat.adapters.documents.spelling import divides_word
from caveat.rules.lines import pluralise
from caveat.rules.text.words import detect_language

_HYPHEN = re.compile(rf"(?<!\w)(\w++)(?:[-\u2010]\n|{MARK}\n?)(\w++)")
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*(?:\s*\[\d+\])?$")
_BULLET = re.compile(r"\s*(?:[•‣▪–*-]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
_NUMBERED_HEADING = re.compile(
    r"(?:\d+\.)+\d*\.?\s+[^\W\d_]|(?:chapter|appendix|section)\s+\w+\b", re.IGNORECASE
)
_BULLET_SIGN = re.compile(r"^[•‣▪]\s+")
_PAGE_NUMBER = re.compile(
    r"\W*(?:(?:page|seite|p\.|s\.|página|pagina|blatt|folio)\W*)?\d{1,4}"
    r"(?:\W*(?:/|of|von|de|sur|di)\W*\d{1,4})?\W*",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_SHORT_LINE = 0.75
"""Share of the page's longest line: the last line of a paragraph usually stays below."""
_LEADERS = frozenset(".…_-–—·|=*•")
_PLAIN_VOWELS = frozenset("aeiouy")
_VOWELS = _PLAIN_VOWELS | frozenset("æœøı")
_LOOKED_AT = 2_000
_FEW = 20
_ENOUGH = 100  # signs and Latin letters from which anything can be said of them
_UNKNOWN = 0.2
_SIGNS = 0.4  # share of what is no character, and of letters and figures, at most and at least
_OPEN = 0.22
"""Share of vowels among Latin letters: 0.36 in languages, some 0.15 in shifted alphabets."""
_USUAL_WORD = (1.5, 12)  # signs of a word in the mean, where the font's spaces are spaces
_OPEN_IN_ODD_WORDS = 0.29
"""Share of vowels where they are not: pages of formulas and programs have no less."""

_CITED = re.compile(r"\[?\d{1,3}[\].]\s|\b(?:1[5-9]|20)\d\d\b|https?:|doi:", re.IGNORECASE)
"""What a list of references has in each of its entries."""


def load_pdf(composer: Composer, data: bytes) -> Metadata:
    """Read a PDF's text layer, what was filled into its forms, and its comments."""
    try:
        with PdfDocument(data) as document:
            facts = document.get_metadata_dict()
            if document.get_formtype() == FORMTYPE_XFA_FULL:
                raise Unreadable(_DYNAMIC)
            with suppress(PdfiumError):
                document.init_forms()
            attached = [
                f"the attachment {document.get_attachment(number).get_name()}"
                for number in range(document.count_attachments())
            ]
            pages = _load_pages(document)
            headings = _list_headings(document)
            # Where a page was recognised, its own letters are none that anybody sees.
            is_seen = bool(pages) and pages[0].loss not in {_RECOGNISED, UNMAPPED}
            front = read_front(document) if is_seen else []
    except PdfiumError as error:
        if getattr(error, "err_code", None) == FPDF_ERR_PASSWORD:
            raise Unreadable("is a PDF that is locked with a password") from error
        raise Unreadable("is a damaged PDF, or not a PDF at all") from error
    if pages and all(page.loss == UNMAPPED for page in pages):
        raise Unreadable(f"has {UNMAPPED}")
    _compose(composer, pages, headings)
    composer.front = "\n".join(line.text for line in front)
    for loss in dict.fromkeys(page.loss for page in pages if page.loss):
        numbers = [number for number, page in enumerate(pages, start=1) if page.loss == loss]
        placed = groupby(enumerate(numbers), lambda each: each[1] - each[0])
        runs = [[number for _, number in run] for _, run in placed]
        ranges = ", ".join(f"{r[0]}–{r[-1]}" if len(r) > 1 else str(r[0]) for r in runs)
        composer.losses.append(f"{pluralise('page', len(numbers))} {ranges}: {loss}")
    drawn = []  # halves of divided words by themselves, and no numbers of pages
    for page in pages:
        lines = page.drawn.replace(MARK, "\n").split("\n")
        words = [line for line in lines if not _PAGE_NUMBER.fullmatch(line.strip())]
        drawn.append((page.label, "\n".join(words)))
    composer.losses += [*attached, *list_losses(drawn, composer.finish().text)]
    stated = Metadata(title=parse_title(facts.get("Title", "")))
    return describe_paper(stated, front) if front else stated


_DYNAMIC = "is a dynamic form (XFA), which programs of Adobe alone show; printed to PDF it is read"
_RECOGNISED = "a picture, read by OCR, which may mistake letters and figures"


_LATE = "not read, for the document takes longer than one may"
_SHARE = 0.8  # of the processor time that is left: the rest is for what the pages say together


def _load_pages(document: PdfDocument) -> list[Page]:
    """Read the pages for which there is time; the others are named."""
    limit, began = resource.getrlimit(resource.RLIMIT_CPU)[0], time.process_time()
    left = math.inf if limit == resource.RLIM_INFINITY else limit - began
    recogniser, pages = Recogniser(), list[Page]()
    for number in range(len(document)):
        is_late = time.process_time() - began > _SHARE * left
        late = Page(f"p. {number + 1}", loss=_LATE)
        pages.append(late if is_late else _load_page(document, number, recogniser))
    return pages


def _load_page(document: PdfDocument, number: int, recogniser: Recogniser) -> Page:
    try:
        page = read_page(document, number)
        if not is_language(page.text):
            page = Page(page.label, loss=UNMAPPED)
        if page.loss not in {UNMAPPED, SCAN}:
            return page
        with closing(document[number]) as picture:
            text = recogniser.read(picture)
    except PdfiumError:
        return Page(f"p. {number + 1}", loss="damaged")
    if text is None or not is_language(text):
        return page
    label, lines = f"{page.label}{BY_OCR}", split_lines(text)
    return replace(page, label=label, lines=lines, loss=_RECOGNISED, drawn="")


def _drop_running_titles(pages: list[Page]) -> tuple[list[list[str | Row]], list[str]]:
    """Drop first and last lines that return on most pages, but where they stand first.

    Returns:
        the lines of each page, and what pages are footed by, which stands within no sentence.
    """
    # One that differs in its figures is a running title only where these count the pages, and where
    # it stands apart in the margin: a list of rooms or days has such headings as well.
    edges = [
        list(_list_edges(page, rf"\b{number}\b\D{{1,6}}\b{len(pages)}\b"))
        for number, page in enumerate(pages, start=1)
    ]
    keys = Counter(key for sides in edges for key in {key for side in sides for *_, key in side})
    # From three pages on a line that returns on every other page (left and right) is a running
    # title and no coincidence.
    running = {key for key, count in keys.items() if count >= max(3, len(pages) * 0.3)}
    seen: set[str] = set()
    bodies, footers = list[list[str | Row]](), list[str]()
    for page, (top, bottom) in zip(pages, edges, strict=True):
        dropped, before = set[int](), set(seen)
        for side in (top, bottom):
            dropped |= {at for at, line, _ in side[:1] if _PAGE_NUMBER.fullmatch(line)}
            for at, line, key in side:
                seen.add(key)
                if at in dropped or key not in running:
                    break
                if side is bottom and key not in before:
                    footers.append(line)
                dropped |= {at} if side is bottom or key in before else set()
        bodies.append([line for at, line in enumerate(page.lines) if at not in dropped])
    return bodies, footers


def _list_edges(page: Page, count: str) -> Iterator[Sequence[tuple[int, str, str]]]:
    """Yield the places of the first and the last lines, outer ones first, and how they compare.

    Args:
        count: matches "2 of 9" on the second page.
    """
    placed = [*enumerate(page.lines)]
    for side, is_apart in zip((placed, placed[:0:-1]), page.margins, strict=True):
        keys = list[tuple[int, str, str]]()
        for at, line in side[:_EDGE]:
            if not isinstance(line, str):
                break
            key = re.sub(count, "#", line.lower())
            keys.append((at, line, key if keys or not is_apart else _DIGITS.sub("#", key)))
        yield keys


_EDGE = 4  # lines of a running title at most


_Headings = Mapping[str, int]  # the levels of a page's headings, by their words

_TITLED = 3  # lines that a heading may take


def _list_headings(document: PdfDocument) -> Sequence[_Headings]:
    """List the headings of each page that the document's outline names."""
    headings: list[dict[str, int]] = [{} for _ in range(len(document))]
    with suppress(PdfiumError):
        for entry in document.get_toc():
            place = entry.get_dest()
            number = place.get_index() if place is not None else None
            if number is not None and 0 <= number < len(headings):
                headings[number][_simplify(entry.get_title())] = entry.level + 1
    return headings


def _simplify(words: str) -> str:
    return re.sub(r"[\W_]+", " ", words).strip().casefold()


def _compose(composer: Composer, pages: list[Page], outline: Sequence[_Headings]) -> None:
    trimmed, footers = _drop_running_titles(pages)
    shown = (each if isinstance(each, str) else " ".join(each) for page in trimmed for each in page)
    words = Counter(re.findall(r"[\w-]+", "\n".join(shown).lower()))
    last = ""
    for page, lines, headings in zip(pages, trimmed, outline, strict=True):
        blocks = list(_join_blocks(lines, words, headings))
        is_open = bool(last) and _SENTENCE_END.search(last) is None
        first = blocks[0] if blocks else ""
        if is_open and isinstance(first, str) and first[:1].islower():
            composer.continue_paragraph(first, page.label, divided=last.endswith(MARK))
            del blocks[0]
        elif blocks or page.asides:
            composer.begin_page(page.label)
        for block in blocks:
            _add_block(composer, block, headings)
        for label, text in page.asides:
            composer.add_paragraph(text, name=label)
        final = lines[-1] if lines and not page.asides else ""
        last = final if isinstance(final, str) else ""
    composer.leave_headings()
    composer.add_paragraph(" ".join(reversed(footers)), name="page footer")
    for page in pages:
        if page.pictures:
            composer.begin_page(page.label)
        for picture in page.pictures:
            composer.add_paragraph(picture, name="picture")


def _add_block(composer: Composer, block: str | list[Row], headings: _Headings) -> None:
    if not isinstance(block, str):
        if len(block[0]) > 1:
            composer.add_table(block)
        else:
            composer.add_verbatim("\n".join(line for (line,) in block))
    elif level := headings.get(_simplify(block)):
        composer.add_heading(level, block)
    else:
        composer.mark_listing(begins=_is_listing(block, follows=composer.is_listed))
        composer.add_paragraph(_BULLET_SIGN.sub("", block))


def _is_listing(paragraph: str, *, follows: bool) -> bool:
    """Whether a paragraph heads a list of references, or continues it."""
    words = " ".join(paragraph.split())
    return heads_listing(words) or (follows and bool(_CITED.search(words)))


def _join_blocks(
    lines: list[str | Row], words: Counter[str], headings: _Headings
) -> Iterator[str | list[Row]]:
    """Yield paragraphs with their words put together, and tables."""
    lengths = sorted(len(line) for line in lines if isinstance(line, str))
    # One line in five may be longer than a full one, as code and tables are.
    width = lengths[len(lengths) * 4 // 5] if lengths else 0
    for cells, block in groupby(lines, lambda row: 0 if isinstance(row, str) else min(len(row), 2)):
        if cells:
            yield [[type(cell)(_join_words(cell, words)) for cell in row] for row in block]
        else:
            text = [line for line in block if isinstance(line, str)]
            yield from (_join_words(each, words) for each in _join_lines(text, width, headings))


def _join_lines(lines: Sequence[str], width: int, headings: _Headings) -> Iterator[str]:
    """Put lines together; PDFium does not say where paragraphs end, so their last line must."""
    paragraph: list[str] = []
    titled = 0  # where a heading ends
    for at, line in enumerate(lines):
        # The outline names a heading of so many lines.
        counts = range(1, _TITLED + 1) if headings and at >= titled else ()
        named = (n for n in counts if _simplify(" ".join(lines[at : at + n])) in headings)
        count = next(named, 0)
        is_within = at < titled
        begins = count or at == titled or _begins_anew(lines[at - 1], line, width)
        if paragraph and begins and not is_within:
            yield "\n".join(paragraph)
            paragraph = []
        titled = at + count if count else titled
        paragraph.append(line)
    if paragraph:
        yield "\n".join(paragraph)


def _begins_anew(before: str, line: str, width: int) -> bool:
    is_short = len(before) < width * _SHORT_LINE
    if _BULLET.match(line) or _NUMBERED_HEADING.match(line):
        return _SENTENCE_END.search(before) is not None or is_short
    if before.endswith(MARK) or line[:1].islower():
        return False
    ends = len(before) < width * 0.9 and _SENTENCE_END.search(before) is not None
    return ends or (is_short and not line[:1].isdigit())


def _join_words(paragraph: str, words: Counter[str]) -> str:
    """Join words that line ends divide, as the rest of the document writes them."""
    language = detect_language(" ".join(list(words)[:_LOOKED_AT])) if MARK in paragraph else ""

    def join_word(match: re.Match[str]) -> str:
        left, right = match.groups()
        compound, whole = f"{left}-{right}", f"{left}{right}"
        if words[compound.lower()] > words[whole.lower()]:
            return compound
        if not (left[-1].isalpha() and right.islower()):
            return compound
        # Where the document does not tell, dictionaries do; else typesetters divide words.
        return whole if divides_word(left.lower(), right, language) else compound

    return _HYPHEN.sub(join_word, paragraph)


def is_language(text: str) -> bool:
    """Tell text from signs that a font shows as other ones; of a few nothing is said."""
    signs = [sign for sign in text[:_LOOKED_AT] if not sign.isspace() and sign not in _LEADERS]
    if len(signs) < _FEW:
        return True
    if len(_NAMELESS.findall("".join(signs))) > _UNKNOWN * len(signs):
        return False
    if sum(map(str.isalnum, signs)) < _SIGNS * len(signs):
        return False
    folded = unicodedata.normalize("NFD", "".join(signs).lower())
    latin = [sign for sign in folded if "a" <= sign <= "z" or sign in _VOWELS]
    is_usual = _USUAL_WORD[0] <= len(signs) / len(text[:_LOOKED_AT].split()) <= _USUAL_WORD[1]
    least, vowels = (_OPEN, _VOWELS) if is_usual else (_OPEN_IN_ODD_WORDS, _PLAIN_VOWELS)
    is_latin = len(latin) >= max(_ENOUGH, len(signs) / 2)
    return not is_latin or sum(s in vowels for s in latin) >= least * len(latin)


_NAMELESS = re.compile("[\x00-\x0a\x10-\x1f\ufffd\ue000-\uf8ff]")  # but ligatures of old TeX
