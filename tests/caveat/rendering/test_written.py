"""A report that a model wrote: its answer once, then what is disputed, quotes in an appendix."""

import json
from typing import Any

import pytest

from caveat.adapters.files.typst.compositor import build_document as printed_document
from caveat.adapters.files.typst.compositor import compose
from caveat.contracts.report import Report
from caveat.contracts.synthesis import (
    Calculation,
    Operand,
    ReadSentence,
    Support,
    Verdict,
    Verification,
    Weighing,
)
from caveat.rendering.edition import Edition, PrintedSide
from caveat.rendering.markdown import render
from caveat.rules.report.derivation import derive_report
from caveat.rules.text import list_pieces
from tests.fakes.reports import a_disputed_report, a_report


def written(given: Report | None = None, **changes: Any) -> Report:
    report = (given or a_report()).model_copy(update={"verdict": Verdict.ANSWERED, **changes})
    read = tuple(
        ReadSentence(
            text=each.text, claims=tuple(dict.fromkeys(each.cited)), support=Support.SUPPORTED
        )
        for piece in list_pieces(report)
        for each in piece.sentences
    )
    return derive_report(report.model_copy(update={"verification": Verification(read=read)}))


def test_a_quote_stands_once_in_the_prose_or_in_the_appendix() -> None:
    report = written()
    before, _, behind = render(report).replace("\\", "").partition("Quotes that the prose")
    assert "In the words of the sources" not in before
    appended = behind.partition("</details>")[0]
    cited = {name for section in report.sections for name in section.claims}
    for claim in report.claims:
        if claim.id in cited:
            words = claim.quote.rstrip(".")
            assert (words in before) != (words in appended), claim.quote


def dated(*texts: str, **changes: Any) -> Report:
    """A report whose claims say these texts, and whose answer cites them all."""
    first = a_report().claims[0]
    claims = tuple(
        first.model_copy(update={"id": f"c{at}", "text": text, "quote": text, **changes})
        for at, text in enumerate(texts, start=1)
    )
    summary = " ".join(f"It is so [{claim.id}]." for claim in claims)
    return a_report().model_copy(
        update={
            "verdict": Verdict.ANSWERED,
            "claims": claims,
            "summary": summary,
            "contradictions": (),
        }
    )


def test_a_computed_number_is_shown_with_what_it_comes_from() -> None:
    operands = tuple(
        Operand(name=name, claim_id="c1", value=value) for name, value in (("a", "12"), ("b", "9"))
    )
    made = Calculation(expression="(a - b) / b", operands=operands, result="33 per cent")
    even = made.model_copy(update={"expression": "a / b * 12", "result": "sixteen eggs"})
    unused = made.model_copy(update={"result": "a third"})
    report = dated("It fell.", quote="It fell from 12 to 9.").model_copy(
        update={
            "summary": "It fell by 33 per cent, sixteen a day [c1].",
            "calculations": (made, even, unused),
        }
    )
    markdown = render(report)
    assert "**16 eggs** \\= 12 ÷ 9 × 12 [" in markdown
    assert "**33 per cent** ≈ (12 − 9) ÷ 9 [" in markdown
    assert "a third" not in markdown


@pytest.mark.parametrize(
    ("expression", "values", "result", "shown"),
    [
        ("a + b", ("18.700 Euro", "1,5 Millionen Euro"), "1,518,700 euros",
         "18,700 Euro + 1,500,000 Euro ["),
        ("1 - a", ("20 Prozent",), "80 per cent", "1 − 20% ["),
        ("a + b", ("4:00", "3:45"), "7 hours and 45 minutes", "4:00 + 3:45 ["),
    ],
)  # fmt: skip
def test_values_of_another_language_are_computed_in_one_notation(
    expression: str, values: tuple[str, ...], result: str, shown: str
) -> None:
    operands = tuple(
        Operand(name=name, claim_id="c1", value=value)
        for name, value in zip("ab", values, strict=False)
    )
    made = Calculation(expression=expression, operands=operands, result=result)
    quote = "Das Dach kostete 18.700 Euro, davon 20 Prozent vom Rat der Stadt, und die Pumpe "
    quote += "kostete 1,5 Millionen Euro. Das dauerte 4:00 und 3:45."
    report = dated("They cost.", quote=quote).model_copy(
        update={
            "topic": "What did the roof and the pump cost?",
            "summary": f"They cost {result} [c1].",
            "calculations": (made,),
        }
    )
    assert f"\\= {shown}" in render(report)


def test_a_pdf_holds_what_markdown_and_html_hold() -> None:
    disputed = a_disputed_report()
    dispute = next(each for each in disputed.contradictions if each.ruling is None)
    weighing = Weighing(
        contradiction_id=dispute.id, side="a", text=f"It is newer [{dispute.claims[0]}]."
    )
    report = written(disputed, weighings=(weighing,))
    printed = json.dumps(printed_document(report), ensure_ascii=False)
    assert "It is newer" in printed
    edition = Edition(report)
    quotes = [edition.claims[name].quote for name in edition.further]
    assert quotes
    assert all(json.dumps(each, ensure_ascii=False)[1:-1] in printed for each in quotes)
    assert compose(report).startswith(b"%PDF")


def _of_values(given: Report, values: list[str]) -> tuple[PrintedSide, ...]:
    dispute = given.contradictions[0]
    pairs = zip(dispute.sides, values, strict=True)
    sides = tuple(side.model_copy(update={"value": value}) for side, value in pairs)
    return Edition(given).build_sides(dispute.model_copy(update={"sides": sides}))


def test_a_value_that_is_its_quote_stands_once_and_one_that_begins_it_has_its_place() -> None:
    given = a_disputed_report()
    dispute = given.contradictions[0]
    quotes = [Edition(given).claims[name].quote for name in dispute.claims]
    for values in (quotes, [f"{quote[:40]}…" for quote in quotes]):
        shown = _of_values(given, values)
        assert [side.value for side in shown] == ["", ""]
    begun = [quote.split()[0] for quote in quotes]
    assert [side.value for side in _of_values(given, begun)] == begun
