"""Agreement: a sentence cites only what says the same as it does."""

from collections.abc import Iterator, Sequence

from caveat.contracts.audit import Check, Finding
from caveat.contracts.claim import Claim
from caveat.contracts.report import Report
from caveat.rules.citations import CitedSentence, cited_sentences, places
from caveat.rules.contrast import are_opposed
from caveat.rules.wording import is_same_statement


def agreement_findings(report: Report) -> Iterator[Finding]:
    """Check that no sentence cites a claim for what that denies, or counts it as the same.

    Where no model writes, a sentence that quotes a claim cites beside it only claims that are the
    same statement; a model's sentence may join several.
    """
    claims = {claim.id: claim for claim in report.claims}
    quotes_alone = not report.reasoner.uses_language_model
    for where, markdown in places(report):
        for sentence in cited_sentences(markdown, claims):
            cited = [claims[name] for name in dict.fromkeys(sentence.cited) if name in claims]
            for problem in _problems(sentence, cited, quotes_alone=quotes_alone):
                yield Finding(check=Check.CITATION, where=where, message=problem)


def _problems(
    sentence: CitedSentence, cited: Sequence[Claim], *, quotes_alone: bool
) -> Iterator[str]:
    same = [claim for claim in cited if is_same_statement(sentence.text, claim.quote)]
    for claim in cited:
        if are_opposed(sentence.text, claim.quote):
            yield f"“{sentence.excerpt}” cites claim {claim.id}, which says otherwise."
        elif quotes_alone and same and claim not in same:
            yield f"“{sentence.excerpt}” cites claim {claim.id}, which is another statement."
