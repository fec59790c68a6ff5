"""False sentences of many kinds, each with the markers of claims that do not carry it.

    python -m benchmarks.falsehoods [--json]

prints how many of them the checks of code alone would publish, and which, and how many of the true
sentences about the same claims they would hold back.
"""

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from caveat.contracts.claim import Claim, ClaimState
from caveat.rules.sentences import Grounds, sentence_flaws
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


def is_published(sentence: str) -> bool:
    """Whether code alone would publish a sentence about the claims."""
    grounds = Grounds(CLAIMS, TITLES, TOPIC)
    said = Piece(sentence, USABLE).sentences
    return not any(flaw for each in said for flaw in sentence_flaws(each, USABLE, grounds))


def main() -> None:
    """Print what code alone would publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    published = [each.kind for each in FALSEHOODS if is_published(each.sentence)]
    held = [each for each in TRUTHS if not is_published(each)]
    if parser.parse_args().json:
        print(json.dumps({"kinds": len(FALSEHOODS), "published": published, "held_back": held}))
        return
    share = len(published) / len(FALSEHOODS)
    of = f"{len(published)} of {len(FALSEHOODS)}, {share:.0%}"
    print(f"False sentences that code alone publishes: {of}")
    print("\n".join(f"  {kind}" for kind in published))
    print(f"True sentences that it holds back: {len(held)} of {len(TRUTHS)}")
    print("\n".join(f"  {sentence}" for sentence in held))


if __name__ == "__main__":
    main()
