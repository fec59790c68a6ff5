"""False sentences of many kinds, each with the markers of claims that do not carry it.

    python -m benchmarks.falsehoods [--json]

prints how many of them the checks of code alone would publish, and which, and how many of the true
sentences about the same claims they would hold back. Beside sentences it holds what else a model
says: texts of claims, parts that are missing, what disputes are about and who is on their sides.
"""

import argparse
import json
import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.contradiction import ContradictionKind, Disagreement, Side
from caveat.contracts.plan import Assignment
from caveat.contracts.source import SourceRef
from caveat.contracts.synthesis import (
    AngleEvidence,
    MissingPart,
    SectionDraft,
    Synthesis,
    SynthesisInput,
)
from caveat.rules.contradictions.ladder import (
    gather_evidence,
    number_contradictions,
    settle_by_evidence,
)
from caveat.rules.evidence import replace_overstated_texts
from caveat.rules.report import prepare_publication
from caveat.rules.sentences import Grounds, find_sentence_flaws, find_word_flaws
from caveat.rules.text import Piece

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


class Falsehood(NamedTuple):
    """A false sentence: what is false about it, and the sentence with its markers."""

    kind: str
    sentence: str


FALSEHOODS = tuple(Falsehood(**each) for each in _TABLE["falsehoods"])
TRUTHS: tuple[str, ...] = tuple(each["sentence"] for each in _TABLE["truths"])


class Other(NamedTuple):
    """What a model says beside the sentences of a report.

    Attributes:
        said: a claim's text, what a dispute is about, a sentence written anew, or what is said of
            a missing part.
        of: the claims that it is about.
        part: that is said to be missing.
        against: the claims of the other side of a dispute, where those of `of` are to win.
    """

    kind: str
    what: str
    said: str = ""
    of: tuple[str, ...] = ()
    part: str = ""
    against: tuple[str, ...] = ()


OTHERS = tuple(Other(**each) for each in _TABLE["others"])
TRUE_OTHERS = tuple(Other(**each) for each in _TABLE["true_others"])


def passes(other: Other) -> bool:
    """Whether code lets pass what a model says beside the sentences of a report."""
    cited = [CLAIMS[name] for name in other.of]
    match other.what:
        case "text":
            (claim,) = (each.model_copy(update={"text": other.said}) for each in cited)
            (kept,) = replace_overstated_texts([claim], SOURCES[claim.source_id], TOPIC)
            return kept.text == other.said
        case "about":
            return not any(find_word_flaws(other.said, cited, Grounds(CLAIMS, TITLES, TOPIC)))
        case "rewording":
            return Piece(other.said, USABLE).is_one_sentence and is_published(other.said)
        case "missing":
            return _is_printed(MissingPart(part=other.part, why=other.said))
        case "sides":
            return _wins(other.of, other.against)
    raise ValueError(other.what)


SOURCES = {
    name: SourceRef(id=name, title=title, authors=(f"The writer of {title}",))
    for name, title in TITLES.items()
}


def _is_printed(lack: MissingPart) -> bool:
    angle = Assignment(id="a1", title="Thornwick Baths", question=TOPIC, queries=(TOPIC,))
    evidence = SynthesisInput(
        topic=TOPIC,
        angles=(AngleEvidence(assignment=angle, claims=tuple(USABLE.values())),),
        sources=tuple(SOURCES.values()),
    )
    sections = (SectionDraft(assignment_id="a1", title="", summary=""),)
    made = prepare_publication(Synthesis(summary="", sections=sections, missing=(lack,)), evidence)
    return made.missing == (lack,)


def _wins(of: Sequence[str], against: Sequence[str]) -> bool:
    """Whether the evidence settles a dispute for the first of two sides."""
    stated = tuple(Side(claim=names[0], backing=tuple(names[1:])) for names in (of, against))
    (asked,) = number_contradictions(
        [Disagreement(kind=ContradictionKind.NUMERIC, sides=stated, about="The total bill.")]
    )
    heard = gather_evidence(asked, CLAIMS, SOURCES, ())
    return settle_by_evidence(asked, heard, datetime.now(UTC)).ruling == "a"


def is_published(sentence: str) -> bool:
    """Whether code alone would publish a sentence about the claims."""
    grounds = Grounds(CLAIMS, TITLES, TOPIC)
    said = Piece(sentence, USABLE).sentences
    return not any(flaw for each in said for flaw in find_sentence_flaws(each, USABLE, grounds))


def main() -> None:
    """Print what code alone would publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    every = (*FALSEHOODS, *OTHERS)
    through = [each.kind for each in FALSEHOODS if is_published(each.sentence)]
    through += [each.kind for each in OTHERS if passes(each)]
    held = [each for each in TRUTHS if not is_published(each)]
    held += [each.kind for each in TRUE_OTHERS if not passes(each)]
    if parser.parse_args().json:
        print(json.dumps({"kinds": len(every), "published": through, "held_back": held}))
        return
    share = len(through) / len(every)
    print(f"Falsehoods that code alone publishes: {len(through)} of {len(every)}, {share:.0%}")
    print("\n".join(f"  {kind}" for kind in through))
    print(f"Truths that it holds back: {len(held)} of {len(TRUTHS) + len(TRUE_OTHERS)}")
    print("\n".join(f"  {sentence}" for sentence in held))


if __name__ == "__main__":
    main()
