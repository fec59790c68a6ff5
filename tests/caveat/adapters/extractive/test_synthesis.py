import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.adapters.extractive.synthesis import SUMMARY, synthesise
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Claim, SourceRef
from caveat.contracts.synthesis import AngleEvidence, Synthesis, SynthesisInput
from caveat.rules.report.answering import DIRECT


def assignment(number: int, title: str = "Angle") -> Assignment:
    return Assignment(id=f"a{number}", title=title, question="?", queries=("q",))


def claim(
    name: str, quote: str, source: str = "", angle: int = 1, relevance: float = 0.8,
    credibility: float = 0.5,
) -> Claim:  # fmt: skip
    return Claim(
        id=name, text=quote, quote=quote, source_id=source or f"s-{name}",
        assignment_id=f"a{angle}", start=0, end=len(quote), relevance=relevance,
        credibility=credibility,
    )  # fmt: skip


def written(*angles: tuple[Claim, ...]) -> Synthesis:
    return synthesise(
        SynthesisInput(
            topic="t",
            angles=tuple(
                AngleEvidence(assignment=assignment(n), claims=claims)
                for n, claims in enumerate(angles, start=1)
            ),
            sources=tuple(
                SourceRef(id=source, title=f"Title of {source}")
                for source in sorted({c.source_id for angle in angles for c in angle})
            ),
        )
    )


PLANCK = "Planck inferred a Hubble constant of 67.4 ± 0.5 km/s/Mpc from the early sky."
SHOES = "The SH0ES team measured a Hubble constant of 73.04 ± 1.04 km/s/Mpc with Cepheids."


def test_statements_are_quotes_with_markers() -> None:
    result = written((claim("c1", PLANCK), claim("c2", SHOES, relevance=0.7)))
    assert result.sections[0].summary == f"- “{PLANCK}” [c1]\n- “{SHOES}” [c2]"
    assert result.sections[0].claim_ids == ("c1", "c2")
    assert result.summary == result.sections[0].summary


def test_claims_that_say_the_same_corroborate() -> None:
    again = "The Planck inferred Hubble constant of 67.4 ± 0.5 km/s/Mpc, from early sky."
    result = written((claim("c1", PLANCK), claim("c2", again, relevance=0.7)))
    assert result.sections[0].summary == f"- “{PLANCK}” [c1][c2]"


@pytest.mark.parametrize(
    "quotes",
    [
        (
            "Aspirin reduces the risk of heart attack.",
            "Aspirin does not reduce the risk of heart attack.",
            "Aspirin increases the risk of heart attack.",
        ),
        (
            "Inflation expanded the universe by a factor of 3.1.",
            "Inflation expanded the universe by a factor of 3.2.",
            "Inflation expanded the universe by a factor of 3.3.",
        ),
        (
            "Aspirin reduces the risk of heart attack in men.",
            "Aspirin reduces the risk of heart attack in women.",
            "Aspirin reduced the risk of heart attack in mice.",
        ),
    ],
)
def test_what_differs_stands_apart(quotes: tuple[str, ...]) -> None:
    claims = [claim(f"c{number}", quote) for number, quote in enumerate(quotes, start=1)]
    result = written(tuple(claims))
    for one in claims:
        assert f"- “{one.quote}” [{one.id}]" in result.sections[0].summary.splitlines()
    later = written(tuple(claims[:1]), tuple(claims))
    assert {*later.sections[1].claim_ids} == {"c2", "c3"}


def test_the_same_words_in_another_source_are_no_second_voice_but_listed_behind() -> None:
    again = [claim(f"c{n}", PLANCK.upper(), relevance=0.8) for n in range(2, 14)]
    result = written((claim("c1", PLANCK), *again, claim("c14", SHOES, relevance=0.7)))
    lines = result.sections[0].summary.splitlines()
    assert lines[:2] == [f"- “{PLANCK}” [c1]", f"- “{SHOES}” [c14]"]
    assert result.sections[0].claim_ids == ("c1", "c14", *(sorted(each.id for each in again)))


def test_of_equal_claims_the_more_credible_comes_first() -> None:
    result = written(
        (
            claim("c1", "Ships of iron need red paint below the water.", credibility=0.3),
            claim("c2", "Masts of pine bend less than masts of oak do.", credibility=0.9),
        )
    )
    assert result.sections[0].claim_ids == ("c2", "c1")


def test_sections_do_not_repeat_each_other() -> None:
    result = written(
        (claim("c1", PLANCK, source="s-p"),),
        (claim("c2", PLANCK, source="s-p", angle=2), claim("c3", SHOES, angle=2)),
        (claim("c4", PLANCK, source="s-p", angle=3),),
    )
    assert [section.claim_ids for section in result.sections] == [("c1",), ("c3",), ("c4",)]


def test_the_summary_begins_with_one_of_each_section() -> None:
    facts = "Glass rings bend light well. Steam drives the loud bell. Granite resists all waves."
    sentences = [f"{fact.strip('.')}." for fact in facts.split(". ")]
    result = written(
        *(
            (claim(f"c{n}", fact, angle=n), claim(f"d{n}", f"{fact[:-1]} {n} times over again."))
            for n, fact in enumerate(sentences, start=1)
        )
    )
    first = re.findall(r"\[(\w+)\]", result.summary)[:3]
    assert [name[1:] for name in first] == ["1", "2", "3"]
    assert len(result.summary.splitlines()) <= SUMMARY


def test_markup_in_a_quote_stays_literal() -> None:
    quote = "The rule [c9] says *never* to use\na `hammer` there."
    result = written((claim("c1", quote),))
    assert result.sections[0].summary == (
        r"- “The rule \[c9] says \*never\* to use a \`hammer\` there.” [c1]"
    )


QUOTES = st.lists(
    st.sampled_from(
        ["lens", "lamp", "bell", "34", "km", "12", "[c9]", "*", "in", "2019", "the", "reaches",
         "about", "of", "Skerry"]
    ),
    min_size=3, max_size=12,
).map(lambda found: " ".join(found) + ".")  # fmt: skip


@given(
    st.lists(
        st.lists(st.tuples(QUOTES, st.sampled_from("abc"), st.floats(0, 1)), max_size=9),
        min_size=1, max_size=4,
    )
)  # fmt: skip
def test_only_given_claims_are_cited_each_once(angles: list[list[tuple[str, str, float]]]) -> None:
    evidence = tuple(
        tuple(
            claim(f"k{a}x{n}", quote, source=source, angle=a, relevance=relevance)
            for n, (quote, source, relevance) in enumerate(found)
        )
        for a, found in enumerate(angles, start=1)
    )
    result = written(*evidence)
    for section, claims in zip(result.sections, evidence, strict=True):
        known = {c.id: c for c in claims}
        marked = re.findall(r"(?<!\\)\[(k\w+)\]", section.summary)
        assert tuple(marked) == section.claim_ids
        assert max(Counter(marked).values(), default=0) <= 1
        assert set(marked) <= known.keys()
        assert bool(marked) == bool(claims)


class Meaning:
    """A model of meanings that knows what is near the question by one word."""

    name = "by one word"

    def measure_nearness(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        return tuple(0.9 if "Cepheids" in passage else 0.1 for passage in passages)

    def keep(self, passages: Sequence[str], file: Path) -> None:
        raise AssertionError("a synthesis keeps nothing")

    def compare_cached(
        self, question: str, passages: Sequence[str], file: Path
    ) -> tuple[float, ...]:
        raise AssertionError("a synthesis keeps nothing")


def test_passages_on_the_question_are_ranked_by_meaning_where_a_model_is_there() -> None:
    claims = (claim("c1", PLANCK), claim("c2", SHOES, relevance=0.7))
    evidence = SynthesisInput(
        topic="How fast?",
        angles=(AngleEvidence(assignment=assignment(1, DIRECT), claims=claims),),
        sources=(),
    )
    by_words, by_meaning = synthesise(evidence), synthesise(evidence, Meaning())
    assert by_words.sections[0].claim_ids == ("c1", "c2")
    assert by_words.ranked_by == ""
    assert by_meaning.sections[0].claim_ids == ("c2", "c1")
    assert by_meaning.ranked_by == "by one word"


def test_each_part_of_a_question_keeps_its_passage() -> None:
    many = (claim(f"c{n}", f"The Hubble constant has a value of {n}.") for n in range(9))
    why = claim("why", "The values differ because dust was ignored.", relevance=0.1)
    evidence = SynthesisInput(
        topic="What is the value of the Hubble constant, and why do measurements disagree?",
        angles=(AngleEvidence(assignment=assignment(1, DIRECT), claims=(*many, why)),),
        sources=(),
    )
    assert synthesise(evidence).sections[0].claim_ids[1] == "why"
