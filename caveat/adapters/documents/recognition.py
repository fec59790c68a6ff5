"""Text out of pictures of pages, by Tesseract where the machine has it."""

import os
import resource
import shutil
import subprocess
from functools import cache, partial
from time import monotonic

from pypdfium2 import PdfPage

BY_OCR = ", by OCR"  # behind the label of a page that was recognised
SECONDS = 30.0  # of one document by the clock, some ten pages: a reader is given up after 45
_DOTS, _POINTS = 300, 72  # dots an inch, which Tesseract asks for, and what a PDF measures in
_LARGEST = 5_000  # dots of a side: A3 at 300 an inch. One picture of that takes 25 MB.

_PLACES = os.pathsep.join(("/usr/local/bin", "/opt/homebrew/bin", os.defpath))
"""A reader has no environment, and so no path of its own."""


@cache
def find_tesseract() -> tuple[str, ...] | None:
    """Return the command that recognises text in every language that is installed, or None."""
    program = shutil.which("tesseract", path=_PLACES)
    if program is None:
        return None
    asked = [program, "--list-langs"]
    listed = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603  # a program of the system's own folders
    languages = [each for each in listed.stdout.splitlines()[1:] if each.isidentifier()]
    known = [each for each in languages if each not in {"osd", "equ"}]
    return (program, "stdin", "stdout", "-l", "+".join(known)) if known else None


class Recogniser:
    """Recognises the pages of one document until its time is used up."""

    def __init__(self) -> None:
        self._ends = monotonic() + SECONDS

    def read(self, page: PdfPage) -> str | None:
        """Return what is written in the picture of a page; None where that is not to be had."""
        command, left = find_tesseract(), self._ends - monotonic()
        if command is None or left <= 0:
            return None
        # A full page takes five seconds of the processor, as long as its reader has.
        most = resource.getrlimit(resource.RLIMIT_CPU)[1:] * 2
        lift = partial(resource.setrlimit, resource.RLIMIT_CPU, most)
        try:
            done = subprocess.run(  # noqa: S603  # what `find_tesseract` found
                command,
                input=_draw_page(page),
                env={"OMP_THREAD_LIMIT": "1"},
                capture_output=True,
                timeout=left,
                check=True,
                preexec_fn=lift,  # a reader has no other thread
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout.decode(errors="replace").replace("\f", "").strip() or None


def _draw_page(page: PdfPage) -> bytes:
    """Draw a page as a PGM picture: a line that says how large it is, and a byte a dot."""
    scale = min(_DOTS / _POINTS, _LARGEST / max(page.get_size()))
    bitmap = page.render(scale=scale, grayscale=True)
    width, height, stride = bitmap.width, bitmap.height, bitmap.stride
    dots = memoryview(bytes(bitmap.buffer))
    rows = [dots[row * stride : row * stride + width] for row in range(height)]
    return b"".join([b"P5 %d %d 255\n" % (width, height), *rows])
