"""A text layer whose signs are other ones than it shows is told from text."""

import pytest

from caveat.adapters.documents.pdf import is_language

SAID = (
    "The keepers of the lock wrote down what they saw in the log, day after day, until the weir "
    "was rebuilt in granite and the old gauges were taken away to the museum of the town."
)


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        " ".join(SAID),
        "Kündigungsfrist: drei Monate zum Quartalsende, schriftlich und eigenhändig. " * 3,
        "青石水库的总库容是三千二百万立方米。" * 5,
        "Contents ........................................ 12",
        "Ab 3.",
    ],
)
def test_text_is_text(text: str) -> None:
    assert is_language(text)


@pytest.mark.parametrize(
    "text",
    [
        "".join(chr(ord(sign) - 29) if sign != " " else " " for sign in SAID),
        "".join(chr(0xE000 + ord(sign)) for sign in SAID),
        "\x01\x02\x03 \x04\x05\x06 \x07\x08\x10\x11 \x12\x13\x14" * 5,
        "! \" # $ %% & ' ( ) * +" * 5,
        " ".join("HIJKLMNOPQRSOTUVWTPQRXWYORZTQRSOATPSUUWPQRSE" * 4),
        "t`#licitGnE^v]|b}j!rci[w]li]k^a`ec7tvjKrbH[*tP~g]?ckrdw`ec5`#g`!b]c7[*]?jKlim`erd~w " * 4,
    ],
)
def test_signs_of_a_font_that_does_not_say_what_they_mean_are_none(text: str) -> None:
    assert not is_language(text)
