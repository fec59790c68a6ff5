"""One page of a PDF as a picture, with the words of a quote marked."""

import struct
import unicodedata
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from difflib import SequenceMatcher

from pypdfium2 import PdfDocument, PdfiumError, PdfPage, PdfTextPage, raw

from caveat.adapters.documents.composer import PATH_SEPARATOR
from caveat.adapters.documents.loaded import Unreadable
from caveat.adapters.documents.pdf_page import name_page
from caveat.adapters.documents.recognition import BY_OCR

_SCALE, _LARGEST = 2.0, 2_000  # dots a point, and of the longer side at most
_LETTERS = 8  # in a row that are the quote's; fewer may be so by chance
_MARKER = bytes(value * 2 // 5 for value in range(256))  # what a yellow marker leaves of blue


def draw_page(data: bytes, label: str, quote: str) -> bytes:
    """Draw the page that is cited as `label`, as PNG."""
    cited = label.split(PATH_SEPARATOR, maxsplit=1)[0].removesuffix(BY_OCR)
    try:
        with PdfDocument(data) as document:
            with suppress(PdfiumError):
                document.init_forms()
            for number in range(len(document)):
                if name_page(document, number) == cited:
                    with closing(document[number]) as page, closing(page.get_textpage()) as text:
                        return _draw(page, list(_find_boxes(text, quote)))
    except PdfiumError as error:
        raise Unreadable from error
    raise Unreadable(f"has no {label}")


def _find_boxes(page: PdfTextPage, quote: str) -> Iterator[tuple[float, float, float, float]]:
    """Yield where the lines of a quote stand; left, bottom, right, top."""
    signs = (chr(raw.FPDFText_GetUnicode(page, at)) for at in range(page.count_chars()))
    placed = [(letter, at) for at, sign in enumerate(signs) for letter in _list_letters(sign)]
    wanted = "".join(_list_letters(quote))
    drawn = "".join(letter for letter, _ in placed)
    shared = SequenceMatcher(None, drawn, wanted, autojunk=False).get_matching_blocks()
    for start, _, size in shared:
        if size and size >= min(_LETTERS, len(wanted)):
            first, last = placed[start][1], placed[start + size - 1][1]
            count = page.count_rects(first, last - first + 1)
            yield from map(page.get_rect, range(count))


def _list_letters(text: str) -> Iterator[str]:
    """Yield letters and figures alone: a snapshot joins words, and writes powers on the line."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return filter(str.isalnum, decomposed)


def _draw(page: PdfPage, boxes: list[tuple[float, float, float, float]]) -> bytes:
    bitmap = page.render(scale=min(_SCALE, _LARGEST / max(page.get_size())), rev_byteorder=True)
    width, height, stride, dot = bitmap.width, bitmap.height, bitmap.stride, bitmap.n_channels
    dots = bytearray(bitmap.buffer)
    x, y = raw.c_int(), raw.c_int()
    for left, bottom, right, top in boxes:
        corners = []
        for corner in ((left, bottom), (right, top)):  # of a page that may be turned
            raw.FPDF_PageToDevice(page, 0, 0, width, height, 0, *corner, x, y)
            corners.append((min(max(x.value, 0), width), min(max(y.value, 0), height)))
        (x0, x1), (y0, y1) = (sorted(each) for each in zip(*corners, strict=True))
        for row in range(y0, y1 + 1 if y1 < height else height):
            blue = slice(row * stride + x0 * dot + 2, row * stride + x1 * dot, dot)
            dots[blue] = dots[blue].translate(_MARKER)
    rows = (dots[row * stride : row * stride + width * dot] for row in range(height))
    return _write_png(width, height, b"".join(b"\0" + row for row in rows))


def _write_png(width: int, height: int, rows: bytes) -> bytes:
    """Write a picture of 8 bits a colour, red, green and blue; each row begins with its filter."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + check

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    whole = (b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in whole)
