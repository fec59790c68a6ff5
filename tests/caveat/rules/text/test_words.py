"""Words of any language: how they are cut, and which language they are of."""

import pytest

from caveat.rules.text.words import (
    build_index_terms,
    detect_language,
    detect_sure_language,
    find_stems,
    list_content_words,
    split_words,
    stem,
)


def test_labels_and_months_are_no_function_words() -> None:
    assert detect_sure_language("Das Gutachten vom 16. Mai 2025 nennt höchstens 50 km/h.") is None
    assert detect_sure_language("Plot,Count\nA (west),31\nB (middle),12\nC (east),12\n" * 2) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the melting point of iron?", "en"),
        ("Wann ist Mittagsruhe?", "de"),
        ("Où est la clé de la cave ?", "fr"),
        ("¿Cuánto cuesta la entrada?", "es"),
        ("Сколько стоит билет?", "ru"),
        ("كم تبلغ رسوم الدخول؟", "ar"),
        ("青石水库的总库容是多少？", "zh"),
        ("延滞料はいくらですか", "ja"),
        ("야영장 이용료는 얼마입니까?", "ko"),
    ],
)
def test_a_language_is_told_by_script_and_function_words(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("Wie lange ist die Frist?", "de", ["Frist"]),
        ("青石水库的总库容是多少", "zh", ["青石", "石水", "水库", "总库", "库容"]),
        ("What do C++ and <- do?", "en", ["C++", "<-"]),
        ("a -- rule == and :: marks", "en", ["rule", "marks"]),
    ],
)
def test_what_carries_meaning_is_kept(text: str, language: str, said: list[str]) -> None:
    assert [word.text for word in list_content_words(text, language)] == said
    assert all(text[word.start : word.end] == word.text for word in split_words(text, language))


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("Monate", "Monaten", "de"),
        ("entradas", "entrada", "es"),
        ("الرسوم", "رسوم", "ar"),
        ("билета", "билет", "ru"),
    ],
)
def test_words_of_one_root_have_one_stem(one: str, other: str, language: str) -> None:
    (first,), (second,) = split_words(one, language), split_words(other, language)
    assert first.stem == second.stem


def test_the_index_holds_what_it_cannot_cut_itself() -> None:
    assert build_index_terms("Plain English words", "en") == ""
    assert "库容" in build_index_terms("总库容为3200万", "zh").split()
    assert "3200" in build_index_terms("总库容为3200万", "zh").split()


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How large is the moon", ["moon"]),
        ("How old is NGC 4993?", ["NGC", "4993"]),
        ("Wie groß ist die Insel?", ["Insel"]),
        ("How vaccines are made", ["vaccines"]),
        ("How deep is the well?", ["well"]),
        ("How well does the pump run?", ["pump", "run"]),
    ],
)
def test_the_adjective_behind_how_is_no_term(question: str, words: list[str]) -> None:
    assert [w.text for w in list_content_words(question, detect_language(question))] == words


@pytest.mark.parametrize(
    ("text", "word", "language"),
    [
        ("Nothing was gemaakt here", "gemaakt", "nl"),
        ("Nach Koeln ging es", "Koeln", "de"),
        ("Happily hoping", "happily", "en"),
        ("B is one", "one", "en"),
    ],
)
def test_stems_are_found_whatever_stemming_changes(text: str, word: str, language: str) -> None:
    wanted = stem(word, language)
    assert find_stems(text, [wanted], language) == {wanted}
    assert find_stems("Another", [wanted], language) == set()
