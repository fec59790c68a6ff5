"""Metrics as Prometheus reads them."""

import asyncio
import re
from urllib.request import urlopen

from tests.fakes.patience import PATIENCE_S

_LINE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')


class Scrape:
    """What one look found.

    Attributes:
        samples: name, labels and value of each line.
    """

    def __init__(self, text: str) -> None:
        self.samples = [
            (name, dict(_LABEL.findall(labels or "")), float(value))
            for name, labels, value in _LINE.findall(text)
        ]

    @property
    def names(self) -> set[str]:
        """Of everything that is measured."""
        return {name for name, _, _ in self.samples}

    def sum(self, metric: str, **labels: str) -> float:
        """Add up what bears these labels."""
        return sum(
            value
            for name, given, value in self.samples
            if name == metric and labels.items() <= given.items()
        )


async def scrape(address: str) -> Scrape:
    """Look at `host:port`."""

    def read() -> str:
        with urlopen(f"http://{address}/metrics", timeout=PATIENCE_S) as answer:
            return str(answer.read().decode())

    return Scrape(await asyncio.to_thread(read))
