"""PDFs written by hand, such as one that is small and unfolds to whatever is wanted."""

import zlib
from collections.abc import Sequence

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica%s >>"


def write_pdf(objects: Sequence[bytes], more: bytes = b"", pages: int = 1) -> bytes:
    """Write a PDF of objects: fonts F1 and F2, then the content of each page and whatever else.

    Args:
        more: what its trailer holds besides.
    """
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 6 0 R /Resources "
    all_of_it = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b"3 0 R " * pages, pages),
        page + b"<< /Font << /F1 4 0 R /F2 5 0 R >> >> >>",
        *objects,
    ]
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % each for each in enumerate(all_of_it, start=1))
    trailer = b"<< /Size %d /Root 1 0 R %s >>" % (len(all_of_it) + 1, more)
    return b"%PDF-1.4\n" + body + b"trailer\n" + trailer + b"\n%%EOF"


def write_stream(content: bytes, more: bytes = b"") -> bytes:
    head = b"<< %s /Length %d >>" % (more, len(content))
    return head + b"\nstream\n%s\nendstream" % content


def pdf(content: bytes, pages: int = 1) -> bytes:
    """Write a PDF of a few hundred bytes, whatever its pages unfold to."""
    packed = zlib.compress(b"BT /F1 12 Tf 72 200 Td " + content + b" ET", 9)
    stream = write_stream(packed, b"/Filter /FlateDecode")
    return write_pdf([FONT % b"", b"null", stream], pages=pages)
