"""Numerals as reports and sources write them."""

from decimal import Decimal

import pytest
from babel.numbers import format_decimal
from hypothesis import given
from hypothesis import strategies as st

from caveat.quantities.numerals import find_decimal_mark, find_numbers, find_numerals
from caveat.rules.lines import build_word_list


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("67.4 ± 0.5 km/s/Mpc", ["67.4", "0.5"]),
        ("73.3 +1.7/−1.8", ["73.3", "1.7", "-1.8"]),
        ("67-73, or 67–73", ["67", "73", "67", "73"]),
        ("1,284,000; 1\u202f284\u202f000; 1'284'000; 1.284 million", ["1284000"] * 4),
        ("1, 2, 3", ["1", "2", "3"]),
        ("5%, 5 %, 5 per cent, 5 percent", ["5%"] * 4),
        ("−5 and -5, but not 10-5", ["-5", "-5", "10", "5"]),
        ("10⁵, 10^5, 1e5, 1 × 10⁵, 1·10^{5}", ["100000"] * 5),
        ("10⁻³ and 2.5e-3", ["0.001", "0.0025"]),
        ("73.0 is not 73", ["73.0", "73"]),
        (".5 or 0.5", ["0.5", "0.5"]),
        ("version 2.4.17, on 2018-07-17", ["2.4.17", "2018-07-17"]),
        ("the 1990s, the mid-1990s, 67km, 2nd", ["1990", "1990", "67", "2th"]),
        ("H0, GW170817, COVID-19, km s-1 Mpc^-1, v1.2.3", []),
        ("seven, a dozen, none", []),
        ("It was 67.4.", ["67.4"]),
        ("1e9999999 is too much", ["1e9999999"]),
    ],
)
def test_numerals_are_normalised(text: str, expected: list[str]) -> None:
    assert find_numbers(text) == expected


@given(st.integers(0, 10**15))
def test_thousands_separators_change_nothing(number: int) -> None:
    assert find_numbers(f"about {number:,} of them") == [str(number)]


@given(st.decimals(0, 10**6, places=3), st.text(alphabet=" .,;()±%", max_size=3))
def test_a_changed_digit_changes_the_numbers(number: object, after: str) -> None:
    text = f"{number}{after}"
    for at, character in enumerate(text):
        if character.isdigit():
            other = str((int(character) + 1) % 10)
            assert find_numbers(text[:at] + other + text[at + 1 :]) != find_numbers(text)


LOCALES = build_word_list(
    "ar bg bn ca cs da de de_CH el en en_IN es es_MX et fa fi fr fr_CH he hi hr hu id it ja ko lt",
    "lv nb nl pl pt pt_BR ro ru sk sl sv sw ta th tr uk vi zh",
)


@given(
    locale=st.sampled_from(LOCALES), number=st.decimals(0, 10**9, places=2), native=st.booleans()
)
def test_numbers_are_read_by_language(locale: str, number: Decimal, *, native: bool) -> None:
    system = "default" if native else "latn"
    written = format_decimal(number, "#,##0.00", locale, numbering_system=system)
    if locale == "en_IN":
        written = format_decimal(number, locale=locale)
    language = locale.partition("_")[0]
    mark = find_decimal_mark(written, language)
    (numeral,) = find_numerals(f"… {written} …", language, mark)
    assert numeral.value == number


@given(st.sampled_from(LOCALES), st.integers(0, 10**9))
def test_a_whole_number_is_read_as_its_language_groups_it(locale: str, number: int) -> None:
    written = format_decimal(number, locale=locale, numbering_system="latn")
    language, _, territory = locale.partition("_")
    # What only another country of a language does, its document shows: here with a price.
    mark = find_decimal_mark(
        format_decimal(1234.56, locale=locale), language if not territory else None
    )
    (numeral,) = find_numerals(written, language, mark)
    assert numeral.value == number


@given(st.one_of(st.text(), st.text(alphabet="0123456789 .,'½/-−()%£kmM^e\u00a0\u202f⁵×")))
def test_any_text_is_read_without_overlaps(text: str) -> None:
    position = 0
    for numeral in find_numerals(text):
        assert position <= numeral.start < numeral.end <= len(text)
        position = numeral.end


@pytest.mark.parametrize(
    ("document", "language", "mark"),
    [
        ("It costs 1,234 and 4.20.", None, "."),
        ("Es kostet 1.234 und 4,20.", None, ","),
        ("Umsatz 1.234", None, ""),
        ("Umsatz 1.234", "de", ","),
        ("TOTAL COSTS 1.234", "en", "."),
    ],
)
def test_a_document_tells_its_decimal_mark(document: str, language: str | None, mark: str) -> None:
    assert find_decimal_mark(document, language) == mark
