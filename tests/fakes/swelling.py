"""A PDF that is small and unfolds to whatever is wanted."""

import zlib


def pdf(content: bytes, pages: int = 1) -> bytes:
    """Write a PDF of a few hundred bytes, whatever its pages unfold to."""
    packed = zlib.compress(b"BT /F1 12 Tf 72 200 Td " + content + b" ET", 9)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 5 0 R "
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [" + b"3 0 R " * pages + b"] /Count %d >>" % pages,
        page + b"/Resources << /Font << /F1 4 0 R >> >> >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(packed), packed),
    ]
    body, offsets = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    where = len(body)
    head = b"xref\n0 6\n0000000000 65535 f \n" + table
    return body + head + b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % where
