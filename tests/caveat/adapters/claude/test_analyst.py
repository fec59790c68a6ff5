"""The analyst: no claim without words that are in the source."""

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from caveat.adapters.claude.messages.capabilities import Capabilities
from caveat.adapters.claude.messages.connection import ModelConnection
from caveat.adapters.claude.messages.dialogue import Dialogue
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.adapters.documents.loaded import DocumentFormat
from caveat.adapters.documents.reader import read
from caveat.contracts.source import Analysis
from caveat.failures import PortFailure
from caveat.ports import Answer
from caveat.roles import analyst
from caveat.roles.analyst import ANALYSE
from tests.caveat.adapters.claude.evidence import ANGLE, PAGE, PLANCK, analysis, snapshot
from tests.fakes.messages_api import Fails, Says, StandIn

QUOTE = "The Hubble constant is 67.4 ± 0.5 km/s/Mpc."


def said(quote: str, text: str = "A statement.", relevance: float = 0.8) -> dict[str, Any]:
    return {"text": text, "quote": quote, "relevance": relevance}


def says(*claims: dict[str, Any]) -> Says:
    return Says({"claims": list(claims)})


class Analyses:
    """Runs the analyst and keeps what it reported on the way."""

    def __init__(self, reasoner: ClaudeReasoner) -> None:
        self.reasoner = reasoner
        self.partial: list[tuple[Analysis, float]] = []

    async def of(self, page: str = PAGE, **changes: Any) -> Answer[Analysis]:
        return await self.reasoner.ask(
            ANALYSE,
            analysis(page, **changes),
            snapshot(page),
            lambda found, share: self.partial.append((found, share)),
        )


@pytest.fixture
def analyses(reasoner: ClaudeReasoner) -> Analyses:
    return Analyses(reasoner)


async def test_a_claim_stands_on_its_quote(api: StandIn, analyses: Analyses) -> None:
    api.will(
        says(said(QUOTE, "It is 67.4 ± 0.5 km/s/Mpc."), said('It "assumes" the standard model'))
    )
    found = (await analyses.of()).value
    for claim in found.claims:
        assert PAGE[claim.start : claim.end] == claim.quote
    first, second = found.claims
    assert first.text == "It is 67.4 ± 0.5 km/s/Mpc."
    assert first.location == "Results"
    assert first.id == f"a1-{PLANCK.id}-{first.start}"
    assert (first.source_id, first.assignment_id) == (PLANCK.id, "a1")
    assert second.quote == "It “assumes” the standard model"
    assert (found.rejected_quotes, found.read_to) == (0, len(PAGE))
    assert analyses.partial == []


async def test_a_specialist_is_told_its_own(api: StandIn, analyses: Analyses) -> None:
    page = "# Results\n\nThe top line came to $97 million, 17% above last year.\n"
    quote = "The top line came to $97 million, 17% above last year."
    own = ANGLE.model_copy(update={"instructions": "Say of which period a figure is."})
    api.will(says(said(quote)), says(said(quote)))
    await analyses.of(page, assignments=(own,))
    system = api.requests[0].system
    assert system.startswith(analyst.SETTINGS.instructions)
    assert "Say of which period a figure is." in system
    await analyses.of(page)
    assert api.requests[1].system == analyst.SETTINGS.instructions, "others are told nothing more"


async def test_a_missing_quote_comes_back_once_by_name(api: StandIn, analyses: Analyses) -> None:
    api.will(
        says(said(QUOTE), said("The Hubble constant is 70.0 km/s/Mpc.")),
        says(said("Future missions will measure it better")),
    )
    answer = await analyses.of()
    assert [each.quote for each in answer.value.claims] == [
        QUOTE,
        "Future missions\nwill measure it better",
    ]
    assert answer.value.rejected_quotes == 0
    assert "“The Hubble constant is 70.0 km/s/Mpc.”" in api.requests[1].said[2]
    assert QUOTE not in api.requests[1].said[2]
    assert "Give these claims alone again" in api.requests[1].said[2], "not all of them"
    assert answer.usage.model_calls == 2


async def test_a_quote_never_there_is_dropped(api: StandIn, analyses: Analyses) -> None:
    api.will(says(said("Nobody wrote this here")), says(said(QUOTE), said("Nor was this written")))
    found = (await analyses.of()).value
    assert [each.quote for each in found.claims] == [QUOTE]
    assert found.rejected_quotes == 1


async def test_finds_survive_a_second_turn_that_fails(api: StandIn, analyses: Analyses) -> None:
    api.will(says(said(QUOTE), said("Nobody wrote this here")), Fails(529))
    with pytest.raises(PortFailure):
        await analyses.of()
    ((partial, share),) = analyses.partial
    assert [each.quote for each in partial.claims] == [QUOTE]
    assert (partial.rejected_quotes, partial.read_to, share) == (1, len(PAGE), 1.0)


async def test_nothing_before_the_beginning_is_used(api: StandIn, analyses: Analyses) -> None:
    api.will(says(said(QUOTE)), says())
    found = (await analyses.of(start_at=80)).value
    assert found.claims == ()
    assert "67.4" not in api.requests[0].said[0]


async def test_a_long_source_is_read_as_far_as_it_says(
    api: StandIn, analyses: Analyses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyst, "WINDOW", 100)
    api.will(says(said(QUOTE)), says(said("Future missions will measure it")))
    first = (await analyses.of()).value
    assert PAGE[: first.read_to].endswith("# Outlook\n\n"), "no line is halved"
    assert "Future missions" not in api.requests[0].said[0]
    second = (await analyses.of(start_at=first.read_to)).value
    assert second.read_to == len(PAGE)
    assert [len(each.claims) for each in (first, second)] == [1, 1]


@pytest.mark.parametrize(("longest", "read"), [(None, 240_000), (20_000, 4_000), (0, 2_000)])
async def test_a_server_is_given_no_more_than_it_reads(
    longest: int | None, read: int, api: StandIn, connection: ModelConnection
) -> None:
    short = replace(connection, capabilities=Capabilities(longest=longest))
    api.will(says())
    reasoner = ClaudeReasoner(Dialogue(short))
    assert (await Analyses(reasoner).of("x" * 250_000)).value.read_to == read
    assert len(api.requests[0].said[0]) < read + analyst.BESIDE


@pytest.mark.parametrize(
    "text",
    [
        "It is 67.4 ± 0.5 km/s/Mpc, see https://evil.example.",
        "It is 67.4 ± 0.5 km/s/Mpc, see www.evil.example.",
        "x" * 2_001,
    ],
)
async def test_a_bold_statement_becomes_quote(text: str, api: StandIn, analyses: Analyses) -> None:
    api.will(says(said(QUOTE, text)))
    (claim,) = (await analyses.of()).value.claims
    assert claim.text == claim.quote == QUOTE


async def test_a_claim_answers_every_question_it_names(api: StandIn, analyses: Analyses) -> None:
    other = ANGLE.model_copy(update={"id": "a2", "question": "Who measured it?"})
    both = {**said(QUOTE), "questions": ["a2", "a1", "a9"]}
    api.will(says(both, said("the standard model", relevance=0.4)))
    found = (await analyses.of(assignments=(ANGLE, other))).value
    asked = [(each.assignment_id, each.start) for each in found.claims]
    start = PAGE.index(QUOTE)
    assert asked == [("a2", start), ("a1", start), ("a1", PAGE.index("the standard model"))]
    assert api.requests[0].said[0].index(QUOTE) < api.requests[0].said[0].index("Who measured it?")


@pytest.mark.parametrize(
    ("words", "day"),
    [("18 July 2018", dt.date(2018, 7, 18)), ("19 July 2018", None), ("3 May 2017", None)],
)
async def test_a_document_is_dated_by_its_own_words_alone(
    words: str, day: dt.date | None, api: StandIn, analyses: Analyses
) -> None:
    letterhead = {"author": "The team", "date": "2018-07-18", "date_in_words": words}
    api.will(Says({"document": letterhead, "claims": []}))
    facts = (await analyses.of(f"18 July 2018\n\nIt began on 3 May 2017.\n\n{PAGE}")).value.document
    assert facts is not None
    assert (facts.author, facts.published) == ("The team", day)


@pytest.mark.parametrize(
    ("title", "author", "kept"),
    [
        ("Planck report of the Hubble constant", "The Planck team", (True, True)),
        ("x", "The Planck team", (False, True)),
        ("x", "Lanck", (False, False)),  # a part of a word of it
        ("A report of the Bergvik court", "Mr Invented", (False, False)),
        ("Planck report 2031/04", "", (False, True)),
        ("Police hearing on fraud", "", (False, True)),
    ],
)
async def test_a_document_is_called_by_names_and_numbers_that_stand_in_it(
    title: str, author: str, kept: tuple[bool, bool], api: StandIn, analyses: Analyses
) -> None:
    api.will(Says({"document": {"title": title, "author": author}, "claims": []}))
    facts = (await analyses.of(f"By the Planck team of the Hubble house.\n\n{PAGE}")).value.document
    assert facts is not None
    assert (facts.title == title, facts.author == author) == kept


@pytest.mark.parametrize(
    ("head", "row", "columns"),
    [
        ("paid,to,amount_gbp", "2023-03-14,Castell,412000", "paid, to, amount_gbp"),
        ("item,to,amount GBP", "Two new cars,Castell,412000", "item, to, amount GBP"),
    ],
)
async def test_a_row_of_a_table_is_told_by_its_columns(
    head: str, row: str, columns: str, api: StandIn, analyses: Analyses
) -> None:
    table = read(DocumentFormat.TABLE, f"{head}\n{row}\n".encode()).snapshot
    api.will(says(said(row.replace(",", " "), "Castell was paid £412,000.")))
    answer = await analyses.reasoner.ask(ANALYSE, analysis(table.text), table)
    (claim,) = answer.value.claims
    assert claim.location == columns
