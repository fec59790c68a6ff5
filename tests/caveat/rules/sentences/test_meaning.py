"""A sentence says no more than the words of its quotes, as far as words show it."""

import datetime as dt

import pytest

from benchmarks.falsehoods import (
    CLAIMS,
    FALSEHOODS,
    OTHERS,
    TITLES,
    TOPIC,
    TRUE_OTHERS,
    TRUTHS,
    USABLE,
    is_published,
    passes,
)
from caveat.contracts.claim import Claim, ClaimState
from caveat.contracts.synthesis import Arithmetic, Calculation, Operand
from caveat.rules.sentences import Grounds, find_sentence_flaws
from caveat.rules.text import Piece
from tests.fakes.claims import a_claim


def flaws(sentence: str, *claims: Claim, topic: str = "") -> str:
    known = {each.id: each for each in claims}
    usable = {name: each for name, each in known.items() if each.state is not ClaimState.OVERRULED}
    (said,) = Piece(sentence, usable).sentences
    return " ".join(find_sentence_flaws(said, usable, Grounds(known, topic=topic)))


def test_code_alone_publishes_at_most_two_of_five_kinds_of_false_sentences() -> None:
    published = [each.kind for each in FALSEHOODS if is_published(each.sentence)]
    assert len(FALSEHOODS) >= 40
    assert len(published) <= 0.4 * len(FALSEHOODS), published


def test_code_holds_no_true_sentence_back() -> None:
    assert [each for each in TRUTHS if not is_published(each)] == []


def test_what_a_model_says_beside_sentences_is_held_as_well() -> None:
    passed = [each.kind for each in OTHERS if passes(each)]
    assert len(OTHERS) >= 20
    assert len(passed) <= 0.1 * len(OTHERS), passed
    assert [each.kind for each in TRUE_OTHERS if not passes(each)] == []


CAUGHT = (
    ("a unit a thousand times smaller", "stands in no claim"),
    ("another number", "stands in no claim"),
    ("another month", "is a name that nothing it cites has"),
    ("another name", "is a name that nothing it cites has"),
    ("proven beyond doubt", "judges what no quote"),
    ("the writer's adjective", "judges what no quote"),
    ("which side is more likely", "judges what no quote"),
    ("a causal link", "says a cause"),
    ("a false comparison", "says a comparison"),
    ("an unanimous vote", "says a whole"),
    ("a negation added", "denies what it cites affirms"),
    ("a negation dropped", "affirms what it cites denies"),
    ("an opposite", "says the opposite"),
    ("a doubt left out", "with a doubt or a condition"),
    ("attribution swapped", "is another source than the one that it cites"),
    ("an overruled statement", "which is overruled"),
    ("an injected sentence", "shares too few words"),
    ("an injected instruction, word for word", "is an instruction and no finding"),
    ("a model that speaks for itself", "is an instruction and no finding"),
    ("a name from beside the quote", "is a name that nothing it cites has"),
    ("a name that begins the sentence", "is a name that nothing it cites has"),
    ("somebody of the quote who did not say it", "says nothing in what it cites"),
)


@pytest.mark.parametrize(("kind", "why"), CAUGHT)
def test_why_a_false_sentence_is_held_back(kind: str, why: str) -> None:
    (falsehood,) = [each for each in FALSEHOODS if each.kind == kind]
    (said,) = Piece(falsehood.sentence, USABLE).sentences
    assert why in " ".join(find_sentence_flaws(said, USABLE, Grounds(CLAIMS, TITLES, TOPIC)))


def test_a_number_in_words_is_the_same_in_digits() -> None:
    claim = a_claim("c1", "The bill is five million eight hundred and forty thousand pounds.")
    assert flaws("The bill is £5.84 million [c1].", claim) == ""
    assert "£5.85 million stands in no claim" in flaws("The bill is £5.85 million [c1].", claim)


def test_words_in_another_language_are_not_compared() -> None:
    claim = a_claim("c1", "Die Rechnung für das Bad ist der Stadt zu hoch und wird nicht bezahlt.")
    assert flaws("The town does not pay the bill for the baths [c1].", claim) == ""


def test_the_same_words_with_another_number_in_a_claim_that_is_not_cited() -> None:
    one = a_claim("c1", "The bridge is 412 metres long.", source_id="s1")
    other = a_claim("c2", "The bridge is 398 metres long.", source_id="s2")
    assert "c2 says the same with another number" in flaws(
        "The bridge is long: 412 metres [c1].", one, other
    )
    contested = one.model_copy(update={"contested_by": ("c2",)})
    assert flaws("The bridge is long: 412 metres [c1].", contested, other) == ""


def test_a_day_that_a_quote_abbreviates_is_no_other_name() -> None:
    claim = a_claim("c1", "Mon 27 Mar 2023: the ferry left under tow for the yard.")
    assert flaws("The ferry left for the yard on Monday 27 March 2023 [c1].", claim) == ""
    other = flaws("The ferry left for the yard on Tuesday 27 March 2023 [c1].", claim)
    assert "“Tuesday” is a name that nothing it cites has" in other


def test_a_name_of_the_question_needs_no_quote() -> None:
    claim = a_claim("c1", "It opened in May.")
    assert "Thornwick" in flaws("The baths in Thornwick opened in May [c1].", claim)
    topic = "When did Thornwick Baths open?"
    assert flaws("Thornwick Baths opened in May [c1].", claim, topic=topic) == ""
    assert "“Bergvik”" in flaws("Bergvik Baths opened in May [c1].", claim, topic=topic)


def test_a_source_that_says_nothing_is_not_taken_for_the_one_that_is_named() -> None:
    diary = a_claim("c1", "It is still the same six lanes.", source="blog")
    paper = a_claim("c2", "The queue reached the bus stop.", source="paper")
    titles = {"blog": "Back in the water", "paper": "Swimmer's return"}
    (said,) = Piece(
        "According to a swimmer's diary, it has six lanes [c1].", {"c1": diary}
    ).sentences
    alone = find_sentence_flaws(said, {"c1": diary}, Grounds({"c1": diary}, titles))
    beside = find_sentence_flaws(said, {"c1": diary}, Grounds({"c1": diary, "c2": paper}, titles))
    assert "another source" not in " ".join(alone)
    assert "another source" in " ".join(beside)


def test_a_source_may_be_named_by_its_author_and_its_day() -> None:
    claim = a_claim("c1", "The bridge is closed to lorries.", source="note")
    grounds = Grounds(
        {"c1": claim},
        {"note": "Bridge note 7"},
        authors={"note": "Ada Brook"},
        dates={"note": dt.date(2024, 6, 21)},
    )
    for named in ("Ada Brook's note of 21 June 2024", "Bridge note 7", "the June 2024 note"):
        (said,) = Piece(
            f"According to {named} lorries may not use it [c1].", {"c1": claim}
        ).sentences
        assert not [
            flaw for flaw in find_sentence_flaws(said, {"c1": claim}, grounds) if "21" in flaw
        ]
    (said,) = Piece("According to 21 notes it is closed to lorries [c1].", {"c1": claim}).sentences
    assert "21" in " ".join(find_sentence_flaws(said, {"c1": claim}, grounds))


def test_a_name_may_be_longer_than_in_the_quote_where_the_text_around_it_has_it_whole() -> None:
    claim = a_claim("c1", "The chair said that the Trust had no reserves.")
    around = claim.model_copy(update={"before": "The Marsh Leisure Trust met on Monday. "})
    said = "The chair said that the Marsh Leisure Trust had no reserves [c1]."
    assert "is a name that" in flaws(said, claim)
    assert flaws(said, around) == ""
    elsewhere = a_claim("c2", "He wrote to the Marsh Leisure Trust.", source_id="s2")
    assert flaws(said, claim, elsewhere) == ""


def test_the_letter_of_a_block_does_not_make_it_an_obstacle() -> None:
    claim = a_claim("c1", "The cause of the fire was a loose joint.", location="Block C")
    assert flaws("The cause of the fire in block C was a loose joint [c1].", claim) == ""
    assert "opposite" in flaws("A joint would block the fire that was loose [c1].", claim)


def test_the_month_of_may_is_no_doubt() -> None:
    claim = a_claim("c1", "The plant was off for six hours on the morning of 11 May.")
    assert flaws("The plant was off for six hours on that morning [c1].", claim) == ""
    wrong = flaws("The plant was off for six weeks [c1].", claim)
    assert "six weeks stands in no claim" in wrong
    assert "doubt" not in wrong


def test_a_sentence_that_was_computed_needs_no_words_of_its_quotes() -> None:
    claims = {
        "c1": a_claim("c1", "The press gives 610 MW of rated power.", source="press"),
        "c2": a_claim("c2", "In the test 560 MW of rated power were measured.", source="note"),
    }
    operands = (Operand(claim_id="c1", value="610 MW"), Operand(claim_id="c2", value="560 MW"))
    made = Calculation(arithmetic=Arithmetic.DIFFERENCE, operands=operands, result="50 MW")
    (said,) = Piece("The two figures differ by 50 MW [c1][c2].", claims).sentences
    assert list(find_sentence_flaws(said, claims, Grounds(claims, calculations=[made]))) == []
    assert list(find_sentence_flaws(said, claims, Grounds(claims)))


@pytest.mark.parametrize(
    ("topic", "sentence", "wanted"),
    [
        (
            "Was kostet die Brücke, und wer hat sie gebaut?",
            "The bridge was built by the town.",
            "German",
        ),
        (
            "Who built the bridge, and what did it cost?",
            "Die Brücke wurde von der Stadt gebaut.",
            "English",
        ),
        (
            "Combien coûte le pont et qui l'a construit ?",
            "The bridge was built by the town.",
            "French",
        ),
    ],
)
def test_a_sentence_is_in_the_language_of_the_question(
    topic: str, sentence: str, wanted: str
) -> None:
    claim = a_claim("c1", "Die Brücke ist ein Werk der Stadt, die sie gebaut hat.", "s1")
    assert f"the report is to be in {wanted}" in flaws(f"{sentence[:-1]} [c1].", claim, topic=topic)


def test_a_quotation_keeps_its_language_and_a_question_of_names_asks_for_none() -> None:
    quote = "Die Brücke ist ein Werk der Stadt, die sie gebaut hat."
    claim, asked = a_claim("c1", quote, "s1"), "Who built the bridge, and what did it cost?"
    assert "is to be in" not in flaws(f"“{quote}” [c1]", claim, topic=asked)
    said = f"The minutes say “{quote[:-1]}” [c1]."
    assert "is to be in" not in flaws(said, claim, topic=asked)
    assert "is to be in" not in flaws("The bridge was built by it [c1].", claim, topic="Brücke Au")


def test_what_is_computed_may_not_come_to_a_value_that_was_overruled() -> None:
    tender = a_claim("c1", "The tender was £548,000.")
    saved = a_claim("c2", "The firm took off £8,000.")
    account = a_claim("c3", "The final account was £540,000.", state=ClaimState.OVERRULED)
    less = Calculation(
        arithmetic=Arithmetic.DIFFERENCE,
        operands=(
            Operand(claim_id="c1", value="£548,000"),
            Operand(claim_id="c2", value="£8,000"),
        ),
        result="£540,000",
    )
    known = {each.id: each for each in (tender, saved, account)}
    (said,) = Piece("The tender less that is £540,000 [c1][c2].", known).sentences
    usable = {name: known[name] for name in ("c1", "c2")}
    told = list(find_sentence_flaws(said, usable, Grounds(known, calculations=(less,))))
    assert told == ["It comes to a value of c3, which is overruled."]


def test_the_name_of_a_source_comes_to_no_value() -> None:
    title = "A pool for the next fifty years"
    head = a_claim("c1", f"{title}. It opened on Saturday.", state=ClaimState.OVERRULED)
    bill = a_claim("c2", "The bill is £5.1 million.", "s-c1")
    known = {"c1": head, "c2": bill}
    (said,) = Piece(f"“{title}”: “The bill is £5.1 million” [c2].", known).sentences
    assert not list(find_sentence_flaws(said, {"c2": bill}, Grounds(known, titles={"s-c1": title})))


GERMAN = "Jeder Wagen fasst vierzig Personen, davon vierundzwanzig auf den Sitzplätzen."


@pytest.mark.parametrize(
    ("said", "quoted", "stands"),
    [
        (
            "It stood still for eleven weeks [c1].",
            "Der Kran war elf Wochen lang außer Betrieb.",
            True,
        ),
        (
            "It stood still for twelve weeks [c1].",
            "Der Kran war elf Wochen lang außer Betrieb.",
            False,
        ),
        (
            "Der Kran war zwölf Wochen außer Betrieb [c1].",
            "The crane stood still for 12 weeks.",
            True,
        ),
        (
            "Der Kran war elf Wochen außer Betrieb [c1].",
            "The crane stood still for 12 weeks.",
            False,
        ),
        ("It holds forty, 24 of them on seats [c1].", GERMAN, True),
        ("It holds forty, 16 of them on seats [c1].", GERMAN, False),
        ("The waves were 4.1 metres high [c1].", "Die Wellen waren 4,1 Meter hoch.", True),
        ("The waves were 1.4 metres high [c1].", "Die Wellen waren 4,1 Meter hoch.", False),
        ("It cost 2.5 million [c1].", "Das hat 2,5 Mio. Euro gekostet.", True),
        ("They were “4,1 Meter” high [c1].", "Die Wellen waren 4,1 Meter hoch.", True),
        ("The bill is £2.5 million [c1].", "The bill is £2.5m.", True),
        ("The bill is £2.5 [c1].", "The bill is £2.5m.", False),
        ("She warned three times [c1].", "Sie hat das Krankenhaus dreimal gewarnt.", True),
        ("It was paid on 14 March 2023 [c1].", "2023-03-14\tCastell\t412000\tpaid", True),
        ("It was paid on 15 March 2023 [c1].", "2023-03-14\tCastell\t412000\tpaid", False),
    ],
)
def test_a_number_or_a_day_is_the_same_in_words_of_another_language_or_form(
    said: str, quoted: str, *, stands: bool
) -> None:
    assert ("stands in no claim" not in flaws(said, a_claim("c1", quoted))) is stands


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("By 30 September 2025 overtime cost £1,640 thousand [c1].", True),
        ("By 30 September 2025 overtime cost £1.64 million [c1].", True),
        ("By 30 September 2025 overtime cost £1,640 [c1].", False),
        ("Overtime took 12 weeks [c1].", True),
        ("Overtime took 12 thousand weeks [c1].", False),
    ],
)
def test_a_cell_is_read_with_its_column(said: str, *, stands: bool) -> None:
    columns = "Cost to 30 September 2025 (£ thousand), Weeks"
    row = a_claim("c1", "Overtime\t1,640\t12", location=columns)
    assert ("stands in no claim" not in flaws(said, row)) is stands


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("A spokesman of the Trust said that no patient came to harm [c1].", True),
        ("No patient came to harm [c1].", False),
        ("No patient came to harm, said a spokesman of the Trust [c1], who drank heavily.", False),
    ],
)
def test_what_somebody_said_is_theirs_and_what_nothing_carries_nobodys(
    said: str, *, stands: bool
) -> None:
    claim = a_claim("c1", "A spokesman of the Trust said that no patient came to harm.")
    assert (flaws(said, claim) == "") is stands


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("In March 644 operations were cancelled [c1].", True),
        ("In March 2,870 operations were cancelled [c1].", False),
        ("In March 644 patients waited for over 18 weeks [c1].", False),
        ("In March 2,870 patients waited for over 18 weeks [c1].", True),
        ("It was 644 in March [c1].", True),
    ],
)
def test_a_number_is_of_its_own_column(said: str, *, stands: bool) -> None:
    columns = "Cancelled operations, Waiting over 18 weeks (patients)"
    row = a_claim("c1", "March\t644\t2,870", location=columns)
    assert ("stands under" not in flaws(said, row)) is stands


def test_who_is_meant_may_be_named_in_the_sentence_before_a_quote_that_names_nobody() -> None:
    closed = a_claim("c1", "The final account closed at £412,000.")
    before = "Lune paid late. The bridge was built by Castell. "
    after = closed.model_copy(update={"before": before})
    assert flaws("The final account of Castell closed at £412,000 [c1].", after) == ""
    assert "Lune" in flaws("The final account of Lune closed at £412,000 [c1].", after)


@pytest.mark.parametrize(
    ("quote", "is_sure"),
    [
        ("The line was shut on 27 September 2020, although the town had hoped for a buyer.", True),
        ("They shut the line on 27 September 2020 and had hoped to be shut for a year.", True),
        ("If no buyer came, the line was shut on 27 September 2020.", False),
        ("The line was perhaps shut on 27 September 2020, and the town paid.", False),
    ],
)
def test_a_doubt_in_another_clause_is_none_of_what_is_said(quote: str, *, is_sure: bool) -> None:
    said = flaws("The line was shut on 27 September 2020 [c1].", a_claim("c1", quote))
    assert ("with a doubt" not in said) is is_sure


def test_what_is_not_said_may_be_named_as_the_question_names_it() -> None:
    claim = a_claim("c1", "The county maintained the line until its closure in 2020.")
    asked = "Who maintained the line in 2023?"
    silent = "Who maintained the line in 2023 is not said: the county did until 2020 [c1]."
    assert flaws(silent, claim, topic=asked) == ""
    told = "The county maintained the line in 2023 [c1]."
    assert "2023 stands in no claim" in flaws(told, claim, topic=asked)


def test_a_day_without_a_year_is_of_the_year_of_its_source() -> None:
    claim = a_claim("c1", "Work had begun on 11 April.")
    known = {"c1": claim}
    grounds = Grounds(known, dates={claim.source_id: dt.date(2022, 5, 25)})
    for said, stands in (("11 April 2022", True), ("11 April 2021", False)):
        (sentence,) = Piece(f"Work had begun on {said} [c1].", known).sentences
        assert (not list(find_sentence_flaws(sentence, known, grounds))) is stands


def test_a_cell_is_in_the_currency_of_its_column() -> None:
    cell = a_claim("c1", "Castell\t742000", location="paid to, amount_gbp")
    assert flaws("Castell was paid £742,000 [c1].", cell) == ""
    assert "stands in no claim" in flaws("Castell was paid $742,000 [c1].", cell)


@pytest.mark.parametrize("marks", ["[c1][c2]", "[c2][c1]"])
def test_sources_may_be_named_by_days_of_one_month(marks: str) -> None:
    claims = {
        "c1": a_claim("c1", "The cost is £2.12 million.", "minutes"),
        "c2": a_claim("c2", "It came to £1.84 million.", "letter"),
    }
    days = {"minutes": dt.date(2022, 7, 13), "letter": dt.date(2022, 7, 4)}
    text = "The letter of 4 July 2022 gives £1.84 million, that of 13 July 2022 £2.12 million"
    (said,) = Piece(f"{text} {marks}.", claims).sentences
    assert not [
        each
        for each in find_sentence_flaws(said, claims, Grounds(claims, dates=days))
        if "stands in no claim" in each
    ]
