"""A sentence cites only what says the same as it does."""

import pytest

from caveat.contracts.audit import Check
from caveat.rules.sentences import Grounds, check_prose, find_sentence_flaws
from caveat.rules.text import Piece
from tests.fakes.claims import a_claim

REDUCES = "Aspirin reduces the risk of heart attack."


def _cited_together(other: str, *, uses_language_model: bool = False) -> list[str]:
    claims = {"c1": a_claim("c1", REDUCES), "c2": a_claim("c2", other)}
    piece = Piece(f"- “{REDUCES}” [c1][c2]", claims)
    found = check_prose(piece, Grounds(claims), quotes_alone=not uses_language_model)
    return [finding.message for finding in found if finding.check is Check.CITATION]


@pytest.mark.parametrize(
    "other",
    [
        "Aspirin does not reduce the risk of heart attack.",
        "Aspirin increases the risk of heart attack.",
        "Aspirin fails to reduce the risk of heart attack.",
    ],
)
def test_no_quote_cites_its_opposite(other: str) -> None:
    (message,) = _cited_together(other)
    assert "claim c2, which says otherwise" in message


def test_a_quote_cites_no_other_statement() -> None:
    other = "Aspirin reduces the risk of stroke."
    (message,) = _cited_together(other, uses_language_model=False)
    assert "claim c2, which is another statement" in message
    assert _cited_together(other, uses_language_model=True) == []


def test_the_same_statement_may_be_cited_with_it() -> None:
    other = "aspirin reduces risk of heart attack"
    assert _cited_together(other, uses_language_model=False) == []


@pytest.mark.parametrize(
    ("title", "quote"),
    [
        ("Sphinx 1.3", "Sphinx 1.3.0 was released after Sphinx 1.3.1."),
        ("Release 2", "Release 2,500 of Prerelease 2 came late."),
        ("Version 4", "Version 4 and Version 40 differ."),
    ],
)
def test_a_title_is_no_part_of_a_longer_number_or_word(title: str, quote: str) -> None:
    piece = Piece(f"- “{quote}” [c1]", {"c1": a_claim("c1", quote, source_id="s1")})
    grounds = Grounds(piece.claims, {"s1": title})
    assert not list(check_prose(piece, grounds, quotes_alone=True))


def test_naming_a_source_by_its_title_states_no_number() -> None:
    claim = a_claim("c1", REDUCES, source_id="s1")
    text = "Planck 2018 results (VI) says that aspirin reduces the risk. [c1]"
    piece = Piece(text, {"c1": claim})
    grounds = Grounds(piece.claims, {"s1": "Planck 2018 results (VI)"})
    found = check_prose(piece, grounds, quotes_alone=False)
    assert [finding for finding in found if finding.check is Check.NUMBER] == []


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("The drug lowers the risk.", True),
        ("It halves it by 12%.", False),
        ("It is certain that nobody voted.", False),
    ],
)
def test_a_sentence_shares_a_word_or_number_with_what_it_cites(text: str, stands: bool) -> None:
    claims = {"c1": a_claim("c1", REDUCES)}
    piece = Piece(f"{text} [c1]", claims)
    (sentence,) = piece.sentences
    drafted = find_sentence_flaws(sentence, claims, Grounds(claims))
    published = check_prose(piece, Grounds(claims))
    for flaws in (drafted, [finding.message for finding in published]):
        assert any("no word and no number" in flaw for flaw in flaws) is not stands
