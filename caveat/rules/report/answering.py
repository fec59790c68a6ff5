"""The answer: whether the question that was asked is answered, by what, and why that is said.

Code decides it for every reasoner, from the claims and the contradictions that the report shows, so
that an audit comes to the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.envelope import AgentType
from caveat.contracts.report import Report, Section
from caveat.contracts.source import SourceRef
from caveat.rules.contradictions.choices import NotOffered, holding
from caveat.rules.contradictions.contest import usable
from caveat.rules.report.appraisal import QuestionMatch
from caveat.rules.report.closest import closest
from caveat.rules.sources import RELEVANT, work
from caveat.rules.text import markers, prose

DIRECT = "Direct answers"
"""Title of the section on the question itself, where the reasoner makes one."""

FITS = 0.50
"""Relevance from which a passage counts as an answer."""

TOUCHES = 0.45
"""Relevance by words below which a passage is no answer at all. Of the questions of the tuning half
of benchmarks/answers 28 of 36 without an answer are below, and of 157 with one 25: half of these
had a wrong passage in front, and all of them still show it. With 0.36 it was 20 and 6."""

RATED = 0.36
"""The same where a language model said how well a passage fits; not measured."""

NEAR = 0.30
"""Similarity of the nearest passage with the question below which it is no answer, where a model of
meanings compared them. Of the 157 questions with an answer 7 are below, none of them answered."""

TOGETHER = 0.48
"""Mean of relevance and similarity below which a passage is no answer, where there are both. Of 36
questions without an answer 30 are below, of 157 with one 28, half of which were answered wrongly;
by similarity alone 30 of 36 take 59 of 157 with them."""

ALIKE = 0.50
"""Similarity from which a passage counts as an answer, whatever words it has."""

SHOWN = 10
"""Passages on the question itself that a section shows at most, six of them in the summary. Of 67
questions of the tuning half of benchmarks/answers seven answer 49 and ten 51."""

LEAD = 0.40
"""Most that counts of a lead over passages that were too weak to show: where one passage alone
answers, nobody else says so, and a report on it is moderate at most."""

AS_GOOD = 0.75
"""Share of the best passage's relevance from which a disputed value touches the answer."""


def angle_named(title: str) -> str:
    """Name an angle within a sentence."""
    return "the question itself" if title == DIRECT else f"“{title}”"


class Opening(NamedTuple):
    """What a report opens with; see `contracts.report.Report`."""

    answered: bool | Literal["partly"] | None
    text: str
    because: str
    disputed: tuple[str, ...]


class Found(NamedTuple):
    """What there is on the question itself: how well the best passage fits, and what is shown.

    Attributes:
        similarity: of the nearest one; None where no model of meanings compared them.
        least: relevance below which it is none.
    """

    fit: float
    similarity: float | None
    text: str
    disputed: tuple[str, ...]
    least: float

    @property
    def misses(self) -> str:
        """Why the best passage is no answer; empty where it may be one."""
        if self.similarity is None:
            return self._shares_words if self.fit < self.least else ""
        if self.similarity < NEAR:
            return (
                f"The passage that comes nearest is similar to the question by "
                f"{self.similarity:.2f}; below {NEAR:.2f} it is about something else."
            )
        together = (self.fit + self.similarity) / 2
        if together < TOGETHER:
            return (
                f"The passage that comes nearest is similar to the question by "
                f"{self.similarity:.2f}, and the best one fits it by {self.fit:.2f}; below a mean "
                f"of {TOGETHER:.2f} they are about the subject and do not say what was asked."
            )
        return ""

    @property
    def _shares_words(self) -> str:
        return (
            f"The passage that comes nearest fits the question by {self.fit:.2f}; below "
            f"{self.least:.2f} it only shares words with it."
        )

    @property
    def fits(self) -> bool:
        """Whether the best passage counts as an answer and not as a part of one."""
        return self.fit >= FITS or (self.similarity or 0.0) >= ALIKE


_NOTHING = "No passage was found that says what was asked."
_OVERRULED = "What was found to say what was asked is overruled, and nothing else says it."


def states_answer(report: Report) -> bool:
    """Whether a report is of a version that says whether it answers its question."""
    return report.schema_version not in ("1.0", "1.1")


def answer(report: Report) -> Opening:
    """Say whether a report answers its question, and with what.

    Without a language model nobody can say that: it opens with the closest passages. With one the
    first cited paragraph of the executive summary is the answer.
    """
    section = direct(report)
    if is_of_quotes(report):
        return _found(report, section)
    claims = on_the_question(report, section)
    best = max((claim.relevance for claim in claims), default=0.0)
    disputed = tuple(_disputed(report, claims, best))
    text = _first(report.summary if section is None else section.summary)
    if any(not usable(claim) and claim.relevance == best for claim in claims):
        text = ""  # what fits best is disputed and not settled: nothing else may stand for it
    least = RATED if section is None else TOUCHES
    found = Found(best, _nearest(claims), text, disputed, least)
    answered, because = _verdict(found, _silent(report, section))
    if because == _NOTHING and any(_overruled(report, section)):
        because = _OVERRULED
    return Opening(answered, text if answered else "", because, disputed)


def _found(report: Report, section: Section | None) -> Opening:
    found = closest(report, passages(report, section))
    claims = on_the_question(report, section)
    best = max((claim.relevance for claim in claims), default=0.0)
    return Opening(None, found.text, found.because, tuple(_disputed(report, claims, best)))


def is_of_quotes(report: Report) -> bool:
    """Whether quotes stand for prose, so that nobody has said whether they answer.

    That is without a language model, and where its synthesis failed or had no room.
    """
    if not report.reasoner.uses_language_model:
        return True
    bounded = report.basis is not None and any(each.synthesis for each in report.basis.left_out)
    failed = any(
        each.agent_type is AgentType.SYNTHESISER and not each.recovered for each in report.failures
    )
    return report.verdict is None and (bounded or failed)


def passages(report: Report, section: Section | None) -> list[str]:
    """The quotes of the section on the question itself, best first, with their markers."""
    written = report.summary if section is None else section.summary
    return [block.text for block in prose.blocks(written) if markers(block.text)]


def match(report: Report) -> QuestionMatch:
    """Say how well a report that was derived so far matches its question."""
    section = direct(report)
    if is_of_quotes(report):
        found = closest(report, passages(report, section))
        disputed = len(report.disputed)
        return QuestionMatch(found.share, 0, bool(found.text), disputed, is_by_words=True)
    claims = on_the_question(report, section)
    works = works_of(report)
    best = max((claim.relevance for claim in claims), default=0.0)
    near = [claim for claim in claims if claim.relevance >= AS_GOOD * best]
    figures = (*report.stated, *section.figures) if section else ()
    measured = {figure.claim_id for figure in figures}
    # A value that was overruled was stated of what was asked all the same.
    measuring = (
        *near,
        *(each for each in _overruled(report, section) if each.relevance >= AS_GOOD * best),
    )
    return QuestionMatch(
        fit=best,
        similarity=_nearest(claims),
        ahead=None if section is None else _ahead(claims, section, is_whole=_is_whole(report)),
        sources=_voices(near, works),
        measuring=_voices([claim for claim in measuring if claim.id in measured], works),
        answered=report.answered is not False,
        disputed=len(report.disputed),
        rejected=_rejected(report, section),
    )


def _rejected(report: Report, section: Section | None) -> int:
    """Count the contradictions on the question itself of which a person held no value right."""
    overruled = {claim.id for claim in _overruled(report, section)}
    return sum(
        _holds_nothing(each) and not overruled.isdisjoint(each.concerned)
        for each in report.contradictions
    )


def _holds_nothing(contradiction: Contradiction) -> bool:
    try:
        return contradiction.ruling is not None and not any(
            holding(contradiction.ruling, len(contradiction.sides))
        )
    except NotOffered:  # an audit names a ruling that nobody could give
        return False


def _overruled(report: Report, section: Section | None) -> list[Claim]:
    """The claims on the question itself that were overruled."""
    return [
        claim
        for claim in report.claims
        if claim.state is ClaimState.OVERRULED
        and (section is None or claim.assignment_id == section.assignment_id)
    ]


def _voices(claims: Iterable[Claim], works: Mapping[str, str]) -> int:
    return len({works.get(claim.source_id, claim.source_id) for claim in claims})


def works_of(report: Report) -> dict[str, str]:
    """Name the work that each source is a format, a translation or an edition of: one voice."""
    return {
        each.id: work(SourceRef(id=each.id, title=each.title, url=each.url, path=each.path))
        for each in report.sources
    }


def _ahead(claims: Sequence[Claim], section: Section, *, is_whole: bool) -> float:
    """How far the best passage that is shown is ahead of the last one for which there is room.

    Where room is left and everything was read, what comes next is below what counts as relevant.
    """
    shown = set(markers(section.summary))
    fits = [claim.relevance for claim in claims if claim.id in shown]
    if not fits:
        return 0.0
    best, last = max(fits), min(fits)
    stands_alone = is_whole and len(fits) < SHOWN
    return max(best - last, min(LEAD, best - RELEVANT)) if stands_alone else best - last


def _is_whole(report: Report) -> bool:
    """Whether nothing failed and nothing was left out: else what is missing might fit as well.

    A document that cannot be read costs its share of the confidence in the ledger, and no more.
    """
    failed = any(each.agent_type is not AgentType.LIBRARIAN for each in report.failures)
    return not (failed or report.basis is None or report.basis.left_out)


def _nearest(claims: Sequence[Claim]) -> float | None:
    """The best similarity of a passage with the question; None where none was compared."""
    compared = (claim.similarity for claim in claims if claim.similarity is not None)
    return max(compared, default=None)


def direct(report: Report) -> Section | None:
    """Find the section on the question itself; a model answers in its summary."""
    return next((section for section in report.sections if section.title == DIRECT), None)


def on_the_question(report: Report, section: Section | None) -> list[Claim]:
    """The claims on the question itself that were not overruled."""
    standing = [claim for claim in report.claims if claim.state is not ClaimState.OVERRULED]
    if section is None:
        return standing
    shown = set(markers(section.summary))
    disputed = frozenset[str]().union(*(each.concerned for each in report.contradictions))
    return [
        claim
        for claim in standing
        if claim.id in shown
        or (claim.id in disputed and claim.assignment_id == section.assignment_id)
    ]


def _verdict(found: Found, silent: Sequence[str]) -> tuple[bool | Literal["partly"], str]:
    if found.fit == 0 or not (found.text or found.disputed):
        return False, _NOTHING
    if found.misses:
        return False, found.misses
    if found.disputed:
        return "partly", (
            "The sources disagree on what is quoted here, and nothing has settled which of them "
            "holds."
        )
    if not found.fits:
        return "partly", (
            f"The best passage fits the question by {found.fit:.2f}: it holds a part of what was "
            f"asked ({FITS:.2f} counts as an answer)."
        )
    if silent:
        return "partly", f"Nothing was found on {', '.join(f'“{each}”' for each in silent)}."
    return True, f"The best passage fits the question by {found.fit:.2f}."


def _disputed(report: Report, claims: Sequence[Claim], best: float) -> Iterator[str]:
    near = {claim.id for claim in claims if claim.relevance >= AS_GOOD * best}
    for each in report.contradictions:
        is_undecided = each.is_open or each.requires_human_review
        if each.affects_answer and is_undecided and not near.isdisjoint(each.concerned):
            yield each.id


def _first(markdown: str) -> str:
    """The first block of a piece of prose that cites something, as it is written."""
    for block in prose.blocks(markdown):
        if markers(block.text):
            return f"- {block.text}" if block.kind is prose.BlockKind.ITEM else block.text
    return ""


def _silent(report: Report, section: Section | None) -> list[str]:
    """The angles of a model's plan on which nothing was found: each is a part of the question."""
    if section is not None:
        return []
    return [each.title for each in report.sections if not each.summary.strip()]
