"""Questions: the parts of one that asks for several things."""

import re

_WORD = r"(?:how|what|which|when|where|who|whom|whose|why|on which|in which|at what|by when)\b"
# Both read text whose runs of white space are one space each.
_VERB = r"(?:did|does|do|is|are|was|were|has|have|had|can|will)\b"
_NEXT = re.compile(
    rf" ?(?:[,;?] ?(?:and )?| and )(?={_WORD})|[,;] ?(?:and )?(?={_VERB})", re.IGNORECASE
)
_ASKS = re.compile(rf"[?？]|^\s*{_WORD}", re.IGNORECASE)
_WHOLE = re.compile(r"(?<=[?？]) ")

_SHORTEST = 8  # characters of a part that asks for something by itself


def parts(question: str) -> tuple[str, ...]:
    """Cut a question into what it asks for: "What does it cost, when, and who decides?" is three.

    What only names the form of an answer ("when") says with the part before it what is meant.
    """
    # A shell takes the question mark away from who leaves the quotation marks out.
    if not _ASKS.search(question):
        return (question,)
    found = [
        piece.strip(" ,;?？")
        for whole in _WHOLE.split(" ".join(question.split()))
        for piece in _NEXT.split(whole)
        if piece.strip(" ,;?？")
    ]
    if len(found) < 2:
        return (question,)
    before = (found[0], *found)
    return tuple(
        each if len(each) >= _SHORTEST else f"{each}: {of}"
        for each, of in zip(found, before, strict=False)
    )
