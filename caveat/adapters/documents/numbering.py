"""The numbers of lists as word processors count them: by level, across what stands between."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from caveat.adapters.documents.html import WRITTEN, format_numeral

_UNNUMBERED = frozenset({"bullet", "none", ""})
_NONE: Mapping[int, int] = {}
_PLACE = re.compile(r"%(\d)")


@dataclass(frozen=True)
class Level:
    """How the items of one level are numbered."""

    written: str  # in what signs, as Word or OpenDocument names them
    template: str  # what is shown, `%1` for the number of the first level
    start: int = 1  # the first number
    style: str = ""  # of the paragraphs that are of this level
    # whether levels above are written in figures, whatever they are written in
    is_legal: bool = False


@dataclass
class Numbering:
    """The lists of a document, and how far each has come."""

    _kinds: dict[str, str] = field(default_factory=dict)
    _levels: dict[str, Mapping[int, Level]] = field(default_factory=dict)
    _anew: dict[str, dict[int, int]] = field(default_factory=dict)
    _counts: dict[str, dict[int, int]] = field(default_factory=dict)

    def add(
        self, name: str, kind: str, levels: Mapping[int, Level], anew: Mapping[int, int] = _NONE
    ) -> None:
        self._kinds[name] = kind
        self._levels[name] = levels
        self._anew[name] = dict(anew)

    def restart(self, name: str) -> None:
        self._counts.pop(self._kinds.get(name, ""), None)

    def number_item(self, name: str, at: int | str) -> str | None:
        """Return the number of the next item, "" where it has none; None for what is no list."""
        levels = self._levels.get(name)
        if levels is None:
            return None
        if isinstance(at, str):
            at = next((place for place, each in levels.items() if each.style == at), 0)
        level = levels.get(at)
        if level is None:
            return ""
        counts = self._counts.setdefault(self._kinds[name], {})
        for place, start in self._anew.pop(name, {}).items():
            counts[place] = start - 1
        counts[at] = counts.get(at, level.start - 1) + 1
        for deeper in [place for place in counts if place > at]:
            del counts[deeper]
        if level.written in _UNNUMBERED:
            return ""

        def format_level(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            above = levels.get(place, level)
            written = "1" if level.is_legal else WRITTEN.get(above.written, "1")
            return format_numeral(counts.get(place, above.start), written)

        return _PLACE.sub(format_level, level.template)
