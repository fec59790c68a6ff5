"""Track records: how often people upheld a claimant, and when one is clearly better than another.

A claimant is who answers for what a source says: the unit that rulings teach something about.

The share of upheld claims is not the raw ratio, which calls one ruling out of one perfect, but the
Wilson score interval (Wilson 1927, "Probable inference, the law of succession, and statistical
inference"), which Brown, Cai and DasGupta recommend for small counts (2001, "Interval estimation
for a binomial proportion"):

    (k + z²/2 ± z · √(k(n − k)/n + z²/4)) / (n + z²)    for k upheld of n ruled
"""

import math
import re
from collections.abc import Sequence
from hashlib import sha256

from caveat.contracts.contradiction import Claimant, RulingRecord, TrackRecord
from caveat.contracts.source import Claim, SourceRef
from caveat.rules.contradictions.choices import parse_choice
from caveat.rules.sources.identity import find_publisher
from caveat.rules.text.wording import normalise_typography

Z = 1.96  # standard deviations either side: the usual interval of 95%

MINIMUM_RULINGS = 5
"""Rulings on both claimants below which their records are not compared.

Below four even a spotless record and a hopeless one have intervals that overlap; with one more, no
single ruling decides whether a person is asked.
"""

DECIMALS = 4  # a ten-thousandth: more than so few rulings can mean


def identify_claimant(source: SourceRef) -> Claimant:
    # A publisher does for all of its pages, so a source with a web address belongs to its host,
    # without `www.`. A page of a shared host and a file of a corpus stand for themselves.
    return Claimant(id=find_publisher(source) or source.id)


def identify_speaker(source: SourceRef, claim: Claim) -> Claimant:
    """Name a claim's claimant with its words, so that a later run recognises them."""
    # The same words are another statement in another period: last year's report says them, too.
    statement = f"{normalise_typography(claim.quote)}\n{_name_period(source, claim)}"
    words = sha256(statement.encode()).hexdigest()[:SAID_DIGITS]
    return identify_claimant(source).model_copy(update={"said": words})


def name_statement(source: SourceRef, claim: Claim) -> str:
    """Name a statement alike in each run, also where a copy of its file lies in another folder."""
    speaker = identify_speaker(source, claim)
    who = find_publisher(source) or (source.path or source.id).rpartition("/")[2]
    return sha256(f"{who}\n{speaker.said}".encode()).hexdigest()[:SAID_DIGITS]


def _name_period(source: SourceRef, claim: Claim) -> str:
    """Name the period of a claim: of its sentence, else its heading, title, path or date."""
    for text in (claim.quote, claim.location or "", source.title, source.path or ""):
        if _YEAR.search(text):
            return " ".join(_TIME.findall(text)).casefold()
    return str(source.published.year) if source.published else ""


_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_TIME = re.compile(
    rf"(?i:{_YEAR.pattern}(?:-(?:0[1-9]|1[0-2])(?!\d))?|\b[qh][1-4]\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b)"
)
"""Years, months, quarters and halves."""

SAID_DIGITS = 16  # 64 bits: of a claimant's words that people ruled on, no two meet by chance


def select_current_rulings(rulings: Sequence[RulingRecord]) -> tuple[RulingRecord, ...]:
    """Drop rulings that were changed or withdrawn later."""
    last: dict[tuple[str, str], int] = {}
    for each in rulings:
        key = each.run_id, each.contradiction_id
        last[key] = max(each.number, last.get(key, 0))
    return tuple(
        each
        for each in rulings
        if each.choice is not None and each.number == last[each.run_id, each.contradiction_id]
    )


def drop_repeats(rulings: Sequence[RulingRecord]) -> tuple[RulingRecord, ...]:
    """Keep one of what was ruled on the same statements in several runs at once, as one act."""
    acts: dict[object, RulingRecord] = {}
    for each in select_current_rulings(rulings):
        statements = tuple((who.id, who.said) for who in each.claimants if who.said)
        act = statements, each.choice, each.reason, each.decided_by
        acts[act if statements else (each.run_id, each.contradiction_id)] = each
    return tuple(acts.values())


def compute_track_record(claimant: str, rulings: Sequence[RulingRecord]) -> TrackRecord:
    """Count how people ruled on a claimant.

    A rule that settles by credibility would confirm itself, so only people's rulings count, and of
    one contradiction the last that was not withdrawn. Several values of the claimant count each.
    """
    verdicts = [
        upheld
        for ruling in select_current_rulings(rulings)
        for who, upheld in zip(
            ruling.claimants,
            parse_choice(ruling.choice or "none", len(ruling.claimants)),
            strict=True,
        )
        if who.id == claimant
    ]
    low, high = compute_wilson_interval(sum(verdicts), len(verdicts))
    return TrackRecord(upheld=sum(verdicts), ruled=len(verdicts), low=low, high=high)


def compute_wilson_interval(upheld: int, ruled: int) -> tuple[float, float]:
    """Return the Wilson interval of the upheld share; 0 to 1 without rulings."""
    if ruled == 0:
        return 0.0, 1.0
    centre = upheld + Z**2 / 2
    spread = Z * math.sqrt(upheld * (ruled - upheld) / ruled + Z**2 / 4)
    low, high = (centre - spread) / (ruled + Z**2), (centre + spread) / (ruled + Z**2)
    return round(max(0.0, low), DECIMALS), round(min(1.0, high), DECIMALS)


def have_enough_rulings(one: TrackRecord, other: TrackRecord) -> bool:
    return min(one.ruled, other.ruled) >= MINIMUM_RULINGS


def is_clearly_better(one: TrackRecord, other: TrackRecord) -> bool:
    """Whether one claimant is clearly more reliable, so that nobody need be asked."""
    # The whole interval of the one lies above that of the other. That is stricter than a test of
    # the difference at 95%, on purpose: a wrong settlement costs more than one question to a
    # person.
    return have_enough_rulings(one, other) and one.low > other.high
