"""Failing pieces of work, by the names that the mix of benchmarks/recovery.py gives them."""

import tomllib

from benchmarks.mix import Fate, Place, Row
from benchmarks.recovery import MIX
from benchmarks.truth import Keys, Piece
from caveat.contracts.investigation import Work

ROWS = {
    raw["name"]: Row.model_validate(raw)
    for raw in tomllib.loads(MIX.read_text(encoding="utf-8"))["failure"]
}


def piece(
    name: str,
    *,
    clears_after: int | None = None,
    retry_after_s: float | None = None,
    reaches: float | None = None,
    provider: str | None = None,
    keys: Keys | None = None,
) -> Piece:
    place = Place(Work.READ, 0, 0)
    fate = Fate(ROWS[name], place, clears_after, retry_after_s, reaches, provider)
    alternatives = ("elsewhere",) if fate.row.alternative else ()
    return Piece(fate, alternatives, "Read “it”", keys or Keys())
