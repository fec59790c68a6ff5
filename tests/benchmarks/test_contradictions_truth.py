"""When two values contradict each other, and when they are the same value written differently."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.contradicting.reading import name, value
from benchmarks.contradicting.statements import Sort, Statement
from benchmarks.contradicting.truth import Pair, Verdict, compared, pairs


def said(
    package: str,
    written: str,
    *,
    attribute: str = "melting point",
    sort: Sort = Sort.MEASURE,
    scope: str = "",
    entity: str = "iron",
) -> Statement:
    values = tuple(name(each) if sort is Sort.NAME else value(each) for each in written.split("; "))
    return Statement(entity, attribute, sort, package, f"{package}: {written}", values, scope)


def verdicts(*statements: Statement) -> list[Verdict]:
    return [pair.verdict for pair in pairs(statements)]


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("1811", "1811.15", Verdict.AGREE),  # rounded
        ("4.002", "4.0026", Verdict.AGREE),  # cut off
        ("2", "1.9", Verdict.AGREE),
        ("2", "1.4", Verdict.CONTRADICT),  # neither rounds nor cuts off to it
        ("1.284 million", "1,284,000", Verdict.AGREE),
        ("1.284 million", "1,285,216", Verdict.IMMATERIAL),
        ("41,800,000", "41,850,000", Verdict.AGREE),  # three digits count, the zeros fill up
        ("3000", "3500", Verdict.CONTRADICT),  # three digits count, so this is no thousand
        ("121.75", "121.76", Verdict.IMMATERIAL),
        ("1808.15", "1811.15", Verdict.CONTRADICT),
        ("8.2e-05", "0.0000899", Verdict.CONTRADICT),
        ("-38.8", "-38.83", Verdict.AGREE),
        ("0.95", "0.95", Verdict.AGREE),
    ],
)
def test_a_measure_is_as_precise_as_it_is_written(one: str, other: str, verdict: Verdict) -> None:
    assert compared(value(one), value(other), Sort.MEASURE) is verdict
    assert compared(value(other), value(one), Sort.MEASURE) is verdict


@given(
    st.decimals(min_value=1, max_value=1_000_000, places=4, allow_nan=False),
    st.integers(min_value=0, max_value=3),
)
def test_a_value_agrees_with_itself_rounded(number: object, places: int) -> None:
    written = f"{number:.4f}"
    rounded = f"{round(float(written), places):.{places}f}"
    assert compared(value(written), value(rounded), Sort.MEASURE) is Verdict.AGREE


@given(st.floats(min_value=1, max_value=1e6), st.floats(min_value=1.01, max_value=10))
def test_a_value_contradicts_another_to_the_same_decimal(number: float, factor: float) -> None:
    one, other = value(f"{number:.4f}"), value(f"{number * factor:.4f}")
    assert compared(one, other, Sort.MEASURE) is Verdict.CONTRADICT
    assert compared(other, one, Sort.MEASURE) is Verdict.CONTRADICT


def test_units_are_compared_after_conversion() -> None:
    angstrom, picometres = value("2.5", 100.0), value("215")
    assert compared(angstrom, picometres, Sort.MEASURE) is Verdict.CONTRADICT
    assert compared(value("1.5", 100.0), value("145"), Sort.MEASURE) is Verdict.AGREE


def test_years_and_definitions_know_no_rounding() -> None:
    assert compared(value("1766"), value("1776"), Sort.YEAR) is Verdict.CONTRADICT
    assert compared(value("1790"), value("1791"), Sort.YEAR) is Verdict.CONTRADICT
    assert compared(value("3"), value("13"), Sort.EXACT) is Verdict.CONTRADICT


def test_names_are_compared_by_their_letters() -> None:
    assert compared(name("Washington D.C."), name("Washington, DC"), Sort.NAME) is Verdict.AGREE
    assert compared(name("Suva (on Viti Levu)"), name("Suva"), Sort.NAME) is Verdict.AGREE


def test_only_other_packages_and_the_same_attribute_are_compared() -> None:
    found = verdicts(
        said("a", "1811"),
        said("a", "1700"),
        said("b", "1811", attribute="boiling point"),
        said("b", "1811", entity="tin"),
    )
    assert found == []


def test_a_value_for_one_of_several_scopes_is_enough() -> None:
    grey, white = said("b", "286.35", scope="grey"), said("b", "505.078", scope="white")
    assert verdicts(said("a", "505.08"), grey, white) == [Verdict.AGREE]
    assert verdicts(said("a", "400"), grey, white) == [Verdict.CONTRADICT]
    assert verdicts(said("a", "286.35", scope="white"), grey) == []


def test_a_statement_with_several_values_contradicts_only_what_none_of_them_allows() -> None:
    france = said("a", "643,801; 551,500")
    assert verdicts(france, said("b", "551,500")) == [Verdict.AGREE]
    assert verdicts(france, said("b", "547,030")) == [Verdict.CONTRADICT]


def test_a_copied_value_is_no_second_contradiction() -> None:
    found: list[Pair] = list(
        pairs([said("a", "1776"), said("b", "1776"), said("b", "1766"), said("c", "1766")])
    )
    disputed = {pair.key for pair in found if pair.verdict is Verdict.CONTRADICT}
    assert len(disputed) == 1
