"""True and false sentences: what code does with each before a reader sees it.

    python -m benchmarks.falsehoods [--json]

Code refuses a sentence by its form alone, or points out to the reader what to look at. A false one
without either rests on the reader; a true one that code refuses is lost. The sentences of
`falsehoods.toml` are about invented baths, and were written by the authors of the rules; those of
`sentence_pairs.tsv` were collected by somebody else. Who wrote those of `played_sentences.tsv` and
`mixed_sentences.tsv` played the model in whole runs over invented documents, and wrote no rule; the
latter hold sentences in one language against quotes in another, half of them in other units.
`table_sentences.json` has what two such players wrote of ten folders full of tables, with the
calculations that they declared, and `public_sentences.json` what others wrote of documents
and data that authorities and projects published.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import command_line
from caveat.contracts.source import Claim, ClaimState
from caveat.contracts.synthesis import Calculation, Operand
from caveat.rules.report.calculations import find_calculations, find_fault
from caveat.rules.sentences.checks import check_sentence
from caveat.rules.sentences.grounds import Grounds
from caveat.rules.sentences.hints import find_hints
from caveat.rules.text import prose
from caveat.rules.text.citations import CitedSentence, Piece
from caveat.rules.text.words import detect_language

_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

TOPIC: str = _TABLE["topic"]
TITLES: dict[str, str] = _TABLE["titles"]


def _claim(given: dict[str, Any]) -> Claim:
    contested = tuple(given.get("contested_by", ()))
    state = ClaimState.CONTESTED if contested else ClaimState.ACCEPTED
    return Claim(
        id=given["id"],
        text=given["quote"],
        quote=given["quote"],
        source_id=given["source"],
        assignment_id="a1",
        start=0,
        end=len(given["quote"]),
        relevance=0.9,
        state=ClaimState.OVERRULED if given.get("overruled") else state,
        contested_by=contested,
        location=given.get("location"),
        before=given.get("before", ""),
        after=given.get("after", ""),
    )


CLAIMS = {each["id"]: _claim(each) for each in _TABLE["claims"]}
USABLE = {name: each for name, each in CLAIMS.items() if each.state is not ClaimState.OVERRULED}


class Sentence(NamedTuple):
    """A sentence, whether it is true, and what it is held against."""

    is_true: bool
    sentence: CitedSentence
    usable: dict[str, Claim]  # the claims that it may cite
    grounds: Grounds

    @property
    def is_refused(self) -> bool:
        """Whether code refuses it by its form."""
        return any(check_sentence(self.sentence, self.grounds))

    @property
    def hints(self) -> tuple[str, ...]:
        """What code points out to its reader."""
        return find_hints(self.sentence, self.grounds)


def list_own() -> Iterator[Sentence]:
    grounds = Grounds(CLAIMS, TITLES, TOPIC)
    for is_true, name in ((False, "falsehoods"), (True, "truths")):
        for each in _TABLE[name]:
            for sentence in Piece(each["sentence"], USABLE).sentences:
                yield Sentence(is_true, sentence, USABLE, grounds)


def list_pairs(name: str) -> Iterator[Sentence]:
    """The sentences that somebody else collected, each with its quotes and the places of these."""
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    for line in lines[1:]:
        right, text, quotes, places = line.split("\t")
        facts = [dict(re.findall(r"(\w+): ([^;]*)", place)) for place in places.split("|")]
        claims = {}
        for number, (quote, own) in enumerate(zip_longest(quotes.split("|"), facts), start=1):
            location = (own or {}).get("columns") or (own or {}).get("heading")
            given = {"id": f"c{number}", "source": f"s{number}", "location": location}
            claims[f"c{number}"] = _claim({**given, "quote": quote.replace("\\t", "\t")})
        titles = {f"s{number}": own.get("title", "") for number, own in enumerate(facts, start=1)}
        dates = {
            f"s{number}": date.fromisoformat(own["date"]) if "date" in own else None
            for number, own in enumerate(facts, start=1)
        }
        language = "de" if detect_language(text) == "de" else "en"
        grounds = Grounds(claims, titles, wanted=language, dates=dates)
        found = find_calculations(text, [*claims.values()], grounds)
        marks = tuple(prose.Mark(len(text), name) for name in claims)
        sentence = CitedSentence(text, marks)
        yield Sentence(
            right == "true", sentence, claims, replace(grounds, calculations=tuple(found))
        )


def list_folders(name: str) -> Iterator[Sentence]:
    """The sentences that players wrote of folders, with the calculations that they declared."""
    folders = json.loads(Path(__file__).with_name(name).read_text("utf-8"))
    for folder in folders.values():
        claims = {name: _claim({"id": name, **each}) for name, each in folder["claims"].items()}
        dates = {name: date.fromisoformat(day) for name, day in folder["dates"].items()}
        grounds = Grounds(claims, folder["titles"], folder["topic"], dates=dates)
        for each in folder["sentences"]:
            declared = [_declare(one, grounds) for one in each.get("calculations", ())]
            own = replace(grounds, calculations=[one for one in declared if one])
            cited = [claims[name] for name in each["claims"]]
            found = find_calculations(each["text"], cited, own)
            known = replace(own, calculations=(*own.calculations, *found))
            marks = tuple(prose.Mark(len(each["text"]), name) for name in each["claims"])
            yield Sentence(each["is_true"], CitedSentence(each["text"], marks), claims, known)


def _declare(given: dict[str, Any], grounds: Grounds) -> Calculation | None:
    """What code makes of a declared calculation: right, right but for its units, or nothing."""
    operands = tuple(
        Operand(name=name, claim_id=claim, value=value)
        for name, (claim, value) in given["values"].items()
    )
    facts = {"expression": given["expression"], "operands": operands, "result": given["result"]}
    tried = (Calculation(**facts, is_guessed=is_guessed) for is_guessed in (False, True))
    return next((one for one in tried if not find_fault(one, grounds)), None)


LISTS: dict[str, Callable[[], Iterator[Sentence]]] = {
    "own": list_own,
    "pairs": partial(list_pairs, "sentence_pairs.tsv"),
    "played": partial(list_pairs, "played_sentences.tsv"),
    "mixed": partial(list_pairs, "mixed_sentences.tsv"),
    "tables": partial(list_folders, "table_sentences.json"),
    "public": partial(list_folders, "public_sentences.json"),
}


@cache
def list_sentences(name: str) -> tuple[Sentence, ...]:
    """Read a list once: finding the calculations of all takes seconds."""
    return tuple(LISTS[name]())


def count() -> dict[str, dict[str, int]]:
    """Count, of each list, what code does with its true and its false sentences."""
    counts = {}
    for name in LISTS:
        for is_true in (True, False):
            some = [each for each in list_sentences(name) if each.is_true is is_true]
            passed = [each for each in some if not each.is_refused]
            refused, hinted = len(some) - len(passed), sum(bool(each.hints) for each in passed)
            row = {"sentences": len(some), "refused": refused, "hinted": hinted}
            counts[f"{name}, {'true' if is_true else 'false'}"] = row
    return counts


def main() -> None:
    """Print what code does with each list."""
    options, counts = command_line(__doc__).parse_args(), count()
    if options.json:
        print(json.dumps(counts))
        return
    for name, row in counts.items():
        print(f"{name:14}", *(f"{value:4} {what}" for what, value in row.items()))
    for each in (each for name in LISTS for each in list_sentences(name)):
        if each.is_true and each.is_refused:
            print(f"  lost: {each.sentence.text}")
        if not each.is_true and not each.is_refused and not each.hints:
            print(f"  rests on the reader: {each.sentence.text}")


if __name__ == "__main__":
    main()
