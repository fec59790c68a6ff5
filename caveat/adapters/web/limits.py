"""How much of the fetcher's time and memory a page may take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds of one fetch.

    Attributes:
        total_s: seconds on the network, redirects and robots.txt included; a body that drips does
            not outlive it.
        connect_s: seconds for one connection; a server that is up takes milliseconds.
        patience_s: seconds to wait in line for a polite moment, beside `total_s`; what remains of
            the reading's minute is for extracting the text.
        redirects: how many are followed; browsers follow 20, real pages need three.
        text_bytes: of a page, after decompression. 2 MB of HTML hold more words than a novel.
        pdf_bytes: of a PDF, after decompression; what a corpus takes as well.
    """

    total_s: float = 20.0
    connect_s: float = 5.0
    patience_s: float = 15.0
    redirects: int = 5
    text_bytes: int = 2 * 1000 * 1000
    pdf_bytes: int = 20 * 1000 * 1000
