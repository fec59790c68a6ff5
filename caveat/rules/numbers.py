"""Numbers: every numeral that a report prints stands in a claim that the same sentence cites.

Spelled-out numbers ("seven", "a dozen") are out of scope: they are words, and words are quoted or
they are not. So are numerals inside names (`H0`, `COVID-19`, `km s-1`): they count nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from caveat.contracts.audit import Check, Finding
from caveat.contracts.claim import Claim
from caveat.contracts.report import Report
from caveat.rules.citations import CitedSentence, bare, cited_sentences, places

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_LARGEST_EXPONENT = 400
"""Powers of ten beyond any measurement (floats end at 308); larger ones are left as they stand."""

_NUMERAL = re.compile(
    r"""
    (?P<sign>(?<![\w.)\]%])[-−])?
    (?<![\w.])
    # A numeral of one or two digits glued to a letter is part of a name: COVID-19, km s-1, s^-1.
    (?<![^\W\d_][-−‐‑](?=\d{1,2}(?!\d)))(?<!\^[-−])(?<!\^)
    (?P<digits>
        \d+(?:\.\d+){2,}                                # a version or a dotted date
      | \d{1,3}(?:[,\u00a0\u202f\u2009'’]\d{3})+(?!\d)(?:\.\d+)?
      | \d+(?:\.\d+)?
      | (?<![\w.])\.\d+
    )
    (?:
        [eE](?P<e>[-+−]?\d{1,4})(?!\w)
      | \s?[×x*·]\s?10(?:\^?\{?(?P<power>[-+−]?\d{1,4})\}?|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))
      | (?P<tower>(?<=10)(?:\^\{?[-+−]?\d{1,4}\}?|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))
    )?
    (?:\s(?P<scale>thousand|million|billion|trillion)\b)?
    (?P<percent>\s?(?:%|per\ ?cent\b))?
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Numeral:
    """One numeral: as it is written, normalised, and where it stands in the text."""

    written: str
    normal: str
    start: int
    end: int


def numerals(text: str) -> Iterator[Numeral]:
    """Find the numerals of a plain text, in order."""
    for match in _NUMERAL.finditer(text):
        digits = re.sub(r"[,\u00a0\u202f\u2009'’]", "", match["digits"])
        sign = "-" if match["sign"] else ""
        normal = sign + _scaled(digits, _exponent(match)) + ("%" if match["percent"] else "")
        yield Numeral(sign + digits, normal, match.start(), match.end())


def numbers(text: str) -> list[str]:
    """Name the numbers in a text, normalised, in order.

    Thousands separators go, the Unicode minus becomes `-`, exponents and "million" are written
    out, "per cent" becomes `%`; a range or a `±` gives its two numerals. Digits stay as they are
    written: `73.0` is not `73`, because precision is part of what a source says.

    Args:
        text: plain text without claim markers.

    Returns:
        One string a numeral, for example `["67.4", "0.5"]` for "67.4 ± 0.5 km/s/Mpc".
    """
    return [numeral.normal for numeral in numerals(text)]


def _exponent(match: re.Match[str]) -> int:
    written = match["e"] or match["power"] or match["raised"] or ""
    exponent = int(written.translate(_SUPERSCRIPTS).replace("−", "-") or 0)
    if match["tower"]:
        # 10⁵ is one times ten to the fifth, and its digits have said ten already.
        bare = match["tower"].translate(_SUPERSCRIPTS).replace("−", "-").strip("^{}")
        exponent += int(bare) - 1
    return exponent + _SCALES.get((match["scale"] or "").lower(), 0)


def _scaled(digits: str, exponent: int) -> str:
    if exponent == 0 or abs(exponent) > _LARGEST_EXPONENT or digits.count(".") > 1:
        return digits if exponent == 0 else f"{digits}e{exponent}"
    return f"{Decimal(digits).scaleb(exponent).normalize():f}"


def number_findings(report: Report) -> Iterator[Finding]:
    """Check every number in the prose against the quotes of the claims that its sentence cites."""
    claims = {claim.id: claim for claim in report.claims}
    titles = {source.id: source.title for source in report.sources}
    for where, markdown in places(report):
        for sentence in cited_sentences(markdown, claims):
            yield from _sentence_findings(sentence, where, claims, titles)


def counted(report: Report) -> int:
    """Count the numbers that `number_findings` checks."""
    claims = {claim.id: claim for claim in report.claims}
    return sum(
        len(numbers(sentence.text))
        for _, markdown in places(report)
        for sentence in cited_sentences(markdown, claims)
    )


def _sentence_findings(
    sentence: CitedSentence, where: str, claims: Mapping[str, Claim], titles: Mapping[str, str]
) -> Iterator[Finding]:
    cited = [claims[claim_id] for claim_id in sentence.cited if claim_id in claims]
    said = {number for claim in cited for number in numbers(claim.quote)}
    text = sentence.text
    for claim in cited:
        # Naming a source by its title ("Planck 2018 results") states nothing.
        text = text.replace(" ".join(titles.get(claim.source_id, "").split()) or "\0", " ")
    for number in dict.fromkeys(numbers(text)):
        if number not in said:
            message = f"{number} stands in no claim that “{sentence.excerpt}” cites."
            yield Finding(check=Check.NUMBER, where=where, message=message)
    for claim in _misquoted(sentence, cited):
        message = f"“{sentence.excerpt}” repeats claim {claim.id} with another number."
        yield Finding(check=Check.NUMBER, where=where, message=message)


def _misquoted(sentence: CitedSentence, cited: Sequence[Claim]) -> Iterator[Claim]:
    """Claims repeated word for word but for a number, be it one that they state elsewhere."""
    said = bare(sentence.text)
    repeated = [claim for claim in cited if _masked(bare(claim.quote)) in _masked(said)]
    right = {_masked(bare(claim.quote)) for claim in repeated if bare(claim.quote) in said}
    return (claim for claim in repeated if _masked(bare(claim.quote)) not in right)


def _masked(text: str) -> str:
    return re.sub(r"\d+", "0", text)
